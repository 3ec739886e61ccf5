"""Functions of native steppers, called without the compiler that made them where their code is kept on disk.

The sources in `steppers/` are translated by numba, once per machine and for each kind of arguments; what is kept is an
object file like those of the models, so that a later start loads it in some thousandths of a second and never imports
numba. Arguments are arrays, numbers and (named) tuples of them; they are handed over as numba's functions take them.
"""

from __future__ import annotations

import ctypes
import hashlib
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.native import machine
from dalembert.native.cache import Entry as Kept
from dalembert.native.cache import read, write

_INTEGER, _REAL, _COMPLEX = "i", "f", "c"
_FUNCTION = "entry"  # its name in the object file


class Entry:
    """A function of a module in `steppers/`, to be called with arrays and numbers."""

    def __init__(self, module: str, name: str):
        self.module, self.name = module, name
        self._loaded: dict[tuple, tuple[machine.Library, Any]] = {}

    def __call__(self, *args: Any) -> int:
        """Call it; return the integer or the truth value that it returns."""
        kinds, values = [], [0, 0]  # in front: where the result goes, and what went wrong
        for arg in args:
            kinds.append(_flatten(arg, values))
        kind = tuple(kinds)
        if kind not in self._loaded:
            self._loaded[kind] = self._load(kind)
        result, wrong = ctypes.c_int64(0), ctypes.c_void_p()
        values[0], values[1] = ctypes.addressof(result), ctypes.addressof(wrong)
        if self._loaded[kind][1](*values):
            raise RuntimeError(f"the stepper {self.module}.{self.name} failed")
        return result.value

    def _load(self, kind: tuple) -> tuple[machine.Library, Any]:
        key = f"stepper {self.module}.{self.name} {kind} {_sources()} numba {version('numba')} {machine.signature()}"
        found = read(key)
        if found is None:
            found = Kept({}, _compile(import_module(f"dalembert.motion.steppers.{self.module}"), self.name, kind))
            write(key, found)
        library = machine.Library(found.code)
        types = [ctypes.c_void_p, ctypes.c_void_p, *_passed(kind)]
        return library, ctypes.CFUNCTYPE(ctypes.c_int32, *types)(library.address(_FUNCTION))


def _flatten(arg: Any, values: list) -> Any:
    """Append what an argument is made of, as numba passes it; return its kind."""
    if isinstance(arg, np.ndarray):
        if not arg.flags.c_contiguous:
            raise TypeError("a stepper takes contiguous arrays")
        shape = arg.shape
        values += (None, None, arg.size, arg.itemsize, arg.ctypes.data, *shape, *arg.strides)
        return arg.dtype.str, len(shape)
    if isinstance(arg, tuple):
        return type(arg), tuple(_flatten(part, values) for part in arg)
    if isinstance(arg, (float, np.floating)):
        values.append(arg)
        return _REAL
    if isinstance(arg, (complex, np.complexfloating)):
        values += (arg.real, arg.imag)
        return _COMPLEX
    values.append(int(arg))
    return _INTEGER


def _passed(kind: Any) -> list[Any]:
    """Return the types of C in which arguments of some kind are passed."""
    if isinstance(kind, str):
        return {_INTEGER: [ctypes.c_int64], _REAL: [ctypes.c_double], _COMPLEX: [ctypes.c_double] * 2}[kind]
    if isinstance(kind[0], str) and len(kind) == 2 and isinstance(kind[1], int):
        pointer, integer = ctypes.c_void_p, ctypes.c_int64
        return [pointer, pointer, integer, integer, pointer, *[integer] * (2 * kind[1])]
    parts = kind[1] if isinstance(kind[0], type) else kind
    return [passed for part in parts for passed in _passed(part)]


@cache
def _sources() -> str:
    """Name the state of all sources that steppers are made from: a function may call others in other files."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in [*sorted((folder / "steppers").glob("*.py")), folder / "places.py"]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _compile(module: Any, name: str, kind: tuple) -> bytes:
    from dalembert.motion.steppers.compiled import to_object

    return to_object(getattr(module, name), kind, _FUNCTION)
