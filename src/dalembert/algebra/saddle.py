"""Saddle-point systems [[W, Jᵀ], [J, 0]] with rows of J that may depend on each other.

W must be positive definite on the null space of J. Dependent rows do no harm: the solution is the same, their
multipliers are those of least norm; rows that contradict each other are satisfied in the sense of least squares. Small
systems are solved densely, by the singular values of J; large ones by sparse factors, with a small diagonal in place
of the zero block, scaled with the rows so that units do not matter, and proximal iterations that remove its effect.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dgecon, dgetrf, dgetrs, dpocon, dpotrf, dpotrs  # pyright: ignore[reportAttributeAccessIssue]
from scipy.sparse.linalg import splu

from dalembert.algebra.either import Matrix, dense, scaled_rows, with_entries
from dalembert.algebra.rank import RANK, is_positive
from dalembert.arrays import Array, Sparse

_EPSILON = 1e-8  # of the size of a row, (J W⁻¹ Jᵀ)ᵢᵢ
_SMOOTH = 1e-10
_ITERATIONS = 30
_CLEAR = 1e-5  # reciprocal condition of a scaled square matrix, above which nothing is nearly dependent
_CLEAR_SQUARE = 1e-6  # and of one that is symmetric, as of squares of rows
_DENSE = 80  # up to this many unknowns dense factors are faster


class Weight:
    """W with its scale, for several J. units: in what unknowns are measured, if they are not all of one kind."""

    def __init__(self, W: Matrix, units: Array | float = 1.0):
        self.W, diagonal = W, W.diagonal() * np.square(units)  # masses and inertias are compared in units of both
        self.columns = units / np.sqrt(np.maximum(diagonal, 1e-3 * _typical(diagonal)))  # W may be (nearly) singular
        self._known: Sparse | None = None  # a J for which it is known where entries go

    @cached_property
    def dense(self) -> Array:
        """W in this scale."""
        return dense(self.W) * self.columns * self.columns[:, None]

    @cached_property
    def sparse(self) -> Sparse:
        """The same, sparse."""
        columns = sp.diags_array(self.columns)
        return sp.csr_array(columns @ self.W @ columns)

    def beside(self, J: Sparse, corner: Array) -> Sparse:
        """Return [[W, Jᵀ], [J, corner]]; where its entries come from is found once for all J with the same places."""
        W, known = self.sparse, self._known
        if known is None or not (np.array_equal(known.indptr, J.indptr) and np.array_equal(known.indices, J.indices)):
            counts = np.cumsum([len(W.data), len(J.data), len(corner)])
            w, j, c = np.split(np.arange(1.0, 1.0 + counts[-1]), counts[:-1])  # not 0, which would be left out
            rows = with_entries(J, j)
            self._whole = sp.block_array([[with_entries(W, w), rows.T], [rows, sp.diags_array(c)]], format="csc")
            self._known, self._order = J, self._whole.data.astype(int) - 1
        return with_entries(self._whole, np.concatenate([W.data, J.data, corner])[self._order])

    @cached_property
    def factor(self) -> Array | None:
        """Its factor, if it is clearly definite."""
        return _cholesky(self.dense)


class Saddle:
    """Prepares once and solves  W d + Jᵀ μ = p,  J d = r  for many right sides.

    `smooth` lets the influence of nearly dependent rows fade instead of ending at a threshold, so that a motion can
    pass a position where rank is lost; it costs accuracy where rows are nearly dependent for ever.
    """

    def __init__(self, W: Matrix | Weight, J: Matrix, smooth: bool = False):
        weight = W if isinstance(W, Weight) else Weight(W)
        self._n, self._s = len(weight.columns), J.shape[0]
        self.rank: int | None = None  # of J, where it is found on the way
        self._columns = weight.columns
        if self._n + self._s <= _DENSE or isinstance(J, np.ndarray):
            scaled = dense(J) * self._columns
            self._rows = _inverse_lengths(scaled * scaled)
            scaled *= self._rows[:, None]
            quick = self._square(weight.dense, scaled) or (None if smooth else self._wide(weight, scaled))
            self._solve = quick or self._dense(weight.dense, scaled, smooth)
            return
        J = J if isinstance(J, sp.csr_array) else sp.csr_array(J)
        scaled = with_entries(J, J.data * self._columns[J.indices])
        self._rows = _inverse_lengths(with_entries(J, scaled.data**2))
        self._solve = self._sparse(weight, scaled_rows(self._rows, scaled))

    def solve(self, p: Array, r: Array) -> tuple[Array, Array]:
        """Return d and μ."""
        d, mu = self._solve(p * self._columns, r * self._rows)
        return d * self._columns, mu * self._rows

    def measure(self, r: Array) -> float:
        """Return the length of a right side in the scale in which rows that contradict each other are balanced."""
        scaled = r * self._rows
        return math.sqrt(scaled @ scaled)

    def _square(self, weight: Array, J: Array):
        """Return plain elimination where as many rows as unknowns clearly leave nothing open."""
        if self._n != self._s or not self._n:
            return None
        factors, pivots, info = dgetrf(J)
        if info or not dgecon(factors, np.abs(J).sum(axis=0).max())[0] > _CLEAR:
            return None
        self.rank = self._n

        def solve(p: Array, r: Array) -> tuple[Array, Array]:
            d = dgetrs(factors, pivots, r)[0]
            return d, dgetrs(factors, pivots, p - weight @ d, trans=1)[0]

        return solve

    def _wide(self, weight: Weight, J: Array):
        """Return elimination by J W⁻¹ Jᵀ where W is clearly definite and the rows clearly independent."""
        if not 0 < self._s < self._n or weight.factor is None:
            return None
        inverse = dpotrs(weight.factor, np.ascontiguousarray(J.T))[0]  # W⁻¹ Jᵀ
        factor = _cholesky(J @ inverse)
        if factor is None:
            return None
        self.rank = self._s

        def solve(p: Array, r: Array) -> tuple[Array, Array]:
            mu = dpotrs(factor, inverse.T @ p - r)[0]
            return dpotrs(weight.factor, p)[0] - inverse @ mu, mu

        return solve

    def _dense(self, weight: Array, J: Array, smooth: bool):
        U, sigma, Vt = np.linalg.svd(J) if self._s else (np.eye(0), np.zeros(0), np.eye(self._n))
        rank = int(np.sum(sigma > RANK * sigma.max(initial=1e-300)))
        self.rank = rank
        U, sigma, held, free = U[:, :rank], sigma[:rank], Vt[:rank].T, Vt[rank:].T
        inertia = free.T @ weight @ free
        # what proximal iterations would do to each singular value
        inverse = (1 - (_SMOOTH / (_SMOOTH + sigma**2)) ** _ITERATIONS if smooth else 1.0) / sigma

        def solve(p: Array, r: Array) -> tuple[Array, Array]:
            d = held @ ((U.T @ r) * inverse)
            if free.size:
                d = d + free @ np.linalg.solve(inertia, free.T @ (p - weight @ d))
            return d, U @ ((held.T @ (p - weight @ d)) * inverse)

        return solve

    def _sparse(self, weight: Weight, J: Sparse):
        epsilon = np.full(self._s, _EPSILON)
        factors = splu(weight.beside(J, -epsilon))

        def solve(p: Array, r: Array) -> tuple[Array, Array]:
            mu, left, best = np.zeros(self._s), np.inf, (np.zeros(self._n), np.zeros(self._s))
            for _ in range(_ITERATIONS):
                solution = factors.solve(np.concatenate([p, r - epsilon * mu]))
                d, mu = solution[: self._n], solution[self._n :]
                before, left = left, float(np.linalg.norm(J @ d - r))
                if left < before:
                    best = d, mu
                if not left < 0.5 * before:  # as good as rounding and contradictions allow
                    break
            return best

        return solve


def _cholesky(S: Array) -> Array | None:
    """Return the upper factor of a symmetric matrix, if it is clearly positive definite."""
    factor, info = dpotrf(S)
    if info or not dpocon(factor, np.abs(S).sum(axis=0).max())[0] > _CLEAR_SQUARE:
        return None
    return factor


def _inverse_lengths(squares: Array | Sparse) -> Array:
    lengths = np.sqrt(squares.sum(axis=1))
    return 1.0 / np.where(lengths > 0, lengths, 1.0)


def positive(W: Matrix, units: Array | float = 1.0) -> Matrix:
    """Make a norm of a matrix that should be positive semidefinite, changing it as little as possible.

    units: in what unknowns are measured, if they are not all of one kind.
    """
    diagonal = np.abs(W.diagonal())
    least = 1e-8 * _typical(diagonal * np.square(units)) / np.square(units)
    if isinstance(W, np.ndarray):
        definite = (W + W.T) / 2
        definite[np.diag_indices_from(definite)] += 1e-8 * diagonal + least
        return definite if is_positive(definite, 1e-14) else np.diag(diagonal + least)
    definite = sp.csr_array((W + W.T) / 2 + sp.diags_array(1e-8 * diagonal + least))
    if is_positive(definite, 1e-14):
        return definite
    return sp.csr_array(sp.diags_array(diagonal + least))  # W was indefinite: no norm at all


def _typical(diagonal: Array) -> float:
    known = np.sort(diagonal[diagonal > 0])
    return float(known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2 if len(known) else 1.0  # the median
