"""Matrices of either kind: dense where they are small, as calls of sparse ones take longer than their arithmetic."""

from __future__ import annotations

from copy import copy

import numpy as np
import scipy.sparse as sp

from dalembert.arrays import Array, Sparse

Matrix = Array | Sparse


def entries(A: Matrix) -> Array:
    """Return the entries that are kept."""
    return A if isinstance(A, np.ndarray) else A.data


def dense(A: Matrix) -> Array:
    """Return a matrix with all its entries."""
    return A if isinstance(A, np.ndarray) else A.toarray()


def sparse(A: Matrix) -> Sparse:
    """Return a matrix without its zeros."""
    return sp.csr_array(A)


def scaled_rows(factors: Array, A: Matrix) -> Matrix:
    """Return a matrix with its rows multiplied."""
    if isinstance(A, np.ndarray):
        return factors[:, None] * A
    A = A if isinstance(A, sp.csr_array) else sp.csr_array(A)
    return with_entries(A, A.data * np.repeat(factors, np.diff(A.indptr)))


def with_entries(A: Sparse, values: Array) -> Sparse:
    """Return a matrix with entries at the same places, in the order in which they are kept."""
    found = copy(A)  # of the outside only: the places are the same, and need not be looked at again
    found.data = values
    return found


def columns(A: Matrix, where: Array) -> Matrix:
    """Return the columns at some places, in ascending order."""
    return A if len(where) == A.shape[1] else A[:, where]


def block(W: Matrix, where: Array) -> Matrix:
    """Return the rows and columns at some places."""
    if len(where) == W.shape[0]:
        return W
    return W[np.ix_(where, where)] if isinstance(W, np.ndarray) else W[where][:, where]


def lengths(A: Matrix, units: Array | float = 1.0) -> Array:
    """Return the lengths of the rows, with columns in some units."""
    if isinstance(A, np.ndarray):
        return np.linalg.norm(A * units, axis=1)
    return np.sqrt(A.multiply(A) @ (np.ones(A.shape[1]) * units) ** 2)
