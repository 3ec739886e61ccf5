"""Multipliers by the balance of what moves: first the accelerations, then Aᵀλ = M q̈ − f, row after row.

So a person computes a driven mechanism: its motion follows from the constraints alone, or with one equation for what
they leave open, and each row of the balance that holds one unknown force gives it.
"""

from __future__ import annotations

from functools import cached_property

from dalembert.algebra.elimination import reduce_rows
from dalembert.algebra.gramschmidt import Scalar, Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.tape import Node
from dalembert.algebra.writing.cost import operations
from dalembert.forms.base import Solution
from dalembert.forms.eliminated import ByElimination
from dalembert.forms.minimal import along
from dalembert.forms.nullspace import NullSpace, by_elimination
from dalembert.forms.prepared import Rows
from dalembert.forms.sheet import needed, put_down
from dalembert.language.building import Expr


class ByMotion(ByElimination):
    """Steps in the order of q̇ = R ż, with ratios i for the entries of R, then q̈ = R z̈ + a₀, then λ."""

    @cached_property
    def multipliers(self) -> list[Expr]:
        """λ of each independent condition."""
        rows, pilot = self._sheet[0], Pilot()
        self._balanced(self.scene.arrays, self._moving(self.scene.arrays, pilot)[1], pilot)
        null, moved = self._moving(rows, pilot := pilot.replay())
        q = [x.name for x in self.scene.blocks.q]
        z = [q[j] for j in null.independent]
        ratios = {
            (i, z[k]): value for k, column in enumerate(null.columns) for i, value in column.items() if q[i] != z[k]
        }
        self._put(list(ratios.values()), [f"i_{q[i]}" if len(z) == 1 else f"i_{q[i]}_{name}" for i, name in ratios], 3)
        order = [*null.independent, *(i for i in range(len(q)) if i not in null.independent)]
        self._moved = self._put([moved.acceleration[i] for i in order], [f"a_{q[i]}" for i in order], 1)
        self._moved = [self._moved[order.index(i)] for i in range(len(q))]
        found = self._put(self._balanced(rows, moved, pilot), self.names_of_multipliers, 1)
        return [self._called(name, line) for name, line in zip(self.names_of_multipliers, found, strict=True)]

    def _called(self, name: str, line: Expr) -> Expr:
        """Give a multiplier its name however short it is: other lines use it."""
        return line if not operations(line) else put_down(self.scene, self.names, name, line)

    @property
    def accelerations(self) -> list[Expr]:
        """q̈: its name where other lines need it, else what it is."""
        self.multipliers  # noqa: B018  # which come after them
        lines = [self.names.get(str(symbol), symbol) for symbol in self._moved]
        used = {name for line in lines for name in needed([line], self.names)}
        return [symbol if str(symbol) in used else line for symbol, line in zip(self._moved, lines, strict=True)]

    def _put(self, found: list[Scalar], names: list[str], least: int) -> list[Expr]:
        """Write results by their names, those that are no more than a number or a name as they are."""
        known = {result._number: name for result, name in zip(found, names, strict=True) if isinstance(result, Node)}
        return self._sheet[1].write(found, known, least=least)

    @staticmethod
    def _moving(rows: Rows, pilot: Pilot) -> tuple[NullSpace, Solution]:
        null = by_elimination(rows, pilot)
        return null, along(rows, null, pilot)

    @staticmethod
    def _balanced(rows: Rows, moved: Solution, pilot: Pilot) -> list[Scalar]:
        """Solve Aᵀλ = M q̈ − f in as many rows as there are conditions, those with the fewest of them first."""
        columns: dict[int, Vector] = {}
        for i, row in enumerate(rows.A):
            for j, value in row.items():
                columns.setdefault(j, {})[i] = value
        dependent = pilot.decide(lambda: reduce_rows(rows.A, rows.c, rows.arithmetic, Pilot()).pivots)
        order = sorted(dependent, key=lambda j: (len(columns[j]), j))
        found = reduce_rows([columns[j] for j in order], [moved.reaction[j] for j in order], rows.arithmetic, pilot)
        lam = [rows.arithmetic.zero] * len(rows.A)
        for k, value in zip(found.pivots, found.right, strict=True):
            lam[k] = value
        return lam
