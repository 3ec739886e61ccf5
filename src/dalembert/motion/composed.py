"""The engine of compositions of RATTLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import SimulationError
from dalembert.motion.engine import Engine
from dalembert.motion.entry import Stepper
from dalembert.motion.method import Setup
from dalembert.motion.tools import ImpulseKernels, ImpulseRoom, Record, Sizes

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

ROWS = 10  # of what a step works on


class Composed(Engine):
    """Steps with a composition; inside a step, states are those of a shorter one from its start."""

    dense = False

    def __init__(self, kernels: Kernels, order: int, weights: Array, setup: Setup):
        n = kernels.n
        super().__init__(kernels, setup, n)
        names = {
            "force": ("symplectic", "force"),
            "velocity": ("symplectic", "velocity"),
            "turn": ("symplectic", "velocity_impulse"),
            "move": ("symplectic", "position_impulse"),
            "move_near": ("symplectic", "near_impulse"),
            "near": ("symplectic", "near"),
            "events": (self.watched, "expressions") if self.watched else ("core", "residuals"),
        }
        self.address = self.load(ImpulseKernels, names)
        self.size = Sizes(n, kernels.s, setup.units, separable=int(kernels.facts("symplectic")["separable"]))
        self.order, self.weights = order, weights
        self.room = ImpulseRoom(np.zeros(2 * n), *np.zeros((2, ROWS, n)))
        self._own, self._scratch = self.tools(self.count), np.zeros_like(self.work)
        self._aside = self.tools(self.count, work=self._scratch)
        self._steps, self._inside = Stepper("impulses", "advance"), Stepper("impulses", "inside")

    def _advance(self, steps: int) -> int:
        record = Record(self.wanted, self.sampled, self.times[-1], self.states[-1])
        return self._steps(
            self.weights, self._own, self._aside, self.clock, self.y, self.room, record, self.events, steps
        )

    def between(self, t: float, h: float, y: Array, kept: Array, thetas: Array) -> Array:
        """Return states inside a recorded step, on the constraints and as accurate as its end."""
        into, aside = np.zeros((len(thetas), 2 * self.n)), self.tools(self.count.copy(), work=self._scratch)
        for theta, state in zip(thetas, into, strict=True):
            if theta == 0.0 or theta == 1.0:
                state[:] = y if theta == 0.0 else kept
            elif not self._inside(self.weights, aside, t, theta * h, y, state, self.room.others):
                raise SimulationError(f"the step from t = {t:.6g} cannot be repeated")
        return into
