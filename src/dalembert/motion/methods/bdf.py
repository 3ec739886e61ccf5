"""Gear's method, the backward differentiation formulas of order 1 to 5, by IDA of SUNDIALS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.model.system import System
from dalembert.motion.method import Setup

if TYPE_CHECKING:
    from dalembert.motion.engine import Engine
    from dalembert.native.kernels import Kernels


@dataclass(frozen=True)
class Gear:
    """Chooses its steps and its order; keeps the constraints by itself."""

    name: str = "bdf"
    order: int = 5
    adaptive: bool = True
    fixed: bool = False
    forms: tuple[str, ...] = ("minimal", "multipliers")
    keeps: tuple[str, ...] = ("project",)

    def objection(self, system: System) -> None:
        """Integrate every system."""

    def engine(self, kernels: Kernels, setup: Setup) -> Engine:
        """Make the engine of a run."""
        from dalembert.motion.gear import GearEngine

        return GearEngine(kernels, setup)


BDF = Gear()
