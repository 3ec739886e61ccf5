"""Explicit Runge–Kutta methods as data for one stepper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import ModelError
from dalembert.model.settings import KEEPINGS, moving
from dalembert.model.system import System
from dalembert.motion.method import Setup
from dalembert.motion.tools import Coefficients

if TYPE_CHECKING:
    from dalembert.motion.engine import Engine
    from dalembert.native.kernels import Kernels


@dataclass(frozen=True)
class Tableau:
    """A method as textbooks print it: stages, weights and times; without an error estimate it has a fixed step.

    embedded: the weights of a second, less accurate result; the difference of both is the error. errors: instead, the
    weights of the stages in one error estimate, or in two, the less accurate first, of which the step control makes one
    (Hairer, Nørsett, Wanner, II.10). error_order: of the less accurate result, if it is not one below `order`.

    Stages behind those of the weights are for `dense`, the coefficients of an interpolation in between; methods without
    it interpolate by the values and slopes at both ends.
    """

    name: str
    order: int
    stages: Sequence[Sequence[float]]
    weights: Sequence[float]
    times: Sequence[float]
    embedded: Sequence[float] = ()
    errors: Sequence[Sequence[float]] = ()
    error_order: int | None = None
    dense: Sequence[Sequence[float]] = ()
    fixed: bool = True
    keeps: tuple[str, ...] = KEEPINGS

    def __post_init__(self) -> None:
        s, rows = len(self.weights), len(self.times)

        def expect(what: str, got: int, *wanted: int) -> None:
            if got not in wanted:
                good = " or ".join(map(str, dict.fromkeys(wanted)))
                raise ModelError(f"the tableau `{self.name}` has {got} {what}; expected {good}")

        expect("weights", s, *range(1, 101))
        expect("rows of stages", len(self.stages), rows)
        if rows < s:
            expect("times", rows, s)
        for i, row in enumerate(self.stages):
            if len(row) > i:
                text = f"the tableau `{self.name}` is not explicit: row {i + 1} of its stages has {len(row)} entries"
                raise ModelError(f"{text}; expected at most {i}, those before the diagonal")
        if self.embedded:
            if self.errors:
                raise ModelError(f"the tableau `{self.name}` has `embedded` weights and `errors`; give one of them")
            expect("embedded weights", len(self.embedded), s)
            both = zip(self.weights, self.embedded, strict=True)
            object.__setattr__(self, "errors", (tuple(b - second for b, second in both),))
        if self.errors:
            expect("error estimates", len(self.errors), 1, 2)
        for row in self.errors:
            expect("weights in an error estimate", len(row), s)
        for row in self.dense:
            expect("weights in a row of `dense`", len(row), *range(1, rows + 1))
        if abs(sum(self.weights) - 1) > 1e-9:
            raise ModelError(f"the weights of the tableau `{self.name}` add up to {sum(self.weights):g}; expected 1")

    def objection(self, system: System) -> None:
        """Integrate every system."""

    def engine(self, kernels: Kernels, setup: Setup) -> Engine:
        """Make the engine of a run."""
        from dalembert.motion.explicit_engine import ExplicitEngine
        from dalembert.motion.relayed_engine import RelayedEngine

        steps = RelayedEngine if self.errors and RelayedEngine.suits(kernels, setup) else ExplicitEngine
        return steps(kernels, self, setup)

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that it integrates: all."""
        return moving()

    @property
    def adaptive(self) -> bool:
        """Whether the method can choose its step."""
        return bool(self.errors)

    @cached_property
    def arrays(self) -> Coefficients:
        """The method as the stepper takes it."""
        rows = len(self.times)
        A = np.zeros((rows, rows))
        for i, row in enumerate(self.stages):
            A[i, : len(row)] = row
        errors = np.zeros((max(1, len(self.errors)), len(self.weights)))
        for i, row in enumerate(self.errors):
            errors[i, : len(row)] = row
        dense = np.zeros((len(self.dense), rows))
        for i, row in enumerate(self.dense):
            dense[i, : len(row)] = row
        b, c = np.array(self.weights, dtype=float), np.array(self.times, dtype=float)
        compared = self.order - 1 if self.error_order is None else self.error_order
        return Coefficients(A, b, c, errors, dense, compared + 1)

    def growth(self, Z: Array) -> Array:
        """Return S: by what the method multiplies y over a step where ẏ = K(t) y.

        Z is τK, of shape (…, stages, k, k), or (…, 1, k, k) for constant K, of which S is the stability function.
        Products are taken in their order, as matrices at different times need not commute.
        """
        one = np.eye(Z.shape[-1])
        slopes: list[Array] = []
        for i in range(len(self.weights)):
            inner = sum((a * slope for a, slope in zip(self.stages[i], slopes, strict=False) if a), start=one)
            slopes.append(Z[..., i if Z.shape[-3] > 1 else 0, :, :] @ inner)
        return sum((b * slope for b, slope in zip(self.weights, slopes, strict=True)), start=one)

    @cached_property
    def polynomial(self) -> Array:
        """The coefficients of the stability function R(z) = 1 + Σ bᵀAᵏ⁻¹1 zᵏ, from the constant one on."""
        s = len(self.weights)
        A, row, found = self.arrays.A[:s, :s], np.ones(s), [1.0]
        for _ in range(s):
            found.append(float(self.arrays.b @ row))
            row = A @ row
        return np.array(found)
