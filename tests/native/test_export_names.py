"""Exported C under every dialect, with names that C has for itself, and with titles that would end a comment."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from dalembert import ModelError, System
from tests.conftest import pendulum
from tests.contracts.test_export import module_of
from tests.shared import example

needs_compiler = pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("g++")), reason="no C compiler here")
DIALECTS = ["c99", "c11", "gnu99", "gnu11", "gnu17", None]
CPLUSPLUS = ["c++11", "c++17", "gnu++20"]
STRICT = ["-Wall", "-Wextra", "-Werror"]
TITLE = 'a "model" of C:\\Users\\new */ int x; /* """ ??/ \u202e \u2028 %d {x} \\'
OF_C = ["double", "y1", "j0", "main", "errno", "I", "explicit", "finite", "lambda", "work", "NULL", "restrict"]


def compile_both(source, dialects=DIALECTS, more=CPLUSPLUS) -> None:
    for dialect in dialects:
        standard = [f"-std={dialect}"] if dialect else []
        subprocess.run(["gcc", *standard, *STRICT, "-c", "-o", source.with_suffix(".o"), source], check=True)
    for dialect in more:
        subprocess.run(["g++", "-x", "c++", f"-std={dialect}", *STRICT, "-fsyntax-only", source], check=True)


@needs_compiler
@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "canonical", "independent"])
def test_every_form_in_every_dialect(tmp_path, form):
    source, _ = pendulum().export(tmp_path / "model.c", "c", form)
    compile_both(source)


@needs_compiler
@pytest.mark.parametrize("stem", ["exp", "main", "double", "2 rods", "φ", "e", "a'b", "-x", "step", "finite", "M"])
def test_names_of_files(tmp_path, stem):
    source, _ = example("simple-pendulum").export(tmp_path / f"{stem}.c", "c")
    compile_both(source, ["c99", None], ["c++17"])


@needs_compiler
def test_names_that_c_has_itself(tmp_path):
    system = System(
        OF_C,
        kinetic=" + ".join(f"{name}'^2/2" for name in OF_C),
        constraints={
            "for": "double = abs(y1)",
            "int": "j0 = max(errno, I)",
            "x.static": "main = if(I < 1, NULL, work)",
        },
        parameters={"exp1": 1, "sizeof": 2, "stdin": 3},
        forces={"I": "exp1*sizeof*stdin"},
        name=TITLE,
    )
    source, header = system.export(tmp_path / "model.c", "c")
    compile_both(source)
    assert "model_q_double" in header.read_text(encoding="utf-8")
    assert "\u202e" not in header.read_text(encoding="utf-8") + source.read_text(encoding="utf-8")
    for to in ("numpy", "jax"):
        if to == "jax":
            pytest.importorskip("jax")
        assert module_of(system, tmp_path, to).__doc__.startswith('a "model" of C:/Users/new')


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "a??/b"])
def test_a_header_that_cannot_be_included(tmp_path, name):
    if "/" in name:
        name = name.replace("/", "")
    with pytest.raises(ModelError, match="C cannot include a header whose name holds quotes"):
        pendulum().export(tmp_path / f"{name}.c", "c")
    assert not list(tmp_path.iterdir())
