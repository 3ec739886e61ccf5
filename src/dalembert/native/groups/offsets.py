"""What stabilisation adds to c with gains that a user gives: P ψ + G g, entry by entry.

Gains that are numbers are inputs, behind those of what is added: other numbers need no new code.
"""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group
from dalembert.native.module import Module
from dalembert.native.routine import Routine
from dalembert.native.solver import Scalar

Gain = Expr | int  # an expression of t and parameters, or the place of a number


class Offsets(Group):
    """A kernel `offsets`; psi and g hold the gains by row and column."""

    hurry = True

    def __init__(self, psi: Mapping[tuple[int, int], Gain], g: Mapping[tuple[int, int], Gain], numbers: int):
        self.parts, self.numbers = (g, psi), numbers
        self.name = "offsets " + " ; ".join(f"{key}: {value}" for part in self.parts for key, value in part.items())

    def straight(self, builder: Builder) -> Module:
        """Put it on a tape."""
        module, routine, b, first = Module(), Routine("offsets"), builder.blocks, len(builder.inputs) + builder.s
        residuals = builder.evaluate(routine, [ZERO if r is None else r for r in (*b.g, *b.psi)])
        expressions = [gain for part in self.parts for gain in part.values() if not isinstance(gain, int)]
        values = iter(builder.evaluate(routine, expressions) if expressions else ())
        added: list[Scalar] = [0.0] * builder.s
        for level, part in enumerate(self.parts):
            for (i, j), gain in part.items():
                factor = routine.tape.load("in", first + gain) if isinstance(gain, int) else next(values)
                added[i] = added[i] + factor * residuals[level * builder.s + j]
        routine.store("out", added)
        module.add(routine)
        module.kernel("offsets", ["offsets"], first + self.numbers)
        return module
