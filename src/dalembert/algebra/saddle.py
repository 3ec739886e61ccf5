"""Saddle-point systems [[W, Jᵀ], [J, 0]], sparse, with rows of J that may depend on each other.

A small diagonal −E takes the place of the zero block, scaled with the rows so that units do not matter; a few proximal
iterations then remove its effect. Dependent rows do no harm: the solution is the same, their multipliers are those
of least norm; rows that contradict each other are satisfied in the sense of least squares.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from dalembert.algebra.types import Array, Sparse

_EPSILON = 1e-8  # of the size of a row, (J W⁻¹ Jᵀ)ᵢᵢ
_ITERATIONS = 4
_DENSE = 80  # up to this many unknowns dense factors are faster


class Saddle:
    """Factorises once and solves  W d + Jᵀ μ = p,  J d = r  for many right sides."""

    def __init__(self, W: Sparse, J: Sparse):
        self._n, self._s = W.shape[0], J.shape[0]
        squares = J.multiply(J)
        lengths = np.sqrt(squares.sum(axis=1))
        self._scale = 1.0 / np.where(lengths > 0, lengths, 1.0)
        diagonal = W.diagonal()
        inverse = 1.0 / np.maximum(diagonal, 1e-3 * _typical(diagonal))  # W may be (nearly) singular
        size = (squares @ inverse) * self._scale**2
        self._E = _EPSILON * np.where(size > 0, size, 1.0)
        J = sp.csr_array(sp.diags_array(self._scale) @ J)
        if self._n + self._s <= _DENSE:
            dense = np.block([[W.toarray(), J.toarray().T], [J.toarray(), -np.diag(self._E)]])
            factors = scipy.linalg.lu_factor(dense, check_finite=False)
            self._factor_solve = lambda right: scipy.linalg.lu_solve(factors, right, check_finite=False)
        else:
            self._factor_solve = splu(sp.block_array([[W, J.T], [J, -sp.diags_array(self._E)]], format="csc")).solve

    def solve(self, p: Array, r: Array) -> tuple[Array, Array]:
        """Return d and μ."""
        r, mu = r * self._scale, np.zeros(self._s)
        d = np.zeros(self._n)
        for _ in range(_ITERATIONS if self._s else 1):
            solution = self._factor_solve(np.concatenate([p, r - self._E * mu]))
            d, mu = solution[: self._n], solution[self._n :]
        return d, mu * self._scale


def positive(W: Sparse) -> Sparse:
    """Make a positive semidefinite matrix definite, changing it as little as makes no difference to a norm."""
    diagonal = np.maximum(W.diagonal(), 0.0)
    return sp.csr_array((W + W.T) / 2 + sp.diags_array(1e-8 * (diagonal + _typical(diagonal))))


def _typical(diagonal: Array) -> float:
    return float(np.median(diagonal[diagonal > 0])) if np.any(diagonal > 0) else 1.0
