"""First integrals along a motion: how much they change, beside what they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.language.building import TIME
from dalembert.language.program import Program
from dalembert.results.certificate.energy import LIMIT
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points
from dalembert.survey.integrals import lasting_momenta

if TYPE_CHECKING:
    from dalembert.results.run import Run

TEXT = "first integrals"
_MOST = 12  # coordinates: with more it takes longer to find integrals than to judge all else


def constants(run: Run, sizes: Scales) -> list[Item]:
    """Measure the momenta that stay constant; of the energy the balance says it.

    Where parameters change on the way, or velocities jump, they are others afterwards, and are not looked at.
    """
    system, motion = run.system, run.motion
    if motion.changes or motion.held is not None or len(system.coordinates) > _MOST:
        return []
    found = lasting_momenta(system)
    if not found:
        return []
    inputs = [se.Symbol(name) for name in (TIME, *system.coordinates, *system.velocities, *system.parameters)]
    v = [se.Symbol(name) for name in system.velocities]
    expressions = [e for one in found for e in (one.ways[0], *(one.ways[0].diff(speed) for speed in v))]
    t, q, speeds, values = points(run)
    values = np.broadcast_to(values, (len(t), len(system.parameters)))
    out = Program(inputs, expressions).arrays([t, *q.T, *speeds.T, *values.T])
    items = []
    for one, part in zip(found, out.reshape(len(found), 1 + len(v), len(t)), strict=True):
        size = float(max(np.abs(part[1:]).max(axis=1) @ sizes.velocities, np.abs(part[0]).max()))
        change = float(np.abs(part[0] - part[0, 0]).max())
        items.append(Item(one.name, change / size if size else change, LIMIT, f"{one.name} constant, in its terms"))
    return items
