"""Bases of the null space of A: by Gram–Schmidt (Phong) and by elimination (independent coordinates)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from dalembert.algebra.elimination import reduce_rows
from dalembert.algebra.gramschmidt import Scalar, Vector, complement, orthogonalise
from dalembert.algebra.pilot import Pilot
from dalembert.forms.prepared import Rows

_COMBINED = 6  # columns of which sums are looked at


@dataclass(frozen=True)
class NullSpace:
    """Columns dᵢ with A dᵢ = 0, and one particular solution a₀ of A a₀ = c.

    `independent`: the coordinates that the columns move by one each, where they were chosen so.
    """

    columns: list[Vector]
    particular: list[Scalar]
    independent: tuple[int, ...] = ()


def by_gram_schmidt(rows: Rows, pilot: Pilot) -> NullSpace:
    """Complete the orthogonalised rows of A (Phong 1999, steps 1 and 2)."""
    arithmetic = rows.arithmetic
    basis = orthogonalise(rows.A, rows.c, arithmetic, pilot)
    particular = [arithmetic.zero] * rows.n
    for b, square, value in zip(basis.vectors, basis.squares, basis.right, strict=True):
        for j, entry in b.items():
            particular[j] = particular[j] + value / square * entry
    return NullSpace(complement(basis, rows.n, arithmetic, pilot), particular)


def by_elimination(rows: Rows, pilot: Pilot, free: frozenset[int] = frozenset()) -> NullSpace:
    """Solve for dependent coordinates: each column moves one independent coordinate by one.

    `free` names coordinates, by index, that are to be independent.
    """
    arithmetic = rows.arithmetic
    reduced = reduce_rows(rows.A, rows.c, arithmetic, pilot, free)
    particular = [arithmetic.zero] * rows.n
    for k, value in zip(reduced.pivots, reduced.right, strict=True):
        particular[k] = value
    columns: list[Vector] = []
    independent = tuple(j for j in range(rows.n) if j not in reduced.pivots)
    for j in independent:
        column: Vector = {j: arithmetic.one}
        for k, row in zip(reduced.pivots, reduced.rows, strict=True):
            if j in row:
                column[k] = -row[j]
        columns.append(column)
    return NullSpace(columns, particular, independent)


def lost_where(rows: Rows, columns: list[Vector], pilot: Pilot) -> Scalar:
    """Return the factor whose zeros are exactly the places where the columns are dependent although A has full rank.

    The minors of D are those of A on the complementary columns, times one common factor: this one.
    """
    arithmetic = rows.arithmetic
    reduced = reduce_rows(rows.A, rows.c, arithmetic, pilot)
    independent = [j for j in range(rows.n) if j not in reduced.pivots]
    square = [{k: column[j] for k, j in enumerate(independent) if j in column} for column in columns]
    zeros = [arithmetic.zero] * len(square)
    return reduce_rows(square, zeros, arithmetic, pilot).determinant / reduced.determinant


def clear(columns: list[Vector], field: Any) -> list[Vector]:
    """Write columns of formulas without denominators and common factors, those that begin first in front."""
    found = _combined([field.primitive(column) for column in columns], field)
    return sorted(found, key=lambda column: min(column))


def _combined(columns: list[Vector], field: Any) -> list[Vector]:
    """Put the sum or difference of two columns in the place of one, where that is shorter: a translation is so."""
    if not 1 < len(columns) <= _COMBINED:
        return columns
    for i, j in itertools.permutations(range(len(columns)), 2):
        if columns[i].keys() & columns[j].keys():
            for sign in (1, -1):
                total = {k: columns[i].get(k, field.zero) for k in columns[i].keys() | columns[j].keys()}
                total |= {k: total[k] + value if sign > 0 else total[k] - value for k, value in columns[j].items()}
                other = field.primitive(total)
                if _length(other, field) < _length(columns[i], field):
                    columns[i] = other
    return columns


def _length(column: Vector, field: Any) -> tuple[int, int]:
    return sum(map(field.length, column.values())), sum(value.numerator.total_degree() for value in column.values())
