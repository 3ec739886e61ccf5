"""What is drawn of a mechanism if the user does not say: its bodies, its joints, and what pushes and drives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.drawing import Drawing, Place, Shape
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.tables import GROUND
from dalembert.model.mechanism.vectors import Vector, add, scale
from dalembert.model.mechanism.views import planar_rotation

SLIDING = ("prismatic", "slot", "rack", "rolling", "cylindrical", "screw", "point_on_line")  # along an axis
ELEMENTS = {"springs": "spring", "dampers": "damper", "actuators": "actuator"}


def draw(bodies: Mapping[str, Body], elements: Mapping[str, Mapping[str, Any]]) -> Drawing | None:
    """Gather shapes and named points: joints, points of bodies (`crank.P`), and centres of mass by the names of bodies.

    A body is drawn through its corners: the joints, springs and named points on it; if there is but one, through that
    and its centre of mass.
    """
    joints: Mapping[str, Joint] = elements["joints"]
    points = {joint.name: joint_place(joint) for joint in joints.values()}
    corners: dict[str, dict[Any, Place]] = {name: {} for name in bodies}
    shapes, shown = [], list(points)
    for joint in joints.values():
        note_corners(corners, joint.bodies, joint.markers)
        shapes.append(joint_shape(joint))
    for section, kind in ELEMENTS.items():
        for element in elements[section].values():
            note_corners(corners, element.table.get("bodies", ()), element.action.markers)
            shapes += element_shapes(kind, element, joints, bodies)
    for drive in elements["drives"].values():
        joint = joints[drive.joint]
        shapes.append(Shape(f"drive {drive.coordinate}", axis_places(joint), joint.bodies))
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


def note_corners(corners: dict[str, dict[Any, Place]], bodies: tuple[str, ...], markers: tuple[Marker, ...]) -> None:
    """Note where something is attached to bodies."""
    for name, marker in zip(bodies, markers, strict=False):
        corners[name].setdefault(tuple(marker.placement.at), marker.place)


def joint_place(joint: Joint) -> Place:
    """Return where the name of a joint stands."""
    if joint.pair.places == "apart":
        return scale(se.Rational(1, 2), add(*(marker.place for marker in joint.markers)))
    return joint.point(joint.bodies[1])


def axis_places(joint: Joint) -> tuple[Place, ...]:
    """Return the points of both bodies, and a point on the axis through the first."""
    a, b = joint.markers
    axis = a.x if len(a.place) == 2 else a.z
    return a.place, b.place, add(a.place, axis)


def joint_shape(joint: Joint) -> Shape:
    """Return a joint with all that its picture hangs on: two points, a point on its axis if it has one, and more."""
    more = FURTHER.get(joint.kind)
    if len(joint.markers[0].place) == 2 and joint.kind not in SLIDING:
        places = tuple(marker.place for marker in joint.markers)
    else:
        places = axis_places(joint)
    further, values = more(joint) if more is not None else ((), ())
    pulleys = [pulley.get("body", GROUND) for pulley in joint.table.get("over", ())]
    return Shape(joint.kind, (*places, *further), (*joint.bodies, *pulleys), values)


def element_shapes(kind: str, element: Any, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> list[Shape]:
    """Return a spring, damper or actuator between two points, or on the coordinate of a joint."""
    kinds = [kind] if kind != "spring" or element.damping == 0 else ["spring beside", "damper beside"]
    action, named = element.action, element.table.get("bodies", ())
    if action.markers:
        return [Shape(each, tuple(marker.place for marker in action.markers), named) for each in kinds]
    if "joint" in element.table:
        joint = joints[element.table["joint"]]
        return [Shape(f"{each.split()[0]} {action.name}", axis_places(joint), joint.bodies) for each in kinds]
    pins = [joint for joint in joints.values() if set(joint.bodies) == set(named) and joint.kind == "revolute"]
    places = axis_places(pins[0]) if pins else (bodies[named[1]].view.q[:2],) * 3
    return [Shape(f"{each.split()[0]} angle", places, named) for each in kinds]


# --- what pairs add --------------------------------------------------------------------------------------------------

More = tuple[tuple[Place, ...], tuple[Expr, ...]]


def round_disk(joint: Joint) -> More:
    """A disk on a line: where they touch, a point of the rim; the radius."""
    b, radius = joint.markers[1], joint.values["radius"]
    return (joint.point(joint.bodies[1]), add(b.place, scale(radius, b.x))), (radius,)


def gears(joint: Joint) -> More:
    """Two gears: the points of their rims that met in the assembled position; radii, and 1 or −1 for internal ones.

    Teeth drawn from these points on mesh for ever, as the pitch circles roll.
    """
    values, rims = joint.values, []
    carrier = values["carrier"]
    for marker, start, radius in zip(joint.markers, values["start"], values["radii"], strict=True):
        turned = planar_rotation(marker.angle - start - carrier.angle)
        ahead = tuple(se.Add(*[r * x for r, x in zip(row, carrier.x, strict=True)]) for row in turned)
        rims.append(add(marker.place, scale(radius, ahead)))
    teeth = joint.table.get("teeth", ())
    return tuple(rims), (*values["radii"], se.Integer(values["sign"]), values["toward"], *teeth)


def pulleys(joint: Joint) -> More:
    """The stops of a rope: their centres and points on their rims; radii with the sign of their side."""
    stops = joint.values["stops"][1:-1]
    places = [
        place
        for stop in stops
        for place in (stop.marker.place, add(stop.marker.place, scale(stop.radius, stop.marker.x)))
    ]
    return tuple(places), tuple(stop.radius for stop in stops)


def turning_body(marker: Marker) -> tuple[Vector, ...]:
    """Return the ends of the axes of a body, from the point of a marker."""
    return tuple(add(marker.place, column) for column in zip(*marker.view.R, strict=True))


def spatial_disk(joint: Joint) -> More:
    """A disk on a plane: where they touch, its axis, the axes of its body; the radius."""
    b = joint.markers[1]
    axis = add(b.place, b.view.direction(joint.values["disk_axis"]))
    return (joint.point(joint.bodies[1]), axis, *turning_body(b)), (joint.values["radius"],)


def spatial_ball(joint: Joint) -> More:
    """A sphere on a plane: where they touch, the axes of its body; the radius."""
    return (joint.point(joint.bodies[1]), *turning_body(joint.markers[1])), (joint.values["radius"],)


def plane(joint: Joint) -> More:
    """A plane: the ends of its two axes."""
    a = joint.markers[0]
    return (add(a.place, a.x), add(a.place, a.y)), ()


def cross_arm(joint: Joint) -> More:
    """The arm of the cross on the second body of a universal joint."""
    b = joint.markers[1]
    return (add(b.place, b.view.direction(joint.values["arm"])),), ()


FURTHER: dict[str, Callable[[Joint], More]] = {
    "rolling": round_disk,
    "rack": round_disk,
    "gear": gears,
    "rope": pulleys,
    "rolling_disk": spatial_disk,
    "rolling_sphere": spatial_ball,
    "planar": plane,
    "point_in_plane": plane,
    "universal": cross_arm,
}
