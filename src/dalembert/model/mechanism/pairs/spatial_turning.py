"""Pairs in space whose bodies share a point: spherical, revolute, universal, rigid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr, angle
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import Conditions, Coordinate, More, pair
from dalembert.model.mechanism.pairs.motion import Ball, Step, Turn
from dalembert.model.mechanism.pairs.rubbing import BALL, LONG_BEARING
from dalembert.model.mechanism.placement import RIGHT, read_axis
from dalembert.model.mechanism.vectors import ONE, ZERO, Vector, add, cross, dot, multiply, sub, transpose, unit
from dalembert.model.mechanism.views import compose, reverse

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.table_reader import TableReader


TURNS = ("tilt_x", "tilt_y", "turn")  # conditions on directions, whose multipliers are moments


def turn(a: Marker, b: Marker, **values: Any) -> dict[str, Coordinate]:
    """Return the angle about the common z axis from the x axis of the first marker to that of the second.

    Its value is within half a turn; the condition of a drive holds for any number of turns.
    """

    def equals(wanted: Expr) -> Expr:
        return ahead(a, b, wanted)

    value = angle(dot(a.y, b.x), dot(a.x, b.x))
    return {"angle": Coordinate(value, dot(a.z, sub(b.spin, a.spin)), equals, cyclic=True)}


def ahead(a: Marker, b: Marker, wanted: Expr) -> Expr:
    """Return 2 sin(δ/2) of the angle δ by which the second marker is ahead of a wanted angle about the common z axis.

    It vanishes for whole turns only, not half a turn away as sin δ would. The relative Euler parameters are
    (cos(φ/2), 0, 0, sin(φ/2)) for the angle φ about z.
    """
    cos, sin = dot(a.e, b.e), a.e[0] * b.e[3] - a.e[3] * b.e[0] - a.e[1] * b.e[2] + a.e[2] * b.e[1]
    return 2 * (sin * se.cos(wanted / 2) - cos * se.sin(wanted / 2))


def same_place(a: Marker, b: Marker) -> dict[str, Expr]:
    """Return the conditions that both points are in the same place, in world axes."""
    return dict(zip("xyz", sub(b.place, a.place), strict=True))


def same_axis(a: Marker, b: Marker) -> dict[str, Expr]:
    """Return the conditions that both z axes are parallel: the first body's x and y are across the second's z."""
    return {"tilt_x": dot(a.x, b.z), "tilt_y": dot(a.y, b.z)}


def no_turn(a: Marker, b: Marker) -> dict[str, Expr]:
    """Return the condition that there is no turn about a common z axis."""
    return {"turn": dot(a.y, b.x)}


def cross_arm(joint: Joint) -> More:
    """The arm of the cross on the second body of a universal joint."""
    b = joint.markers[1]
    return (add(b.place, b.view.direction(joint.values["arm"])),), ()


@pair(
    "spherical",
    3,
    moves=("e0", "e1", "e2", "e3"),
    motion=lambda a, b, e0, e1, e2, e3: (Ball((e0, e1, e2, e3)),),
    rubs=BALL,
)
def spherical(a: Marker, b: Marker) -> Conditions:
    """Both points are in the same place."""
    return same_place(a, b)


@pair(
    "revolute",
    3,
    coordinates=turn,
    axis="!the axis about which the bodies turn",
    moments=TURNS,
    moves=("angle",),
    motion=lambda a, b, angle: (Turn(angle),),
    rubs=LONG_BEARING,
)
def revolute(a: Marker, b: Marker) -> Conditions:
    """Both points are in the same place, both axes parallel."""
    return same_place(a, b) | same_axis(a, b)


@pair("rigid", 3, moments=TURNS, motion=lambda a, b: ())
def rigid(a: Marker, b: Marker) -> Conditions:
    """Both markers coincide."""
    return same_place(a, b) | same_axis(a, b) | no_turn(a, b)


def read_cross(table: TableReader, assembly: Assembly, markers: Sequence[Marker]) -> dict[str, Any]:
    """Read the arm of the cross on the second body: `cross` in the world, if it is not the second of `axes`."""
    a, b = markers
    if table.has("axes"):
        return {"arm": tuple(row[2] for row in b.placement.R)}
    first, body = (assembly.bodies[name].placement for name in table.kept["bodies"])
    direction = read_axis(table, "cross")
    arm = unit(body.inward_direction(direction))
    slant = assembly.value(assembly.home(dot(a.z, b.view.direction(arm))))
    if slant is not None and abs(slant) > RIGHT:
        table.problem("the arm on the second body must be at right angles to `axis`, that on the first", "cross")
    across = body.inward_direction(multiply(first.R, [row[2] for row in a.placement.R]))
    turn = compose(reverse(compose(first.turn, a.placement.turn)), compose(body.turn, b.placement.turn))
    return {"arm": arm, "zero": (unit(first.inward_direction(direction)), across, turn)}


Zero = tuple[Vector, Vector, Vector]


def cross_angles(a: Marker, b: Marker, arm: Vector, zero: Zero | None = None) -> dict[str, Coordinate]:
    """Return the angles of the cross against the first body, about its arm there, and of the second against the cross.

    `zero` are the directions on each body that point along the other's arm where the angles vanish, and the turn from
    the first marker to the second there; without them these directions are the x axes of the markers.
    """
    here, there = a.z, b.view.direction(arm)
    start, end = (a.view.direction(zero[0]), b.view.direction(zero[1])) if zero else (a.x, b.x)
    turning = sub(b.spin, a.spin)  # has components along the arms only, which stay at right angles
    return {
        "angle1": _about(here, start, there, turning),
        "angle2": _about(there, here, end, turning),
    }


def _about(axis: Vector, start: Vector, end: Vector, turning: Vector) -> Coordinate:
    """Return the angle about an axis between two directions across it."""
    sin, cos = dot(axis, cross(start, end)), dot(start, end)

    def equals(wanted: Expr) -> Expr:
        s, c = se.sin(wanted), se.cos(wanted)
        return angle(sin * c - cos * s, cos * c + sin * s)

    return Coordinate(angle(sin, cos), dot(axis, turning), equals, cyclic=True)


def on_cross(a: Marker, b: Marker, angle1: Expr, angle2: Expr, arm: Vector, zero: Zero | None = None) -> list[Step]:
    """Turn about the arm on the first body, then about the other one, from where both angles vanish."""
    if zero is None:  # the x axis of each marker is the z axis of the other one
        return [Turn(angle1), Turn(angle2, (ONE, ZERO, ZERO)), Ball((ZERO, se.sqrt(2) / 2, ZERO, se.sqrt(2) / 2))]
    other = multiply(transpose(a.placement.R), zero[0])
    return [Turn(angle1), Turn(angle2, other), Ball(zero[2])]


@pair(
    "universal",
    3,
    coordinates=cross_angles,
    axis="!the arm of the cross on the first body",
    read=read_cross,
    moments=("cross",),
    moves=("angle1", "angle2"),
    motion=on_cross,
    drawn=cross_arm,
)
def universal(a: Marker, b: Marker, arm: Vector, zero: Zero | None = None) -> Conditions:
    """Both points are in the same place, the arms of the cross at right angles."""
    return same_place(a, b) | {"cross": dot(a.z, b.view.direction(arm))}
