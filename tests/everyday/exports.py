"""Exported equations as others use them: C compiled and called, JAX compiled by itself."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

COMPILER = shutil.which("gcc") or shutil.which("cc")
HAS_JAX = importlib.util.find_spec("jax") is not None


def in_c(source: Path, system: Any, place: tuple[float, Any, Any]) -> np.ndarray:
    """Compile exported C as its header says, and return the accelerations at a place."""
    library = source.with_suffix(".so")
    subprocess.run([str(COMPILER), "-std=c99", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    header = source.with_suffix(".h").read_text(encoding="utf-8")
    work = int(re.search(r"#define \w+_WORK (\d+)", header)[1])
    values = [float(value) for value in system.parameters.values()]
    given = [np.ascontiguousarray(part, dtype=float) for part in (*place[1:], values)]
    found = [np.zeros(max(1, size)) for size in (len(system.coordinates), len(system.constraints), work)]
    pointers = [part.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for part in (*given, *found)]
    function = getattr(ctypes.CDLL(str(library)), f"{source.stem}_accelerations")
    assert function(ctypes.c_double(place[0]), *pointers) == 0, "the exported C has no result"
    return found[0]


def in_jax(source: Path, place: tuple[float, Any, Any]) -> np.ndarray:
    """Run an exported JAX module, and return the accelerations at a place."""
    return np.asarray(runpy.run_path(str(source))["accelerations"](*place)[0])
