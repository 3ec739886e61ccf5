"""Events that cannot be seen: what is watched for has no value along a part of the motion, as √(x − 1) has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import SimulationError
from dalembert.motion.events import multiplier_names, read_events

if TYPE_CHECKING:
    from dalembert.motion.loop import Motion


def unseen(motion: Motion) -> tuple[str, ...]:
    """Say which events have no value at steps of a motion, and from when on; of one that was joined, in each part."""
    memory = motion.memory
    if "unseen" not in memory:
        memory["unseen"] = tuple(text for part in motion.parts for text in _sentences(part))
    return memory["unseen"]


def _sentences(motion: Motion) -> list[str]:
    watched, kernels, t = read_events(motion.system, motion.settings.events), motion.kernels, motion.times
    if not watched.events:
        return []
    q, second = np.split(motion.states, 2, axis=1)
    values = motion.parameters_at(t)
    try:
        v = kernels.from_state(t, q, second, values)
    except SimulationError:  # the motion ends beyond numbers, which is said elsewhere
        return []
    group = kernels.expressions(watched.expressions, multiplier_names(motion.system))
    known = np.isfinite(kernels.run(group, "expressions", kernels.inputs(t, q, v, values)))
    return [
        f"event `{event.title}` has no finite value at {np.sum(~has)} of {len(t)} steps, first at t = "
        f"{t[np.argmin(has)]:.6g}: whether it happens there cannot be seen"
        for event, has in zip(watched.events, known.T, strict=True)
        if not event.limit and not has.all()
    ]
