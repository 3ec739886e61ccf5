"""Springs, dampers and actuators: forces along a line, an angle or the coordinate of a joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.mechanism.element_terms import Terms
from dalembert.model.mechanism.elements.action import Acting, Action, read_action
from dalembert.model.mechanism.elements.base import element
from dalembert.model.mechanism.pairs.base import is_angle
from dalembert.model.mechanism.table_reader import TableReader
from dalembert.model.mechanism.vectors import ZERO

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly


@element
@dataclass(frozen=True, repr=False)
class Spring(Acting):
    """A spring with a damper beside it, or a force by expression: positive where it pulls together.

    stiffness in N/m (or N m/rad), free: its length or angle without force, damping in N s/m (or N m s/rad).
    force: instead of these, an expression of `length` (`angle`, `distance`) and `rate`, already put in.
    """

    section, word, sense = "springs", "spring", -1

    name: str
    table: Mapping[str, Any]
    action: Action
    stiffness: Expr
    free: Expr
    damping: Expr
    force: Expr

    def add(self, parts: Terms) -> None:
        """Add its energy and its forces."""
        action = self.action
        if self.stiffness != 0:
            stretch = (action.value - self.free) ** 2
            if self.free == 0 and action.square is not None:
                stretch = action.square
            parts.potential.append(self.stiffness * stretch / 2)
        parts.push(-self.damping * action.rate - self.force, action.rate)

    @property
    def push(self) -> Expr:
        """Its force, positive where it pulls together."""
        action = self.action
        return self.stiffness * (action.value - self.free) + self.damping * action.rate + self.force

    @property
    def from_places(self) -> tuple[str, Expr, Expr] | None:
        """Its free length or angle, where it is left out and matters."""
        what = self.action.name
        return None if what in self.table or self.stiffness == 0 else (what, self.action.value, self.free)

    @property
    def drawn(self) -> tuple[str, ...]:
        """As what it is drawn."""
        return (self.word,) if self.damping == 0 else (self.word, "damper")

    @classmethod
    def read(cls, table: TableReader, assembly: Assembly) -> Spring | None:
        """Read stiffness, free length (that of the assembled position if none is given), damping; or a force."""
        action = read_action(table, assembly)
        if action is None:
            return None
        if table.one_of("stiffness", "force") == "force":
            for key in ("length", "angle", "distance", "damping"):
                if table.has(key):
                    table.problem(f"`{key}` belongs to a `stiffness`; put it into the expression of the force", key)
            force = read_force(table, "force", action)
            return cls(table.name, table.finish(), action, ZERO, ZERO, ZERO, force)
        stiffness, damping = (not_negative(table, key) for key in ("stiffness", "damping"))
        for key in {"length", "angle", "distance"} - {action.name}:
            if key in table.given:
                table.has(key)
                table.problem(f"unknown entry; what `{table.name}` is stretched against is its `{action.name}`", key)
        free = table.constant(action.name, action.placed)
        return cls(table.name, table.finish(), action, stiffness, free, damping, ZERO)


@element
@dataclass(frozen=True, repr=False)
class Damper(Spring):
    """A damper, or a force by expression: a spring without stiffness."""

    section, word = "dampers", "damper"

    @property
    def drawn(self) -> tuple[str, ...]:
        """As what it is drawn."""
        return (self.word,)

    @classmethod
    def read(cls, table: TableReader, assembly: Assembly) -> Damper | None:
        """Read the damping, or a force by expression."""
        action = read_action(table, assembly)
        if action is None:
            return None
        if table.one_of("damping", "force") == "force":
            force, damping = read_force(table, "force", action), ZERO
        else:
            force, damping = ZERO, not_negative(table, "damping")
        return cls(table.name, table.finish(), action, ZERO, ZERO, damping, force)


@element
@dataclass(frozen=True, repr=False)
class Actuator(Acting):
    """A force that drives two points apart or a joint forward: positive in the direction of growing coordinates."""

    section, word = "actuators", "actuator"

    name: str
    table: Mapping[str, Any]
    action: Action
    force: Expr

    @classmethod
    def read(cls, table: TableReader, assembly: Assembly) -> Actuator | None:
        """Read `torque` where it acts on an angle, else `force`."""
        action = read_action(table, assembly)
        if action is None:
            return None
        wanted, other = ("torque", "force") if is_angle(action.name) else ("force", "torque")
        if table.has(other):
            what = "an angle" if wanted == "torque" else "a length"
            table.problem(f"it acts on {what}: give `{wanted}` instead", other)
            return None
        force = read_force(table, wanted, action)
        return cls(table.name, table.finish(), action, force)

    def add(self, parts: Terms) -> None:
        """Add its forces."""
        parts.push(self.force, self.action.rate)

    @property
    def push(self) -> Expr:
        """Its force or torque, positive in the direction of growing coordinates."""
        return self.force


def read_force(table: TableReader, key: str, action: Action) -> Expr:
    """Read an expression of a force, and put in the coordinate and its rate."""
    if not table.has(key):
        table.problem(
            f"`{key}` is missing: an expression of t, coordinates, velocities, {' and '.join(action.names)}", key
        )
        return ZERO
    expr = table.expression(key, action.names)
    values = {se.Symbol(action.name): action.value, se.Symbol("rate"): action.rate}
    return expr.xreplace({symbol: value for symbol, value in values.items() if symbol in expr.free_symbols})


def not_negative(table: TableReader, key: str) -> Expr:
    """Read a stiffness or a damping; zero where it is not given."""
    expr = table.constant(key, ZERO)
    negative = f"`{key}` is not negative, got {{:g}}; for an unusual law give `force` by expression"
    table.judge(key, [expr], lambda x: negative.format(x) if x < 0 else "")
    return expr
