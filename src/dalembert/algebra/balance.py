"""Units of the unknowns of a matrix that do not depend on those in which it was written.

Rows and columns are multiplied so that the logarithms of the entries are as small as possible in the sum of their
squares (Curtis and Reid 1972). The result is the same for A and for any R A C with diagonal R and C, up to a common
factor of unknowns that share rows: millimetres or metres lead to the same choices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from dalembert.arrays import Array

NOISE = 1e-12  # of the largest entry of a row: what is left where terms cancel
_GAUGE = 1e-9  # fixes the common factor


def units(rows: Sequence[Mapping[int, float]], size: int) -> Array:
    """Return a unit for each of the columns, from the sizes of the entries by row."""
    places = [(i, j, value) for i, row in enumerate(rows) for j, value in row.items() if value > _least(row)]
    if not places:
        return np.ones(size)
    i, j, values = map(np.array, zip(*places, strict=True))
    logs = np.log(values.astype(float))
    pattern = sp.csr_array((np.ones(len(i)), (i, j)), shape=(len(rows), size))
    counts = np.concatenate([np.bincount(i, minlength=len(rows)), np.bincount(j, minlength=size)])
    normal = sp.block_array([[None, pattern], [pattern.T, None]]) + sp.diags_array(counts + _GAUGE)
    sums = np.concatenate([np.bincount(i, logs, len(rows)), np.bincount(j, logs, size)])
    return np.exp(-splu(sp.csc_array(normal)).solve(sums)[len(rows) :])


def _least(row: Mapping[int, float]) -> float:
    return NOISE * max(row.values(), default=0.0)
