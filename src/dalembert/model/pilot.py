"""The pilot: a few admissible configurations, on which everything that needs numbers to be decided is decided.

They are reached from the initial state along the constraint manifold, with the user's parameter values (random ones
where none are given), always the same ones for the same system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.nearest import RANK, nearest_solution
from dalembert.model.numeric import Numeric
from dalembert.model.start import weight_root

if TYPE_CHECKING:
    from dalembert.model.system import System

Array = np.ndarray
CONFIGURATIONS = 3
_REACH = 0.4  # how far a configuration lies from the start: radians, or this part of a coordinate larger than 1
_PIECES = 4


@dataclass(frozen=True)
class Configuration:
    """An admissible state."""

    t: float
    q: Array
    v: Array


def pilot_parameters(system: System) -> dict[str, float]:
    """Return the user's values, and random ones where there are none."""
    random = np.random.default_rng(2)
    return {
        name: float(random.uniform(0.5, 1.5)) if value is None else value for name, value in system.parameters.items()
    }


def configurations(numeric: Numeric, start: Configuration, count: int = CONFIGURATIONS, seed: int = 3) -> list[Configuration]:
    """Walk from the start along the constraint manifold, each time in another random direction."""
    random = np.random.default_rng(seed)
    moving = any(constraint.time for constraint in numeric.system.constraints)
    return [_walk(numeric, start, random, moving) for _ in range(count)]


def _walk(numeric: Numeric, start: Configuration, random: np.random.Generator, moving: bool) -> Configuration:
    t, q = start.t, start.q
    everything = np.arange(numeric.n)
    direction = random.normal(size=numeric.n)
    for _ in range(_PIECES):
        step, duration = _REACH / _PIECES, (0.1 * random.uniform(0.5, 1.5) if moving else 0.0)
        while step > 1e-4:
            tangent = _tangent(numeric, t, q, direction)
            largest = np.max(np.abs(tangent) / np.maximum(1.0, np.abs(q)), initial=0.0)
            guess = q + (step / largest * tangent if largest > 1e-12 else 0.0)
            root = weight_root(numeric.mass(t, q), everything)
            found = nearest_solution(lambda x, t=t, d=duration: numeric.position(t + d, x), guess, root, everything)
            if found.solved and np.max(np.abs(found.x - q) / np.maximum(1.0, np.abs(q)), initial=0.0) < 4 * step + duration * 10:
                t, q = t + duration, found.x
                break
            step, duration = step / 2, duration / 2
    return Configuration(t, q, _velocity(numeric, t, q, random, start.v))


def _tangent(numeric: Numeric, t: float, q: Array, direction: Array) -> Array:
    """Project a direction onto the tangent space of the position constraints."""
    _, A = numeric.position(t, q)
    if not A.size:
        return direction
    A = unit_rows(A)
    return direction - np.linalg.lstsq(A, A @ direction, rcond=RANK)[0]


def _velocity(numeric: Numeric, t: float, q: Array, random: np.random.Generator, fallback: Array) -> Array:
    root = weight_root(numeric.mass(t, q), np.arange(numeric.n))
    for guess in (random.normal(size=numeric.n), random.normal(size=numeric.n), fallback):
        found = nearest_solution(lambda v: numeric.velocity(t, q, v), guess, root, np.arange(numeric.n))
        if found.solved:
            return found.x
    return fallback


def unit_rows(A: Array) -> Array:
    """Scale every row to length one; rows of zeros stay."""
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    return A / np.where(lengths > 0, lengths, 1.0)


def rank(A: Array) -> int:
    """Count the independent rows, whatever their scale."""
    if not A.size:
        return 0
    values = np.linalg.svd(unit_rows(A), compute_uv=False)
    return int(np.sum(values > RANK * max(values[0], 1e-300)))


def null_space(A: Array) -> Array:
    """Return an orthonormal basis of the vectors that A maps to zero, as columns."""
    if not A.size:
        return np.eye(A.shape[1])
    _, values, rows = np.linalg.svd(unit_rows(A))
    independent = int(np.sum(values > RANK * max(values[0], 1e-300)))
    return rows[independent:].T
