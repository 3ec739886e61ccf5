"""The units of a motion: by what its positions and velocities are measured at least.

What is zero, or passes it, has no size of its own: whether a correction of it matters is told by the others. What all
are measured by is √Mⱼⱼ |qⱼ|, which has the same unit for lengths and angles; the unit of a coordinate is how far it
would go with the largest of it. Mechanisms know their lengths. Where motions grow, the measure grows with them.
"""

from __future__ import annotations

import math

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.model.facts import START
from dalembert.survey.start import State

_NOTHING = 1e-50  # below which nothing has a size


def units_of(numeric: Numeric, start: State) -> Array:
    """Return the units of positions and then of velocities at a start; zero for states, which are measured alone."""
    return numeric.system.survey.find(START, ("units of a motion",), lambda: _units(numeric, start))


def _units(numeric: Numeric, start: State) -> Array:
    # one number after the other: for as few as most systems have, calls of NumPy would take ten times as long
    count = numeric.system.mechanical
    inertia, force = numeric.alone(start.t, start.q, start.v)
    masses, known = [abs(m) for m in inertia[:count]], numeric.units[:count].tolist()
    q, v = ([_noticed(abs(x)) for x in values[:count].tolist()] for values in (start.q, start.v))
    accelerations = [_ratio(abs(f), m) for f, m in zip(force[:count], masses, strict=True)]  # if nothing held it
    roots = [math.sqrt(m) for m in masses]
    if not all(known):
        turning = [_ratio(x * x, a) for x, a in zip(v, accelerations, strict=True)]  # on the way on which speed changes
        shared = _shared(roots, q, turning, v, accelerations)
        known = [own if own > 0 else other for own, other in zip(known, shared, strict=True)]
    speeds = [max(x, math.sqrt(a * unit)) for x, a, unit in zip(v, accelerations, known, strict=True)]
    units = np.zeros((2, numeric.n))
    units[:, :count] = known, _shared(roots, speeds, known)
    return units.ravel()


def _noticed(x: float) -> float:
    """Return a size, or zero for that of the far end of a pulse: exp(−15²) is no length of anything."""
    return x if x > _NOTHING else 0.0


def _ratio(a: float, b: float) -> float:
    """Return a/b, or zero in place of what is none."""
    found = a / b if b else 0.0
    return found if found < math.inf else 0.0


def _shared(roots: list[float], *sizes: list[float]) -> list[float]:
    """Return what each coordinate would have of the largest of all, by the root of its mass.

    That is of the first sizes that are not zero. Without mass it has as much as any.
    """
    for own in sizes:
        if (largest := max((root * size for root, size in zip(roots, own, strict=True)), default=0.0)) > 0:
            shares = [largest / root for root in roots if root > 0]
            light = max(*own, min(shares)) if len(shares) < len(roots) else 0.0
            return [largest / root if root > 0 else light for root in roots]
        if (alone := max(own, default=0.0)) > 0:
            return [alone] * len(own)
    return [1.0] * len(roots)
