"""Two bodies turn about a common point."""

from __future__ import annotations

from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import Conditions, Coordinate, difference_to, pair
from dalembert.model.mechanism.pairs.motion import Turn
from dalembert.model.mechanism.pairs.rubbing import BEARING
from dalembert.model.mechanism.vectors import difference, sub


def turn(a: Marker, b: Marker) -> dict[str, Coordinate]:
    """Return the angle from the first marker to the second."""
    angle = difference(b.angle, a.angle)
    return {"angle": Coordinate(angle, b.spin - a.spin, difference_to(angle))}


@pair(
    "revolute",
    2,
    coordinates=turn,
    axis="the direction from which its angle counts",
    moves=("angle",),
    motion=lambda a, b, angle: (Turn(angle),),
    rubs=BEARING,
)
def revolute(a: Marker, b: Marker) -> Conditions:
    """Both points are in the same place."""
    x, y = sub(b.place, a.place)
    return {"x": x, "y": y}
