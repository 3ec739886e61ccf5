"""Elimination over any arithmetic: symmetric block LDLᵀ with pivots of one or two unknowns, and reduction of rows.

The matrix of multipliers, [[M, Aᵀ], [A, 0]], is regular if M is positive definite on the null space of A and the rows
of A are independent, but it need not have a single pivot on its diagonal: a coordinate without inertia and the
constraint that holds it are only regular together. Pivots are chosen by the pilot: among those that are large beside
what they eliminate, in units in which every row has entries of size one (Duff and Reid), the one with the fewest
neighbours, so that little fills in; two unknowns together only where none will do alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from dalembert.algebra import balance
from dalembert.algebra.gramschmidt import Scalar, Vector, subtract
from dalembert.algebra.pilot import Pilot

_LARGE = (1e-3, 1e-7, 0.0)  # a pivot in the largest entry that it eliminates: what is looked for first, and after that
_CANCELLED = 1e-10  # what is left of the terms of a sum below this is rounding


class Step(NamedTuple):
    """One or two unknowns that are eliminated: the inverse of their block, and the columns of L below them."""

    block: tuple[int, ...]
    inverse: list[Vector]
    columns: dict[int, Vector]  # by row, then by unknown of the block


@dataclass(frozen=True)
class Factors:
    """A symmetric matrix as L D Lᵀ, step by step."""

    steps: list[Step] = field(default_factory=list)

    def solve(self, right: list[Scalar]) -> list[Scalar]:
        """Solve for one right side."""
        x = list(right)
        for _, _, columns in self.steps:
            for i, factors in columns.items():
                for k, factor in factors.items():
                    x[i] = x[i] - factor * x[k]
        for block, inverse, _ in self.steps:
            parts = [[value * x[l] for l, value in row.items()] for row in inverse]
            for k, terms in zip(block, parts, strict=True):
                x[k] = _sum(terms)
        for _, _, columns in reversed(self.steps):
            for i, factors in columns.items():
                for k, factor in factors.items():
                    x[k] = x[k] - factor * x[i]
        return x

    def negative(self) -> Scalar:
        """Count, on numbers, the negative eigenvalues of the matrix: as many as D has (Sylvester)."""
        total: Scalar = 0
        for block, inverse, _ in self.steps:
            a = inverse[0].get(block[0], 0.0)
            if len(block) == 1:
                total = total + (a < 0)
            else:
                b, d = inverse[0][block[1]], inverse[1].get(block[1], 0.0)
                total = total + np.where(a * d < b * b, 1, np.where(a < 0, 2, 0))
        return total


def factorise(rows: list[Vector], arithmetic: Any, pilot: Pilot) -> Factors:
    """Factorise a symmetric matrix, given by its rows; raise ZeroDivisionError if it is singular."""
    rows = [dict(row) for row in rows]
    search = _Search(rows, arithmetic) if pilot.recording else None
    remaining = set(range(len(rows)))
    factors = Factors()
    while remaining:
        block = pilot.decide(lambda: search and search.pivot(remaining))
        if block is None:
            raise ZeroDivisionError("the matrix is singular")
        remaining.difference_update(block)
        inverse = _inverse(rows, block, arithmetic)
        around = {i for k in block for i in rows[k]} & remaining
        columns: dict[int, Vector] = {}
        for i in sorted(around):
            parts = {
                k: [rows[i][l] * row[k] for l, row in zip(block, inverse, strict=True) if l in rows[i] and k in row]
                for k in block
            }
            columns[i] = {k: _sum(terms) for k, terms in parts.items() if terms}
        for i, column in columns.items():
            for k, factor in column.items():
                for j in around & rows[k].keys():
                    part = factor * rows[k][j]
                    rows[i][j] = rows[i][j] - part if j in rows[i] else -part
                    if search:
                        search.add(i, j, part)
        for i in around:
            for k in block:
                rows[i].pop(k, None)
        factors.steps.append(Step(block, inverse, columns))
    return factors


def _sum(terms: list[Scalar]) -> Scalar:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _inverse(rows: list[Vector], block: tuple[int, ...], arithmetic: Any) -> list[Vector]:
    """Invert the block of a pivot, row by row; what is zero by structure stays so."""
    if len(block) == 1:
        (k,) = block
        return [{k: arithmetic.one / rows[k][k]}]
    k, l = block
    b = rows[k][l]
    if k in rows[k] and l in rows[l]:
        a, d = rows[k][k], rows[l][l]
        determinant = a * d - b * b
        side = -(b / determinant)
        return [{k: d / determinant, l: side}, {k: side, l: a / determinant}]
    side = arithmetic.one / b
    inverse: list[Vector] = [{l: side}, {k: side}]
    if k in rows[k]:
        inverse[1][l] = -(rows[k][k] * side * side)
    if l in rows[l]:
        inverse[0][k] = -(rows[l][l] * side * side)
    return inverse


class _Search:
    """Looks for pivots, on numbers: at every point of the pilot they must be large enough."""

    def __init__(self, rows: list[Vector], arithmetic: Any):
        self.rows, self.arithmetic = rows, arithmetic
        self.units = _units(rows)
        self.grown = [{j: np.abs(value) for j, value in row.items()} for row in rows]  # size of what was added up

    def add(self, i: int, j: int, part: Scalar) -> None:
        """Take note of what an entry was changed by."""
        self.grown[i][j] = self.grown[i].get(j, 0.0) + np.abs(part)

    def pivot(self, remaining: set[int]) -> tuple[int, ...] | None:
        """Return the best pivot of those that remain."""
        near = sorted(remaining, key=lambda k: (len(self.rows[k]), k))
        for large in _LARGE:
            for k in near:
                if self._alone(k, large):
                    return (k,)
            pairs = [(k, l) for k in near for l in self.rows[k] if k < l]
            pairs.sort(key=lambda pair: len(self.rows[pair[0]].keys() | self.rows[pair[1]].keys()))
            for k, l in pairs:
                if self._together(k, l, large):
                    return k, l
        return None

    def _size(self, i: int, j: int) -> Scalar:
        return np.abs(self.rows[i][j]) * self.units[i] * self.units[j] if j in self.rows[i] else 0.0

    def _others(self, k: int, block: tuple[int, ...]) -> Scalar:
        """Return the largest entry of a row outside of a block."""
        largest = 0.0
        for j in self.rows[k]:
            if j not in block:
                largest = np.maximum(largest, self._size(k, j))
        return largest

    def _alone(self, k: int, large: float) -> bool:
        if k not in self.rows[k]:
            return False
        pivot = np.abs(self.rows[k][k])
        if not (np.all(pivot > 0) and np.all(pivot > _CANCELLED * self.grown[k][k])):
            return False
        return bool(np.all(self._size(k, k) >= large * self._others(k, (k,))))

    def _together(self, k: int, l: int, large: float) -> bool:
        a, b, d = (self.rows[i].get(j, 0.0) for i, j in ((k, k), (k, l), (l, l)))
        grown = [self.grown[i].get(j, 0.0) for i, j in ((k, k), (k, l), (l, l))]
        determinant = np.abs(a * d - b * b)
        if not (np.all(determinant > 0) and np.all(determinant > _CANCELLED * (grown[0] * grown[2] + grown[1] ** 2))):
            return False
        determinant = determinant * self.units[k] ** 2 * self.units[l] ** 2
        at_k, at_l = self._others(k, (k, l)), self._others(l, (k, l))
        a, b, d = self._size(k, k), self._size(k, l), self._size(l, l)
        return bool(np.all(determinant >= large * np.maximum(d * at_k + b * at_l, b * at_k + a * at_l)))


def _units(rows: list[Vector], rounds: int = 8) -> list[Scalar]:
    """Return factors of the unknowns with which the largest entry of every row is about one, at every point."""
    units: list[Scalar] = [1.0] * len(rows)
    for _ in range(rounds):
        largest = []
        for i, row in enumerate(rows):
            size = 0.0
            for j, value in row.items():
                size = np.maximum(size, np.abs(value) * units[i] * units[j])
            largest.append(np.where(np.isfinite(size) & (size > 0), size, 1.0))
        units = [unit / np.sqrt(size) for unit, size in zip(units, largest, strict=True)]
    return units


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
    search = _Columns(rows, free, arithmetic) if pilot.recording else None
    pivots: list[int] = []
    determinant = arithmetic.one
    for i in range(len(rows)):
        k = pilot.decide(lambda i=i: search and search.best(rows, i))
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


class _Columns:
    """Chooses pivot columns, on numbers, in units that do not depend on those of rows and columns."""

    def __init__(self, rows: list[Vector], free: frozenset[int], arithmetic: Any):
        sizes = [{j: float(np.max(np.abs(value))) for j, value in row.items()} for row in rows]
        columns = sorted({j for row in rows for j in row})
        place = {j: k for k, j in enumerate(columns)}
        found = balance.units([{place[j]: size for j, size in row.items()} for row in sizes], len(columns))
        self.free, self.arithmetic = free, arithmetic
        self.units = dict(zip(columns, found, strict=True))
        self.scales = [max((size * self.units[j] for j, size in row.items()), default=0.0) for row in sizes]

    def best(self, rows: list[Vector], i: int) -> int | None:
        """Choose among the large entries of a row the one whose column is shared least; constants first."""
        row, weigh = rows[i], self.arithmetic.weight
        weights = {k: weigh(value) * self.units[k] for k, value in row.items() if k not in self.free}
        largest = max(weights.values(), default=0.0)
        if largest <= _CANCELLED * self.scales[i]:
            return None
        shared = {k: sum(k in other for other in rows) for k in weights}
        good = [k for k in weights if weights[k] >= 0.1 * largest]
        return min(good, key=lambda k: (shared[k], not np.allclose(row[k], np.mean(row[k]), atol=0.0), k))
