"""The derivatives of terms of the kinetic energy; of squares by those of what is squared, which may be long."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from functools import cache

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.calculus import Calculus


def slopes_of(calculus: Calculus, term: Expr, velocities: Set[Expr]) -> Term | Square:
    """Return the derivatives of a term, by those of a sum if it is a constant times the square of one.

    That sum must be linear in the velocities, and its slopes free of them.
    """
    factors = term.args if term.is_Mul else (term,)
    squares = [k for k, one in enumerate(factors) if one.is_Pow and one.args[1] == 2 and one.args[0].is_Add]
    if len(squares) != 1:
        return Term(calculus, term)
    constant = se.Mul(*factors[: squares[0]], *factors[squares[0] + 1 :])
    if calculus.depends(constant) or calculus.switches(term) & velocities:
        return Term(calculus, term)
    found = Square(calculus, 2 * constant, factors[squares[0]].args[0])
    straight = not any(found.within(v) & velocities for v in calculus.depends(term) & velocities)
    return found if straight else Term(calculus, term)


class Term:
    """The derivatives of a term of T."""

    may_bend = True  # whether it may not be quadratic in the velocities

    def __init__(self, calculus: Calculus, term: Expr):
        self.calculus, self.term = calculus, term
        self.by = cache(lambda x: calculus.diff(term, x))

    def by_both(self, x: Expr, y: Expr) -> Expr:
        """Return ∂²T/∂x∂y."""
        return self.calculus.diff(self.by(x), y)


class Square:
    """The same of c S²/2 by those of the terms of S, which may be long: as an end of a chain has all angles in it."""

    may_bend = False

    def __init__(self, calculus: Calculus, constant: Expr, root: Expr):
        self.calculus, self.constant, self.root = calculus, constant, root
        self.parts: dict[Expr, list[Expr]] = defaultdict(list)
        for part in root.args:
            for symbol in calculus.depends(part):
                self.parts[symbol].append(calculus.diff(part, symbol))
        self.slope = cache(lambda x: se.Add(*self.parts[x]))
        self.within = cache(lambda x: calculus.depends(self.slope(x)))

    def by(self, x: Expr) -> Expr:
        """Return c S ∂S/∂x."""
        return self.constant * self.root * self.slope(x)

    def by_both(self, x: Expr, y: Expr) -> Expr:
        """Return c (∂S/∂x ∂S/∂y + S ∂²S/∂x∂y)."""
        both = self.constant * self.slope(x) * self.slope(y)
        if y not in self.within(x):
            return both
        return both + self.constant * self.root * self.calculus.diff(self.slope(x), y)
