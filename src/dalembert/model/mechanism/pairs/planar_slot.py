"""A pin of the second body moves in a straight slot of the first."""

from __future__ import annotations

from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import Conditions, pair
from dalembert.model.mechanism.pairs.motion import Slide, Turn
from dalembert.model.mechanism.pairs.planar_prismatic import slide
from dalembert.model.mechanism.pairs.planar_revolute import turn
from dalembert.model.mechanism.pairs.rubbing import SLOT
from dalembert.model.mechanism.vectors import ZERO, dot, sub


@pair(
    "slot",
    2,
    coordinates=lambda a, b: slide(a, b) | turn(a, b),
    axis="!the direction of the slot",
    moves=("distance", "angle"),
    motion=lambda a, b, distance, angle: (Slide((distance, ZERO)), Turn(angle)),
    along=True,
    rubs=SLOT,
)
def slot(a: Marker, b: Marker) -> Conditions:
    """The pin stays on the line of the slot."""
    return {"normal": dot(a.y, sub(b.place, a.place))}
