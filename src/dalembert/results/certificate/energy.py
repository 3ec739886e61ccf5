"""The energy balance of a motion: E − E₀ less the work of forces, of explicit time and of constraints that do work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array, Arrays
from dalembert.language.building import TIME
from dalembert.language.calculus import ZERO
from dalembert.language.program import Program
from dalembert.motion.events import EVENT
from dalembert.results.certificate.closing import lost_at
from dalembert.results.certificate.inside import MANY, NODES, WEIGHTS, changes, dense, inside, integrals
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points

if TYPE_CHECKING:
    from dalembert.native.values import Energies
    from dalembert.results.certificate.equations import Place
    from dalembert.results.run import Run

TEXT = "energy balance, in the largest energy"
WRITTEN = "energies as they are reported against those as they are written"
LIMIT = 1e-3  # of the largest energy that moves
_WRITTEN = 1e-9  # of the terms that they are made of
_AT_REST = 1e-4  # of what forces would do on the least that counts as a motion
_AT_ONCE = 5000  # steps of a motion that has too many to be kept in mind
_ROUNDING = 1e-7  # of the potential energy, or of forces times places: the least that counts as an energy


def balance(run: Run, sizes: Scales) -> list[Item]:
    """Measure the energy balance, where there are energies.

    Not counted is the work that large forces seem to do on differences which they push back at once (`steps`); no more
    of it than forces without potential can do, as springs alone lose nothing.
    """
    drift = run.drift
    if drift is None:
        return []
    seeming = np.zeros(len(drift.values))
    for step, work in run.motion.memory.get("pushed back", {}).items():
        seeming[step + 1 :] += min(work, drift.forces[step])
    scale = max(drift.scale, _AT_REST * sizes.energy)
    worst = float(np.maximum(np.abs(drift.values) - seeming, 0.0).max(initial=0.0) / scale)
    return [Item("energy", worst, LIMIT, TEXT)]


def written(run: Run, at: list[Place], sizes: Scales) -> list[Item]:
    """Compare energies by native code with those as they are written, at a few states.

    T₂ and T₀ follow from the kinetic energy with the velocities as they are, turned round, and without any.
    """
    system = run.system
    if system.kinetic is None:
        return []
    names = [TIME, *system.coordinates, *system.velocities, *system.parameters]
    energies = (system.kinetic, ZERO if system.potential is None else system.potential)
    parts = [energy.args if energy.is_Add else (energy,) for energy in energies]
    program, kinetic = (
        Program([se.Symbol(name) for name in names], [*parts[0], *parts[1]], system.defined),
        len(parts[0]),
    )
    t, q, v = (np.array([getattr(place, name) for place in at]) for name in ("t", "q", "v"))
    values = np.broadcast_to(run.motion.parameters_at(t), (len(t), len(system.parameters)))
    speeds = np.concatenate([v, -v, np.zeros_like(v)])  # all at once, as most of the work is one for each operation
    inputs = np.hstack([np.tile(np.column_stack([t, q]), (3, 1)), speeds, np.tile(values, (3, 1))])
    terms = program.arrays(list(inputs.T)).reshape(len(program.outputs), 3, len(t))
    (T, back, rest), V = terms[:kinetic].sum(axis=0), terms[kinetic:, 0].sum(axis=0)
    found = run.motion.kernels.energies(t, q, v, values, np.zeros(0))
    off = found.kinetic - T, found.potential - V, found.energy - (T + back) / 2 + 2 * rest - V
    worst, size = float(np.abs(off).max()), float(np.abs(terms).sum(axis=(0, 1)).max())  # of terms, which may cancel
    size = max(size, _AT_REST * sizes.energy)
    return [Item("energies", worst / size if size else worst, _WRITTEN, WRITTEN)]


@dataclass(frozen=True, repr=False)
class Drift(Arrays):
    """E − E₀ − work of forces and of constraints at the steps; E itself, and the largest energy.

    forces: what forces without potential may do in each step.
    """

    values: Array
    energy: Array
    forces: Array
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
    most = np.maximum(np.abs(found.forces[1:]), np.abs(found.forces[:-1]))
    if np.abs(power).max(initial=0.0) * (t[-1] - t[0]) > 1e-14 * scale:
        if dense(run) and len(t) <= MANY:
            done, largest = _work(run)
            most = np.maximum(most, largest)
        else:
            done = integrals(run, power)
            off = found.energy[1:] - found.energy[0] - np.cumsum(done)
            if dense(run) and not np.abs(off).max() <= LIMIT * scale:  # powers may change too fast for splines
                done = _all_work(run)
        work[1:] = np.cumsum(done)
    gains = _jumps(run)
    changed = changes(run)
    gains[changed] = np.diff(found.energy)[changed] - np.diff(work)[changed]
    for when, lost in lost_at(run).items():  # what impacts take is known by their impulses
        k = int(np.searchsorted(t, when, side="right")) - 1
        if k < len(gains) and changed[k] and not any(event.t == when and event.kind == EVENT for event in run.events):
            gains[k] = -lost
    work[1:] += np.cumsum(gains)
    return Drift(found.energy - found.energy[0] - work, found.energy, np.diff(t) * most, scale)


def _work(run: Run) -> tuple[Array, Array]:
    """Return the work in each step, by Gauss's quadrature of the power inside it, and the largest power of forces."""
    look = inside(run)
    found = run.motion.kernels.energies(look.t, look.q, look.v, look.parameters, look.rates.powers)
    work, largest = np.zeros((2, len(run.motion.times) - 1))
    work[look.steps] = look.total(found.forces + found.time + found.constraints.sum(axis=-1))
    largest[look.steps] = np.abs(found.forces).max(axis=-1, initial=0.0)
    return work, largest


def _all_work(run: Run) -> Array:
    """Return the work in each of many steps, some thousands at a time, without a closer look at long ones."""
    motion, n, work = run.motion, run.motion.kernels.n, np.zeros(len(run.motion.times) - 1)
    lengths = np.diff(motion.times)
    for some in np.array_split(np.arange(len(work)), -(-len(work) // _AT_ONCE)):
        t = (motion.times[some, None] + lengths[some, None] * NODES).ravel()
        states = motion.between(np.repeat(some, len(NODES)), np.tile(NODES, len(some)))
        values = motion.parameters_at(np.repeat(motion.times[some + 1], len(NODES)))
        found = motion.kernels.energies(t, states[:, :n], run._velocities(t, states), values)
        power = found.forces + found.time + found.constraints.sum(axis=-1)
        work[some] = lengths[some] * (power.reshape(len(some), -1) @ WEIGHTS)
    return work


def _jumps(run: Run) -> Array:
    """Return what energies that jump in time, as over a kerb, gain in each step: the power of a jump is never met.

    It is what −L gains at a fixed state beyond the power of explicit time, −∂L/∂t: all else is seen by quadrature.
    """
    times, q, v = (part[:-1] for part in points(run)[:3])
    values = run.motion.parameters_at(run.motion.times[1:])
    h = np.diff(run.motion.times)

    def energies(t: Array) -> Energies:
        return run.motion.kernels.energies(t, q, v, values, np.zeros(0))  # without the powers of constraints

    def lagrangian(t: Array) -> Array:
        found = energies(t)
        return found.kinetic - found.potential

    gains = lagrangian(times) - lagrangian(times + h)
    if not gains.any():  # no time in the energies
        return gains
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        gains -= weight * h * energies(times + node * h).time
    return gains
