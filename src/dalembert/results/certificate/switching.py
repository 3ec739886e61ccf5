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

from dalembert.arrays import Array
from dalembert.language.building import TIME
from dalembert.language.calculus import SWITCHING, Calculus
from dalembert.language.functions import INTERVALS
from dalembert.language.intervals import Interval, interval
from dalembert.language.program import Program
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points

if TYPE_CHECKING:
    from dalembert.results.run import Run

LIMIT = 1e-3  # of the velocities, or of the largest energy
_STEPS = 3000  # the longest of the steps in question, which are looked at
_PARTS, _CUTS, _ROUNDS = 32, 16, 8  # of a step; of a part in question; how often
_DIP = 0.3  # of its values at both ends
_OPEN = 40  # parts of a step in question, beyond which they are not cut further
_STOPS = "dop853"  # the method that ends its steps at switches of the state
_SMOOTH = "What is narrow and smooth is met by steps of a given length, short beside it: `step`"
_ELSE = f"What switches is met by method `{_STOPS}` with steps that it chooses"
_NARROW = 1e-4  # of a step
_JUMP, _INSTANT = 1e-9, 1e-13  # of a step, of the motion: what changes within it has jumped
_LEAST = 1e-4  # of the largest velocity: the least by which one is measured
_ROUNDING = 1e-13  # of the energies
_TOGETHER = 200  # steps that are looked at together
State = tuple[Array, Array, Array, Array]  # t, q, v and parameters, at many places
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
    found = [part for first in range(0, len(chosen), _TOGETHER) for part in look.at(chosen[first : first + _TOGETHER])]
    if len(steps) > len(chosen):
        short = float(np.diff(run.motion.times)[chosen].min())
        notes.append(f"what switches with the state was looked at in steps longer than {short:.3g} only")
    limit = LIMIT if run.step is not None else max(LIMIT, 10 * run.rtol)
    value = float(sum(part.end for part in found) + max((part.within for part in found), default=0.0))
    if value > limit:
        worst = max(found, key=lambda part: part.end + part.within)
        what = f"the step at t = {worst.t:.6g} passes over something narrow, or over a jump of the potential"
        meets = run.method == _STOPS and run.step is None and run.keep != "stabilise"
        notes.append(
            f"{what}. {_SMOOTH if meets else _ELSE}; a jump of the potential takes the width that it really has"
        )
    return [*items, Item("switches", value, limit, TEXT)]


def _switching_terms(potential: se.Expr | None) -> list[se.Expr]:
    """Return the terms of a potential in which something switches, and which may jump."""
    calculus = Calculus([])
    terms = [calculus.lower(term) for term in calculus.terms(calculus.lift(potential))] if potential is not None else []
    return [term for term in terms if term.atoms(*SWITCHING)]


