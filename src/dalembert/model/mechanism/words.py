"""Words for what numbers say of a mechanism: conditions and coordinates by the joints and bodies they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.types import Array
from dalembert.errors import quoted

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

PART = 1e-3  # of the largest: what counts
SHOWN = 6


def owners(mechanism: Mechanism) -> dict[str, tuple[str, str]]:
    """Return to what each condition belongs: ("joint", "A"), ("drive", "motor"), ("body", "b"), ("constraint", name)."""
    found = {constraint.name: ("constraint", constraint.name) for constraint in mechanism.constraints}
    for body in mechanism.bodies.values():
        found |= {f"{body.name}.{key}": ("body", body.name) for key in body.conditions}
    for name, joint in mechanism.joints.items():
        found |= dict.fromkeys(joint.conditions, ("joint", name))
    for name, drive in mechanism.drives.items():
        found |= dict.fromkeys(drive.conditions, ("drive", name))
    return found


def list_bodies(mechanism: Mechanism, directions: Array) -> str:
    """Name the bodies, and the coordinates of the user, that move in some directions (columns)."""
    sizes = np.abs(directions).max(axis=1, initial=0.0)
    index = {name: i for i, name in enumerate(mechanism.coordinates)}
    groups: dict[str, list[int]] = {
        body.name: [index[name] for name in body.coordinates] for body in mechanism.bodies.values() if body.coordinates
    }
    groups |= {name: [index[name]] for name in mechanism.own.coordinates if name in index}
    largest = sizes.max(initial=0.0)
    return _shown([name for name, places in groups.items() if sizes[places].max() > PART * largest])


def list_joints(mechanism: Mechanism, conditions: Sequence[str], weights: Array) -> str:
    """Name the joints whose conditions have a part in a combination of conditions."""
    owner = owners(mechanism)
    sizes: dict[str, float] = {}
    for condition, weight in zip(conditions, np.abs(weights), strict=True):
        what, name = owner[condition]
        if what in ("joint", "constraint"):
            sizes[name] = max(sizes.get(name, 0.0), float(weight))
    largest = max(sizes.values(), default=0.0)
    return _shown([name for name, size in sizes.items() if size > PART * largest])


def _shown(names: Sequence[str]) -> str:
    shown = quoted(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
