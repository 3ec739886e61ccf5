"""One branch of a law on a tape: what λ is there, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.algebra import pivoted
from dalembert.algebra.gramschmidt import Scalar
from dalembert.algebra.tape import Tape
from dalembert.blocks.law import Law, LawBranch, slopes_of
from dalembert.language.program import Program

_ROUNDING = 1e-12  # of what a condition is made of: beside it, it is met

Values = list[Scalar]


class TapeBranch:
    """A branch on tapes, with θ, λ₀ and L as nodes; `L[i][k]` is of multiplier i by channel k."""

    def __init__(self, law: Law, branch: LawBranch):
        inputs = [*law.places, *law.symbols]
        self.count, self._channels, self._sides = len(law.rows), len(law.phi), len(branch.sides)
        self._values = Program(inputs, [*branch.offsets, *branch.slopes.values()])
        self._places = list(branch.slopes)
        slopes = slopes_of(branch.sides, law.symbols)
        self._conditions, self._entries = Program(inputs, [*branch.sides, *slopes.values()]), list(slopes)

    def solved(
        self, tape: Tape, theta: Sequence[Scalar], start: Sequence[Scalar], L: Sequence[Sequence[Scalar]]
    ) -> Values:
        """Return λ."""
        return pivoted.solve(*self._equations(tape, theta, start, L), tape.call)

    def scaled(
        self, tape: Tape, theta: Sequence[Scalar], start: Sequence[Scalar], L: Sequence[Sequence[Scalar]]
    ) -> tuple[Values, Scalar]:
        """Return λ times the determinant of its equations, and this."""
        return pivoted.solve_scaled(*self._equations(tape, theta, start, L), tape.call)

    def _equations(
        self, tape: Tape, theta: Sequence[Scalar], start: Sequence[Scalar], L: Sequence[Sequence[Scalar]]
    ) -> tuple[list[Values], Values]:
        """Return the matrix 1 − L φ_λ, and λ₀ with what φ is at λ = 0."""
        out = self._values([*theta, *start], tape)
        return matrix_of(self.count, dict(zip(self._places, out[self._channels :], strict=True)), L), moved(
            start, L, out[: self._channels]
        )

    def holds(self, tape: Tape, theta: Sequence[Scalar], lam: Sequence[Scalar], start: Sequence[Scalar]) -> Scalar:
        """Return 1 where its conditions are met, but for rounding of what λ is made of; else 0."""
        out = self._conditions([*theta, *lam], tape)
        rounding: Values = [0.0] * self._sides
        for (k, i), slope in zip(self._entries, out[self._sides :], strict=True):
            rounding[k] = rounding[k] + tape.call("abs", slope) * tape.call("abs", start[i])
        return _met(tape, [side + _ROUNDING * least for side, least in zip(out, rounding, strict=False)])

    def holds_scaled(
        self, tape: Tape, theta: Sequence[Scalar], scaled: Sequence[Scalar], determinant: Scalar
    ) -> Scalar:
        """Return 1 where they are met to the last digit by λ, given times a determinant above zero; they are linear."""
        out = self._conditions([*theta, *[0.0] * self.count], tape)
        sides = [side * determinant for side in out[: self._sides]]
        for (k, i), slope in zip(self._entries, out[self._sides :], strict=True):
            sides[k] = sides[k] + slope * scaled[i]
        return _met(tape, sides)


def _met(tape: Tape, sides: Sequence[Scalar]) -> Scalar:
    holds: Scalar = 1.0
    for side in sides:
        holds = tape.call("if_le", 0.0, side, holds, 0.0)
    return holds


def matrix_of(count: int, slopes: dict[tuple[int, int], Scalar], L: Sequence[Sequence[Scalar]]) -> list[Values]:
    """Return 1 − L φ_λ."""
    rows: list[Values] = [[1.0 if i == j else 0.0 for j in range(count)] for i in range(count)]
    for (k, j), slope in slopes.items():
        for i in range(count):
            rows[i][j] = rows[i][j] - L[i][k] * slope
    return rows


def moved(start: Sequence[Scalar], L: Sequence[Sequence[Scalar]], phi: Sequence[Scalar]) -> Values:
    """Return λ₀ + L φ."""
    return [sum((row[k] * value for k, value in enumerate(phi)), x) for x, row in zip(start, L, strict=True)]
