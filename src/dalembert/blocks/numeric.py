"""The blocks as numbers at a state: what check, start and the thin end of the pipeline compute with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.either import entries
from dalembert.algebra.nearest import connected
from dalembert.arrays import Array, Sparse
from dalembert.blocks.assembled import Assembled, is_large
from dalembert.errors import ModelError, Problem, nearest
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.model.facts import PARAMETERS, START, STRUCTURE, fact
from dalembert.model.sections.controls import without_value
from dalembert.model.sections.functions import left_open, refuse_open

if TYPE_CHECKING:
    from dalembert.blocks.symbolic import Blocks
    from dalembert.model.system import System

_SIZES = (0.1, 1.0, 1e3, 1e6, 1e9)  # of the states at which an expression must vanish to count as zero
_REPEATED = 12  # times that each state is repeated, slightly changed,
ONE_SIZE = slice(_REPEATED, 2 * _REPEATED)  # of the random states
_SMALL = 200  # unknowns, up to which calls of sparse matrices take longer than their arithmetic
_NUDGE = 1e-13  # relatively: beyond rounding, and little for everything else

Residual = tuple[Array, Any, Array]  # residuals, Jacobian, sizes of the terms


@dataclass(frozen=True)
class Values:
    """The blocks at one state; M and A sparse, or dense where that was asked for."""

    M: Any
    f: Array
    A: Any
    c: Array

    def finite(self) -> bool:
        """Whether every entry is a finite number."""
        return all(np.all(np.isfinite(part)) for part in (entries(self.M), self.f, entries(self.A), self.c))


@dataclass(frozen=True)
class Vanishing:
    """Which entries of A, c, g and ψ are always zero."""

    A: Array
    c: Array
    g: Array
    psi: Array


@dataclass(frozen=True)
class LevelPrograms:
    """Constraints of one level: the program of their terms, and to which of them each term belongs."""

    rows: list[int]
    owners: Array
    entries: list[tuple[int, int]]
    program: Program
    pattern: _Pattern
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
        self.native: Any = None  # what keeps native code of them, once there is some,
        self.starter: Any = None  # and what finds ordinary starts with it
        levels = [constraint.level for constraint in system.constraints]
        self._holonomic = [i for i, level in enumerate(levels) if level == "position"]
        self._kinematic = [i for i, level in enumerate(levels) if level != "acceleration"]

    def program(self, outputs: Iterable[Expr]) -> Program:
        """Prepare expressions of t, q, v and the parameters for evaluation."""
        return Program(self.inputs, list(outputs))

    @cached_property
    def patterns(self) -> tuple[_Pattern, _Pattern]:
        """Where the entries of M and of A stand."""
        return _Pattern(self.blocks.M, (self.n, self.n)), _Pattern(self.blocks.A, (self.s, self.n))

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
        program, pattern = self.program([*terms, *entries.values()]), _Pattern(entries, (len(rows), self.n))
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
    def random(self) -> tuple[Array, Array]:
        """States of every size at which what is zero is looked for, slightly changed, and changes of the parameters.

        One row for each, those of one size after the other.
        """
        random = np.random.default_rng(9)
        first = 1 + 2 * self.n
        state = random.normal(size=(first, len(_SIZES)))[..., None] * np.array(_SIZES)[:, None]
        nudges = 1 + _NUDGE * random.uniform(-1, 1, size=(len(self.inputs), len(_SIZES), _REPEATED))
        states, changes = state * nudges[:first], nudges[first:]
        count = len(_SIZES) * _REPEATED
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
def programs(system: System) -> Programs:
    """Return the blocks as programs; what cannot be derived is refused here."""
    return Programs(system)


@fact(START)
def numeric_of(system: System) -> Numeric:
    """Return the blocks for the values of the system."""
    refuse_open(system)
    return Numeric(system)


@fact(START)
def pilot_numeric_of(system: System) -> Numeric:
    """Return the blocks for the values of the system, and others where it has none, of functions too."""
    return numeric_of(system) if has_values(system) else Numeric(system, pilot_parameters(system))


def has_values(system: System) -> bool:
    """Tell whether all parameters and functions of a system have values."""
    return None not in system.parameters.values() and not left_open(system)


@fact(PARAMETERS)
def pilot_parameters(system: System) -> dict[str, float]:
    """Return the user's values, and random ones where there are none."""
    if None not in system.parameters.values():
        return dict(system.parameters)  # pyright: ignore[reportReturnType]
    random = np.random.default_rng(2)
    return {
        name: float(random.uniform(0.5, 1.5)) if value is None else value for name, value in system.parameters.items()
    }


