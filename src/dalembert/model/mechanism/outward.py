"""Long trees: the motion of every body from that of the body which carries it, one step at a time.

Written in the coordinates of the joints alone, the place of the last body of a chain has a term for every joint. So in
long trees a body that is carried keeps symbols for its place, its turn and its velocities V, and equations are written
in these. What they are follows outwards: by *definitions*, each in symbols of the body before and of the joint between,
and for accelerations by *links*, V̇ = X V̇_before + S q̈ + b. Bodies that are carried in the same way share a *template*
of both, which is worked out once, in names that no user can write.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.model.mechanism.body import VIEWS, Body, coordinate_names
from dalembert.model.mechanism.pairs.base import rate_by
from dalembert.model.mechanism.turned import TurnedView, Turning
from dalembert.model.mechanism.vectors import Vector, cross, multiply
from dalembert.model.mechanism.views import PlanarView, SpatialView, View, euler_rates, symbols
from dalembert.model.way import Way

Definitions = Mapping[Expr, Expr]
OWN, BEFORE, JOINT = " own", " before", "joint {}"  # the bodies and coordinates of a template


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


class Template:
    """How a body is carried, in local names: by two links, for how it turns and where it is.

    body: it, by symbols of its own; view: its motion. before: that of what carries it; follows: whether that is carried
    itself. definitions: what its symbols
    stand for, in symbols before them. gyroscopic: moments −ω × Jω, by turn. balls: Euler parameters of its joint.
    """

    def __init__(self, body: Body, parent: View, follows: bool, joint: Sequence[Expr], make: Callable[..., View]):
        n, self.follows = len(body.centre), follows
        names = coordinate_names(OWN, n)
        self.body = replace(body, name=OWN, view=VIEWS[n](*_moving(names), body.centre))
        self.view = Outward.seen(self.body)
        self.before, rows = _before(parent)
        self.links: list[Link] = []
        self.definitions: dict[Expr, Expr] = {}
        self.gyroscopic: dict[str, Expr] = {}
        self.balls: tuple[tuple[Vector, Vector], ...] = ()
        own = {q: se.Symbol(f"{q.name}'") for q in joint}
        made = make(self.before, {**self.before.rates, **own, **self.view.rates}, self.view)
        self._carry(made, rows, own)

    def _carry(self, made: View, before: tuple[str, ...], own: Mapping[Expr, Expr]) -> None:
        """Write down the motion that was made; its place may depend on how the body is turned."""
        body, view, n = self.body, self.view, len(self.body.centre)
        joint = tuple(q.name for q in own)
        if isinstance(view, SymbolView) and isinstance(made, SpatialView):
            self.balls, turning = made.balls, view.turning
            turns, speeds = turning.names[:3], made.omega
            self.definitions |= zip((*view.e, *sum(view.R, ())), (*made.e, *sum(made.R, ())), strict=True)
            further = turning.turns()
            momentum = multiply(body.inertia, turning.omega)
            self.gyroscopic |= zip(turns, cross(momentum, turning.omega), strict=True)
        else:
            turns, speeds, further = body.coordinates[n:], made.v[n:], {}
            self.definitions |= zip(view.q[n:], made.q[n:], strict=True)
        rates = {**_rates(self.before), **own, **_rates(view)}
        self._link(turns, speeds, (*before, *joint), rates)
        self.definitions |= further
        self.definitions |= zip(view.q[:n], made.q[:n], strict=True)
        self._link(body.coordinates[:n], made.v[:n], (*before, *turns, *joint), rates)
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
        """What the velocities of the body are the velocities of, in the order of the links."""
        return tuple(name for link in self.links for name in link.rows)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The same of what it follows from: the body before, and the coordinates of the joint."""
        return tuple(dict.fromkeys(c for link in self.links for c in link.columns if c not in self.rows))


@dataclass(frozen=True)
class Carried:
    """A body as its template has it, with its own name, that of the body before, and the coordinates of its joint."""

    template: Template
    body: str
    before: str
    joint: tuple[str, ...]

    def name(self, local: str) -> str:
        """Return what a local name stands for."""
        if local.startswith("joint "):
            number, prime, primes = local[6:].partition("'")
            return self.joint[int(number)] + prime + primes
        return local.replace(OWN, self.body).replace(BEFORE, self.before)

    @cached_property
    def _known(self) -> dict[Expr, Expr]:
        return {}

    def put(self, expr: Expr) -> Expr:
        """Return a local expression in the names of the mechanism."""
        known, used = self._known, expr.free_symbols
        for symbol in used - known.keys():
            name = symbol.name
            known[symbol] = se.Symbol(self.name(name)) if " " in name else symbol
        return expr.xreplace({symbol: known[symbol] for symbol in used})

    @cached_property
    def links(self) -> list[Link]:
        """Its links."""
        return [self._link(link) for link in self.template.links]

    def _link(self, link: Link) -> Link:
        slopes = {(self.name(row), self.name(column)): self.put(x) for (row, column), x in link.slopes.items()}
        bias = {self.name(row): self.put(x) for row, x in link.bias.items()}
        return Link(tuple(map(self.name, link.rows)), tuple(map(self.name, link.columns)), slopes, bias)


