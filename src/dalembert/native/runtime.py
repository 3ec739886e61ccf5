"""What compiled code calls of the C library, made known to LLVM where the process does not show it by itself.

On Linux and macOS every process shows its C library. On Windows there may be several, and which one LLVM would find is
chance; so each function is taken from the library of the system.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys

import llvmlite.binding as llvm

from dalembert.language.functions import OPERATIONS

MEMORY = ("memcpy", "memmove", "memset", "__chkstk")  # the last one where a function needs more than a page of stack
_INSTRUCTIONS = ("sqrt", "fabs", "maximum", "minimum")
_LIBRARIES = ("ucrtbase", "msvcrt", "ntdll")


def add_symbols() -> None:
    """Name the functions of the C library on Windows."""
    if sys.platform == "win32":
        for name in (*mathematics(), *MEMORY):
            address = _find(name)
            if address:
                llvm.add_symbol(name, address)


def mathematics() -> list[str]:
    """Return the functions of the C library that expressions call; some intrinsics are instructions."""
    names = [row.llvm.removeprefix("llvm.").removesuffix(".f64") for row in OPERATIONS.values()]
    return [name for name in names if name and name not in _INSTRUCTIONS]


def _find(name: str) -> int | None:
    for library in _LIBRARIES:
        with contextlib.suppress(OSError, AttributeError):
            return ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
    return None
