"""Sparse elimination without a search for pivots, for matrices whose pattern is known before; see `motion/pattern.py`.

The diagonal of a multiplier has become (C W⁻¹Aᵀ)ᵢᵢ, its size, when its turn comes; a small part E of it is added, so
that rows which are about to depend on others pass. Real and complex, the latter with the E of the former. A row that
is left out has E < 0: its multiplier stays, and no other row knows of it.
"""

from __future__ import annotations

from dalembert.motion.steppers.compiled import compiled

EPSILON = 1e-4  # E as a part of the size
GIVEN, CHOSEN, LEAVING = range(3)  # how E is taken: as it is, chosen, or to mark rows that depend on earlier ones
DEPENDENT = 1e-10  # part of the size below which what is left of a row is rounding


@compiled
def factorise(pattern, values, inverse, row, E, how):
    """Replace the values of a matrix by those of L and U; `row` is room for one. E is by unknowns."""
    starts, columns, diagonal, order, multiplier = pattern
    for i in range(len(diagonal)):
        for p in range(starts[i], starts[i + 1]):
            row[columns[p]] = values[p]
        size = row[i] * 0.0
        for p in range(starts[i], diagonal[i]):
            k = columns[p]
            factor = row[k] * inverse[k]
            row[k] = factor
            before = row[i]
            for r in range(diagonal[k] + 1, starts[k + 1]):
                row[columns[r]] -= factor * values[r]
            if not multiplier[k]:
                size += row[i] - before
        for p in range(starts[i], starts[i + 1]):
            values[p] = row[columns[p]]
        pivot = values[diagonal[i]]
        left_out = False
        if multiplier[i]:
            if how == LEAVING:
                E[order[i]] = 0.0 if abs(pivot) > DEPENDENT * abs(size) else -1.0
            elif how == CHOSEN and E[order[i]] >= 0.0:
                E[order[i]] = EPSILON * abs(size)
            left_out = E[order[i]] < 0.0
            pivot += E[order[i]]
        inverse[i] = 0.0 if left_out or not abs(pivot) > 0.0 else 1.0 / pivot


@compiled
def solve(pattern, values, inverse, right, x):
    """Solve with the factors; the right side is changed on the way. Both are by unknowns, not in the order."""
    starts, columns, diagonal, order, _ = pattern
    for i in range(len(order)):
        total = right[order[i]]
        for p in range(starts[i], diagonal[i]):
            total -= values[p] * right[order[columns[p]]]
        right[order[i]] = total
    for i in range(len(order) - 1, -1, -1):
        total = right[order[i]]
        for p in range(diagonal[i] + 1, starts[i + 1]):
            total -= values[p] * x[order[columns[p]]]
        x[order[i]] = total * inverse[i]
