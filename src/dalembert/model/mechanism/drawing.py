"""How a mechanism is drawn if the user does not say: each body through its joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.model.drawing import Drawing
from dalembert.model.functions import Expr
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.tables import GROUND


def draw(bodies: Mapping[str, Body], elements: Mapping[str, Mapping[str, Any]]) -> Drawing | None:
    """Draw a line from joint to joint of a body, closed if there are three or more; from its centre if there is one."""
    joints: Mapping[str, Joint] = elements["joints"]
    points: dict[str, tuple[Expr, ...]] = {}
    corners: dict[str, list[str]] = {name: [] for name in bodies}
    for joint in joints.values():
        for name, marker in zip(joint.bodies, joint.markers, strict=True):
            points[f"{joint.name}.{name}"] = marker.place
            corners[name].append(f"{joint.name}.{name}")
    lines = []
    for name, body in bodies.items():
        if name == GROUND:
            continue
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
    circles = tuple((f"{joint.name}.{name}", radius) for joint in joints.values() for name, radius in joint.circles)
    return Drawing(points, tuple(lines), tuple(springs), circles) if points else None
