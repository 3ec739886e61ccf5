"""Bodies that are carried: their motion follows from that of another body and the coordinates of a joint.

V_k = X_k V_parent + S_k q̇_k: place and turn are composed along the steps of the joint, and so are their rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.exact import tidied
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import rate_by
from dalembert.model.mechanism.pairs.motion import Slide, Step, Turn
from dalembert.model.mechanism.placement import Placement
from dalembert.model.mechanism.vectors import ZERO, Matrix, Vector, add, cross, multiply, scale, sub, transpose
from dalembert.model.mechanism.views import (
    PlanarView,
    SpatialView,
    View,
    compose,
    euler_rates,
    planar_rotation,
    reverse,
    rotation,
    turning,
)

Rates = Mapping[Expr, Expr]


def carried(
    parent: Marker,
    steps: Sequence[Step],
    own: Placement,
    centre: Vector,
    rates: Rates,
    angle: Expr | None = None,
    seen: View | None = None,
) -> View:
    """Return the motion of a body that a joint carries.

    parent: the marker of the joint on the body that carries it. steps: from there to the marker on the body itself,
    which is at `own`. rates: the velocities by coordinate. angle: of the body in the plane, where that is a coordinate.
    seen: the body by symbols of its own turn, if its place and velocity are to be written in these.
    """
    if len(centre) == 2:
        return _in_plane(parent, steps, own, centre, rates, angle, seen)
    return _in_space(parent, steps, own, centre, rates, cast(SpatialView | None, seen))


def _in_plane(
    parent: Marker,
    steps: Sequence[Step],
    own: Placement,
    centre: Vector,
    rates: Rates,
    angle: Expr | None,
    seen: View | None,
) -> PlanarView:
    place, turn = parent.place, parent.angle
    for k, step in enumerate(steps):
        if isinstance(step, Slide):
            place = add(place, multiply(planar_rotation(tidied(turn)), step.way[:2]))
        elif isinstance(step, Turn):
            known = angle is not None and not any(isinstance(later, Turn) for later in steps[k + 1 :])
            turn = angle + own.turn[0] if known else turn + step.angle  # pyright: ignore
    phi = angle if angle is not None else tidied(turn - own.turn[0])
    turned = planar_rotation(phi) if seen is None else seen.R
    place = add(place, multiply(turned, sub(centre, own.at)))
    q = (*map(tidied, place), phi)
    return PlanarView(q, tuple(rate_by(x, rates) for x in q), centre, rates)


class CarriedView(SpatialView):
    """A body in space that is carried: turn and angular velocity are those of its joint after those of another body."""

    def __init__(
        self, place: Vector, velocity: Vector, e: Vector, R: Matrix, omega: Vector, centre: Vector, rates: Rates
    ):
        super().__init__((*place, *e), (*velocity, *euler_rates(e, omega)), centre, rates)
        self.R, self.omega = R, omega
        self.spin = multiply(R, omega)


def _in_space(
    parent: Marker, steps: Sequence[Step], own: Placement, centre: Vector, rates: Rates, seen: SpatialView | None
) -> CarriedView:
    place, velocity = parent.place, parent.velocity
    R, e = transpose((parent.x, parent.y, parent.z)), parent.e
    moving = cast(SpatialView, parent.view)
    omega = multiply(transpose(parent.placement.R), moving.omega)  # in the axes of the marker
    balls = []
    for step in steps:
        if isinstance(step, Slide):
            speed = add(cross(omega, step.way), tuple(rate_by(x, rates) for x in step.way))
            place, velocity = add(place, multiply(R, step.way)), add(velocity, multiply(R, speed))
        elif isinstance(step, Turn):
            turn = turning(step.axis, step.angle)
            R, e = _product(R, turn), compose(e, step.e)
            omega = add(multiply(transpose(turn), omega), scale(rate_by(step.angle, rates), step.axis))
        else:
            speeds = tuple(rates.get(x, ZERO) for x in step.e)
            own_omega = SpatialView((*(ZERO,) * 3, *step.e), (*(ZERO,) * 3, *speeds), (ZERO,) * 3).omega
            turn = rotation(step.e)
            if step.backward:  # the second marker turns against the first by −ω, seen from the second
                own_omega, turn = scale(se.Integer(-1), multiply(turn, own_omega)), transpose(turn)
            R, e = _product(R, turn), compose(e, reverse(step.e) if step.backward else step.e)
            omega = add(multiply(transpose(turn), omega), own_omega)
            balls.append((step.e, speeds))
    R, e = _product(R, transpose(own.R)), compose(e, reverse(own.turn))
    omega = multiply(own.R, omega)
    arm, (turned, turning_speed) = sub(centre, own.at), (R, omega) if seen is None else (seen.R, seen.omega)
    place, velocity = add(place, multiply(turned, arm)), add(velocity, multiply(turned, cross(turning_speed, arm)))
    view = CarriedView(place, velocity, e, R, omega, centre, rates)
    view.balls = tuple(balls)
    return view


def _product(a: Matrix, b: Matrix) -> Matrix:
    return tuple(multiply(transpose(b), row) for row in a)
