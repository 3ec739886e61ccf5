"""Loops over instances: one routine for a kind of element or of elimination step, and a table of its places.

In the tape of such a routine, ("slot", k) stands for a place that the table gives for each instance; the array in which
it lies is the same for all. A *sweep* runs instances of one or several loops in a given order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.algebra.tape import Node
from dalembert.arrays import Array
from dalembert.native.routine import Routine

if TYPE_CHECKING:
    from dalembert.native.codegen import Layout

SLOT = "slot"
_SIGNATURE = "(ptr noalias %out, ptr noalias readonly %in, ptr noalias %work)"
_ESCAPES = [f"\\{byte:02X}" for byte in range(256)]
_FEW = 24  # runs of equal instances that are written out one after the other


@dataclass
class Loop:
    """A routine whose slots are looked up: the array and the local name of each, and one row of places per instance."""

    routine: Routine
    slots: dict[tuple[str, Any], int] = field(default_factory=dict)
    rows: list[Sequence[int]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the routine."""
        return self.routine.name

    def load(self, array: str, name: Any) -> Node:
        """Return the node that reads a place, by its local name."""
        return self.routine.tape.load(SLOT, self._slot(array, name))

    def store(self, array: str, name: Any, value: Node | float) -> None:
        """Write to a place."""
        self.routine.stores[SLOT, self._slot(array, name)] = value

    def _slot(self, array: str, name: Any) -> int:
        return self.slots.setdefault((array, name), len(self.slots))

    def add(self, place: Callable[[str, Any], int]) -> tuple[str, int]:
        """Add an instance, for which a place is found by array and local name; return it as a task."""
        self.rows.append([place(array, name) for array, name in self.slots])
        return self.name, len(self.rows) - 1

    def table(self, layout: Layout) -> Array:
        """Return the places of all instances, in units of doubles from `in`, `out` or the workspace."""
        offsets = [layout.offsets.get(array, 0) for array, _ in self.slots]
        return np.array(self.rows, dtype=np.int64).reshape(len(self.rows), len(self.slots)) + np.array(offsets, int)

    def bases(self, layout: Layout) -> Bases:
        """Find slots that are equally far from each other in all instances: only one of them must be looked up."""
        places = self.table(layout)
        first = places[0] if len(places) else np.zeros(len(self.slots), int)
        found: dict[tuple[str, bytes], int] = {}
        columns, slots = [], []
        for k, (array, _) in enumerate(self.slots):
            pointer = array if array in ("in", "out") else "work"
            key = (pointer, (places[:, k] - first[k]).tobytes())
            if key not in found:
                found[key] = len(found)
                columns.append((pointer, k))
            base = found[key]
            slots.append((base, int(first[k] - first[columns[base][1]])))
        return Bases([pointer for pointer, _ in columns], places[:, [k for _, k in columns]], slots)


@dataclass(frozen=True)
class Bases:
    """What an instance looks up: places from which others are a fixed way off.

    pointers: the array of each, `in`, `out` or `work`. table: the places, one row for each instance, in units of
    doubles. slots: of each slot its base, and how far from that it lies.
    """

    pointers: list[str]
    table: Array
    slots: list[tuple[int, int]]


@dataclass(frozen=True)
class Sweep:
    """Instances of loops in order: (name of the loop, number of the instance)."""

    name: str
    tasks: Sequence[tuple[str, int]]

    def runs(self) -> list[tuple[str, int, int]]:
        """Join what follows on each other: (name of the loop, first instance, how many)."""
        found: list[tuple[str, int, int]] = []
        for name, row in self.tasks:
            if found and found[-1][0] == name and found[-1][1] + found[-1][2] == row:
                found[-1] = (name, found[-1][1], found[-1][2] + 1)
            else:
                found.append((name, row, 1))
        return found


@dataclass(frozen=True)
class Fill:
    """Set an array to zero, or copy the beginning of another into it."""

    name: str
    array: str
    start: int
    size: int
    source: str | None = None