def _over_narrow(values: Array, which: Array, edges: Array, firsts: Array, widths: Array | float = _NARROW) -> Array:
    """Return how values change over the narrow parts of each step, up to every edge."""
    narrow = (np.diff(edges, prepend=np.inf) < widths) & (np.diff(which, prepend=-1) == 0)
    change = np.where(narrow[:, None], np.diff(values, axis=0, prepend=values[:1]), 0.0)
    sums = np.cumsum(change, axis=0)
    return sums - sums[firsts][which]


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
        self.switching, self.dips = (Program(symbols, some, system.defined) for some in (found.states, found.dips))
        self.jumping = Program(symbols, _switching_terms(system.potential), system.defined)
        drift = run.drift
        self.energy = None if drift is None else drift.scale
        used = {symbol.name for expr in (*found.states, *found.dips) for symbol in expr.free_symbols}
        pairs = zip(system.coordinates, system.velocities, strict=True)
        self.involved = np.array([not used.isdisjoint(pair) for pair in pairs])  # coordinates with which it switches

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

    def at(self, steps: Array) -> list[_Found]:
        """Put the velocities and the energy inside some steps against accelerations and work."""
        which, edges = self._edges(steps)
        inner = which[1:] == which[:-1]  # parts of a step, not from one step to the next
        left, width, owner = edges[:-1][inner], np.diff(edges)[inner], which[:-1][inner]
        lengths = np.diff(self.run.motion.times)[steps]
        gauss, weights = (_GAUSS[0] + 1) / 2, lengths[owner, None] * width[:, None] * _GAUSS[1] / 2
        thetas = left[:, None] + width[:, None] * gauss
        at, q, v, values = self._states(np.repeat(steps[owner], len(gauss)), thetas.ravel())
        kernels = self.run.motion.kernels
        a = kernels.accelerations(at, q, v, values).acceleration.reshape(len(width), -1, self.n)
        state = self._states(steps[which], edges)
        v = state[2]
        sums = np.concatenate([np.zeros((1, self.n)), np.cumsum(np.einsum("pg,pgi->pi", weights, a), axis=0)])
        firsts = np.flatnonzero(np.diff(which, prepend=-1))  # edges at which steps begin
        gained = sums[np.cumsum(np.concatenate([[0], inner]))]
        gained = gained - gained[firsts][which]
        with np.errstate(divide="ignore", invalid="ignore"):
            off = np.abs(v - v[firsts][which] - gained) / self.sizes.velocities
        off = np.where(self.sizes.velocities > 0, np.nan_to_num(off, nan=np.inf), 0.0).max(axis=1, initial=0.0)
        lasts = np.append(firsts[1:], len(edges)) - 1
        within = np.maximum.reduceat(off, firsts)
        within = np.maximum(within, self._narrow_off(v, gained, which, edges, firsts))
        within = np.maximum(within, self._energy_off(state, which, edges, lengths, firsts))
        found = zip(self.run.motion.times[steps], off[lasts], within, strict=True)
        return [_Found(float(t), float(end), float(most)) for t, end, most in found]

    def _narrow_off(self, v: Array, gained: Array, which: Array, edges: Array, firsts: Array) -> Array:
        """Return by how much velocities are off over narrow parts, in their sizes there: a small one may decide.

        On these parts the error of the dense output, which is that of the tolerance, does not count.
        """
        with np.errstate(invalid="ignore"):
            off = np.abs(_over_narrow(v - gained, which, edges, firsts)) / self._local(v, which, firsts)
        return np.maximum.reduceat(np.where(off >= 0, off, 0.0).max(axis=1, initial=0.0), firsts)

    def _local(self, v: Array, which: Array, firsts: Array) -> Array:
        """Return the velocities in each step."""
        largest = np.maximum.reduceat(np.abs(v), firsts, axis=0)[which]
        return np.maximum(largest, _LEAST * self.sizes.velocities)

    def _energy_off(self, state: State, which: Array, edges: Array, lengths: Array, firsts: Array) -> Array:
        """Return by how much the energy is off inside steps, in the largest energy."""
        if self.energy is None:
            return np.zeros(len(firsts))
        found = self.run.motion.kernels.energies(*state)
        power = found.forces + found.time + found.constraints.sum(axis=-1)
        inner = which[1:] == which[:-1]
        done = np.where(inner, lengths[which[1:]] * np.diff(edges) * (power[1:] + power[:-1]) / 2, 0.0)
        work = np.concatenate([[0.0], np.cumsum(done)])
        off = found.energy - found.energy[firsts][which] - (work - work[firsts][which])
        moving = (self.sizes.mass * self._local(state[2], which, firsts) ** 2)[:, self.involved].sum(axis=1)
        narrow = np.abs(_over_narrow((found.energy - work)[:, None], which, edges, firsts)[:, 0])
        rounding = _ROUNDING * (np.abs(found.kinetic) + np.abs(found.potential))  # their sum may be next to nothing
        jumps = self._jumped(state, which, edges, lengths, firsts)
        narrow = np.maximum(np.where(narrow > rounding, narrow, 0.0), jumps)
        with np.errstate(divide="ignore", invalid="ignore"):
            local = np.where((moving > 0) & (narrow > 0), narrow / moving, 0.0)
        return np.maximum.reduceat(np.maximum(np.abs(off) / self.energy, local), firsts)

    def _jumped(self, state: State, which: Array, edges: Array, lengths: Array, firsts: Array) -> Array:
        """Return by how much terms of the potential jump, each by itself: others may be larger by any factor."""
        t, q, v, values = state
        terms = self.jumping.arrays([t, *q.T, *v.T, *np.broadcast_to(values, (len(t), values.shape[-1])).T]).T
        if not terms.shape[1]:
            return np.zeros(len(t))
        widths = np.maximum(_JUMP, _INSTANT * float(np.ptp(self.run.motion.times)) / lengths)[which]
        jumps = np.abs(_over_narrow(terms, which, edges, firsts, widths))
        return np.where(jumps > _ROUNDING * np.abs(terms), jumps, 0.0).sum(axis=1)

    def _edges(self, steps: Array) -> tuple[Array, Array]:
        """Cut steps into parts, the finer the longer something may switch in them.

        Return which of the steps each edge belongs to, and where it lies in it.
        """
        whole = np.linspace(0.0, 1.0, _PARTS + 1)
        which, edges = [np.repeat(np.arange(len(steps)), len(whole))], [np.tile(whole, len(steps))]
        owner = np.repeat(np.arange(len(steps)), _PARTS)
        left, right = np.tile(whole[:-1], len(steps)), np.tile(whole[1:], len(steps))
        for _ in range(_ROUNDS):
            nodes, places = np.unique(np.stack([np.tile(owner, 2), [*left, *right]]), axis=1, return_inverse=True)
            at, q, v, _ = self._states(steps[nodes[0].astype(int)], nodes[1])
            state, (first, last) = np.concatenate([q, v], axis=1), places.reshape(2, -1)
            slack = 0.25 * np.abs(state[last] - state[first])
            open_ = self._open(at[first], at[last], state[first], state[last], slack)
            few = np.bincount(owner[open_], minlength=len(steps)) <= _OPEN
            open_ &= few[owner]
            owner, left, right = owner[open_], left[open_], right[open_]
            if not len(owner):
                break
            cuts = np.linspace(left, right, _CUTS + 1)
            which.append(np.tile(owner, _CUTS + 1))
            edges.append(cuts.ravel())
            owner = np.tile(owner, _CUTS)
            left, right = cuts[:-1].ravel(), cuts[1:].ravel()
        found = np.unique(np.stack([np.concatenate(which), np.concatenate(edges)]), axis=1)
        return found[0].astype(int), found[1]

    def _states(self, steps: Array, thetas: Array) -> State:
        """Return t, q, v and parameters inside steps."""
        motion = self.run.motion
        states = motion.between(steps, thetas)
        at = motion.times[steps] + np.diff(motion.times)[steps] * thetas
        return at, states[:, : self.n], self.run._velocities(at, states), motion.parameters_at(motion.times[steps + 1])
