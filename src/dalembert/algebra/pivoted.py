"""Small full systems over scalars that cannot be looked at, as those of a tape: rows are swapped by choosing values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dalembert.algebra.gramschmidt import Scalar


def solve(
    matrix: Sequence[Sequence[Scalar]], right: Sequence[Scalar], call: Callable[..., Scalar]
) -> tuple[list[Scalar], Scalar]:
    """Solve by elimination with the largest pivot of each column; return the determinant too.

    `call(name, …)` applies functions: abs, and if_lt(a, b, u, v), which is u where a < b, else v.
    """
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    count, determinant = len(rows), 1.0
    for k in range(count):
        for i in range(k + 1, count):
            above, below = call("abs", rows[k][k]), call("abs", rows[i][k])
            upper = [call("if_lt", above, below, b, a) for a, b in zip(rows[k][k:], rows[i][k:], strict=True)]
            lower = [call("if_lt", above, below, a, b) for a, b in zip(rows[k][k:], rows[i][k:], strict=True)]
            rows[k][k:], rows[i][k:] = upper, lower
            determinant = call("if_lt", above, below, -determinant, determinant)
        determinant = determinant * rows[k][k]
        inverse = 1.0 / rows[k][k] if not _is_zero(rows[k][k]) else float("nan")
        for i in range(k + 1, count):
            factor = rows[i][k] * inverse
            rows[i][k:] = [a - factor * b for a, b in zip(rows[i][k:], rows[k][k:], strict=True)]
        rows[k] = [*rows[k], inverse]
    x: list[Scalar] = [0.0] * count
    for k in reversed(range(count)):
        total = rows[k][count]
        for j in range(k + 1, count):
            total = total - rows[k][j] * x[j]
        x[k] = total * rows[k][-1]
    return x, determinant


def _is_zero(value: Scalar) -> bool:
    return isinstance(value, float) and value == 0
