"""Names for what conditions of bodies in space are made of, where functions stand in them, as in a screw's thread.

Written out, the second rate of sin(s)·p, with s and p sums of products, fills pages. With names for s and p, for their
rates and for the parts of their second rates in which no velocity changes, it is a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import symengine as se

from dalembert.algebra.writing.cost import operations
from dalembert.forms.prepared import Scene
from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import ONE, SWITCHING, Calculus
from dalembert.language.walk import fold, operands, rebuild
from dalembert.model.constraint import LEVELS, Constraint
from dalembert.model.mechanism.turned import Turned
from dalembert.model.way import Way

_LONG = 10  # operations of a sum that gets a name
_LETTERS = ("u", "du", "ddu")  # of a part, its rate, and its second rate


@dataclass
class NamedParts:
    """A mechanism by angular velocities in whose conditions parts have names, and what these stand for."""

    other: Turned
    scene: Scene
    known: dict[Expr, Expr] = field(default_factory=dict)
    _ways: dict[Expr, Way] = field(default_factory=dict)

    def named(self) -> Turned:
        """Return the mechanism with names for long sums beside functions."""
        other = self.other
        velocities = (se.Symbol(name) for name in other.velocities)
        coordinates = zip(map(se.Symbol, other.coordinates), velocities, strict=True)
        self._moving = {q: Way({i: ONE}, v) for i, (q, v) in enumerate(coordinates)} | other.attached
        constraints = tuple(map(self._constraint, other.constraints))
        return replace(other, constraints=constraints, parts=self._ways) if self._ways else other

    def _constraint(self, constraint: Constraint) -> Constraint:
        expr = constraint.expression
        if constraint.level != LEVELS[0] or expr.atoms(*SWITCHING) or not _is_long(expr):
            return constraint
        found: dict[Expr, Expr] = {}

        def combine(node: Expr, args: list[Expr]) -> Expr:
            if _is_part(node) and node not in found:
                found[node] = self._put(node, constraint.name, len(found))
            return found[node] if _is_part(node) else rebuild(node, args)

        def inside(node: Expr) -> Sequence[Expr]:
            return () if _is_part(node) else operands(node)  # a part is put down as a whole

        terms = Calculus(self._moving).terms(expr)
        parts = [fold(term, combine, parts=inside) for term in terms]
        return replace(constraint, expression=se.Add(*parts))

    def _put(self, value: Expr, condition: str, count: int) -> Expr:
        """Give a part a name, and say how it moves."""
        own = condition.replace(".", "_") + (f"_{count + 1}" if count else "")
        taken = {known.name for known in self.known}
        symbol, rate, bend = (self.scene.free_name(f"{letter}_{own}", taken) for letter in _LETTERS)
        directions: dict[int, list[Expr]] = {}
        for x in value.free_symbols & self._moving.keys():
            slope = value.diff(x)
            for i, part in self._moving[x].directions.items():
                directions.setdefault(i, []).append(slope * part)
        faster = self._rate(value)
        self.known |= {symbol: value, rate: faster, bend: self._rate(faster)}
        self._ways[symbol] = Way({i: se.Add(*parts) for i, parts in directions.items()}, rate)
        self._ways[rate] = Way({}, bend)
        return symbol

    def _rate(self, value: Expr) -> Expr:
        """Return the rate of a part, or of a rate, where no velocity changes."""
        moving = value.free_symbols & self._moving.keys()
        return se.Add(value.diff(se.Symbol(TIME)), *[value.diff(x) * self._moving[x].rate for x in moving])


def _is_part(node: Expr) -> bool:
    return node.is_Add and operations(node) > _LONG


def _is_long(expr: Expr) -> bool:
    """Tell whether functions of long sums stand in an expression."""
    functions = expr.atoms(se.sin, se.cos)
    return any(operations(function) > _LONG for function in functions)
