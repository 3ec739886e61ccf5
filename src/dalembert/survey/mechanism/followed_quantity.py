"""Quantities of a mechanism along a motion: coordinates of joints, places of points, with their first two rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import symengine as se

from dalembert.arguments import shown
from dalembert.arrays import Array
from dalembert.errors import ModelError, nearest, quoted
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.model.mechanism.pairs.base import is_angle
from dalembert.model.mechanism.table_reader import as_sequence

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism


class Course(NamedTuple):
    """Values along a motion, with their velocities and accelerations."""

    value: Array
    velocity: Array
    acceleration: Array


class FollowedQuantity:
    """Some expressions of the coordinates with the expressions of their rates.

    angle: it is one. turns: an angle that is given within half a turn, so that whole turns follow from the rates.
    """

    def __init__(self, mechanism: Mechanism, values: Sequence[Expr], rates: Sequence[Expr], angle: bool = False):
        q, v, a = ([se.Symbol(name + prime) for name in mechanism.coordinates] for prime in ("", "'", "''"))
        follows = dict(zip([*q, *v], [*v, *a], strict=True))
        seconds = [
            se.Add(*[rate.diff(x) * follows[x] for x in sorted(rate.free_symbols & follows.keys(), key=str)])
            for rate in rates
        ]
        self.angle, self.turns, self.count = angle, angle and mechanism.dimensions == 3, len(values)
        self.parameters = mechanism.parameters
        self.inputs = [*q, *v, *a, *(se.Symbol(name) for name in mechanism.parameters)]
        self.program = Program(self.inputs, [*values, *rates, *seconds])

    def along(self, q: Array, v: Array, a: Array, parameters: Sequence[float]) -> Course:
        """Evaluate it at states, one in each row; its own rows are the times, its columns the expressions."""
        columns = np.broadcast_to(np.asarray(parameters), (len(q), len(parameters)))
        out = self.program.arrays(list(np.hstack([q, v, a, columns]).T)).T
        value, velocity, acceleration = np.split(out, 3, axis=1)
        return Course(value, velocity, acceleration)

    def at(self, q: Array, v: Array, a: Array, parameters: Sequence[float]) -> tuple[float, float, float]:
        """Evaluate the first expression at one state."""
        value, rate, second = self.program.floats([*q, *v, *a, *parameters])[:: self.count]
        return float(value), float(rate), float(second)


def unwrap(values: Any, guess: Any) -> Any:
    """Add to angles the whole turns that bring them nearest to a guess."""
    return values + 2 * np.pi * np.round((guess - values) / (2 * np.pi))


def joint_quantity(mechanism: Mechanism, name: str) -> FollowedQuantity:
    """Return the coordinate of a joint by `A`, or by `A.angle` where it has several; or a coordinate of the system."""
    if not isinstance(name, str):
        raise ModelError(f"joints and coordinates are given by their names, got {shown(name)}")
    if name in mechanism.coordinates:
        angles = {name for body in mechanism.bodies.values() for name in body.coordinates[2:]}
        angle = mechanism.dimensions == 2 and name in angles
        return FollowedQuantity(mechanism, [se.Symbol(name)], [se.Symbol(name + "'")], angle)
    joint_name, _, which = name.partition(".")
    if joint_name not in mechanism.joints:
        known = [*mechanism.joints, *mechanism.coordinates]
        raise ModelError(f"there is no joint or coordinate `{name}`; {nearest(name, known, 'joints and coordinates')}")
    joint = mechanism.joints[joint_name]
    names = [f"{joint_name}.{key}" for key in joint.coordinates]
    if not names:
        raise ModelError(f"joint `{joint_name}` ({joint.kind}) has no coordinate; name a coordinate of a body")
    if (which and which not in joint.coordinates) or (not which and len(names) > 1):
        raise ModelError(f"joint `{joint_name}` ({joint.kind}) has the coordinates {quoted(names)}; got `{name}`")
    key = which or next(iter(joint.coordinates))
    coordinate = joint.coordinates[key]
    return FollowedQuantity(mechanism, [coordinate.value], [coordinate.rate], is_angle(key))


def point_quantity(mechanism: Mechanism, body: str, point: Any) -> FollowedQuantity:
    """Return the place of a point of a body, by its name or by coordinates in the body frame."""
    if body not in mechanism.bodies:
        raise ModelError(f"there is no body `{body}`; {nearest(str(body), mechanism.bodies, 'bodies')}")
    part = mechanism.bodies[body]
    if isinstance(point, str):
        if point not in part.frames:
            hint = nearest(point, part.frames, f"points of `{body}`")
            raise ModelError(f"body `{body}` has no point `{point}`; {hint}")
        place = part.frames[point].at
    else:
        given = as_sequence(point) or ()
        n = mechanism.dimensions
        if len(given) != n or any(not np.isfinite(_number(x)) for x in given):
            raise ModelError(f"a point of `{body}` is one of its names, or {n} numbers in its frame; got {point!r}")
        place = tuple(se.RealDouble(_number(x)) for x in given)
    return FollowedQuantity(mechanism, part.view.position(place), part.view.velocity(place))


def _number(x: Any) -> float:
    try:
        return float(x)
    except (TypeError, ValueError):
        return float("nan")
