"""One constraint: its name, its level, and what kind of condition it is."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np
import symengine as se

from dalembert.algebra.program import Program
from dalembert.errors import ModelError
from dalembert.model.functions import TIME, Expr

LEVELS = ("position", "velocity", "acceleration")


@dataclass(frozen=True)
class Constraint:
    """A condition `expression = 0`.

    level: the highest derivative that appears: "position", "velocity" or "acceleration".
    linear: whether it is linear in the quantities of its own level (q, v or q̈).
    time: whether t appears in it (a rheonomic constraint).
    """

    name: str
    expression: Expr
    level: str
    linear: bool
    time: bool

    @classmethod
    def read(cls, name: str, expression: Expr, coordinates: Set[str]) -> Constraint:
        """Read the level and the kind off the expression."""
        levels: tuple[set[Expr], ...] = (set(), set(), set())
        for symbol in expression.free_symbols:
            coordinate = symbol.name.rstrip("'")
            if coordinate in coordinates:
                levels[len(symbol.name) - len(coordinate)].add(symbol)
        order = max((i for i in range(3) if levels[i]), default=None)
        if order is None:
            always = "always true; remove it" if expression == 0 else "a condition on nothing that moves"
            raise ModelError(f"constraint `{name}` contains no coordinate: it is {always}")
        linear = _is_linear(expression, levels[order])
        if order == 2 and not linear:
            raise ModelError(
                f"constraint `{name}` is not linear in the accelerations; "
                "constraints on accelerations have the form b q̈ + b₀ = 0"
            )
        return cls(name, expression, LEVELS[order], linear, se.Symbol(TIME) in expression.free_symbols)


def _is_linear(expression: Expr, variables: Set[Expr]) -> bool:
    """Tell whether all slopes are constant: what is seen to be linear is put aside, the rest may cancel."""
    terms = expression.args if expression.is_Add else (expression,)
    rest = se.Add(*[term for term in terms if not _is_plainly_linear(term, variables)])
    return all(is_independent(rest.diff(x), variables) for x in rest.free_symbols & variables)


def _is_plainly_linear(term: Expr, variables: Set[Expr]) -> bool:
    used = term.free_symbols & variables
    return not used or (len(used) == 1 and not term.diff(*used).free_symbols & variables)


def is_independent(expression: Expr, variables: Set[Expr]) -> bool:
    """Tell whether an expression keeps its value when the variables change.

    Decided by numbers where the variables appear but may cancel: expanding a user's power can take for ever.
    """
    symbols = expression.free_symbols
    if not symbols & variables:
        return True
    order = sorted(symbols, key=str)
    try:
        program = Program(order, [expression])
    except (ValueError, RuntimeError):  # an undone derivative of abs, …, or a constant that is not real
        return False
    random = np.random.default_rng(0)
    points = random.uniform(0.5, 1.5, (len(order), 8)) * random.choice([-1, 1], (len(order), 8))
    for i, symbol in enumerate(order):
        if symbol not in variables:
            points[i] = points[i, 0]
    values = program.arrays(list(points))[0]
    values = values[np.isfinite(values)]
    return bool(values.size > 1 and np.ptp(values) <= 1e-9 * np.abs(values).max())
