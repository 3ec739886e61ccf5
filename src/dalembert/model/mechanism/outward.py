"""Long trees: the motion of every body from that of the body which carries it, one step at a time.

Written in the coordinates of the joints alone, the place of the last body of a chain has a term for every joint. So in
long trees a body that is carried keeps symbols for its place, its turn and its velocities V, and equations are written
in these. What they are follows outwards: by *definitions*, each in symbols of the body before and of the joint between,
and for accelerations by *links*, V̇ = X V̇_before + S q̈ + b.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.pairs.base import rate_by
from dalembert.model.mechanism.turned import TurnedView, Turning
from dalembert.model.mechanism.vectors import Vector, cross, multiply
from dalembert.model.mechanism.views import PlanarView, SpatialView, View, euler_rates
from dalembert.model.way import Way

Definitions = Mapping[Expr, Expr]


@dataclass(frozen=True)
class Link:
    """How velocities V of a body follow: V̇ = X V̇_before + S q̈ + b.

    rows: what its velocities V are the velocities of. columns: the same of the body before, of how it is turned itself,
    and coordinates of the joint. slopes: X and S by row and column. bias: b by row.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    slopes: Mapping[tuple[str, str], Expr]
    bias: Mapping[str, Expr]


class CarriedTurning(Turning):
    """A body in space that is carried, with angular velocities; its Euler parameters follow, and need no stretch."""

    def euler(self, order: int) -> Vector:
        """Return the symbols of e, of its rate, or of its second rate where ω does not change."""
        return super().euler(order) if order < 2 else tuple(se.Symbol(f"bent {e.name}") for e in self.body.view.q[3:])

    def turns(self) -> dict[Expr, Expr]:
        """Return R and e with their rates, where ω does not change, by the symbols before them; but for R and e."""
        found: dict[Expr, Expr] = {}
        for order in (0, 1):
            for row, rates in zip(self.matrix(order), self.matrix(order + 1), strict=True):
                found |= zip(rates, cross(row, self.omega), strict=True)  # Ṙ = R ω̃
        e, rates, bent = map(self.euler, range(3))
        found |= zip(rates, euler_rates(e, self.omega), strict=True)
        square = se.Add(*[rate**2 for rate in rates])
        return found | {second: -square * x for second, x in zip(bent, e, strict=True)}


