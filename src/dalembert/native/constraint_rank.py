"""The rank of A, from two factorisations with different ε.

With the proximal term, rows that are independent keep pivots that hardly depend on ε. What a dependent row keeps is
proportional to it: ε (Dₖ + Σ cᵢ²Dᵢ) if it is the combination Σ cᵢ Aᵢ of others, D their sizes. So no bound on the
pivots themselves is needed, however large the factors c are around a loop of bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.quasidefinite import EPSILON
from dalembert.arrays import Array

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

CLEAR = 1e-3  # conditioning above which no row can depend on others, but with factors of some hundred
_MORE = 4.0  # the larger ε in the smaller one: a pivot that grows by more than its root is lost


def count(kernels: Kernels, rows: Array) -> Array:
    """Count the independent rows of A at rows of inputs."""
    tight, loose = (
        kernels.run("pivots", "pivots", np.column_stack([rows, np.full(len(rows), epsilon)]))[:, -kernels.s :]
        for epsilon in (EPSILON, _MORE * EPSILON)
    )
    return np.sum((tight > 0) & (tight < np.sqrt(_MORE) * loose), axis=1)  # inverse pivots; zero where a row vanishes
