"""The contract of exports: C, NumPy and JAX × every model × random admissible states equal the native kernels."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import shutil
import subprocess

import numpy as np
import pytest

from tests.conftest import GALLERY
from tests.contracts.test_forms import MODELS, SPECIAL, scene_of, states, system_of
from tests.contracts.test_native import free_fall, kernels

EXACT = 1e-12
SAMPLE = ["pendulum", "slider-crank", "n-four-bar:2", "heavy-top", "rolling-coin", *SPECIAL]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]


class Library:
    """Exported C, compiled and called."""

    def __init__(self, system, folder, form="multipliers"):
        self.n, self.s = len(system.coordinates), len(system.constraints)
        source, header = system.export(folder / "model.c", "c", form)
        library = folder / "model.so"
        subprocess.run(["gcc", *STRICT, "-O1", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
        subprocess.run(["g++", "-x", "c++", *STRICT[1:], "-fsyntax-only", header], check=True)
        words = [line.split() for line in header.read_text(encoding="utf-8").split("\n") if "#define MODEL_" in line]
        self.sizes = {word[1]: int(word[2]) for word in words if len(word) == 3}
        self.functions = ctypes.CDLL(str(library))

    def call(self, name, sizes, t, *given):
        given = [np.ascontiguousarray(values, dtype=float) for values in given]
        out = [np.zeros(size) for size in sizes]
        arrays = [*given, *out, np.zeros(self.sizes["MODEL_WORK"])]
        pointers = [array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for array in arrays]
        status = getattr(self.functions, f"model_{name}")(ctypes.c_double(t), *pointers)
        return status, given, out


def module_of(system, folder, to, form="multipliers"):
    (path,) = system.export(folder / f"model_{to}.py", to, form)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(model: str, found, count: int = 3) -> None:
    """Compare accelerations and multipliers; these only where they are determined."""
    scene, kernel = scene_of(model), kernels(model)
    for place in states(scene, count):
        state = (place.t, place.q, place.v, np.array(scene.numeric.parameters))
        expected = kernel(*state)
        a, multipliers = found(*state)
        size = max(np.abs(expected.acceleration).max(), free_fall(scene.numeric.all(*state[:3]))) + 1e-9
        assert np.abs(a - expected.acceleration).max() <= EXACT * size
        if scene.rank == len(scene.system.constraints) and scene.rank:
            size = max(np.abs(expected.multipliers).max(), np.abs(scene.numeric.all(*state[:3]).f).max())
            assert np.abs(multipliers - expected.multipliers).max() <= EXACT * size


def check_c(model, folder):
    if not shutil.which("gcc") or not shutil.which("g++"):
        pytest.skip("no C compiler here")
    library = Library(system_of(model), folder)

    def found(*state):
        status, _, out = library.call("accelerations", (library.n, library.s), *state)
        assert status == 0
        return out

    check(model, found)


@pytest.mark.parametrize("model", SAMPLE)
def test_c(model, tmp_path):
    check_c(model, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("model", GALLERY)
def test_c_on_the_gallery(model, tmp_path):
    check_c(model, tmp_path)


@pytest.mark.parametrize("model", SAMPLE)
def test_numpy(model, tmp_path):
    check(model, module_of(system_of(model), tmp_path, "numpy").accelerations)


@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
def test_numpy_on_the_gallery(model, tmp_path):
    check(model, module_of(system_of(model), tmp_path, "numpy").accelerations)


@functools.cache
def jax():
    return pytest.importorskip("jax")


@pytest.mark.parametrize("model", ["pendulum", "redundant pendulum", "sleigh with singular mass"])
def test_jax(model, tmp_path):
    check_jax(model, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
def test_jax_on_the_gallery(model, tmp_path):
    check_jax(model, tmp_path)


def check_jax(model, folder):
    check(model, jax().jit(module_of(system_of(model), folder, "jax").accelerations))
