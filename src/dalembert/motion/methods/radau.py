"""Radau IIA of order 5, for stiff systems (Hairer, Wanner, *Solving Ordinary Differential Equations II*, IV.8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.model.system import System
from dalembert.motion.method import Setup
from dalembert.motion.scheme import Scheme

if TYPE_CHECKING:
    from dalembert.motion.engine import Engine
    from dalembert.native.kernels import Kernels

_ROOT = np.sqrt(6.0)
TIMES = np.array([(4 - _ROOT) / 10, (4 + _ROOT) / 10, 1.0])
STAGES = np.array(
    [
        [(88 - 7 * _ROOT) / 360, (296 - 169 * _ROOT) / 1800, (-2 + 3 * _ROOT) / 225],
        [(296 + 169 * _ROOT) / 1800, (88 + 7 * _ROOT) / 360, (-2 - 3 * _ROOT) / 225],
        [(16 - _ROOT) / 36, (16 + _ROOT) / 36, 1 / 9],
    ]
)
ERRORS = np.array([-13 - 7 * _ROOT, -13 + 7 * _ROOT, -1]) / 3  # with the slope at the start, an estimate of order 3


@dataclass(frozen=True)
class Radau:
    """The stages satisfy the same equations with multipliers and in minimal form, so it goes with both."""

    name: str = "radau"
    order: int = 5
    adaptive: bool = True
    fixed: bool = True
    forms: tuple[str, ...] = ("multipliers", "minimal")
    keeps: tuple[str, ...] = ("project",)

    def objection(self, system: System) -> None:
        """Integrate every system."""

    def engine(self, kernels: Kernels, setup: Setup) -> Engine:
        """Make the engine of a run."""
        from dalembert.motion.collocated import Collocated

        return Collocated(kernels, scheme(), self.order, setup)


def scheme() -> Scheme:
    """Return the method as data, with its eigenbasis."""
    inverse = np.linalg.inv(STAGES)
    values, vectors = np.linalg.eig(inverse)
    real, upper = int(np.argmin(np.abs(np.imag(values)))), int(np.argmax(np.imag(values)))
    basis = np.column_stack([np.real(vectors[:, real]), np.real(vectors[:, upper]), np.imag(vectors[:, upper])])
    dense = _polynomials(np.array([0.0, *TIMES]))
    return Scheme(
        a=STAGES,
        inverse=inverse,
        c=TIMES,
        basis=basis,
        back=np.linalg.inv(basis),
        real=float(values[real].real),
        complex=complex(values[upper].conj()),  # in this basis W₂ + i W₃ is multiplied by it
        errors=ERRORS,
        dense=dense,
        areas=dense / np.arange(1, 5),
        inner=_polynomials(TIMES),
        order=4,
    )


def _polynomials(nodes: Array) -> Array:
    """Return Lagrange's polynomials, by powers of θ."""
    return np.linalg.inv(np.vander(nodes, increasing=True)).T.copy()


RADAU = Radau()
