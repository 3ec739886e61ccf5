"""The pilot: a few admissible configurations, on which everything that needs numbers to be decided is decided.

They are reached from the initial state along the constraint manifold, with the user's parameter values (random ones
where none are given), always the same ones for the same system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.nearest import reach_solution
from dalembert.algebra.saddle import Saddle, positive
from dalembert.algebra.types import Array
from dalembert.model.numeric import Numeric

if TYPE_CHECKING:
    from dalembert.model.system import System

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


def configurations(
    numeric: Numeric, start: Configuration, count: int = CONFIGURATIONS, seed: int = 3
) -> list[Configuration]:
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
            weight = positive(numeric.mass(t, q))
            found = reach_solution(lambda x, t=t, d=duration: numeric.position(t + d, x), guess, weight, everything)
            if (
                found.solved
                and np.max(np.abs(found.x - q) / np.maximum(1.0, np.abs(q)), initial=0.0) < 4 * step + duration * 10
            ):
                t, q = t + duration, found.x
                break
            step, duration = step / 2, duration / 2
    return Configuration(t, q, _velocity(numeric, t, q, random, start.v))


def _tangent(numeric: Numeric, t: float, q: Array, direction: Array) -> Array:
    """Project a direction onto the tangent space of the position constraints."""
    _, A = numeric.position(t, q)
    return Saddle(sp.eye_array(numeric.n), A).solve(direction, np.zeros(A.shape[0]))[0]


def _velocity(numeric: Numeric, t: float, q: Array, random: np.random.Generator, fallback: Array) -> Array:
    weight = positive(numeric.mass(t, q))
    for guess in (random.normal(size=numeric.n), random.normal(size=numeric.n), fallback):
        found = reach_solution(lambda v: numeric.velocity(t, q, v), guess, weight, np.arange(numeric.n))
        if found.solved:
            return found.x
    return fallback
