"""One thread for small linear algebra.

The matrices of a survey have some hundreds of rows. OpenBLAS, which comes with NumPy and SciPy, divides even these
among all cores, and its threads spin while they wait for each other: on a busy machine singular values of 270 rows took
70 times as long as with one thread, and what is rounded depends on the number of cores. What is worked out about a
system is therefore worked out by one thread; afterwards the libraries are set as they were.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock

_SUFFIXES = ("64_", "_64", "")  # of names in builds with long integers
_PREFIXES = ("scipy_", "")


class OneThread:
    """Lets linear algebra use one thread while somebody is inside; afterwards it uses as many as before."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._before: list[tuple[Callable[[int], None], int]] = []

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._before = [(limit, count) for get, limit in _libraries() if (count := get()) > 1]
                for limit, _ in self._before:
                    limit(1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                for limit, count in self._before:
                    limit(count)


one_thread = OneThread()


@cache
def _libraries() -> tuple[tuple[Callable[[], int], Callable[[int], None]], ...]:
    """Return how threads are counted and limited in each OpenBLAS that NumPy and SciPy brought and have loaded."""
    found = []
    for package in ("numpy", "scipy"):
        folder = Path(str(import_module(f"{package}.linalg").__file__)).parents[1]  # now its library is loaded
        places = (folder.parent / f"{package}.libs", folder / ".dylibs")
        for path in sorted(path for place in places if place.is_dir() for path in place.glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(path))
            except OSError:
                continue
            if pair := _functions(library):
                found.append(pair)
    return tuple(found)


def _functions(library: ctypes.CDLL) -> tuple[Callable[[], int], Callable[[int], None]] | None:
    for prefix in _PREFIXES:
        for suffix in _SUFFIXES:
            names = [f"{prefix}openblas_{verb}_num_threads{suffix}" for verb in ("get", "set")]
            if all(hasattr(library, name) for name in names):
                count, limit = (getattr(library, name) for name in names)
                count.restype, limit.restype, limit.argtypes = ctypes.c_int, None, [ctypes.c_int]
                return count, limit
    return None
