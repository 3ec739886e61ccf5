"""Coefficients made of sines and cosines: as products, or as sums over combinations of angles, whichever is shorter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import symengine as se

from dalembert.algebra.writing.angles import Angles, Vector, Waves, multiple, waves
from dalembert.algebra.writing.cost import operations
from dalembert.algebra.writing.factoring import Atoms, arranged
from dalembert.algebra.writing.terms import Sum, add, expand, over, product

Powers = tuple[int, ...]  # (s₁, c₁, s₂, c₂, …)
Trigonometric = dict[Powers, Any]  # a polynomial in sines and cosines
Factors = Sequence[tuple[Trigonometric, int]]
_ONE: Sum = {(): 1}


class Trigonometry:
    """Ways of writing polynomials in the sines and cosines of base angles, over atoms that are sines and cosines."""

    def __init__(self, angles: Angles, atoms: Atoms):
        self.angles, self.atoms = angles, atoms
        self._known: dict[tuple, list[Sum]] = {}
        self._atoms: dict[tuple[Vector, bool], tuple[int, int]] = {}
        self._doubled: set[int] = set()  # atoms that are sines or cosines of multiples of an angle

    def ways(self, polynomial: Trigonometric, factors: Callable[[], Factors] = tuple) -> list[Sum]:
        """Return sums that are equal to a polynomial, the one that takes fewest operations first."""
        key = tuple(sorted(polynomial.items()))
        if key not in self._known:
            found = [self.plain(polynomial), *self._swapped(polynomial)]
            if any(sum(powers) > 1 for powers in polynomial):
                series = waves(polynomial)
                found += [self._series(series), *self._one_angle(series)]
            if len(polynomial) > 1 and (len(known := factors()) > 1 or (known and known[0][1] > 1)):
                found.append(self._multiplied(polynomial, known))
            unique = {tuple(sorted(way.items())): way for way in found}
            self._known[key] = sorted(unique.values(), key=lambda way: operations(arranged(way, self.atoms)))
        return self._known[key]

    def is_doubled(self, way: Sum) -> bool:
        """Tell whether there are sines or cosines of multiples of an angle in a sum."""
        return any(atom in self._doubled for monomial in way for atom, _ in monomial)

    def plain(self, polynomial: Trigonometric) -> Sum:
        """Write it as it is, in the base angles."""
        total: Sum = {}
        for powers, factor in polynomial.items():
            monomial: list[tuple[int, int]] = []
            number = over(factor, 1)
            for k, power in enumerate(powers):
                if power:
                    sign, atom = self._base[k]
                    number *= sign**power
                    monomial.append((atom, power))
            add(total, tuple(sorted(monomial)), number)
        return total

    def _swapped(self, polynomial: Trigonometric) -> Iterable[Sum]:
        """Write sin² in the place of 1 − cos², angle by angle and all of them."""
        angles = [k for k in range(len(self.angles.base)) if any(p[2 * k] > 1 or p[2 * k + 1] > 1 for p in polynomial)]
        options = [polynomial]
        for k in angles[:3]:
            options += [swapped(option, k) for option in options]
        return [self.plain(option) for option in options[1:]]

    def products(self, _: Any, polynomial: Trigonometric) -> Sum:
        """Write it in the base angles with sin² or cos², whichever has fewer terms: so squares are seen."""
        return min((self.plain(polynomial), *self._swapped(polynomial)), key=len)

    def _series(self, series: Waves) -> Sum:
        total: Sum = {}
        for vector, (cosine, sine) in series.items():
            if not any(vector):
                add(total, (), cosine)
                continue
            for factor, is_sine in ((cosine, False), (sine, True)):
                if factor:
                    sign, atom = self._atom(vector, is_sine)
                    add(total, ((atom, 1),), sign * factor)
        return total

    def _one_angle(self, series: Waves) -> list[Sum]:
        """Write what depends on one combination of angles as a polynomial in its sine and cosine."""
        vectors = [vector for vector in series if any(vector)]
        if not vectors:
            return []
        unit = _direction(vectors[0])
        multiples = [_multiple_of(vector, unit) for vector in series]
        if any(k is None for k in multiples):
            return []
        step = math.gcd(*[k for k in multiples if k is not None])
        steps = [step] if step % 2 else [step, step // 2]  # sin² of half the angle is 1 − cos of the angle
        found = []
        for size in steps:
            total: Trigonometric = {}
            for (cosine, sine), k in zip(series.values(), multiples, strict=True):
                for factor, powers in ((cosine, multiple(k // size)[0]), (sine, multiple(k // size)[1])):  # pyright: ignore
                    for exponents, value in powers.items():
                        total[exponents] = total.get(exponents, 0) + factor * value
            angle = tuple(size * k for k in unit)
            for option in (reduced(total, 0), reduced(total, 1)):
                found.append(self._in_one(option, angle))
        return found

    def _in_one(self, polynomial: Trigonometric, angle: Vector) -> Sum:
        total: Sum = {}
        for (s, c), factor in polynomial.items():
            number, monomial = over(factor, 1), ()
            for power, is_sine in ((s, True), (c, False)):
                if power:
                    sign, atom = self._atom(angle, is_sine)
                    number *= sign**power
                    monomial = product(monomial, ((atom, power),))
            add(total, monomial, number)
        return total

    def _multiplied(self, polynomial: Trigonometric, factors: Factors) -> Sum:
        """Write a product with each factor in its own way."""
        total = _ONE
        for factor, power in factors:
            way = self.ways(factor)[0]
            for _ in range(power):
                total = expand(total, way)
        powers = next(iter(polynomial))
        whole = _product_of(factors)
        ratio = Fraction(polynomial[powers]) / whole[powers]
        return {monomial: value * ratio for monomial, value in total.items()}

    @cached_property
    def _base(self) -> list[tuple[int, int]]:
        """The atoms of the sine and cosine of each base angle, with their signs."""
        n = len(self.angles.base)
        units = [tuple(int(i == k) for i in range(n)) for k in range(n)]
        return [self._atom(unit, sine) for unit in units for sine in (True, False)]

    def _atom(self, vector: Vector, sine: bool) -> tuple[int, int]:
        """Return the sign and the atom of the sine or cosine of an angle; SymEngine turns some angles round."""
        if (vector, sine) not in self._atoms:
            expr = (se.sin if sine else se.cos)(self.angles.angle(vector))
            sign = -1 if expr.is_Mul else 1
            self._atoms[vector, sine] = sign, self.atoms.index(sign * expr)
            if math.gcd(*vector) > 1:
                self._doubled.add(self._atoms[vector, sine][1])
        return self._atoms[vector, sine]


def _product_of(factors: Factors) -> dict[Powers, Fraction]:
    total: dict[Powers, Fraction] = {}
    first = True
    for factor, power in factors:
        for _ in range(power):
            if first:
                total, first = {p: Fraction(v) for p, v in factor.items()}, False
                continue
            new: dict[Powers, Fraction] = {}
            for a, x in total.items():
                for b, y in factor.items():
                    key = tuple(i + j for i, j in zip(a, b, strict=True))
                    new[key] = new.get(key, Fraction(0)) + x * y
            total = new
    return total


def swapped(polynomial: Trigonometric, angle: int) -> Trigonometric:
    """Write 1 − sin² for cos² of one angle."""
    return reduced(polynomial, 1, 2 * angle)


def reduced(polynomial: Trigonometric, cosine: int, first: int = 0) -> Trigonometric:
    """Write 1 − sin² for cos² (cosine = 1), or 1 − cos² for sin² (0), of the angle whose exponents begin at `first`."""
    total: Trigonometric = {}
    for powers, factor in polynomial.items():
        halves, rest = divmod(powers[first + cosine], 2)
        for k in range(halves + 1):
            exponents = list(powers)
            exponents[first + cosine] = rest
            exponents[first + 1 - cosine] += 2 * k
            key = tuple(exponents)
            value = total.get(key, 0) + factor * math.comb(halves, k) * (-1) ** k
            total[key] = value
    return {powers: value for powers, value in total.items() if value}


def _direction(vector: Vector) -> Vector:
    size = math.gcd(*vector)
    return tuple(k // size for k in vector)


def _multiple_of(vector: Vector, unit: Vector) -> int | None:
    at = next(i for i, k in enumerate(unit) if k)
    factor, rest = divmod(vector[at], unit[at])
    return factor if rest == 0 and all(v == factor * u for v, u in zip(vector, unit, strict=True)) else None