def write_sweep(sweep: Sweep, widths: Mapping[str, int]) -> list[str]:
    """Write the function of a sweep: loops, or where they alternate, one loop that branches."""
    runs = sweep.runs()
    head = f'define internal void @"{sweep.name}.0"{_SIGNATURE} noinline {{'
    if len(runs) <= _FEW:
        lines = [head, "start:", "  br label %l0"]
        for k, (name, first, count) in enumerate(runs):
            lines += [
                f"l{k}:",
                f"  br label %b{k}",
                f"b{k}:",
                f"  %i{k} = phi i64 [{first}, %l{k}], [%n{k}, %b{k}]",
                f"  %o{k} = mul i64 %i{k}, {widths[name]}",
                f'  %r{k} = getelementptr i32, ptr @"{name}.table", i64 %o{k}',
                f'  call void @"{name}.body"(ptr %out, ptr %in, ptr %work, ptr %r{k})',
                f"  %n{k} = add i64 %i{k}, 1",
                f"  %c{k} = icmp slt i64 %n{k}, {first + count}",
                f"  br i1 %c{k}, label %b{k}, label %l{k + 1}",
            ]
        return [*lines, f"l{len(runs)}:", "  ret void", "}"]
    names = sorted({name for name, _ in sweep.tasks})
    number = {name: k for k, name in enumerate(names)}
    tasks = ", ".join(f"i32 {number[name]}, i32 {row * widths[name]}" for name, row in sweep.tasks)
    lines = [
        f'@"{sweep.name}.tasks" = internal constant [{2 * len(sweep.tasks)} x i32] [{tasks}]',
        head,
        "start:",
        "  br label %body",
        "body:",
        "  %i = phi i64 [0, %start], [%next, %again]",
        "  %two = mul i64 %i, 2",
        f'  %task = getelementptr i32, ptr @"{sweep.name}.tasks", i64 %two',
        "  %kind = load i32, ptr %task, align 4",
        "  %where = getelementptr i32, ptr %task, i64 1",
        "  %row = load i32, ptr %where, align 4",
        f"  switch i32 %kind, label %k0 [{' '.join(f'i32 {k}, label %k{k}' for k in range(1, len(names)))}]",
    ]
    for k, name in enumerate(names):
        lines += [
            f"k{k}:",
            f'  %p{k} = getelementptr i32, ptr @"{name}.table", i32 %row',
            f'  call void @"{name}.body"(ptr %out, ptr %in, ptr %work, ptr %p{k})',
            "  br label %again",
        ]
    return [
        *lines,
        "again:",
        "  %next = add i64 %i, 1",
        f"  %more = icmp slt i64 %next, {len(sweep.tasks)}",
        "  br i1 %more, label %body, label %end",
        "end:",
        "  ret void",
        "}",
    ]


def write_fill(fill: Fill, layout: Layout) -> list[str]:
    """Write the function that fills an array."""
    lines = [
        f'define internal void @"{fill.name}.0"{_SIGNATURE} noinline {{',
        f"  %to = getelementptr double, ptr %work, i64 {layout.offsets[fill.array] + fill.start}",
    ]
    if fill.source is None:
        lines.append(f"  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 {8 * fill.size}, i1 false)")
    else:
        lines += [
            f"  %from = getelementptr double, ptr %work, i64 {layout.offsets[fill.source]}",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 {8 * fill.size}, i1 false)",
        ]
    return [*lines, "  ret void", "}"]


def write_table(name: str, bases: Bases) -> str:
    """Write the table of a loop."""
    data = bases.table.astype("<i4").tobytes()
    text = "".join(map(_ESCAPES.__getitem__, data))  # LLVM reads one word much faster than many numbers
    return f'@"{name}.table" = internal constant [{len(data)} x i8] c"{text}", align 4'
