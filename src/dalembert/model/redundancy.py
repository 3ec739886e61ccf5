"""Which constraints follow from which others: found on the pilot's configurations, told by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.algebra.nearest import reach_solution
from dalembert.algebra.rank import rank, unit_rows
from dalembert.algebra.saddle import positive
from dalembert.algebra.types import Array, Sparse
from dalembert.errors import quoted
from dalembert.model.numeric import Numeric
from dalembert.model.pilot import Configuration, configurations, pilot_parameters

_DEPENDENT = 1e-7  # remainder of a row of length one that counts as zero
_PART = 1e-5  # share of another row in it that counts


@dataclass(frozen=True)
class Redundancy:
    """Constraint `name` follows from the constraints `others`.

    on_manifold: only where the constraints hold, not everywhere.
    values: the parameters on whose present values it depends (empty if it holds for all values).
    """

    name: str
    others: tuple[str, ...]
    on_manifold: bool
    values: tuple[str, ...]

    def __str__(self) -> str:
        if self.others:
            text = f"`{self.name}` follows from {quoted(self.others)}"
        else:
            text = f"`{self.name}` restricts nothing (its derivatives vanish)"
        if self.on_manifold:
            text += " (where these hold; not as an identity)"
        if self.values:
            text += f"; this holds only for the present values of {quoted(self.values)}"
        return text


def dependent_rows(sparse: Sequence[Sparse]) -> dict[int, list[int]]:
    """Find rows that depend on earlier ones in every one of the matrices: row -> the rows that it consists of."""
    count = sparse[0].shape[0]
    if any(rank(A) == count for A in sparse):
        return {}
    matrices = [unit_rows(A).toarray() for A in sparse]
    bases: list[list[Array]] = [[] for _ in matrices]
    accepted: list[int] = []
    dependent: dict[int, list[int]] = {}
    for i in range(count):
        remainders = [_remainder(A[i], basis) for A, basis in zip(matrices, bases, strict=True)]
        lengths = [float(np.linalg.norm(remainder)) for remainder in remainders]
        if max(lengths) <= _DEPENDENT:
            shares = [_shares(A, i, accepted) for A in matrices]
            dependent[i] = [j for k, j in enumerate(accepted) if max(share[k] for share in shares) > _PART]
        else:
            accepted.append(i)
            for basis, remainder, length in zip(bases, remainders, lengths, strict=True):
                if length > _DEPENDENT:
                    basis.append(remainder / length)
    return dependent


def _remainder(row: Array, basis: list[Array]) -> Array:
    """Subtract from a row its part in the span of an orthonormal basis, twice for accuracy."""
    if basis:
        B = np.array(basis)
        for _ in range(2):
            row = row - B.T @ (B @ row)
    return row


def _shares(A: Array, i: int, accepted: list[int]) -> Array:
    if not accepted:
        return np.zeros(0)
    return np.abs(np.linalg.lstsq(A[accepted].T, A[i], rcond=1e-10)[0])


def find_redundancies(numeric: Numeric, places: Sequence[Configuration]) -> list[Redundancy]:
    """Find the constraints that follow from earlier ones at all configurations, and say on what that depends."""
    dependent = dependent_rows([numeric.all(p.t, p.q, p.v).A for p in places])
    if not dependent:
        return []
    names = [constraint.name for constraint in numeric.system.constraints]
    random = np.random.default_rng(4)
    off = [Configuration(p.t, p.q + random.normal(size=numeric.n), random.normal(size=numeric.n)) for p in places]
    everywhere = dependent_rows([numeric.all(p.t, p.q, p.v).A for p in off])
    values = _value_dependence(numeric, places[0], dependent)
    return [
        Redundancy(names[i], tuple(names[j] for j in others), i not in everywhere, values.get(i, ()))
        for i, others in dependent.items()
    ]


def _value_dependence(
    numeric: Numeric, place: Configuration, dependent: dict[int, list[int]]
) -> dict[int, tuple[str, ...]]:
    """For every dependent row, find the parameters whose change makes it independent (or contradictory)."""
    system = numeric.system
    base = pilot_parameters(system)
    random = np.random.default_rng(5)
    relevant = {symbol.name for c in system.constraints for symbol in c.expression.free_symbols}
    names = [name for name in base if name in relevant]
    factors = dict(zip(names, random.uniform(1.02, 1.08, len(names)), strict=True))

    def broken_by(changed: Sequence[str]) -> set[int]:
        values = {name: (base[name] or 1.0) * factors[name] for name in changed}
        return set(dependent) - set(_dependent_with(numeric, place, {**base, **values}))

    return _blame(broken_by, names, dependent)


def _blame(broken_by: Callable[[Sequence[str]], set[int]], names: Sequence[str], dependent: dict[int, list[int]]):
    broken = broken_by(names) if names else set()
    blame: dict[int, list[str]] = {i: [] for i in broken}
    if broken:
        for name in names[:40]:
            for i in broken & broken_by([name]):
                blame[i].append(name)
    return {i: tuple(found) or tuple(names) for i, found in blame.items()}


def _dependent_with(numeric: Numeric, place: Configuration, parameters: dict[str, float]) -> dict[int, list[int]]:
    """Assemble the system with other parameter values and look for dependent rows again."""
    changed = Numeric(numeric.system, parameters)
    everything = np.arange(changed.n)
    weight = positive(changed.mass(place.t, place.q))
    found = reach_solution(lambda x: changed.position(place.t, x), place.q, weight, everything)
    if not found.solved:
        return {}
    start = Configuration(place.t, found.x, place.v)
    return dependent_rows([changed.all(p.t, p.q, p.v).A for p in configurations(changed, start, count=2)])
