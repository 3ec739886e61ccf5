"""Ropes that would have to push: the equations keep their lengths, and a real one becomes slack there.

A rope pulls where its multiplier is negative. That is looked at between the steps too; what is less than a millionth of
the largest force in a rope, or of what pulls at its bodies, is rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import DalembertError
from dalembert.model.mechanism.edges import LENGTH
from dalembert.results.profile import profile

if TYPE_CHECKING:
    from dalembert.model.mechanism.joint import Joint
    from dalembert.results.run import Run

_ROUNDING = 1e-6  # part of a force


def slack(run: Run) -> tuple[str, ...]:
    """Say which ropes would have to push, from when on, and what to do."""
    memory = run.motion.memory
    if "slack" not in memory:
        try:
            memory["slack"] = tuple(_sentences(run))
        except DalembertError:  # the motion ends beyond numbers, which is said elsewhere
            memory["slack"] = ()
    return memory["slack"]


def pulling(run: Run) -> list[Joint]:
    """Return the joints that can only pull, as far as their forces are determined."""
    found = [joint for joint in getattr(run.system, "joints", {}).values() if joint.pair.pulls]
    if not found:
        return []
    shares = run.shares
    shared = {shares.system.constraints[i].name for group in shares.groups() for i in group}
    return [joint for joint in found if shared.isdisjoint(joint.conditions)]


def _sentences(run: Run) -> list[str]:
    found = []
    for joint in pulling(run):
        weight = _weight(run, joint)
        pushes = [push for name in joint.conditions if (push := _push(run, name, weight)) is not None]
        if not pushes:
            continue
        begin, (most, at, name) = min(push[0] for push in pushes), max(push[1] for push in pushes)
        event = f"lambda_{name.replace('.', '_')} = 0"
        words = f"rope `{joint.name}` would have to push, first at t = {begin:.6g}, most ({most:.4g} N) at t = {at:.6g}"
        remedy = f'end the motion there by Event("{event}", "stop"), or --event "{event}, stop"'
        loose = list(joint.conditions) == [f"{joint.name}.{LENGTH}"]  # no rope that turns its pulleys
        remedy = f"Give it `slack = true`, so that it goes slack; or {remedy}" if loose else f"E{remedy[1:]}"
        found.append(f"{words}: a real one is slack there. {remedy}")
    return found


def _push(run: Run, condition: str, weight: float) -> tuple[float, tuple[float, float, str]] | None:
    """Return from when on a condition pushes; and the largest force, its time, and the name. None if it never does."""

    def force(times: Array) -> Array:
        return run.resampled(times).multipliers[condition]

    along = profile(force, run.motion.times)
    most, at = along.extreme(1.0)
    order = np.argsort(along.samples[0], kind="stable")
    t, values = (part[order] for part in along.samples)
    least = _ROUNDING * max(float(np.nanmax(np.abs(values))), weight)
    late = np.flatnonzero(values > least)
    if not most > least or not late.size:
        return None
    first = int(late[0])
    begin = float(t[first])
    if first and values[first - 1] < 0 < t[first] - t[first - 1]:
        from scipy.optimize import brentq

        begin = float(brentq(lambda time: float(force(np.array([time]))[0]), t[first - 1], t[first]))  # pyright: ignore
    return begin, (float(most), at, condition)


def _weight(run: Run, joint: Joint) -> float:
    """Return the largest force on the bodies of a joint, whatever its direction, at the beginning of the motion."""
    mechanism, row = run.joints.mechanism, run.joints.inputs[0]  # with the conditions of all joints
    names = [x for body in joint.bodies for x in mechanism.bodies[body].coordinates[: mechanism.dimensions]]
    places, n = [mechanism.coordinates.index(name) for name in names], len(mechanism.coordinates)
    numeric = Numeric(mechanism, dict(zip(mechanism.parameters, row[1 + 2 * n :].tolist(), strict=True)))
    f = np.asarray(numeric.all(float(row[0]), row[1 : 1 + n], row[1 + n : 1 + 2 * n]).f)
    return float(np.abs(f[places]).max(initial=0.0))
