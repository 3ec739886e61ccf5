"""The point that satisfies a set of equations and lies nearest to a guess, in the norm of a given weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.saddle import Saddle
from dalembert.algebra.types import Array, Sparse

Residual = Callable[[Array], tuple[Array, Sparse]]

ACCEPT = 1e-9  # of the size of an equation: what is left of its residual in a solution
_EXACT = 1e-16  # nothing to be gained below


@dataclass(frozen=True)
class Nearest:
    """The outcome: a point, the residual and Jacobian there, and whether the equations hold."""

    x: Array
    residual: Array
    jacobian: Sparse
    size: Array  # of each equation, against which its residual is judged
    solved: bool


def nearest_solution(equations: Residual, guess: Array, weight: Sparse, free: Array) -> Nearest:
    """Solve `equations(x) = 0` for the free components, moving least from the guess in the norm of the weight.

    First a damped Gauss–Newton iteration reaches the equations; then, along them, successive projections of the guess
    reach the nearest point. Dependent and underdetermined equations are fine: every step is the least one.
    """
    point = reach_solution(equations, guess, weight, free)
    return _approach(equations, point, guess, weight, free) if point.solved else point


def reach_solution(equations: Residual, guess: Array, weight: Sparse, free: Array) -> Nearest:
    """Solve `equations(x) = 0` by least steps from the guess; near it, but not the nearest point."""
    point = _evaluate(equations, np.array(guess, dtype=float))
    size, merit = point.size, _merit(point, point.size)
    weight = weight[free][:, free]
    for _ in range(60):
        if not np.isfinite(merit) or merit <= _EXACT * np.sqrt(size.size) or not free.size:
            break
        jacobian = sp.diags_array(1.0 / size) @ point.jacobian[:, free]
        step, _ = Saddle(weight, jacobian).solve(np.zeros(free.size), -point.residual / size)
        better = _search(
            point,
            step,
            free,
            lambda x: _evaluate(equations, x),
            lambda p: _merit(p, size),
            merit,
            1.0 if point.solved else 1e-6,
        )
        if better is None:
            break
        point, merit = better, _merit(better, size)
    return point


def _approach(equations: Residual, point: Nearest, guess: Array, weight: Sparse, free: Array) -> Nearest:
    W = weight[free][:, free]

    def distance(point: Nearest) -> float:
        away = (point.x - guess)[free]
        return float(np.sqrt(away @ (W @ away))) if point.solved else np.inf

    for _ in range(100):
        away = distance(point)
        if away == 0.0:
            break
        pull = W @ (guess - point.x)[free]
        step, _ = Saddle(W, point.jacobian[:, free]).solve(pull, -point.residual)
        if np.sqrt(step @ (W @ step)) <= 1e-10 * away:
            break
        better = _search(point, step, free, lambda x: reach_solution(equations, x, weight, free), distance, away, 1e-3)
        if better is None:
            break
        point = better
    return point


def _search(
    point: Nearest, step: Array, free: Array, follow: Callable, merit: Callable, value: float, least: float
) -> Nearest | None:
    """Go along a step, halved (down to `least` of it) until the merit falls."""
    damping = 1.0
    while damping >= least:
        x = point.x.copy()
        x[free] += damping * step
        trial = follow(x)
        if merit(trial) < value * (1 - 1e-12):
            return trial
        damping /= 2
    return None


def _evaluate(equations: Residual, x: Array) -> Nearest:
    residual, jacobian = equations(x)
    finite = bool(np.all(np.isfinite(residual)) and np.all(np.isfinite(jacobian.data)))
    size = row_sizes(jacobian, x) if finite else np.ones(len(residual))
    solved = finite and bool(np.all(np.abs(residual) <= ACCEPT * size))
    return Nearest(x, residual, jacobian, size, solved)


def row_sizes(jacobian: Sparse, x: Array) -> Array:
    """Estimate how large the terms of each equation are, so that its residual can be judged."""
    size = abs(jacobian) @ np.maximum(np.abs(x), 1.0)
    return np.where(size > 0, size, 1.0)


def _merit(point: Nearest, size: Array) -> float:
    if not (np.all(np.isfinite(point.residual)) and np.all(np.isfinite(point.jacobian.data))):
        return np.inf
    return float(np.linalg.norm(point.residual / size))
