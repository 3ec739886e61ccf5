"""What is drawn of a mechanism if the user does not say: its bodies, its joints, and what pushes and drives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import symengine as se

from dalembert.model.drawing import Drawing, Place, Shape
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.drives import Drive
from dalembert.model.mechanism.elements import Element
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.model.mechanism.touch import contact_corners, contact_shapes
from dalembert.model.mechanism.vectors import add, scale


def draw(
    bodies: Mapping[str, Body],
    joints: Mapping[str, Joint],
    drives: Iterable[Drive],
    elements: Iterable[Element],
    contacts: Mapping[str, Mapping[str, Any]],
) -> Drawing | None:
    """Gather shapes and named points: joints, points of bodies (`crank.P`), and centres of mass by the names of bodies.

    A body is drawn through its corners: the joints, springs, contacts and named points on it; if there is but one,
    through that and its centre of mass.
    """
    points = {joint.name: joint_place(joint) for joint in joints.values()}
    corners: dict[str, dict[Any, Place]] = {name: {} for name in bodies}
    shapes, shown = [], list(points)
    for joint in joints.values():
        for name, marker in zip(joint.bodies, joint.markers, strict=True):
            corners[name].setdefault(tuple(marker.placement.at), marker.place)
        shapes.append(joint_shape(joint))
    for element in elements:
        for name, marker in element.ends:
            corners[name].setdefault(tuple(marker.placement.at), marker.place)
        shapes += element.shapes(joints, bodies)
    for name, marker in contact_corners(contacts, bodies):
        corners[name].setdefault(tuple(marker.placement.at), marker.place)
    shapes += contact_shapes(contacts, bodies)
    for drive in drives:
        joint = joints[drive.joint]
        shapes.append(Shape(f"drive {drive.coordinate}", joint.axis_places, joint.bodies))
    for name, body in bodies.items():
        for point, placement in body.frames.items():
            points.setdefault(f"{name}.{point}", body.view.position(placement.at))
            if tuple(placement.at) not in corners[name] and name != GROUND:
                corners[name][tuple(placement.at)] = points[f"{name}.{point}"]
                shown.append(f"{name}.{point}")
        if name != GROUND:
            centre = body.view.q[: len(body.centre)]
            points.setdefault(name, centre)
            if len(corners[name]) < 2:
                corners[name].setdefault(tuple(body.centre), centre)
            shapes.append(Shape("body", tuple(corners[name].values()), (name,)))
    return Drawing(points, shapes=tuple(shapes), labels=tuple(shown)) if points else None


def joint_place(joint: Joint) -> Place:
    """Return where the name of a joint stands."""
    if joint.pair.places == "apart":
        return scale(se.Rational(1, 2), add(*(marker.place for marker in joint.markers)))
    return joint.point(joint.bodies[1])


def joint_shape(joint: Joint) -> Shape:
    """Return a joint with all that its picture hangs on: two points, a point on its axis if it has one, and more."""
    pair = joint.pair
    flat = pair.dimensions == 2 and not pair.along
    places = tuple(marker.place for marker in joint.markers) if flat else joint.axis_places
    further, values = pair.drawn(joint) if pair.drawn is not None else ((), ())
    pulleys = [pulley.get("body", GROUND) for pulley in joint.table.get("over", ())]
    return Shape(joint.kind, (*places, *further), (*joint.bodies, *pulleys), values)
