"""The blocks of long trees: equations in the velocities of bodies, and how these follow from those of the joints.

With velocities W q̇ of coordinates and bodies, accelerations W q̈ + β, and M, f, A, c written for both, the blocks in the
coordinates of the tree are WᵀM W, Wᵀ(f − M β), A W and c − A β. As formulas they would be long; as numbers W is found
outwards, link by link, and kernels need none of these products at all (`native/articulated.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from dalembert.arrays import Array, Sparse
from dalembert.blocks.symbolic import Blocks, derive_blocks
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.model.facts import STRUCTURE, Survey, fact
from dalembert.model.mechanism.outward import Link
from dalembert.model.way import Way

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric, Residual, Values
    from dalembert.model.mechanism.mechanism import Mechanism

ROUNDING = 1e-13  # of what an entry of A is made of: below, it is nothing


@dataclass(frozen=True)
class LinkedBlocks:
    """The equations of a long tree, in its coordinates and in what its bodies move along, behind them.

    blocks: in all of these. index: their numbers by name. attached: what moves with bodies, and is none of these.
    """

    blocks: Blocks
    links: tuple[Link, ...]
    index: dict[str, int]
    attached: Mapping[Expr, Way]
    n: int

    @property
    def inputs(self) -> list[Expr]:
        """What programs are given: t, q, v and the parameters."""
        b = self.blocks
        return [b.t, *b.q[: self.n], *b.v[: self.n], *b.parameters]

    @cached_property
    def own(self) -> Blocks:
        """The blocks with nothing but the coordinates in q and v, and where A has entries."""
        b = self.blocks
        return replace(b, q=b.q[: self.n], v=b.v[: self.n], A=dict.fromkeys(self.pattern, b.t))

    @cached_property
    def reach(self) -> dict[str, frozenset[int]]:
        """The coordinates on which each velocity depends."""
        found = {name: frozenset((i,)) for name, i in self.index.items() if i < self.n}
        for link in self.links:
            for row in link.rows:
                found[row] = frozenset().union(*(found[c] for c in link.columns if (row, c) in link.slopes))
        return found

    @cached_property
    def pattern(self) -> list[tuple[int, int]]:
        """Where A has entries, in the coordinates alone."""
        names, found = list(self.index), set[tuple[int, int]]()
        for i, j in self.blocks.A:
            found |= {(i, k) for k in self.reach[names[j]]}
        return sorted(found)


@fact(STRUCTURE)
def linked_blocks(system: Mechanism) -> LinkedBlocks:
    """Derive the equations of a long tree in the velocities of its bodies."""
    outward = system.outward
    if outward is None:
        raise TypeError(f"{system!r} is no long tree, and has blocks of its own: ask for `system.blocks`")
    names = (*system.coordinates, *outward.rows)
    index = {name: i for i, name in enumerate(names)}
    attached = outward.ways(index)
    given: Any = SimpleNamespace(
        survey=Survey(),
        coordinates=names,
        kinetic=system.kinetic,
        potential=system.potential,
        mass=None,
        force=None,
        forces=system.forces,
        constraints=system.constraints,
        parameters=system.parameters,
        attached=attached,
    )
    return LinkedBlocks(derive_blocks(given), tuple(outward.links), index, attached, len(system.coordinates))


class Followed:
    """Evaluates M, f, A, c and the residuals of a long tree; `whole` says what they belong to."""

    def __init__(self, whole: Numeric):
        self.whole, self.known = whole, _programs(whole.system)

    def all(self, t: float, q: Array, v: Array) -> Values:
        """Return M, f, A, c."""
        from dalembert.blocks.numeric import Values

        known, b = self.known, self.known.linked.blocks
        out = self.whole.evaluate(known.all, t, q, v)
        slopes, bias, masses, f, entries, c = np.split(out, known.ends)
        W, beta = known.outward(slopes, bias)
        M, A = known.mass(masses), known.jacobian(entries)
        return Values(_full(W.T @ (M @ W)), W.T @ (f - M @ beta), self._jacobian(A, W), c[: len(b.c)] - A @ beta)

    def directions(self, q: Array) -> Array:
        """Return W, the velocities of coordinates and bodies by those of the coordinates."""
        slopes, bias = np.split(self.whole.evaluate(self.known.all, 0.0, q), self.known.ends)[:2]
        return self.known.outward(slopes, bias)[0]

    def mass(self, t: float, q: Array) -> Sparse:
        """Return M(q, t)."""
        return self.all(t, q, np.zeros(self.whole.n)).M

    def residual(self, name: str, t: float, q: Array, v: Array | None = None) -> Residual:
        """Return residuals of a level, their Jacobian and the sizes of their terms."""
        known, v = self.known, np.zeros(self.whole.n) if v is None else v
        rows = self.whole.holonomic if name == "position" else self.whole.kinematic
        terms, owners = known.terms(name)
        out = self.whole.evaluate(known.all, t, q, v)
        slopes, bias, _, _, entries, _ = np.split(out, known.ends)
        W = known.outward(slopes, bias)[0]
        values = self.whole.evaluate(terms, t, q, v)
        residual, size = (np.bincount(owners, some, len(rows)) for some in (values, np.abs(values)))
        A, moved = known.jacobian(entries), known.turning if name == "position" else W @ v
        lengths = np.sqrt((A * A) @ known.groups) @ np.sqrt(known.groups.T @ (moved * moved))
        # a term may be an entry of a rotation matrix that is zero but for rounding: that is rounding beside 1
        return residual, sp.csr_array(self._jacobian(A, W)[rows]), np.maximum(size, lengths[rows])

    def _jacobian(self, A: Sparse, W: Array) -> Sparse:
        """Return A W, without what is nothing but rounding: beside lengths of vectors, whatever their axes."""
        (rows, columns), groups = self.known.places, self.known.groups
        size = (np.sqrt((A * A) @ groups) @ np.sqrt(groups.T @ (W * W)))[rows, columns]
        found = (A @ W)[rows, columns]
        found[np.abs(found) < ROUNDING * size] = 0.0
        return sp.csr_array((found, (rows, columns)), shape=(self.whole.s, self.whole.n))


class _FollowedPrograms:
    """What is evaluated of a long tree, whatever the values of its parameters."""

    def __init__(self, system: Mechanism):
        self.system, self.linked = system, linked_blocks(system)
        b, links = self.linked.blocks, self.linked.links
        parts = [
            [slope for link in links for slope in link.slopes.values()],
            [bias for link in links for bias in link.bias.values()],
            list(b.M.values()),
            list(b.f),
            list(b.A.values()),
            list(b.c),
        ]
        self.ends = np.cumsum([len(part) for part in parts])[:-1]
        self.all = self._program([entry for part in parts for entry in part])
        self.places = tuple(np.array(self.linked.pattern, dtype=int).reshape(-1, 2).T)
        self._terms: dict[str, tuple[Program, Array]] = {}

    def _program(self, outputs: list[Expr]) -> Program:
        return Program(self.linked.inputs, outputs, self.system.defined)

    @cached_property
    def turning(self) -> Array:
        """One where a velocity is that of a turn: for each body, the first of its links."""
        return np.isin(list(self.linked.index), [row for link in self.linked.links[::2] for row in link.rows]) * 1.0

    @cached_property
    def groups(self) -> Sparse:
        """Which velocities are components of one vector: those of a link; each coordinate is one of its own."""
        index, n = self.linked.index, self.linked.n
        places = [(i, i) for i in range(n)]
        places += [(index[row], n + k) for k, link in enumerate(self.linked.links) for row in link.rows]
        rows, columns = np.array(places).T
        return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(index), n + len(self.linked.links)))

    def terms(self, name: str) -> tuple[Program, Array]:
        """Return the terms of the residuals of a level, and to which of them each belongs."""
        if name not in self._terms:
            residuals = self.linked.blocks.g if name == "position" else self.linked.blocks.psi
            present = [residual for residual in residuals if residual is not None]
            parts = [residual.args if residual.is_Add else (residual,) for residual in present]
            owners = [k for k, part in enumerate(parts) for _ in part]
            self._terms[name] = self._program([term for part in parts for term in part]), np.array(owners, dtype=int)
        return self._terms[name]

    def mass(self, entries: Array) -> Sparse:
        """Return M with these entries."""
        return self._matrix(self.linked.blocks.M, entries, len(self.linked.index))

    def jacobian(self, entries: Array) -> Sparse:
        """Return A with these entries."""
        return self._matrix(self.linked.blocks.A, entries, len(self.linked.blocks.c))

    def _matrix(self, places: Any, entries: Array, rows: int) -> Sparse:
        i, j = np.array(list(places), dtype=int).reshape(-1, 2).T
        return sp.csr_array((entries, (i, j)), shape=(rows, len(self.linked.index)))

    def outward(self, slopes: Array, bias: Array) -> tuple[Array, Array]:
        """Return W and β."""
        n, index = self.linked.n, self.linked.index
        W, beta = np.vstack([np.eye(n), np.zeros((len(index) - n, n))]), np.zeros(len(index))
        slope, bent = iter(slopes.tolist()), iter(bias.tolist())
        for link in self.linked.links:
            for row, column in link.slopes:
                i, j, x = index[row], index[column], next(slope)
                W[i] += x * W[j]
                beta[i] += x * beta[j]
            for row in link.bias:
                beta[index[row]] += next(bent)
        return W, beta


@fact(STRUCTURE)
def _programs(system: Mechanism) -> _FollowedPrograms:
    return _FollowedPrograms(system)


def _full(matrix: Array) -> Sparse:
    """Return a full matrix as a sparse one in which every entry has its place."""
    rows, columns = np.indices(matrix.shape)
    return sp.csr_array((matrix.ravel(), (rows.ravel(), columns.ravel())), shape=matrix.shape)
