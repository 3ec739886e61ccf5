"""What reactions are determined where conditions repeat each other, and what is not.

The multipliers are determined up to the w with wᵀA = 0: any of them may be added without a change of the motion. A
reaction, or a part or a sum of reactions, is a linear function of λ, and so it is determined exactly where it vanishes
for all these w. What is not determined depends on the elasticity of the parts, which rigid bodies do not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.either import dense
from dalembert.algebra.rank import RANK
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import quoted

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.native.values import SolvedStates

NOTICED = 1e-6  # part of a unit load that counts
_CLEAR = 1e-6  # squared sine of the angle between rows of A above which no row depends on others
_WORK = 2e8  # operations spent on singular values,
_MOST = 200  # states at most; the others take what was found at the nearest


class Shares:
    """The loads w that can be shared in any way, at states where rows of A depend on each other.

    near: for each state the examined one that stands for it, or −1 where everything is determined. states: those that
    were examined. vectors: their w as columns, (states, constraints, count), each a load of about one unit. length: a
    lever arm, by which moments are divided to be compared with forces; `turning` are the coordinates that are angles.
    """

    def __init__(self, system: System, inputs: Array, solution: SolvedStates, turning: Sequence[int] = ()):
        self.system = system
        s = len(system.constraints)
        suspect = suspects(solution)
        count = min(len(suspect), _MOST, max(3, int(_WORK / max(s, 1) ** 3)))
        chosen = suspect[np.unique(np.linspace(0, len(suspect) - 1, count).round().astype(int))] if count else suspect
        self.states, self.length = chosen, 1.0
        self.vectors = self._weights = np.zeros((0, s, 0))
        self.near = np.full(len(inputs), -1)
        if count:
            self._examine(inputs[chosen], turning)
            middles = (chosen[1:] + chosen[:-1]) / 2
            self.near[suspect] = np.searchsorted(middles, suspect)

    def _examine(self, inputs: Array, turning: Sequence[int]) -> None:
        A = _matrices(self.system, inputs)
        is_turn = np.isin(np.arange(A.shape[2]), turning)
        self.length = _lever(A, is_turn)
        A = A * np.where(is_turn, 1.0, self.length)
        lengths = np.linalg.norm(A, axis=2, keepdims=True)
        lengths[lengths == 0] = 1.0
        U, sigma, _ = np.linalg.svd(A / lengths)
        rank = np.sum(sigma > RANK * np.maximum(sigma[:, :1], 1.0), axis=1)
        least = int(rank.min())
        null = np.arange(least, U.shape[2]) >= rank[:, None]  # which of the last columns of U belong to zero
        self._weights = U[:, :, least:] * null[:, None, :] * (np.abs(A).max(axis=2, keepdims=True) > 0)
        self.vectors = self._weights / lengths * self.length

    def __repr__(self) -> str:
        return f"<Shares: {'; '.join(self.notes()) or 'every reaction is determined'}>"

    def __bool__(self) -> bool:
        return self.vectors.shape[2] > 0

    @property
    def count(self) -> int:
        """How many conditions follow from others, at most."""
        return int(np.max(np.sum(np.any(self.vectors != 0, axis=1), axis=1), initial=0))

    def groups(self) -> list[list[int]]:
        """Return the constraints whose own reaction is not determined; those that share a load are in one group."""
        if not self:
            return []
        linked = np.abs(np.einsum("kim,kjm->kij", self._weights, self._weights)).max(axis=0) > NOTICED
        left, groups = [i for i in range(len(linked)) if linked[i, i]], []
        while left:
            group, new = {left[0]}, {left[0]}
            while new:
                new = {j for i in new for j in left if linked[i, j]} - group
                group |= new
            groups.append(sorted(group))
            left = [i for i in left if i not in group]
        return groups

    def notes(self) -> list[str]:
        """Say which reactions are not determined."""
        names = [constraint.name for constraint in self.system.constraints]
        notes = []
        for group in self.groups():
            notes.append(f"of {quoted(names[i] for i in group)} only the sum is determined, as they repeat each other")
        return notes


def suspects(solution: SolvedStates) -> Array:
    """Return the states at which rows of A may depend on each other."""
    if not (s := solution.multipliers.shape[-1]):
        return np.zeros(0, dtype=int)
    return np.flatnonzero((solution.rank < s) | ~(solution.conditioning > _CLEAR))


def _matrices(system: System, inputs: Array) -> Array:
    """Return A at some states, (states, constraints, coordinates)."""
    parameters = dict(zip(system.parameters, inputs[0, 1 + 2 * len(system.coordinates) :], strict=True))
    numeric, n = Numeric(system, parameters), len(system.coordinates)
    if system.defined:
        return np.array([numeric.all(row[0], row[1 : 1 + n], row[1 + n : 1 + 2 * n]).A.toarray() for row in inputs])
    entries = numeric.program(system.blocks.A.values()).arrays(list(inputs.T))
    A = np.zeros((len(inputs), numeric.s, numeric.n))
    for (i, j), values, vanishes in zip(system.blocks.A, entries, numeric.vanishing.A, strict=True):
        A[:, i, j] = 0.0 if vanishes else values
    return A


def _lever(A: Array, is_turn: Array) -> float:
    """Return a typical lever arm: how large entries of angles are against those of places in the same row."""
    turn, place = (np.linalg.norm(A[:, :, which], axis=2) for which in (is_turn, ~is_turn))
    both = (turn > 0) & (place > 0)
    return float(np.median(turn[both] / place[both])) if np.any(both) else 1.0


def least_shared(system: System, inputs: Array, multipliers: Array) -> Array:
    """Return multipliers with the least shares: Σ wᵢ λᵢ², wᵢ = (A M⁻¹Aᵀ)ᵢᵢ, as the solver has but for rounding.

    It lets dependent rows pass by a small term, beside which rounding is not small: λ moves along the w with wᵀA = 0.
    """
    n, found, numeric = len(system.coordinates), multipliers.copy(), None
    last = np.zeros(0)
    for k, row in enumerate(inputs):
        values = row[1 + 2 * n :]
        if numeric is None or not np.array_equal(values, last):  # modes of friction change on the way
            numeric, last = Numeric(system, dict(zip(system.parameters, map(float, values), strict=True))), values
        blocks = numeric.all(row[0], row[1 : 1 + n], row[1 + n : 1 + 2 * n])
        B = np.linalg.solve(np.linalg.cholesky(dense(blocks.M)), dense(blocks.A).T).T
        w = np.linalg.norm(B, axis=1)
        used = w > 0
        U, sigma, _ = np.linalg.svd(B[used] / w[used, None], full_matrices=False)
        U = U[:, sigma > RANK * max(1.0, sigma[0])]
        found[k, used] = U @ (U.T @ (w[used] * multipliers[k, used])) / w[used]
    return found
