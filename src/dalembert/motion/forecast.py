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
    with np.errstate(all="ignore"):  # what grows beyond numbers is no bound
        return _Foresight(trial, chosen).outcome()


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
    """The work on all levels together: what one of them is off enters the steps of the other."""

    def __init__(self, trial: _Trial, chosen: Stabilisation):
        self.trial, self.chosen, self.levels = trial, chosen, chosen.present()
        count = len(trial.times)
        self.S = {level: chosen.growth(level, trial.times, np.full(count, trial.step)) for level in self.levels}
        self.some = np.unique(np.linspace(0, count - 1, _STATES).astype(int))
        self.moved = np.unique(np.linspace(0, count - 1, _MOVED).astype(int))
        self.random = np.random.default_rng(0)

    def outcome(self) -> tuple[Forecast, ...]:
        """Find σ that are not contradicted by steps from states that far off."""
        shrink = {level: contraction(S) for level, S in self.S.items()}
        begin = self._y(self.trial.times[:1], self.trial.begin[None])
        start = {level: size if (size := float(_sizes(y)[0])) > _ROUNDING else 0.0 for level, y in begin.items()}
        left = self._left(self.some, self.trial.states[self.some])
        largest = {level: float(_sizes(part).max(initial=0.0)) for level, part in left.items()}
        reason = "" if all(found.delta < 1 for found in shrink.values()) else "errors do not shrink"
        ways = [] if reason else self._ways(left)
        for _ in range(0 if reason else _TURNS):
            sigma = {level: shrink[level].bound(_allowed(largest[level]), start[level]) for level in self.levels}
            seen = self._seen(sigma, ways)
            if all(_SPARE * seen[level] <= _allowed(largest[level]) for level in self.levels):
                return tuple(
                    Forecast(level, shrink[level], _allowed(largest[level]), start[level], sigma[level])
                    for level in self.levels
                )
            largest = {level: max(largest[level], seen[level]) for level in self.levels}
            if not all(map(np.isfinite, largest.values())):
                break
        reason = reason or "the remainder grows with the residuals as fast as these shrink; a smaller step may help"
        return tuple(
            Forecast(level, shrink[level], largest[level], start[level], float("inf"), reason) for level in self.levels
        )

    def _y(self, times: Array, states: Array) -> dict[str, Array]:
        n, kernels = self.trial.engine.n, self.trial.engine.kernels
        g, psi = kernels.residuals(times, states[:, :n], states[:, n:], self.trial.parameters)
        steps = np.full(len(times), self.trial.step)
        return {level: self.chosen.residuals(level, g, psi, steps) for level in self.levels}

    def _left(self, which: Array, states: Array) -> dict[str, Array]:
        """Return the remainders of steps from states at some times of the trial."""
        times, step = self.trial.times[which], self.trial.step
        ends = self.trial.engine.ends(times, np.full(len(times), step), states)
        before, after = self._y(times, states), self._y(times + step, ends)
        return {level: after[level] - self._growth(level, which) @ before[level] for level in self.levels}

    def _growth(self, level: str, which: Array) -> Array:
        S = self.S[level]
        return S if len(S) == 1 else S[which]

    def _ways(self, left: dict[str, Array]) -> list[dict[str, Array]]:
        """Return directions in which states are moved: those of the remainders, and to where these would lead in time.

        That is y = S y + remainder.
        """
        places = np.searchsorted(self.some, self.moved).clip(max=len(self.some) - 1)
        remainders = {level: part[places] for level, part in left.items()}
        led = {}
        for level, part in remainders.items():
            S = self._growth(level, self.moved)
            led[level] = np.linalg.solve(np.eye(S.shape[-1]) - S, part)
        return [remainders, led]

    def _seen(self, sigma: dict[str, float], ways: list[dict[str, Array]]) -> dict[str, float]:
        """Return the largest remainders of steps from states that are moved off the constraints by σ."""
        aside = {level: self.random.normal(size=way.shape) for level, way in ways[0].items()}
        seen = dict.fromkeys(self.levels, 0.0)
        for way in (*ways, aside):
            wanted = {level: _unit(part) * sigma[level] for level, part in way.items()}
            try:
                left = self._left(self.moved, self._displaced(wanted))
            except SimulationError:  # nothing can be evaluated there
                return dict.fromkeys(self.levels, float("inf"))
            for level, part in left.items():
                size = float(_sizes(part).max(initial=0.0))
                seen[level] = max(seen[level], size) if np.isfinite(size) else float("inf")
        return seen

    def _displaced(self, wanted: dict[str, Array]) -> Array:
        """Move states off the constraints by y, least in the mass norm, positions first."""
        times, states = self.trial.times[self.moved], self.trial.states[self.moved].copy()
        n, flat = self.trial.engine.n, {level: part.reshape(len(times), -1) for level, part in wanted.items()}
        rows = self.chosen.rows("position")
        if "position" in flat:
            states[:, :n] += self._along(times, states, {"position": flat["position"][:, : len(rows)]})
            now = self._y(times, states)["position"].reshape(len(times), -1)
            flat["position"] = (flat["position"] - now)[:, len(rows) :] / self.chosen.theta(self.trial.step)
        if "velocity" in flat:
            flat["velocity"] = flat["velocity"] - self._y(times, states)["velocity"].reshape(len(times), -1)
        states[:, n:] += self._along(times, states, flat)
        return states

    def _along(self, times: Array, states: Array, d: dict[str, Array]) -> Array:
        """Return N d with A N d = d, N = M⁻¹Aᵀ(A M⁻¹Aᵀ)⁻¹, as accelerations that stabilisation adds."""
        kernels, n = self.trial.engine.kernels, self.trial.engine.n
        inputs = kernels.inputs(times, states[:, :n], states[:, n:], self.trial.parameters)
        offset = np.zeros((len(times), kernels.s))
        for level, part in d.items():
            offset[:, self.chosen.rows(level)] = part
        moved, still = (
            kernels.run("stabilised", "stabilised", np.hstack([inputs, part]))[:, :n] for part in (offset, 0 * offset)
        )
        return moved - still


def _allowed(largest: float) -> float:
    """Return what stands for all remainders, by the largest that was seen."""
    return _DOUBLED * largest + _ROUNDING


def _unit(y: Array) -> Array:
    sizes = _sizes(y)[:, None, None]
    return y / np.where(sizes > 0, sizes, 1.0)


def _sizes(y: Array) -> Array:
    """Return ‖y‖ at each time."""
    return np.linalg.norm(y, axis=(1, 2))
