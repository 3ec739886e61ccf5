"""How a mechanism is drawn if the user does not say: each body through its joints and named points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.model.drawing import Drawing
from dalembert.model.functions import Expr
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.tables import GROUND

_PINS = ("revolute", "spherical", "universal", "rigid")  # hold two points together: one is drawn


def draw(bodies: Mapping[str, Body], elements: Mapping[str, Mapping[str, Any]]) -> Drawing | None:
    """Draw a line along the corners of a body, closed if there are three or more; from its centre if there is one.

    Its corners are its joints, in their order, and those of its named points where there is no joint.
    """
    joints: Mapping[str, Joint] = elements["joints"]
    points: dict[str, tuple[Expr, ...]] = {}
    corners: dict[str, list[str]] = {name: [] for name in bodies}
    taken = set()
    for joint in joints.values():
        pin = joint.kind in _PINS
        for name, marker in sorted(zip(joint.bodies, joint.markers, strict=True), key=lambda end: end[0] != GROUND):
            point = joint.name if pin else f"{joint.name}.{name}"
            points.setdefault(point, marker.place)
            corners[name].append(point)
            taken.add((name, tuple(marker.placement.at)))
    lines = [tuple(f"{joint.name}.{name}" for name in joint.bodies) for joint in joints.values() if joint.kind == "rod"]
    for name, body in bodies.items():
        if name == GROUND:
            continue
        for point, placement in body.frames.items():
            if (name, tuple(placement.at)) not in taken:
                points[f"{name}.{point}"] = body.view.position(placement.at)
                corners[name].append(f"{name}.{point}")
        if len(corners[name]) < 2:
            points[name] = body.view.q[: len(body.centre)]
            corners[name].append(name)
        if len(corners[name]) > 1:
            lines.append((*corners[name], *corners[name][:1]) if len(corners[name]) > 2 else tuple(corners[name]))
    springs = []
    for section in ("springs", "dampers", "actuators"):
        for name, element in elements[section].items():
            ends = {f"{section}.{name}.{k}": marker.place for k, marker in enumerate(element.action.markers)}
            points |= ends
            springs += [tuple(ends)] if ends else []
    circles = [(f"{joint.name}.{name}", radius) for joint in joints.values() for name, radius in joint.circles]
    return Drawing(points, tuple(lines), tuple(springs), tuple(circles)) if points else None