class Outward(Mapping[Expr, Expr]):
    """The bodies of a long tree, from the ground outwards; as a mapping, what symbols of bodies stand for.

    These definitions are in symbols before them. They are written out when they are asked for.
    """

    def __init__(self) -> None:
        self.carried: list[Carried] = []
        self.turning: list[CarriedTurning] = []
        self.gyroscopic: dict[str, Expr] = {}  # moments −ω × Jω, by turn
        self._templates: dict[Hashable, Template] = {}
        self._names: set[str] = set()

    def __bool__(self) -> bool:
        return True  # there are bodies, which need not be written out to be counted

    def __getitem__(self, symbol: Expr) -> Expr:
        return self.definitions[symbol]

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.definitions)

    def __reversed__(self) -> Iterator[Expr]:
        return reversed(self.definitions)

    def __len__(self) -> int:
        return len(self.definitions)

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

    def carry(
        self, body: Body, view: View, parent: Body, joint: Sequence[str], how: Hashable, make: Callable[..., View]
    ) -> None:
        """Note that a body, seen by `view`, is carried by another one and a joint with these coordinates.

        how: what is the same for all bodies that are carried in this way. make: what makes its motion of that of the
        other body, of rates, and of its own turn, in local names.
        """
        follows = parent.name in self._names
        key = (how, body.centre, body.inertia, follows, len(parent.coordinates), parent.centre)
        if key not in self._templates:
            local = [se.Symbol(JOINT.format(k)) for k in range(len(joint))]
            self._templates[key] = Template(body, parent.view, follows, local, make)
        template = self._templates[key]
        one = Carried(template, body.name, parent.name, tuple(joint))
        self.carried.append(one)
        self._names.add(body.name)
        if isinstance(view, SymbolView):
            self.turning.append(view.turning)
            view.balls = tuple((tuple(map(one.put, e)), tuple(map(one.put, rates))) for e, rates in template.balls)
        self.gyroscopic |= {one.name(name): one.put(moment) for name, moment in template.gyroscopic.items()}

    @cached_property
    def definitions(self) -> dict[Expr, Expr]:
        """What all symbols of bodies stand for."""
        found: dict[Expr, Expr] = {}
        for one in self.carried:
            found |= {one.put(symbol): one.put(value) for symbol, value in one.template.definitions.items()}
        return found

    @cached_property
    def links(self) -> list[Link]:
        """Two for each body that is carried, for how it turns and where it is."""
        return [link for one in self.carried for link in one.links]

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """What the velocities of all bodies are the velocities of."""
        return tuple(one.name(name) for one in self.carried for name in one.template.rows)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names of what moves and is defined: with primes behind them they are velocities and accelerations."""
        plain = {one.name(s.name).rstrip("'"): None for one in self.carried for s in one.template.definitions}
        return tuple(dict.fromkeys((*self.rows, *plain)))

    @cached_property
    def text(self) -> str:
        """All that it says, written down."""
        templates = list(self._templates.values())
        parts = [(t.definitions, [(link.slopes, link.bias) for link in t.links]) for t in templates]
        bodies = [(templates.index(one.template), one.body, one.before, one.joint) for one in self.carried]
        return f"{parts}\n{bodies}"

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


def _before(parent: View) -> tuple[View, tuple[str, ...]]:
    """Return the motion of the body before in local names, and what its velocities are the velocities of."""
    n = len(parent.centre)
    if not parent.rates:
        return parent, ()
    names = coordinate_names(BEFORE, n)
    plain = VIEWS[n](*_moving(names), parent.centre)
    if not isinstance(parent, SymbolView):
        return plain, names
    view = SymbolView(CarriedTurning(replace(parent.turning.body, name=BEFORE, view=plain), (), 0))
    return view, (*names[:3], *view.turning.names[:3])


def _moving(names: Sequence[str]) -> tuple[Vector, Vector]:
    return symbols(names), symbols(f"{name}'" for name in names)


def _rates(view: View) -> Mapping[Expr, Expr]:
    return view.bending if isinstance(view, SymbolView) else view.rates
