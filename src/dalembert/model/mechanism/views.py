"""The motion of a rigid body, as expressions: where its points are, how it is turned, how fast both change.

The ground is a body like any other whose coordinates are numbers; its expressions simplify by themselves. A particle
is one whose turn is none, and does not change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.mechanism.vectors import (
    ONE,
    ZERO,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    multiply,
    scale,
    sub,
    transpose,
    zeros,
)

_ROUNDED = 2.3e-16  # of an angle: what of its cosine or sine is its own rounding
EULER = ("e0", "e1", "e2", "e3")  # Euler parameters


def symbols(names: Iterable[str]) -> Vector:
    """Return the symbols of some coordinates or velocities."""
    return tuple(se.Symbol(name) for name in names)


def own_rates(q: Sequence[Expr], v: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return velocities by coordinate, where the coordinates are no numbers."""
    return {x: speed for x, speed in zip(q, v, strict=True) if x.is_Symbol}


class PlanarView:
    """A body in the plane: place (x, y) of its centre of mass and its angle, positive from x to y.

    Points and directions are given in the body frame, points from its origin.
    """

    letters = ("x", "y", "phi")
    turns = True  # whether it has an orientation; a particle has none

    def __init__(
        self, q: Sequence[Expr], v: Sequence[Expr], centre: Sequence[Expr], rates: Mapping[Expr, Expr] | None = None
    ):
        self.q, self.v, self.centre = tuple(q), tuple(v), tuple(centre)
        self.rates = own_rates(q, v) if rates is None else rates  # velocities by the coordinates it depends on

    @classmethod
    def particle(cls, q: Sequence[Expr], v: Sequence[Expr], rates: Mapping[Expr, Expr] | None = None) -> PlanarView:
        """Return a point."""
        view = cls((*q, ZERO), (*v, ZERO), zeros(2), rates)
        view.turns = False
        return view

    @classmethod
    def ground(cls) -> PlanarView:
        """Return the body that does not move."""
        return cls(zeros(3), zeros(3), zeros(2))

    @property
    def angle(self) -> Expr:
        """The angle of the body."""
        return self.q[2]

    @property
    def spin(self) -> Expr:
        """The rate of the angle."""
        return self.v[2]

    @cached_property
    def R(self) -> Matrix:
        """The rotation matrix from the body frame to the world."""
        c, s = se.cos(self.angle), se.sin(self.angle)
        return (c, -s), (s, c)

    def position(self, point: Sequence[Expr]) -> Vector:
        """Return where a point of the body is."""
        return add(self.q[:2], self.direction(sub(point, self.centre)))

    def direction(self, vector: Sequence[Expr]) -> Vector:
        """Return a direction of the body in world axes."""
        return multiply(self.R, vector)

    def velocity(self, point: Sequence[Expr]) -> Vector:
        """Return the velocity of a point of the body."""
        x, y = self.direction(sub(point, self.centre))
        return add(self.v[:2], (-self.spin * y, self.spin * x))


class SpatialView:
    """A body in space: place (x, y, z) of its centre of mass and its Euler parameters e = (e0, e1, e2, e3).

    The rotation about the unit axis n by the angle a has e = (cos a/2, n sin a/2); there is no position in which a
    rate is undefined. Points and directions are given in the body frame, points from its origin.
    """

    letters = ("x", "y", "z", *EULER)
    turns = True  # whether it has an orientation; a particle has none

    def __init__(
        self, q: Sequence[Expr], v: Sequence[Expr], centre: Sequence[Expr], rates: Mapping[Expr, Expr] | None = None
    ):
        self.q, self.v, self.centre = tuple(q), tuple(v), tuple(centre)
        self.rates = own_rates(q, v) if rates is None else rates  # velocities by the coordinates it depends on
        # Euler parameters among its own coordinates, and their rates
        self.balls: tuple[tuple[Vector, Vector], ...] = ((self.q[3:], self.v[3:]),)

    @classmethod
    def particle(cls, q: Sequence[Expr], v: Sequence[Expr], rates: Mapping[Expr, Expr] | None = None) -> SpatialView:
        """Return a point."""
        view = cls((*q, ONE, *zeros(3)), (*v, *zeros(4)), zeros(3), rates)
        view.turns = False
        return view

    @classmethod
    def ground(cls) -> SpatialView:
        """Return the body that does not move."""
        return cls((*zeros(3), ONE, *zeros(3)), zeros(7), zeros(3))

    @property
    def e(self) -> Vector:
        """The Euler parameters."""
        return self.q[3:]

    @cached_property
    def R(self) -> Matrix:
        """The rotation matrix from the body frame to the world."""
        return rotation(self.e)

    @cached_property
    def E(self) -> Matrix:
        """The matrix of ω = 2 E ė in body axes."""
        e0, e1, e2, e3 = self.e
        return (-e1, e0, e3, -e2), (-e2, -e3, e0, e1), (-e3, e2, -e1, e0)

    @cached_property
    def omega(self) -> Vector:
        """The angular velocity in body axes."""
        return scale(se.Integer(2), multiply(self.E, self.v[3:]))

    @cached_property
    def G(self) -> Matrix:
        """The matrix of ω = 2 G ė in world axes."""
        e0, e1, e2, e3 = self.e
        return (-e1, e0, -e3, e2), (-e2, e3, e0, -e1), (-e3, -e2, e1, e0)

    @cached_property
    def spin(self) -> Vector:
        """The angular velocity in world axes."""
        return scale(se.Integer(2), multiply(self.G, self.v[3:]))

    def position(self, point: Sequence[Expr]) -> Vector:
        """Return where a point of the body is."""
        return add(self.q[:3], self.direction(sub(point, self.centre)))

    def direction(self, vector: Sequence[Expr]) -> Vector:
        """Return a direction of the body in world axes."""
        return multiply(self.R, vector)

    def velocity(self, point: Sequence[Expr]) -> Vector:
        """Return the velocity of a point of the body."""
        return add(self.v[:3], cross(self.spin, self.direction(sub(point, self.centre))))


