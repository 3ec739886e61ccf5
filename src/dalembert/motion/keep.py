"""Stabilisation of constraints (Beshaw): c is increased by K times the residuals, so that these decay.

On velocities c + κ ψ, on positions c − 2α ψ − β² g. Over one step of length τ the residuals y become S y + remainder,
and stay below σ if ‖S‖ ≤ δ < 1 and the remainder is below (1 − δ) σ: both count. K of order 1/τ inside the stages of a
method spoils their remainder, so the chosen K y is evaluated once per step and kept through its stages: then

    velocities: S = 1 + τκ, zero for κ = −1/τ;
    positions:  S = [[1 − (τβ)²/2, 1 − τα], [−(τβ)², 1 − 2τα]] of (g, τψ), S² = 0 for α = 3/(4τ), β = 1/τ
                (Euler: [[1, 1], [−(τβ)², 1 − 2τα]], S² = 0 for α = β = 1/τ),

so that errors vanish in one step and in two, whatever the step, and the order of the method is untouched. Gains that a
user gives are used in every stage as the papers do, see `gains.py`; then S is the stability function of the method at
τK, and of functions of time what its stages make of it: to the order of the method Theorem 2, with the products of K
and its derivatives in their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import ModelError
from dalembert.model.system import System
from dalembert.motion.gains import GivenGains, read_gains
from dalembert.motion.stability_region import StabilityRegion
from dalembert.motion.tableau import Tableau

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

LEVELS = {"position": "positions", "velocity": "velocities"}
_ALMOST = 1e-9  # below one that is still one
_TIMES, _STEPS = 200, 2000  # at which eigenvalues are looked at before the motion, and steps whose S are
_SAFE = 0.9  # part of the longest step that is admissible
_SMALL, _SHRUNK = 0.05, 0.5  # norms of products at which no longer ones are looked at: of one S, of many,
_GROWN = 1e6  # and where they only grow
_AS_GOOD = 1.01  # fewer steps are preferred that lead to nearly the least bound
_MOST = 1000  # steps that are looked at together


@dataclass(frozen=True)
class Contraction:
    """By how much errors shrink: over `steps` steps by δ; `sum` is Σ ‖S…S‖ of fewer steps, 1 if one step is enough.

    largest: of a single product of fewer steps: by what an error may grow on the way. radius: the spectral radius.
    """

    delta: float
    steps: int
    sum: float
    largest: float
    radius: float

    def bound(self, remainder: float, start: float = 0.0) -> float:
        """Return σ: what starts at most there, and has at most such remainders, stays below (Theorems 1 and 2).

        Over one step it is max(start, remainder/(1 − δ)).
        """
        if not self.delta < 1:
            return float("inf")
        on_the_way = start if self.steps == 1 else self.largest * start + self.sum * remainder
        return max(on_the_way, self.sum * remainder / (1 - self.delta))


def contraction(S: Array) -> Contraction:
    """Find over how many steps errors shrink, so that the bound is least; S of every step, or one for all of them."""
    if not np.all(np.isfinite(S)):
        infinite = float("inf")
        return Contraction(infinite, 1, 1.0, 1.0, infinite)
    radius = float(np.abs(np.linalg.eigvals(S)).max(initial=0.0))
    product, norms = S, [1.0, _norm(S)]
    most, small = (_MOST, _SMALL) if len(S) == 1 else (min(_MOST, len(S)), _SHRUNK)
    while small < norms[-1] < _GROWN and len(norms) <= most:
        product = S @ product if len(S) == 1 else S[len(norms) - 1 :] @ product[:-1]
        norms.append(_norm(product))
    sums, shrunk = np.cumsum(norms), [k for k in range(1, len(norms)) if norms[k] < 1]
    factors = {k: sums[k - 1] / (1 - norms[k]) for k in shrunk}
    k = next((k for k in shrunk if factors[k] <= _AS_GOOD * min(factors.values())), len(norms) - 1)
    return Contraction(norms[k], k, float(sums[k - 1]), max(norms[:k]), radius)


def _norm(matrices: Array) -> float:
    return float(np.linalg.norm(matrices, 2, axis=(-2, -1)).max())


@dataclass(frozen=True, eq=False)
class Stabilisation:
    """How residuals are made to decay: by gains that are given, in every stage; else by chosen ones, once per step.

    Residuals y are ψ, or (g, θψ) with a time θ: the step, or 1/β where β is given. They are laid out as components,
    which K couples, and copies, which it treats alike.
    """

    method: Tableau
    levels: tuple[str, ...]
    parameters: Array
    given: GivenGains | None

    @property
    def frozen(self) -> bool:
        """Whether K y is evaluated once per step."""
        return self.given is None

    @property
    def words(self) -> str:
        """The gains."""
        if self.given is not None:
            return self.given.words
        position = "alpha = 1/τ, beta = 1/τ" if self.method.order == 1 else "alpha = 3/(4τ), beta = 1/τ"
        parts = {"velocity": "kappa = −1/τ", "position": position}
        return ", ".join(parts[level] for level in parts if level in self.levels)

    @property
    def chosen(self) -> Array:
        """The gains in units of the step, as the stepper takes them: −a ψ/τ − b g/τ² is added; rows of a and of b."""
        by_level = {"position": self._position, "velocity": (1.0, 0.0), "acceleration": (0.0, 0.0)}
        return np.array([by_level[level] for level in self.levels], dtype=float).reshape(-1, 2).T.copy()

    @property
    def _position(self) -> tuple[float, float]:
        return (2.0, 1.0) if self.method.order == 1 else (1.5, 1.0)

    def setup(self, kernels: Kernels) -> dict[str, Any]:
        """Return what an engine is told of it."""
        offsets = None if self.given is None else self.given.prepare(kernels)
        return {"keep": "stabilise", "gains": self.chosen, "offsets": offsets}

    def rows(self, level: str) -> list[int]:
        """Return the constraints of a level."""
        return [i for i, other in enumerate(self.levels) if other == level]

    def residuals(self, level: str, g: Array, psi: Array, steps: Array) -> Array:
        """Return y: times, components, copies."""
        rows = self.rows(level)
        theta = self.theta(steps[:, None])
        y = psi[:, None, rows] if level == "velocity" else np.stack([g[:, rows], theta * psi[:, rows]], axis=1)
        return y if self._alike(level) else y.reshape(len(y), -1, 1)

    def theta(self, step: Any) -> Any:
        """Return the time by which velocities of residuals are multiplied, beside their positions."""
        return step if self.given is None else self._theta

    @cached_property
    def _theta(self) -> float:
        """1/β at the time zero: what makes positions and velocities of residuals about as large."""
        G = self._known().at(self.rows("position"), np.zeros(1), self.parameters)[1]
        size = float(np.linalg.norm(G[0], 2)) if G.size else 0.0
        return 1 / np.sqrt(size) if 0 < size < np.inf else 1.0

    def _alike(self, level: str) -> bool:
        return self.given is None or self.given.scalar[level]

    def growth(self, level: str, times: Array, steps: Array) -> Array:
        """Return S of steps at some times; one for all where nothing varies."""
        if self.given is None:
            a, b = self._position
            if level == "velocity":
                return np.zeros((1, 1, 1))
            euler, other = [[1.0, 1.0], [-b, 1 - a]], [[1 - b / 2, 1 - a / 2], [-b, 1 - a]]
            return np.array([euler if self.method.order == 1 else other])
        if self.given.constant:
            lengths, which = np.unique(steps, return_inverse=True)
            S = self.method.growth(self._scaled(level, times[:1], lengths))
            return S if len(lengths) == 1 else S[which]
        return self.method.growth(self._scaled(level, times, steps))

    def _scaled(self, level: str, times: Array, steps: Array) -> Array:
        """Return τK at the stages of steps, as it acts on y."""
        given, rows = self._known(), self.rows(level)
        rows = rows[:1] if given.scalar[level] else rows
        stages = np.zeros(1) if given.constant else self.method.arrays.c[: len(self.method.weights)]
        places = times[:, None] + stages * steps[: len(times), None]
        found = given.at(rows, places.ravel(), self.parameters)
        P, G = (part.reshape(*places.shape, *part.shape[1:]) for part in found)
        step = steps[:, None, None, None]
        if level == "velocity":
            return step * P
        one, m = np.eye(len(rows)), len(rows)
        Z = np.zeros((len(steps), P.shape[1], 2 * m, 2 * m))
        theta = self._theta
        Z[..., :m, m:], Z[..., m:, :m], Z[..., m:, m:] = step / theta * one, step * theta * G, step * P
        return Z

    def _known(self) -> GivenGains:
        if self.given is None:
            raise ValueError("the gains are chosen")
        return self.given

    # --- what is admissible ------------------------------------------------------------------------------------------

    def present(self) -> list[str]:
        """Return the levels that are stabilised."""
        return [level for level in LEVELS if level in self.levels]

    def eigenvalues(self, level: str, times: Array) -> Array:
        """Return those of K at some times."""
        times = times[:1] if self._known().constant else times
        return np.unique(np.linalg.eigvals(self._scaled(level, times, np.ones(len(times)))[:, 0]))

    def longest(self, begin: float, until: float) -> float:
        """Return the longest step that is admissible with these gains; chosen ones admit any."""
        if self.given is None:
            return float("inf")
        times, region = np.linspace(begin, until, _TIMES), StabilityRegion(self.method)
        return min((region.reach(self.eigenvalues(level, times)) for level in self.present()), default=float("inf"))

    def limit(self, begin: float, until: float) -> float:
        """Return what steps of a method that chooses them are held to, so that errors shrink."""
        return _SAFE * self.longest(begin, until)

    def refuse(self, begin: float, until: float, step: float | None) -> None:
        """Raise ModelError if the gains are outside what the method admits, and say what it does admit."""
        if self.given is None:
            return
        longest = self.longest(begin, until)
        if not longest > 0:
            raise ModelError(self._unstable(begin, until))
        if step is None:
            return
        count = min(_STEPS, max(1, round((until - begin) / step)))
        times = begin + step * np.arange(count)
        for level in self.present():
            found = contraction(self.growth(level, times, np.full(count, step)))
            shrinks = found.radius < 1 - _ALMOST if self.given.constant else found.delta < 1
            if not shrinks:
                raise ModelError(self._outside(level, found, step, longest))

    def _unstable(self, begin: float, until: float) -> str:
        times = np.linspace(begin, until, _TIMES)
        values = np.concatenate([self.eigenvalues(level, times) for level in self.present()])
        worst = complex(values[np.argmax(np.real(values))])
        return (
            f"the gains {self._known().words} do not let residuals decay: K has the eigenvalue {_complex(worst)}, and "
            "needs negative real parts: kappa < 0 (velocities), alpha > 0 and beta > 0 (positions)"
        )

    def _outside(self, level: str, found: Contraction, step: float, longest: float) -> str:
        region, given, method = StabilityRegion(self.method), self._known(), self.method.name
        size = found.radius if given.constant else found.delta
        along = "from step to step" if given.constant or found.steps == 1 else f"in {found.steps} steps"
        text = (
            f"the gains {given.words} are outside what `{method}` admits with the step {step:g}: errors of constraints "
            f"on {LEVELS[level]} would grow {size:.3g} times {along} (δ < 1 is needed). "
        )
        if longest > step:  # as in Vinograd's example
            text += (
                "The eigenvalues of K are admissible at every time, but K changes so that errors grow all the same: "
            )
            return text + "let it change more slowly, or take larger gains. `unchecked` insists"
        text += "Admissible "
        if given.scalar[level]:
            end = region.interval / step
            text += f"is {-end:.4g} < kappa < 0" if level == "velocity" else f"is alpha = beta up to {end:.4g}"
            text += " at this step; "
        else:
            text += f"are eigenvalues of K from {-region.interval / step:.4g} to 0 at this step; "
        return text + f"with these gains, steps below {longest:.4g}. `unchecked` insists"


def _complex(value: complex) -> str:
    return f"{value.real:.4g}" if abs(value.imag) < 1e-12 * abs(value) or value == 0 else f"{value:.4g}"


def stabilisation(system: System, method: Tableau, given: Mapping[str, Any] | None, parameters: Array) -> Stabilisation:
    """Choose gains for a method, or take those that a user gives."""
    levels = tuple(constraint.level for constraint in system.constraints)
    return Stabilisation(method, levels, parameters, read_gains(system, given) if given else None)
