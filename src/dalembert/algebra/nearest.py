"""The point that satisfies a set of equations and lies nearest to a guess, in a given norm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Array = np.ndarray
Residual = Callable[[Array], tuple[Array, Array]]

ACCEPT = 1e-9  # of the size of an equation: what is left of its residual in a solution
RANK = 1e-8  # singular values below this part of the largest count as zero


@dataclass(frozen=True)
class Nearest:
    """The outcome: a point, the residual and Jacobian there, and whether the equations hold."""

    x: Array
    residual: Array
    jacobian: Array
    size: Array  # of each equation, against which its residual is judged
    solved: bool


def row_sizes(jacobian: Array, x: Array) -> Array:
    """Estimate how large the terms of each equation are, so that its residual can be judged."""
    size = np.abs(jacobian) @ np.maximum(np.abs(x), 1.0)
    return np.where(size > 0, size, 1.0)


def nearest_solution(equations: Residual, guess: Array, norm: Array, free: Array) -> Nearest:
    """Solve `equations(x) = 0` for the free components, moving least from the guess in the norm ‖R (x − guess)‖.

    `norm` is R, with RᵀR the weight of the free components (square, invertible). First a damped Gauss–Newton
    iteration reaches the equations; then, along them, successive projections of the guess reach the nearest point.
    Dependent and underdetermined equations are fine: every step is the least one.
    """
    point = _reach(equations, np.array(guess, dtype=float), norm, free)
    return _approach(equations, point, guess, norm, free) if point.solved else point


def _evaluate(equations: Residual, x: Array) -> Nearest:
    residual, jacobian = equations(x)
    size = row_sizes(jacobian, x) if np.all(np.isfinite(jacobian)) else np.ones(len(residual))
    solved = bool(np.all(np.isfinite(residual)) and np.all(np.abs(residual) <= ACCEPT * size))
    return Nearest(x, residual, jacobian, size, solved)


def _merit(point: Nearest, size: Array) -> float:
    if not (np.all(np.isfinite(point.residual)) and np.all(np.isfinite(point.jacobian))):
        return np.inf
    return float(np.linalg.norm(point.residual / size))


def _scaled(point: Nearest, size: Array, norm: Array, free: Array) -> Array:
    """Return the Jacobian by z = R x_free, rows divided by their sizes."""
    jacobian = point.jacobian[:, free] / size[:, None]
    return np.linalg.solve(norm.T, jacobian.T).T if jacobian.size else jacobian


def _move(x: Array, step: Array, norm: Array, free: Array) -> Array:
    moved = x.copy()
    moved[free] += np.linalg.solve(norm, step)
    return moved


def _least(matrix: Array, right: Array) -> Array:
    return np.linalg.lstsq(matrix, right, rcond=RANK)[0] if matrix.size else np.zeros(matrix.shape[1])


def _reach(equations: Residual, x: Array, norm: Array, free: Array) -> Nearest:
    point = _evaluate(equations, x)
    size = point.size
    merit = _merit(point, size)
    for _ in range(200):
        if not np.isfinite(merit) or merit == 0.0 or not free.size:
            break
        step = _least(_scaled(point, size, norm, free), -point.residual / size)
        damping, better = 1.0, None
        while damping > 1e-6:
            trial = _evaluate(equations, _move(point.x, damping * step, norm, free))
            if _merit(trial, size) < (1 - 1e-4 * damping) * merit:
                better = trial
                break
            damping /= 2
        if better is None:
            break
        point, merit = better, _merit(better, size)
    return point


def _approach(equations: Residual, point: Nearest, guess: Array, norm: Array, free: Array) -> Nearest:
    def distance(x: Array) -> float:
        return float(np.linalg.norm(norm @ (x - guess)[free]))

    for _ in range(100):
        away = distance(point.x)
        if away == 0.0:
            break
        jacobian = _scaled(point, point.size, norm, free)
        z = norm @ (point.x - guess)[free]
        target = _least(jacobian, jacobian @ z)  # the part of z that the equations ask for
        if np.linalg.norm(target - z) <= 1e-10 * away:
            break
        damping, better = 1.0, None
        while damping > 1e-3:
            trial = _reach(equations, _move(point.x, damping * (target - z), norm, free), norm, free)
            if trial.solved and distance(trial.x) < away * (1 - 1e-12):
                better = trial
                break
            damping /= 2
        if better is None:
            break
        point = better
    return point
