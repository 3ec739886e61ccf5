"""The energy balance of a motion: E − E₀ less the work of forces, of explicit time and of constraints that do work."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.types import Array, Arrays
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import points

if TYPE_CHECKING:
    from dalembert.results.trajectory import Run

LIMIT = 1e-3  # of the largest energy that moves
_MANY = 50_000  # steps, beyond which the power is not looked at inside them
_ROUNDING = 1e-7  # of the potential energy, or of forces times places: the least that counts as an energy
_GAUSS = np.polynomial.legendre.leggauss(5)


def balance(run: Run) -> list[Item]:
    """Measure the energy balance, where there are energies."""
    drift = run.drift
    if drift is None:
        return []
    worst = float(np.abs(drift.values).max(initial=0.0) / drift.scale)
    return [Item("energy", worst, LIMIT, "energy balance, in the largest energy")]


@dataclass(frozen=True, repr=False)
class Drift(Arrays):
    """E − E₀ − work of forces and of constraints at the steps; E itself, and the largest energy."""

    values: Array
    energy: Array
    scale: float


def energy_drift(run: Run) -> Drift | None:
    """Return how the energy balance holds at the steps; None without energies.

    Where parameters change on the way the energy jumps; the balance goes on from there.
    """
    if run.system.kinetic is None:
        return None
    t, q, v, values = points(run)
    found = run.motion.kernels.energies(t, q, v, values)
    moved = np.max(np.abs(found.kinetic) + np.abs(found.potential - found.potential[0]))
    start = run.motion.kernels.accelerations(t[0], q[0], v[0], run.motion.parameters)
    held = np.abs(start.reaction * q[0]).sum()  # for what stands still
    scale = float(max(moved, _ROUNDING * np.max(np.abs(found.potential)), _ROUNDING * held)) or 1.0
    power = found.forces + found.time + found.constraints.sum(axis=-1)
    work = np.zeros(len(t))
    if np.abs(power).max(initial=0.0) * (t[-1] - t[0]) > 1e-14 * scale:
        work[1:] = np.cumsum(_work(run) if len(t) <= _MANY else _smooth_work(run, power))
    gains = _jumps(run)
    changed = _changes(run)
    gains[changed] = np.diff(found.energy)[changed] - np.diff(work)[changed]
    work[1:] += np.cumsum(gains)
    return Drift(found.energy - found.energy[0] - work, found.energy, scale)


def _changes(run: Run) -> Array:
    """Tell which steps are no steps but a change of parameters, an instant long."""
    times = run.motion.times
    return (
        np.diff(times) <= 2 * np.spacing(np.abs(times[:-1])) if run.motion.changes else np.zeros(len(times) - 1, bool)
    )


def _smooth_work(run: Run, power: Array) -> Array:
    """Return the work in each of many short steps, from the power at their ends."""
    from scipy.interpolate import CubicSpline  # takes its time to import

    times, work = run.motion.times, np.zeros(len(run.motion.times) - 1)
    breaks = _changes(run) | np.isin(times[:-1], list(run.motion.engine.instants))
    ends = [0, *(np.flatnonzero(breaks) + 1), len(times)]
    for first, last in pairwise(ends):
        if last - first > 1:
            whole = CubicSpline(times[first:last], power[first:last]).antiderivative()(times[first:last])
            work[first : last - 1] = np.diff(whole)
    return work


def _work(run: Run) -> Array:
    """Return the work in each step, by Gauss's quadrature of the power inside it."""
    motion = run.motion
    times, n = motion.times, motion.kernels.n
    thetas, weights = (_GAUSS[0] + 1) / 2, _GAUSS[1] / 2
    h = np.diff(times)
    inside = np.array([motion.between(k, thetas) for k in range(len(h))]).reshape(-1, 2 * n)
    t = (times[:-1, None] + h[:, None] * thetas).ravel()
    values = motion.parameters_at(np.repeat(times[1:], len(thetas)))
    found = motion.kernels.energies(t, inside[:, :n], run._velocities(t, inside), values)
    power = (found.forces + found.time + found.constraints.sum(axis=-1)).reshape(len(h), -1)
    return h * (power @ weights)


def _jumps(run: Run) -> Array:
    """Return what energies that jump in time, as over a kerb, gain in each step: the power of a jump is never met.

    It is what −L gains at a fixed state beyond the power of explicit time, −∂L/∂t: all else is seen by quadrature.
    """
    times, q, v = (part[:-1] for part in points(run)[:3])
    values = run.motion.parameters_at(run.motion.times[1:])
    energies, h = run.motion.kernels.energies, np.diff(run.motion.times)

    def lagrangian(t: Array) -> Array:
        found = energies(t, q, v, values)
        return found.kinetic - found.potential

    gains = lagrangian(times) - lagrangian(times + h)
    if not gains.any():  # no time in the energies
        return gains
    for node, weight in zip((_GAUSS[0] + 1) / 2, _GAUSS[1] / 2, strict=True):
        gains -= weight * h * energies(times + node * h, q, v, values).time
    return gains
