"""Factors that several formulas share, whatever they would be spelled like in each: a force, a determinant.

(1 − a²/ρ²) K sin φ and a K are read at once, with one K; written one by one, each would spell K in its own way. So the
factors of formulas are noted as these are written, and may get a name before they are written again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.algebra.writing.cost import operations
from dalembert.language.building import Expr

if TYPE_CHECKING:
    from dalembert.algebra.writing.writer import Writer

Polynomial = Any  # flint's fmpz_mpoly
_TERMS = range(2, 25)  # of a factor that is worth a name
_TRIVIAL = 3  # operations of one that is not
_MOST = 2  # factors that are tried


@dataclass
class Shared:
    """A factor above or below the bar, by the formulas in which it stands what is below the bar there."""

    factor: Polynomial
    is_below: bool
    uses: dict[str, Polynomial] = field(default_factory=dict)
    others: list[Polynomial] = field(default_factory=list)  # equal to it on the motion

    @property
    def divisor(self) -> Polynomial:
        """What is below the bar of all formulas, and is so of what gets the name."""
        whole = None
        for below in self.uses.values():
            whole = below if whole is None else whole.gcd(below)
        return whole


class SharedFactors:
    """Notes the factors of what a writer writes; writes formulas with a name for one of them."""

    def __init__(self, writer: Writer):
        self._writer = writer
        self._seen: dict[tuple[bool, str], Shared] = {}
        self._named: tuple[Shared, Expr] | None = None

    def note(self, formula: str, above: Polynomial, below: Polynomial) -> None:
        """Note the factors of one way of writing a formula."""
        for is_below, part in ((False, above), (True, below)):
            for factor, power in self._writer.factors(part)[1]:
                if len(factor) in _TERMS and (power == 1 or is_below):
                    if np.all(self._writer.field.polynomial_values(factor) < 0):
                        factor = -factor
                    found = self._seen.setdefault((is_below, str(factor)), Shared(factor, is_below))
                    found.uses.setdefault(formula, below)

    def worth(self) -> list[Shared]:
        """Return what several formulas share, that first which could save most."""
        saved = []
        for shared in self._seen.values():
            if shared.is_below:
                self._meet(shared)
            length = operations(self._writer.polynomial(shared.factor)) if len(shared.uses) > 1 else 0
            if length > _TRIVIAL:
                saved.append((length * (len(shared.uses) - 1), shared))
        return [shared for _, shared in sorted(saved, key=lambda pair: -pair[0])[:_MOST]]

    def _meet(self, shared: Shared) -> None:
        """Take up the uses of what is equal to a denominator on the motion."""
        for other in self._writer.relations.equal(shared.factor):
            for one in (other, -other):
                if found := self._seen.get((True, str(one))):
                    shared.others.append(one)
                    shared.uses |= {key: below for key, below in found.uses.items() if key not in shared.uses}

    def value(self, shared: Shared) -> Expr:
        """Write what a name stands for."""
        field = self._writer.field
        divisor = field.unit if shared.is_below else shared.divisor
        return self._writer.value(field.quotient(shared.factor, divisor))

    def name(self, shared: Shared | None, symbol: Expr | None = None) -> None:
        """Give a factor a name, or none to all."""
        self._named = None if shared is None or symbol is None else (shared, symbol)

    def written(self, above: Polynomial, below: Polynomial) -> list[Expr]:
        """Write a fraction with the name above the bar; nothing if it does not have that factor."""
        if self._named is None or self._named[0].is_below:
            return []
        shared, symbol = self._named
        divisor, (content, factors) = shared.divisor, self._writer.factors(above)
        mine = [k for k, (factor, _) in enumerate(factors) if factor in (shared.factor, -shared.factor)]
        if not mine or factors[mine[0]][1] != 1 or not divmod(below, divisor)[1].is_zero():
            return []
        sign = 1 if factors[mine[0]][0] == shared.factor else -1
        rest = self._writer.field.unit * (sign * int(content))
        for k, (factor, power) in enumerate(factors):
            rest = rest if k in mine else rest * factor**power
        return [se.Mul(symbol, self._writer.fractions.quotient(rest, below // divisor))]

    def below(self, polynomial: Polynomial) -> tuple[Polynomial, Expr] | None:
        """Return what is left of a denominator beside the name, and the name; None if it does not have that factor."""
        if self._named is None or not self._named[0].is_below:
            return None
        shared, symbol = self._named
        for factor in (shared.factor, *shared.others):
            if power := _power(polynomial, factor):
                return polynomial // factor**power, symbol**power
        return None


def _power(polynomial: Polynomial, factor: Polynomial) -> int:
    """Return how often a factor divides a polynomial."""
    power = 0
    while not polynomial.is_constant():
        polynomial, rest = divmod(polynomial, factor)
        if not rest.is_zero():
            break
        power += 1
    return power
