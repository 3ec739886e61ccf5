"""A sparse LDLᵀ in numba, row by row, with its pattern known: what one would write by hand for the comparison."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True)
def _analyse(n, starts, indices):
    parents, marks, counts = np.full(n, -1), np.full(n, -1), np.zeros(n, np.int64)
    for k in range(n):
        marks[k] = k
        for p in range(starts[k], starts[k + 1]):
            i = indices[p]
            while i < k and marks[i] != k:
                if parents[i] == -1:
                    parents[i] = k
                counts[i] += 1
                marks[i] = k
                i = parents[i]
    begins = np.zeros(n + 1, np.int64)
    begins[1:] = np.cumsum(counts)
    return parents, begins


def analyse(K):
    """Return the elimination tree and where the columns of L begin, for the upper triangle of a matrix by columns."""
    return _analyse(K.shape[0], K.indptr, K.indices)


@numba.njit(cache=True)
def factorise_and_solve(starts, indices, data, right, parents, begins):
    """Factorise a symmetric matrix without pivoting, and solve for one right side."""
    n = len(right)
    y, marks, pattern, path = np.zeros(n), np.full(n, -1), np.zeros(n, np.int64), np.zeros(n, np.int64)
    filled, rows, values, d = np.zeros(n, np.int64), np.zeros(begins[n], np.int64), np.zeros(begins[n]), np.zeros(n)
    for k in range(n):
        top = n
        marks[k] = k
        for p in range(starts[k], starts[k + 1]):
            i = indices[p]
            if i > k:
                continue
            y[i] += data[p]
            length = 0
            while marks[i] != k:
                path[length] = i
                length += 1
                marks[i] = k
                i = parents[i]
            while length > 0:
                length -= 1
                top -= 1
                pattern[top] = path[length]
        d[k] = y[k]
        y[k] = 0.0
        for t in range(top, n):
            i = pattern[t]
            yi = y[i]
            y[i] = 0.0
            end = begins[i] + filled[i]
            for p in range(begins[i], end):
                y[rows[p]] -= values[p] * yi
            factor = yi / d[i]
            d[k] -= factor * yi
            rows[end] = k
            values[end] = factor
            filled[i] += 1
    x = right.copy()
    for j in range(n):
        for p in range(begins[j], begins[j + 1]):
            x[rows[p]] -= values[p] * x[j]
    for j in range(n):
        x[j] /= d[j]
    for j in range(n - 1, -1, -1):
        for p in range(begins[j], begins[j + 1]):
            x[j] -= values[p] * x[rows[p]]
    return x
