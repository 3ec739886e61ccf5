"""The point that satisfies a set of equations and lies nearest to a guess, in the norm of a given weight."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from dalembert.algebra.either import Matrix, block, columns, entries, scaled_rows, sparse
from dalembert.algebra.saddle import Saddle, Weight
from dalembert.arrays import Array, Sparse

Residual = Callable[[Array], tuple[Array, Matrix, Array]]  # residuals, Jacobian, sizes of the terms

ACCEPT = 1e-9  # of the size of an equation: what is left of its residual in a solution
EXACT = 1e-16  # nothing to be gained below
ROUNDINGS = 4e-16  # of the size of an equation, or of x: what is left of a residual that cannot be bettered
_THERE = 1e-10  # relative distance from the guess that is none
ROUNDED = 1e-13  # relative changes of x that cannot be told from rounding
_DENSE = 300  # free components up to which slopes are dense
_TRUSTED = 200  # steps within a region of trust
_SLOW = 0.9  # of a residual that is left after a step: such steps lead to a compromise, not to a solution,
_PATIENCE = 5  # and no more of them are made, one after the other
ORDINARY = 20  # steps, within which an ordinary start is found
CLEAR = 1e-5  # reciprocal condition of scaled rows, above which they are clearly independent
TINY = 1e-150  # size of an equation that has none
NOTHING = 1e-15  # of the largest x around: what may be left of one that vanishes


@dataclass(frozen=True)
class Nearest:
    """The outcome: a point, the residual and Jacobian there, and whether the equations hold.

    rounding: what is left of residuals if nothing but rounding is. rank: of the rows for what is free, if it was found
    on the way.
    """

    x: Array
    residual: Array
    jacobian: Matrix
    size: Array  # of each equation, against which its residual is judged
    solved: bool
    finite: bool = True
    rounding: Array | float = 0.0
    rank: int | None = None


def nearest_solution(
    equations: Residual,
    guess: Array,
    weight: Matrix,
    free: Array,
    start: Array | None = None,
    groups: Array | None = None,
    units: Array | None = None,
    extents: Array | None = None,
) -> Nearest:
    """Solve `equations(x) = 0` for the free components, moving least from the guess in the norm of the weight.

    groups: which components the equations connect, if that is known. units: in what the components are measured, if
    they are not all of one kind. extents: how large they are, where more is known of them than their values, which may
    all be zero.

    First a damped Gauss–Newton iteration reaches the equations, from `start` if it is given; then, along them,
    successive projections of the guess reach the nearest point. Dependent and underdetermined equations are fine: every
    step is the least one. Where nothing is left open there is no nearer point around.
    """
    point = reach_solution(equations, guess if start is None else start, weight, free, groups, units)
    if not point.solved or np.array_equal(point.x[free], guess[free]):
        return point
    norm = Weight(block(weight, free), _of(units, free))
    W = norm.W
    if point.rank == free.size or Saddle(norm, columns(point.jacobian, free)).rank == free.size:
        return point
    extent = float(np.sqrt(max(0.0, guess[free] @ (W @ guess[free]))))
    if extents is not None:
        extent = max(extent, float(np.sqrt(np.sum(np.abs(W.diagonal()) * extents[free] ** 2))))
    if _distance(point, guess, weight, free) <= _THERE * extent:
        return point
    point = _approach(equations, point, guess, weight, free, units)
    # the distance may be stationary there without being least: look from a point aside
    aside = point.x.copy()
    sizes = np.maximum(np.abs(point.x - guess), 1e-3 * np.maximum(1.0 if units is None else units, np.abs(guess)))[free]
    aside[free] += 0.1 * np.random.default_rng(0).uniform(-1, 1, free.size) * sizes
    other = reach_solution(equations, aside, weight, free, units=units)
    if other.solved:
        other = _approach(equations, other, guess, weight, free, units)
        if _distance(other, guess, weight, free) < (1 - 1e-6) * _distance(point, guess, weight, free):
            return other
    return point


def _of(units: Array | None, free: Array) -> Array | float:
    return 1.0 if units is None else units[free]


def reach_solution(
    equations: Residual,
    guess: Array,
    weight: Matrix,
    free: Array,
    groups: Array | None = None,
    units: Array | None = None,
) -> Nearest:
    """Solve `equations(x) = 0` by least steps from the guess; near it, but not the nearest point."""
    point = _evaluate(equations, np.array(guess, dtype=float), groups=groups)
    size, norm, slow = point.size, None, 0
    saddle, of = None, point  # where it was made
    for _ in range(60):
        if not point.finite or not free.size or np.all(np.abs(point.residual) <= point.rounding):
            break
        norm = norm or Weight(block(weight, free), _of(units, free))
        if saddle is None or not _same_rows(of, point):  # equations of velocities are mostly linear
            saddle, of = Saddle(norm, scaled_rows(1.0 / size, columns(point.jacobian, free))), point
        step, _ = saddle.solve(np.zeros(free.size), -point.residual / size)
        if not np.all(np.isfinite(step)):
            break
        # equations that repeat each other are met as least squares: it is in their scale that the step goes down
        measure = partial(_measure, saddle, size)
        follow = partial(_evaluate, equations, known=size)
        found = _search(point, step, free, follow, measure, 1.0 if point.solved else 1e-6)
        if found is None:
            break
        point, left = found
        slow = slow + 1 if left > _SLOW else 0
        if slow > _PATIENCE and not point.solved:
            break
    return replace(point, rank=saddle.rank) if saddle is not None and _same_rows(of, point) else point


def _same_rows(one: Nearest, other: Nearest) -> bool:
    """Tell whether two points have the same Jacobian, of a kind in which that is told at once."""
    return isinstance(one.jacobian, np.ndarray) and np.array_equal(one.jacobian, other.jacobian)


def quick_solution(equations: Residual, guess: Array, free: Array, groups: Array) -> Nearest | None:
    """Solve equations that hold already, or leave nothing open, by plain steps, dense; None where that is not ordinary.

    It goes where `reach_solution` goes if every whole step leads down, and what is free is clearly determined; further
    equations must agree with those that determine it. The same stands in `motion/steppers/ordinary_start.py`, with the
    same bits: so sums are taken one by one here.
    """
    residual, J, terms = equations(guess)
    if not (np.isfinite(residual).all() and np.isfinite(J).all()):
        return None
    x, size, rank = np.array(guess, dtype=float), _size_of(guess, J, terms, groups), None
    rough = _one_by_one(np.abs(J) * np.abs(x))
    if np.all(np.abs(residual) <= ROUNDINGS * np.maximum(size, rough)):
        return _judge(x, residual, J, terms, known=size)
    merit = _sum_of_squares(residual / size)
    for _ in range(ORDINARY):
        if merit <= EXACT * math.sqrt(size.size):
            return replace(_judge(x, residual, J, terms, known=size), rank=rank)
        if not math.isfinite(merit):
            return None
        step = _whole_step(columns(J, free) / size[:, None], residual / size)
        if step is None:
            return None
        rank, y = free.size, x.copy()
        y[free] -= step
        found = equations(y)
        better = _sum_of_squares(found[0] / size) if np.isfinite(found[1]).all() else math.inf
        if not better < merit * (1 - 1e-12):
            point = replace(_judge(x, residual, J, terms, known=size), rank=rank)
            return point if np.all(np.abs(residual) <= ACCEPT * size) else None
        x, (residual, J, terms), merit = y, found, better
    return None


def _size_of(x: Array, J: Array, terms: Array, groups: Array) -> Array:
    """Return the sizes of equations, as `_judge` has them."""
    largest, steep = np.zeros(len(x)), np.abs(J)
    np.maximum.at(largest, groups, np.abs(x))
    size = np.maximum(terms, ROUNDED / ACCEPT * _one_by_one(steep * np.abs(x)))
    size = np.maximum(size, NOTHING / ACCEPT * _one_by_one(steep * largest[groups]))
    return np.where(size > TINY, size, 1.0)


def _whole_step(rows: Array, right: Array) -> Array | None:
    """Solve for Newton's step by Gauss and Jordan; None if rows, scaled to one, do not clearly determine it."""
    count, unknowns = rows.shape
    if not 0 < unknowns <= count:
        return None
    lengths = np.sqrt(_one_by_one(rows * rows))
    if not lengths.min() > 0:
        return None
    T = np.hstack([rows / lengths[:, None], (right / lengths)[:, None], np.eye(count)])
    for k in range(unknowns):
        p = k + int(np.argmax(np.abs(T[k:, k])))
        if not abs(T[p, k]) > 0:
            return None
        T[[k, p]] = T[[p, k]]
        T[k] /= T[k, k]
        factors = T[:, k].copy()
        factors[k] = 0.0
        T -= factors[:, None] * T[k]
    inverse = _one_by_one(np.abs(T[:unknowns, unknowns + 1 :]).T).max()
    return T[:unknowns, unknowns] if 1.0 / (math.sqrt(unknowns) * inverse) > CLEAR else None


