"""A singular mass matrix made positive definite by constraints: M + Σ ρᵢ AᵢᵀAᵢ, f + Σ ρᵢ Aᵢᵀcᵢ.

Where A q̈ = c this changes nothing, neither q̈ nor λ. The rows are chosen at a few places: those with the fewest entries
that reach what M leaves out (Euler parameters are reached by their norm). ρᵢ follows the inertia in its row.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import symengine as se
from scipy.sparse.csgraph import connected_components

from dalembert.algebra.rank import is_positive
from dalembert.algebra.types import Array, Sparse
from dalembert.errors import DerivationError, quoted
from dalembert.model.functions import number
from dalembert.model.numeric import Numeric
from dalembert.model.pilot import pilot_parameters
from dalembert.model.system import System

_POSITIVE = 1e-11  # pivots of the scaled mass matrix above this are safe
_PLACES = 3  # that are looked at, of those where everything has a value
_DISTANCES = (0.2, 0.02, 0.002)  # from the initial position


class Added(NamedTuple):
    """A row that is added to M: ρ is this factor of the inertia in its coordinates, or in all if they have none."""

    factor: float
    everywhere: bool


def augmentation(system: System) -> dict[int, Added]:
    """Return the rows to be added to the mass matrix; none if it is positive definite."""
    numeric = Numeric(system, pilot_parameters(system))
    places = (numeric.all(*place) for place in random_places(system))
    found = list(islice((values for values in places if values.finite()), _PLACES))
    if not found:
        raise DerivationError("the equations have no finite value near the initial position")
    if all(is_positive(values.M, _POSITIVE) for values in found):
        return {}
    M, A = found[0].M, found[0].A
    rows = _rows(M, A)
    factors = {i: _factor(M, A, i) for i in rows}
    sums = sp.csr_array(M + sum((rho * _square(A, i) for i, rho in factors.items()), sp.csr_array(M.shape)))
    if not is_positive(sums, _POSITIVE):
        raise DerivationError(_refusal(system, sums))
    inertia = M.diagonal()
    own = {i: float(inertia[A[[i]].indices].sum()) for i in rows}
    return {i: Added(rho / _inertia(inertia, A, i), not own[i] > 0) for i, rho in factors.items()}


def random_places(system: System) -> list[tuple[float, Array, Array]]:
    """Return t, q, v around the initial position, on no constraint: a rank is the same nearly everywhere."""
    random = np.random.default_rng(5)
    values = {se.Symbol(name): value for name, value in pilot_parameters(system).items()}
    given = {name: number(expr.xreplace(values)) for name, expr in {**system.guess, **system.initial}.items()}
    q = np.array([given.get(name) or 0.0 for name in system.coordinates])
    return [
        (0.1 * k, q + distance * random.normal(size=len(q)), random.normal(size=len(q)))
        for distance in _DISTANCES
        for k in range(_PLACES)
    ]


def _rows(M: Sparse, A: Sparse) -> list[int]:
    """Choose rows of A that are independent on the null space of M, shorter ones first."""
    missing = _null_space(M)
    shadow = (A @ missing).toarray()
    basis = np.zeros((0, missing.shape[1]))
    chosen = []
    lengths = np.diff(A.indptr)
    for i in np.argsort(lengths, kind="stable"):
        size = np.linalg.norm(shadow[i])
        if len(basis) == missing.shape[1]:
            break
        if size == 0:
            continue
        rest = shadow[i] / size
        for _ in range(2):
            rest = rest - basis.T @ (basis @ rest)
        if (length := np.linalg.norm(rest)) > 1e-3:
            basis = np.vstack([basis, rest / length])
            chosen.append(int(i))
    return chosen


def _null_space(M: Sparse) -> Sparse:
    """Return vectors without inertia, as columns: found for each group of coupled coordinates."""
    count, group = connected_components(M, directed=False)
    columns = []
    for k in range(count):
        where = np.flatnonzero(group == k)
        part = M[where][:, where].toarray()
        diagonal = np.diag(part)
        scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        values, vectors = np.linalg.eigh(part * scale * scale[:, None])
        for vector in vectors[:, values < 1e-9].T:
            column = np.zeros(M.shape[0])
            column[where] = vector * scale
            columns.append(sp.csr_array(column[:, None]))
    return sp.hstack(columns, format="csr") if columns else sp.csr_array((M.shape[0], 0))


def _square(A: Sparse, i: int) -> Sparse:
    row = sp.csr_array(A[[i]])
    return sp.csr_array(row.T @ row)


def _inertia(diagonal: Array, A: Sparse, i: int) -> float:
    """Return the inertia of the coordinates of a row, or of all if they have none."""
    own = float(diagonal[A[[i]].indices].sum())
    return own if own > 0 else float(diagonal.sum()) or 1.0


def _factor(M: Sparse, A: Sparse, i: int) -> float:
    """Return ρᵢ such that what is added is no larger than what is there."""
    row, diagonal = A[[i]], M.diagonal()
    there = diagonal[row.indices]
    massive = (there > 1e-12 * diagonal.max(initial=0.0)) & (row.data != 0)
    if np.any(massive):
        return float(np.min(there[massive] / row.data[massive] ** 2))
    return _inertia(diagonal, A, i)


def _refusal(system: System, sums: Sparse) -> str:
    missing = _null_space(sums)
    largest = np.abs(missing.toarray()).max(axis=1) if missing.shape[1] else np.zeros(len(system.coordinates))
    names = [name for name, value in zip(system.coordinates, largest, strict=True) if value > 0.1 * largest.max()]
    who = f" along {quoted(names[:6])}" if names and missing.shape[1] else ""
    return (
        f"the accelerations are not determined{who}: there is neither inertia nor a constraint in that direction, "
        "or the mass matrix is not positive; give it inertia, or a constraint"
    )
