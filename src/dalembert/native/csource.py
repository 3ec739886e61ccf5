"""Routines as C99, from the same tapes as the machine code: to embed the equations elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from dalembert.algebra.tape import CONSTANT, LOAD
from dalembert.native.codegen import Kernel, Layout, Repeat, lay_out
from dalembert.native.routine import Chunk, Routine, cut

_SIGNATURE = "(double *restrict out, const double *restrict in, double *restrict work)"
_HEAD = """#include <math.h>
static inline double largest(double a, double b) { return a > b || a != a ? a : b; }
static inline double smallest(double a, double b) { return a < b || a != a ? a : b; }
static inline double sign(double u) { return u > 0 ? 1.0 : u < 0 ? -1.0 : 0.0 * u; }
static inline double step(double u) { return u > 0 ? 1.0 : u < 0 ? 0.0 : 0.5 + 0.0 * u; }
"""
_NAMES = {"abs": "fabs", "max": "largest", "min": "smallest"}


def to_c(routines: Sequence[Routine], kernels: Iterable[Kernel]) -> tuple[str, Layout]:
    """Write all routines and kernels, and say how the workspace is laid out."""
    pieces = {routine.name: cut(routine) for routine in routines}
    layout = lay_out(routines, pieces)
    lines = [_HEAD]
    for routine in routines:
        for k, chunk in enumerate(pieces[routine.name]):
            lines += _function(f"{routine.name}_{k}", routine, chunk, layout)
    for kernel in kernels:
        lines += [f"void {kernel.name}{_SIGNATURE} {{"]
        for call in kernel.calls:
            if isinstance(call, Repeat):
                lines.append(f"  for (int turn = 0; turn < {call.times}; turn++) {{")
                for name in call.calls:
                    lines += _calls(name, pieces)
                lines += [f"    if (work[{layout.offsets[call.array] + call.index}] > 0.0) break;", "  }"]
            else:
                lines += _calls(call, pieces)
        lines += ["}", *_loop(kernel)]
    return "\n".join(lines) + "\n", layout


def _calls(name: str, pieces: Mapping[str, list[Chunk]]) -> list[str]:
    return [f"  {name}_{k}(out, in, work);" for k in range(len(pieces[name]))]


def _function(name: str, routine: Routine, chunk: Chunk, layout: Layout) -> list[str]:
    nodes = routine.tape.nodes
    lines = [f"static void {name}{_SIGNATURE} {{"]

    def place(array: str, index: int) -> str:
        return f"{array}[{index}]" if array in ("in", "out") else f"work[{layout.offsets[array] + index}]"

    local = set(chunk.lines)

    def value(number: int) -> str:
        if number in local:
            return f"v{number}"
        if number in chunk.fetched:
            return place("spill", chunk.fetched[number])
        node = nodes[number]
        return _literal(node[1]) if node[0] == CONSTANT else place(*node[1:])

    for number in chunk.lines:
        operation, *rest = nodes[number]
        text = place(*rest) if operation == LOAD else _operation(operation, [value(k) for k in rest])
        lines.append(f"  double v{number} = {text};")
    lines += [f"  {place('spill', k)} = v{number};" for number, k in chunk.spilled.items()]
    lines += [f"  {place(array, index)} = {value(number)};" for array, index, number in chunk.stores]
    return [*lines, "}"]


def _literal(number: float) -> str:
    if math.isfinite(number):
        return repr(number)
    return "NAN" if math.isnan(number) else "INFINITY" if number > 0 else "-INFINITY"


def _operation(name: str, args: list[str]) -> str:
    if name in ("+", "-", "*"):
        return f"{args[0]} {name} {args[1]}"
    if name == "neg":
        return f"-{args[0]}"
    if name == "inverse":
        return f"1.0 / {args[0]}"
    if name in ("if_lt", "if_le"):
        relation = "<" if name == "if_lt" else "<="
        return f"{args[0]} {relation} {args[1]} ? {args[2]} : {args[3]}"
    return f"{_NAMES.get(name, name)}({', '.join(args)})"


def _loop(kernel: Kernel) -> list[str]:
    return [
        f"void {kernel.name}_loop(double *out, const double *in, double *work, long long count) {{",
        "  for (long long i = 0; i < count; i++)",
        f"    {kernel.name}(out + i * {kernel.outputs}, in + i * {kernel.inputs}, work);",
        "}",
    ]
