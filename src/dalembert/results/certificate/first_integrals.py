"""First integrals along a motion: how much they change, beside what they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.language.building import TIME
from dalembert.language.calculus import ZERO
from dalembert.language.program import Program
from dalembert.results.certificate.energy import LIMIT
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points
from dalembert.survey.integrals import lasting_momenta

if TYPE_CHECKING:
    from dalembert.results.run import Run

TEXT = "first integrals"
_MOST = 60  # coordinates and constraints: with more it takes longer to find integrals than to judge all else
_RESTING = 5  # positions at which the system is let go
_PUSH = 1e-3  # part of the accelerations of the motion that count as some


def constants(run: Run, sizes: Scales) -> list[Item]:
    """Measure the momenta that stay constant; of the energy the balance says it.

    Where parameters change on the way, or velocities jump, they are others afterwards, and are not looked at.
    """
    system, motion = run.system, run.motion
    large = len(system.coordinates) + len(system.constraints) > _MOST
    if motion.changes or motion.held is not None or large or moves_from_rest(run, sizes):
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


def moves_from_rest(run: Run, sizes: Scales) -> bool:
    """Tell whether a system that can move in one way only begins to move from rest: then no momentum stays constant.

    Of I = ξ(q)·p + h(q), at rest, dI/dt = ξ·M q̈ = 0. There q̈ ≠ 0 is along the way in which the system can move, as
    every v is: so ξ·M v = 0, and what is left of I depends on the position alone, which changes.
    """
    if run.system.defined:  # long trees have no formulas
        return False
    system, kernels, b = run.system, run.motion.kernels, run.system.blocks
    n, still = kernels.n, dict.fromkeys(b.v, ZERO)
    if system.followed or system.mechanical < n or any(c.level == "acceleration" for c in system.constraints):
        return False
    if system.kinetic is not None and b.t in system.kinetic.free_symbols:
        return False
    if any(psi is not None and psi.xreplace(still) != 0 for psi in b.psi):  # constraints that move
        return False
    t, q, _, values = points(run)
    some = np.unique(np.linspace(0, len(t) - 1, _RESTING).astype(int))
    values = np.broadcast_to(values, (len(t), values.shape[-1]))[some]
    found = kernels.accelerations(t[some], q[some], np.zeros((len(some), n)), values)
    pushed = np.abs(found.acceleration) > _PUSH * sizes.accelerations
    return bool(np.all(np.asarray(found.rank) == n - 1) and np.any(pushed))
