"""A mechanism in space with angular velocities in place of the rates of Euler parameters: ė = ½ Eᵀω.

The inertia of a body is then constant, its equations are those of Newton and Euler, and |e| = 1 is no condition any
more. It is a system in the coordinates x, y, z of each body, and three *turns*: these have no values, but velocities, ω
in body axes. What depends on them is attached to them: the rotation matrix R, with Ṙ = R ω̃, and the Euler parameters.
All of this holds where |e| = 1. A last coordinate of each body, its *stretch* σ, would let e grow, ė = ½ Eᵀω + σ e. It
does not move, but its equation gives the multiplier of |e| = 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.constraint import LEVELS, Constraint
from dalembert.model.facts import STRUCTURE, Survey, fact
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.joint import seen_joint
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.model.mechanism.vectors import Matrix, Vector, add, cross, dot, multiply, scale, sub, transpose
from dalembert.model.mechanism.views import SpatialView, View, identity
from dalembert.model.way import Way

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

TURNS, STRETCH = ("turn1", "turn2", "turn3"), "stretch"
PLACES = tuple(f"{i}{j}" for i in "123" for j in "123")  # of the entries of R


class TurnedView(SpatialView):
    """A body in space whose rotation matrix is made of symbols, and whose angular velocity is one of its velocities."""

    def __init__(self, view: View, R: Matrix, omega: Vector):
        super().__init__(view.q, view.v, view.centre, view.rates)
        self.R, self.omega, self.spin = R, omega, multiply(R, omega)
        self.balls = ()

    def velocity(self, point: Sequence[Expr]) -> Vector:
        """Return the velocity of a point of the body: R (ω × p), which is shorter than Rω × Rp."""
        return add(self.v[:3], self.direction(cross(self.omega, sub(point, self.centre))))


@dataclass(frozen=True)
class Turning:
    """A body that turns, with the numbers of its coordinates x, y, z, turns and, if there is one, stretch."""

    body: Body
    own: tuple[int, ...]
    norm: int  # the number of the condition |e| = 1 in the mechanism

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its turns and its stretch, which no user can write."""
        return tuple(f"{what} {self.body.name}" for what in (*TURNS, STRETCH))

    def matrix(self, order: int) -> Matrix:
        """Return the symbols of R, or of its first or second rate where ω does not change."""
        prime = "'" * order
        entries = [se.Symbol(f"R{place}{prime} {self.body.name}") for place in PLACES]
        return tuple(tuple(entries[3 * i : 3 * i + 3]) for i in range(3))

    def euler(self, order: int) -> Vector:
        """Return the symbols of e, of its rate, or of its second rate where ω does not change."""
        view = self.body.view
        return (view.q, view.v)[order][3:] if order < 2 else tuple(se.Symbol(f"{e.name}''") for e in view.q[3:])

    @cached_property
    def omega(self) -> Vector:
        """Its angular velocity in body axes."""
        return tuple(se.Symbol(f"{name}'") for name in self.names[:3])

    @cached_property
    def view(self) -> TurnedView:
        """Its motion."""
        return TurnedView(self.body.view, self.matrix(0), self.omega)

    @property
    def labels(self) -> dict[Expr, str]:
        """What is attached to it: its symbols, each with a label that is the same for all bodies."""
        found = {}
        for prime in ("", "'", "''"):
            entries = [entry for row in self.matrix(len(prime)) for entry in row]
            found |= {entry: f"R{place}{prime}" for entry, place in zip(entries, PLACES, strict=True)}
            found |= {e: f"e{k}{prime}" for k, e in enumerate(self.euler(len(prime)))}
        return found

    @cached_property
    def half(self) -> Matrix:
        """The matrix ½ Eᵀ of ė = ½ Eᵀω."""
        return tuple(scale(se.Rational(1, 2), row) for row in transpose(self.view.E))

    def ways(self) -> dict[Expr, Way]:
        """Return how moves what is attached to it."""
        (R, rate, bend), eye = (self.matrix(order) for order in range(3)), identity(3)
        (one, two, three), stretch = self.own[3:6], self.own[6:]
        found: dict[Expr, Way] = {}
        for i, (x, y, z) in enumerate(R):
            columns = ({three: y, two: -z}, {three: -x, one: z}, {two: x, one: -y})  # of R ω̃
            for j, directions in enumerate(columns):
                grown = dict.fromkeys(stretch, 2 * (R[i][j] - eye[i][j]))
                found[R[i][j]] = Way({**directions, **grown}, rate[i][j])
                found[rate[i][j]] = Way({}, bend[i][j])
        for e, speed, bent, row in zip(*map(self.euler, range(3)), self.half, strict=True):
            found[e] = Way({one: row[0], two: row[1], three: row[2], **dict.fromkeys(stretch, e)}, speed)
            found[speed] = Way({}, bent)
        return found

    def forces(self, given: Vector) -> dict[str, Expr]:
        """Return what acts on its turns, −ω × Jω, and on its stretch, 2 ω·Jω; with the forces that are given on e."""
        momentum = multiply(self.body.inertia, self.omega)
        turning = zip(cross(momentum, self.omega), multiply(transpose(self.half), given), strict=True)
        stretching = 2 * dot(self.omega, momentum) + dot(self.euler(0), given)
        return dict(zip(self.names, (*(a + b for a, b in turning), stretching), strict=True))


