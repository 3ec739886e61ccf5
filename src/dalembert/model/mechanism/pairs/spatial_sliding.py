"""Pairs in space whose bodies slide: prismatic, cylindrical, screw, planar, point on a line, point in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import Conditions, Coordinate, More, difference_to, pair, rate
from dalembert.model.mechanism.pairs.motion import Ball, Slide, Turn, Z
from dalembert.model.mechanism.pairs.rubbing import CYLINDER, LINE, LONG_GUIDE, PLANE, THREAD
from dalembert.model.mechanism.pairs.spatial_turning import TURNS, ahead, no_turn, same_axis, turn
from dalembert.model.mechanism.vectors import ZERO, add, dot, scale, sub
from dalembert.model.mechanism.views import EULER

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.table_reader import TableReader


def slide(a: Marker, b: Marker, **values: Any) -> dict[str, Coordinate]:
    """Return how far the second point is from the first along the axis."""
    distance = dot(a.z, sub(b.place, a.place))
    return {"distance": Coordinate(distance, rate(distance, a, b), difference_to(distance))}


def slide_and_turn(a: Marker, b: Marker, **values: Any) -> dict[str, Coordinate]:
    """Return both coordinates of a cylindrical pair."""
    return slide(a, b) | turn(a, b)


def on_axis(a: Marker, b: Marker) -> dict[str, Expr]:
    """Return the conditions that the second point is on the z axis of the first marker."""
    apart = sub(b.place, a.place)
    return {"x": dot(a.x, apart), "y": dot(a.y, apart)}


def plane(joint: Joint) -> More:
    """A plane: the ends of its two axes."""
    a = joint.markers[0]
    return (add(a.place, a.x), add(a.place, a.y)), ()


@pair(
    "point_on_line",
    3,
    coordinates=slide,
    axis="!the direction of the line",
    moves=("distance", *EULER),
    motion=lambda a, b, distance, e0, e1, e2, e3: (Slide(scale(distance, Z)), Ball((e0, e1, e2, e3))),
    along=True,
    rubs=LINE,
)
def point_on_line(a: Marker, b: Marker) -> Conditions:
    """A point of the second body is on a line of the first."""
    return on_axis(a, b)


@pair("point_in_plane", 3, axis="!the normal of the plane", drawn=plane, rubs=PLANE)
def point_in_plane(a: Marker, b: Marker) -> Conditions:
    """A point of the second body is in a plane of the first."""
    return {"normal": dot(a.z, sub(b.place, a.place))}


@pair(
    "planar",
    3,
    coordinates=turn,
    axis="!the normal of the plane",
    moments=TURNS,
    moves=("x", "y", "angle"),
    motion=lambda a, b, x, y, angle: (Slide((x, y, ZERO)), Turn(angle)),
    drawn=plane,
)
def planar(a: Marker, b: Marker) -> Conditions:
    """A plane of the second body slides on a plane of the first."""
    return point_in_plane(a, b) | same_axis(a, b)


@pair(
    "cylindrical",
    3,
    coordinates=slide_and_turn,
    axis="!the axis along which and about which the bodies move",
    moments=TURNS,
    moves=("distance", "angle"),
    motion=lambda a, b, distance, angle: (Slide(scale(distance, Z)), Turn(angle)),
    along=True,
    rubs=CYLINDER,
)
def cylindrical(a: Marker, b: Marker) -> Conditions:
    """Both axes are on one line."""
    return on_axis(a, b) | same_axis(a, b)


@pair(
    "prismatic",
    3,
    coordinates=slide,
    axis="!the direction of sliding",
    moments=TURNS,
    moves=("distance",),
    motion=lambda a, b, distance: (Slide(scale(distance, Z)),),
    along=True,
    rubs=LONG_GUIDE,
)
def prismatic(a: Marker, b: Marker) -> Conditions:
    """Both axes are on one line, without a turn about it."""
    return on_axis(a, b) | same_axis(a, b) | no_turn(a, b)


def read_pitch(table: TableReader, assembly: Assembly, markers: Sequence[Marker]) -> dict[str, Expr]:
    """Read the way along the axis in one turn; it is negative for a left-handed screw."""
    pitch = table.constant("pitch")
    if table.has("pitch") and assembly.value(pitch) == 0:
        table.problem("a screw without pitch does not move along its axis: use a revolute pair", "pitch")
    return {"pitch": pitch}


@pair(
    "screw",
    3,
    coordinates=slide_and_turn,
    axis="!the axis of the screw",
    read=read_pitch,
    moments=TURNS,
    moves=("angle",),
    motion=lambda a, b, angle, pitch: (Slide(scale(pitch * angle / (2 * se.pi), Z)), Turn(angle)),
    along=True,
    rubs=THREAD,
)
def screw(a: Marker, b: Marker, pitch: Expr) -> Conditions:
    """Both axes are on one line, and the distance is the pitch times the number of turns, of which there may be many.

    The multiplier of `thread` is the force along the axis.
    """
    h = pitch / (2 * se.pi)
    way = dot(a.z, sub(b.place, a.place)) / h
    return cylindrical(a, b) | {"thread": -h * ahead(a, b, way)}
