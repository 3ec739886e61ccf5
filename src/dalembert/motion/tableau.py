"""Explicit Runge–Kutta methods as data for one stepper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.model.system import System
from dalembert.motion.method import KEEPINGS, Setup, moving
from dalembert.motion.tools import Coefficients

if TYPE_CHECKING:
    from dalembert.motion.engine import Engine
    from dalembert.native.kernels import Kernels


@dataclass(frozen=True)
class Tableau:
    """A method: stages, weights and times; without error estimates it has a fixed step.

    errors: weights of two error estimates (of order 3 and 5). Stages behind those of the weights are for `dense`, the
    coefficients of an interpolation in between; methods without it interpolate by the values and slopes at both ends.
    """

    name: str
    order: int
    stages: Sequence[Sequence[float]]
    weights: Sequence[float]
    times: Sequence[float]
    errors: tuple[Sequence[float], Sequence[float]] | None = None
    dense: Sequence[Sequence[float]] = ()
    fixed: bool = True
    keeps: tuple[str, ...] = KEEPINGS

    def objection(self, system: System) -> None:
        """Integrate every system."""

    def engine(self, kernels: Kernels, setup: Setup) -> Engine:
        """Make the engine of a run."""
        from dalembert.motion.explicit import Explicit

        return Explicit(kernels, self, setup)

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that it integrates: all."""
        return moving()

    @property
    def adaptive(self) -> bool:
        """Whether the method can choose its step."""
        return self.errors is not None

    def arrays(self) -> Coefficients:
        """Return the method as the stepper takes it."""
        rows = len(self.times)
        A = np.zeros((rows, rows))
        for i, row in enumerate(self.stages):
            A[i, : len(row)] = row
        errors = np.zeros((2, len(self.weights) + 1))
        if self.errors is not None:
            errors[:] = self.errors
        dense = np.zeros((len(self.dense), rows))
        for i, row in enumerate(self.dense):
            dense[i, : len(row)] = row
        b, c = np.array(self.weights, dtype=float), np.array(self.times, dtype=float)
        return Coefficients(A, b, c, errors, dense, self.order)

    def growth(self, Z: Array) -> Array:
        """Return the stability function R(Z): by what the method multiplies y where y' = K y, Z = τK."""
        s, n = len(self.weights), len(Z)
        A, one = self.arrays().A[:s, :s], np.eye(n)
        stages = np.linalg.solve(np.eye(s * n) - np.kron(A, Z), np.kron(np.ones((s, 1)), one))
        return one + np.kron(np.array([self.weights]), Z) @ stages
