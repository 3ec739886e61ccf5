"""What initial values can be given of in a mechanism: coordinates of joints with their rates, spins in body axes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from dalembert.language.building import Expr
from dalembert.model.initial import Measure
from dalembert.model.mechanism.pairs.base import difference_to
from dalembert.model.mechanism.tree import named_coordinates

if TYPE_CHECKING:
    from dalembert.model.mechanism.body import Body
    from dalembert.model.mechanism.joint import Joint


def find_measures(
    bodies: Iterable[Body], joints: Iterable[Joint], coordinates: Collection[str] = ()
) -> dict[str, Measure]:
    """Return them by name: `A.angle`, its rate `A.angle'`, in space the spin `b.spin_x`, … of a body.

    Of a body that joints carry also its place and its angle, which are no coordinates then.
    """
    measures: dict[str, Measure] = {}
    for body in bodies:
        for name, value, rate in zip(body.coordinates, body.view.q, body.view.v, strict=False):
            if name not in coordinates:
                measures[name] = Measure("position", value, difference_to(value))
                measures[f"{name}'"] = Measure("velocity", rate, difference_to(rate))
        for name, omega in body.spins.items():
            measures[name] = Measure("velocity", omega, difference_to(omega))
    for joint in joints:
        for key, coordinate in joint.coordinates.items():
            name = f"{joint.name}.{key}"
            measures[name] = Measure("position", coordinate.value, coordinate.equals, coordinate.cyclic)
            measures[f"{name}'"] = Measure("velocity", coordinate.rate, difference_to(coordinate.rate))
        for key, name in _named(joint, coordinates).items():
            measures[name] = measures[f"{joint.name}.{key}"]
            measures[f"{name}'"] = measures[f"{joint.name}.{key}'"]
    return measures


def _named(joint: Joint, coordinates: Collection[str]) -> dict[str, str]:
    """Return the names that the user gave to what a joint measures, by key, where they are no coordinates."""
    if "coordinate" not in joint.table and "coordinates" not in joint.table:
        return {}
    keys = joint.moves or tuple(joint.coordinates)
    names = named_coordinates(joint.table, keys)
    return {key: name for key, name in names.items() if key in joint.coordinates and name not in coordinates}


def all_initial(bodies: Iterable[Body], dimensions: int, own: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return the initial values that bodies give, and those of the user, which win."""
    given: dict[str, Expr] = {}
    for body in bodies:
        turned = own.keys() & {f"{name}'" for name in body.coordinates[dimensions:]}
        for entry, values in body.given.items():
            given |= {} if turned and entry == "spin" else values
    return given | dict(own)
