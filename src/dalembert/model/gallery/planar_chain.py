"""A chain of rods in the plane, by bodies and joints; `chain` is the same by energies."""

from __future__ import annotations

from typing import Any

from dalembert.model.mechanism.mechanism import Mechanism


def build(count: int) -> Mechanism:
    """Build a chain of `count` rods, level and at rest; joint J1 is at the origin."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for i in range(1, count + 1):
        before = f"rod{i - 1}" if i > 1 else "ground"
        bodies[f"rod{i}"] = {"mass": "m", "inertia": "m*l^2/12", "at": [f"{i}*l - l/2", 0], "spin": 0}
        joints[f"J{i}"] = {"kind": "revolute", "bodies": [before, f"rod{i}"], "at": [f"{i - 1}*l", 0]}
    bodies[f"rod{count}"]["points"] = {"end": ["l/2", 0]}
    return Mechanism(
        bodies,
        joints,
        gravity=[0, "-g"],
        parameters={"m": 1.0, "l": 1.0, "g": 9.81},
        initial={f"phi_rod{i}": 0 for i in range(1, count + 1)},
        simulation={"until": 2},
        name=f"Chain of {count} rod{'s' if count > 1 else ''}, by joints",
    )
