"""The blocks of a large system as numbers, assembled from its elements, each kind for all instances at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.arrays import Array, Sparse
from dalembert.blocks.kinds import Elements, Kind
from dalembert.language.program import Program

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric, Residual, Values

_LARGE = 400  # unknowns
_LARGEST_BODY = 24  # coordinates of a body, beyond which nothing is repeated


def is_large(system) -> bool:
    """Tell whether a system is better taken by elements."""
    if system.kinetic is None or len(system.coordinates) + len(system.constraints) < _LARGE:
        return False
    return system.repeated.largest <= _LARGEST_BODY


class Assembled:
    """Evaluates M, f, A, c and the residuals of a system by its elements; `whole` says what they belong to."""

    def __init__(self, whole: Numeric, elements: Elements):
        from dalembert.blocks.numeric import Numeric

        self.whole = whole
        names = whole.system.parameters
        values = dict(zip(names, whole.parameters, strict=True))
        self.parts = [(kind, Numeric(kind.local, values, is_part=True)) for kind in elements.kinds]
        symbols = [se.Symbol(name) for name in names]
        self.offsets = Program(symbols, elements.offsets).floats(whole.parameters)

    def all(self, t: float, q: Array, v: Array) -> Values:
        """Return M, f, A, c."""
        from dalembert.blocks.numeric import Values

        n, s = self.whole.n, self.whole.s
        f, c = np.zeros(n), np.zeros(s)
        M, A = _Entries(), _Entries()
        for kind, part in self.parts:
            b, zero = part.blocks, part.vanishing
            out = self._run(part.programs.all, kind, t, q, v)
            masses, forces, rows, right = np.split(out, np.cumsum([len(b.M), part.n, len(b.A)]))
            M.add(b.M, masses, kind.coordinates, kind.coordinates)
            A.add(b.A, np.where(zero.A[:, None], 0.0, rows), kind.rows, kind.coordinates)
            f += np.bincount(kind.coordinates.T.ravel(), forces.ravel(), n)
            c[kind.rows.T] = np.where(zero.c[:, None], 0.0, right)
        return Values(M.sparse((n, n)), f, A.sparse((s, n)), c)

    def mass(self, t: float, q: Array) -> Sparse:
        """Return M(q, t)."""
        M = _Entries()
        for kind, part in self.parts:
            M.add(part.blocks.M, self._run(part.programs.mass, kind, t, q), kind.coordinates, kind.coordinates)
        return M.sparse((self.whole.n, self.whole.n))

    def residual(self, name: str, rows: list[int], t: float, q: Array, v: Array | None = None) -> Residual:
        """Return residuals, their Jacobian and the sizes of their terms, for some constraints."""
        place = np.full(self.whole.s, -1)
        place[rows] = np.arange(len(rows))
        residual, size, J = np.zeros(len(rows)), np.zeros(len(rows)), _Entries()
        for kind, part in self.parts:
            level = getattr(part.programs, name)
            if not level.rows:
                continue
            out, zero = self._run(level.program, kind, t, q, v), part.vanishing_terms(name)
            out = out if zero is None else np.where(zero[:, None], 0.0, out)
            terms, entries = np.split(out, [len(level.owners)])
            own = place[kind.rows[:, level.rows]]
            where = own[:, level.owners].T.ravel()
            residual += np.bincount(where, terms.ravel(), len(rows))
            size += np.bincount(where, np.abs(terms).ravel(), len(rows))
            J.add(level.entries, entries, own, kind.coordinates)
        return residual, J.sparse((len(rows), self.whole.n)), size

    def _run(self, program: Program, kind: Kind, t: float, q: Array, v: Array | None = None) -> Array:
        count = len(kind)
        columns = kind.coordinates.T
        velocities = np.zeros(columns.shape) if v is None else v[columns]
        inputs = [np.full(count, t), *q[columns], *velocities, *(np.full(count, p) for p in self.whole.parameters)]
        inputs += list(self.offsets[kind.offsets.T])
        out = program.arrays(inputs)
        return out.reshape(len(program.outputs), count)


class _Entries:
    """Gathers entries of a sparse matrix, those at the same place to be added."""

    def __init__(self) -> None:
        self.values: list[Array] = [np.zeros(0)]
        self.rows: list[Array] = [np.zeros(0, dtype=np.int64)]
        self.columns: list[Array] = [np.zeros(0, dtype=np.int64)]

    def add(self, entries, values: Array, rows: Array, columns: Array) -> None:
        places = np.array(list(entries), dtype=np.int64).reshape(-1, 2)
        self.values.append(values.ravel())
        self.rows.append(rows[:, places[:, 0]].T.ravel())
        self.columns.append(columns[:, places[:, 1]].T.ravel())

    def sparse(self, shape: tuple[int, int]) -> Sparse:
        parts = (np.concatenate(self.values), (np.concatenate(self.rows), np.concatenate(self.columns)))
        return sp.csr_array(sp.coo_array(parts, shape=shape))
