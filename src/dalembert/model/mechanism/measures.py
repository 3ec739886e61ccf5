"""What initial values can be given of in a mechanism: coordinates of joints with their rates, spins in body axes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dalembert.model.initial import Measure
from dalembert.model.mechanism.pairs.base import difference_to

if TYPE_CHECKING:
    from dalembert.model.mechanism.body import Body
    from dalembert.model.mechanism.joint import Joint


def find_measures(bodies: Iterable[Body], joints: Iterable[Joint]) -> dict[str, Measure]:
    """Return them by name: `A.angle`, its rate `A.angle'`, in space the spin `b.spin_x`, … of a body."""
    measures: dict[str, Measure] = {}
    for body in bodies:
        for name, omega in body.spins.items():
            measures[name] = Measure("velocity", omega, difference_to(omega))
    for joint in joints:
        for key, coordinate in joint.coordinates.items():
            name = f"{joint.name}.{key}"
            measures[name] = Measure("position", coordinate.value, coordinate.equals, coordinate.cyclic)
            measures[f"{name}'"] = Measure("velocity", coordinate.rate, difference_to(coordinate.rate))
    return measures
