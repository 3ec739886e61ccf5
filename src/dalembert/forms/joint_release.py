"""Releasing joints: what the reactions of their conditions are, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.forms.release import Release
from dalembert.language.building import Expr
from dalembert.model.mechanism.pairs.base import is_angle

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism


def release(mechanism: Mechanism, *names: str) -> Release:
    """Release joints, drives or conditions of a mechanism."""
    words = {}
    for joint in mechanism.joints.values():
        for name, condition in joint.conditions.items():
            words[name] = f": {_kind(mechanism, condition)} on `{joint.bodies[1]}`"
    for drive in mechanism.drives.values():
        for name in drive.conditions:
            kind = "torque" if is_angle(drive.coordinate) else "force"
            words[name] = f": {kind} of the drive on `{mechanism.joints[drive.joint].bodies[1]}`"
    return Release(mechanism.system(), mechanism.conditions_of(*names), words)


def _kind(mechanism: Mechanism, condition: Expr) -> str:
    """Tell whether a condition holds a place or only an angle."""
    moved = {symbol.name.rstrip("'") for symbol in condition.free_symbols}
    places = (body.coordinates[: mechanism.dimensions] for body in mechanism.bodies.values())
    return "force" if any(moved.intersection(names) for names in places) else "moment"
