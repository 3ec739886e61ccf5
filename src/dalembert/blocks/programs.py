"""The blocks of a system as programs: prepared once for all values of its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.nearest import connected
from dalembert.arrays import Array, Sparse
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.model.facts import STRUCTURE, fact

if TYPE_CHECKING:
    from dalembert.blocks.symbolic import Blocks
    from dalembert.model.system import System

_SIZES = (0.1, 1.0, 1e3, 1e6, 1e9)  # of the states at which an expression must vanish to count as zero
REPEATED = 12  # times that each state is repeated, slightly changed,
ONE_SIZE = slice(REPEATED, 2 * REPEATED)  # of the random states
_NUDGE = 1e-13  # relatively: beyond rounding, and little for everything else


class EntryPlaces:
    """Places of the entries of a sparse matrix, sorted once for all values."""

    def __init__(self, entries: Iterable[tuple[int, int]], shape: tuple[int, int]):
        places = np.array(list(entries), dtype=int).reshape(-1, 2)
        self._order = np.lexsort((places[:, 1], places[:, 0]))
        self._columns = places[self._order, 1].astype(np.int32)
        self._starts = np.searchsorted(places[self._order, 0], np.arange(shape[0] + 1)).astype(np.int32)
        self._shape, self.places = shape, (places[:, 0], places[:, 1])

    def __call__(self, values: Array, dense: bool = False) -> Any:
        """Return the matrix with these entries, sparse or dense."""
        if dense:
            full = np.zeros(self._shape)
            full[self.places] = values
            return full
        return sp.csr_array((values[self._order], self._columns, self._starts), shape=self._shape)

    def stacked(self, rows: Array) -> Array:
        """Return dense matrices, one for each row of entries."""
        full = np.zeros((len(rows), *self._shape))
        full[:, *self.places] = rows
        return full


@dataclass(frozen=True)
class LevelPrograms:
    """Constraints of one level: the program of their terms, and to which of them each term belongs."""

    rows: list[int]
    owners: Array
    entries: list[tuple[int, int]]
    program: Program
    pattern: EntryPlaces
    places: Array  # of these entries in A
    terms: list[Expr]

    @cached_property
    def groups(self) -> Array:
        """Which coordinates these constraints connect."""
        return connected(self.pattern(np.ones(len(self.entries))))


class Programs:
    """The blocks of a system as programs, whatever the values of its parameters."""

    def __init__(self, system: System):
        self.blocks: Blocks = system.blocks
        b = self.blocks
        self.inputs = [b.t, *b.q, *b.v, *b.parameters]
        self.n, self.s = len(b.q), len(b.c)
        self._holonomic, self._kinematic = rows_of_levels(system)
        self.native: Any = None  # what keeps native code of them, once there is some,
        self.starter: Any = None  # and what finds ordinary starts with it

    def program(self, outputs: Iterable[Expr]) -> Program:
        """Prepare expressions of t, q, v and the parameters for evaluation."""
        return Program(self.inputs, list(outputs))

    @cached_property
    def patterns(self) -> tuple[EntryPlaces, EntryPlaces]:
        """Where the entries of M and of A stand."""
        return EntryPlaces(self.blocks.M, (self.n, self.n)), EntryPlaces(self.blocks.A, (self.s, self.n))

    @cached_property
    def diagonal(self) -> list[int | None]:
        """Which entry of M stands on its diagonal, for each coordinate; None where it is zero."""
        found = {i: k for k, (i, j) in enumerate(self.blocks.M) if i == j}
        return [found.get(i) for i in range(self.n)]

    @cached_property
    def mass(self) -> Program:
        """M."""
        return self.program(self.blocks.M.values())

    @cached_property
    def all(self) -> Program:
        """M, f, A and c."""
        b = self.blocks
        return self.program([*b.M.values(), *b.f, *b.A.values(), *b.c])

    @cached_property
    def conditions(self) -> Program:
        """A, c, and the terms of g and ψ."""
        b = self.blocks
        return self.program([*b.A.values(), *b.c, *self.position.terms, *self.velocity.terms])

    @cached_property
    def position(self) -> LevelPrograms:
        """g, term by term, and its rows of A."""
        return self._level(self._holonomic, self.blocks.g)

    @cached_property
    def velocity(self) -> LevelPrograms:
        """ψ, term by term, and its rows of A."""
        return self._level(self._kinematic, self.blocks.psi)

    def _level(self, rows: list[int], expressions: Sequence[Expr | None]) -> LevelPrograms:
        """Prepare the residuals of some constraints term by term, and their rows of A."""
        terms, owners = [], []
        for k, i in enumerate(rows):
            expr = expressions[i]
            parts = expr.args if expr is not None and expr.is_Add else (expr,)
            terms += parts
            owners += [k] * len(parts)
        place = {row: k for k, row in enumerate(rows)}
        entries = {(place[i], j): entry for (i, j), entry in self.blocks.A.items() if i in place}
        places = np.array([k for k, (i, _) in enumerate(self.blocks.A) if i in place], dtype=int)
        program, pattern = self.program([*terms, *entries.values()]), EntryPlaces(entries, (len(rows), self.n))
        return LevelPrograms(rows, np.array(owners, dtype=int), list(entries), program, pattern, places, terms)

    @property
    def together(self) -> Program:
        """M, f, A, c, and the terms of g and ψ."""
        b = self.blocks
        return self.program([*b.M.values(), *b.f, *b.A.values(), *b.c, *self.position.terms, *self.velocity.terms])

    @property
    def parts(self) -> list[tuple[Program, Array]]:
        """The programs, and which outputs of all together are theirs."""
        b = self.blocks
        sizes = [len(b.M), self.n, len(b.A), self.s, len(self.position.terms), len(self.velocity.terms)]
        M, f, A, c, g, psi = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        return [
            (self.mass, M),
            (self.all, np.concatenate([M, f, A, c])),
            (self.conditions, np.concatenate([A, c, g, psi])),
            (self.position.program, np.concatenate([g, A[self.position.places]])),
            (self.velocity.program, np.concatenate([psi, A[self.velocity.places]])),
        ]

    @cached_property
    def holding(self) -> list[int]:
        """The places of the parameters of which A, c, g and ψ are made."""
        b = self.blocks
        entries = [*b.A.values(), *b.c, *b.g, *b.psi]
        used = set().union(*(expr.free_symbols for expr in entries if expr is not None))
        return [k for k, symbol in enumerate(b.parameters) if symbol in used]

    @cached_property
    def random(self) -> tuple[Array, Array]:
        """States of every size at which what is zero is looked for, slightly changed, and changes of the parameters.

        One row for each, those of one size after the other.
        """
        random = np.random.default_rng(9)
        first = 1 + 2 * self.n
        state = random.normal(size=(first, len(_SIZES)))[..., None] * np.array(_SIZES)[:, None]
        nudges = 1 + _NUDGE * random.uniform(-1, 1, size=(len(self.inputs), len(_SIZES), REPEATED))
        states, changes = state * nudges[:first], nudges[first:]
        count = len(_SIZES) * REPEATED
        return np.ascontiguousarray(states.reshape(first, count).T), changes.reshape(len(changes), count).T

    @cached_property
    def sums(self) -> Sparse:
        """What makes A, c, g and ψ of `conditions`, with zeros where a constraint has no residual of a level."""
        plain, owners = len(self.blocks.A) + self.s, []
        for k, level in enumerate((self.position, self.velocity)):
            owners += [plain + k * self.s + level.rows[i] for i in level.owners]
        rows = np.array([*range(plain), *owners], dtype=int)
        return sp.csr_array((np.ones(len(rows)), (rows, np.arange(len(rows)))), shape=(plain + 2 * self.s, len(rows)))


@fact(STRUCTURE)
def rows_of_levels(system: System) -> tuple[list[int], list[int]]:
    """Return the constraints that have a residual g, and those that have a residual ψ."""
    levels = [constraint.level for constraint in system.constraints]
    holonomic = [i for i, level in enumerate(levels) if level == "position"]
    return holonomic, [i for i, level in enumerate(levels) if level != "acceleration"]


@fact(STRUCTURE)
def programs(system: System) -> Programs:
    """Return the blocks as programs; what cannot be derived is refused here."""
    return Programs(system)
