"""The bound of stabilisation before a motion: ‖y‖ ≤ σ by Beshaw's Theorem 1 (Euler) and 2 (RK4), and for any tableau.

The theorems need a bound of the remainder y⁺ − S y of every step, where the motion will be. It is got from a trial: the
same method and step, projected onto the constraints, so that it stays near the motion that is asked for. From its
states single stabilised steps are taken, and from states moved off the constraints as far as σ, in the direction of the
remainder and in one at random: what they leave is the remainder. The largest one, doubled, stands for all; with it σ is
found, and the states are moved off by it, until they show no larger remainder. So σ is no guess, but no proof either:
the motion is held against it afterwards, and its certificate does not pass where it does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import SimulationError
from dalembert.motion.explicit_engine import ExplicitEngine
from dalembert.motion.keep import Contraction, Stabilisation, contraction

_DOUBLED = 2.0  # the largest remainder that was seen stands for all when doubled,
_SPARE = 1.5  # and must be so much above what is seen at σ
_STATES = 4000  # of the trial, from which steps are taken
_MOVED = 400  # of them, from which it is moved off
_TURNS = 12
_ROUNDING = 1e-13
_WHOLE = 1e-6  # part of a step by which a whole one may be rounded


@dataclass(frozen=True)
class Forecast:
    """σ for the constraints of a level, before the motion; infinite if none can be stated, for a `reason`.

    start: ‖y‖ at the start. remainder: of a step, with what is spared.
    """

    level: str
    contraction: Contraction
    remainder: float
    start: float
    sigma: float
    reason: str = ""


def foresee(
    times: Array, states: Array, step: float, engine: ExplicitEngine, chosen: Stabilisation
) -> tuple[Forecast, ...]:
    """State σ for every level that is stabilised, by the states of a trial; `engine` takes the stabilised steps."""
    whole = np.flatnonzero(np.abs(np.diff(times) - step) <= _WHOLE * step)  # others were cut short by a switch
    if not whole.size:
        return unforeseen(chosen, "the motion is shorter than a step")
    trial = _Trial(times[whole], states[whole], states[0], step, engine)
    return tuple(_Foresight(trial, chosen, level).outcome() for level in chosen.present())


def unforeseen(chosen: Stabilisation, reason: str) -> tuple[Forecast, ...]:
    """State nothing, and say why."""
    nothing, infinite = Contraction(float("nan"), 1, 1.0, 1.0, float("nan")), float("inf")
    return tuple(Forecast(level, nothing, infinite, 0.0, infinite, reason) for level in chosen.present())


@dataclass(frozen=True)
class _Trial:
    """Times and states of a trial motion from which whole steps are taken, the state at its start."""

    times: Array
    states: Array
    begin: Array
    step: float
    engine: ExplicitEngine

    @property
    def parameters(self) -> Array:
        kernels = self.engine.kernels
        first = 1 + 2 * kernels.n
        return self.engine.given[first : first + len(kernels.system.parameters)]


class _Foresight:
    """The work on one level."""

    def __init__(self, trial: _Trial, chosen: Stabilisation, level: str):
        self.trial, self.chosen, self.level = trial, chosen, level
        count = len(trial.times)
        self.S = chosen.growth(level, trial.times, np.full(count, trial.step))
        self.rows = chosen.rows(level)
        self.some = np.unique(np.linspace(0, count - 1, _STATES).astype(int))
        self.moved = np.unique(np.linspace(0, count - 1, _MOVED).astype(int))
        self.random = np.random.default_rng(0)

    def outcome(self) -> Forecast:
        """Find σ that is not contradicted by steps from states that far off."""
        found = contraction(self.S)
        start = float(_sizes(self._y(self.trial.times[:1], self.trial.begin[None]))[0])
        start = start if start > _ROUNDING else 0.0
        left = self._left(self.some, self.trial.states[self.some])
        largest, sigma = float(_sizes(left).max(initial=0.0)), float("inf")
        ways = left[np.searchsorted(self.some, self.moved).clip(max=len(self.some) - 1)]
        reason = "" if found.delta < 1 else "errors do not shrink"
        for _ in range(_TURNS if found.delta < 1 else 0):
            sigma = found.bound(_DOUBLED * largest + _ROUNDING, start)
            seen = max(self._at(sigma, ways), self._at(sigma, None))
            if _SPARE * seen <= _DOUBLED * largest + _ROUNDING:
                return Forecast(self.level, found, _DOUBLED * largest, start, sigma)
            largest = max(largest, seen)
            if not np.isfinite(largest):
                break
        reason = reason or "the remainder grows with the residuals as fast as these shrink: take a smaller step"
        return Forecast(self.level, found, largest, start, float("inf"), reason)

    def _y(self, times: Array, states: Array) -> Array:
        n, kernels = self.trial.engine.n, self.trial.engine.kernels
        g, psi = kernels.residuals(times, states[:, :n], states[:, n:], self.trial.parameters)
        return self.chosen.residuals(self.level, g, psi, np.full(len(times), self.trial.step))

    def _left(self, which: Array, states: Array) -> Array:
        """Return the remainders of steps from states at some times of the trial."""
        times, step = self.trial.times[which], self.trial.step
        ends = self.trial.engine.ends(times, np.full(len(times), step), states)
        S = self.S if len(self.S) == 1 else self.S[which]
        return self._y(times + step, ends) - S @ self._y(times, states)

    def _at(self, sigma: float, ways: Array | None) -> float:
        """Return the largest remainder of steps from states that are moved off the constraints by σ."""
        times, states = self.trial.times[self.moved], self.trial.states[self.moved]
        shape = (len(times), *self._y(times[:1], states[:1]).shape[1:])
        way = self.random.normal(size=shape) if ways is None else ways
        sizes = _sizes(way)
        wanted = sigma * way / np.where(sizes > 0, sizes, 1.0)[:, None, None]
        try:
            off = self._displaced(times, states, wanted)
            left = _sizes(self._left(self.moved, off))
        except SimulationError:  # nothing can be evaluated there
            return float("inf")
        return float(left.max(initial=0.0)) if np.all(np.isfinite(left)) else float("inf")

    def _displaced(self, times: Array, states: Array, y: Array) -> Array:
        """Move states off the constraints by y, least in the mass norm, positions first."""
        n, step = self.trial.engine.n, self.trial.step
        states, flat = states.copy(), y.reshape(len(y), -1)
        if self.level == "position":
            g, flat = np.split(flat, 2, axis=1)
            states[:, :n] += self._along(times, states, g)
            now = self._y(times, states).reshape(len(y), -1)[:, len(self.rows) :]
            states[:, n:] += self._along(times, states, (flat - now) / step)
        else:
            states[:, n:] += self._along(times, states, flat)
        return states

    def _along(self, times: Array, states: Array, d: Array) -> Array:
        """Return N d with A N d = d, N = M⁻¹Aᵀ(A M⁻¹Aᵀ)⁻¹, as accelerations that stabilisation adds."""
        kernels, s = self.trial.engine.kernels, self.trial.engine.kernels.s
        n = self.trial.engine.n
        inputs = kernels.inputs(times, states[:, :n], states[:, n:], self.trial.parameters)
        offset = np.zeros((len(times), s))
        offset[:, self.rows] = d
        moved, still = (
            kernels.run("stabilised", "stabilised", np.hstack([inputs, part]))[:, :n] for part in (offset, 0 * offset)
        )
        return moved - still


def _sizes(y: Array) -> Array:
    """Return ‖y‖ at each time."""
    return np.linalg.norm(y, axis=(1, 2))