def _one_by_one(A: Array) -> Array:
    """Sum up rows from left to right."""
    return np.cumsum(A, axis=1)[:, -1]


def _sum_of_squares(a: Array) -> float:
    """Return the root of the sum of squares, summed up from left to right."""
    return math.sqrt(np.cumsum(a * a)[-1])


def least_residual(equations: Residual, guess: Array, free: Array) -> Array:
    """Return where the residuals are least, by steps within a region of trust: from much farther away than Newton's."""
    from scipy.optimize import least_squares  # takes its time to load, and is seldom needed

    size, x = _evaluate(equations, guess).size, np.array(guess, dtype=float)

    def at(y: Array) -> tuple[Array, Sparse]:
        x[free] = y
        residual, jacobian, _ = equations(x)
        return residual / size, sparse(scaled_rows(1.0 / size, columns(jacobian, free)))

    def slopes(y: Array) -> Array | Sparse:
        return at(y)[1].toarray() if free.size <= _DENSE else at(y)[1]

    try:
        with np.errstate(all="ignore"):
            found = least_squares(lambda y: at(y)[0], x[free], slopes, ftol=1e-14, max_nfev=_TRUSTED)  # pyright: ignore
        x[free] = found.x
    except ValueError:  # no finite residuals at the guess
        return np.array(guess, dtype=float)
    return x


