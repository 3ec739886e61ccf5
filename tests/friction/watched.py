"""What happens to friction along a motion."""

from __future__ import annotations

import numpy as np

from dalembert.arrays import Array


def kinds(run) -> list[str]:
    """Return what happens, in order."""
    return [event.kind for event in run.events]


def times(run, kind: str, name: str = "") -> Array:
    """Return when something sticks or slips."""
    return np.array([event.t for event in run.events if event.kind == kind and name in ("", event.name)])
