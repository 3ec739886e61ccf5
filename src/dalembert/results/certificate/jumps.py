"""Jumps of velocities at events: against the new values that are given, and against the equations of a blow.

Along every velocity that the constraints and the given values leave free there is no impulse but those that are given,
P: Dᵀ (M (v⁺ − v⁻) − P) = 0, where the columns of D span the null space of the rows of A and of the named velocities.
Constraints after a jump are judged with all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.algebra.either import dense
from dalembert.blocks.numeric import Numeric
from dalembert.language.building import TIME
from dalembert.language.program import Program
from dalembert.motion.events import read_events
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points

if TYPE_CHECKING:
    from dalembert.results.run import Run

TEXT = "jumps of velocities against the equations of a blow"
LIMIT = 1e-6
_MOST = 300  # jumps that are looked at, evenly spread
_SMALL = 1e-3  # part of its largest velocity by which the jump of a coordinate is measured, at least


def jumps(run: Run, sizes: Scales) -> list[Item]:
    """Measure the jumps at events that give new velocities."""
    from scipy.linalg import null_space  # takes its time to import

    system, motion = run.system, run.motion
    read = read_events(system, motion.settings.events)
    if not (any(read.velocities) or any(read.impulses)) or not motion.changes:
        return []
    inputs = [se.Symbol(name) for name in (TIME, *system.coordinates, *system.velocities, *system.parameters)]
    programs = [
        Program(inputs, [*new.values(), *pushes.values()], system.defined)
        for new, pushes in zip(read.velocities, read.impulses, strict=True)
    ]
    t, q, v, values = points(run)
    values = np.broadcast_to(values, (len(t), len(system.parameters)))
    met = {impact.t for impact in motion.impacts}  # where contacts blow as well, which are judged by themselves
    at = np.array([when for when, _ in motion.changes if when not in met])
    worst = 0.0
    for when in at[np.unique(np.linspace(0, len(at) - 1, min(len(at), _MOST)).astype(int))]:
        k = int(np.searchsorted(t, when, side="right")) - 1  # of two with one time the last
        names = {found.name for found in run.events if found.t == when}
        new, pushed = dict[int, float](), np.zeros(len(q[k]))
        parts = zip(read.events, read.velocities, read.impulses, programs, strict=True)
        for event, places, pushes, program in parts:
            if event.title in names and (places or pushes):
                found = program.floats([when, *q[k], *v[k], *values[k]])
                new |= dict(zip(places, found[: len(places)], strict=True))
                pushed[list(pushes)] += found[len(places) :]
        numeric = Numeric(system, dict(zip(system.parameters, values[k + 1], strict=True)))
        M, J = dense(numeric.mass(when, q[k])), dense(numeric.velocity(when, q[k], v[k + 1])[1])
        speeds = np.maximum(np.maximum(np.abs(v[k]), np.abs(v[k + 1])), _SMALL * sizes.velocities)
        speeds = np.where(speeds > 0, speeds, 1.0)
        given = [abs(v[k + 1][i] - value) / speeds[i] for i, value in new.items()]
        D = null_space(np.vstack([J, np.eye(len(q[k]))[list(new)]]) * speeds)  # in the sizes of the velocities
        impulse = np.abs(D.T @ (speeds * (M @ (v[k + 1] - v[k]) - pushed)))
        size = np.abs(D.T) @ (speeds * (np.abs(M) @ speeds + np.abs(pushed)))
        free = np.where(impulse > 0, impulse / np.maximum(size, np.finfo(float).tiny), 0.0)
        worst = max([worst, *given, *free])
    return [Item("jumps", float(worst), LIMIT, TEXT)]
