"""Routines as LLVM IR, written directly as text: every function is void f(double *out, const double *in, double *work).

A *kernel* calls routines one after the other; all arrays but `in` and `out` lie in the workspace. Beside every kernel
there is a loop over many states. The operations may be contracted to fused multiply-adds, unless they are to be exact,
and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dalembert.algebra.tape import CONSTANT, LOAD
from dalembert.language.curve_code import LLVM, literal
from dalembert.language.functions import OPERATIONS, operation, sources
from dalembert.native.loops import SLOT, Bases, Fill, Loop, Sweep, write_fill, write_sweep, write_table
from dalembert.native.routine import Chunk, Routine, cut, whole

_BINARY = {"+": "fadd contract", "-": "fsub contract", "*": "fmul contract"}
_EXACT = {name: instruction.removesuffix(" contract") for name, instruction in _BINARY.items()}
_SIGNATURE = "(ptr noalias %out, ptr noalias readonly %in, ptr noalias %work)"
_ARGUMENTS = "(ptr %out, ptr %in, ptr %work)"


@dataclass(frozen=True)
class Repeat:
    """Routines to call some times over, but only until a place of the workspace becomes positive."""

    calls: tuple[str, ...]
    times: int
    array: str
    index: int


@dataclass(frozen=True)
class Kernel:
    """Routines to call, in this order, and the numbers of doubles that go in and come out."""

    name: str
    calls: tuple[str | Repeat, ...]
    inputs: int
    outputs: int


@dataclass(frozen=True)
class Layout:
    """Where each array begins in the workspace, and how large that is."""

    offsets: Mapping[str, int]
    size: int


@dataclass
class Rolled:
    """What runs in loops: their routines and tables, sweeps over them, arrays to fill, and the sizes of arrays."""

    loops: list[Loop] = field(default_factory=list)
    sweeps: list[Sweep] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)


def lay_out(
    routines: Iterable[Routine], pieces: Mapping[str, list[Chunk]], known: Mapping[str, int] | None = None
) -> Layout:
    """Give every array of the workspace its place; the sizes of some may be known before."""
    sizes: dict[str, int] = dict(known or {})
    for routine in routines:
        places = [node[1:] for node in routine.tape.nodes if node[0] == LOAD] + list(routine.stores)
        for array, index in places:
            sizes[array] = max(sizes.get(array, 0), index + 1)
        spilled = sum(len(chunk.spilled) for chunk in pieces[routine.name])
        sizes["spill"] = max(sizes.get("spill", 0), spilled)
    offsets, size = {}, 0
    for array in sorted(sizes):
        if array not in ("in", "out"):
            offsets[array] = size
            size += sizes[array]
    return Layout(offsets, size)


def to_llvm(
    routines: Sequence[Routine], kernels: Iterable[Kernel], rolled: Rolled | None = None, exact: bool = False
) -> tuple[str, Layout]:
    """Write a module of all routines and kernels, and say how its workspace is laid out.

    exact: nothing is contracted.
    """
    rolled = rolled or Rolled()
    pieces = {routine.name: cut(routine) for routine in routines}
    layout = lay_out(routines, pieces, rolled.sizes)
    used = {node[0] for routine in [*routines, *(loop.routine for loop in rolled.loops)] for node in routine.tape.nodes}
    lines = [*_declared(), *sources(used, LLVM), "attributes #0 = { nounwind willreturn memory(none) }", "!0 = !{}"]
    for routine in routines:
        for k, chunk in enumerate(pieces[routine.name]):
            lines += _function(f"{routine.name}.{k}", routine, chunk, layout, binary=_EXACT if exact else _BINARY)
    lines += _rolled(rolled, layout)
    pieces |= {part.name: [Chunk()] for part in (*rolled.sweeps, *rolled.fills)}
    for kernel in kernels:
        lines += [f"define void @{kernel.name}{_SIGNATURE} {{"]
        for number, call in enumerate(kernel.calls):
            if isinstance(call, Repeat):
                lines += _repeated(call, f"r{number}", pieces, layout)
            else:
                lines += _calls(call, pieces)
        lines += ["  ret void", "}", *_loop(kernel)]
    return "\n".join(lines) + "\n", layout


def _calls(name: str, pieces: Mapping[str, list[Chunk]]) -> list[str]:
    return [f'  call void @"{name}.{k}"{_ARGUMENTS}' for k in range(len(pieces[name]))]


def _repeated(repeat: Repeat, label: str, pieces: Mapping[str, list[Chunk]], layout: Layout) -> list[str]:
    lines = []
    for turn in range(repeat.times):
        for name in repeat.calls:
            lines += _calls(name, pieces)
        mark = f"{label}.{turn}"
        lines += [
            f"  %{mark}.p = getelementptr double, ptr %work, i64 {layout.offsets[repeat.array] + repeat.index}",
            f"  %{mark}.v = load double, ptr %{mark}.p, align 8",
            f"  %{mark}.c = fcmp ogt double %{mark}.v, 0.0",
            f"  br i1 %{mark}.c, label %{label}.end, label %{mark}.next",
            f"{mark}.next:",
        ]
    return [*lines, f"  br label %{label}.end", f"{label}.end:"]


def _declared() -> list[str]:
    """Declare what is called of LLVM and of the C library; that has no effects but its value."""
    rows = [row for row in OPERATIONS.values() if row.llvm]
    return [
        f"declare double @{row.llvm}({_doubles(row.arguments[0])}){'' if row.llvm.startswith('llvm.') else ' #0'}"
        for row in rows
    ]


def _doubles(count: int) -> str:
    return ", ".join(["double"] * count)


def _rolled(rolled: Rolled, layout: Layout) -> list[str]:
    lines = [
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    ]
    widths = {}
    for loop in rolled.loops:
        chunk = whole(loop.routine)
        bases = loop.bases(layout)
        lines += [write_table(loop.name, bases), *_function(f"{loop.name}.body", loop.routine, chunk, layout, bases)]
        widths[loop.name] = len(bases.pointers)
    for sweep in rolled.sweeps:
        lines += write_sweep(sweep, widths)
    for fill in rolled.fills:
        lines += write_fill(fill, layout)
    return lines


def _function(
    name: str,
    routine: Routine,
    chunk: Chunk,
    layout: Layout,
    bases: Bases | None = None,
    binary: Mapping[str, str] = _BINARY,
) -> list[str]:
    nodes = routine.tape.nodes
    signature = _SIGNATURE if bases is None else _SIGNATURE[:-1] + ", ptr noalias readonly %row)"
    lines = [f'define internal void @"{name}"{signature} noinline {{']
    for k, pointer in enumerate(bases.pointers if bases else ()):
        lines += [
            f"  %ba{k} = getelementptr i32, ptr %row, i64 {k}",
            f"  %bi{k} = load i32, ptr %ba{k}, align 4, !invariant.load !0",
            f"  %b{k} = getelementptr double, ptr %{pointer}, i32 %bi{k}",
        ]
    values: dict[int, str] = {}
    written = {array for array, _ in routine.stores}
    pending: dict[int, list[tuple[str, int]]] = {}
    for array, index, number in chunk.stores:
        pending.setdefault(number, []).append((array, index))
    for number, place in chunk.spilled.items():
        pending.setdefault(number, []).append(("spill", place))

    def address(array: str, index: int) -> str:
        if array == SLOT and bases is not None:
            number, offset = bases.slots[index]
            base = f"%b{number}"
        else:
            base, offset = (f"%{array}", index) if array in ("in", "out") else ("%work", layout.offsets[array] + index)
        pointer = f"%p{len(lines)}"
        lines.append(f"  {pointer} = getelementptr double, ptr {base}, i64 {offset}")
        return pointer

    def fetch(number: int, array: str, index: int) -> str:
        pointer = address(array, index)
        kept = "" if array in written else ", !invariant.load !0"  # saves the compiler from comparing addresses
        lines.append(f"  %v{number} = load double, ptr {pointer}, align 8{kept}")
        return f"%v{number}"

    def value(number: int) -> str:
        text = values.get(number)
        if text is None:
            node = nodes[number]
            if number in chunk.fetched:
                text = fetch(number, "spill", chunk.fetched[number])
            elif node[0] == CONSTANT:
                text = literal(node[1])
            else:
                text = fetch(number, *node[1:])
            values[number] = text
        return text

    loads = {node[1:]: number for number, node in enumerate(nodes) if node[0] == LOAD} if bases else {}

    def write(number: int) -> None:
        for array, index in pending.pop(number):
            if (old := loads.get((array, index))) is not None:
                value(old)  # read before it is overwritten
            text = value(number)
            lines.append(f"  store double {text}, ptr {address(array, index)}, align 8")

    for number in chunk.lines:
        node = nodes[number]
        if simple := binary.get(node[0]):
            a, b = value(node[1]), value(node[2])
            lines.append(f"  %v{number} = {simple} double {a}, {b}")
            values[number] = f"%v{number}"
        elif node[0] != LOAD:
            lines += _operation(f"%v{number}", node[0], [value(k) for k in node[1:]])
            values[number] = f"%v{number}"
        else:
            value(number)
        if number in pending:
            write(number)
    for number in list(pending):
        write(number)
    return [*lines, "  ret void", "}"]


def _operation(to: str, name: str, args: list[str]) -> list[str]:
    if name == "neg":
        return [f"  {to} = fneg double {args[0]}"]
    if name == "inverse":
        return [f"  {to} = fdiv double 1.0, {args[0]}"]
    function = operation(name)
    if function.instructions is not None:
        return function.instructions(to, *args)
    return [f"  {to} = call double @{function.llvm}({', '.join(f'double {arg}' for arg in args)})"]


def _loop(kernel: Kernel) -> list[str]:
    """Write the loop over many states, one row of inputs and of outputs after the other."""
    return [
        f"define void @{kernel.name}.loop(ptr %out, ptr %in, ptr %work, i64 %count) {{",
        "start:",
        "  %any = icmp sgt i64 %count, 0",
        "  br i1 %any, label %body, label %end",
        "body:",
        "  %i = phi i64 [0, %start], [%next, %body]",
        f"  %a = mul i64 %i, {kernel.inputs}",
        f"  %b = mul i64 %i, {kernel.outputs}",
        "  %from = getelementptr double, ptr %in, i64 %a",
        "  %to = getelementptr double, ptr %out, i64 %b",
        f"  call void @{kernel.name}(ptr %to, ptr %from, ptr %work)",
        "  %next = add i64 %i, 1",
        "  %more = icmp slt i64 %next, %count",
        "  br i1 %more, label %body, label %end",
        "end:",
        "  ret void",
        "}",
    ]
