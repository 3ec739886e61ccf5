"""Stabilisation of constraints (Beshaw): c is increased by K times the residuals, so that these decay.

On velocities c + κ ψ, on positions c − 2α ψ − β² g. Over one step of length τ the residuals y become S y + remainder,
and stay below σ if ‖S‖ ≤ δ < 1 and the remainder is below (1 − δ) σ: both count. K of order 1/τ inside the stages of a
method spoils their remainder, so the chosen K y is evaluated once per step and kept through its stages: then

    velocities: S = 1 + τκ, zero for κ = −1/τ;
    positions:  S = [[1 − (τβ)²/2, τ − τ²α], [−τβ², 1 − 2τα]], S² = 0 for α = 3/(4τ), β = 1/τ
                (Euler: [[1, τ], [−τβ², 1 − 2τα]], S² = 0 for α = β = 1/τ),

so that errors vanish in one step and in two, whatever the step, and the order of the method is untouched. Gains that a
user gives are constants, used in every stage as the papers do; then S is the stability function of the method at τK.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.arguments import number, table
from dalembert.arrays import Array
from dalembert.errors import ModelError, nearest
from dalembert.model.system import System
from dalembert.motion.tableau import Tableau

_KNOWN = ("kappa", "alpha", "beta")


@dataclass(frozen=True)
class Stabilisation:
    """The gains of every constraint: −a ψ − b g is added to c. `delta` over one step or two, of the longest step."""

    gains: Array
    frozen: bool
    levels: tuple[str, ...]
    method: Tableau

    def delta(self, step: float) -> dict[str, float]:
        """Return δ by level for a length of the step, as the spectral radius of S: zero for frozen gains."""
        levels = dict.fromkeys(level for level in self.levels if level != "acceleration")
        return {level: float(np.abs(np.linalg.eigvals(self.growth(level, step))).max()) for level in levels}

    def growth(self, level: str, step: float) -> Array:
        """Return S of one step for constraints of a level: of (g, ψ), or of ψ."""
        a, b = self.gains[:, self.levels.index(level)]
        if level == "velocity":
            return np.array([[1 - a]]) if self.frozen else self.method.growth(np.array([[-a * step]]))
        if not self.frozen:
            return self.method.growth(step * np.array([[0.0, 1.0], [-b, -a]]))
        if self.method.order == 1:
            return np.array([[1.0, step], [-b / step, 1 - a]])
        return np.array([[1 - b / 2, step * (1 - a / 2)], [-b / step, 1 - a]])

    def violations(self, step: float) -> list[str]:
        """Say for which constraints ‖S‖ < 1 fails at a length of the step."""
        return [
            f"constraints of {level}: δ = {delta:.3g} at the step {step:.3g} is not below one, so that errors are not "
            "bounded; take smaller gains or a smaller step"
            for level, delta in self.delta(step).items()
            if not delta < 1
        ]


def stabilisation(system: System, method: Tableau, given: Mapping[str, Any] | None) -> Stabilisation:
    """Choose gains for a method, or take those that a user gives: kappa < 0, alpha > 0, beta > 0, in 1/time."""
    levels = tuple(constraint.level for constraint in system.constraints)
    given = table("gains", given)
    if given:
        unknown = [name for name in given if name not in _KNOWN]
        if unknown:
            raise ModelError(f"no gain `{unknown[0]}`; {nearest(unknown[0], _KNOWN, 'gains')}")
        kappa, alpha, beta = (number(name, given.get(name, 0.0)) for name in _KNOWN)
        if not (-np.inf < kappa <= 0 <= alpha < np.inf and 0 <= beta < np.inf):
            raise ModelError("gains are kappa < 0 (velocities), alpha > 0 and beta > 0 (positions)")
        by_level = {"position": (2 * alpha, beta**2), "velocity": (-kappa, 0.0), "acceleration": (0.0, 0.0)}
    else:
        position = (2.0, 1.0) if method.order == 1 else (1.5, 1.0)
        by_level = {"position": position, "velocity": (1.0, 0.0), "acceleration": (0.0, 0.0)}
    gains = np.array([by_level[level] for level in levels], dtype=float).reshape(-1, 2).T.copy()
    return Stabilisation(gains, not given, levels, method)
