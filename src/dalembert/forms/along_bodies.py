"""Equations without multipliers of a mechanism in space, body by body: what moves a body along each way that is free.

The null space of A is found among places and turns. Where independent coordinates are Euler parameters, these are
further coordinates, with ė = ½ Eᵀω as conditions.
"""

from __future__ import annotations

from collections.abc import Sequence

import symengine as se

from dalembert.algebra.pilot import Pilot
from dalembert.algebra.writing.cost import operations, width
from dalembert.algebra.writing.cutting import WIDEST
from dalembert.algebra.writing.ledger import TRIVIAL
from dalembert.forms.base import Matrix, Written, dense
from dalembert.forms.by_bodies import ByBodies
from dalembert.forms.nullspace import by_elimination
from dalembert.forms.sheet import ledger_of, needed, put_down
from dalembert.forms.spatial_scene import SpatialScene
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO

Line = list[Expr]


def along_null_space(steps: ByBodies) -> Written:
    """Return Dᵀ(M q̈ − f) of a mechanism in space, and D."""
    sheet = _Sheet(steps)
    columns, _ = sheet.null_space(steps.inner)
    left, alpha = steps.balances
    sheet.names |= alpha
    equations = []
    for k, column in enumerate(columns):
        parts = sheet.by_body([d * row for d, row in zip(column, left, strict=True)])
        equations.append(sheet.sum(f"P_{k + 1}" if len(columns) > 1 else "P", parts))
    D = [steps.spread(column, [ZERO] * len(steps.inner.turns)) for column in columns]
    return Written(equations, {"D": _transposed(D, len(steps.scene.blocks.q))}, names=sheet.names)


def along_coordinates(steps: ByBodies, chosen: Sequence[int]) -> Written:
    """Return RᵀM R z̈ − Rᵀ(f − M a₀) of a mechanism in space for independent coordinates, with R and a₀."""
    sheet, scene = _Sheet(steps), steps.scene
    z = [scene.blocks.q[j].name for j in chosen]
    inner = steps.inner.with_parameters(z)
    place = {q.name: j for j, q in enumerate(inner.blocks.q)}
    found, a = sheet.null_space(inner, [place[name] for name in z])
    count = len(steps.inner.blocks.q)
    q = [symbol.name for symbol in inner.blocks.q[:count]]
    R = [
        [
            sheet.named(f"R_{name}" if len(z) == 1 else f"R_{name}_{other}", e)
            for name, e in zip(q, column, strict=False)
        ]
        for other, column in zip(z, found, strict=True)
    ]
    a_0 = [sheet.named(f"a_{name}", e) for name, e in zip(q, a, strict=False)]
    b = steps.inner.blocks
    rest = list(steps.steps.forces)
    sheet.names |= needed(rest, steps.names)
    moved = [[ZERO] * count for _ in z]
    for (i, j), entry in b.M.items():
        rest[i] -= entry * a_0[j]
        for k, column in enumerate(R):
            moved[k][i] += entry * column[j]
    inertia, force = [], []
    for j, left in enumerate(R):
        own = f"_{j + 1}" if len(z) > 1 else ""
        parts = ([x * y for x, y in zip(left, right, strict=True)] for right in moved)
        rows = (sheet.sum(f"I{own}{k + 1 if own else ''}", sheet.by_body(part)) for k, part in enumerate(parts))
        inertia.append(list(rows))
        force.append([sheet.sum(f"Q{own}", sheet.by_body([x * y for x, y in zip(left, rest, strict=True)]))])
    rates = [se.Symbol(f"{name}''") for name in z]
    equations = [se.Add(*map(se.Mul, row, rates), -right[0]) for row, right in zip(inertia, force, strict=True)]
    along = [ZERO] * len(steps.inner.turns)
    shown = _transposed([steps.spread(column, along) for column in R], len(scene.blocks.q))
    bent = steps.spread(a_0, [-turn.square for turn in steps.inner.turns])
    matrices = {"inertia": inertia, "force": force, "R": shown, "a_0": [[value] for value in bent]}
    return Written(equations, matrices, names=sheet.names)


class _Sheet:
    """What is put down while equations are found."""

    def __init__(self, steps: ByBodies):
        self.steps = steps
        self.names = {symbol.name: value for symbol, value in steps.inner.known.items()}
        self.owners = {j: turn.body.name for turn in steps.inner.turns for j in turn.own}

    def null_space(self, inner: SpatialScene, chosen: Sequence[int] | None = None) -> tuple[list[Line], Line]:
        """Return columns dᵢ with A dᵢ = 0; and a₀ with A a₀ = c, if independent coordinates are chosen, even none."""
        pilot, free = Pilot(), frozenset(chosen or ())
        by_elimination(inner.arrays, pilot, free)
        rows, ledger = ledger_of(inner, self.names, self.steps.steps.pen)  # as for multipliers, which are beside it
        null = by_elimination(rows, pilot.replay(), free)
        columns = [ledger.write(dense(column, rows.n, rows.arithmetic), other="d") for column in null.columns]
        if chosen is None:
            return columns, []
        order = [null.independent.index(j) for j in chosen]
        return [columns[k] for k in order], ledger.write(null.particular, other="d")

    def named(self, name: str, value: Expr) -> Expr:
        """Give a value a name, unless it needs none."""
        return value if operations(value) <= TRIVIAL else put_down(self.steps.scene, self.names, name, value)

    def by_body(self, terms: Sequence[Expr]) -> dict[str, Expr]:
        """Add up what belongs to each body; what belongs to none has no name."""
        found: dict[str, list[Expr]] = {}
        for j, term in enumerate(terms):
            found.setdefault(self.owners.get(j, ""), []).append(term)
        return {body: total for body, parts in found.items() if (total := se.Add(*parts)) != 0}

    def sum(self, name: str, parts: dict[str, Expr]) -> Expr:
        """Add up what bodies give; by their names, where it is too wide for a line."""
        if sum(map(width, parts.values())) > WIDEST / 2:
            parts = {body: self.named(f"{name}_{body}" if body else name, value) for body, value in parts.items()}
        return se.Add(*parts.values())


def _transposed(columns: list[list[Expr]], rows: int) -> Matrix:
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(rows)]
