"""First integrals of mechanisms in space by their bodies: with ω and R by name, in place of Euler parameters."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

import symengine as se

from dalembert.algebra.writing.cost import operations
from dalembert.language.building import Expr
from dalembert.language.walk import fold, rebuild
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.mechanism.turned import turned
from dalembert.model.mechanism.views import SpatialView

if TYPE_CHECKING:
    from dalembert.model.mechanism.turned import Turning
    from dalembert.model.system import System

_SHORT = 60  # operations of a sum that may be a velocity or an entry of R
_FACTORS = [se.Integer(1), se.Integer(-1), se.Rational(1, 2), se.Rational(-1, 2)]


class BodyNames:
    """Names of the angular velocity of a body and of the entries of its rotation matrix."""

    def __init__(self, turning: Turning, taken: Iterable[str]):
        body, given = turning.body.name, turning.body.view
        view = SpatialView(given.q, given.v, given.centre)
        self.view, self.e, self.rates = view, turning.euler(0), turning.euler(1)
        taken = set(taken)

        def named(kind: str) -> Expr:
            name = f"{kind}_{body}"
            while name in taken:
                name += "_"
            return se.Symbol(name)

        self.omega = [named(f"omega_{axis}") for axis in "xyz"]
        self.R = {named(f"R{i + 1}{j + 1}"): view.R[i][j] for i in range(3) for j in range(3)}

    @cached_property
    def known(self) -> dict[Expr, Expr]:
        """What the names stand for."""
        return {**dict(zip(self.omega, self.view.omega, strict=True)), **self.R}

    @cached_property
    def turns(self) -> dict[Expr, Expr]:
        """The rates of e as ½ Eᵀω, which they are where |e| = 1."""
        columns = zip(*self.view.E, strict=True)
        return {
            rate: se.Add(*[entry * omega for entry, omega in zip(column, self.omega, strict=True)]) / 2
            for rate, column in zip(self.rates, columns, strict=True)
        }

    @cached_property
    def entries(self) -> dict[Expr, Expr]:
        """Multiples of the entries of R, as they are where |e| = 1, and their names."""
        return {self.normal(c * value): c * name for name, value in self.R.items() for c in _FACTORS}

    def normal(self, expr: Expr) -> Expr:
        """Write a polynomial in e with e0² = 1 − e1² − e2² − e3²."""
        e0, *others = self.e
        square = 1 - se.Add(*[e**2 for e in others])
        expr = se.expand(expr)
        while any(power in expr.atoms(se.Pow) for power in (e0**2, e0**3, e0**4)):
            expr = se.expand(expr.xreplace({e0**4: square**2, e0**3: e0 * square, e0**2: square}))
        return expr

    def written(self, expr: Expr) -> Expr:
        """Write a sum by the names, if it is one of them or made of them."""
        if not expr.free_symbols & {*self.e, *self.rates}:
            return expr
        found = self.normal(expr.xreplace(self.turns))
        if not found.free_symbols & {*self.e}:
            return found
        return self.entries.get(found, expr)


@fact(STRUCTURE)
def body_names(system: System) -> tuple[BodyNames, ...]:
    """Return the names of all bodies that turn in space; none where there are no such."""
    other = turned(system)
    taken = {*system.coordinates, *system.parameters}
    return () if other is None else tuple(BodyNames(turning, taken) for turning in other.turning)


def by_bodies(system: System, expr: Expr) -> Expr:
    """Write an integral by the names of bodies."""
    bodies = body_names(system)

    def combine(node: Expr, parts: list[Expr]) -> Expr:
        node = rebuild(node, parts) if parts else node
        for body in bodies if node.is_Add and operations(node) <= _SHORT else ():
            node = body.written(node)
        return node

    return fold(expr, combine) if bodies else expr


def meanings(system: System, expressions: Iterable[Expr]) -> dict[str, Expr]:
    """Return what the names in some expressions stand for."""
    used: set[Expr] = set().union(*(expr.free_symbols for expr in expressions))
    return {name.name: value for body in body_names(system) for name, value in body.known.items() if name in used}