View = PlanarView | SpatialView


def probed(view: View) -> tuple[View, frozenset[Expr]]:
    """Return a particle as if it had an orientation, and the symbols of that: what depends on them asks for one."""
    n = len(view.centre)
    turn, rates = (symbols(f"?{what}{k}" for k in range(len(view.q) - n)) for what in "qv")
    return type(view)((*view.q[:n], *turn), (*view.v[:n], *rates), view.centre), frozenset((*turn, *rates))


def rotation(e: Sequence[Expr]) -> Matrix:
    """Return the rotation matrix of Euler parameters."""
    e0, e1, e2, e3 = e
    return (
        (1 - 2 * (e2**2 + e3**2), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)),
        (2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1**2 + e3**2), 2 * (e2 * e3 - e0 * e1)),
        (2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1**2 + e2**2)),
    )


def compose(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """Return the Euler parameters of the rotation a after the rotation b: the product of quaternions."""
    scalar = a[0] * b[0] - dot(a[1:], b[1:])
    return (scalar, *add(scale(a[0], b[1:]), scale(b[0], a[1:]), cross(a[1:], b[1:])))


def reverse(e: Sequence[Expr]) -> Vector:
    """Return the Euler parameters of the rotation back."""
    return (e[0], *(-x for x in e[1:]))


def turning(axis: Sequence[Expr], angle: Expr) -> Matrix:
    """Return the rotation matrix of a turn about a unit axis (Rodrigues)."""
    c, s, (x, y, z) = _of_angle(se.cos, angle), _of_angle(se.sin, angle), axis
    return (
        (c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s),
        (y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s),
        (z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)),
    )


def _of_angle(wave: Callable[[Expr], Expr], angle: Expr) -> Expr:
    """Return the cosine or sine of an angle; that of π/2 as a number is zero, and not the rounding of π/2."""
    found = wave(angle)
    if isinstance(found, se.RealDouble) and abs(float(found)) <= _ROUNDED * abs(float(angle)):
        return ZERO
    return found


def planar_rotation(angle: Expr) -> Matrix:
    """Return the rotation matrix of an angle in the plane; that of atan(3/4) has the entries 4/5 and 3/5."""
    c, s = _of_angle(se.cos, angle), _of_angle(se.sin, angle)
    known = {}
    for node in angle.atoms(se.atan):
        slope = node.args[0]
        known |= {se.cos(node): 1 / se.sqrt(1 + slope**2), se.sin(node): slope / se.sqrt(1 + slope**2)}
    if known:
        c, s = c.xreplace(known), s.xreplace(known)
    return (c, -s), (s, c)


def euler_rates(e: Sequence[Expr], omega: Sequence[Expr]) -> Vector:
    """Return ė = ½ Eᵀ ω of an angular velocity in body axes."""
    E = SpatialView((*zeros(3), *e), zeros(7), zeros(3)).E
    return scale(se.Rational(1, 2), multiply(transpose(E), omega))


def identity(n: int) -> Matrix:
    """Return the unit matrix."""
    return tuple(tuple(ONE if i == j else ZERO for j in range(n)) for i in range(n))
