"""Inside the steps: whether what switches, or is narrow, with the state was passed over.

A step that lies across a thin wall sees nothing of it, and neither does a second motion with other steps. So every
switching expression is enclosed over every step, by interval arithmetic on the dense output; where it may pass zero the
step is cut finer and finer, down to 1e-11 of it. On these parts the velocity must follow from the accelerations, and
the energy from the work: what a step has passed over shows in both. What is divided by is looked at where it dips.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.algebra.intervals import INTERVALS, Interval, interval
from dalembert.algebra.program import Program
from dalembert.algebra.types import Array
from dalembert.model.functions import TIME
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points

if TYPE_CHECKING:
    from dalembert.results.trajectory import Run

LIMIT = 1e-3  # of the velocities, or of the largest energy
_STEPS = 3000  # the longest of the steps in question, which are looked at
_PARTS, _CUTS, _ROUNDS = 32, 16, 8  # of a step; of a part in question; how often
_DIP = 0.3  # of its values at both ends
_OPEN = 40  # parts in question, beyond which they are not cut further
_GAUSS = np.polynomial.legendre.leggauss(3)
TEXT = "what switches with the state, inside the steps"


def switching(run: Run, sizes: Scales, notes: list[str]) -> list[Item]:
    """Look at what switches; return what is to be judged, and add notes."""
    crossing = run.motion.crossing
    missed = [*crossing.notes, *crossing.stops.notes]
    notes += missed
    items = [Item("switches in time", None, 0.0, "switches in time")] if missed else []
    if not (crossing.switching.states or crossing.switching.dips) or len(run.motion.times) < 2:
        return items
    look = _Look(run, sizes)
    steps = look.steps()
    chosen = np.sort(steps[np.argsort(-np.diff(run.motion.times)[steps], kind="stable")[:_STEPS]])
    found = [look.step(int(k)) for k in chosen]
    if len(steps) > len(chosen):
        short = float(np.diff(run.motion.times)[chosen].min())
        notes.append(f"what switches with the state was looked at in steps longer than {short:.3g} only")
    limit = LIMIT if run.step is not None else max(LIMIT, 10 * run.rtol)
    value = float(sum(part.end for part in found) + max((part.within for part in found), default=0.0))
    if value > limit:
        worst = max(found, key=lambda part: part.end + part.within)
        notes.append(f"the step at t = {worst.t:.6g} passes over something narrow, or over a jump of the potential")
    return [*items, Item("switches", value, limit, TEXT)]


@dataclass(frozen=True)
class _Found:
    """What is off at the end of a step, which adds up, and within it, in the sizes of the motion."""

    t: float
    end: float
    within: float


class _Look:
    def __init__(self, run: Run, sizes: Scales):
        self.run, self.sizes, self.n = run, sizes, run.motion.kernels.n
        system = run.system
        names = [TIME, *system.coordinates, *system.velocities, *system.parameters]
        symbols, found = [se.Symbol(name) for name in names], run.motion.crossing.switching
        self.switching, self.dips = Program(symbols, found.states), Program(symbols, found.dips)
        drift = run.drift
        self.energy = None if drift is None else drift.scale

    def steps(self) -> Array:
        """Return the steps in which something may switch."""
        t, q, v, values = points(self.run)
        a = np.abs(self.run.motion.kernels.accelerations(t, q, v, values).acceleration)
        h = np.diff(t)[:, None]
        speed, rate = (np.maximum(part[1:], part[:-1]) for part in (np.abs(v), a))
        state = np.concatenate([q, v], axis=1)
        slack = np.concatenate([0.5 * h * (speed + h * rate), h * rate], axis=1)
        open_ = self._open(t[:-1], t[1:], state[:-1], state[1:], slack)
        instants = np.isin(t[:-1], list(self.run.motion.engine.instants))
        return np.flatnonzero(open_ & ~instants)

    def _open(self, start: Array, end: Array, left: Array, right: Array, slack: Array) -> Array:
        """Tell in which parts, between two times and states, something may switch, or what is divided by may dip."""
        values = np.broadcast_to(self.run.motion.parameters_at(end), (len(end), len(self.run.system.parameters)))
        low, high = np.minimum(left, right) - slack, np.maximum(left, right) + slack
        boxes = [Interval(start, end), *(Interval(*bounds) for bounds in zip(low.T, high.T, strict=True)), *values.T]
        found = np.zeros(len(start), dtype=bool)
        with np.errstate(all="ignore"):
            for value in self.switching(boxes, INTERVALS):
                found |= interval(value).holds_zero()
            ends = [self.dips.arrays([t, *state.T, *values.T]) for t, state in ((start, left), (end, right))]
            for value, least in zip(self.dips(boxes, INTERVALS), np.abs(ends).min(axis=0), strict=True):
                found |= (interval(value).low < _DIP * least) & (interval(value).high > -_DIP * least)
        return found

    def step(self, k: int) -> _Found:
        """Put the velocities and the energy inside a step against accelerations and work."""
        times = self.run.motion.times
        t, h = float(times[k]), float(times[k + 1] - times[k])
        edges = self._edges(k, t, h)
        width = np.diff(edges)
        thetas = (edges[:-1, None] + width[:, None] * (_GAUSS[0] + 1) / 2).ravel()
        at, q, v, values = self._states(k, t, h, thetas)
        kernels, weights = self.run.motion.kernels, h * width[:, None] * _GAUSS[1] / 2
        a = kernels.accelerations(at, q, v, values).acceleration.reshape(len(width), -1, self.n)
        at, q, v, values = self._states(k, t, h, edges)
        gained = np.cumsum(np.einsum("pg,pgi->pi", weights, a), axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            off = np.abs(v[1:] - v[0] - gained) / self.sizes.velocities
        off = np.where(self.sizes.velocities > 0, np.nan_to_num(off, nan=np.inf), 0.0).max(axis=1, initial=0.0)
        return _Found(t, float(off[-1]), max(float(off.max()), self._energy_off(k, t, h, edges)))

    def _energy_off(self, k: int, t: float, h: float, edges: Array) -> float:
        """Return by how much the energy is off inside a step, in the largest energy."""
        if self.energy is None:
            return 0.0
        found = self.run.motion.kernels.energies(*self._states(k, t, h, edges))
        power = found.forces + found.time + found.constraints.sum(axis=-1)
        work = np.concatenate([[0.0], np.cumsum(h * np.diff(edges) * (power[1:] + power[:-1]) / 2)])
        return float(np.abs(found.energy - found.energy[0] - work).max() / self.energy)

    def _edges(self, k: int, t: float, h: float) -> Array:
        """Cut a step into parts, the finer the longer something may switch in them."""
        edges = [np.linspace(0.0, 1.0, _PARTS + 1)]
        left, right = edges[0][:-1], edges[0][1:]
        for _ in range(_ROUNDS):
            nodes, places = np.unique([left, right], return_inverse=True)
            at, q, v, _ = self._states(k, t, h, nodes)
            state, (first, last) = np.concatenate([q, v], axis=1), places.reshape(2, -1)
            slack = 0.25 * np.abs(state[last] - state[first])
            open_ = self._open(at[first], at[last], state[first], state[last], slack)
            left, right = left[open_], right[open_]
            if not 0 < len(left) <= _OPEN:
                break
            cuts = np.linspace(left, right, _CUTS + 1)
            edges.append(cuts.ravel())
            left, right = cuts[:-1].ravel(), cuts[1:].ravel()
        return np.unique(np.concatenate(edges))

    def _states(self, k: int, t: float, h: float, thetas: Array) -> tuple[Array, Array, Array, Array]:
        motion = self.run.motion
        states = motion.between(np.full(len(thetas), k), thetas)
        at = t + h * thetas
        values = motion.parameters_at(np.full(len(at), motion.times[k + 1]))
        return at, states[:, : self.n], self.run._velocities(at, states), values
