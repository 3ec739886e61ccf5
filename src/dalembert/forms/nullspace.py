"""Bases of the null space of A: by Gram–Schmidt (Phong) and by elimination (independent coordinates)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert.algebra.elimination import reduce_rows
from dalembert.algebra.gramschmidt import Scalar, Vector, complement, orthogonalise
from dalembert.algebra.pilot import Pilot
from dalembert.forms.scene import Rows


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
    return sorted((field.primitive(column) for column in columns), key=lambda column: min(column))
