"""N four-bar linkages side by side, by bodies and joints; `n_four_bar` is the same by energies."""

from __future__ import annotations

from typing import Any

from dalembert.model.mechanism.mechanism import Mechanism


def build(loops: int) -> Mechanism:
    """Build the linkage: uprights u0 … uN on the ground at joints A0 … AN, bars b1 … bN between their tops."""
    rod: dict[str, Any] = {"mass": "m", "inertia": "m*l^2/12"}
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for i in range(loops + 1):
        bodies[f"u{i}"] = rod | {"at": [f"{i}*l", "l/2"], "angle": "pi/2"}
        joints[f"A{i}"] = {"kind": "revolute", "bodies": ["ground", f"u{i}"], "at": [f"{i}*l", 0]}
    for i in range(1, loops + 1):
        bodies[f"b{i}"] = rod | {"at": [f"{i}*l - l/2", "l"]}
        joints[f"B{i}"] = {"kind": "revolute", "bodies": [f"u{i - 1}", f"b{i}"], "at": [f"{i - 1}*l", "l"]}
        joints[f"C{i}"] = {"kind": "revolute", "bodies": [f"b{i}", f"u{i}"], "at": [f"{i}*l", "l"]}
    bodies["u0"]["spin"] = -1
    return Mechanism(
        bodies,
        joints,
        gravity=[0, "-g"],
        parameters={"m": 1.0, "l": 1.0, "g": 9.81},
        initial={"phi_u0": "pi/2"},
        simulation={"until": 10},
        name=f"{loops} four-bar linkage{'s side by side' if loops > 1 else ''}, by joints",
    )
