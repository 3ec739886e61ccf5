"""Exact arithmetic of formulas: rational functions of symbols, sines, cosines and roots, always in lowest terms.

A formula is a quotient of two integer polynomials in generators: symbols, and every sin, cos, root or other function
that appears. sin² + cos² = 1 and (√u)² = u are reduced away after every operation, so a formula that vanishes is seen
to vanish, and sizes stay those of results instead of those of computations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction as Number
from typing import Any

import numpy as np
import symengine as se
from flint import Ordering, fmpz_mpoly_ctx

from dalembert.algebra.decimals import meant
from dalembert.algebra.generators import atoms, is_root, parts
from dalembert.arrays import Array
from dalembert.errors import DerivationError
from dalembert.language.program import Program
from dalembert.language.walk import fold

Expr = Any  # a SymEngine expression
Polynomial = Any  # flint's fmpz_mpoly

MAX_TERMS = 1_000  # of one polynomial: beyond this no person reads a formula
MAX_WORK = 100_000_000  # products of terms, for one set of formulas: about a second
_PRODUCT = 30  # times as many terms may a product have before it is reduced
_SEARCHED = 150  # up to this many terms shorter ways of writing a formula are looked for


class TooLarge(DerivationError):
    """A formula has grown beyond what anybody would read."""


class Field:
    """The rational functions of the generators that appear in some expressions, with values at pilot points."""

    rounds = False

    def __init__(self, expressions: Iterable[Expr], extra: Sequence[Expr] = (), most: int = MAX_TERMS):
        self._most = most  # terms of a polynomial, before common factors are cancelled
        self._left = math.inf  # of the work that may be done
        roots, sines, others = atoms([*expressions, *extra])
        pairs = [function(argument) for argument in sines for function in (se.sin, se.cos)]
        # roots first, then sines before cosines: the leading terms of the relations
        self.generators: list[Expr] = [*roots, *pairs, *others]
        self._index = {generator: i for i, generator in enumerate(self.generators)}
        names = [f"g{i}" for i in range(len(self.generators))] or ["g0"]
        self._context = fmpz_mpoly_ctx.get(names, Ordering.lex)
        self._gens = self._context.gens()
        self.unit: Polynomial = self._constant(1)
        self.zero, self.one = Quotient(self, self._constant(0)), Quotient(self, self._constant(1))
        self._memo: dict[Expr, Quotient] = {}
        self._sine_pairs = [(len(roots) + 2 * k, len(roots) + 2 * k + 1) for k in range(len(sines))]
        self._relations: list[Polynomial] = [self._gens[s] ** 2 + self._gens[c] ** 2 - 1 for s, c in self._sine_pairs]
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
        if isinstance(node, se.tan):
            return self.generator(se.sin(node.args[0])) / self.generator(se.cos(node.args[0]))
        return self.generator(node)

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
            bottom = min((self._expanded(denominator), self._factored(denominator)), key=_length)
            candidates += [self._expanded(numerator) / bottom, self._factored(numerator) / bottom]
            whole, rest = divmod(numerator, denominator)  # as a sum: what can be divided, and the rest
            if not (denominator.is_constant() or whole.is_zero() or rest.is_zero()):
                candidates.append(self._factored(whole) + self._factored(rest) / bottom)
        return min(candidates, key=_length)

    def _variants(self, formula: Quotient) -> list[tuple[Polynomial, Polynomial]]:
        """Return the quotient with sin² or cos² reduced, in numerator and denominator, angle by angle."""
        variants = [(formula.numerator, formula.denominator)]
        for s, c in self._sine_pairs:
            more = []
            for numerator, denominator in variants:
                tops = {str(p): p for p in (numerator, self._swap(numerator, s, c))}.values()
                bottoms = {str(p): p for p in (denominator, self._swap(denominator, s, c))}.values()
                more += [(top, bottom) for top in tops for bottom in bottoms]
            variants = sorted(more, key=lambda pair: len(pair[0]) + len(pair[1]))[:16]
        return variants

    def _swap(self, polynomial: Polynomial, s: int, c: int) -> Polynomial:
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
        content, factors = _factors(polynomial)
        return se.Mul(se.Integer(int(content)), *[self._expanded(p) ** int(k) for p, k in factors])

    def _term(self, monomial: tuple[int, ...], coefficient: int) -> Expr:
        powers = [g ** int(k) for g, k in zip(self.generators, monomial, strict=False) if k]
        return se.Mul(se.Integer(coefficient), *powers)

    def zeros(self, formula: Quotient, constant: frozenset[str]) -> list[Expr]:
        """Return the factors whose zeros are those of a formula; not those of parameters, nor such as 1 + x²."""
        found = []
        for factor, _ in min(
            (_factors(p)[1] for p, _ in self._variants(formula)), key=lambda fs: sum(len(p) for p, _ in fs)
        ):
            expr = self._expanded(factor)
            if any(symbol.name not in constant for symbol in expr.free_symbols) and not _never_zero(expr, factor):
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
        for s, c in self._sine_pairs[:6]:  # a factor may be visible only with sin² or only with cos² written out
            choices += [{k: self._swap(p, s, c) for k, p in choice.items()} for choice in choices]
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
        return self._polynomial_values(formula.numerator) / self._polynomial_values(formula.denominator)

    def _polynomial_values(self, polynomial: Polynomial) -> Array:
        points = self._points
        if points is None:
            return np.array([float(sum(polynomial.coeffs()))]) if polynomial.is_constant() else np.array([np.nan])
        total = np.zeros(points.shape[1])
        for monomial, coefficient in polynomial.to_dict().items():
            used = [i for i, k in enumerate(monomial) if k]
            powers = np.array([int(monomial[i]) for i in used])[:, None]
            total += float(int(coefficient)) * np.prod(points[used] ** powers, axis=0)
        return total

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


class Quotient:
    """A quotient of two polynomials, in lowest terms and reduced; supports + − × ÷ and integer powers."""

    __slots__ = ("denominator", "field", "numerator")

    def __init__(self, field: Field, numerator: Polynomial, denominator: Polynomial = None):
        self.field = field
        self.numerator: Any = numerator
        self.denominator: Any = field.unit
        if denominator is not None:
            self._cancel(field.reduce(numerator), field.reduce(denominator))

    def _cancel(self, numerator: Any, denominator: Any) -> None:
        if denominator.is_zero():
            raise ZeroDivisionError("division by a formula that vanishes")
        if numerator.is_zero():
            denominator = self.field.unit
        elif not denominator.is_one():
            self.field.work(numerator, denominator)
            common = numerator.gcd(denominator)
            if denominator.leading_coefficient() < 0:
                common = -common
            if not common.is_one():
                numerator, denominator = numerator // common, denominator // common
        self.numerator, self.denominator = numerator, denominator

    def __add__(self, other: Quotient) -> Quotient:
        if self.numerator.is_zero():
            return other
        if other.numerator.is_zero():
            return self
        if self.denominator == other.denominator:
            return Quotient(self.field, self.numerator + other.numerator, self.denominator)
        product = self.field.product
        one, rest = _without_common(self.denominator, other.denominator)
        top = product(self.numerator, rest) + product(other.numerator, one)
        return Quotient(self.field, top, product(one, other.denominator))

    def __neg__(self) -> Quotient:
        return self._of(-self.numerator, self.denominator)

    def _of(self, numerator: Polynomial, denominator: Polynomial) -> Quotient:
        """Return a formula that is in lowest terms already."""
        made = Quotient(self.field, numerator)
        made.denominator = denominator
        return made

    def __sub__(self, other: Quotient) -> Quotient:
        return self + (-other)

    def __mul__(self, other: Quotient) -> Quotient:
        if self.numerator.is_zero() or other.numerator.is_zero():
            return self.field.zero
        return self._times(other.numerator, other.denominator)

    def __truediv__(self, other: Quotient) -> Quotient:
        return self._times(other.denominator, other.numerator)

    def _times(self, top: Polynomial, bottom: Polynomial) -> Quotient:
        """Multiply by a quotient; what cancels crosswise is taken out before the products grow (Henrici 1956)."""
        if bottom.is_zero():
            raise ZeroDivisionError("division by a formula that vanishes")
        product = self.field.product
        one, below = _without_common(self.numerator, bottom)
        other, under = _without_common(top, self.denominator)
        return Quotient(self.field, product(one, other), product(below, under))

    def __pow__(self, exponent: int) -> Quotient:
        if exponent < 0:
            return self.field.one / self ** (-exponent)
        return Quotient(self.field, self.numerator**exponent, self.denominator**exponent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient) and (self - other).numerator.is_zero()

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return f"Quotient({self.field.write(self)})"


def _without_common(one: Polynomial, other: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Divide two polynomials by what they have in common."""
    if one.is_one() or other.is_one():
        return one, other
    common = one.gcd(other)
    return (one, other) if common.is_one() else (one // common, other // common)


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
