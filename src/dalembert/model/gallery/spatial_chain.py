"""A chain of rods in space, on revolutes whose axes are level and upright by turns."""

from __future__ import annotations

from typing import Any

from dalembert.model.mechanism.mechanism import Mechanism


def build(count: int) -> Mechanism:
    """Build a chain of `count` rods along x, at rest."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for i in range(1, count + 1):
        before = f"rod{i - 1}" if i > 1 else "ground"
        inertia = ["m*w^2/6", "m*(l^2 + w^2)/12", "m*(l^2 + w^2)/12"]
        bodies[f"rod{i}"] = {"mass": "m", "inertia": inertia, "at": [f"{i}*l - l/2", 0, 0]}
        joint = {"kind": "revolute", "bodies": [before, f"rod{i}"], "at": [f"{i - 1}*l", 0, 0]}
        joints[f"J{i}"] = joint | {"axis": [0, 1, 0] if i % 2 else [0, 0, 1]}
    bodies[f"rod{count}"]["points"] = {"end": ["l/2", 0, 0]}
    return Mechanism(
        bodies,
        joints,
        dimensions=3,
        gravity=[0, 0, "-g"],
        parameters={"m": 1.0, "l": 1.0, "w": 0.1, "g": 9.81},
        simulation={"until": 2},
        name=f"Chain of {count} rod{'s' if count > 1 else ''} in space",
    )