def _approach(
    equations: Residual, point: Nearest, guess: Array, weight: Matrix, free: Array, units: Array | None
) -> Nearest:
    norm = Weight(block(weight, free), _of(units, free))
    W = norm.W

    def distance(point: Nearest) -> float:
        return _distance(point, guess, weight, free)

    for _ in range(100):
        away = distance(point)
        if away == 0.0:
            break
        pull = W @ (guess - point.x)[free]
        step, _ = Saddle(norm, columns(point.jacobian, free)).solve(pull, -point.residual)
        if not np.sqrt(step @ (W @ step)) > 1e-10 * away:
            break
        found = _search(
            point, step, free, lambda x: reach_solution(equations, x, weight, free, units=units), distance, 1e-3
        )
        if found is None:
            break
        point = found[0]
    return point


def _distance(point: Nearest, guess: Array, weight: Matrix, free: Array) -> float:
    away = (point.x - guess)[free]
    return float(np.sqrt(away @ (block(weight, free) @ away))) if point.solved else np.inf


def _search(
    point: Nearest,
    step: Array,
    free: Array,
    follow: Callable[[Array], Nearest],
    merit: Callable[[Nearest], float],
    least: float,
) -> tuple[Nearest, float] | None:
    """Go along a step, halved (down to `least` of it) until the merit falls; return what is left of it too."""
    value, damping = merit(point), 1.0
    while damping >= least:
        x = point.x.copy()
        x[free] += damping * step
        trial = follow(x)
        if (now := merit(trial)) < value * (1 - 1e-12):
            return trial, now / value
        damping /= 2
    return None


def _evaluate(equations: Residual, x: Array, known: Array | None = None, groups: Array | None = None) -> Nearest:
    """Evaluate the equations; their size is that of their terms, here or where the search began."""
    return _judge(x, *equations(x), known, groups)


def _judge(
    x: Array, residual: Array, jacobian: Matrix, size: Array, known: Array | None = None, groups: Array | None = None
) -> Nearest:
    finite, rough = bool(np.isfinite(residual).all() and np.isfinite(entries(jacobian)).all()), 0.0
    if finite:
        rough = abs(jacobian) @ np.abs(x)  # x itself is rounded
        size = np.maximum(size, ROUNDED / ACCEPT * rough)
        size = np.maximum(size, NOTHING / ACCEPT * _connected(jacobian, x, groups) if known is None else known)
    size = np.where(finite & (size > TINY), size, 1.0)
    solved = finite and bool(np.all(np.abs(residual) <= ACCEPT * size))
    return Nearest(x, residual, jacobian, size, solved, finite, ROUNDINGS * np.maximum(size, rough))


def _connected(jacobian: Matrix, x: Array, groups: Array | None) -> Array:
    """Return how large equations would be with every x as large as the largest one that is connected with it.

    What vanishes is found no better than to the rounding of what is solved for together with it.
    """
    if groups is None:
        groups = _connected_dense(jacobian) if isinstance(jacobian, np.ndarray) else connected(jacobian)
    largest = np.zeros(len(x))
    np.maximum.at(largest, groups, np.abs(x))
    return abs(jacobian) @ largest[groups]


def _connected_dense(jacobian: Array) -> Array:
    """Do the same for a small matrix, in a part of the time: a column belongs to the first one that it reaches."""
    places = (jacobian != 0).astype(float)
    reached = places.T @ places + np.eye(places.shape[1]) > 0
    while True:
        further = reached.astype(float)
        further = further @ further > 0
        if np.array_equal(further, reached):
            return reached.argmax(axis=1)
        reached = further


def connected(pattern: Sparse) -> Array:
    """Return to which group each column of a matrix belongs: of those that rows connect, wherever they have entries."""
    places = sp.csr_array((np.ones(len(pattern.data)), pattern.indices, pattern.indptr), pattern.shape)
    return connected_components(places.T @ places)[1]


def _measure(saddle: Saddle, size: Array, point: Nearest) -> float:
    return saddle.measure(point.residual / size) if point.finite else np.inf
