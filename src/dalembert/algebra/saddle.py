"""Saddle-point systems [[W, Jᵀ], [J, 0]], sparse, with rows of J that may depend on each other.

A small diagonal −E takes the place of the zero block, scaled with the rows so that units do not matter; a few proximal
iterations then remove its effect. Dependent rows do no harm: the solution is the same, their multipliers are those
of least norm; rows that contradict each other are satisfied in the sense of least squares.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

Array = np.ndarray
_EPSILON = 1e-10
_ITERATIONS = 4


class Saddle:
    """Factorises once and solves  W d + Jᵀ μ = p,  J d = r  for many right sides."""

    def __init__(self, W: sp.spmatrix, J: sp.spmatrix):
        self._n, self._s = W.shape[0], J.shape[0]
        lengths = np.sqrt(np.asarray(J.multiply(J).sum(axis=1)).ravel())
        self._scale = 1.0 / np.where(lengths > 0, lengths, 1.0)
        J = sp.diags_array(self._scale) @ J
        diagonal = W.diagonal()
        inverse = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
        size = np.asarray(J.multiply(J).multiply(inverse[None, :]).sum(axis=1)).ravel()
        self._E = _EPSILON * np.where(size > 0, size, 1.0)
        matrix = (
            sp.block_array([[W, J.T], [J, -sp.diags_array(self._E)]], format="csc")
            if self._s
            else sp.csc_array(W)
        )
        self._factors = splu(matrix)

    def solve(self, p: Array, r: Array) -> tuple[Array, Array]:
        """Return d and μ."""
        if not self._s:
            return self._factors.solve(p), np.zeros(0)
        r, mu = r * self._scale, np.zeros(self._s)
        d = np.zeros(self._n)
        for _ in range(_ITERATIONS):
            solution = self._factors.solve(np.concatenate([p, r - self._E * mu]))
            d, mu = solution[: self._n], solution[self._n :]
        return d, mu * self._scale


def positive(W: sp.spmatrix) -> sp.csr_array:
    """Make a positive semidefinite matrix definite, changing it as little as makes no difference to a norm."""
    diagonal = W.diagonal()
    typical = np.median(diagonal[diagonal > 0]) if np.any(diagonal > 0) else 1.0
    return sp.csr_array(
        (W + W.T) / 2 + sp.diags_array(np.where(diagonal > 0, 1e-8 * diagonal, 1e-6 * typical))
    )
