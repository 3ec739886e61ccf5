"""Gear's method: backward differentiation of order 1 to 5 with the numbers κ of Shampine and Reichelt (1997)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.model.system import System
from dalembert.motion.method import Setup
from dalembert.motion.scheme import BackwardCoefficients

if TYPE_CHECKING:
    from dalembert.motion.engine import Engine
    from dalembert.native.kernels import Kernels

KAPPA = np.array([0.0, -0.1850, -1 / 9, -0.0823, -0.0415, 0.0])  # more accurate, and nearly as stable as with zeros


@dataclass(frozen=True)
class Gear:
    """Chooses its steps and its order; solves the same equations with multipliers and in minimal form."""

    name: str = "bdf"
    order: int = 5
    adaptive: bool = True
    fixed: bool = False
    forms: tuple[str, ...] = ("multipliers", "minimal")
    keeps: tuple[str, ...] = ("project",)

    def objection(self, system: System) -> None:
        """Integrate every system."""

    def engine(self, kernels: Kernels, setup: Setup) -> Engine:
        """Make the engine of a run."""
        from dalembert.motion.gear_engine import GearEngine

        return GearEngine(kernels, coefficients(), setup)


def coefficients() -> BackwardCoefficients:
    """Return the method as data."""
    order = np.arange(6)
    gamma = np.array([0.0, *np.cumsum(1 / order[1:])])
    return BackwardCoefficients(gamma, (1 - KAPPA) * gamma, KAPPA * gamma + 1 / (order + 1))


BDF = Gear()
