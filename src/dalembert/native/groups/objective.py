"""Newton's steps in directions of which all coordinates have their part: the objective choice of independent ones.

With z = B q kept, q moves only along the rows of A where B was chosen: by W x, W with the right singular vectors of A
that belong to singular values other than zero, in units of the coordinates.
"""

from __future__ import annotations

from dalembert.language.building import Expr
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group, register
from dalembert.native.groups.dependent import DependentBuilder
from dalembert.native.module import Module
from dalembert.native.routine import Routine
from dalembert.native.solver import SOLUTION, Scalar


@register
class Objective(Group):
    """Newton's steps for positions and velocities; W of each stand behind the other inputs, row by row.

    Behind them come units and factors, as those of `Dependent`.
    """

    name = "objective"

    def straight(self, builder: Builder) -> Module:
        """Put them on tapes."""
        other, module = DirectedBuilder(builder), Module()
        module.add(*other.solver.routines)
        inputs = other.behind + other.n + other.s
        for level, (name, right) in enumerate((("positions", "positions"), ("velocities", "rates"))):
            other.level = level
            module.add(other.stage(f"gaps_{name}", right), other.turned(f"step_{name}"))
            module.kernel(f"dependent_{name}", [f"gaps_{name}", *SOLUTION, f"step_{name}"], inputs)
        return module


class DirectedBuilder(DependentBuilder):
    """Solves constraints by moving along W of a level: 0 for positions, 1 for velocities."""

    level = 0

    @property
    def behind(self) -> int:
        """Where units and factors begin."""
        return len(self.inputs) + 2 * self.n**2

    def matrices(self, routine: Routine, changes: dict[Expr, Scalar] | None = None):
        """Return A W with its factors, and ones for M."""
        A = self._given.conditions(routine, changes)
        columns, rows = (
            [routine.tape.load("in", start + k) for k in range(size)]
            for start, size in ((self.behind, self.n), (self.behind + self.n, self.s))
        )
        scaled = {(i, j): value * columns[j] for (i, j), value in A.items()}
        self._measure(routine, scaled)
        W = self._directions(routine)
        found: dict[tuple[int, int], Scalar] = {}
        for (i, j), value in scaled.items():
            for k in range(self.n):
                found[i, k] = found.get((i, k), 0.0) + value * rows[i] * W[j][k]
        return {(j, j): 1.0 for j in range(self.n)}, found, {}

    def _directions(self, routine: Routine) -> list[list[Scalar]]:
        start = len(self.inputs) + self.level * self.n**2
        return [[routine.tape.load("in", start + j * self.n + k) for k in range(self.n)] for j in range(self.n)]

    def turned(self, name: str) -> Routine:
        """Make the routine that gives out the step W x in units of the coordinates, and the condition."""
        routine = Routine(name)
        W, x = self._directions(routine), routine.loads("x", self.n)
        steps: list[Scalar] = [0.0] * self.n
        for j, row in enumerate(W):
            for entry, value in zip(row, x, strict=True):
                steps[j] = steps[j] + entry * value
        routine.store("out", steps)
        routine.store("out", routine.loads("condition", 3), self.n + self.s)
        return routine
