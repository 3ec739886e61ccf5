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
from dalembert.errors import SimulationError, quoted
from dalembert.forms.augment import augmentation, without_inertia
from dalembert.model.system import System
from dalembert.motion.engine import Engine
from dalembert.motion.entry import Entry
from dalembert.motion.method import Setup

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

ROWS = 10  # of what a step works on


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
        others = "use `dop853`, `radau` or `bdf`"
        if system.kinetic is None:
            return f"needs energies, and this system is given by matrices; {others}"
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
        return Composed(kernels, self, setup)

    @property
    def weights(self) -> Array:
        """All γᵢ."""
        return np.array([*self.half, self.middle, *reversed(self.half)])


class Composed(Engine):
    """Steps with a composition; inside a step, states are those of a shorter one from its start."""

    dense = False

    def __init__(self, kernels: Kernels, method: Rattle, setup: Setup):
        n = kernels.n
        super().__init__(kernels, setup, n)
        kinds = ("force", "velocity", "velocity_impulse", "position_impulse", "near_impulse", "near")
        names = [("symplectic", kind) for kind in kinds]
        names.append((self.watched, "expressions") if self.watched else ("core", "residuals"))
        self.load(names)
        self.size = np.array([n, kernels.s, int(kernels.facts("symplectic")["separable"])])
        self.order, self.weights = method.order, method.weights
        self.new, self.rows = np.zeros(2 * n), np.zeros((ROWS, n))
        self._steps, self._inside = Entry("symplectic", "advance"), Entry("symplectic", "inside")
        self.others, self.scratch = np.zeros_like(self.rows), np.zeros_like(self.work)

    def _advance(self, steps: int) -> int:
        return self._steps(
            self.address, self.size, self.weights, self.clock, self.count, self.y, self.new, self.rows,
            self.others, self.given, self.out, self.work, self.scratch, self.wanted, self.sampled,
            self.times[-1], self.states[-1], self.events, steps,
        )  # fmt: skip

    def between(self, t: float, h: float, y: Array, kept: Array, thetas: Array) -> Array:
        """Return states inside a recorded step, on the constraints and as accurate as its end."""
        into, count = np.zeros((len(thetas), 2 * self.n)), self.count.copy()
        for theta, state in zip(thetas, into, strict=True):
            if theta == 0.0 or theta == 1.0:
                state[:] = y if theta == 0.0 else kept
            elif not self._inside(
                self.address, self.size, count, self.weights, t, theta * h, y, state, self.others, self.given,
                self.out, self.scratch,
            ):  # fmt: skip
                raise SimulationError(f"the step from t = {t:.6g} cannot be repeated")
        return into


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
