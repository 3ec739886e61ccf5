"""Which constraints follow from which others: found on the pilot's configurations, told by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.algebra.rank import Scale, rank
from dalembert.algebra.types import Array, Sparse
from dalembert.errors import quoted
from dalembert.model.constraint import LEVELS
from dalembert.model.numeric import Numeric, Values
from dalembert.model.pilot import (
    Configuration,
    assemble,
    column_sizes,
    finite_values,
    off_manifold,
    pilot_parameters,
)

DEPENDENT = 1e-7  # remainder of a scaled row that counts as zero
_PART = 1e-5  # share of another row in it that counts
_BLAMED = 40  # parameters that are changed one by one


@dataclass(frozen=True)
class Redundancy:
    """Constraint `name` follows from the constraints `others`, or from nothing: it is always true.

    on_manifold: only where the constraints hold, not everywhere (without others: its gradient vanishes there).
    values: the parameters on whose present values it depends (empty if it holds for all values).
    """

    name: str
    others: tuple[str, ...]
    on_manifold: bool
    values: tuple[str, ...]

    def __str__(self) -> str:
        if not self.others and self.on_manifold:
            return f"`{self.name}` has no gradient where it holds; write it differently, as x = 0 instead of x^2 = 0"
        text = f"`{self.name}` " + (f"follows from {quoted(self.others)}" if self.others else "is always true")
        if self.on_manifold:
            text += " (where these hold; not as an identity)"
        if self.values:
            text += f"; this holds only for the present values of {quoted(self.values)}"
        return text


def dependent_rows(matrices: Sequence[Sparse], order: Sequence[int]) -> dict[int, list[int]]:
    """Find rows that depend on earlier ones in every one of some scaled matrices: row -> the rows it consists of."""
    if any(rank(A) == len(order) for A in matrices):
        return {}
    dense = [A.toarray() for A in matrices]
    bases: list[list[Array]] = [[] for _ in dense]
    accepted: list[int] = []
    dependent: dict[int, list[int]] = {}
    for i in order:
        remainders = [_remainder(A[i], basis) for A, basis in zip(dense, bases, strict=True)]
        lengths = [float(np.linalg.norm(remainder)) for remainder in remainders]
        if max(lengths) <= DEPENDENT:
            shares = [np.abs(_shares(A, i, accepted)) for A in dense]
            dependent[i] = [j for k, j in enumerate(accepted) if max(share[k] for share in shares) > _PART]
        else:
            accepted.append(i)
            for basis, remainder, length in zip(bases, remainders, lengths, strict=True):
                if length > DEPENDENT:
                    basis.append(remainder / length)
    return dependent


def _remainder(row: Array, basis: list[Array]) -> Array:
    """Subtract from a row its part in the span of an orthonormal basis, twice for accuracy."""
    if basis:
        B = np.array(basis)
        for _ in range(2):
            row = row - B.T @ (B @ row)
    return row


def _shares(A: Array, i: int, others: Sequence[int]) -> Array:
    """Return the row i as a combination of others."""
    return np.linalg.lstsq(A[list(others)].T, A[i], rcond=1e-10)[0] if others else np.zeros(0)


def find_redundancies(numeric: Numeric, places: Sequence[Configuration]) -> list[Redundancy]:
    """Find the constraints that follow from others at all configurations, and say on what that depends.

    Constraints on positions come first, those on accelerations last: only a stronger condition makes another redundant.
    """
    return _Search(numeric, places).found()


class _Search:
    def __init__(self, numeric: Numeric, places: Sequence[Configuration]):
        self.numeric, self.places = numeric, places
        self.constraints = numeric.system.constraints
        self.columns = column_sizes(numeric, places)

    def found(self) -> list[Redundancy]:
        matrices = [self.numeric.all(p.t, p.q, p.v).A for p in self.places]
        elsewhere = finite_values(self.numeric, off_manifold(self.numeric, self.places))
        scale = Scale([*matrices, *(v.A for v in elsewhere)], self.columns)
        order = sorted(range(len(self.constraints)), key=lambda i: LEVELS.index(self.constraints[i].level))
        dependent = dependent_rows([scale.apply(A) for A in matrices], order)
        return [
            Redundancy(
                self.constraints[i].name,
                tuple(self.constraints[j].name for j in others),
                not self.follows(self.numeric, off_manifold(self.numeric, self.places), i, others),
                self.value_dependence(i, others),
            )
            for i, others in sorted(dependent.items())
        ]

    def follows(self, numeric: Numeric, places: Iterable[Configuration], i: int, others: Sequence[int]) -> bool:
        """Tell whether a row, and its right side c, consists of others at some places."""
        values = finite_values(numeric, places)
        if not values:
            return True
        scale = Scale([v.A for v in values], self.columns)
        return all(_consists(v, scale, i, others) for v in values)

    def value_dependence(self, i: int, others: Sequence[int]) -> tuple[str, ...]:
        """Find the parameters whose change makes the constraint independent of the others, or contradict them."""
        base = pilot_parameters(self.numeric.system)
        used = {symbol.name for k in (i, *others) for symbol in self.constraints[k].expression.free_symbols}
        names = [name for name in base if name in used]
        random = np.random.default_rng(5)
        factors = dict(zip(names, random.uniform(1.02, 1.08, len(names)), strict=True))
        typical = float(np.median([abs(base[name]) for name in names if base[name]] or [1.0]))
        changed = {name: base[name] * factors[name] or 0.05 * typical * factors[name] for name in names}

        def breaks(some: Iterable[str]) -> bool:
            numeric = Numeric(self.numeric.system, {**base, **{name: changed[name] for name in some}})
            found = [assemble(numeric, place, {i, *others}) for place in self.places]
            return any(p is None for p in found) or not self.follows(numeric, [p for p in found if p], i, others)

        if not names or not breaks(names):
            return ()
        blamed = tuple(name for name in names[:_BLAMED] if breaks([name]))
        return blamed or tuple(names)


def _consists(values: Values, scale: Scale, i: int, others: Sequence[int]) -> bool:
    A, c = scale.apply(values.A).toarray(), values.c / scale.rows
    shares = _shares(A, i, others)
    row, right = shares @ A[list(others)] - A[i], float(shares @ c[list(others)] - c[i])
    size = 1.0 + np.abs(c[[i, *others]]).max()
    return bool(np.linalg.norm(row) <= DEPENDENT) and abs(right) <= 1e-6 * size
