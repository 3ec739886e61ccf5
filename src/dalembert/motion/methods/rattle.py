"""RATTLE, composed with itself to a high order: steps that keep the structure of Hamilton's equations.

Steps of lengths γᵢh, taken one after the other with Σγᵢ = 1, γ read the same from both ends and the order conditions
satisfied, are again symmetric and symplectic (Yoshida 1990; Hairer, Lubich, Wanner, *Geometric Numerical Integration*,
V.3.2, where the coefficients are printed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import quoted
from dalembert.model.system import System
from dalembert.motion.method import Setup

if TYPE_CHECKING:
    from dalembert.motion.engine import Engine
    from dalembert.native.kernels import Kernels


@dataclass(frozen=True)
class Rattle:
    """A composition of steps of RATTLE: the first half of the γᵢ, and the one in the middle."""

    name: str
    order: int
    half: tuple[float, ...]
    middle: float
    adaptive: bool = False
    fixed: bool = True
    forms: tuple[str, ...] = ("canonical",)
    keeps: tuple[str, ...] = ("project",)

    def objection(self, system: System) -> str | None:
        """Refuse systems without energies, constraints that are not on positions, and a singular mass matrix."""
        from dalembert.forms.augment import augmentation, without_inertia

        others = "use `dop853`, `radau` or `bdf`"
        if system.kinetic is None:
            return f"needs energies, and this system is given by matrices; {others}"
        if system.sections.get("friction"):
            return f"has no place for what sticks and slides by turns, as friction here does; {others}"
        if system.followed:
            names = quoted(sorted(system.followed)[:6])
            return f"takes forces and reactions apart, and here forces depend on the reactions of {names}; {others}"
        names = [constraint.name for constraint in system.constraints if constraint.level != "position"]
        if names:
            return f"takes constraints on positions only, unlike {quoted(names[:6])}; {others}"
        if augmentation(system):
            names = quoted(without_inertia(system)[:6])
            return (
                f"needs inertia in every direction, and along {names} there is none, or next to none beside the rest; "
                f"give it some, or {others}"
            )
        return None

    def engine(self, kernels: Kernels, setup: Setup) -> Engine:
        """Make the engine of a run."""
        from dalembert.motion.composed import Composed

        return Composed(kernels, self.order, self.weights, setup)

    @property
    def weights(self) -> Array:
        """All γᵢ."""
        return np.array([*self.half, self.middle, *reversed(self.half)])


RATTLE = Rattle(
    "rattle",
    8,
    (
        0.13020248308889008087881763,
        0.56116298177510838456196441,
        -0.38947496264484728640807860,
        0.15884190655515560089621075,
        -0.39590389413323757733623154,
        0.18453964097831570709183254,
        0.25837438768632204729397911,
        0.29501172360931029887096624,
    ),
    -0.60550853383003451169892108,
)
