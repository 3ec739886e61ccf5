"""Exact arithmetic of formulas: rational functions of symbols, sines, cosines and roots, always in lowest terms.

A formula is a quotient of two integer polynomials in generators: symbols, and every sin, cos, root or other function
that appears. sin² + cos² = 1 and (√u)² = u are reduced away after every operation, so a formula that vanishes is seen
to vanish, and sizes stay those of results instead of those of computations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction as Number
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se
from flint import Ordering, fmpz_mpoly_ctx

from dalembert.algebra.decimals import meant
from dalembert.algebra.generators import atoms, is_root, parts
from dalembert.algebra.quotient import Quotient
from dalembert.algebra.writing.angles import Angles, multiple
from dalembert.algebra.writing.writer import Writer
from dalembert.arrays import Array
from dalembert.errors import DerivationError
from dalembert.language.building import is_numeral
from dalembert.language.program import Program
from dalembert.language.walk import fold

Expr = Any  # a SymEngine expression
Polynomial = Any  # flint's fmpz_mpoly

MAX_TERMS = 1_000  # of one polynomial: beyond this no person reads a formula
MAX_WORK = 100_000_000  # products of terms, for one set of formulas: about a second
_PRODUCT = 30  # times as many terms may a product have before it is reduced
_BITS = 900  # of integers that a float can hold, with room for what they are multiplied by
_SEARCHED = 60  # up to this many terms shorter ways of writing a formula are looked for
_NOISE = 1e-13  # of the largest term, up to which a sum is taken for zero
_VARIANTS = 4  # of sin² and cos² that are tried


class TooLarge(DerivationError):
    """A formula has grown beyond what anybody would read."""


class Field:
    """The rational functions of the generators that appear in some expressions, with values at pilot points."""

    rounds = False

    def __init__(
        self,
        expressions: Iterable[Expr],
        extra: Sequence[Expr] = (),
        most: int = MAX_TERMS,
        momenta: Sequence[Expr] = (),
        apart: bool = True,
    ):
        self._most = most  # terms of a polynomial, before common factors are cancelled
        self._left = math.inf  # of the work that may be done
        roots, sines, others = atoms([*expressions, *extra, *momenta])
        self.angles = Angles(sines, apart)
        pairs = [function(base) for base in self.angles.base for function in (se.sin, se.cos)]
        # roots first, then sines before cosines: the leading terms of the relations
        self.generators: list[Expr] = [*roots, *pairs, *others]
        self._index = {generator: i for i, generator in enumerate(self.generators)}
        names = [f"g{i}" for i in range(len(self.generators))] or ["g0"]
        self._context = fmpz_mpoly_ctx.get(names, Ordering.lex)
        self._gens = self._context.gens()
        self.unit: Polynomial = self._constant(1)
        self.zero, self.one = Quotient(self, self._constant(0)), Quotient(self, self._constant(1))
        self._memo: dict[Expr, Quotient] = {}
        self._known_factors: dict[str, tuple[Any, list[tuple[Polynomial, int]]]] = {}
        self.sine_pairs = [(len(roots) + 2 * k, len(roots) + 2 * k + 1) for k in range(len(self.angles.base))]
        self.momenta: frozenset[Expr] = frozenset(momenta)
        self._relations: list[Polynomial] = [self._gens[s] ** 2 + self._gens[c] ** 2 - 1 for s, c in self.sine_pairs]
        for i, root in enumerate(roots):
            square = self.read(root.args[0])
            if square.denominator.is_one():
                self._relations.insert(0, self._gens[i] ** 2 - square.numerator)
        self._memo.clear()  # what was read before all relations were known may not be reduced
        self._points: Array | None = None

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Give up, as with too many terms, after more work than a reader would wait for."""
        self._left = MAX_WORK
        try:
            yield
        finally:
            self._left = math.inf

    def work(self, one: Polynomial, other: Polynomial) -> None:
        """Count the work of a common divisor, in products of terms."""
        self._left -= len(one) * len(other)
        if self._left < 0:
            raise TooLarge(f"more than {MAX_WORK} products of terms")

    def _constant(self, value: int) -> Polynomial:
        return self._context.constant(value)

    # --- reading and writing ---------------------------------------------------------------------------------------

    def read(self, expr: Expr) -> Quotient:
        """Turn a SymEngine expression into a formula."""
        return fold(se.sympify(expr), self._node, self._memo, parts)

    def _node(self, node: Expr, below: list[Quotient]) -> Quotient:
        if node.is_Number:
            exact = meant(float(node)) if type(node).__name__ == "RealDouble" else Number(str(node))
            return Quotient(self, self._constant(exact.numerator), self._constant(exact.denominator))
        if node.is_Add:
            return sum(below, self.zero)
        if node.is_Mul:
            return math.prod(below, start=self.one)
        if node.is_Pow and node.args[1].is_Integer:
            return below[0] ** int(node.args[1])
        if is_root(node):
            return self.generator(se.sqrt(node.args[0])) ** int(2 * node.args[1])
        if isinstance(node, (se.sin, se.cos, se.tan)):
            cosine, sine = self._turned(node.args[0])
            return sine if isinstance(node, se.sin) else cosine if isinstance(node, se.cos) else sine / cosine
        if node in self._index:
            return self.generator(node)
        if node.is_Pow and 1 / node in self._index:  # exp(−u) where exp(u) is known
            return self.one / self.generator(1 / node)
        raise TooLarge(f"{node} is not among the generators")

    def _turned(self, argument: Expr) -> tuple[Quotient, Quotient]:
        """Return cosine and sine of an argument, in those of the base angles."""
        cosine, sine = self.one, self.zero
        try:
            vector = self.angles.vector(argument)
        except KeyError:
            raise TooLarge(f"{argument} is no sum of the angles that are known") from None
        for k, (s, c) in zip(vector, self.sine_pairs, strict=True):
            if k:
                x, y = (self._wave(part, s, c) for part in multiple(k))
                cosine, sine = cosine * x - sine * y, sine * x + cosine * y
        return cosine, sine

    def _wave(self, terms: Mapping[tuple[int, int], int], s: int, c: int) -> Quotient:
        total = self._constant(0)
        for (a, b), factor in terms.items():
            total += factor * self._gens[s] ** a * self._gens[c] ** b
        return Quotient(self, total, self.unit)

    def generator(self, atom: Expr) -> Quotient:
        """Return a generator as a formula."""
        return Quotient(self, self._gens[self._index[atom]])

    def write(self, formula: Quotient) -> Expr:
        """Turn a formula into the shortest SymEngine expression among some equivalent ones."""
        if self.length(formula) > _SEARCHED:
            return self._expanded(formula.numerator) / self._expanded(formula.denominator)
        candidates = []
        for numerator, denominator in self._variants(formula):
            common = numerator.gcd(denominator)
            numerator, denominator = numerator // common, denominator // common
            if np.all(self.polynomial_values(denominator) < 0):
                numerator, denominator = -numerator, -denominator
            bottom = min((self._expanded(denominator), self._factored(denominator)), key=_length)
            candidates += [self._expanded(numerator) / bottom, self._factored(numerator) / bottom]
            whole, rest = divmod(numerator, denominator)  # as a sum: what can be divided, and the rest
            if not (denominator.is_constant() or whole.is_zero() or rest.is_zero()):
                candidates.append(self._factored(whole) + self._factored(rest) / bottom)
        return min(candidates, key=_length)

    @cached_property
    def writer(self) -> Writer:
        """What writes formulas of this field in few operations."""
        return Writer(self)

    def _variants(self, formula: Quotient) -> list[tuple[Polynomial, Polynomial]]:
        """Return the quotient with sin² or cos² reduced, in numerator and denominator, angle by angle."""
        variants = [(formula.numerator, formula.denominator)]
        for s, c in self.sine_pairs:
            more = []
            for numerator, denominator in variants:
                tops = {str(p): p for p in (numerator, self.swap(numerator, s, c))}.values()
                bottoms = {str(p): p for p in (denominator, self.swap(denominator, s, c))}.values()
                more += [(top, bottom) for top in tops for bottom in bottoms]
            variants = sorted(more, key=lambda pair: len(pair[0]) + len(pair[1]))[:_VARIANTS]
        return variants

    def swap(self, polynomial: Polynomial, s: int, c: int) -> Polynomial:
        """Write 1 − sin² for cos² in a polynomial: the opposite of the normal form."""
        result = self._constant(0)
        for monomial, coefficient in polynomial.to_dict().items():
            powers = [int(power) for power in monomial]
            halves, powers[c] = divmod(powers[c], 2)
            term = self._context.term(coeff=coefficient, exp_vec=tuple(powers))
            result += term * (1 - self._gens[s] ** 2) ** halves
        return result

    def _expanded(self, polynomial: Polynomial) -> Expr:
        return se.Add(*[self._term(m, int(k)) for m, k in polynomial.to_dict().items()])

    def _factored(self, polynomial: Polynomial) -> Expr:
        if polynomial.is_zero():
            return se.Integer(0)
        content, factors = self.factors(polynomial)
        return se.Mul(se.Integer(int(content)), *[self._expanded(p) ** int(k) for p, k in factors])

    def _term(self, monomial: tuple[int, ...], coefficient: int) -> Expr:
        powers = [g ** int(k) for g, k in zip(self.generators, monomial, strict=False) if k]
        return se.Mul(se.Integer(coefficient), *powers)

    def square_sum(self, s: int, c: int) -> Polynomial:
        """Return sin² + cos² of an angle, not reduced."""
        return self._gens[s] ** 2 + self._gens[c] ** 2

    def quotient(self, numerator: Polynomial, denominator: Polynomial) -> Quotient:
        """Return a formula from two polynomials."""
        return Quotient(self, numerator, denominator)

    def substitute(self, formula: Quotient, values: Mapping[Expr, Quotient]) -> Quotient:
        """Put formulas in the place of generators."""
        known = {self._index[symbol]: value for symbol, value in values.items() if symbol in self._index}
        return self._put(formula.numerator, known) / self._put(formula.denominator, known)

    def _put(self, polynomial: Polynomial, values: Mapping[int, Quotient]) -> Quotient:
        groups: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
        for monomial, coefficient in polynomial.to_dict().items():
            powers = tuple(int(monomial[i]) for i in values)
            rest = tuple(0 if i in values else k for i, k in enumerate(monomial))
            groups.setdefault(powers, {})[rest] = coefficient
        total = self.zero
        for powers, terms in groups.items():
            part = Quotient(self, self._context.from_dict(terms), self.unit)
            for power, value in zip(powers, values.values(), strict=True):
                part = part * value**power
            total = total + part
        return total

    def factors(self, polynomial: Polynomial) -> tuple[Any, list[tuple[Polynomial, int]]]:
        """Return the number and the irreducible factors of a polynomial, with their powers."""
        key = str(polynomial)
        if key not in self._known_factors:
            self._known_factors[key] = _factors(polynomial)
        return self._known_factors[key]

    def zeros(self, formula: Quotient, constant: frozenset[str]) -> list[Expr]:
        """Return the factors whose zeros are those of a formula; not those of parameters, nor such as 1 + x²."""
        found = []
        for factor, _ in min(
            (_factors(p)[1] for p, _ in self._variants(formula)), key=lambda fs: sum(len(p) for p, _ in fs)
        ):
            expr = self._expanded(factor)
            varies = any(symbol.name not in constant and not is_numeral(symbol) for symbol in expr.free_symbols)
            if varies and not _never_zero(expr, factor):
                found.append(expr)
        return found

    def primitive(self, vector: dict[int, Quotient]) -> dict[int, Quotient]:
        """Scale a vector so that it has no denominators, no common factors, and few minus signs."""
        vector = {k: value for k, value in sorted(vector.items()) if not value.numerator.is_zero()}
        if not vector:
            return vector
        common = self._constant(1)
        for value in vector.values():
            common = common * value.denominator // common.gcd(value.denominator)
        whole = {k: self.reduce(v.numerator * (common // v.denominator)) for k, v in vector.items()}
        choices = [whole]
        for s, c in self.sine_pairs[:6]:  # a factor may be visible only with sin² or only with cos² written out
            choices += [{k: self.swap(p, s, c) for k, p in choice.items()} for choice in choices]
        best = min((self._without_content(choice) for choice in choices), key=lambda v: sum(map(len, v.values())))
        leading = [1 if polynomial.leading_coefficient() > 0 else -1 for polynomial in best.values()]
        sign = leading[0] if sum(leading) == 0 else 1 if sum(leading) > 0 else -1
        return {k: Quotient(self, sign * polynomial, self._constant(1)) for k, polynomial in best.items()}

    def _without_content(self, vector: dict[int, Polynomial]) -> dict[int, Polynomial]:
        content = self._constant(0)
        for polynomial in vector.values():
            content = content.gcd(polynomial)
        return {k: polynomial // content for k, polynomial in vector.items()}

    # --- reduction -------------------------------------------------------------------------------------------------

    def reduce(self, polynomial: Polynomial) -> Polynomial:
        """Bring a polynomial to normal form modulo the relations."""
        for relation in self._relations:
            if len(polynomial) > 1 or polynomial.total_degree() > 1:
                polynomial = divmod(polynomial, relation)[1]
        if len(polynomial) > self._most:
            raise TooLarge(f"a formula has more than {self._most} terms")
        return polynomial

    def product(self, one: Polynomial, other: Polynomial) -> Polynomial:
        """Multiply; a product of so many terms that no relation makes it readable again is not even begun."""
        if len(one) * len(other) > _PRODUCT * self._most:
            raise TooLarge(f"a product of {len(one)} and {len(other)} terms")
        return one * other

    # --- the pilot -------------------------------------------------------------------------------------------------

    def set_points(self, inputs: Sequence[Expr], values: Array) -> None:
        """Give the values of the symbols at the pilot's points, as an array (symbols, points)."""
        self._points = Program(list(inputs), self.generators).arrays(list(values)) if self.generators else None

    def values(self, formula: Quotient) -> Array:
        """Evaluate a formula at the pilot's points."""
        parts = formula.numerator, formula.denominator
        size = max(map(_size, parts))
        top, bottom = (self.polynomial_values(part, size) for part in parts)
        return top / bottom

    def polynomial_values(self, polynomial: Polynomial, size: int | None = None) -> Array:
        """Evaluate a polynomial at the pilot's points; if no float could hold it, in a power of two that depends on it.

        size: in bits, of the largest coefficient of all that are compared.
        """
        points, unit = self._points, 1 << max((_size(polynomial) if size is None else size) - _BITS, 0)
        if points is None:
            plain = polynomial.is_constant()
            return np.array([int(sum(polynomial.coeffs())) / unit]) if plain else np.array([np.nan])
        return sum(self._terms(polynomial, points, unit), np.zeros(points.shape[1]))

    @staticmethod
    def _terms(polynomial: Polynomial, points: Array, unit: int) -> Iterator[Array]:
        for monomial, coefficient in polynomial.to_dict().items():
            used = [i for i, k in enumerate(monomial) if k]
            powers = np.array([int(monomial[i]) for i in used])[:, None]
            yield int(coefficient) / unit * np.prod(points[used] ** powers, axis=0)

    def is_lost(self, polynomial: Polynomial) -> bool:
        """Tell whether a polynomial vanishes at all points of the pilot, although not as an identity: 0.3 − 3·0.1."""
        if self._points is None or len(polynomial) < 2:
            return False
        terms = np.array(list(self._terms(polynomial, self._points, 1 << max(_size(polynomial) - _BITS, 0))))
        return bool(np.all(np.abs(terms.sum(axis=0)) <= _NOISE * np.abs(terms).max(axis=0)))

    # --- what generic algorithms ask of an arithmetic --------------------------------------------------------------

    def is_zero(self, formula: Quotient) -> bool:
        """Tell whether a formula vanishes."""
        return formula.numerator.is_zero()

    def negligible(self, formula: Quotient, reference: Quotient) -> bool:
        """Tell whether a formula vanishes, at least on the constraint manifold, where the pilot's points lie."""
        if self.is_zero(formula):
            return True
        if self._points is None:
            return False
        return bool(np.all(np.abs(self.values(formula)) <= 1e-12 * np.abs(self.values(reference))))

    def weight(self, formula: Quotient) -> float:
        """Return how large a formula is, at least, at the pilot's points."""
        return 1.0 if self._points is None else float(np.min(np.abs(self.values(formula))))

    def length(self, formula: Quotient) -> int:
        """Count terms."""
        return len(formula.numerator) + len(formula.denominator)


def _size(polynomial: Polynomial) -> int:
    """Return the bits of the largest coefficient."""
    return max((abs(int(coefficient)).bit_length() for coefficient in polynomial.coeffs()), default=0)


def _factors(polynomial: Polynomial) -> tuple[Any, list[tuple[Polynomial, int]]]:
    """Return the number and the irreducible factors of a polynomial, with their powers."""
    try:
        return polynomial.factor()
    except OverflowError:  # flint cannot put factors in order that differ only in large numbers: leave them together
        powers = [min(powers) for powers in zip(*polynomial.to_dict(), strict=True)]
        common = polynomial.context().term(exp_vec=tuple(map(int, powers)))
        content = polynomial.content()
        variables = [(g, int(k)) for g, k in zip(polynomial.context().gens(), powers, strict=True) if k]
        return content, [*variables, (polynomial // (common * content), 1)]


def _never_zero(expr: Expr, factor: Polynomial) -> bool:
    """Tell whether a factor obviously has no zeros: an exponential, or even powers and a number of one sign."""
    if isinstance(expr, se.cosh) or (expr.is_Pow and expr.args[0] == se.E):
        return True
    monomials = factor.to_dict()
    even = all(power % 2 == 0 for monomial in monomials for power in monomial)
    number = any(not any(monomial) for monomial in monomials)
    return even and number and len({coefficient > 0 for coefficient in factor.coeffs()}) == 1


def _length(expr: Expr) -> tuple[int, str]:
    text = str(expr)
    return len(text), text
