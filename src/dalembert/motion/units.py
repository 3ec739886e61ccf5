"""The units of a motion: by what its positions and velocities are measured at least.

What is zero, or passes it, has no size of its own: whether a correction of it matters is told by the others. What all
are measured by is √Mⱼⱼ |qⱼ|, which has the same unit for lengths and angles; the unit of a coordinate is how far it
would go with the largest of it. Mechanisms know their lengths. Where motions grow, the measure grows with them.
"""

from __future__ import annotations

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.model.facts import START
from dalembert.survey.start import State


def units_of(numeric: Numeric, start: State) -> Array:
    """Return the units of positions and then of velocities at a start; zero for states, which are measured alone."""
    return numeric.system.survey.find(START, ("units of a motion",), lambda: _units(numeric, start))


def _units(numeric: Numeric, start: State) -> Array:
    count, n = numeric.system.mechanical, numeric.n
    inertia, force = numeric.alone(start.t, start.q, start.v)
    mass, known, q, v = np.abs(inertia[:count]), numeric.units[:count], np.abs(start.q[:count]), np.abs(start.v[:count])
    with np.errstate(all="ignore"):
        acceleration = _finite(np.abs(force[:count]) / mass)  # if nothing held it
        if not known.all():
            turning = _finite(v**2 / acceleration)  # on the way on which speed changes
            known = np.where(known > 0, known, _shared(mass, q, turning, v, acceleration))
        units = np.zeros((2, n))
        units[0, :count] = known
        units[1, :count] = _shared(mass, np.maximum(v, np.sqrt(acceleration * known)), known)
    return units.ravel()


def _finite(values: Array) -> Array:
    """Return values with zero in place of what is none."""
    return np.where(values < np.inf, values, 0.0)


def _shared(mass: Array, *sizes: Array) -> Array:
    """Return what each coordinate would have of the largest of all, by its mass; of the first sizes that are not zero.

    Without mass it has as much as any.
    """
    roots = np.sqrt(mass)
    for own in sizes:
        if (largest := (roots * own).max(initial=0.0)) > 0:
            shares = largest / roots
            if roots.all():
                return shares
            heavy = roots > 0
            return np.where(heavy, shares, max(own.max(), shares.min(initial=np.inf, where=heavy)))
        if (alone := own.max(initial=0.0)) > 0:
            return np.full(len(own), alone)
    return np.ones(len(mass))
