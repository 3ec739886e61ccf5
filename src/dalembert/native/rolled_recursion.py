"""The recursion of articulated bodies in loops: inwards with inertias and forces, outwards with accelerations.

A step takes a body and its joint: what they are is folded onto the body before, and the coordinates of the joint are
pivots (`algebra/folding.py`). Steps of the same template, in which the same entries of K are there, share their code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from dalembert.algebra import quasidefinite
from dalembert.algebra.folding import fold
from dalembert.model.mechanism.outward import BEFORE, OWN, Carried, Template
from dalembert.native.codegen import Repeat
from dalembert.native.loops import Loop
from dalembert.native.solver import ENOUGH, REFINEMENTS, Condition, Scalar

if TYPE_CHECKING:
    from dalembert.native.rolled_tree import RolledTree

Pair = tuple[int, int]


@dataclass
class _Fold:
    """A kind of step: its loops, and which entries of what it is folded onto it fills."""

    factor: Loop
    forward: Loop | None  # none where forces go along with inertias
    backward: Loop
    filled: set[Pair] = field(default_factory=set)


class Recursion:
    """Makes the sweeps of a tree: `factor`, `forward`, `backward`.

    together: forces go inwards with the inertias. out: accelerations are given out at once.
    """

    def __init__(self, builder: RolledTree, together: bool):
        self.builder, self.together = builder, together
        self._steps: dict[tuple, _Fold] = {}
        self._tasks: dict[str, list[tuple[str, int]]] = {"factor": [], "forward": [], "backward": []}
        self._present = [set(entries) for entries in builder.present]
        self._columns = max(len(body.template.columns) for body in builder.bodies)
        self._joint = max((len(joint) for joint in builder.joints), default=0)

    def sweeps(self) -> None:
        """Go through the tree, and add its sweeps."""
        builder, count = self.builder, len(self.builder.bodies)
        for number in reversed(range(count)):
            body, joint = builder.bodies[number], count + number
            before = self._before(number, body)
            parts = (self._present[number], self._present[joint], before)
            key = (id(body.template), *map(frozenset, parts))
            if key not in self._steps:
                self._steps[key] = self._body_step(body.template, *key[1:])
            step = self._steps[key]
            before |= step.filled
            self._task(step, lambda array, key, n=number, b=body: self._body_place(array, key, n, b))
        for group in range(2 * count, len(builder.groups)):
            own = builder.groups[group]
            key = (len(own), frozenset(self._present[group]))
            if key not in self._steps:
                self._steps[key] = self._free_step(*key)
            self._task(self._steps[key], lambda array, key, own=own: self._free_place(array, key, own))
        self._tasks["backward"].reverse()
        for name, tasks in self._tasks.items():
            if tasks:
                builder.sweep(name, tasks)
        builder.rolled.sizes |= {"inverse": builder.n, "condition": 3}
        builder.rolled.sizes |= {"L": max(1, builder.n * (self._columns + self._joint))}

    def _before(self, number: int, body: Carried) -> set[Pair]:
        """Return which entries are there of what a body is folded onto: a body that is carried, or a free one."""
        builder = self.builder
        if body.before in builder.number:
            return self._present[builder.number[body.before]]
        free = [name for name in body.template.columns if BEFORE in name]
        return self._present[builder.home[builder.row_place(free[0], number, body)][0]] if free else set()

    def _task(self, step: _Fold, place) -> None:
        for name, loop in (("factor", step.factor), ("forward", step.forward), ("backward", step.backward)):
            if loop is not None:
                self._tasks[name].append(loop.add(place))

    # --- a body ------------------------------------------------------------------------------------------------------

    def _body_step(
        self, template: Template, own: frozenset[Pair], joint: frozenset[Pair], there: frozenset[Pair]
    ) -> _Fold:
        """Make the loops of a kind of step; unknowns are called by their local names."""
        builder = self.builder
        step = _Fold(
            builder.loop("factor"), None if self.together else builder.loop("forward"), builder.loop("backward")
        )
        loop = step.factor
        call = loop.routine.tape.call
        rows, columns = template.rows, template.columns
        pivots = [name for name in columns if name.startswith("joint ")]
        before = [name for name in columns if name not in pivots]
        number = {name: k for k, name in enumerate((*rows, *pivots, *before))}
        matrix: dict[int, dict[int, Scalar]] = {k: {} for k in number.values()}
        for names, entries in ((rows, own), (pivots, joint)):
            for a, b in sorted(entries):
                i, j = number[names[a]], number[names[b]]
                matrix[i][j] = matrix[j][i] = loop.load("K", (names[a], names[b]))
        links = [{number[row]: [] for row in link.rows} for link in template.links]
        for link, local in zip(template.links, links, strict=True):
            for row, column in link.slopes:
                local[number[row]].append(number[column])
        terms: dict[int, Scalar] = {}
        slopes = self._slopes(loop, template, number)
        for link in reversed(links):
            fold(matrix, link, slopes, terms, call)
        condition = Condition(call, *loop.routine.loads("condition", 3))

        def invert(k: int, pivot: Scalar, size: Scalar) -> Scalar:
            condition.mass(pivot, size)
            return 1.0 / pivot

        factors = quasidefinite.ProximalFactors([number[name] for name in pivots])
        remaining = set(matrix)
        for k in factors.order:
            remaining.discard(k)
            factors.inverses[k], factors.columns[k] = quasidefinite.eliminate(
                k, matrix, {}, remaining, lambda i: False, terms.get(k, matrix[k].get(k, 0.0)),
                loop.routine.tape, invert, 0.0,
            )  # fmt: skip
        names = {k: name for name, k in number.items()}
        for k, column in factors.columns.items():
            loop.store("inverse", names[k], factors.inverses[k])
            for i, value in column.items():
                loop.store("L", (names[k], names[i]), value)
        for a, one in enumerate(before):
            for other in before[: a + 1]:
                value = matrix[number[one]].get(number[other], 0.0)
                if not isinstance(value, float) or value != 0:
                    place = self._filled(template, one, other)
                    step.filled.add(place)
                    loop.store("K", (one, other), loop.load("K", (one, other)) + value if place in there else value)
        loop.routine.store("condition", [condition.rank, condition.largest, condition.least])
        known = {k: dict(column) for k, column in factors.columns.items()}
        if step.forward is None:
            self._forward(loop, links, slopes, known, names)
        else:
            kept = {k: {i: step.forward.load("L", (names[k], names[i])) for i in column} for k, column in known.items()}
            self._forward(step.forward, links, self._slopes(step.forward, template, number), kept, names)
        self._backward(step.backward, template, links, {k: list(column) for k, column in known.items()}, number)
        return step

    def _filled(self, template: Template, one: str, other: str) -> Pair:
        """Return an entry of what a body is folded onto in numbers of its group."""
        if template.follows:
            order = [row.replace(OWN, BEFORE) for row in template.rows]
        else:
            order = [name for name in template.columns if not name.startswith("joint ")]
        a, b = order.index(one), order.index(other)
        return (a, b) if a >= b else (b, a)

    def _slopes(self, loop: Loop, template: Template, number: dict[str, int]) -> dict[int, dict[int, Scalar]]:
        found: dict[int, dict[int, Scalar]] = {number[row]: {} for row in template.rows}
        for (row, column), slope in self.builder.slopes[id(template)].items():
            value: Scalar = slope if not isinstance(slope, tuple) else loop.load("slope", slope[0]) * slope[1]
            found[number[row]][number[column]] = value
        return found

    @staticmethod
    def _forward(loop: Loop, links: list, slopes: dict, columns: dict, names: dict[int, str]) -> None:
        """Let a loop carry forces inwards."""
        y: dict[int, Scalar] = {}

        def force(k: int) -> Scalar:
            if k not in y:
                y[k] = loop.load("y", names[k])
            return y[k]

        changed: set[int] = set()
        for link in reversed(links):
            for row, some in link.items():
                for column in some:
                    y[column] = force(column) + slopes[row][column] * force(row)
                    changed.add(column)
        for k, column in columns.items():
            for i, factor in column.items():
                y[i] = force(i) - factor * force(k)
                changed.add(i)
        own = {row for link in links for row in link}
        for k in sorted(changed - own):
            loop.store("y", names[k], y[k])

    def _backward(self, loop: Loop, template: Template, links: list, columns: dict, number: dict[str, int]) -> None:
        """Let a loop carry accelerations outwards."""
        names = {k: name for name, k in number.items()}
        slopes = self._slopes(loop, template, number)
        x: dict[int, Scalar] = {}

        def value(k: int) -> Scalar:
            return x[k] if k in x else loop.load("y", names[k])

        for k in reversed(list(columns)):
            total = loop.load("y", names[k]) * loop.load("inverse", names[k])
            for i in columns[k]:
                total = total - loop.load("L", (names[k], names[i])) * value(i)
            x[k] = total
            loop.store("y", names[k], total)
            if self.together:
                loop.store("out", names[k], total)
        for link in links:
            for row, some in link.items():
                total: Scalar = 0.0
                for column in some:
                    total = total + slopes[row][column] * value(column)
                x[row] = total
                loop.store("y", names[row], total)

    def _body_place(self, array: str, key, number: int, body: Carried) -> int:
        builder = self.builder
        if array == "K":
            return builder.entry_place(*(builder.row_place(name, number, body) for name in key))
        if array == "L":
            pivot, other = key
            first = builder.row_place(pivot, number, body) * (self._columns + self._joint)
            return first + body.template.columns.index(other)
        if array == "slope":
            return number * builder.most + key
        return builder.row_place(key, number, body)

    # --- a free body -------------------------------------------------------------------------------------------------

    def _free_step(self, size: int, present: frozenset[Pair]) -> _Fold:
        """Make the loops that solve for what nothing carries."""
        builder = self.builder
        step = _Fold(
            builder.loop("factor"), None if self.together else builder.loop("forward"), builder.loop("backward")
        )
        loop = step.factor
        condition = Condition(loop.routine.tape.call, *loop.routine.loads("condition", 3))
        matrix: dict[int, dict[int, Scalar]] = {k: {} for k in range(size)}
        for a, b in sorted(present):
            matrix[a][b] = matrix[b][a] = loop.load("K", (a, b))

        def invert(k: int, pivot: Scalar, size: Scalar) -> Scalar:
            condition.mass(pivot, size)
            return 1.0 / pivot

        remaining, columns = set(matrix), dict[int, dict[int, Scalar]]()
        for k in range(size):
            remaining.discard(k)
            diagonal = loop.load("K", (k, k)) if (k, k) in present else 0.0
            inverse, columns[k] = quasidefinite.eliminate(
                k, matrix, {}, remaining, lambda i: False, diagonal, loop.routine.tape, invert, 0.0
            )
            loop.store("inverse", k, inverse)
            for i, value in columns[k].items():
                loop.store("L", (k, i), value)
        loop.routine.store("condition", [condition.rank, condition.largest, condition.least])
        inwards, kept = loop, columns
        if step.forward is not None:
            inwards = step.forward
            kept = {k: {i: inwards.load("L", (k, i)) for i in column} for k, column in columns.items()}
        y: dict[int, Scalar] = {}
        for k in range(size):
            y[k] = y.get(k, inwards.load("y", k))
            for i, factor in kept[k].items():
                y[i] = y.get(i, inwards.load("y", i)) - factor * y[k]
        for k, value in y.items():
            inwards.store("y", k, value)
        x: dict[int, Scalar] = {}
        for k in reversed(range(size)):
            total = step.backward.load("y", k) * step.backward.load("inverse", k)
            for i in columns[k]:
                total = total - step.backward.load("L", (k, i)) * x[i]
            x[k] = total
            step.backward.store("y", k, total)
            if self.together:
                step.backward.store("out", k, total)
        return step

    def _free_place(self, array: str, key, own: list[int]) -> int:
        if array == "K":
            return self.builder.entry_place(own[key[0]], own[key[1]])
        if array == "L":
            return own[key[0]] * (self._columns + self._joint) + key[1]
        return own[key]


class TreeSolver:
    """Solves for the accelerations of a tree, once or until nothing changes any more."""

    def __init__(self, builder: RolledTree):
        self.builder = builder

    def _conditions(self) -> None:
        builder = self.builder
        builder.routine("condition.begin", condition=[0.0, 1.0, 1.0])
        end = builder.routine("condition.end")
        rank, largest, least = end.loads("condition", 3)
        end.store("out", [rank, 1.0 / largest, end.tape.call("if_lt", 0.0, least, 1.0, 0.0)], builder.n)

    def solved(self) -> list[str]:
        """Return the calls that solve once, and give the accelerations and the condition of the matrix out."""
        self._conditions()
        Recursion(self.builder, together=True).sweeps()
        return ["condition.begin", "factor", "backward", "condition.end"]

    def refined(self) -> list[str | Repeat]:
        """Return the calls that solve, refine with what is left of the forces on bodies, and give out the same."""
        builder, size = self.builder, self.builder.rows
        self._conditions()
        Recursion(builder, together=False).sweeps()
        builder.rolled.sizes |= {"M": builder.starts[-1], "right": size, "x": size, "measure": 1}
        begin = [
            builder.fill("begin.M", "M", builder.starts[-1], source="K"),
            builder.fill("begin.right", "right", size, source="y"),
            builder.fill("begin.x", "x", size),
            builder.routine("begin.progress", progress=[-1.0, 1.0, 0.0]).name,
        ]
        solve = ["forward", "backward", builder.fill("solve.zero", "measure", 1), self._moved, self._progress]
        again = Repeat((self._left, *solve), REFINEMENTS, "progress", 2)
        return [*begin, "condition.begin", "factor", *solve, again, self._given, "condition.end"]

    def _over_groups(self, name: str, fill) -> str:
        """Make a sweep over bodies, joints and free bodies, by which entries of M they have."""
        builder = self.builder
        loops: dict[tuple, Loop] = {}
        tasks = []
        for group, entries in zip(builder.groups, builder.present, strict=True):
            key = len(group), frozenset(entries)
            if key not in loops:
                loops[key] = builder.loop(name)
                fill(loops[key], len(group), sorted(entries))

            def place(array: str, key, own=group) -> int:
                return builder.entry_place(own[key[0]], own[key[1]]) if array == "M" else own[key]

            if loops[key].routine.stores:
                tasks.append(loops[key].add(place))
        builder.rolled.loops = [loop for loop in builder.rolled.loops if loop.rows or loop.routine.stores]
        return builder.sweep(name, tasks)

    @cached_property
    def _moved(self) -> str:
        """The call x += y, and the measure of y."""

        def fill(loop: Loop, size: int, entries: list[Pair]) -> None:
            measure: Scalar = loop.routine.tape.load("measure", 0)
            for a in range(size):
                y = loop.load("y", a)
                loop.store("x", a, loop.load("x", a) + y)
                if (a, a) in entries:
                    measure = measure + loop.load("M", (a, a)) * (y * y)
            loop.routine.store("measure", [measure])

        return self._over_groups("move", fill)

    @cached_property
    def _left(self) -> str:
        """The call y = right − M x, on every body."""

        def fill(loop: Loop, size: int, entries: list[Pair]) -> None:
            r: dict[int, Scalar] = {a: loop.load("right", a) for a in range(size)}
            for a, b in entries:
                value = loop.load("M", (a, b))
                r[a] = r[a] - value * loop.load("x", b)
                if a != b:
                    r[b] = r[b] - value * loop.load("x", a)
            for a, total in r.items():
                loop.store("y", a, total)

        return self._over_groups("refine", fill)

    @cached_property
    def _progress(self) -> str:
        end = self.builder.routine("solve.end")
        first, last = end.loads("progress", 2)
        measure, call = end.tape.load("measure", 0), end.tape.call
        done = call("if_le", measure * measure, ENOUGH * (first * last), 1.0, 0.0)
        end.store("progress", [call("if_lt", first, 0.0, measure, first), measure, done])
        return end.name

    @cached_property
    def _given(self) -> str:
        """The call that gives the accelerations of the coordinates out."""
        loop = self.builder.loop("give")
        loop.store("out", 0, loop.load("x", 0))
        return self.builder.sweep("give", [loop.add(lambda array, key, i=i: i) for i in range(self.builder.n)])
