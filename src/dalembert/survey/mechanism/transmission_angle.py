"""The transmission angle: between the force in a coupler and what it cannot move.

A coupler that carries only two pins pushes along the line between them. Of the pin on the output body the direction of
motion is known: across the line to the bearing, or along the guide. The angle of the force to the normal of this
direction is the transmission angle (Alt 1932); at a right angle all of the force drives the output, at 0 none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.language.building import angle
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.model.mechanism.vectors import Vector, dot, sub
from dalembert.survey.mechanism.followed_quantity import FollowedQuantity

if TYPE_CHECKING:
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.mechanism import Mechanism


def transmission_angle(mechanism: Mechanism, output: str) -> FollowedQuantity | None:
    """Return the angle from what is blocked to the force, unfolded; None if the output is not so driven."""
    lines = _lines(mechanism, output)
    if lines is None:
        return None
    force, blocked = lines
    value = angle(blocked[0] * force[1] - blocked[1] * force[0], dot(force, blocked))
    names = [name for name in mechanism.coordinates if se.Symbol(name) in value.free_symbols]
    rate = se.Add(*[value.diff(se.Symbol(name)) * se.Symbol(name + "'") for name in names])
    return FollowedQuantity(mechanism, [value], [rate], angle=True)


def folded(unfolded: Array) -> Array:
    """Return the angle between two lines, from 0 to a right angle, of that between their directions."""
    return np.arctan2(np.abs(np.sin(unfolded)), np.abs(np.cos(unfolded)))


def _lines(mechanism: Mechanism, output: str) -> tuple[Vector, Vector] | None:
    """Return the line of the coupler, and the line along which the output body cannot be moved."""
    joint = mechanism.joints.get(output.partition(".")[0])
    if joint is None or mechanism.dimensions != 2 or GROUND not in joint.bodies:
        return None
    if joint.kind not in ("revolute", "prismatic"):
        return None
    body = next(name for name in joint.bodies if name != GROUND)
    pins = [other for other in _at(mechanism, body) if other is not joint]
    if len(pins) != 1 or pins[0].kind != "revolute":
        return None
    coupler = _other(pins[0], body)
    ends = [other for other in _at(mechanism, coupler) if other is not pins[0]]
    if coupler == GROUND or len(ends) != 1 or ends[0].kind != "revolute":
        return None
    pin = pins[0].markers[0].place
    blocked = sub(pin, joint.markers[0].place) if joint.kind == "revolute" else joint.markers[0].y
    return sub(pin, ends[0].markers[0].place), blocked


def _at(mechanism: Mechanism, body: str) -> list[Joint]:
    return [joint for joint in mechanism.joints.values() if body in joint.bodies]


def _other(joint: Joint, body: str) -> str:
    return joint.bodies[1] if joint.bodies[0] == body else joint.bodies[0]
