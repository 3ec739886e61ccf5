"""Linear complementarity: w = G z + b with w ≥ 0, z ≥ 0 and wᵢ zᵢ = 0 for all i.

Lemke's method (Cottle, Pang, Stone, The Linear Complementarity Problem, section 4.4) with a covering vector of ones: it
ends with a solution for every symmetric G ≥ 0 for which there is one. Unknowns are scaled, so that units do not matter.
The basis that it ends with is solved once more, for all digits; of many solutions the one of least norm is taken, if it
is one, so that equal contacts get equal shares.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.arrays import Array

_ROUNDING, _LEFT = 1e-12, 1e-9  # of scaled numbers; and what may be left of a solution
_PIVOTS = 50  # by unknown, at most


def complementary(G: Array, b: Array) -> Array | None:
    """Return z; None if there is no solution, or none is found."""
    n = len(b)
    units = np.sqrt(np.maximum(np.diag(G), 0.0))
    units = 1.0 / np.where(units > 0, units, 1.0)
    size = np.abs(units * b).max(initial=0.0)
    if n == 0 or not size > 0 or np.all(b >= 0):
        return np.zeros(n)
    scaled, right = G * units * units[:, None], units * b / size
    basis = _lemke(scaled, right)
    if basis is None:
        return None
    z = _on(scaled, right, basis)
    size_of_w = max(1.0, float(np.abs(z).max()))
    if z.min() < -_LEFT or (scaled @ z + right).min() < -_LEFT * size_of_w:
        return None
    shared = _on(scaled, right, np.flatnonzero(scaled @ z + right <= _LEFT * size_of_w))
    if shared.min() >= 0 and (scaled @ shared + right).min() >= -_LEFT * size_of_w:
        z = shared
    return np.maximum(z, 0.0) * units * size


def _on(G: Array, b: Array, some: Sequence[int] | Array) -> Array:
    """Return the least z of some with w = 0 at these, all others zero."""
    z, some = np.zeros(len(b)), np.asarray(some, dtype=int)
    if len(some):
        z[some] = np.linalg.lstsq(G[np.ix_(some, some)], -b[some], rcond=_ROUNDING)[0]
    return z


def _lemke(G: Array, b: Array) -> list[int] | None:
    """Return which z are in the last basis."""
    n = len(b)
    # w − G z − z₀ = b; columns: w, z, z₀, and the right side
    tableau = np.hstack([np.eye(n), -G, -np.ones((n, 1)), b[:, None]])
    basis, entering = list(range(n)), 2 * n
    row = int(np.argmin(b))
    for _ in range(_PIVOTS * n):
        leaving = basis[row]
        tableau[row] /= tableau[row, entering]
        others = np.arange(n) != row
        tableau[others] -= np.outer(tableau[others, entering], tableau[row])
        basis[row] = entering
        if leaving == 2 * n:
            return [k - n for k in basis if n <= k < 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        column = tableau[:, entering]
        positive = np.flatnonzero(column > _ROUNDING)
        if not len(positive):
            return None  # a ray: no solution, where G ≥ 0
        ratios = tableau[positive, -1] / column[positive]
        least = positive[ratios <= ratios.min() + _ROUNDING]
        artificial = [k for k in least if basis[k] == 2 * n]  # of several, the one that ends it
        row = int(artificial[0]) if artificial else int(least[np.argmax(column[least])])
    return None