class Outward:
    """The bodies of a long tree, from the ground outwards.

    links: two for each body that is carried, for how it turns and where it is. definitions: what symbols of bodies
    stand for, in symbols before them.
    """

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.definitions: dict[Expr, Expr] = {}
        self.turning: list[CarriedTurning] = []
        self.gyroscopic: dict[str, Expr] = {}  # moments −ω × Jω, by turn
        self._rows: dict[int, tuple[str, ...]] = {}  # by view

    @staticmethod
    def seen(body: Body) -> View:
        """Return the motion of a body in symbols of its own."""
        if isinstance(body.view, PlanarView):
            return body.view
        return SymbolView(CarriedTurning(body, (), 0))

    @staticmethod
    def assembled(body: Body, view: View) -> dict[Expr, Expr]:
        """Return the turn of a body in the assembled position, by the symbols of its rotation matrix."""
        return dict(zip(sum(view.R, ()), sum(body.placement.R, ()), strict=True)) if len(view.centre) == 3 else {}

    @staticmethod
    def speeds(body: Body) -> Vector:
        """Return the velocities of what body coordinates are called, by its own: ė = ½ Eᵀω."""
        view = body.view
        return (*view.v[:3], *euler_rates(view.e, view.omega)) if isinstance(view, SpatialView) else view.v

    def carry(self, body: Body, view: View, parent: View, made: View, own: Mapping[Expr, Expr]) -> None:
        """Note that a body, seen by `view`, moves as was made of its parent's motion and the coordinates of a joint.

        own: the velocities of these by coordinate. What was made of its place may depend on how it is turned.
        """
        n, before = len(view.centre), self._rows.get(id(parent), tuple(q.name for q in parent.rates))
        joint = tuple(q.name for q in own)
        if isinstance(view, SymbolView) and isinstance(made, SpatialView):
            view.balls, turning = made.balls, view.turning
            self.turning.append(turning)
            turns, speeds = turning.names[:3], made.omega
            self.definitions |= zip((*view.e, *sum(view.R, ())), (*made.e, *sum(made.R, ())), strict=True)
            further = turning.turns()
            momentum = multiply(body.inertia, turning.omega)
            self.gyroscopic |= zip(turns, cross(momentum, turning.omega), strict=True)
        else:
            turns, speeds, further = body.coordinates[n:], made.v[n:], {}
            self.definitions |= zip(view.q[n:], made.q[n:], strict=True)
        rates = {**_rates(parent), **own, **_rates(view)}
        self._link(turns, speeds, (*before, *joint), rates)
        self.definitions |= further
        self.definitions |= zip(view.q[:n], made.q[:n], strict=True)
        self._link(body.coordinates[:n], made.v[:n], (*before, *turns, *joint), rates)
        self._rows[id(view)] = (*body.coordinates[:n], *turns)
        if isinstance(view, SymbolView):
            faster = [se.Symbol(f"{name}''") for name in turns]
            for e, along, still in zip(view.e, euler_rates(view.e, faster), view.turning.euler(2), strict=True):
                self.definitions[se.Symbol(f"{e.name}''")] = along + still

    def _link(self, rows: Sequence[str], speeds: Sequence[Expr], columns: Sequence[str], rates: Definitions) -> None:
        """Differentiate velocities, which are linear in others; define them, and their rates."""
        slopes, bias = {}, {}
        for row, speed in zip(rows, speeds, strict=True):
            self.definitions[se.Symbol(f"{row}'")] = speed
            for column in columns:
                if (slope := speed.diff(se.Symbol(f"{column}'"))) != 0:
                    slopes[row, column] = slope
            if (bent := rate_by(speed, rates)) != 0:
                bias[row] = bent
            parts = [slopes[row, column] * se.Symbol(f"{column}''") for column in columns if (row, column) in slopes]
            self.definitions[se.Symbol(f"{row}''")] = se.Add(bias.get(row, ZERO), *parts)
        self.links.append(Link(tuple(rows), tuple(columns), slopes, bias))

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """What the velocities of all bodies are the velocities of."""
        return tuple(name for link in self.links for name in link.rows)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names of what moves and is defined: with primes behind them they are velocities and accelerations."""
        plain = {symbol.name.rstrip("'"): None for symbol in self.definitions}
        return tuple(dict.fromkeys((*self.rows, *plain)))

    def ways(self, index: Mapping[str, int]) -> dict[Expr, Way]:
        """Return how moves what is attached to bodies, by the numbers of their rows."""
        found: dict[Expr, Way] = {}
        for turning in self.turning:
            own = (*turning.body.coordinates[:3], *turning.names[:3])
            found |= CarriedTurning(turning.body, tuple(index[name] for name in own), 0).ways()
        return found


class SymbolView(TurnedView):
    """A body in space that is carried, by symbols: of its place, its rotation matrix, its Euler parameters.

    rates: by its velocities. bending: the same by symbols of the rates, which are shorter.
    """

    def __init__(self, turning: CarriedTurning):
        super().__init__(turning.body.view, turning.matrix(0), turning.omega)
        self.turning = turning
        self.bending = {**self.rates, **dict(zip(sum(turning.matrix(0), ()), sum(turning.matrix(1), ()), strict=True))}
        turned = [cross(row, self.omega) for row in self.R]  # Ṙ = R ω̃
        self.rates = {**self.rates, **dict(zip(self.e, euler_rates(self.e, self.omega), strict=True))}
        self.rates |= zip(sum(self.R, ()), sum(turned, ()), strict=True)


def _rates(view: View) -> Mapping[Expr, Expr]:
    return view.bending if isinstance(view, SymbolView) else view.rates
