"""Extremes of forces and moments in joints, between the steps too.

What a joint does not exert is not zero between steps, where conditions hold up to the tolerance only: a component is
measured by the force of its joint, and by that times the lever arm. What is less than a part of these is nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.results.measured import Extreme
from dalembert.results.profile import Profile, profile

if TYPE_CHECKING:
    from dalembert.results.joint_forces import JointForce, Joints
    from dalembert.results.run import Run

_NOTHING = 1e-8  # part of the force of a joint, and of it times the arm
_KEPT = 8  # sets of times for which all forces are kept, as several ask for the same


def with_extremes(run: Run, found: JointForce, at: Any) -> JointForce:
    """Return the force of joints, which then knows its extremes; `at` is the point that was asked for."""
    return replace(found, extremes=lambda component: component_extremes(run, found, at, component))


def component_extremes(run: Run, found: JointForce, at: Any, component: str) -> tuple[float, float]:
    """Return the least and the largest value of a component of the force of joints, `force x` or `moment`."""
    along = _along(run, found, at, component.partition(" ")[0], lambda force: force.components[component])
    return along.extreme(-1.0)[0], along.extreme(1.0)[0]


def joint_peaks(run: Run, found: JointForce) -> dict[str, Extreme]:
    """Return the largest force and the largest moment of a joint, with their times; not of what is not determined."""
    sizes: dict[str, Callable[[JointForce], Array]] = {"force": lambda f: f.size, "moment": lambda f: f.torque}
    peaks = {}
    for part, size in sizes.items():
        if not all(is_known for name, is_known in found.determined.items() if name.startswith(part)):
            continue
        value, t = _along(run, found, None, part, size).extreme(1.0)
        peaks[part] = Extreme(value, t, value)
    return peaks


def _along(run: Run, found: JointForce, at: Any, part: str, values: Callable[[JointForce], Array]) -> Profile:
    """Return something of the force of a joint as polynomials between the steps; zero where it is next to nothing."""
    force = found.force if np.any(np.isfinite(found.force)) else _shared(run, found).force
    size = float(np.nanmax(np.abs(force), initial=0.0)) * (1.0 if part == "force" else found.arm)

    def evaluate(times: Array) -> Array:
        force = _joints(run, times).force(found.names, found.on, found.axes, at, judged=False)
        known = values(force)
        return np.where(np.abs(known) < _NOTHING * size, 0.0, known)

    return profile(evaluate, run.motion.times, _NOTHING * size)


def _shared(run: Run, found: JointForce) -> JointForce:
    """Return the force of joints that share loads, as one of the ways in which they may share them."""
    return _joints(run, np.ravel(found.t)).force(found.names, found.on, found.axes, judged=False)


def _joints(run: Run, times: Array) -> Joints:
    """Return the forces of all joints at some times, once for all who ask."""
    known = run.motion.memory.setdefault("joints between", {})
    if (key := times.tobytes()) not in known:
        for old in list(known)[: 1 - _KEPT]:
            del known[old]
        known[key] = run.resampled(times).joints
    return known[key]
