"""From the sources of steppers to LLVM, by numba."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import from_dtype, njit, types
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock

from dalembert.native import machine

# Arrays belong to the caller, nothing is allocated: numba counts references to what is not its own, for nothing.
_COUNTING = re.compile(r"^define [^\n]*@NRT_(incref|decref)\(.*?^}", re.MULTILINE | re.DOTALL)
_NO_COUNTING = r"define internal void @NRT_\1(ptr %info) alwaysinline {\n  ret void\n}"

_INNER = "inner"
_FOREIGN = ("NRT_", "numba_", "Py")  # functions that a process without numba does not have


def compiled(function: Callable[..., Any]) -> Any:
    """Mark a function as part of a stepper; a division by zero gives inf."""
    options: Any = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(**options)(function)


def to_bitcode(function: Any, kind: tuple, name: str, words: int) -> bytes:
    """Translate a function for arguments of some kind, so many words, to bitcode, in which it has the name."""
    signature = tuple(_type(part) for part in kind)
    with global_compiler_lock:  # others who compile wait
        settings: Any = config
        level, settings.OPT = settings.OPT, type(settings.OPT)(0)  # they are optimised later, all in one
        try:
            function.compile(signature)
        finally:
            settings.OPT = level
    own = function.overloads[signature].fndesc.llvm_func_name
    module = llvm.parse_assembly(_COUNTING.sub(_NO_COUNTING, function.inspect_llvm(signature)))
    module.get_function(own).name = _INNER
    taken = len(list(module.get_function(_INNER).arguments))
    if taken != words:
        raise RuntimeError(
            f"{function.__name__} takes {taken} words, and {words} lie in the table of `motion/entry.py`"
        )
    module.link_in(llvm.parse_assembly(_from_table(module.get_function(_INNER), name)))
    code = machine.to_bitcode(module, name)
    foreign = sorted(f.name for f in module.functions if f.is_declaration and f.name.startswith(_FOREIGN))
    if foreign:  # it would run here, and end a later process that has not loaded numba
        raise RuntimeError(f"{function.__name__} needs {', '.join(foreign)}; write loops in place of array expressions")
    return code


def _from_table(function: llvm.ValueRef, name: str) -> str:
    """Write the function that takes all arguments from a table, of eight bytes each, and calls another one."""
    types = [str(argument.type) for argument in function.arguments]
    lines = [f"declare i32 @{_INNER}({', '.join(types)})", f"define i32 @{name}(ptr %table) {{"]
    for k, kind in enumerate(types):
        lines += [f"  %p{k} = getelementptr i64, ptr %table, i64 {k}", f"  %v{k} = load {kind}, ptr %p{k}, align 8"]
    given = ", ".join(f"{kind} %v{k}" for k, kind in enumerate(types))
    return "\n".join([*lines, f"  %r = call i32 @{_INNER}({given})", "  ret i32 %r", "}", ""])


def _type(kind: Any) -> types.Type:
    """Return numba's type of an argument, from its kind; see `motion/entry.py`."""
    if isinstance(kind, str):
        return {"i": types.int64, "f": types.float64, "c": types.complex128}[kind]
    if kind[0] == "record":
        return from_dtype(kind[1])
    if isinstance(kind[0], str):
        return types.Array(from_dtype(np.dtype(kind[0])), kind[1], "C")
    return types.NamedTuple([_type(part) for part in kind[1]], kind[0])
