"""Ranks and null spaces of constraint matrices, whatever the scale of their rows."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from dalembert.algebra.types import Array, Sparse

RANK = 1e-8  # singular values below this part of the largest count as zero
_SURE = 1e-10  # squared distances of a row of length one from the others that are beyond doubt


def unit_rows(A: Sparse) -> Sparse:
    """Scale every row to length one; rows of zeros stay."""
    lengths = np.sqrt(np.asarray(A.multiply(A).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ A)


def rank(A: Sparse) -> int:
    """Count the independent rows: by sparse elimination if they clearly are all independent, else by SVD."""
    if 0 in A.shape:
        return 0
    A = unit_rows(A)
    if A.shape[0] <= A.shape[1] and is_positive(A @ A.T, _SURE):
        return A.shape[0]
    values = np.linalg.svd(A.toarray(), compute_uv=False)
    return int(np.sum(values > RANK * max(values[0], 1e-300)))


def is_positive(S: Sparse, least: float) -> bool:
    """Tell whether a symmetric matrix is positive definite: all pivots above `least` of their diagonal entries."""
    S = sp.csc_array(S)
    diagonal = S.diagonal()
    if not np.all(diagonal > 0):
        return False
    scale = sp.diags_array(1.0 / np.sqrt(diagonal))
    try:
        factors = splu(
            sp.csc_array(scale @ S @ scale),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
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
