"""The pattern of [[W, −Aᵀ], [C, 0]] under elimination in an order in which multipliers come after the coordinates that
they touch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dalembert.algebra.quasidefinite import elimination_order
from dalembert.arrays import Array


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
    order, behind = _filled(entries, elimination_order(entries, n, s, early=True))
    if late := elimination_order(entries, n, s, most=sum(map(len, behind))):  # what waits longer has larger pivots
        order, behind = _filled(entries, late)
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


def _filled(entries: set[tuple[int, int]], order: list[int]) -> tuple[Array, list[set[int]]]:
    """Return an order with the entries of each row behind its diagonal, as elimination leaves them."""
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    behind: list[set[int]] = [set() for _ in order]
    for i, j in entries:
        first, last = sorted((int(position[i]), int(position[j])))
        if first != last:
            behind[first].add(last)
    for around in behind:
        if around:
            nearest = min(around)
            behind[nearest] |= around - {nearest}
    return np.array(order, dtype=np.int64), behind
