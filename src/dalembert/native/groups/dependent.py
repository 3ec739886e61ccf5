"""Newton's steps that find dependent positions and velocities from the others; and A, to choose them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from dalembert.forms.augment import Added
from dalembert.language.building import Expr
from dalembert.native.builder import Builder, by_lengths
from dalembert.native.groups.base import Group, register
from dalembert.native.module import Module
from dalembert.native.routine import Routine
from dalembert.native.solver import SOLUTION, Scalar


@register
class Dependent(Group):
    """Newton's steps for dependent coordinates, and the entries of A."""

    name = "dependent"

    def straight(self, builder: Builder) -> Module:
        """Put them on tapes."""
        other, module, entries = DependentBuilder(builder), Module(), Routine("entries")
        entries.store("out", builder.conditions(entries).values())
        module.add(entries)
        module.kernel("entries", ["entries"], len(builder.inputs))
        module.facts["pattern"] = list(builder.blocks.A)
        module.add(other.stage("gaps", "positions"), other.stage("rates", "rates"))
        module.add(*other.solver.routines, other.solver.step())
        inputs = len(other.inputs) + other.n + other.s
        module.kernel("dependent_positions", ["gaps", *SOLUTION, "step"], inputs)
        module.kernel("dependent_velocities", ["rates", *SOLUTION, "step"], inputs)
        return module


class DependentBuilder(Builder):
    """Solves constraints for some coordinates and lets the others be.

    Behind the other inputs stand the units of the columns of A, below zero for those that do not depend, and factors of
    its rows, one for those that are asked to hold: the choice is an input too. Steps are in these units.
    """

    def __init__(self, builder: Builder):
        self.system, self.blocks, self.inputs = builder.system, builder.blocks, builder.inputs
        self.n, self.s = builder.n, builder.s
        self._given, self._programs = builder, {}
        self._settle()

    @cached_property
    def added(self) -> Mapping[int, Added]:
        """Nothing: ones are in the place of M."""
        return {}

    @cached_property
    def law(self) -> None:
        """None: no forces act."""
        return None

    def matrices(self, routine: Routine, changes: dict[Expr, Scalar] | None = None):
        """Return A with its factors, and ones for M: as many rows as columns that depend have one solution."""
        A = self._given.conditions(routine, changes)
        columns, rows = (
            [routine.tape.load("in", start + k) for k in range(size)]
            for start, size in ((len(self.inputs), self.n), (len(self.inputs) + self.n, self.s))
        )
        self._measure(routine, {(i, j): value * columns[j] for (i, j), value in A.items()})
        depend = [routine.tape.call("max", 0.0, column) for column in columns]
        A = {(i, j): value * depend[j] * rows[i] for (i, j), value in A.items()}
        return {(j, j): 1.0 for j in range(self.n)}, A, {}

    def _measure(self, routine: Routine, scaled: Mapping[tuple[int, int], Scalar]) -> None:
        """Take down the sizes of the rows of A in units of the coordinates."""
        sizes: list[Scalar] = [0.0] * self.s
        for (i, _), value in scaled.items():
            sizes[i] = sizes[i] + value * value
        routine.store("whole", sizes)
        self._sizes = sizes

    def left(self, routine: Routine, A: dict, residuals: Sequence[Scalar]) -> list[Scalar]:
        """Return residuals as distances in the units, also of rows that are not asked to hold."""
        return by_lengths(routine.tape, self._sizes, residuals)

    def whole(self, routine: Routine, k: int, size: Scalar) -> Scalar:
        """Return the size of a row in all coordinates, of which little may be left in those that depend."""
        return routine.tape.load("whole", k - self.n)
