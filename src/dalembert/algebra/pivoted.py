"""Small full systems over scalars that cannot be looked at, as those of a tape: rows are swapped by choosing values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dalembert.algebra.gramschmidt import Scalar


def solve(matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar], call: Callable[..., Scalar]) -> list[Scalar]:
    """Solve by elimination with the largest pivot of each column; two unknowns by determinants.

    `call(name, …)` applies functions: abs, and if_lt(a, b, u, v), which is u where a < b, else v.
    """
    if len(right) == 2:
        scaled, determinant = solve_scaled(matrix, right, call)
        inverse = _inverse(determinant)
        return [value * inverse for value in scaled]
    return _eliminated(matrix, right, call)[0]


def solve_scaled(
    matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar], call: Callable[..., Scalar]
) -> tuple[list[Scalar], Scalar]:
    """Return the solution times the determinant, and this."""
    if len(right) == 1:
        return list(right), matrix[0][0]
    if len(right) == 2:
        (a, b), (c, d) = matrix
        return [d * right[0] - b * right[1], a * right[1] - c * right[0]], a * d - b * c
    x, determinant = _eliminated(matrix, right, call)
    return [value * determinant for value in x], determinant


def _eliminated(
    matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar], call: Callable[..., Scalar]
) -> tuple[list[Scalar], Scalar]:
    """Return the solution, and the determinant."""
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    count, inverses, determinant = len(rows), list[Scalar](), 1.0
    for k in range(count):
        for i in range(k + 1, count):
            above, below = call("abs", rows[k][k]), call("abs", rows[i][k])
            upper = [call("if_lt", above, below, b, a) for a, b in zip(rows[k][k:], rows[i][k:], strict=True)]
            lower = [call("if_lt", above, below, a, b) for a, b in zip(rows[k][k:], rows[i][k:], strict=True)]
            rows[k][k:], rows[i][k:] = upper, lower
            determinant = call("if_lt", above, below, -determinant, determinant)
        determinant = determinant * rows[k][k]
        inverses.append(_inverse(rows[k][k]))
        for i in range(k + 1, count):
            factor = rows[i][k] * inverses[k]
            rows[i][k:] = [a - factor * b for a, b in zip(rows[i][k:], rows[k][k:], strict=True)]
    x: list[Scalar] = [0.0] * count
    for k in reversed(range(count)):
        total = rows[k][count]
        for j in range(k + 1, count):
            total = total - rows[k][j] * x[j]
        x[k] = total * inverses[k]
    return x, determinant


def _inverse(value: Scalar) -> Scalar:
    """Return 1/value; no number of a zero that is known."""
    return math.nan if isinstance(value, float) and value == 0 else 1.0 / value
