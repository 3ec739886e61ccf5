"""Are the velocity constraints holonomic in disguise? A numerical Frobenius test.

A constraint a(q,t)·v + b(q,t) = 0 is the form ω = a dq + b dt on space-time. A set of forms is integrable exactly if
every dω vanishes on the common kernel of the set: dω(x, y) = 0 for all x and y in it. The gradients of position
constraints belong to every set. The largest integrable set of combinations, with constant coefficients, is found by
dropping what fails, until nothing does. Random pairs x, y, a few more than there are forms, stand for all of them: they
tell the combinations that vanish from those that do not, and no matrix of the size of the system is ever filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.saddle import Saddle
from dalembert.arrays import Array, Sparse
from dalembert.blocks.assembled import is_large
from dalembert.blocks.numeric import Numeric
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.model.facts import STRUCTURE, fact
from dalembert.survey.configurations import Configuration

if TYPE_CHECKING:
    from dalembert.model.system import System

_VANISHES = 1e-7
_SPARE = 20  # pairs beyond the number of forms


@dataclass(frozen=True)
class Integrability:
    """Which linear velocity constraints are integrable by themselves or together, and which only in combination."""

    integrable: dict[int, bool]
    combined: list[int]


def find_integrable(numeric: Numeric, places: Sequence[Configuration]) -> Integrability:
    """Find the integrable ones among the linear velocity constraints."""
    constraints = numeric.system.constraints
    candidates = [i for i, c in enumerate(constraints) if c.level == "velocity" and c.linear]
    if not candidates or numeric.system.defined:  # of long trees there are no formulas to be differentiated
        return Integrability({}, [])
    curls = _Curls(numeric, candidates, places)
    gradients, forms = zip(*(_extended_rows(numeric, candidates, place) for place in places), strict=True)
    combinations = np.eye(len(candidates))
    while len(combinations):
        sets = [
            sp.vstack([g, sp.csr_array(combinations / curls.sizes) @ w]) for g, w in zip(gradients, forms, strict=True)
        ]
        keep = _left_null_space(combinations @ curls.on_kernels(sets))
        if len(keep) == len(combinations):
            break
        combinations = keep @ combinations
    inside = {i: _contains(combinations, k) for k, i in enumerate(candidates)}
    combined = [
        i for k, i in enumerate(candidates) if not inside[i] and np.abs(combinations[:, k]).max(initial=0) > 1e-6
    ]
    return Integrability(inside, combined)


def _left_null_space(matrix: Array) -> Array:
    """Return the combinations of rows that vanish; there are at least as many columns as rows."""
    U, values, _ = np.linalg.svd(matrix, full_matrices=False)
    return U[:, int(np.sum(values > _VANISHES)) :].T


def _contains(combinations: Array, k: int) -> bool:
    """Tell whether a unit vector lies in the span of orthonormal rows."""
    return bool(np.linalg.norm(combinations[:, k]) > 1 - 1e-9) if len(combinations) else False


def _extended_rows(numeric: Numeric, candidates: Sequence[int], place: Configuration) -> tuple[Sparse, Sparse]:
    """Return (a, b) of ψ = a·v + b: the rows of the position constraints, and those of the candidates."""
    b, a, _ = numeric.velocity(place.t, place.q, np.zeros(numeric.n))
    rows = sp.csr_array(sp.hstack([a, b[:, None]]))
    index = {i: k for k, i in enumerate(numeric.kinematic)}
    return rows[[index[i] for i in numeric.holonomic]], rows[[index[i] for i in candidates]]


class _Curls:
    """The dω of some constraints at some places, each in units of its largest term anywhere.

    One unit for all places: in others, a combination would have other coefficients from place to place.
    """

    def __init__(self, numeric: Numeric, candidates: Sequence[int], places: Sequence[Configuration]):
        terms, owners = _derivatives(numeric, candidates)
        self._form, self._j, self._k = np.array(owners, dtype=int).reshape(-1, 3).T
        self._dimension = numeric.n + 1
        program = numeric.program(terms)
        values = [numeric.evaluate(program, place.t, place.q) for place in places]
        largest = np.zeros(len(candidates))
        for each in values:
            np.maximum.at(largest, self._form, np.abs(each))
        self.sizes = np.where(largest > 0, largest, 1.0)
        entries = np.arange(len(terms))
        shape = (len(candidates), len(terms))
        self._terms = [sp.csr_array((each / self.sizes[self._form], (self._form, entries)), shape) for each in values]

    def on_kernels(self, sets: Sequence[Sparse]) -> Array:
        """Return every dω, in rows, on random pairs of vectors from the kernel of a set of forms at each place."""
        random = np.random.default_rng(8)
        pairs = len(self.sizes) + _SPARE
        columns = []
        for terms, rows in zip(self._terms, sets, strict=True):
            project, nothing = Saddle(sp.eye_array(self._dimension), rows), np.zeros(rows.shape[0])
            vectors = [project.solve(random.normal(size=self._dimension), nothing)[0] for _ in range(2 * pairs)]
            x, y = np.array(vectors[:pairs]).T, np.array(vectors[pairs:]).T
            columns.append(terms @ (x[self._j] * y[self._k] - x[self._k] * y[self._j]) / np.sqrt(pairs))
        return np.hstack(columns)


def _derivatives(numeric: Numeric, candidates: Sequence[int]) -> tuple[list[Expr], list[tuple[int, int, int]]]:
    """Return ∂ω over (q, t) term by term, so that what cancels is known by its size; each with its form and place."""
    blocks = numeric.blocks
    variables = [*blocks.q, blocks.t]
    calculus = Calculus(variables)
    index = {symbol: j for j, symbol in enumerate(variables)}
    velocities = frozenset(blocks.v)
    number = {i: k for k, i in enumerate(candidates)}
    entries = [(number[i], j, entry) for (i, j), entry in blocks.A.items() if i in number]
    entries += [(k, numeric.n, se.sympify(blocks.psi[i])) for i, k in number.items()]
    terms, owners = [], []
    for form, j, entry in entries:
        still = entry.xreplace(dict.fromkeys(entry.free_symbols & velocities, ZERO))
        for term in calculus.terms(calculus.lift(still)):
            for symbol in calculus.depends(term):
                terms.append(calculus.lower(calculus.diff(term, symbol)))
                owners.append((form, j, index[symbol]))
    return terms, owners


@fact(STRUCTURE)
def linear_constraints(system: System) -> list[bool]:
    """Tell which constraints are linear in the quantities of their own level; of a large system, kind by kind."""
    if not is_large(system) or system.defined:
        return [constraint.linear for constraint in system.constraints]
    found = [False] * len(system.constraints)
    for kind in system.repeated.kinds:
        for constraint, rows in zip(kind.local.constraints, kind.rows.T, strict=True):
            for i in rows:
                found[i] = constraint.linear
    return found
