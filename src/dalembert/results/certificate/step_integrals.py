"""Every step of a motion against the velocities and accelerations inside it: q and v must be their integrals.

    d_q = q(θ) − q(0) − ∫ v dt,    d_v = v(θ) − v(0) − ∫ q̈ dt

This knows nothing of the method that took the steps. What is left over at the ends of the steps adds up; to it comes
the largest inside one of them. It is measured in the sizes of the coordinates and of their velocities.

In stiff systems q̈ multiplies differences in q and v that do not matter, as large forces push them back at once. What
they leave of d is e, with a step h:  (M + h F_v + h² F_q) e_v − Aᵀμ = M d_v − h F_q d_q,  A e_v = A d_v,  where F is
M q̈ − f − Aᵀλ; it is looked at where d alone is too large. In steps that come next to a singular position, where q̈ by
itself is not determined well, d_v says nothing; it is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.results.certificate.equations import singular
from dalembert.results.certificate.inside import Inside, changes, dense, inside, integrals
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points

if TYPE_CHECKING:
    from dalembert.motion.loop import Motion
    from dalembert.results.run import Run

TEXT = "steps against the accelerations inside them, in the range of a coordinate"
LIMIT = 3e-3  # more than for the error of the motion: errors cancel, their absolute values add up
_MOST = 2000  # steps in which what large forces leave is looked at
_BLIND = 0.5  # part of the time that may be next to singular positions
_PART = 0.1  # of the limit that all others may fill


def steps(run: Run, sizes: Scales) -> list[Item]:
    """Measure what is left over in the steps."""
    limit = max(LIMIT, run.rtol if run.step is None else 0.0)
    if len(run.motion.times) < 2:
        return [Item("steps", 0.0, limit, TEXT)]
    if _is_sample_missing(run.motion):
        return [Item("steps", np.inf, limit, TEXT)]
    if not dense(run):
        ends = _parts(*_along(run), sizes)
        if (found := float(ends.sum(axis=0).max(initial=0.0))) <= limit:
            return [Item("steps", found, limit, TEXT)]  # else steps are too long for splines
    look = inside(run)
    ends, within = np.empty((2, len(look.steps), 2 * sizes.n))
    for some in look.parts:
        d_q, d_v = (np.abs(d) for d in look.missed(some))
        ends[some] = _parts(d_q[:, -1], d_v[:, -1], sizes)
        within[some] = _parts(d_q.max(axis=1), d_v.max(axis=1), sizes)
    blind = singular(run, look.rates, look.parameters).any(axis=1)
    if look.lengths[blind].sum() > _BLIND * look.lengths.sum():
        return [Item("steps", None, limit, TEXT)]
    ends[blind, sizes.n :] = within[blind, sizes.n :] = 0.0
    sampled = _sampled(run, look, sizes)

    def value() -> float:
        inner = np.maximum(within.max(axis=0, initial=0.0), sampled)
        return float((look.every * ends.sum(axis=0) + inner).max(initial=0.0))

    if value() > limit:
        worst = np.argsort(-within.max(axis=1))
        rest = np.cumsum(within[worst[::-1]].max(axis=1))[::-1]
        for k, left in zip(worst[:_MOST], rest, strict=False):
            if look.every * left < _PART * limit:
                break
            (d_q,), (d_v,) = look.missed(slice(k, k + 1))
            e_v, work = _after_large_forces(run, look, k, d_q, d_v)
            run.motion.memory.setdefault("pushed back", {})[int(look.steps[k])] = work
            ends[k] = _parts(np.abs(d_q[-1]), np.abs(e_v[-1]), sizes)
            within[k] = _parts(np.abs(d_q).max(axis=0), np.abs(e_v).max(axis=0), sizes)
    return [Item("steps", value(), limit, TEXT)]


def _is_sample_missing(motion: Motion) -> bool:
    """Tell whether there are fewer samples than times that were asked for and reached."""
    times = motion.sample_times
    return times is not None and len(motion.samples) < np.sum(times <= motion.times[-1])


def _sampled(run: Run, look: Inside, sizes: Scales) -> Array:
    """Return how far the samples are from what is found inside the steps."""
    motion, n = run.motion, run.motion.kernels.n
    if motion.sample_times is None:
        return np.zeros(2 * n)
    chosen, found = look.sampled
    t, known = motion.sample_times[chosen], motion.samples[chosen]
    off = np.abs(known[:, :n] - found[:, :n]), np.abs(run._velocities(t, known) - run._velocities(t, found))
    return _parts(*off, sizes).max(axis=0, initial=0.0)


def _along(run: Run) -> tuple[Array, Array]:
    """Return the sizes of d of q and of v at the ends of steps, from the values there alone."""
    t, q, v, values = points(run)
    a = run.motion.kernels.accelerations(t, q, v, values).acceleration
    taken = ~changes(run)
    d_q, d_v = np.diff(q, axis=0) - integrals(run, v), np.diff(v, axis=0) - integrals(run, a)
    return np.abs(d_q[taken]), np.abs(d_v[taken])


def _parts(d_q: Array, d_v: Array, sizes: Scales) -> Array:
    d = np.concatenate([d_q, d_v], axis=-1)
    size = np.concatenate([sizes.positions, sizes.velocities])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(d > 0, d / size, np.where(np.isnan(d), np.inf, 0.0))


def _after_large_forces(run: Run, look: Inside, k: int, d_q: Array, d_v: Array) -> tuple[Array, float]:
    """Return what is left of d in a step after large forces have pushed it back, and the work they seem to do on it.

    Only forces without potential take energy away, so that only work on coordinates with such forces counts.
    """
    kernels, middle = run.motion.kernels, look.t.shape[1] // 2
    values = look.parameters if look.parameters.ndim == 1 else look.parameters[k, middle]
    state = float(look.t[k, middle]), look.q[k, middle], look.v[k, middle]
    found = kernels.accelerations(*state, values)
    jacobians = kernels.jacobians(*state, found.acceleration, found.multipliers, values)
    M, F_q, F_v, A = (part.toarray() for part in (jacobians.M, jacobians.F_q, jacobians.F_v, jacobians.A))
    h, (s, n) = float(look.lengths[k]), A.shape
    matrix = np.block([[M + h * F_v + h * h * F_q, -A.T], [A, np.zeros((s, s))]])
    right = np.concatenate([M @ d_v.T - h * F_q @ d_q.T, A @ d_v.T])
    rows = 1.0 / np.maximum(np.abs(matrix).max(axis=1, initial=0.0), np.finfo(float).tiny)[:, None]
    e_v = np.linalg.lstsq(matrix * rows, right * rows, rcond=None)[0][:n].T
    v = look.v[k]
    most = np.abs(v).max(axis=0) + np.abs(np.diff(v, axis=0)).sum(axis=0)  # as ∫ F v dt = P v − ∫ P dv
    names = enumerate(run.system.coordinates)
    lossy = np.array([name in run.system.forces and k < run.system.mechanical for k, name in names])
    return e_v, float((most * lossy) @ (np.abs(M) @ np.abs(d_v - e_v).max(axis=0)))
