"""Impulses in joints that carry bodies: by the mechanism in the coordinates of its bodies, where they are conditions.

With the jump of velocities there, M (v⁺ − v⁻) = Aᵀ μ + Wᵀ Λ, and the impulses Λ of contacts are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.either import dense
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.model.mechanism.companion import absolute_inputs
from dalembert.model.modes import loose_rows

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

_MOST = 400  # coordinates of bodies: of larger mechanisms they are not worked out at every impact


def joint_impulses(
    mechanism: Mechanism,
    t: float,
    q: Array,
    velocities: tuple[Array, Array],
    parameters: Array,
    known: Mapping[str, float],
) -> dict[str, float]:
    """Return the impulses of all conditions, from velocities before and after an impact; known: those of contacts."""
    whole = mechanism.absolute
    n = len(whole.coordinates)
    if n > _MOST:
        return {}
    states = absolute_inputs(mechanism, np.array([[t, *q, *v, *parameters] for v in velocities]))
    place, (before, after) = states[0, 1 : 1 + n], states[:, 1 + n : 1 + 2 * n]
    given = dict(zip(mechanism.parameters, parameters, strict=True))
    values = Numeric(whole, given).all(t, place, before)
    M, A = dense(values.M), dense(values.A)
    names = [constraint.name for constraint in whole.constraints]
    push = M @ (after - before) - A[[names.index(name) for name in known]].T @ np.array(list(known.values()))
    held = [k for k, name in enumerate(names) if name not in loose_rows(whole)]
    found = np.linalg.lstsq(A[held].T, push, rcond=None)[0]
    return {names[k]: float(value) for k, value in zip(held, found, strict=True)}
