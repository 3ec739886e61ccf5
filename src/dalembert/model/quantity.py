"""Quantities: what can be asked of the parts of a system along a motion, under names such as `A.force`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import symengine as se

from dalembert.language.building import Expr, root

FORCE, MOMENT, LENGTH, ANGLE, SPIN = "N", "N m", "m", "rad", "rad/s"


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
    return se.Symbol(f"lambda {constraint}")


def vector(name: str, unit: str, letters: str, components: Callable[[], Sequence[Expr]]) -> dict[str, Quantity]:
    """Return the size of a vector under its name, and its components as `name_x`, …"""
    found = {name: Quantity(lambda: root(se.Add(*[x**2 for x in components()])), unit)}
    for k, letter in enumerate(letters):
        found[f"{name}_{letter}"] = Quantity(lambda k=k: components()[k], unit)
    return found
