"""Sparse elimination without a search for pivots, native, for matrices whose pattern is known before.

[[W, −Aᵀ], [C, 0]] in an order in which multipliers come after the coordinates that they touch. The diagonal of a
multiplier has then become (C W⁻¹Aᵀ)ᵢᵢ, its size; a small part E of it is added, so that dependent rows pass. Real and
complex, the latter with the E of the former.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dalembert.algebra.quasidefinite import elimination_order
from dalembert.algebra.types import Array
from dalembert.motion.compiled import compiled

EPSILON = 1e-4  # E as a part of the size


class Pattern(NamedTuple):
    """Rows of the filled matrix in the order of elimination: where each starts, its columns, where its diagonal is.

    `order` says which unknown is eliminated when; `multiplier` which of them are multipliers.
    """

    starts: Array
    columns: Array
    diagonal: Array
    order: Array
    multiplier: Array

    def places(self, entries: Iterable[tuple[int, int]]) -> Array:
        """Return where entries, by the numbers of their unknowns, stand among the values."""
        position = np.empty(len(self.order), dtype=np.int64)
        position[self.order] = np.arange(len(self.order))
        found = []
        for i, j in entries:
            row = position[i]
            first, last = self.starts[row], self.starts[row + 1]
            found.append(first + int(np.searchsorted(self.columns[first:last], position[j])))
        return np.array(found, dtype=np.int64)


def pattern(entries: Iterable[tuple[int, int]], n: int, s: int) -> Pattern:
    """Order n coordinates and s multipliers and find what elimination fills in; entries count for both triangles."""
    entries = set(entries)
    order = np.array(elimination_order(entries, n, s), dtype=np.int64)
    position = np.empty(n + s, dtype=np.int64)
    position[order] = np.arange(n + s)
    behind: list[set[int]] = [set() for _ in order]  # entries of a row behind its diagonal
    for i, j in entries:
        first, last = sorted((int(position[i]), int(position[j])))
        if first != last:
            behind[first].add(last)
    for around in behind:
        if around:
            nearest = min(around)
            behind[nearest] |= around - {nearest}
    rows: list[list[int]] = [[] for _ in order]
    for k, around in enumerate(behind):
        rows[k].append(k)
        for i in around:
            rows[i].append(k)
            rows[k].append(i)
    rows = [sorted(row) for row in rows]
    starts = np.cumsum([0, *map(len, rows)])
    diagonal = [start + row.index(k) for k, (start, row) in enumerate(zip(starts[:-1], rows, strict=True))]
    columns = np.array([j for row in rows for j in row], dtype=np.int64)
    return Pattern(starts, columns, np.array(diagonal, dtype=np.int64), order, order >= n)


@compiled
def factorise(starts, columns, diagonal, multiplier, order, values, inverse, row, E, choose):
    """Replace the values of a matrix by those of L and U; `row` is room for one. E is by unknowns; it may be chosen."""
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
        if multiplier[i]:
            if choose:
                E[order[i]] = EPSILON * abs(size)
            pivot += E[order[i]]
            if not abs(pivot) > 0.0:
                pivot += 1.0  # a row without entries: its multiplier stays
        inverse[i] = 1.0 / pivot


@compiled
def solve(starts, columns, diagonal, order, values, inverse, right, x):
    """Solve with the factors; the right side is changed on the way. Both are by unknowns, not in the order."""
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
