"""Which constraints follow from which others: found on the pilot's configurations, told by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.rank import Scale, rank
from dalembert.arrays import Array, Sparse
from dalembert.blocks.numeric import Numeric, Values, pilot_numeric_of, pilot_parameters
from dalembert.errors import quoted
from dalembert.model.constraint import LEVELS
from dalembert.model.facts import START, fact
from dalembert.survey.configurations import (
    Configuration,
    assemble,
    column_sizes,
    finite_values,
    off_manifold,
    places_of,
)

if TYPE_CHECKING:
    from dalembert.model.system import System

DEPENDENT = 1e-7  # remainder of a scaled row that counts as zero
_PART = 1e-5  # share of another row in it that counts
_BLAMED = 40  # parameters that are changed one by one
_PARTS = (1.0, 0.2, 0.04)  # of a change, until the mechanism can be put together


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


@fact(START)
def redundancies_of(system: System) -> list[Redundancy]:
    """Return the constraints of a system that follow from others."""
    return find_redundancies(pilot_numeric_of(system), places_of(system)) if system.constraints else []


def find_redundancies(numeric: Numeric, places: Sequence[Configuration]) -> list[Redundancy]:
    """Find the constraints that follow from others at all configurations, and say on what that depends.

    Constraints on positions come first, those on accelerations last: only a stronger condition makes another redundant.
    """
    return _RedundancySearch(numeric, places).found()


class _RedundancySearch:
    def __init__(self, numeric: Numeric, places: Sequence[Configuration]):
        self.numeric, self.places = numeric, places
        self.constraints = numeric.system.constraints
        self.columns = column_sizes(numeric, places)
        self.base = pilot_parameters(numeric.system)
        self.kept: list[int] = []

    def found(self) -> list[Redundancy]:
        matrices = [self.numeric.all(p.t, p.q, p.v).A for p in self.places]
        elsewhere = off_manifold(self.numeric, self.places)
        values = finite_values(self.numeric, elsewhere)
        scale = Scale([*matrices, *(v.A for v in values)], self.columns)
        order = sorted(range(len(self.constraints)), key=lambda i: LEVELS.index(self.constraints[i].level))
        dependent = dependent_rows([scale.apply(A) for A in matrices], order)
        self.kept = [i for i in order if i not in dependent]
        depends = self.breaks(self.changes(range(len(self.constraints))), list(dependent))
        return [
            Redundancy(
                self.constraints[i].name,
                tuple(self.constraints[j].name for j in others),
                not self.follow(values, [i], others),
                self.value_dependence(i, others) if depends else (),
            )
            for i, others in sorted(dependent.items())
        ]

    def follow(self, values: Sequence[Values], rows: Sequence[int], others: Sequence[int]) -> bool:
        """Tell whether rows, and their right sides c, consist of others at some places."""
        if not values:
            return True
        scale = Scale([v.A for v in values], self.columns)
        return all(_consist(v, scale, rows, others) for v in values)

    def changes(self, rows: Iterable[int]) -> dict[str, float]:
        """Return by how much to change the parameters of some constraints: a few percent, each by its own."""
        used = {symbol.name for k in rows for symbol in self.constraints[k].expression.free_symbols}
        names = [name for name in self.base if name in used]
        parts = np.random.default_rng(5).uniform(0.02, 0.08, len(names))
        typical = float(np.median([abs(self.base[name]) for name in names if self.base[name]] or [1.0]))
        return {name: part * (self.base[name] or typical) for name, part in zip(names, parts, strict=True)}

    def breaks(self, changes: Mapping[str, float], rows: Sequence[int]) -> bool:
        """Tell whether a change of parameters makes rows independent of what is kept, or contradict it.

        The mechanism is put together again with the new values. Where that fails less is changed: what contradicts the
        others does so after the smallest change.
        """
        for part in _PARTS if changes else ():
            changed = {name: self.base[name] + part * change for name, change in changes.items()}
            numeric = Numeric(self.numeric.system, {**self.base, **changed})
            attempts = (assemble(numeric, place, {*rows, *self.kept}) for place in self.places)
            found = list(takewhile(lambda place: place is not None, attempts))  # the first failure says enough
            if len(found) == len(self.places):
                return not self.follow(finite_values(numeric, filter(None, found)), rows, self.kept)
        return bool(changes)

    def value_dependence(self, i: int, others: Sequence[int]) -> tuple[str, ...]:
        """Find the parameters whose change makes a constraint independent of the others, or contradict them."""
        changes = self.changes([i, *others])
        if not self.breaks(changes, [i]):
            return ()
        blamed = tuple(name for name in list(changes)[:_BLAMED] if self.breaks({name: changes[name]}, [i]))
        return blamed or tuple(changes)


def _consist(values: Values, scale: Scale, rows: Sequence[int], others: Sequence[int]) -> bool:
    A, c = scale.apply(values.A).toarray(), values.c / scale.rows
    for i in rows:
        shares = _shares(A, i, others)
        row, right = shares @ A[list(others)] - A[i], float(shares @ c[list(others)] - c[i])
        size = 1.0 + np.abs(c[[i, *others]]).max()
        if not (np.linalg.norm(row) <= DEPENDENT and abs(right) <= 1e-6 * size):
            return False
    return True
