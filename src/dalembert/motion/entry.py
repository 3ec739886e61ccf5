"""Functions of native steppers, called without the compiler that made them where their code is kept on disk.

The sources in `steppers/` are translated by numba, for each kind of arguments; most of them before they come to a user,
see `shipped.py`. What is kept, once per machine, is an object file like those of the models, so that a later start
loads it in some thousandths of a second and never imports numba. Arguments are arrays, numbers, records and named
tuples of them; they lie in a table, from which the code takes them.

So this file knows how numba lays out arguments, which numba's own `cache=True` would spare us. It is kept for what it
saves at every start: from that of Python to the first motion of the pendulum, with everything in its cache, 1.0 s of
the processor against 1.45 s, the difference being numba itself; compiling takes as long either way (numba 0.68,
shortest of three in turn, `simulate(0.1)`). The layout is not trusted: code that takes another number of words than lie
in the table is refused when it is made, and `tests/motion/test_plain.py` compares every stepper with its own Python.
"""

from __future__ import annotations

import ctypes
import hashlib
import struct
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.arrays import address
from dalembert.motion import shipped
from dalembert.motion.tools import Coefficients, NativeRecord
from dalembert.native import machine
from dalembert.native.cache import Entry as Kept
from dalembert.native.cache import read, write

_INTEGER, _REAL, _COMPLEX, _RECORD = "i", "f", "c", "record"
_FUNCTION = "entry"  # its name in the object file
_FRONT = 2  # places of the table before the arguments: where the result goes, and what went wrong


class Stepper:
    """A function of a module in `steppers/`, to be called with arrays and numbers.

    It remembers the arguments of its last call, for most are the same ones again: an engine has its own entries.
    """

    def __init__(self, module: str, name: str):
        self.module, self.name = module, name
        self._args: tuple[Any, ...] = ()
        self._kinds: list[Any] = []

    def __call__(self, *args: Any) -> int:
        """Call it; return the integer or the truth value that it returns."""
        if len(args) != len(self._args) or not self._changed(args):
            self._prepare(args)
        self._args = args
        if self._function(self._place):
            raise RuntimeError(f"the stepper {self.module}.{self.name} failed")
        return int(self._table[-2])

    def _changed(self, args: tuple[Any, ...]) -> bool:
        """Put the arguments that are not those of the last call into the table; tell whether their kinds are."""
        for k, (arg, old) in enumerate(zip(args, self._args, strict=True)):
            if arg is not old:
                values: list[Any] = []
                if _flatten(arg, values) != self._kinds[k]:
                    return False
                struct.pack_into(_format(self._kinds[k]), self._bytes, 8 * self._starts[k], *values)
        return True

    def _prepare(self, args: tuple[Any, ...]) -> None:
        """Make the table, and load the code for arguments of these kinds."""
        values: list[Any] = [0] * _FRONT
        self._kinds, self._starts = [], []
        for arg in args:
            self._starts.append(len(values))
            self._kinds.append(_flatten(arg, values))
        self._table = np.zeros(len(values) + 2, dtype=np.int64)
        self._place, self._bytes = address(self._table), memoryview(self._table).cast("B")  # pyright: ignore
        values[:_FRONT] = self._place + 8 * len(values), self._place + 8 * (len(values) + 1)
        self._library, self._function, places = _load(self.module, self.name, tuple(self._kinds))
        struct.pack_into(places, self._bytes, 0, *values)


@cache
def _format(kind: Any) -> str:
    """Say of each place that an argument takes whether it holds an integer or a real number."""
    return "=" + _places(kind)


def _places(kind: Any) -> str:
    if isinstance(kind, str):
        return {_REAL: "d", _COMPLEX: "dd"}.get(kind, "q")
    first, rest = kind
    if first == _RECORD:
        return "q"
    return "q" * (5 + 2 * rest) if isinstance(first, str) else "".join(map(_places, rest))


@cache
def _load(module: str, name: str, kinds: tuple[Any, ...]) -> tuple[machine.Library, Any, str]:
    """Take a function from disk, or compile it; return it with what its table holds."""
    key = f"stepper {module}.{name} {kinds} {_sources()} numba {version('numba')} {machine.signature()}"
    found = read(key)
    if found is None:
        found = Kept({}, machine.compile_alone(translated(module, name, kinds), _FUNCTION))
        write(key, found)
    library = machine.Library(found.code)
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(library.address(_FUNCTION))
    return library, function, _format((None, (_INTEGER,) * _FRONT + kinds))


def _flatten(arg: Any, values: list[Any]) -> Any:
    """Append what an argument is made of, as numba passes it; return its kind."""
    # what most of them are comes first: a second motion waits for nothing longer than for this
    if type(arg) is int:
        values.append(arg)
        return _INTEGER
    if isinstance(arg, np.ndarray):
        if not arg.flags.c_contiguous:
            raise TypeError("a stepper takes contiguous arrays")
        values += (0, 0, arg.size, arg.itemsize, address(arg), *arg.shape, *arg.strides)
        return _kind_of_array(arg.dtype, arg.ndim)
    if isinstance(arg, Coefficients):
        return _of_method(arg, values)
    if isinstance(arg, tuple):
        return type(arg), tuple([_flatten(part, values) for part in arg])
    if isinstance(arg, NativeRecord):
        values.append(ctypes.addressof(arg))
        return _RECORD, arg.kind
    if isinstance(arg, (float, np.floating)):
        values.append(float(arg))
        return _REAL
    if isinstance(arg, (complex, np.complexfloating)):
        values += (float(arg.real), float(arg.imag))
        return _COMPLEX
    values.append(int(arg))
    return _INTEGER


@cache
def _kind_of_array(dtype: np.dtype, dimensions: int) -> tuple[str, int]:
    return dtype.str, dimensions


_methods: dict[int, tuple[Coefficients, list[Any], Any]] = {}


def _of_method(arrays: Coefficients, values: list[Any]) -> Any:
    """Do the same for a method, which stays where it is: it is the same one in all motions."""
    if (known := _methods.get(id(arrays))) is None:
        own: list[Any] = []
        kind = type(arrays), tuple([_flatten(part, own) for part in arrays])
        known = _methods[id(arrays)] = arrays, own, kind
    values += known[1]
    return known[2]


def translated(module: str, name: str, kinds: tuple[Any, ...]) -> bytes:
    """Return a function as LLVM has it: as it is shipped with the package, else by numba."""
    if (code := shipped.read(module, name, kinds)) is not None:
        return code
    from dalembert.motion.steppers.compiled import to_bitcode

    source = getattr(import_module(f"dalembert.motion.steppers.{module}"), name)
    return to_bitcode(source, kinds, _FUNCTION, _FRONT + sum(map(_words, kinds)))


@cache
def _sources() -> str:
    """Name the state of all that steppers are made from and by."""
    return shipped.sources() + hashlib.sha256(Path(machine.__file__).read_bytes()).hexdigest()


def _words(kind: Any) -> int:
    """Count the places of the table that an argument takes, from its kind."""
    return len(_places(kind))
