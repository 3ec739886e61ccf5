"""One body slides along a line of another without turning; and a body that is fixed to another."""

from __future__ import annotations

from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import Conditions, Coordinate, difference_to, pair, rate
from dalembert.model.mechanism.pairs.motion import Slide
from dalembert.model.mechanism.pairs.rubbing import GUIDE
from dalembert.model.mechanism.vectors import ZERO, difference, dot, sub


def slide(a: Marker, b: Marker) -> dict[str, Coordinate]:
    """Return how far the second point is from the first along the axis."""
    distance = dot(a.x, sub(b.place, a.place))
    return {"distance": Coordinate(distance, rate(distance, a, b), difference_to(distance))}


@pair(
    "prismatic",
    2,
    coordinates=slide,
    axis="!the direction of sliding",
    moments=("angle",),
    moves=("distance",),
    motion=lambda a, b, distance: (Slide((distance, ZERO)),),
    along=True,
    rubs=GUIDE,
)
def prismatic(a: Marker, b: Marker) -> Conditions:
    """The second point is on the axis through the first, and both axes are parallel."""
    return {"normal": dot(a.y, sub(b.place, a.place)), "angle": difference(b.angle, a.angle)}


@pair("rigid", 2, moments=("angle",), motion=lambda a, b: ())
def rigid(a: Marker, b: Marker) -> Conditions:
    """Both markers coincide."""
    x, y = sub(b.place, a.place)
    return {"x": x, "y": y, "angle": difference(b.angle, a.angle)}
