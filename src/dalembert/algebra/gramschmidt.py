"""Gram–Schmidt orthogonalisation of sparse rows and of their complement, without roots, over any arithmetic.

Phong 1999: step 1 makes the rows of A orthogonal and finds redundant ones; step 2 completes them to a basis of the
whole space by vectors dᵢ, which span the null space of A. The vectors are not normalised, so that formulas have no
roots, and each starts from the unit vector xᵢ with the largest remainder, which the pilot chooses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dalembert.algebra.pilot import Pilot

Scalar = Any
Vector = dict[int, Scalar]


@dataclass
class Orthogonal:
    """Orthogonal vectors with the same span as the rows, their squares, and right sides transformed like the rows."""

    vectors: list[Vector] = field(default_factory=list)
    squares: list[Scalar] = field(default_factory=list)
    right: list[Scalar] = field(default_factory=list)
    redundant: list[int] = field(default_factory=list)


def dot(a: Vector, b: Vector, arithmetic: Any) -> Scalar:
    """Multiply two sparse vectors."""
    if len(b) < len(a):
        a, b = b, a
    total = arithmetic.zero
    for k, value in a.items():
        if k in b:
            total = total + value * b[k]
    return total


def subtract(a: Vector, factor: Scalar, b: Vector) -> Vector:
    """Return a − factor·b."""
    result = dict(a)
    for k, value in b.items():
        part = factor * value
        result[k] = result[k] - part if k in result else -part
    return result


def _passes(arithmetic: Any) -> int:
    """Say how often to orthogonalise: where numbers are rounded, a second pass takes away what the first left."""
    return 2 if arithmetic.rounds else 1


def orthogonalise(rows: list[Vector], right: list[Scalar], arithmetic: Any, pilot: Pilot) -> Orthogonal:
    """Make rows orthogonal, in turn; a row without remainder is redundant (Phong 1999, step 1)."""
    result = Orthogonal()
    for i, row in enumerate(rows):
        rest, value = row, right[i]
        for _ in range(_passes(arithmetic)):
            for b, square, b_right in zip(result.vectors, result.squares, result.right, strict=True):
                if not b.keys().isdisjoint(rest):
                    factor = dot(rest, b, arithmetic) / square
                    rest, value = subtract(rest, factor, b), value - factor * b_right
        square = dot(rest, rest, arithmetic)
        if pilot.decide(lambda row=row, square=square: arithmetic.negligible(square, dot(row, row, arithmetic))):
            result.redundant.append(i)
            continue
        result.vectors.append(rest)
        result.squares.append(square)
        result.right.append(value)
    return result


def complement(basis: Orthogonal, size: int, arithmetic: Any, pilot: Pilot) -> list[Vector]:
    """Complete orthogonal vectors to a basis of the space; return the vectors added (Phong 1999, step 2)."""
    vectors, squares = list(basis.vectors), list(basis.squares)
    added: list[Vector] = []
    chosen: set[int] = set()
    for _ in range(size - len(basis.vectors)):
        k = pilot.decide(lambda: _largest_remainder(vectors, squares, size, chosen, arithmetic))
        chosen.add(k)
        rest: Vector = {k: arithmetic.one}
        for _ in range(_passes(arithmetic)):
            for b, square in zip(vectors, squares, strict=True):
                if not b.keys().isdisjoint(rest):
                    rest = subtract(rest, dot(rest, b, arithmetic) / square, b)
        added.append(rest)
        vectors.append(rest)
        squares.append(dot(rest, rest, arithmetic))
    return added


def _largest_remainder(
    vectors: list[Vector], squares: list[Scalar], size: int, chosen: set[int], arithmetic: Any
) -> int:
    """Return the unit vector that is farthest from the span of orthogonal vectors."""
    rest = remainders(vectors, squares, size, arithmetic)
    candidates = [k for k in range(size) if k not in chosen]
    best = max(arithmetic.weight(rest[k]) for k in candidates)
    return next(k for k in candidates if arithmetic.weight(rest[k]) >= 0.5 * best)  # the first that is good enough


def remainders(vectors: list[Vector], squares: list[Scalar], size: int, arithmetic: Any) -> list[Scalar]:
    """Return of each unit vector the square of what is left of it outside the span of orthogonal vectors."""
    rest: list[Scalar] = [arithmetic.one] * size
    for b, square in zip(vectors, squares, strict=True):
        for k, value in b.items():
            rest[k] = rest[k] - value * value / square
    return rest
