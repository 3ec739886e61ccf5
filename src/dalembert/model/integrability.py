"""Are the velocity constraints holonomic in disguise? A numerical Frobenius test.

A constraint a(q,t)·v + b(q,t) = 0 is the form ω = a dq + b dt on space-time. A set of forms is integrable exactly if
every dω vanishes on the common kernel of the set, Dᵀ(∂ω − ∂ωᵀ)D = 0; the gradients of position constraints belong to
every set. The largest integrable set of combinations, with constant coefficients, is found by dropping what fails,
until nothing does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.rank import null_space
from dalembert.algebra.types import Array
from dalembert.model.calculus import ZERO, Calculus
from dalembert.model.numeric import Numeric
from dalembert.model.pilot import Configuration

_VANISHES = 1e-7


@dataclass(frozen=True)
class Integrability:
    """Which linear velocity constraints are integrable by themselves or together, and which only in combination."""

    integrable: dict[int, bool]
    combined: list[int]


def find_integrable(numeric: Numeric, places: Sequence[Configuration]) -> Integrability:
    """Find the integrable ones among the linear velocity constraints."""
    constraints = numeric.system.constraints
    candidates = [i for i, c in enumerate(constraints) if c.level == "velocity" and c.linear]
    if not candidates:
        return Integrability({}, [])
    curls = [_curls(numeric, i, places) for i in candidates]
    rows = [_extended_rows(numeric, place) for place in places]
    combinations = np.eye(len(candidates))
    while len(combinations):
        kernels = [
            null_space(sp.csr_array(np.vstack([m[numeric.holonomic], combinations @ m[candidates]]))) for m in rows
        ]
        columns = []
        for curl in curls:
            parts = [(D.T @ w @ D).ravel() / size for (w, size), D in zip(curl, kernels, strict=True)]
            columns.append(np.concatenate(parts))
        left = combinations @ np.array(columns)
        keep = _left_null_space(left)
        if len(keep) == len(combinations):
            break
        combinations = keep @ combinations
    inside = {i: _contains(combinations, k) for k, i in enumerate(candidates)}
    combined = [
        i for k, i in enumerate(candidates) if not inside[i] and np.abs(combinations[:, k]).max(initial=0) > 1e-6
    ]
    return Integrability(inside, combined)


def _left_null_space(matrix: Array) -> Array:
    """Return the combinations of rows that vanish."""
    if not matrix.shape[1]:
        return np.eye(matrix.shape[0])
    U, values, _ = np.linalg.svd(matrix)
    return U[:, int(np.sum(values > _VANISHES)) :].T


def _contains(combinations: Array, k: int) -> bool:
    """Tell whether a unit vector lies in the span of orthonormal rows."""
    return bool(np.linalg.norm(combinations[:, k]) > 1 - 1e-9) if len(combinations) else False


def _extended_rows(numeric: Numeric, place: Configuration) -> Array:
    """Return (a, b) of every constraint that has a residual ψ = a·v + b, in rows by constraint."""
    b, a, _ = numeric.velocity(place.t, place.q, np.zeros(numeric.n))
    rows = np.zeros((numeric.s, numeric.n + 1))
    rows[numeric.kinematic] = np.column_stack([a.toarray(), b])
    return rows


def _curls(numeric: Numeric, i: int, places: Sequence[Configuration]) -> list[tuple[Array, float]]:
    """Return ∂ω − ∂ωᵀ of one constraint over (q, t) at every place, with the size of what was subtracted."""
    blocks, n = numeric.blocks, numeric.n
    variables = [*blocks.q, blocks.t]
    calculus = Calculus(variables)
    index = {symbol: j for j, symbol in enumerate(variables)}
    still = dict.fromkeys(blocks.v, ZERO)
    form = {j: entry.xreplace(still) for (row, j), entry in blocks.A.items() if row == i}
    form[n] = se.sympify(blocks.psi[i]).xreplace(still)
    terms, owners = [], []  # term by term, so that what cancels is known by its size
    for j, entry in form.items():
        for term in calculus.terms(calculus.lift(entry)):
            for symbol in calculus.depends(term):
                terms.append(calculus.lower(calculus.diff(term, symbol)))
                owners.append((j, index[symbol]))
    program = numeric.program(terms)
    result = []
    for place in places:
        curl, size = np.zeros((n + 1, n + 1)), 0.0
        for (j, k), value in zip(owners, numeric.evaluate(program, place.t, place.q), strict=True):
            curl[j, k] += value
            curl[k, j] -= value
            size = max(size, abs(value))
        result.append((curl, size or 1.0))
    return result
