"""A circle of the second body rolls without slipping on a line of the first: rack and pinion, disk on a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import Conditions, Coordinate, Fit, More, Stays, pair
from dalembert.model.mechanism.pairs.planar_prismatic import slide
from dalembert.model.mechanism.pairs.planar_revolute import turn
from dalembert.model.mechanism.pairs.rubbing import ROLLING
from dalembert.model.mechanism.vectors import Vector, add, difference, dot, scale, sub

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.table_reader import TableReader


def read_rolling(table: TableReader, assembly: Assembly, markers: Sequence[Marker]) -> dict[str, Any]:
    """Read the radius; the side of the line and where rolling begins are those of the assembled position."""
    a, b = markers
    apart = sub(b.place, a.place)
    height = assembly.value(assembly.home(dot(a.y, apart)))
    side = -1 if height is not None and height < 0 else 1
    start = assembly.home(dot(a.x, apart)), assembly.home(difference(b.angle, a.angle))
    return {"radius": table.positive("radius"), "side": side, "start": start}


def coordinates(a: Marker, b: Marker, **values: Any) -> dict[str, Coordinate]:
    """Return the way along the line and the angle."""
    return slide(a, b) | turn(a, b)


def contact(a: Marker, b: Marker, radius: Expr, side: int, **values: Any) -> Vector:
    """Return where the circle touches the line."""
    return add(b.place, scale(-side * radius, a.y))


LINE = "!the direction of the line"


def round_disk(joint: Joint) -> More:
    """A disk on a line: where they touch, a point of the rim; the radius."""
    b, radius = joint.markers[1], joint.values["radius"]
    return (joint.point(joint.bodies[1]), add(b.place, scale(radius, b.x))), (radius,)


ON_A_LINE: dict[str, Any] = {
    "places": "origins", "point": contact, "read": read_rolling, "along": True, "drawn": round_disk,
}  # fmt: skip


def height(joint: Joint) -> Expr:
    """Return how far the centre of the pinion is above the pitch line of the rack."""
    a, b = joint.markers
    return joint.values["side"] * dot(a.y, sub(b.place, a.place))


def fits(joint: Joint) -> Fit:
    """The pitch circle of the pinion touches the pitch line of the rack."""
    return Fit(height(joint), joint.values["radius"], "radius", _misfit)


def _misfit(distance: float, needed: float) -> str:
    text = f"the centre of the pinion is {distance:.6g} m from the pitch line of the rack"
    text += f", and its radius is {needed:.6g} m"
    return f"{text}; change one of them, or give `points`: the line goes through the first, the second is the centre"


def stays(joint: Joint) -> Stays:
    """Other joints hold the pinion at its rack."""
    return Stays((height(joint),), _loose)


def _loose(holder: str) -> str:
    text = "the distance of the pinion from its rack changes as the parts move: other joints must hold its centre, by a"
    return f"{text} body along which the rack slides; or write `rolling`, which keeps it at the line"


@pair("rack", 2, coordinates=coordinates, axis=LINE, fits=fits, stays=stays, **ON_A_LINE)
def rack(a: Marker, b: Marker, radius: Expr, side: int, start: tuple[Expr, Expr]) -> Conditions:
    """The pitch circle of the pinion rolls on the pitch line of the rack; other joints hold its centre."""
    way = dot(a.x, sub(b.place, a.place)) - start[0]
    angle = difference(b.angle, a.angle) - start[1]
    return {"mesh": se.Add(way, side * radius * angle)}


@pair("rolling", 2, coordinates=coordinates, axis=LINE, rubs=ROLLING, rolls=("roll",), **ON_A_LINE)
def rolling(a: Marker, b: Marker, radius: Expr, side: int, start: tuple[Expr, Expr]) -> Conditions:
    """The disk touches the line and does not slip on it."""
    height = dot(a.y, sub(b.place, a.place))
    return {"normal": height - side * radius, "roll": rack(a, b, radius, side, start)["mesh"]}
