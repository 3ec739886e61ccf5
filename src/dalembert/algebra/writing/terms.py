"""Sums of products of atoms, as a person has them in mind: monomials with exact factors.

An atom is whatever is written in one piece: a symbol, the sine of an angle, a sum in parentheses. A monomial is a tuple
of pairs (atom, exponent), sorted; a sum maps monomials to their factors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

Monomial = tuple[tuple[int, int], ...]
Factor = int | Fraction
Sum = dict[Monomial, Factor]


def product(one: Monomial, other: Monomial) -> Monomial:
    """Multiply two monomials."""
    if not one or not other:
        return one or other
    powers = dict(one)
    for atom, power in other:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items()))


def quotient(one: Monomial, other: Monomial) -> Monomial | None:
    """Divide a monomial by another; None if it does not go."""
    powers = dict(one)
    for atom, power in other:
        left = powers.get(atom, 0) - power
        if left < 0:
            return None
        if left:
            powers[atom] = left
        else:
            del powers[atom]
    return tuple(powers.items())  # as sorted as before


def common(one: Monomial, other: Monomial) -> Monomial:
    """Return the greatest monomial that divides both."""
    powers = dict(other)
    return tuple((atom, min(power, powers[atom])) for atom, power in one if atom in powers)


def parted(one: Monomial, other: Monomial) -> tuple[Monomial, Monomial, Monomial]:
    """Return what two monomials share, and what each has beside it."""
    shared: list[tuple[int, int]] = []
    first: list[tuple[int, int]] = []
    powers = dict(other)
    for atom, power in one:
        match = powers.pop(atom, 0)
        if not match:
            first.append((atom, power))
            continue
        shared.append((atom, min(power, match)))
        if power > match:
            first.append((atom, power - match))
        elif match > power:
            powers[atom] = match - power
    return tuple(shared), tuple(first), tuple(powers.items())


def common_of(monomials: Iterable[Monomial]) -> Monomial:
    """Return the greatest monomial that divides all."""
    rest = iter(monomials)
    shared = next(rest)
    for monomial in rest:
        if not shared:
            break
        shared = common(shared, monomial)
    return shared


def content(numbers: Iterable[Factor]) -> Factor:
    """Return the number by which factors become whole without a common divisor.

    >>> content([Fraction(3, 2), Fraction(9, 4)]), content([4, -6])
    (Fraction(3, 4), 2)
    """
    values = list(numbers)
    below = math.lcm(*(value.denominator for value in values))
    above = math.gcd(*(value.numerator * (below // value.denominator) for value in values))
    return above if below == 1 else Fraction(above, below)


def over(above: Factor, below: Factor) -> Factor:
    """Divide exactly; a whole number where it is one, which is quicker to compute with."""
    if isinstance(above, int) and isinstance(below, int):
        whole, rest = divmod(above, below)
        return Fraction(above, below) if rest else whole
    found = Fraction(above) / below
    return found.numerator if found.denominator == 1 else found


def add(total: Sum, monomial: Monomial, factor: Factor) -> None:
    """Add a term to a sum; what vanishes is taken out."""
    value = total.get(monomial, 0) + factor
    if value:
        total[monomial] = value
    else:
        total.pop(monomial, None)


def expand(one: Sum, other: Sum) -> Sum:
    """Multiply two sums term by term."""
    total: Sum = {}
    for a, x in one.items():
        for b, y in other.items():
            add(total, product(a, b), x * y)
    return total


def divided(terms: Sum, monomial: Monomial, number: Factor) -> Sum:
    """Divide a sum by a monomial and a number; it must go."""
    if not monomial:
        return {m: over(factor, number) for m, factor in terms.items()}
    return {quotient(m, monomial) or (): over(factor, number) for m, factor in terms.items()}
