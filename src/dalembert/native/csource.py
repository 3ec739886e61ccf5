"""Routines as C99, from the same tapes as the machine code: to embed the equations elsewhere.

Every function takes of `out`, `in` and `work` what it uses, so that compilers have nothing to warn of.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice

from dalembert.algebra.tape import CONSTANT, LOAD
from dalembert.language.curve_code import C
from dalembert.language.functions import operation, sources
from dalembert.native.codegen import Kernel, Layout, Repeat, Rolled, lay_out
from dalembert.native.loops import SLOT, Fill, Loop, Sweep
from dalembert.native.routine import Chunk, Routine, cut

_ARGUMENTS = {
    "out": "double *restrict out",
    "in": "const double *restrict in",
    "work": "double *restrict work",
    "row": "const int *restrict row",
}
_CPLUSPLUS = ("#ifdef __cplusplus", "#define restrict __restrict", "#endif", "")
_FEW = 24  # runs of equal instances that are written out one after the other


def to_c(
    routines: Sequence[Routine], kernels: Iterable[Kernel], rolled: Rolled | None = None, static: bool = False
) -> tuple[str, Layout]:
    """Write the kernels and what they call, and say how the workspace is laid out.

    Kernels are void name(double *out, const double *in, double *work), each with a loop over many states beside it; or
    only for the file that they stand in, under their `local` name.
    """
    source = _Source(routines, rolled or Rolled(), list(kernels), static)
    return source.text(), source.layout


class _Source:
    def __init__(self, routines: Sequence[Routine], rolled: Rolled, kernels: list[Kernel], static: bool):
        self.kernels, self.static = kernels, static
        called = {name for kernel in kernels for name in _called(kernel)}
        self.routines = [routine for routine in routines if routine.name in called]
        self.sweeps = [sweep for sweep in rolled.sweeps if sweep.name in called]
        self.fills = {fill.name: fill for fill in rolled.fills}
        run = {name for sweep in self.sweeps for name, _ in sweep.tasks}
        self.loops = {loop.name: loop for loop in rolled.loops if loop.name in run}
        self.pieces = {routine.name: cut(routine) for routine in self.routines}
        self.layout = lay_out(self.routines, self.pieces, rolled.sizes)
        self.calls: dict[str, list[str]] = {}  # of a routine or sweep
        self.helpers: set[str] = set()

    def text(self) -> str:
        """Write everything."""
        lines: list[str] = []
        for routine in self.routines:
            self.calls[routine.name] = []
            for k, chunk in enumerate(self.pieces[routine.name]):
                name = f"{_plain(routine.name)}_{k}"
                body, used = self.body(routine, chunk)
                lines += [f"static void {name}({_declared(used)}) {{", *body, "}"]
                self.calls[routine.name].append(f"{name}({', '.join(used)});")
        arguments = {}
        for loop in self.loops.values():
            (chunk,) = cut(loop.routine, size=10**9)
            body, used = self.body(loop.routine, chunk, loop)
            arguments[loop.name] = used
            lines += [*self.table(loop), f"static void {_plain(loop.name)}_body({_declared(used)}) {{", *body, "}"]
        for sweep in self.sweeps:
            lines += self.sweep(sweep, arguments)
        for kernel in self.kernels:
            lines += self.kernel(kernel)
        return "\n".join(["#include <math.h>", "", *_CPLUSPLUS, *sources(self.helpers, C), *lines]) + "\n"

    def place(self, array: str, index: int, loop: Loop | None, used: set[str]) -> str:
        """Write a place of an array."""
        if array == SLOT and loop is not None:
            array, where = next(islice(loop.slots, index, None))[0], f"row[{index}]"
            used.add("row")
        else:
            where = str(index if array in ("in", "out") else self.layout.offsets[array] + index)
        base = array if array in ("in", "out") else "work"
        used.add(base)
        return f"{base}[{where}]"

    def body(self, routine: Routine, chunk: Chunk, loop: Loop | None = None) -> tuple[list[str], list[str]]:
        """Write the statements of a piece, and say which arguments they use."""
        nodes, used = routine.tape.nodes, set()
        local = set(chunk.lines)

        def value(number: int) -> str:
            if number in local:
                return f"v{number}"
            if number in chunk.fetched:
                return self.place("spill", chunk.fetched[number], loop, used)
            node = nodes[number]
            return literal(node[1]) if node[0] == CONSTANT else self.place(node[1], node[2], loop, used)

        lines = []
        for number in chunk.lines:
            name, *rest = nodes[number]
            if name == LOAD:
                text = self.place(rest[0], rest[1], loop, used)
            else:
                text = _operation(name, [value(k) for k in rest])
                self.helpers.add(str(name))
            lines.append(f"  const double v{number} = {text};")
        stores = [("spill", k, number) for number, k in chunk.spilled.items()]
        for array, index, number in (*stores, *chunk.stores):
            text = value(number)
            lines.append(f"  {self.place(array, index, loop, used)} = {text};")
        return lines, [name for name in _ARGUMENTS if name in used]

    def table(self, loop: Loop) -> list[str]:
        """Write the places of all instances."""
        rows = ",\n".join("  " + ", ".join(map(str, row)) for row in loop.table(self.layout).tolist())
        return [f"static const int {_plain(loop.name)}_places[] = {{", rows, "};"]

    def sweep(self, sweep: Sweep, arguments: dict[str, list[str]]) -> list[str]:
        """Write the function that goes over instances: loops, or where they alternate, one loop that branches."""
        used = [
            name for name in _ARGUMENTS if name != "row" and any(name in arguments[task] for task, _ in sweep.tasks)
        ]
        name, runs, lines = f"{_plain(sweep.name)}_0", sweep.runs(), []

        def call(loop: str, row: str) -> str:
            given = [f"{_plain(loop)}_places + {row}" if part == "row" else part for part in arguments[loop]]
            return f"{_plain(loop)}_body({', '.join(given)});"

        if len(runs) <= _FEW:
            for loop, first, count in runs:
                width = len(self.loops[loop].slots)
                lines.append(f"  for (int i = {first}; i < {first + count}; i++) {call(loop, f'i * {width}')}")
        else:
            names = sorted({loop for loop, _ in sweep.tasks})
            tasks = [f"{names.index(loop)}, {row * len(self.loops[loop].slots)}" for loop, row in sweep.tasks]
            lines += [
                f"  static const int tasks[] = {{{', '.join(tasks)}}};",
                f"  for (int i = 0; i < {2 * len(tasks)}; i += 2)",
                "    switch (tasks[i]) {",
                *(f"      case {k}: {call(loop, 'tasks[i + 1]')} break;" for k, loop in enumerate(names)),
                "    }",
            ]
        self.calls[sweep.name] = [f"{name}({', '.join(used)});"]
        return [f"static void {name}({_declared(used)}) {{", *lines, "}"]

    def called(self, name: str) -> list[str]:
        """Write the statements that call a routine or sweep, or fill an array."""
        if name not in self.fills:
            return self.calls[name]
        fill: Fill = self.fills[name]
        start, offsets = self.layout.offsets[fill.array] + fill.start, self.layout.offsets
        value = "0.0" if fill.source is None else f"work[{offsets[fill.source]} + i]"
        return [f"for (int i = 0; i < {fill.size}; i++) work[{start} + i] = {value};"]

    def kernel(self, kernel: Kernel) -> list[str]:
        """Write a kernel, and the loop over many states."""
        lines = []
        for call in kernel.calls:
            if isinstance(call, Repeat):
                place = self.place(call.array, call.index, None, set())
                lines.append(f"  for (int turn = 0; turn < {call.times}; turn++) {{")
                lines += [f"    {text}" for name in call.calls for text in self.called(name)]
                lines += [f"    if ({place} > 0.0) break;", "  }"]
            else:
                lines += [f"  {text}" for text in self.called(call)]
        unused = [name for name in ("out", "in", "work") if not any(_uses(line, name) for line in lines)]
        lines = [*(f"  (void){name};" for name in unused), *lines]
        arguments = _declared(["out", "in", "work"])
        if self.static:
            return [f"static void {local(kernel.name)}({arguments}) {{", *lines, "}"]
        return [f"void {kernel.name}({arguments}) {{", *lines, "}", *_loop(kernel)]


def _called(kernel: Kernel) -> list[str]:
    return [name for call in kernel.calls for name in (call.calls if isinstance(call, Repeat) else (call,))]


def _plain(name: str) -> str:
    return name.replace(".", "_")


def _declared(arguments: list[str]) -> str:
    return ", ".join(_ARGUMENTS[name] for name in arguments) or "void"


def _uses(line: str, name: str) -> bool:
    return any(f"{before}{name}{after}" in line for before in "( " for after in ",)[")


def local(kernel: str) -> str:
    """Return the name of a kernel inside its file: one that is neither a word of C++ nor a function of a library."""
    return f"compute_{kernel}"


def literal(number: float) -> str:
    """Write a double exactly."""
    if math.isfinite(number):
        return repr(float(number))
    return "NAN" if math.isnan(number) else "INFINITY" if number > 0 else "-INFINITY"


def _operation(name: str, args: list[str]) -> str:
    if name in ("+", "-", "*"):
        return f"{args[0]} {name} {args[1]}"
    if name == "neg":
        return f"-{args[0]}"
    if name == "inverse":
        return f"1.0 / {args[0]}"
    return operation(name).in_c(args)


def _loop(kernel: Kernel) -> list[str]:
    return [
        f"void {kernel.name}_loop(double *out, const double *in, double *work, long long count) {{",
        "  for (long long i = 0; i < count; i++)",
        f"    {kernel.name}(out + i * {kernel.outputs}, in + i * {kernel.inputs}, work);",
        "}",
    ]
