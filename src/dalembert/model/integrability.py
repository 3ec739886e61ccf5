"""Are the velocity constraints holonomic in disguise? A numerical Frobenius test.

A constraint a(q,t)·v + b(q,t) = 0 is the form ω = a dq + b dt on space-time. A set of forms is integrable exactly if
every dω vanishes on the common kernel of the set, Dᵀ(∂ω − ∂ωᵀ)D = 0; the gradients of position constraints belong to
every set. The largest integrable set is found by dropping what fails, until nothing does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.rank import null_space
from dalembert.algebra.types import Array
from dalembert.model.calculus import ZERO, Calculus
from dalembert.model.numeric import Numeric
from dalembert.model.pilot import Configuration

_VANISHES = 1e-7


def integrable_constraints(numeric: Numeric, places: Sequence[Configuration]) -> dict[int, bool]:
    """Tell for each linear velocity constraint whether it is integrable, together with the others that are."""
    constraints = numeric.system.constraints
    candidates = [i for i, c in enumerate(constraints) if c.level == "velocity" and c.linear]
    if not candidates:
        return {}
    curls = {i: [_curl(numeric, i, place) for place in places] for i in candidates}
    rows = [_extended_rows(numeric, place) for place in places]
    integrable = set(candidates)
    while integrable:
        kernels = [null_space(sp.csr_array(matrix[[*numeric.holonomic, *sorted(integrable)]])) for matrix in rows]
        failing = {
            i
            for i in integrable
            if any(
                _norm(D.T @ w @ D) > _VANISHES * max(_norm(w), 1e-300) for w, D in zip(curls[i], kernels, strict=True)
            )
        }
        if not failing:
            break
        integrable -= failing
    return {i: i in integrable for i in candidates}


def _norm(matrix: Array) -> float:
    return float(np.abs(matrix).max(initial=0.0))


def _extended_rows(numeric: Numeric, place: Configuration) -> Array:
    """Return (a, b) of every constraint that has a residual ψ = a·v + b, in rows by constraint."""
    rest = np.zeros(numeric.n)
    b, a = numeric.velocity(place.t, place.q, rest)
    rows = np.zeros((numeric.s, numeric.n + 1))
    rows[numeric.kinematic] = np.column_stack([a.toarray(), b])
    return rows


def _curl(numeric: Numeric, i: int, place: Configuration) -> Array:
    """Return ∂ω − ∂ωᵀ of one constraint over (q, t)."""
    blocks, n = numeric.blocks, numeric.n
    variables = [*blocks.q, blocks.t]
    calculus = Calculus(variables)
    index = {symbol: j for j, symbol in enumerate(variables)}
    still = dict.fromkeys(blocks.v, ZERO)
    form = {j: entry.xreplace(still) for (row, j), entry in blocks.A.items() if row == i}
    form[n] = se.sympify(blocks.psi[i]).xreplace(still)
    slopes = {}
    for j, entry in form.items():
        lifted = calculus.lift(entry)
        for symbol in calculus.depends(lifted):
            slopes[j, index[symbol]] = calculus.lower(calculus.diff(lifted, symbol))
    curl = np.zeros((n + 1, n + 1))
    if slopes:
        values = numeric.evaluate(numeric.program(slopes.values()), place.t, place.q)
        for (j, k), value in zip(slopes, values, strict=True):
            curl[j, k] += value
            curl[k, j] -= value
    return curl
