"""Elimination over any arithmetic: symmetric LDLᵀ with diagonal pivots, and reduction of rows.

Pivots are chosen by the pilot: among those that are safely different from zero, the one with the fewest neighbours,
so that little fills in. A symmetric matrix of multipliers, [[M, Aᵀ], [A, 0]], always has such pivots if M is positive
definite on the null space of A and the rows of A are independent: a zero on the diagonal is filled before it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.algebra.gramschmidt import Scalar, Vector, subtract
from dalembert.algebra.pilot import Pilot


@dataclass(frozen=True)
class Factors:
    """A symmetric matrix as L D Lᵀ: pivots in order, each with the column of L below it."""

    order: list[int]
    pivots: list[Scalar]
    columns: list[Vector]

    def solve(self, right: list[Scalar]) -> list[Scalar]:
        """Solve for one right side."""
        x = list(right)
        for k, column in zip(self.order, self.columns, strict=True):
            for i, factor in column.items():
                x[i] = x[i] - factor * x[k]
        for k, pivot in zip(self.order, self.pivots, strict=True):
            x[k] = x[k] / pivot
        for k, column in zip(reversed(self.order), reversed(self.columns), strict=True):
            for i, factor in column.items():
                x[k] = x[k] - factor * x[i]
        return x


def factorise(rows: list[Vector], arithmetic: Any, pilot: Pilot) -> Factors:
    """Factorise a symmetric matrix, given by its rows; raise ZeroDivisionError if it is singular."""
    rows = [dict(row) for row in rows]
    grown: list[Scalar] = [row.get(i, arithmetic.zero) for i, row in enumerate(rows)]  # size of what was added up
    remaining = set(range(len(rows)))
    factors = Factors([], [], [])
    while remaining:
        k = pilot.decide(lambda: _best_pivot(rows, grown, remaining, arithmetic))
        if k is None:
            raise ZeroDivisionError("the matrix is singular")
        remaining.discard(k)
        pivot = rows[k][k]
        column = {i: value / pivot for i, value in rows[k].items() if i in remaining}
        for i, factor in column.items():
            for j, value in column.items():
                part = factor * value * pivot
                rows[i][j] = rows[i][j] - part if j in rows[i] else -part
            if pilot.recording:
                grown[i] = np.abs(grown[i]) + np.abs(factor * factor * pivot)
            rows[i].pop(k, None)
        factors.order.append(k)
        factors.pivots.append(pivot)
        factors.columns.append(column)
    return factors


def _best_pivot(rows: list[Vector], grown: list[Scalar], remaining: set[int], arithmetic: Any) -> int | None:
    safe = [
        k
        for k in sorted(remaining)
        if k in rows[k] and arithmetic.weight(rows[k][k]) > 0 and np.all(np.abs(rows[k][k]) > 1e-10 * np.abs(grown[k]))
    ]
    return min(safe, key=lambda k: len(rows[k]), default=None)


@dataclass(frozen=True)
class Reduced:
    """Rows in reduced form: x[pivotᵢ] + rowᵢ·x = rightᵢ, the rows without entries in pivot columns."""

    pivots: list[int]
    rows: list[Vector]
    right: list[Scalar]
    determinant: Scalar  # product of the pivots: of the pivot columns of the rows


def reduce_rows(
    rows: list[Vector], right: list[Scalar], arithmetic: Any, pilot: Pilot, free: frozenset[int] = frozenset()
) -> Reduced:
    """Reduce independent rows (Gauss–Jordan), each by the pivot column that the pilot chooses, never one that is free.

    Raise ZeroDivisionError if the rows are dependent, or do not determine the other columns.
    """
    rows, right = [dict(row) for row in rows], list(right)
    whole = rows if not pilot.recording else [dict(row) for row in rows]
    pivots: list[int] = []
    determinant = arithmetic.one
    for i in range(len(rows)):
        k = pilot.decide(lambda i=i: _best_column(rows, i, whole[i], free, arithmetic))
        if k is None:
            raise ZeroDivisionError("the rows are dependent")
        pivot = rows[i][k]
        determinant = determinant * pivot
        rows[i] = {j: value / pivot for j, value in rows[i].items() if j != k}
        right[i] = right[i] / pivot
        for j in range(len(rows)):
            if j != i and k in rows[j]:
                factor = rows[j].pop(k)
                rows[j] = subtract(rows[j], factor, rows[i])
                right[j] = right[j] - factor * right[i]
        pivots.append(k)
    return Reduced(pivots, rows, right, determinant)


def _best_column(rows: list[Vector], i: int, whole: Vector, free: frozenset[int], arithmetic: Any) -> int | None:
    """Choose among the large entries of a row the one whose column is shared least."""
    scale = max((np.max(np.abs(value)) for value in whole.values()), default=0.0)
    weights = {k: arithmetic.weight(value) for k, value in rows[i].items() if k not in free}
    largest = max(weights.values(), default=0.0)
    if largest <= 1e-10 * scale:
        return None
    shared = {k: sum(k in row for row in rows) for k in weights}
    good = [k for k in weights if weights[k] >= 0.1 * largest]
    return min(good, key=lambda k: (shared[k], not np.allclose(np.abs(rows[i][k]), 1.0), k))
