"""Systems [[W, Kᵀ], [J, ∓E]] that are nearly quasidefinite, by elimination without a search for pivots.

J and K are the same rows at two places that are near each other, so their pattern is one. Coordinates come before the
multipliers that touch them, as in `quasidefinite`; what remains of a row of J W⁻¹Kᵀ may be negative, if rank was lost
between the two places, and E has its sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.algebra.gramschmidt import Scalar, Vector
from dalembert.algebra.quasidefinite import substituted


@dataclass
class TwoSidedFactors:
    """L D U in a given order: the columns of L, the rows of U, the inverse pivots."""

    order: list[int]
    columns: dict[int, Vector] = field(default_factory=dict)
    rows: dict[int, Vector] = field(default_factory=dict)
    inverses: dict[int, Scalar] = field(default_factory=dict)


def factorise(
    W: Mapping[tuple[int, int], Scalar],
    J: Mapping[tuple[int, int], Scalar],
    K: Mapping[tuple[int, int], Scalar],
    n: int,
    s: int,
    order: list[int],
    arithmetic: Any,
    invert: Callable[[int, Scalar, Scalar], Scalar],
) -> TwoSidedFactors:
    """Factorise in the given order; `invert(k, pivot, size)` inverts a pivot, of a multiplier what remains of its size.

    The size of a multiplier is the diagonal of J W⁻¹Kᵀ.
    """
    rows: list[Vector] = [{} for _ in range(n + s)]
    for (i, j), value in W.items():
        rows[i][j] = value
    for (i, j), value in J.items():
        rows[n + i][j] = value
    for (i, j), value in K.items():
        rows[j][n + i] = value
    factors = TwoSidedFactors(order)
    sizes: dict[int, Scalar] = {}
    remaining = set(range(n + s))
    for k in order:
        remaining.discard(k)
        row = {j: value for j, value in rows[k].items() if j in remaining}
        pivot = rows[k].get(k, arithmetic.zero)
        if k < n:
            inverse = invert(k, pivot, W.get((k, k), arithmetic.zero))
        else:
            inverse = -invert(k, -pivot, sizes.get(k, arithmetic.zero))
        column = {i: rows[i][k] * inverse for i in remaining if k in rows[i]}
        factors.inverses[k], factors.columns[k] = inverse, column
        factors.rows[k] = {j: value * inverse for j, value in row.items()}
        for i in sorted(column):
            for j in sorted(row):
                rows[i][j] = rows[i].get(j, arithmetic.zero) - column[i] * row[j]
            if i >= n and k < n and i in row:
                sizes[i] = sizes.get(i, arithmetic.zero) + column[i] * row[i]
    return factors


def solve(factors: TwoSidedFactors, right: list[Scalar]) -> list[Scalar]:
    """Solve for one right side."""
    return substituted(factors.order, factors.inverses, factors.columns, factors.rows, right)
