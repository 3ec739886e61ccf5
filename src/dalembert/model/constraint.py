"""One constraint: its name, its level, and what kind of condition it is."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import symengine as se

from dalembert.document.nodes import Equation, Equations, Section
from dalembert.document.shown import Shown
from dalembert.errors import ModelError
from dalembert.language.building import TIME, Expr
from dalembert.language.independence import is_independent
from dalembert.language.roots import is_kinked

LEVELS = ("position", "velocity", "acceleration")


@dataclass(frozen=True)
class Constraint(Shown):
    """A condition `expression = 0`.

    level: the highest derivative that appears: "position", "velocity" or "acceleration".
    time: whether t appears in it (a rheonomic constraint).
    variables: the quantities of its own level (q, v or q̈) that appear.
    steered: whether controls hold it, so that it has no reaction of its own.
    """

    name: str
    expression: Expr
    level: str
    time: bool
    variables: frozenset[Expr] = field(compare=False, repr=False)
    steered: bool = False

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
        time = se.Symbol(TIME) in expression.free_symbols
        constraint = cls(name, expression, LEVELS[order], time, frozenset(levels[order]))
        if order == 2 and not constraint.linear:
            raise ModelError(
                f"constraint `{name}` is not linear in the accelerations; "
                "constraints on accelerations have the form b q̈ + b₀ = 0"
            )
        return constraint

    def __repr__(self) -> str:
        from dalembert.language.printing import to_text

        return f"<Constraint {self.name}: {to_text(self.expression)} = 0>"

    def document(self) -> Section:
        """Show it as an equation."""
        return Section(self.name, [Equations([Equation(self.expression)])], describe_class(self.kind))

    @property
    def kind(self) -> dict[str, Any]:
        """What kind of constraint it is; whether it can be integrated is found out by the check."""
        return {"level": self.level, "linear": self.linear, "time": self.time, "integrable": None}

    @cached_property
    def kinked(self) -> bool:
        """Whether it is a product with a root or an absolute value, which may have no finite slope."""
        return is_kinked(self.expression)

    @cached_property
    def linear(self) -> bool:
        """Whether it is linear in the quantities of its own level; found when it is asked for, as it takes time."""
        return _is_linear(self.expression, self.variables)


def refuse_steered(constraint: Constraint) -> None:
    """Raise ModelError for a condition that controls hold."""
    if constraint.steered:
        text = f"`{constraint.name}` is held by controls, and has no reaction of its own"
        raise ModelError(f'{text}; ask for the controls by their names, as run["u"]')


def describe_class(kind: dict[str, Any]) -> str:
    """Say in words what kind of constraint it is."""
    words = {
        "position": "on positions (holonomic",
        "velocity": "on velocities (",
        "acceleration": "on accelerations (",
    }
    details = []
    if kind["level"] == "velocity":
        details.append("linear" if kind["linear"] else "nonlinear")
        if kind["integrable"] is not None:
            details.append("integrable: holonomic in disguise" if kind["integrable"] else "nonholonomic")
    if kind["time"]:
        details.append("depends on time")
    start = words[kind["level"]]
    if start.endswith("("):
        return start + ", ".join(details) + ")" if details else start[:-2]
    return start + "".join(f", {detail}" for detail in details) + ")"


def _is_linear(expression: Expr, variables: Set[Expr]) -> bool:
    """Tell whether all slopes are constant: a term by itself, or where it is not, together with others like it."""
    slopes: dict[Expr, list[Expr]] = {}  # of terms that are not linear alone
    for term in expression.args if expression.is_Add else (expression,):
        own = {x: term.diff(x) for x in term.free_symbols & variables}
        if any(slope.free_symbols & variables for slope in own.values()):
            for x, slope in own.items():
                slopes.setdefault(x, []).append(slope)
    return all(is_independent(se.Add(*parts), variables) for parts in slopes.values())