class Numeric:
    """Evaluates the blocks of a system for given parameter values.

    `holonomic` and `kinematic` list the constraints that have a residual g, and those that have a residual ψ.
    """

    def __init__(self, system: System, parameters: Mapping[str, float] | None = None, is_part: bool = False):
        self.system = system
        self.parameters = parameter_values(system, parameters or {})
        self.n, self.s = len(system.coordinates), len(system.constraints)
        levels = [constraint.level for constraint in system.constraints]
        self.holonomic = [i for i, level in enumerate(levels) if level == "position"]
        self.kinematic = [i for i, level in enumerate(levels) if level != "acceleration"]
        self._assembled = Assembled(self, system.repeated) if not is_part and is_large(system) else None
        if self._assembled is None:
            self.programs = programs(system)

    @property
    def blocks(self) -> Blocks:
        """The blocks as formulas."""
        return self.system.blocks

    def program(self, outputs: Iterable[Expr]) -> Program:
        """Prepare expressions of t, q, v and the parameters for evaluation."""
        return programs(self.system).program(outputs)

    def evaluate(self, program: Program, t: float, q: Array, v: Array | None = None) -> Array:
        """Run a program at a state."""
        if program.native is None:
            return program.floats([t, *q, *(np.zeros(self.n) if v is None else v), *self.parameters])
        row = self._row.copy()
        row[0, 0], row[0, 1 : 1 + self.n] = t, q
        if v is not None:
            row[0, 1 + self.n : 1 + 2 * self.n] = v
        return program.native(row)[0]

    @cached_property
    def _row(self) -> Array:
        """What programs are given, with the values of the parameters."""
        return np.array([[0.0, *np.zeros(2 * self.n), *self.parameters]])

    @property
    def small(self) -> bool:
        """Whether matrices are better taken as dense."""
        return self._assembled is None and self.n + self.s <= _SMALL

    def mass(self, t: float, q: Array, dense: bool = False) -> Any:
        """Return M(q, t), sparse or dense."""
        if self._assembled:
            return self._assembled.mass(t, q)
        return self.programs.patterns[0](self.evaluate(self.programs.mass, t, q), dense)

    def position(self, t: float, q: Array, dense: bool = False) -> Residual:
        """Return g, its Jacobian and the sizes of its terms, for the constraints in `holonomic`."""
        if self._assembled:
            return self._assembled.residual("position", t, q)
        return self._residual("position", dense, t, q)

    def velocity(self, t: float, q: Array, v: Array, dense: bool = False) -> Residual:
        """Return ψ, ∂ψ/∂v and the sizes of its terms, for the constraints in `kinematic`."""
        if self._assembled:
            return self._assembled.residual("velocity", t, q, v)
        return self._residual("velocity", dense, t, q, v)

    def all(self, t: float, q: Array, v: Array, dense: bool = False) -> Values:
        """Return M, f, A, c; M and A sparse or dense."""
        if self._assembled:
            return self._assembled.all(t, q, v)
        out = self.evaluate(self.programs.all, t, q, v)
        sizes = np.cumsum([len(self.blocks.M), self.n, len(self.blocks.A)])
        M, f, A, c = np.split(out, sizes)
        A, c = np.where(self.vanishing.A, 0.0, A), np.where(self.vanishing.c, 0.0, c)
        patterns = self.programs.patterns
        return Values(patterns[0](M, dense), f, patterns[1](A, dense), c)

    def _residual(self, what: str, dense: bool, t: float, q: Array, v: Array | None = None) -> Residual:
        level: LevelPrograms = getattr(self.programs, what)
        out = self.evaluate(level.program, t, q, v)
        zero = self.vanishing_terms(what)
        if zero is not None:
            out = np.where(zero, 0.0, out)
        rows, terms = len(level.rows), len(level.owners)
        values, entries = out[:terms], out[terms:]
        residual = np.bincount(level.owners, values, rows) if terms else np.zeros(rows)
        size = np.bincount(level.owners, np.abs(values), rows) if terms else np.zeros(rows)
        return residual, level.pattern(entries, dense), size

    def vanishing_terms(self, what: str) -> Array | None:
        """Return which terms of the constraints of a level, and entries of A behind them, are to be taken as zero."""
        if what not in self._zero:
            level = getattr(self.programs, what)
            residuals = self.vanishing.g if what == "position" else self.vanishing.psi
            of_rows = residuals[np.array(level.rows, dtype=int)]
            zero = np.concatenate([of_rows[level.owners], self.vanishing.A[level.places]])
            self._zero[what] = zero if np.any(zero) else None
        return self._zero[what]

    @cached_property
    def _zero(self) -> dict[str, Array | None]:
        return {}

    @cached_property
    def units(self) -> Array:
        """By what changes of each coordinate are measured; 0 where nothing is known but its values."""
        return self.system.units(self)

    @cached_property
    def vanishing(self) -> Vanishing:
        """Find what is zero though it is not written so: nothing but rounding at any state.

        Rows of such entries would be blown up to full rows wherever rows are scaled. Rounding is told by its change:
        it is another one after a change of the inputs that hardly changes anything else. Only what vanishes at states
        of every size does so always.
        """
        known = self.system.parameters.values()
        if None not in known and self.parameters == [float(value) for value in known]:  # pyright: ignore
            return self.system.survey.find(PARAMETERS, ("vanishing",), self._vanishing)
        return self._vanishing()

    def _vanishing(self) -> Vanishing:
        if not self.s:
            return Vanishing(*(np.zeros(0, dtype=bool) for _ in range(4)))
        entries, s = len(self.blocks.A), self.s
        zero = np.zeros(entries + 3 * s, dtype=bool)
        noise, finite = self._noise(ONE_SIZE)  # mostly nothing is left to look at
        if np.any(noise | ~finite):
            noise, finite = self._noise(slice(None))
            zero = np.all(noise | ~finite, axis=1) & np.any(finite, axis=1)
        ends = (entries, entries + s, entries + 2 * s)
        return Vanishing(zero[: ends[0]], zero[ends[0] : ends[1]], zero[ends[1] : ends[2]], zero[ends[2] :])

    def _noise(self, some: slice) -> tuple[Array, Array]:
        """Tell which entries are nothing but rounding, and which have values, at some of the random states by size."""
        known = programs(self.system)
        states, nudges = (part[some] for part in known.random)
        values = known.sums @ known.conditions.rows(np.hstack([states, nudges * self.parameters])).T
        values = values.reshape(len(values), -1, _REPEATED)
        low, high = values.min(axis=2), values.max(axis=2)  # nan where one is
        with np.errstate(invalid="ignore"):
            return np.maximum(high, -low) <= 10 * (high - low), np.isfinite(high - low)


def parameter_values(system: System, changes: Mapping[str, float]) -> list[float]:
    """Return the value of every parameter in order; raise ModelError for those that have none."""
    unknown = [name for name in changes if name not in system.parameters]
    if unknown:
        known = list(system.parameters)
        raise ModelError(Problem(f"no parameter `{name}`; {nearest(name, known, 'parameters')}") for name in unknown)
    values = {**system.parameters, **changes}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise ModelError(without_value(system, name) for name in missing)
    return [float(value) for value in values.values() if value is not None]


class _Pattern:
    """Places of the entries of a sparse matrix, sorted once for all values."""

    def stacked(self, rows: Array) -> Array:
        """Return dense matrices, one for each row of entries."""
        full = np.zeros((len(rows), *self._shape))
        full[:, *self.places] = rows
        return full

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
