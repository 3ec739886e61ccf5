"""The internal dynamics of programmes: what moves on while controls hold them, linearised at the start.

The state is moved along the conditions, with the time held, by a of positions and b of velocities; the eigenvalues are
those of (a, b) ↦ (ȧ, ḃ), with q̈ as the controls let it be. Where the start is at rest with the programmes they decide
on stability; elsewhere they say how neighbours of the start move at first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.rank import null_space
from dalembert.algebra.saddle import Saddle
from dalembert.arrays import Array
from dalembert.blocks.law_numbers import acting
from dalembert.blocks.numeric import Numeric, has_values, numeric_of
from dalembert.errors import ModelError
from dalembert.model.facts import START, fact
from dalembert.survey.configurations import Configuration, assemble
from dalembert.survey.start import start_of

if TYPE_CHECKING:
    from dalembert.model.system import System

_STEP = 1e-5  # by which the state is moved, of its size
_REST = 1e-7  # of the largest change: what is at rest


@fact(START)
def internal_eigenvalues(system: System) -> tuple[Array, bool] | None:
    """Return the eigenvalues of the internal dynamics at the start, and whether it is at rest there.

    None where they are not known: of systems without values, or where the equations have no solution.
    """
    if not has_values(system):
        return None
    numeric = numeric_of(system)
    try:
        start = start_of(system)
    except ModelError:
        return None
    return _Linear(numeric, Configuration(start.t, start.q, start.v)).found()


class _Linear:
    def __init__(self, numeric: Numeric, start: Configuration):
        self.numeric, self.start = numeric, start
        n, moving = numeric.n, numeric.system.mechanical
        A = numeric.all(start.t, start.q, start.v).A
        still = sp.csr_array((np.ones(n - moving), (range(n - moving), range(moving, n))), shape=(n - moving, n))
        self.of_q = null_space(sp.csr_array(sp.vstack([A[numeric.holonomic], still])))
        self.of_v = null_space(A[numeric.kinematic])
        counts = self.of_q.shape[1], self.of_v.shape[1]
        largest = [float(np.abs(x).max(initial=1.0)) for x in (start.q, start.v)]
        self.sizes = np.repeat(largest, counts)

    def found(self) -> tuple[Array, bool] | None:
        """Return the eigenvalues, and whether the start is at rest."""
        count = len(self.sizes)
        J, still = np.zeros((count, count)), self.rates(np.zeros(count))
        for k in range(count):
            step = np.zeros(count)
            step[k] = _STEP * self.sizes[k]
            ahead, behind = self.rates(step), self.rates(-step)
            if ahead is None or behind is None:
                return None
            J[:, k] = (ahead - behind) / (2 * step[k])
        if still is None or not np.all(np.isfinite(J)):
            return None
        size = np.abs(J).max(initial=0.0) * self.sizes.max(initial=0.0)
        return np.linalg.eigvals(J), bool(np.all(np.abs(still) <= _REST * max(size, 1.0)))

    def rates(self, z: Array) -> Array | None:
        """Return the rates of a and b at a state; None where there is none near."""
        start, count = self.start, self.of_q.shape[1]
        near = Configuration(start.t, start.q + self.of_q @ z[:count], start.v + self.of_v @ z[count:])
        place = assemble(self.numeric, near)
        if place is None:
            return None
        values = acting(self.numeric, place.t, place.q, place.v)
        if not values.finite():
            return None
        acceleration = Saddle(values.M, values.A, smooth=True).solve(values.f, values.c)[0]
        return np.concatenate([self.of_q.T @ place.v, self.of_v.T @ acceleration])