def known(e: Sequence[Any], rates: Sequence[Any]) -> dict[str, Any]:
    """Return by label what follows from Euler parameters and their rates, in any arithmetic; ω by its turns."""
    (e0, e1, e2, e3), (d0, d1, d2, d3) = e, rates
    a = 2.0 * (e0 * d1 - e1 * d0 + e3 * d2 - e2 * d3)
    b = 2.0 * (e0 * d2 - e2 * d0 + e1 * d3 - e3 * d1)
    c = 2.0 * (e0 * d3 - e3 * d0 + e2 * d1 - e1 * d2)
    x1, x2, x3 = 2.0 * e1, 2.0 * e2, 2.0 * e3
    R = (
        (1.0 - (x2 * e2 + x3 * e3), x1 * e2 - x3 * e0, x1 * e3 + x2 * e0),
        (x1 * e2 + x3 * e0, 1.0 - (x1 * e1 + x3 * e3), x2 * e3 - x1 * e0),
        (x1 * e3 - x2 * e0, x2 * e3 + x1 * e0, 1.0 - (x1 * e1 + x2 * e2)),
    )
    found: dict[str, Any] = dict(zip(TURNS, (a, b, c), strict=True))
    for prime in ("", "'", "''"):
        entries = [entry for row in R for entry in row]
        found |= {f"R{place}{prime}": entry for place, entry in zip(PLACES, entries, strict=True)}
        R = tuple((y * c - z * b, z * a - x * c, x * b - y * a) for x, y, z in R)  # R ω̃
    square = -(d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3)
    for k, x in enumerate(e):
        found |= {f"e{k}": x, f"e{k}'": rates[k], f"e{k}''": square * x}
    return found


@dataclass(frozen=True)
class Turned:
    """A mechanism with angular velocities; like a System for what derives equations.

    places: the numbers in the mechanism of coordinates that have values there. rows: those of its conditions.
    moving: how many coordinates move; behind them are the stretches. parts: further names in conditions.
    """

    coordinates: tuple[str, ...]
    kinetic: Expr
    potential: Expr | None
    forces: Mapping[str, Expr]
    constraints: tuple[Constraint, ...]
    parameters: Mapping[str, float | None]
    turning: tuple[Turning, ...]
    places: Mapping[int, int]
    rows: tuple[int, ...]
    moving: int
    parts: Mapping[Expr, Way] = field(default_factory=dict)

    @cached_property
    def survey(self) -> Survey:
        """What is found out about it."""
        return Survey()

    @property
    def velocities(self) -> tuple[str, ...]:
        """The names of its velocities."""
        return tuple(f"{name}'" for name in self.coordinates)

    @cached_property
    def attached(self) -> dict[Expr, Way]:
        """What moves with its coordinates, and is none of them."""
        return {symbol: way for turning in self.turning for symbol, way in turning.ways().items()} | dict(self.parts)

    @cached_property
    def labels(self) -> dict[Expr, tuple[int, str]]:
        """The first turn of the body to which something is attached, and its label."""
        return {symbol: (one.own[3], label) for one in self.turning for symbol, label in one.labels.items()}

    @property
    def together(self) -> list[tuple[int, ...]]:
        """The coordinates of each body that turns."""
        return [turning.own for turning in self.turning]


