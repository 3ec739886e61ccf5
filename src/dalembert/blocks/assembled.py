"""The blocks of a large system as numbers, assembled from its elements, each kind for all instances at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.either import with_entries
from dalembert.arrays import Array, Sparse
from dalembert.blocks.followed import linked_blocks
from dalembert.blocks.kinds import Elements, Kind
from dalembert.language.program import Program

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric, Residual, Values

_LARGE = 400  # unknowns
_LARGEST_BODY = 24  # coordinates of a body, beyond which nothing is repeated


def is_large(system) -> bool:
    """Tell whether a system is better taken by elements, or link by link."""
    if system.defined:
        return True
    if system.kinetic is None or system.states or len(system.coordinates) + len(system.constraints) < _LARGE:
        return False
    if system.followed:  # their multipliers may be of any constraints
        return False
    return system.repeated.largest <= _LARGEST_BODY


def places_in_A(system) -> tuple[Array, Array]:
    """Return the rows and the columns of the entries of A; those of a large system by its elements."""
    if system.defined:
        rows, columns = np.array(linked_blocks(system).pattern, dtype=int).reshape(-1, 2).T
        return rows, columns
    if is_large(system):
        found = []
        for kind in system.repeated.kinds:
            at = np.array(list(kind.local.blocks.A), dtype=int).reshape(-1, 2)
            found.append((kind.rows[:, at[:, 0]].ravel(), kind.coordinates[:, at[:, 1]].ravel()))
        rows, columns = (np.concatenate(part) for part in zip(*found, strict=True))
        return rows, columns
    rows, columns = np.array(list(system.blocks.A), dtype=int).reshape(-1, 2).T
    return rows, columns


class Assembled:
    """Evaluates M, f, A, c and the residuals of a system by its elements; `whole` says what they belong to."""

    def __init__(self, whole: Numeric, elements: Elements):
        from dalembert.blocks.numeric import Numeric

        self.whole = whole
        names = whole.system.parameters
        values = dict(zip(names, whole.parameters, strict=True))
        self.parts = [(kind, Numeric(kind.local, values, is_part=True)) for kind in elements.kinds]
        symbols = [se.Symbol(name) for name in names]
        offsets = Program(symbols, elements.offsets).floats(whole.parameters)
        self._values = [[*self._same(kind), *offsets[kind.offsets.T]] for kind in elements.kinds]
        self._levels: dict[str, _LevelPlaces] = {}

    def _same(self, kind: Kind) -> list[Array]:
        """Return the values of the parameters, the same ones for all instances of a kind."""
        return [np.broadcast_to(value, len(kind)) for value in self.whole.parameters]

    def all(self, t: float, q: Array, v: Array) -> Values:
        """Return M, f, A, c."""
        from dalembert.blocks.numeric import Values

        n, s = self.whole.n, self.whole.s
        f, c = np.zeros(n), np.zeros(s)
        M, A = [], []
        for k, (kind, part) in enumerate(self.parts):
            b, zero = part.blocks, part.vanishing
            out = self._run(part.programs.all, k, t, q, v)
            masses, forces, rows, right = np.split(out, np.cumsum([len(b.M), part.n, len(b.A)]))
            M.append(masses)
            A.append(np.where(zero.A[:, None], 0.0, rows))
            f += np.bincount(kind.coordinates.T.ravel(), forces.ravel(), n)
            c[kind.rows.T] = np.where(zero.c[:, None], 0.0, right)
        return Values(self._mass(M), f, self._jacobian(A), c)

    def mass(self, t: float, q: Array) -> Sparse:
        """Return M(q, t)."""
        return self._mass([self._run(part.programs.mass, k, t, q) for k, (_, part) in enumerate(self.parts)])

    @cached_property
    def _mass(self) -> _Places:
        parts = [(part.blocks.M, kind.coordinates, kind.coordinates) for kind, part in self.parts]
        return _Places(parts, (self.whole.n, self.whole.n))

    @cached_property
    def _jacobian(self) -> _Places:
        parts = [(part.blocks.A, kind.rows, kind.coordinates) for kind, part in self.parts]
        return _Places(parts, (self.whole.s, self.whole.n))

    def residual(self, name: str, t: float, q: Array, v: Array | None = None) -> Residual:
        """Return residuals of a level, their Jacobian and the sizes of their terms."""
        if name not in self._levels:
            self._levels[name] = _LevelPlaces(self, name)
        places, terms, entries = self._levels[name], [np.zeros(0)], []
        for k, owners in places.kinds:
            part = self.parts[k][1]
            out, zero = self._run(getattr(part.programs, name).program, k, t, q, v), part.vanishing_terms(name)
            out = out if zero is None else np.where(zero[:, None], 0.0, out)
            terms.append(out[:owners].ravel())
            entries.append(out[owners:])
        values = np.concatenate(terms)
        residual, size = (np.bincount(places.owners, some, places.count) for some in (values, np.abs(values)))
        return residual, places.jacobian(entries), size

    def _run(self, program: Program, k: int, t: float, q: Array, v: Array | None = None) -> Array:
        kind = self.parts[k][0]
        places = kind.coordinates.T
        velocities = np.zeros(places.shape) if v is None else v[places]
        out = program.arrays([np.full(len(kind), t), *q[places], *velocities, *self._values[k]])
        return out.reshape(len(program.outputs), len(kind))


class _LevelPlaces:
    """Where the terms and slopes of the constraints of a level go.

    kinds: which kinds of elements have some, and the number of their terms. owners: the row of each term.
    """

    def __init__(self, assembled: Assembled, name: str):
        whole = assembled.whole
        rows = whole.holonomic if name == "position" else whole.kinematic
        place = np.full(whole.s, -1)
        place[rows] = np.arange(len(rows))
        self.count, self.kinds, owners, parts = len(rows), [], [np.zeros(0, dtype=np.int64)], []
        for k, (kind, part) in enumerate(assembled.parts):
            level = getattr(part.programs, name)
            if level.rows:
                own = place[kind.rows[:, level.rows]]
                self.kinds.append((k, len(level.owners)))
                owners.append(own[:, level.owners].T.ravel())
                parts.append((level.entries, own, kind.coordinates))
        self.owners, self.jacobian = np.concatenate(owners), _Places(parts, (len(rows), whole.n))


class _Places:
    """Where entries of the parts of a sparse matrix go, found once for all values; those at one place are added."""

    def __init__(self, parts: Sequence[tuple[Iterable[tuple[int, int]], Array, Array]], shape: tuple[int, int]):
        where = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
        for entries, rows, columns in parts:
            i, j = np.array(list(entries), dtype=np.int64).reshape(-1, 2).T
            where.append((rows[:, i].T.ravel(), columns[:, j].T.ravel()))
        i, j = (np.concatenate(each) for each in zip(*where, strict=True))
        self._pattern = sp.csr_array(sp.coo_array((np.ones(len(i)), (i, j)), shape=shape))
        flat = np.repeat(np.arange(shape[0]), np.diff(self._pattern.indptr)) * shape[1] + self._pattern.indices
        order = np.argsort(flat)
        self._slots = order[np.searchsorted(flat, i * shape[1] + j, sorter=order)]

    def __call__(self, values: Sequence[Array]) -> Sparse:
        """Return the matrix with these entries of its parts."""
        flat = np.concatenate([np.zeros(0), *(each.ravel() for each in values)])
        return with_entries(self._pattern, np.bincount(self._slots, flat, len(self._pattern.data)))
