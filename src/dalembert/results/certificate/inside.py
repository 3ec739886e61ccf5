"""A motion inside its steps, at the nodes of Gauss's quadrature: where powers are summed up and steps are tried.

Long steps are divided, so that there are some thousands of places to look at (in systems of more than 500 coordinates
fewer, but five in every step): what acts between them only for a moment would be overlooked. Where states inside a
step cost as much as the step, its ends must do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.results.certificate.scales import points

if TYPE_CHECKING:
    from dalembert.motion.loop import Motion
    from dalembert.native.kernels import Kernels
    from dalembert.native.values import Result
    from dalembert.results.run import Run

MANY = 50_000  # steps, beyond which only as many are looked into
_SAMPLES = 300  # that are found again inside the steps, where this is not cheap
_PLACES = 4000  # to look at, at least; more in small systems:
_VALUES = 40_000  # coordinates times places
_MOST_VALUES = 2_000_000  # of these, beyond which there are fewer places; one piece of every step at least
_CACHED = 50_000  # values that are worked on at a time
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
NODES, WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2
_POWERS = np.arange(1, len(NODES) + 1)
# ∫ from 0 to each node of the polynomial through values at the nodes
_INTEGRALS = np.linalg.solve(np.vander(NODES, increasing=True).T, (NODES[:, None] ** _POWERS / _POWERS).T).T
_AREAS = np.vstack([_INTEGRALS, WEIGHTS])  # and to the end


@dataclass(frozen=True)
class Inside:
    """t, q, v and parameters inside steps, one row for each step: the nodes of its pieces, all of the same length.

    steps: which ones. every: one of how many was looked into. sampled: which of the samples were found again inside
    the steps, and the states there.
    """

    steps: Array
    lengths: Array
    t: Array
    q: Array
    v: Array
    parameters: Array  # one row for all, or one for each node
    edges: tuple[tuple[Array, Array], tuple[Array, Array]]  # q, then v, at the start and at the end of each step
    every: float
    sampled: tuple[Array, Array]
    kernels: Kernels

    @cached_property
    def rates(self) -> Result:
        """Accelerations, and what else the equations give, at all nodes."""
        return self.kernels.accelerations(self.t, self.q, self.v, self.parameters)

    @property
    def parts(self) -> Iterator[slice]:
        """Steps in parts of a size that stays in the caches of the processor."""
        count = max(1, _CACHED // max(1, self.q[:1].size))
        return (slice(first, first + count) for first in range(0, len(self.steps), count))

    def missed(self, some: slice) -> tuple[Array, Array]:
        """Return how far q and v at the nodes and, last, at the end of some steps are from the integrals of v and q̈."""
        (q, v), a = self.edges, self.rates.acceleration
        return self._missed(some, self.q, self.v, *q), self._missed(some, self.v, a, *v)

    def _missed(self, some: slice, values: Array, rates: Array, start: Array, end: Array) -> Array:
        values, rates, start, end = values[some], rates[some], start[some], end[some]
        h = self.lengths[some, None, None] * len(NODES) / values.shape[1]
        pieces = rates.reshape(len(values), -1, len(NODES), values.shape[-1])
        found = h[..., None] * np.matmul(_AREAS, pieces)
        inner, before = found[:, :, :-1], np.cumsum(found[:, :, -1], axis=1)
        inner[:, 1:] += before[:, :-1, None]
        reached = np.concatenate([values, end[:, None]], axis=1) - start[:, None]
        return reached - np.concatenate([inner.reshape(values.shape), before[:, -1:]], axis=1)

    def total(self, rates: Array) -> Array:
        """Return the integral of something known at the nodes over each step."""
        pieces = rates.reshape(len(self.steps), -1, len(NODES))
        return self.lengths * (pieces @ WEIGHTS).mean(axis=1)


def dense(run: Run) -> bool:
    """Tell whether states inside a step cost less than the step."""
    return run.motion.engine.dense


def inside(run: Run) -> Inside:
    """Look into the steps of a motion; what was seen is remembered with it."""
    memory = run.motion.memory
    if "inside" not in memory:
        memory["inside"] = _look(run)
    return memory["inside"]


def _look(run: Run) -> Inside:
    motion, n = run.motion, run.motion.kernels.n
    steps = np.flatnonzero(~changes(run))
    every = max(1.0, len(steps) / MANY)
    steps = steps[np.unique((np.arange(min(len(steps), MANY)) * every).astype(int))]
    places = min(max(_PLACES, min(5 * _PLACES, _VALUES // n)), _MOST_VALUES // n) if dense(run) else 1
    places = max(places, 1)
    count = -(-places // (len(NODES) * max(len(steps), 1)))
    thetas = ((np.arange(count)[:, None] + NODES) / count).ravel()
    samples, where, parts = _samples(motion)
    states = motion.between(  # together, as this repeats the steps
        np.concatenate([np.repeat(steps, len(thetas)), where]), np.concatenate([np.tile(thetas, len(steps)), parts])
    )
    states, found = np.split(states, [len(steps) * len(thetas)])
    h = np.diff(motion.times)[steps]
    t = motion.times[steps, None] + h[:, None] * thetas
    values = motion.parameters_at(np.repeat(motion.times[steps + 1], len(thetas)))
    q, v = states[:, :n].reshape(*t.shape, n), run._velocities(t.ravel(), states).reshape(*t.shape, n)
    at = points(run)
    edges = (at[1][steps], at[1][steps + 1]), (at[2][steps], at[2][steps + 1])
    values = values.reshape(*t.shape, -1) if motion.changes else values
    return Inside(steps, h, t, q, v, values, edges, every, (samples, found), motion.kernels)


def _samples(motion: Motion) -> tuple[Array, Array, Array]:
    """Choose samples, all if they are not too many; return their numbers, the steps they lie in, and where."""
    if motion.sample_times is None or len(motion.times) < 2:
        return np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0)
    count = len(motion.samples)
    most = MANY if motion.engine.dense else _SAMPLES
    chosen = np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))
    times = motion.sample_times[chosen]
    steps = np.clip(np.searchsorted(motion.times, times, side="left") - 1, 0, len(motion.times) - 2)
    return chosen, steps, (times - motion.times[steps]) / np.diff(motion.times)[steps]


def changes(run: Run) -> Array:
    """Tell which steps are no steps but a change of parameters, an instant long."""
    times = run.motion.times
    if not run.motion.changes:
        return np.zeros(len(times) - 1, dtype=bool)
    return np.diff(times) <= 2 * np.spacing(np.abs(times[:-1]))


def integrals(run: Run, rates: Array) -> Array:
    """Return the integral over each step of something that is known at the steps, by splines between changes."""
    from scipy.interpolate import make_interp_spline  # takes its time to import

    times = run.motion.times
    result = np.zeros((len(times) - 1, *rates.shape[1:]))
    breaks = changes(run) | np.isin(times[:-1], list(run.motion.engine.instants))
    ends = [0, *(np.flatnonzero(breaks) + 1), len(times)]
    for first, last in pairwise(ends):
        if last - first > 1:
            spline = make_interp_spline(times[first:last], rates[first:last], k=min(5, (last - first - 2) | 1))
            result[first : last - 1] = np.diff(spline.antiderivative()(times[first:last]), axis=0)
    return result
