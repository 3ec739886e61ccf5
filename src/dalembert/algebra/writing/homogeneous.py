"""Polynomials of sines and cosines with sin² + cos² in the place of 1, in which factors and squares can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Polynomial = Any  # flint's fmpz_mpoly
_DEGREE = 6  # in the sine and cosine of an angle, up to which 1 is written as sin² + cos²
_TERMS = 60  # of a polynomial that is looked at


def homogeneous(field: Any, polynomial: Polynomial) -> list[Polynomial]:
    """Write sin² + cos² for 1 until terms have the same degree in the sine and cosine of each angle.

    All terms of a polynomial, or all that are multiplied by the same: p² − 2 p sin φ + 1 − cos² φ is a square.
    """
    found = []
    for together in (True, False):
        other = polynomial
        for s, c in field.sine_pairs:
            if other is not None and len(other) <= _TERMS:
                other = _of_one_degree(field, other, (s, c), together)
        if other is not None and len(other) <= _TERMS and other != polynomial:
            found.append(other)
    return found


def _of_one_degree(field: Any, polynomial: Polynomial, pair: tuple[int, int], together: bool) -> Polynomial | None:
    """Write terms in one degree of a sine and cosine; None if they cannot be."""
    context, one = polynomial.context(), field.square_sum(*pair)
    waves = {k for other in field.sine_pairs for k in other}
    groups: dict[tuple[int, ...], dict[int, dict[tuple[int, ...], Any]]] = {}
    for monomial, factor in polynomial.to_dict().items():
        key = () if together else tuple(0 if i in waves else int(k) for i, k in enumerate(monomial))
        degree = sum(int(monomial[k]) for k in pair)
        groups.setdefault(key, {}).setdefault(degree, {})[monomial] = factor
    total = 0 * polynomial
    for degrees in groups.values():
        top = max(degrees)
        if top > _DEGREE or any((top - degree) % 2 for degree in degrees):
            return None
        for degree, part in degrees.items():
            total += context.from_dict(part) * one ** ((top - degree) // 2)
    return total


def without_conjugates(factors: Sequence[tuple[Polynomial, int]]) -> list[tuple[Polynomial, int]]:
    """Write a² − b² for (a + b)(a − b), which is not longer."""
    found: list[tuple[Polynomial, int]] = []
    for factor, power in factors:
        for k, (other, times) in enumerate(found):
            if times == power and len(factor) == len(other) == len(whole := factor * other) == 2:
                found[k] = whole, power
                break
        else:
            found.append((factor, power))
    return found
