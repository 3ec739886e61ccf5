"""Time derivatives of named expressions: dx/dt = Σ ∂x/∂q q' + Σ ∂x/∂q' q'' + ∂x/∂t, within the bounds of text."""

from __future__ import annotations

from collections.abc import Callable, Collection

import symengine as se

from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import Calculus
from dalembert.language.walk import fold

MOST_PRIMES = 2  # accelerations are the highest derivatives that a model has


def order(expr: Expr, coordinates: Collection[str]) -> int:
    """Return the highest derivative in an expression: 0 of positions and time, 1 of velocities, 2 of accelerations."""
    found = 0
    for symbol in expr.free_symbols:
        plain = symbol.name.rstrip("'")
        if plain in coordinates:
            found = max(found, len(symbol.name) - len(plain))
    return found


def size(expr: Expr) -> int:
    """Count numbers, names and operations."""
    return fold(expr, lambda node, args: 1 + sum(args))


def rate(expr: Expr, coordinates: Collection[str], spend: Callable[[int], None] = lambda cost: None) -> Expr:
    """Differentiate by time, term by term; `spend` is told what each term costs before it is done."""
    moving = [s for s in expr.free_symbols if s.name == TIME or s.name.rstrip("'") in coordinates]
    calculus = Calculus(moving)
    parts: list[Expr] = []
    for term in calculus.terms(calculus.lift(expr)):
        depends = sorted(calculus.depends(term), key=str)
        spend(size(term) * (1 + len(depends)))
        for symbol in depends:
            slope = calculus.diff(term, symbol)
            parts.append(slope if symbol.name == TIME else slope * se.Symbol(symbol.name + "'"))
    return calculus.lower(se.Add(*parts))
