"""Elimination in loops: body by body and joint by joint, steps of the same shape with one function.

A step takes out the unknowns of one group, the *pivots*, and changes the rows of their neighbours; together they are
its *front*. Its shape is which entries of the front are there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dalembert.algebra import quasidefinite
from dalembert.native.loops import Loop
from dalembert.native.solver import Condition, Scalar

if TYPE_CHECKING:
    from dalembert.native.rolled import RolledBuilder

Place = tuple[int, int]


def mass_place(i: int, j: int) -> Place:
    """Return the place of an entry of a symmetric matrix in its lower triangle."""
    return (i, j) if i >= j else (j, i)


@dataclass
class _Step:
    """A kind of elimination step: its loops, the columns of L by pivot, and the pairs of neighbours that are filled."""

    factor: Loop
    forward: Loop | None  # none where that goes along with the factorisation
    backward: Loop
    columns: dict[int, list[int]] = field(default_factory=dict)
    filled: list[Place] = field(default_factory=list)
    sized: list[int] = field(default_factory=list)


class Fronts:
    """Goes through the elimination of the matrix of a builder; K are the places of its filled entries."""

    def __init__(self, builder: RolledBuilder, together: bool = False):
        self.builder, self.together = builder, together  # together: the right side is changed with the matrix
        self.array = "matrix" if together and builder.apart else "K"  # what is changed
        self.K = dict(builder.entry)
        self.diagonal: set[int] = set()  # multipliers that have one beside their size
        self.sized: set[int] = set()

    def eliminate(self, epsilon: float | None) -> None:
        """Go through the elimination: its sweeps are `factor`, `forward` and `backward`.

        Without ε, it is an input behind the others.
        """
        groups = [list(body) for body in self.builder.elements.bodies]
        home = {i: k for k, group in enumerate(groups) for i in group}
        for kind in self.builder.elements.kinds:
            for coordinates, rows in zip(kind.coordinates.tolist(), kind.rows.tolist(), strict=True):
                bodies = {home[i] for i in coordinates if i in home}  # some may be no unknowns
                multipliers = [self.builder.n + row for row in rows]
                if len(bodies) == 1:
                    groups[bodies.pop()] += multipliers  # they follow all their coordinates
                elif rows:
                    groups.append(multipliers)
        around: list[set[int]] = [set() for _ in range(self.builder.n + self.builder.s)]
        for i, j in self.builder.entry:
            if i != j:
                around[i].add(j)
                around[j].add(i)
        home = {i: k for k, group in enumerate(groups) for i in group}
        count = len(self.builder.elements.bodies)
        between = {(home[i], home[j]) for i, j in self.builder.entry if home[i] != home[j]}
        widths = [len(group) for group in groups] if self.together else None
        if widths is not None:  # what conditions of its own leave of a body is not known here
            widths[:count] = [0 if group[-1] >= self.builder.n else len(group) for group in groups[:count]]
        order = quasidefinite.elimination_order(between, count, len(groups) - count, widths)
        position = {i: k for k, i in enumerate(i for group in order for i in groups[group])}
        steps: dict[tuple, _Step] = {}
        tasks: dict[str, list[tuple[str, int]]] = {"factor": [], "forward": [], "backward": []}
        for number in order:
            pivots = groups[number]
            neighbours = sorted(set().union(*(around[i] for i in pivots)) - set(pivots), key=position.__getitem__)
            front = [*pivots, *neighbours]
            local = {i: a for a, i in enumerate(front)}
            present = frozenset(
                (a, local[j]) for a, i in enumerate(front) for j in around[i] if j in local and a < local[j]
            )
            flags = tuple((i >= self.builder.n, i in self.diagonal, i in self.sized) for i in front)
            key = (len(pivots), flags, present)
            if key not in steps:
                steps[key] = self._step(len(pivots), flags, present, epsilon)
            step = steps[key]
            for a, b in step.filled:
                i, j = front[a], front[b]
                if i == j:
                    self.diagonal.add(i)
                    self.K.setdefault((i, i), len(self.K))
                else:
                    around[i].add(j)
                    around[j].add(i)
                    self.K.setdefault(mass_place(i, j), len(self.K))
            self.sized.update(front[a] for a in step.sized)
            for i in neighbours:
                around[i].difference_update(pivots)
            for name, loop in (("factor", step.factor), ("forward", step.forward), ("backward", step.backward)):
                if loop is None:
                    continue
                tasks[name].append(loop.add(lambda array, key, front=front: self._front_place(array, key, front)))
        tasks["backward"].reverse()
        for name, order_of_tasks in tasks.items():
            if order_of_tasks:
                self.builder.sweep(name, order_of_tasks)

    def _front_place(self, array: str, key: Any, front: list[int]) -> int:
        if isinstance(key, tuple):
            return self.K[mass_place(front[key[0]], front[key[1]])]
        return self.builder.entry[front[key], front[key]] if array == "matrix" else front[key]

    def _step(self, pivots: int, flags: tuple, present: frozenset[Place], epsilon: float | None) -> _Step:
        """Make the loops of a kind of step, in local numbers: the pivots in front, then their neighbours."""
        forward = None if self.together else self.builder.loop("forward")
        step = _Step(self.builder.loop("factor"), forward, self.builder.loop("backward"))
        loop = step.factor
        routine = loop.routine
        rows: dict[int, dict[int, Scalar]] = {a: {} for a in range(len(flags))}
        for a, b in sorted(present):
            rows[a][b] = rows[b][a] = loop.load(self.array, (a, b))
        for a, (is_multiplier, has_diagonal, _) in enumerate(flags):
            if not is_multiplier or has_diagonal:
                rows[a][a] = loop.load(self.array, (a, a))
        sizes: dict[int, Scalar] = {a: loop.load("sizes", a) for a, flag in enumerate(flags) if flag[2]}
        before = {a: dict(row) for a, row in rows.items()}, dict(sizes)
        condition = Condition(routine.tape.call, *routine.loads("condition", 3))
        part = routine.tape.load("in", self.builder.inputs) if epsilon is None else epsilon

        def invert(k: int, pivot: Scalar, size: Scalar) -> Scalar:
            if flags[k][0]:
                return condition.row(pivot, size)
            condition.mass(pivot, size)
            return 1.0 / pivot

        remaining = set(rows)
        factors = quasidefinite.ProximalFactors(list(range(pivots)))
        for k in range(pivots):
            remaining.discard(k)
            diagonal = 0.0 if flags[k][0] else before[0][k][k] if self.array == "matrix" else loop.load("matrix", k)
            factors.inverses[k], factors.columns[k] = quasidefinite.eliminate(
                k, rows, sizes, remaining, lambda i: flags[i][0], diagonal, routine.tape, invert, part
            )
        for k, column in factors.columns.items():
            step.columns[k] = sorted(column)
            for i, value in column.items():
                loop.store(self.array, self._pair(k, i), value)
            loop.store("inverse", k, factors.inverses[k])
        for a in range(pivots, len(flags)):
            for b, value in rows[a].items():
                if b >= a and value is not before[0][a].get(b):
                    loop.store(self.array, (a, b), value)
                    if b not in before[0][a]:
                        step.filled.append((a, b))
            if a in sizes and sizes[a] is not before[1].get(a):
                loop.store("sizes", a, sizes[a])
                step.sized.append(a)
        step.filled += [(k, i) for k in range(pivots) for i in step.columns[k] if i not in before[0][k]]
        routine.store("condition", [condition.rank, condition.largest, condition.least])
        if forward is None:
            self._forward(loop, step, factors.columns)
        else:
            columns = {
                k: {i: forward.load(self.array, self._pair(k, i)) for i in rows} for k, rows in step.columns.items()
            }
            self._forward(forward, step, columns)
        self._backward(step, pivots)
        return step

    @staticmethod
    def _pair(a: int, b: int) -> Place:
        return (a, b) if a <= b else (b, a)

    @staticmethod
    def _forward(loop: Loop, step: _Step, columns: Mapping[int, Mapping[int, Scalar]]) -> None:
        """Let a loop do forward substitution."""
        y: dict[int, Scalar] = {}
        for k, rows in step.columns.items():
            for i in rows:
                old = y.get(i, loop.load("y", i))
                y[i] = old - columns[k][i] * y.get(k, loop.load("y", k))
        for i, value in y.items():
            loop.store("y", i, value)

    def _backward(self, step: _Step, pivots: int) -> None:
        """Make the loop of backward substitution."""
        loop = step.backward
        y: dict[int, Scalar] = {}
        for k in reversed(range(pivots)):
            total = loop.load("y", k) * loop.load("inverse", k)
            for i in reversed(step.columns[k]):  # what is known first comes first: the next does not wait for it
                total = total - loop.load(self.array, self._pair(k, i)) * y.get(i, loop.load("y", i))
            y[k] = total
        for i, value in y.items():
            loop.store("y", i, value)
