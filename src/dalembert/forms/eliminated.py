"""Multipliers of many conditions by elimination, as a person would do it: W = A M⁻¹Aᵀ, b, then row after row.

The same algorithm that solves on numbers runs on a tape; what it computes more than once is a line of the sheet.
"""

from __future__ import annotations

from functools import cached_property

from dalembert.algebra.elimination import Factors, factorise
from dalembert.algebra.gramschmidt import Scalar
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.tape import Node
from dalembert.algebra.writing.ledger import Ledger
from dalembert.forms.base import Coupling, Solution, conditions
from dalembert.forms.multipliers import Multipliers
from dalembert.forms.prepared import Rows
from dalembert.forms.sheet import NamedSteps, ledger_of
from dalembert.language.building import Expr


class ByElimination(NamedSteps):
    """Steps without end: as many as the elimination takes."""

    @cached_property
    def multipliers(self) -> list[Expr]:
        """λ of each independent condition."""
        if self.scene.added:  # where M has no inverse, all unknowns are eliminated together
            found = self._together.multipliers or []
        else:
            self._coefficients  # noqa: B018  # in the order in which one computes
            found = self._factors.solve(self._conditions.b)
        wanted = zip(found, self.names_of_multipliers, strict=True)
        names = {result._number: name for result, name in wanted if isinstance(result, Node)}
        return self._sheet[1].write(found, names, least=1)

    @property
    def accelerations(self) -> list[Expr]:
        """q̈, found with λ or from it."""
        return self._write(self._together.acceleration) if self.scene.added else super().accelerations

    @cached_property
    def needed(self) -> list[Expr]:
        """The right sides b = c − A M⁻¹f."""
        return self._coefficients

    @cached_property
    def solved(self) -> tuple[list[Expr], list[list[Expr]]]:
        """M⁻¹f, and M⁻¹Aᵀ column by column."""
        found = self._conditions
        return self._write(found.free), [self._write(y) for y in found.Y]

    # --- on the tape -------------------------------------------------------------------------------------------------

    @cached_property
    def _sheet(self) -> tuple[Rows, Ledger]:
        return ledger_of(self.scene, self.names, self.pen)

    @property
    def _rows(self) -> Rows:
        return self._sheet[0]

    @cached_property
    def _together(self) -> Solution:
        """Accelerations and multipliers from [[M, Aᵀ], [A, 0]]."""
        pilot, form = Pilot(), Multipliers()
        form.solve(self.scene.arrays, pilot)
        return form.solve(self._rows, pilot.replay())

    @cached_property
    def _pilot(self) -> Pilot:
        """The choices of the elimination, made on numbers."""
        pilot, arrays = Pilot(), self.scene.arrays
        self._factorised(conditions(arrays, pilot), arrays, pilot)
        return pilot.replay()

    @cached_property
    def _conditions(self) -> Coupling:
        return conditions(self._rows, self._pilot)

    @cached_property
    def _factors(self) -> Factors:
        return self._factorised(self._conditions, self._rows, self._pilot)

    @staticmethod
    def _factorised(found: Coupling, rows: Rows, pilot: Pilot) -> Factors:
        """Factorise W; what is zero by structure stays so."""
        W = [{j: w for j, w in enumerate(row) if not (isinstance(w, float) and w == 0)} for row in found.W]
        for i, row in enumerate(W):  # the same entry on both sides, to be computed once
            for j in row:
                if j < i and i in W[j]:
                    row[j] = W[j][i]
        return factorise(W, rows.arithmetic, pilot)

    @cached_property
    def _coefficients(self) -> list[Expr]:
        """Write W and b, and return b."""
        W, b = self._conditions.W, self._conditions.b
        s = len(b)
        names = {}
        for i in range(s):
            for j in range(i, s):
                names |= dict.fromkeys(_numbers([W[i][j]]), f"W_{i + 1}{j + 1}" if s < 10 else f"W_{i + 1}_{j + 1}")
        for i, value in enumerate(b):
            names |= dict.fromkeys(_numbers([value]), f"b_{i + 1}")
        self._write([W[i][j] for i in range(s) for j in range(i, s)], names)
        return self._write(b, names)

    def _write(self, results: list[Scalar], names: dict[int, str] | None = None) -> list[Expr]:
        return self._sheet[1].write(results, names)


def _numbers(results: list[Scalar]) -> list[int]:
    """Return the numbers of nodes; constants have none."""
    return [result._number for result in results if isinstance(result, Node)]
