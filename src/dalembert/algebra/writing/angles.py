"""Sines and cosines of sums: in those of base angles to compute with, in those of combinations to be read.

sin(α + β) is sin α cos β + cos α sin β inside, so that whatever vanishes is seen to vanish; what is written goes
through the Fourier (Poisson) series of a formula, in which sin α cos β − cos α sin β is sin(α − β) again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.decimals import meant
from dalembert.algebra.writing.terms import Factor, over
from dalembert.language.building import Expr

MAX_MULTIPLE = 6  # of a base angle; sin(27 x) beside sin(10 x) is an angle of its own
_MOST, _FEW = 4, 4  # multiples that are tried, of so many base angles
Vector = tuple[int, ...]
Waves = dict[Vector, tuple[Factor, Factor]]  # by angle: factors of its cosine and of its sine


class Angles:
    """The base angles of some arguments of sines and cosines, and the arguments as multiples of them.

    apart: whether each argument is an angle by itself, whatever it is the sum of.
    """

    def __init__(self, arguments: Iterable[Expr], apart: bool = False):
        self._terms = {a: {a: Fraction(1)} if apart else _terms(a) for a in arguments}
        self._refuse_large_multiples()
        units = _units(list(self._terms.values()))
        self.base: list[Expr] = []
        self._vectors: dict[Expr, Vector] = {}
        for group in _connected(self._terms):
            self._lay_out(group, units)
        self._vectors = {a: v + (0,) * (len(self.base) - len(v)) for a, v in self._vectors.items()}

    def vector(self, argument: Expr) -> Vector:
        """Return the multiples of the base angles that make up an argument; KeyError if they do not."""
        if argument not in self._vectors:
            self._vectors[argument] = self._multiples(argument)
        return self._vectors[argument]

    def _multiples(self, argument: Expr) -> Vector:
        parts = [_terms(base, math.inf) for base in self.base]
        wanted = _terms(argument, math.inf)
        names = list(dict.fromkeys(name for terms in (*parts, wanted) for name in terms))
        columns = np.array([[float(terms.get(name, 0)) for terms in parts] for name in names])
        right = np.array([float(wanted.get(name, 0)) for name in names])
        for found in _whole_solutions(columns, right):
            if np.abs(columns @ found - right).max() < 1e-9:
                return tuple(int(k) for k in found)
        raise KeyError(argument)

    def angle(self, vector: Sequence[int]) -> Expr:
        """Return an angle from its multiples."""
        found = se.expand(se.Add(*[k * base for k, base in zip(vector, self.base, strict=True) if k]))
        self._vectors.setdefault(found, tuple(vector))
        return found

    def _refuse_large_multiples(self) -> None:
        """Let arguments be angles of their own that would be large multiples of a common unit."""
        units = _units(list(self._terms.values()))
        for argument, terms in self._terms.items():
            if any(abs(factor / units[name]) > MAX_MULTIPLE for name, factor in terms.items()):
                self._terms[argument] = {argument: Fraction(1)}

    def _lay_out(self, group: list[Expr], units: dict[Expr, Fraction]) -> None:
        names = list(dict.fromkeys(name for argument in group for name in self._terms[argument]))
        rows = [tuple(int(self._terms[argument].get(name, 0) / units[name]) for name in names) for argument in group]
        first = len(self.base)
        chosen = _basis(rows) if len(names) > 1 else None
        if chosen is None:  # each name is an angle by itself
            self.base += [_scaled(units[name], name) for name in names]
        else:  # angles that only appear together are one
            self.base += [group[k] for k in chosen]
            inverse = np.linalg.pinv(np.array([rows[k] for k in chosen], dtype=float))
            rows = [tuple(round(float(x)) for x in np.array(row) @ inverse) for row in rows]
        for argument, row in zip(group, rows, strict=True):
            self._vectors[argument] = (0,) * first + row


def _scaled(unit: Fraction, name: Expr) -> Expr:
    return se.Rational(unit.numerator, unit.denominator) * name


def _whole_solutions(columns: np.ndarray, right: np.ndarray) -> Iterator[np.ndarray]:
    """Propose whole numbers that solve linear equations: those next to the solution, else small ones.

    There are several where angles are multiples of one coordinate, 0.73 q and q.
    """
    count = columns.shape[1]
    if count:
        yield np.round(np.linalg.lstsq(columns, right)[0])
        near = np.flatnonzero(np.abs(columns[right != 0]).sum(axis=0)) if np.any(right) else np.zeros(0, dtype=int)
        for multiples in product(range(-_MOST, _MOST + 1), repeat=len(near)) if len(near) <= _FEW else ():
            found = np.zeros(count)
            found[near] = multiples
            yield found


def _terms(argument: Expr, largest: float = 60) -> dict[Expr, Fraction]:
    """Return the terms of an argument with their factors; one with a number among them is not taken apart.

    Nor is one with a factor that is no fraction of a denominator up to `largest`.
    """
    found: dict[Expr, Fraction] = {}
    expanded = se.expand(argument)
    for term in expanded.args if expanded.is_Add else (expanded,):
        factor, rest = Fraction(1), term
        if term.is_Mul and term.args[0].is_Number:
            factor, rest = _exact(term.args[0]), se.Mul(*term.args[1:])
        if rest.is_Number or rest == se.pi or abs(factor.denominator) > largest:
            return {argument: Fraction(1)}
        found[rest] = factor
    return found or {expanded: Fraction(1)}


def _exact(number: Expr) -> Fraction:
    return meant(float(number)) if type(number).__name__ == "RealDouble" else Fraction(str(number))


def _units(arguments: list[dict[Expr, Fraction]]) -> dict[Expr, Fraction]:
    """Return by name the largest number of which all factors are multiples."""
    units: dict[Expr, Fraction] = {}
    for terms in arguments:
        for name, factor in terms.items():
            before = units.get(name, Fraction(0))
            shared = math.lcm(before.denominator, factor.denominator)
            units[name] = Fraction(math.gcd(int(before * shared), int(factor * shared)), shared)
    return units


def _connected(arguments: dict[Expr, dict[Expr, Fraction]]) -> list[list[Expr]]:
    """Return arguments in groups that share names."""
    groups: list[tuple[set[Expr], list[Expr]]] = []
    for argument, terms in arguments.items():
        names, members = set(terms), [argument]
        for other in [group for group in groups if group[0] & names]:
            groups.remove(other)
            names, members = names | other[0], other[1] + members
        groups.append((names, members))
    return [members for _, members in groups]


def _basis(rows: list[Vector]) -> list[int] | None:
    """Return arguments of which all are whole combinations, if fewer than there are names; None if there are none."""
    matrix = np.array(rows, dtype=float)
    rank = int(np.linalg.matrix_rank(matrix))
    if rank == matrix.shape[1] or rank > 6:
        return None
    for chosen in combinations(range(len(rows)), rank):
        part = matrix[list(chosen)]
        if np.linalg.matrix_rank(part) < rank:
            continue
        multiples = matrix @ np.linalg.pinv(part)
        if np.allclose(multiples, np.round(multiples), atol=1e-9) and np.abs(multiples).max() <= MAX_MULTIPLE:
            return list(chosen)
    return None


# --- powers of sines and cosines as waves -----------------------------------------------------------------------------


@cache
def _waves(sines: int, cosines: int) -> dict[int, int]:
    """Return (2i sin x)ᵃ (2 cos x)ᵇ as a sum of e^{ikx}, whose factors are whole numbers."""
    found = {0: 1}
    for k in range(sines + cosines):
        product: dict[int, int] = {}
        for frequency, value in found.items():  # e + e⁻, or e − e⁻
            product[frequency + 1] = product.get(frequency + 1, 0) + value
            product[frequency - 1] = product.get(frequency - 1, 0) + (-value if k < sines else value)
        found = {frequency: value for frequency, value in product.items() if value}
    return found


def waves(polynomial: dict[tuple[int, ...], Any]) -> Waves:
    """Return the Poisson series of a polynomial in sines and cosines; exponents are (s₁, c₁, s₂, c₂, …).

    >>> waves({(1, 0, 0, 1): 1, (0, 1, 1, 0): -1})  # sin α cos β − cos α sin β
    {(1, -1): (0, 1)}
    """
    most = max(map(sum, polynomial), default=0)  # all is multiplied by two to this power, so that it stays whole
    total: tuple[dict[Vector, Any], dict[Vector, Any]] = {}, {}  # real and imaginary parts of the factors
    for powers, coefficient in polynomial.items():
        turns = sum(powers[::2]) % 4  # each sine brings 1/i
        product: dict[Vector, Any] = {(): coefficient * 2 ** (most - sum(powers)) * (1, -1, -1, 1)[turns]}
        for s, c in zip(powers[::2], powers[1::2], strict=True):
            product = {
                (*vector, k): value * factor for vector, value in product.items() for k, factor in _waves(s, c).items()
            }
        part = total[turns % 2]
        for vector, value in product.items():
            part[vector] = part.get(vector, 0) + value
    found: Waves = {}
    for vector in dict.fromkeys((*total[0], *total[1])):
        re, im = (part.get(vector, 0) for part in total)
        first = next((k for k in vector if k), 0)
        if (re or im) and first >= 0:
            found[vector] = (over(2 * re, 2**most), over(-2 * im, 2**most)) if first else (over(re, 2**most), 0)
    return found


@cache
def multiple(k: int) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
    """Return cos kx and sin kx as polynomials in sin x and cos x, by their exponents."""
    if k < 0:
        cosine, sine = multiple(-k)
        return cosine, {powers: -value for powers, value in sine.items()}
    cosine: dict[tuple[int, int], int] = {(0, 0): 1}
    sine: dict[tuple[int, int], int] = {}
    for _ in range(k):
        cosine, sine = _turned(cosine, sine)
    return cosine, sine


def _turned(cosine: dict, sine: dict) -> tuple[dict, dict]:
    """Add one angle x: cos(α + x) = cos α cos x − sin α sin x, and sin(α + x)."""
    new_cosine: dict[tuple[int, int], int] = {}
    new_sine: dict[tuple[int, int], int] = {}
    for (s, c), value in cosine.items():
        new_cosine[s, c + 1] = new_cosine.get((s, c + 1), 0) + value
        new_sine[s + 1, c] = new_sine.get((s + 1, c), 0) + value
    for (s, c), value in sine.items():
        new_cosine[s + 1, c] = new_cosine.get((s + 1, c), 0) - value
        new_sine[s, c + 1] = new_sine.get((s, c + 1), 0) + value
    return new_cosine, new_sine
