"""Fractions of two polynomials: as one, or with what can be divided written apart, as long as that shortens."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.algebra.writing.cost import operations, rank
from dalembert.language.building import Expr

if TYPE_CHECKING:
    from dalembert.algebra.writing.writer import Writer

Polynomial = Any  # flint's fmpz_mpoly
_SHORT = 24  # terms of a factor that is divided
_FEW = 12  # terms that are looked at by what cancels in each
_PARTS = 3  # that are split off a fraction
_FOLLOWED = 2  # ways to write a fraction as two that are taken further


class Fractions:
    """Writes fractions over the field of a writer."""

    def __init__(self, writer: Writer):
        self._writer, self._field = writer, writer.field

    def quotient(self, above: Polynomial, below: Polynomial) -> Expr:
        """Write one polynomial over the other."""
        return self._writer.polynomial(above) / self._writer.denominator(below)

    def split(self, above: Polynomial, below: Polynomial) -> Expr:
        """Write a fraction as what can be divided and a rest, part by part as long as that shortens it."""
        best = self.quotient(above, below)
        parts: list[Expr] = []
        whole, rest = self._without_speeds(above, below)
        if whole is not None:
            parts, above = [whole], rest
        while len(parts) < _PARTS and not above.is_zero():
            step = self._part(above, below)
            if step is None:
                break
            parts.append(step[0])
            above = step[1]
        if not parts:
            return best
        common = above.gcd(below) if not above.is_zero() else below
        left = self.quotient(above // common, below // common) if not above.is_zero() else se.Integer(0)
        return self._writer.shortest((best, se.Add(left, *parts)))

    def split_inside(self, above: Polynomial, below: Polynomial) -> list[Expr]:
        """Divide one factor of a fraction by one factor of its denominator: m l (I ω² + k)/I is m l (ω² + k/I)."""
        content, factors = self._writer.factors(above)
        sums = [k for k, (factor, power) in enumerate(factors) if power == 1 and 1 < len(factor) <= _SHORT]
        found = []
        for k in sums if len(factors) > 1 else ():
            for divisor in {str(d): d for d, _ in self._field.factors(below)[1] if len(d) > 1}.values():
                rest, parts = factors[k][0], []
                while len(parts) < _PARTS and (step := self._step(rest, divisor)):
                    parts.append(step[0])
                    rest = step[1]
                if not parts:
                    continue
                whole = self._field.quotient(sum(parts[1:], parts[0]), below // divisor)
                fractions = [whole, self._field.quotient(rest, below)] if not rest.is_zero() else [whole]
                inside = se.Add(*[self.quotient(f.numerator, f.denominator) for f in fractions])
                others = [
                    self._writer.polynomial(factor) ** int(power) for i, (factor, power) in enumerate(factors) if i != k
                ]
                found.append(se.Mul(se.Integer(int(content)), *others, inside))
        return found

    def apart_inside(self, above: Polynomial, below: Polynomial) -> list[Expr]:
        """Write the terms of one factor apart: a² (J₁ r₂² + J₂ r₁²)/(r₁ r₂)² is a² (J₁/r₁² + J₂/r₂²)."""
        content, factors = self._writer.factors(above)
        sums = [k for k, (factor, power) in enumerate(factors) if power == 1 and 1 < len(factor) <= _FEW]
        found = []
        for k in sums if sum(len(factor) > 1 for factor, _ in factors) > 1 else ():
            others = [self._writer.polynomial(f) ** int(power) for i, (f, power) in enumerate(factors) if i != k]
            found.append(se.Mul(se.Integer(int(content)), *others, self.apart(factors[k][0], below)))
        return found

    def apart(self, above: Polynomial, below: Polynomial, depth: int = 3) -> Expr:
        """Write terms apart in which a factor of the denominator cancels: (p² + L²/r²)/(2 m) − k/r.

        What all terms share stays in front of them.
        """
        shared = above.context().term(coeff=1, exp_vec=tuple(_shared_powers(above)))
        return self._writer.polynomial(shared) * self._apart(above // shared, below, depth)

    def _apart(self, above: Polynomial, below: Polynomial, depth: int) -> Expr:
        """Write terms apart; what is left below both may stand below their sum."""
        found: list[Expr] = [self.quotient(above, below)]
        twos: dict[Expr, list[tuple[Polynomial, Polynomial]]] = {}
        for bottom, divisor, whole, rest in self._cancelling(above, below) if 2 <= len(above) <= _FEW else ():
            inside = self._writer.polynomial(whole) + self.quotient(rest, divisor)
            found.append(inside / self._writer.denominator(bottom // divisor))
            parts = [self._lowest(whole, bottom // divisor), self._lowest(rest, bottom)]
            twos[se.Add(*[self.quotient(top, under) for top, under in parts])] = parts
        found += twos
        for two in sorted(twos, key=operations)[: min(depth, _FOLLOWED)]:
            found.append(se.Add(*[self.apart(top, under, depth - 1) for top, under in twos[two]]))
        return self._writer.shortest(found)

    def partial(self, above: Polynomial, below: Polynomial) -> list[Expr]:
        """Write a fraction as two, each with one of two factors below: (a + b)/(I J) as a/I + b/J.

        A generator that is in one of them only, and linear, has a value where that vanishes.
        """
        field, found = self._field, []
        sums = [factor for factor, power in field.factors(below)[1] if power == 1 and 1 < len(factor) <= _FEW]
        for one, other in permutations(sums, 2) if len(above) <= _SHORT else ():
            degrees, others = one.degrees(), other.degrees()
            k = next((k for k, degree in enumerate(degrees) if degree == 1 and not others[k]), None)
            if k is None or not field.generators[k].is_Symbol:
                continue
            front = one.derivative(k)
            root = field.quotient(front * one.context().gens()[k] - one, front)
            whole = field.quotient(above, below // one)
            first = field.substitute(whole, {field.generators[k]: root}) / field.quotient(one, field.unit)
            second = field.quotient(above, below) - first
            if divmod(first.denominator, other)[1].is_zero() or divmod(second.denominator, one)[1].is_zero():
                continue
            found.append(se.Add(*[self.apart(part.numerator, part.denominator) for part in (first, second)]))
        return found

    def _cancelling(self, above: Polynomial, below: Polynomial) -> list[tuple[Polynomial, ...]]:
        """Return generators in which terms differ: below, d that divides it, whole and rest, above = d·whole + rest."""
        found, context = [], above.context()
        ways = [(above, below)]
        for s, c in self._field.sine_pairs:  # 1 − cos² below is sin²
            if below.degrees()[c] > 1:
                ways.append((self._field.swap(above, s, c), self._field.swap(below, s, c)))
        for top, bottom in ways:
            terms, powers = top.to_dict(), _shared_powers(bottom)
            for k, power in enumerate(powers):
                inside = {m: x for m, x in terms.items() if m[k] >= power}
                if power and inside and len(inside) < len(terms):
                    exponents = tuple(power * (i == k) for i in range(len(powers)))
                    divisor = context.term(coeff=1, exp_vec=exponents)
                    whole = context.from_dict(inside)
                    found.append((bottom, divisor, whole // divisor, top - whole))
        return found

    @staticmethod
    def _lowest(above: Polynomial, below: Polynomial) -> tuple[Polynomial, Polynomial]:
        common = above.gcd(below)
        return above // common, below // common

    def _without_speeds(self, above: Polynomial, below: Polynomial) -> tuple[Expr | None, Polynomial]:
        """Split off what has no velocities or momenta in it, if that has no denominator."""
        moving = [
            i for i, g in enumerate(self._field.generators) if g.is_Symbol and (rank(g) or g in self._field.momenta)
        ]
        still = {m: c for m, c in above.to_dict().items() if not any(m[i] for i in moving)}
        if not still or len(still) == len(above):
            return None, above
        part = above.context().from_dict(still)
        quotient, rest = divmod(part, below)
        if not rest.is_zero():
            return None, above
        return self._writer.polynomial(quotient), above - part

    def _part(self, above: Polynomial, below: Polynomial) -> tuple[Expr, Polynomial] | None:
        """Return what of a quotient leaves fewest terms when its product with the denominator is taken away."""
        step = self._step(above, below)
        return None if step is None else (self._writer.polynomial(step[0]), step[1])

    def _step(self, above: Polynomial, below: Polynomial) -> tuple[Polynomial, Polynomial] | None:
        """Return the monomial that leaves fewest terms when its product with the denominator is taken away."""
        context = above.context()
        best = None
        seen = set()
        for upper, x in above.to_dict().items():
            for lower, y in below.to_dict().items():
                powers = tuple(int(a) - int(b) for a, b in zip(upper, lower, strict=True))
                if any(p < 0 for p in powers) or x % y or (powers, x // y) in seen:
                    continue
                seen.add((powers, x // y))
                term = context.term(coeff=x // y, exp_vec=powers)
                rest = self._fewest(self._field.reduce(above - term * below))
                if best is None or (len(rest), sum(powers)) < (len(best[1]), best[0].total_degree()):
                    best = (term, rest)
        if best is None or len(best[1]) >= len(above):
            return None
        return best

    def _fewest(self, polynomial: Polynomial) -> Polynomial:
        """Write sin² in the place of 1 − cos², where that leaves fewer terms."""
        degrees = polynomial.degrees()
        for s, c in self._field.sine_pairs:
            if degrees[c] > 1:
                polynomial = min((polynomial, self._field.swap(polynomial, s, c)), key=len)
        return polynomial


def _shared_powers(polynomial: Polynomial) -> list[int]:
    """Return in which power each generator divides a polynomial."""
    return [min(map(int, column)) for column in zip(*polynomial.to_dict(), strict=True)]
