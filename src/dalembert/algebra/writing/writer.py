"""From exact formulas to what is printed: the shortest of the ways in which a person might write it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
import symengine as se

from dalembert.algebra.writing.cost import is_negative, operations, rank, shortest
from dalembert.algebra.writing.factoring import MAX_EFFORT, Atoms, arranged, collected
from dalembert.algebra.writing.homogeneous import homogeneous, without_conjugates
from dalembert.algebra.writing.relations import Relations
from dalembert.algebra.writing.shared_factors import Shared, SharedFactors
from dalembert.algebra.writing.splitting import Fractions
from dalembert.algebra.writing.terms import Sum, add, product
from dalembert.algebra.writing.trigonometry import Trigonometric, Trigonometry
from dalembert.language.building import Expr

T = TypeVar("T")
Polynomial = Any  # flint's fmpz_mpoly
_SHORT = 24  # up to this many terms all ways of writing sin² or cos² are tried
_SEARCHED = 60  # up to this many terms shorter ways of writing a formula are looked for
_TRIED = 6  # fractions that are equal on the motion
_NOTED = 3  # of which factors are noted, for names that formulas share
_PROMISING = 1.1, 2  # times the length of the shortest and operations more, at a rough look, of what may be shortest
_LONGER = 6  # terms that a fraction may gain by a relation, in the hope of factors


class Writer:
    """Writes formulas of one field.

    relations: polynomials that vanish on the motion. constant: names that do not change in time.
    """

    def __init__(self, field: Any, relations: Iterable[Polynomial] = (), constant: Iterable[str] = ()):
        self.field = field
        self.atoms = Atoms(rank)
        self.trigonometry = Trigonometry(field.angles, self.atoms)
        self._constant = frozenset(constant)
        moving = [frozenset(s.name for s in g.free_symbols) - self._constant for g in field.generators]
        self.relations = Relations(relations, field.reduce, moving)
        self.fractions = Fractions(self)
        self.shared = SharedFactors(self)
        self._known: dict[str, Expr] = {}
        self._values: dict[str, Expr] = {}
        self._full: dict[str, list[Polynomial]] = {}  # with sin² + cos² in the place of 1

    # --- formulas -------------------------------------------------------------------------------------------------

    def value(self, formula: Any) -> Expr:
        """Write a formula as a value."""
        key = f"{formula.numerator}|{formula.denominator}"
        if key not in self._values:
            self._values[key] = self._value(formula)
        return self._values[key]

    def name(self, shared: Shared | None, symbol: Expr | None = None) -> None:
        """Write what follows with a name for a factor, or with none."""
        self.shared.name(shared, symbol)
        self._values.clear()

    def roughly(self, formula: Any) -> int:
        """Return how many operations a value takes if it is written at once, without looking for the shortest way."""
        return self._roughly(formula.numerator) + self._roughly(formula.denominator)

    def _value(self, formula: Any) -> Expr:
        self.atoms.effort = MAX_EFFORT
        top, bottom = formula.numerator, formula.denominator
        if top.is_zero():
            return se.Integer(0)
        if len(top) + len(bottom) > _SEARCHED:
            return self._positive(top, bottom, self.fractions.quotient)
        options: dict[str, tuple[Polynomial, Polynomial]] = {}
        for above, x in self.relations.ways(top):
            for below, y in self.relations.ways(bottom):
                self._note(options, above * y, below * x)
        for solved in self._solved(formula):
            if self.field.length(solved) <= len(top) + len(bottom) + _LONGER:
                self._note(options, solved.numerator, solved.denominator)
        found = []
        most = _TRIED if len(top) <= _SHORT else 2
        tried = sorted(options.values(), key=lambda pair: len(pair[0]) + len(pair[1]))[:most]
        if any(above.is_zero() for above, _ in tried):
            return se.Integer(0)
        for above, below in tried[:_NOTED]:
            self.shared.note(f"{top}|{bottom}", above, below)
            found += self._positive(above, below, self.shared.written)
        for above, below in self._promising(tried, lambda pair: self._roughly(pair[0]) + self._roughly(pair[1])):
            found.append(self._positive(above, below, self.fractions.quotient))
            if not below.is_constant() and len(above) <= 2 * _SHORT:
                found.append(self._positive(above, below, self.fractions.split))
                found.append(self._positive(above, below, self.fractions.apart))
                found += self._positive(above, below, self.fractions.split_inside)
                found += self._positive(above, below, self.fractions.partial)
                found += self._positive(above, below, self.fractions.apart_inside)
        return self.shortest(found)

    def _solved(self, formula: Any) -> list[Any]:
        """Put in what relations can be solved for, in all terms or in those with speeds only."""
        still = self._still(formula.numerator)
        if still.is_zero() or len(still) == len(formula.numerator):
            return self._eliminated(formula)
        rest = self.field.quotient(still, formula.denominator)
        moving = self.field.quotient(formula.numerator - still, formula.denominator)
        return [*self._eliminated(formula), *(rest + part for part in self._eliminated(moving))]

    def _eliminated(self, formula: Any) -> list[Any]:
        """Put in what a relation can be solved for; where a factor is then what is left of it, put that back.

        With I w + a p = 0: u (p + b w) becomes u w (b − I/a), and then u p (1 − a b/I).
        """
        found = []
        waves = [k for pair in self.field.sine_pairs for k in pair]
        for k, front, rest in self.relations.linear:
            degrees = front.degrees()
            if not formula.numerator.degrees()[k] or any(degrees[wave] for wave in waves):  # which may be zero below
                continue
            generator = self.field.generators[k]
            value = self.field.quotient(-rest, front)
            put = self.field.substitute(formula, {generator: value})
            if put.numerator.is_zero() or self.field.length(put) > self.field.length(formula) + _LONGER:
                continue
            found.append(put)
            content, factors = self.factors(put.numerator)
            back = None
            for factor, power in factors:
                scale, left = divmod(rest, factor)
                part = self.field.quotient(factor, self.field.unit)
                if power == 1 and left.is_zero() and len(factor) > 1 and not self.relations.names(scale):
                    # factor = rest/scale = −front x/scale
                    part = self.field.quotient(-front, scale) * self.field.read(generator)
                elif power > 1:
                    part = part ** int(power)
                back = part if back is None else back * part
            if back is not None:
                found.append(back * self.field.quotient(self.field.unit * int(content), put.denominator))
        return found

    def vanishing(self, formula: Any) -> Expr:
        """Write an equation that vanishes: without what all its terms share, the first acceleration positive."""
        self.atoms.effort = MAX_EFFORT
        polynomial = formula.numerator
        if polynomial.is_zero():
            return se.Integer(0)
        options = []
        for way, _ in self.relations.ways(polynomial)[:3] if len(polynomial) <= _SEARCHED else [(polynomial, 1)]:
            if not way.is_zero():
                options += [self._rest(variant) for variant in self._variants(way)]
        return self.shortest(self._signed(option) for option in options)

    def _rest(self, polynomial: Polynomial) -> Polynomial:
        """Leave the factors out that have no rates in them: they do not vanish in general."""
        symbols = [(i, g) for i, g in enumerate(self.field.generators) if g.is_Symbol]
        rates = [i for i, g in symbols if rank(g) == 2] or [i for i, g in symbols if rank(g) == 1]
        rates = rates or [i for i, g in symbols if g.name not in self._constant]  # multipliers: a balance at rest
        whole = None
        for factor, power in self.field.factors(polynomial)[1]:
            degrees = factor.degrees()
            if any(degrees[i] for i in rates) or self.field.is_lost(factor):
                whole = factor**power if whole is None else whole * factor**power
        return polynomial if whole is None else whole

    def _signed(self, polynomial: Polynomial) -> Expr:
        """Write what vanishes without a number in front, in the sign in which accelerations are positive."""
        ways = [self.polynomial(polynomial), self.polynomial(-polynomial)]
        ways = [se.Mul(*way.args[1:]) if way.is_Mul and way.args[0].is_Number else way for way in ways]
        ways += [se.Add(*[-term for term in way.args]) for way in ways if way.is_Add]
        best = min(ways, key=lambda expr: (operations(expr), *_against(expr), _minuses(expr), len(str(expr))))
        collected = self._by_acceleration(polynomial)
        return best if collected is None or operations(collected) > operations(best) + 1 else collected

    def _by_acceleration(self, polynomial: Polynomial) -> Expr | None:
        """Write (J + m l²) φ̈ + …, if there is one acceleration only, which a person sees first; None if not."""
        degrees = polynomial.degrees()
        found = [i for i, g in enumerate(self.field.generators) if degrees[i] and rank(g) == 2]
        if len(found) != 1 or degrees[found[0]] != 1 or len(polynomial) > _SHORT:
            return None
        front = polynomial.derivative(found[0])
        if len(front) == 1:
            return None
        rest = polynomial - front * polynomial.context().gens()[found[0]]
        values = self.field.polynomial_values(front)
        if np.all(np.isfinite(values)) and np.all(values < 0):
            front, rest = -front, -rest
        acceleration, whole = self.field.generators[found[0]], (self.polynomial(front), self.polynomial(rest))
        ways = [whole, *([self._over(part, d) for part in whole] for d in self._divisors(front))]
        return self.shortest(se.Add(inertia * acceleration, force) for inertia, force in ways)

    def _over(self, written: Expr, divisor: Polynomial) -> Expr:
        """Divide a sum as it is written, term by term."""
        terms = written.args if written.is_Add else (written,)
        below = self.field.quotient(divisor, self.field.unit)
        return se.Add(*[self.value(self.field.read(term) / below) for term in terms])

    def _divisors(self, front: Polynomial) -> list[Polynomial]:
        """Return by what an inertia may be divided so that one of its terms is a parameter: J₁/r₁² + J₂/r₂² + m."""
        still = [g.is_Symbol and g.name in self._constant for g in self.field.generators]
        found: dict[tuple[int, ...], None] = {}
        for monomial in front.to_dict() if len(front) > 2 else ():
            powers = tuple(map(int, monomial))
            for k, power in enumerate(powers):
                rest = tuple(p * (i != k) for i, p in enumerate(powers))
                if power == 1 and sum(rest) > 1 and all(fixed for fixed, p in zip(still, rest, strict=True) if p):
                    found[rest] = None
        largest = sorted(found, key=sum, reverse=True)[:_TRIED]
        return [front.context().term(coeff=1, exp_vec=rest) for rest in largest]

    @staticmethod
    def _note(options: dict[str, Any], above: Polynomial, below: Polynomial) -> None:
        common = above.gcd(below)
        above, below = above // common, below // common
        options[f"{above}|{below}"] = (above, below)

    def _positive(self, above: Polynomial, below: Polynomial, write: Any) -> Expr:
        """Write a fraction with a denominator that is positive where the pilot has been."""
        values = self.field.polynomial_values(below)
        if np.all(values < 0) if np.all(np.isfinite(values)) else below.leading_coefficient() < 0:
            above, below = -above, -below
        return write(above, below)

    def _still(self, polynomial: Polynomial) -> Polynomial:
        """Return the terms without velocities or momenta."""
        moving = [i for i, g in enumerate(self.field.generators) if rank(g) or g in self.field.momenta]
        still = {m: c for m, c in polynomial.to_dict().items() if not any(m[i] for i in moving)}
        return polynomial.context().from_dict(still)

    def shortest(self, expressions: Iterable[Expr]) -> Expr:
        """Return the expression of fewest operations."""
        return shortest(expressions)

    # --- polynomials ----------------------------------------------------------------------------------------------

    def polynomial(self, polynomial: Polynomial) -> Expr:
        """Write a polynomial: in factors or not, with sin² or cos², whichever is shortest."""
        key = str(polynomial)
        if key not in self._known:
            if len(polynomial) > _SEARCHED:
                self._known[key] = self._sum(polynomial)
            else:
                options = self._promising(self._variants(polynomial), self._roughly)
                self._known[key] = self.shortest(self._factored(option) for option in options)
        return self._known[key]

    @staticmethod
    def _promising(options: Sequence[T], roughly: Callable[[T], int]) -> Sequence[T]:
        """Return those of some options that may become the shortest."""
        if len(options) == 1:
            return options
        lengths = list(map(roughly, options))
        most = min(lengths) * _PROMISING[0] + _PROMISING[1]
        return [option for option, length in zip(options, lengths, strict=True) if length <= most]

    def _roughly(self, polynomial: Polynomial) -> int:
        """Return how many operations a polynomial takes at once."""
        total = 0
        for factor, power in self.field.factors(polynomial)[1]:
            terms = self._combined(self._grouped(factor), lambda _, part: self.trigonometry.plain(part))
            total += operations(collected(terms, self.atoms)) + 1 + (power > 1)
        return total

    def _variants(self, polynomial: Polynomial) -> list[Polynomial]:
        found = {str(polynomial): polynomial}
        for s, c in self.field.sine_pairs:
            degrees = polynomial.degrees()
            if degrees[s] + degrees[c] < 2:
                continue
            for one in list(found.values()):
                other = self.field.swap(one, s, c)
                found.setdefault(str(other), other)
            most = 6 if len(polynomial) <= _SHORT else 2
            found = dict(sorted(found.items(), key=lambda item: len(item[1]))[:most])
        for full in self._homogeneous(polynomial):
            found[str(full)] = full
        return list(found.values())

    def factors(self, polynomial: Polynomial) -> tuple[Any, list[tuple[Polynomial, int]]]:
        """Return factors, also those that are seen only with sin² + cos² in the place of 1, or sin² of 1 − cos²."""
        ways = [polynomial, *self._homogeneous(polynomial)]
        for s, c in self.field.sine_pairs:
            if polynomial.degrees()[c] > 1 and len(polynomial) <= _SHORT:
                ways.append(self.field.swap(polynomial, s, c))
        return max(map(self.field.factors, ways), key=lambda found: sum(power for _, power in found[1]))

    def _homogeneous(self, polynomial: Polynomial) -> list[Polynomial]:
        key = str(polynomial)
        if key not in self._full:
            self._full[key] = homogeneous(self.field, polynomial)
        return self._full[key]

    def denominator(self, polynomial: Polynomial) -> Expr:
        """Write a polynomial that is positive where the pilot has been: its factors are so as well, if they can be."""
        if named := self.shared.below(polynomial):
            return self.denominator(named[0]) * named[1]
        factors = self.field.factors(polynomial)[1]
        if any(len(factor) > 1 and np.all(self.field.polynomial_values(factor) < 0) for factor, _ in factors):
            return self._factored(polynomial, positive=True)
        return self.polynomial(polynomial)

    def _factored(self, polynomial: Polynomial, positive: bool = False) -> Expr:
        content, factors = self.field.factors(polynomial)
        number = se.Integer(int(content))
        if len(factors) == 1 and factors[0][1] == 1:
            factor = factors[0][0]
            return -number * self._sum(-factor) if number < 0 and len(factor) > 1 else number * self._sum(factor)
        written = []
        for factor, power in without_conjugates(factors):
            expr = self._sum(factor)
            negative = (power % 2 == 0 or positive) and np.all(self.field.polynomial_values(factor) < 0)
            if expr.is_Add and (negative or (_minuses(expr) * 2 > len(expr.args) and not positive)):  # b - a
                expr, number = self._sum(-factor), number * (-1) ** int(power)
            written.append(expr ** int(power))
        return se.Mul(number, *written)

    def _sum(self, polynomial: Polynomial) -> Expr:
        """Write a sum: coefficients of sines and cosines in their best way, then factored."""
        groups = self._grouped(polynomial)
        if len(polynomial) > _SEARCHED:
            return arranged(self._combined(groups, lambda _, part: self.trigonometry.plain(part)), self.atoms)
        if all(set(part) == {(0,) * 2 * len(self.field.sine_pairs)} for part in groups.values()):
            return arranged(self._combined(groups, lambda _, part: self.trigonometry.plain(part)), self.atoms)
        best = self._combined(groups, self._best)
        plain = self._combined(groups, lambda _, part: self.trigonometry.plain(part))
        ways = [arranged(best, self.atoms), arranged(plain, self.atoms)]
        if self.trigonometry.is_doubled(best):  # sin α cos α may share a factor with others, sin 2α does not
            ways.append(arranged(self._combined(groups, self._single), self.atoms))
        if any(sum(powers) > 1 for part in groups.values() for powers in part):
            ways.append(arranged(self._combined(groups, self.trigonometry.products), self.atoms))
        return self.shortest(ways)

    def _grouped(self, polynomial: Polynomial) -> dict[tuple[int, ...], Trigonometric]:
        """Return the coefficients that are made of sines and cosines, by what they are multiplied by."""
        where = [k for pair in self.field.sine_pairs for k in pair]
        groups: dict[tuple[int, ...], Trigonometric] = {}
        for monomial, factor in polynomial.to_dict().items():
            powers = [int(power) for power in monomial]
            waves = tuple(powers[k] for k in where)
            for k in where:
                powers[k] = 0
            groups.setdefault(tuple(powers), {})[waves] = int(factor)
        return groups

    def _best(self, polynomial: Callable[[], Polynomial], part: Trigonometric) -> Sum:
        def factors() -> list[tuple[Trigonometric, int]]:
            return [(self._waves_of(p), int(k)) for p, k in self.field.factors(polynomial())[1]]

        return self.trigonometry.ways(part, factors)[0]

    def _single(self, polynomial: Callable[[], Polynomial], part: Trigonometric) -> Sum:
        self._best(polynomial, part)
        ways = self.trigonometry.ways(part)
        return next((way for way in ways if not self.trigonometry.is_doubled(way)), ways[0])

    def _waves_of(self, polynomial: Polynomial) -> Trigonometric:
        ((_, part),) = self._grouped(polynomial).items()
        return part

    def _combined(self, groups: dict[tuple[int, ...], Trigonometric], way: Any) -> Sum:
        total: Sum = {}
        for powers, part in groups.items():
            monomial = tuple(sorted((self.atoms.index(self.field.generators[k]), p) for k, p in enumerate(powers) if p))
            for other, value in way(partial(self._polynomial_of, part), part).items():
                add(total, product(monomial, other), value)
        return total

    def _polynomial_of(self, part: Trigonometric) -> Polynomial:
        """Return a coefficient that is made of sines and cosines as a polynomial of the field."""
        where = [k for pair in self.field.sine_pairs for k in pair]
        terms = {}
        for waves, factor in part.items():
            exponents = [0] * len(self.field.generators)
            for k, power in zip(where, waves, strict=True):
                exponents[k] = power
            terms[tuple(exponents)] = factor
        return self.field.unit.context().from_dict(terms)


def _against(expr: Expr) -> tuple[int, int]:
    """Count the terms with accelerations, and with velocities, that have a minus in front."""
    found = [0, 0]
    for term in expr.args if expr.is_Add else (expr,):
        highest = max(map(rank, term.free_symbols), default=0)
        if highest and is_negative(term):
            found[2 - highest] += 1
    return found[0], found[1]


def _minuses(expr: Expr) -> int:
    return sum(is_negative(term) for term in (expr.args if expr.is_Add else (expr,)))
