"""Ranks and null spaces of constraint matrices, whatever the units of rows and coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dpotrf  # pyright: ignore[reportAttributeAccessIssue]
from scipy.sparse.linalg import splu

from dalembert.algebra.either import Matrix
from dalembert.arrays import Array, Sparse

RANK = 1e-8  # singular values of a scaled matrix below this count as zero
_SURE = 1e-10  # squared distances of a scaled row from the others that are beyond doubt


class Scale:
    """Units of rows and columns, taken from the same matrix at several places.

    A row is measured by its largest length over all places: where it vanishes but for rounding it must not be blown up.
    """

    def __init__(self, matrices: Sequence[Sparse], columns: Array):
        self._columns = sp.diags_array(columns)
        lengths = [_lengths(A @ self._columns) for A in matrices]
        largest = np.max(lengths, axis=0) if lengths else np.zeros(0)
        self.rows = np.where(largest > 0, largest, 1.0)

    def apply(self, A: Sparse) -> Sparse:
        """Return a matrix in these units."""
        return sp.csr_array(sp.diags_array(1.0 / self.rows) @ A @ self._columns)


def _lengths(A: Sparse) -> Array:
    return np.sqrt(A.multiply(A).sum(axis=1))


def unit_rows(A: Sparse) -> Sparse:
    """Scale every row to length one; rows of zeros stay."""
    lengths = _lengths(A)
    return sp.csr_array(sp.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ A)


def rank(A: Sparse, least: float = RANK) -> int:
    """Count the independent rows of a scaled matrix: by elimination if all of them clearly are, else by SVD."""
    if 0 in A.shape:
        return 0
    if A.shape[0] <= A.shape[1] and _pivots_exceed(A @ A.T, max(_SURE, 10 * least**2)):
        return A.shape[0]
    values = np.linalg.svd(A.toarray(), compute_uv=False)
    return int(np.sum(values > least * max(values[0], 1.0)))


def is_positive(S: Matrix, least: float) -> bool:
    """Tell whether a symmetric matrix is positive definite: all pivots above `least` of their diagonal entries."""
    diagonal = S.diagonal()
    if not np.all(diagonal > 0):
        return False
    if isinstance(S, np.ndarray):
        scale = 1.0 / np.sqrt(diagonal)
        factor, info = dpotrf(S * scale * scale[:, None])
        return info == 0 and bool(np.all(factor.diagonal() ** 2 > least))
    scale = sp.diags_array(1.0 / np.sqrt(diagonal))
    return _pivots_exceed(scale @ S @ scale, least)


def _pivots_exceed(S: Sparse, least: float) -> bool:
    """Eliminate a symmetric matrix and tell whether every pivot is larger than a bound."""
    options = {"SymmetricMode": True}
    try:
        factors = splu(sp.csc_array(S), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    except RuntimeError:  # exactly singular
        return False
    if not np.array_equal(factors.perm_r, factors.perm_c):  # a pivot had to be avoided
        return False
    return bool(np.all(factors.U.diagonal() > least))


def null_space(A: Sparse) -> Array:
    """Return an orthonormal basis of the vectors that A maps to zero, as columns (dense)."""
    if 0 in A.shape:
        return np.eye(A.shape[1])
    _, values, rows = np.linalg.svd(unit_rows(A).toarray())
    return rows[int(np.sum(values > RANK * max(values[0], 1e-300))) :].T
