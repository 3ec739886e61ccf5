"""Quantities: what can be asked of the parts of a system along a motion, under names such as `A.force`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import symengine as se

from dalembert.language.building import Expr, absolute, root

FORCE, MOMENT, LENGTH, ANGLE, SPIN, SPEED = "N", "N m", "m", "rad", "rad/s", "m/s"
MULTIPLIER = "lambda_"  # how multipliers are written
_MULTIPLIER = "lambda "  # which no name of a user begins with


@dataclass(frozen=True)
class Quantity:
    """What can be asked of a part.

    make: returns it as an expression of t, q, v, q̈, parameters and multipliers (see `multiplier`). unit: its unit, if
    one is known. rate: returns its time derivative, where that is known better than by differentiation.
    """

    make: Callable[[], Expr]
    unit: str = ""
    rate: Callable[[], Expr] | None = None


def multiplier(constraint: str) -> Expr:
    """Return the symbol that stands for the multiplier of a constraint; no name of a user has a space in it."""
    return se.Symbol(f"{_MULTIPLIER}{constraint}")


def constraint_of(symbol: Expr) -> str:
    """Return the constraint for whose multiplier a symbol stands; empty if it stands for none."""
    return symbol.name.removeprefix(_MULTIPLIER) if symbol.name.startswith(_MULTIPLIER) else ""


def multipliers_in(*expressions: Expr) -> set[str]:
    """Return the constraints whose multipliers stand in expressions."""
    return {name for expr in expressions for symbol in expr.free_symbols if (name := constraint_of(symbol))}


def as_names(expr: Expr) -> Expr:
    """Return an expression with multipliers by the names under which they are written."""
    multipliers = {symbol: constraint_of(symbol) for symbol in expr.free_symbols}
    names = {symbol: se.Symbol(MULTIPLIER + name.replace(".", "_")) for symbol, name in multipliers.items() if name}
    return expr.xreplace(names) if names else expr


def parted(force: Expr) -> tuple[Expr, list[Expr]]:
    """Return a force without the terms in which multipliers stand, and these."""
    terms = force.args if force.is_Add else (force,)
    followed = [term for term in terms if multipliers_in(term)]
    return (se.Add(*[term for term in terms if term not in followed]) if followed else force), followed


def vector(name: str, unit: str, letters: str, components: Callable[[], Sequence[Expr]]) -> dict[str, Quantity]:
    """Return the size of a vector under its name, and its components as `name_x`, …"""
    found = {name: Quantity(lambda: vector_length(components()), unit)}
    for k, letter in enumerate(letters):
        found[f"{name}_{letter}"] = Quantity(lambda k=k: components()[k], unit)
    return found


def vector_length(vector: Sequence[Expr]) -> Expr:
    """Return the length of a vector; along one axis it is an absolute value, which has a slope beside zero."""
    along = [x for x in vector if x != 0]
    return absolute(along[0]) if len(along) == 1 else root(se.Add(*[x**2 for x in along]))
