"""What is done in loops with the matrix of a large system: solutions with refinement, products, what is given out.

The arrays are those of `solver.py`, with the filled matrix K (entries of the matrix in front) and the solution of one
solve, y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.native.codegen import Repeat
from dalembert.native.fronts import Fronts, Place, mass_place
from dalembert.native.loops import Loop
from dalembert.native.solver import ENOUGH, REFINEMENTS, Scalar

if TYPE_CHECKING:
    from dalembert.native.rolled import RolledBuilder


@dataclass(frozen=True)
class Factored:
    """The calls that factorise the matrix, and those that then solve for y."""

    calls: list[str]
    solve: list[str]


class RolledSolver:
    """Solves and multiplies with the matrix of a builder."""

    def __init__(self, builder: RolledBuilder):
        self.builder, self.n, self.s = builder, builder.n, builder.s

    @cached_property
    def pattern(self) -> dict[Place, int]:
        """The numbers of the entries of A."""
        places = [(i - self.n, j) for i, j in self.builder.entry if i >= self.n]
        return {place: k for k, place in enumerate(places)}

    # --- solutions ---------------------------------------------------------------------------------------------------

    def solved(self) -> list[str]:
        """Return the calls that solve once for y, without ε: substitution goes along with elimination."""
        factored = self.factor(0.0, together=True)
        return [self.builder.fill("begin", "y", self.n + self.s, source="right"), *factored.calls, *factored.solve]

    def factor(self, epsilon: float | None, together: bool = False) -> Factored:
        """Make what factorises the matrix; without ε, it is an input behind the others.

        together: the right side, y, is changed with the matrix, so that a solution only goes back.
        """
        builder = self.builder
        fronts = Fronts(builder, together)
        fronts.eliminate(epsilon)
        size = builder.n + builder.s
        entries = len(builder.entry)
        builder.routine("condition.begin", condition=[0.0, 1.0, 1.0])
        end = builder.routine("condition.end")
        rank, largest, least = end.loads("condition", 3)
        end.store("condition", [rank, 1.0 / largest, end.tape.call("if_lt", 0.0, least, 1.0, 0.0)])
        copy: list[str] = []
        if fronts.array == "K":
            copy.append(builder.fill("K.copy", "K", entries, source="matrix"))
            copy.append(builder.fill("K.zero", "K", len(fronts.K) - entries, entries))
        factor = [
            *copy,
            builder.fill("sizes.zero", "sizes", size),
            "condition.begin",
            "factor",
            "condition.end",
        ]
        sizes = dict.fromkeys(("right", "r", "x", "y", "inverse", "sizes"), size)
        sizes |= {"matrix": entries, fronts.array: len(fronts.K), "condition": 3, "energy": 5, "measure": 1}
        builder.rolled.sizes |= sizes | {"offset": len(builder.elements.offsets)}
        return Factored(factor, ["backward"] if together else ["forward", "backward"])

    def solution(self, factored: Factored) -> list[str | Repeat]:
        """Return the calls that solve for x, and refine until nothing changes any more."""
        builder, size = self.builder, self.n + self.s
        begin = [
            builder.fill("begin.r", "r", size, source="right"),
            builder.fill("begin.x", "x", size),
            builder.routine("begin.progress", progress=[-1.0, 1.0, 0.0]).name,
        ]
        solve = self._advance(factored)
        return [*factored.calls, *begin, *solve, Repeat((*self._refine(), *solve), REFINEMENTS, "progress", 2)]

    def _advance(self, factored: Factored) -> list[str]:
        """Return the calls y = r, y = K⁻¹ y, x += y, and the measure of progress."""

        def move(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            measure: Scalar = loop.routine.tape.load("measure", 0)
            for a in range(count):
                y = loop.load("y", a)
                loop.store("x", a, loop.load("x", a) + y)
                if (a, a) in entries:
                    measure = measure + loop.load("matrix", (a, a)) * (y * y)
            loop.routine.store("measure", [measure])

        end = self.builder.routine("solve.end")
        first, last = end.loads("progress", 2)
        measure = end.tape.load("measure", 0)
        call = end.tape.call
        done = call("if_le", measure * measure, ENOUGH * (first * last), 1.0, 0.0)
        end.store("progress", [call("if_lt", first, 0.0, measure, first), measure, done])
        copy = self.builder.fill("solve.begin", "y", self.n + self.s, source="r")
        return [
            copy,
            *factored.solve,
            self.builder.fill("solve.zero", "measure", 1),
            self.over_groups("move", move),
            end.name,
        ]

    def _refine(self) -> list[str]:
        """Return the calls r = right − [[M, Aᵀ], [A, 0]] x."""

        def bodies(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            r: dict[int, Scalar] = {a: loop.load("right" if a < count else "r", a) for a in _touched(entries, count)}
            for a, b in entries:
                value = loop.load("matrix", (a, b))
                r[a] = r[a] - value * loop.load("x", b)
                if a != b:
                    r[b] = r[b] - value * loop.load("x", a)
            for a, total in r.items():
                loop.store("r", a, total)

        return [self.over_groups("refine", bodies)]

    # --- products with the matrix, and what is given out -------------------------------------------------------------

    def over_groups(self, name: str, fill: Callable[[Loop, list[Place], int, bool], None]) -> str:
        """Make a sweep over bodies and rows of elements: loops get the entries in local numbers, how many own unknowns.

        Entries of a body are those of M; of the rows of an element those of A, its coordinates behind the rows.
        """
        kinds: dict[tuple, Loop] = {}
        tasks = []
        for own, others, entries in self._groups():
            is_rows = own[0] >= self.n
            front = [*own, *others]
            key = (len(own), is_rows, tuple(entries))
            if key not in kinds:
                kinds[key] = self.builder.loop(name)
                fill(kinds[key], entries, len(own), is_rows)
            if kinds[key].routine.stores:
                tasks.append(kinds[key].add(lambda array, key, front=front: self._group_place(array, key, front)))
        self.builder.rolled.loops = [loop for loop in self.builder.rolled.loops if loop.rows or loop.routine.stores]
        return self.builder.sweep(name, tasks)

    def _groups(self) -> Iterable[tuple[list[int], list[int], list[Place]]]:
        for body in self.builder.elements.bodies:
            pairs = [(a, b) for a in range(len(body)) for b in range(a + 1)]
            entries = [(a, b) for a, b in pairs if (body[a], body[b]) in self.builder.entry]
            yield list(body), [], entries
        for kind, blocks in zip(self.builder.elements.kinds, self.builder.blocks, strict=True):
            count = kind.rows.shape[1]
            for coordinates, rows in zip(kind.coordinates.tolist(), kind.rows.tolist(), strict=True):
                if rows:
                    yield [self.n + row for row in rows], coordinates, [(i, count + j) for i, j in blocks.A]

    def _group_place(self, array: str, key: Any, front: list[int]) -> int:
        if array == "matrix":
            return self.builder.entry[mass_place(front[key[0]], front[key[1]])]
        if array == "out" and isinstance(key, tuple):  # an entry of the reactions, or a power
            kind, *rest = key
            first = self.n + self.s + 3
            if kind == "entry":
                return first + self.pattern[front[rest[0]] - self.n, front[rest[1]]]
            return first + len(self.pattern) + front[rest[0]] - self.n
        if array == "in":
            return 1 + self.n + front[key]
        return front[key]

    def finish(self, source: str = "x") -> list[str]:
        """Return the calls that give out q̈, λ and the condition of the matrix."""

        def give(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            for a in range(count):
                x = loop.load(source, a)
                loop.store("out", a, -x if is_rows else x)

        return [self.over_groups("finish", give), self._condition("finish.condition")]

    def step(self) -> list[str]:
        """Return the calls that give out the correction of a projection and, behind the residuals, the condition."""

        def give(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            if not is_rows:
                for a in range(count):
                    loop.store("out", a, loop.load("x", a))

        return [self.over_groups("step", give), self._condition("step.condition")]

    def _condition(self, name: str) -> str:
        routine = self.builder.routine(name)
        routine.store("out", routine.loads("condition", 3), self.n + self.s)
        return name

    def reactions(self) -> list[str]:
        """Return the calls that give out, behind `finish`, Aᵢⱼ λᵢ entry by entry, and the powers λᵢ Aᵢ v."""

        def give(loop: Loop, entries: list[Place], count: int, is_rows: bool) -> None:
            if not is_rows:
                return
            powers: dict[int, Scalar] = dict.fromkeys(range(count), 0.0)
            for i, j in entries:
                part = -(loop.load("matrix", (i, j)) * loop.load("x", i))
                loop.store("out", ("entry", i, j), part)
                powers[i] = powers[i] + part * loop.load("in", j)
            for i, power in powers.items():
                loop.store("out", ("power", i), power)

        return [self.over_groups("reactions", give)]


def _touched(entries: list[Place], count: int) -> list[int]:
    return sorted({*range(count), *(b for _, b in entries)})