@fact(STRUCTURE)
def turned(system: Any) -> Turned | None:
    """Return a mechanism in space with angular velocities; None of all others, and where rates of e are prescribed."""
    if getattr(system, "dimensions", 2) != 3 or system.by != ABSOLUTE:
        return None
    return _Turner(system).turned()


class _Turner:
    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        self.bodies = [body for body in mechanism.bodies.values() if body.name != GROUND]
        self.rows = {constraint.name: i for i, constraint in enumerate(mechanism.constraints)}

    def turned(self) -> Turned | None:
        mechanism, names, places = self.mechanism, list[str](), dict[int, int]()
        index = {name: i for i, name in enumerate(mechanism.coordinates)}
        firsts: dict[str, int] = {}
        norms = {body.name: f"{body.name}.norm" for body in self.bodies if body.conditions}
        turning_names = {name: body for body in self.bodies if body.name in norms for name in body.coordinates[3:]}
        for name in mechanism.coordinates:
            body = turning_names.get(name)
            if body is None:
                places[len(names)] = index[name]
                names.append(name)
            elif body.name not in firsts:
                firsts[body.name] = len(names)
                names += [f"{turn} {body.name}" for turn in TURNS]
        moving, numbers = len(names), {name: i for i, name in enumerate(names)}
        turning = []
        for body in self.bodies:
            if body.name in firsts:
                first = firsts[body.name]
                own = (*(numbers[name] for name in body.coordinates[:3]), first, first + 1, first + 2, len(names))
                turning.append(Turning(body, own, self.rows[norms[body.name]]))
                names.append(f"{STRETCH} {body.name}")
        kinetic = self.kinetic(turning)
        constraints = self.constraints(turning, {*norms.values()})
        if kinetic is None or constraints is None:
            return None
        return Turned(
            coordinates=tuple(names),
            kinetic=kinetic,
            potential=mechanism.potential,
            forces=self.forces(turning, turning_names),
            constraints=constraints,
            parameters=mechanism.parameters,
            turning=tuple(turning),
            places=places,
            rows=tuple(self.rows[constraint.name] for constraint in constraints),
            moving=moving,
        )

    def kinetic(self, turning: Sequence[Turning]) -> Expr | None:
        """Return T; None if a user has added to it."""
        views = {one.body.name: one.view for one in turning}
        own = se.Add(*[term for body in self.bodies for term in body.kinetic])
        if own != self.mechanism.kinetic and se.expand(self.mechanism.kinetic - own) != 0:
            return None
        seen = [replace(body, view=views.get(body.name, body.view)) for body in self.bodies]
        return se.Add(*[term for body in seen for term in body.kinetic])

    def forces(self, turning: Sequence[Turning], turned: Mapping[str, Body]) -> dict[str, Expr]:
        given = self.mechanism.forces
        found = {name: force for name, force in given.items() if name not in turned}
        for one in turning:
            on_e = tuple(given.get(name, se.Integer(0)) for name in one.body.coordinates[3:])
            found |= one.forces(on_e)
        return {name: force for name, force in found.items() if force != 0}

    def constraints(self, turning: Sequence[Turning], norms: set[str]) -> tuple[Constraint, ...] | None:
        """Return the conditions, those of joints by rotation matrices; None if one is on rates of e."""
        views: dict[int, View] = {id(one.body.view): one.view for one in turning}
        by_joint = {}
        for joint in self.mechanism.joints.values():
            by_joint |= seen_joint(joint, views).conditions
        rates = {symbol for one in turning for order in (1, 2) for symbol in one.euler(order)}
        found = []
        for constraint in self.mechanism.constraints:
            if constraint.name in norms:
                continue
            expression = by_joint.get(constraint.name, constraint.expression)
            if expression.free_symbols & rates:
                return None
            found.append(_with(constraint, expression, turning))
        return tuple(found)


def _with(constraint: Constraint, expression: Expr, turning: Sequence[Turning]) -> Constraint:
    """Return a condition in other words; of one on velocities, what it is linear in may be angular ones."""
    variables = constraint.variables
    if constraint.level == LEVELS[1]:
        variables |= {speed for one in turning for speed in one.omega}
    return replace(constraint, expression=expression, variables=frozenset(variables & expression.free_symbols))
