"""The blocks as numbers at a state: what check, start and the thin end of the pipeline compute with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.algebra.either import entries
from dalembert.arrays import Array
from dalembert.blocks.assembled import Assembled, is_large
from dalembert.blocks.followed import Followed, linked_blocks
from dalembert.blocks.programs import ONE_SIZE, REPEATED, LevelPrograms, programs, rows_of_levels
from dalembert.errors import ModelError, Problem, nearest
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.model.facts import PARAMETERS, START, STRUCTURE, fact
from dalembert.model.modes import all_holding
from dalembert.model.sections.controls import without_value
from dalembert.model.sections.functions import left_open, refuse_open

if TYPE_CHECKING:
    from dalembert.blocks.symbolic import Blocks
    from dalembert.model.system import System

_SMALL = 200  # unknowns, up to which calls of sparse matrices take longer than their arithmetic

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


@fact(START)
def numeric_of(system: System) -> Numeric:
    """Return the blocks for the values of the system."""
    refuse_open(system)
    return Numeric(system)


@fact(START)
def pilot_numeric_of(system: System) -> Numeric:
    """Return the blocks for the values of the system, and others where it has none, of functions too."""
    if getattr(system, "written", system) is not system:
        return Numeric(system, pilot_parameters(system))
    return numeric_of(system) if has_values(system) else Numeric(system, pilot_parameters(system))


def has_values(system: System) -> bool:
    """Tell whether all parameters and functions of a system have values."""
    return None not in system.parameters.values() and not left_open(system)


@fact(PARAMETERS)
def pilot_parameters(system: System) -> dict[str, float]:
    """Return the user's values, and random ones where there are none."""
    if None not in system.parameters.values():
        return {**system.parameters, **all_holding(system)}  # pyright: ignore[reportReturnType]
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
        self.holonomic, self.kinematic = rows_of_levels(system)
        self._assembled = None if is_part else self._taken()
        if self._assembled is None:
            self.programs = programs(system)

    def _taken(self) -> Assembled | Followed | None:
        """Return what evaluates a system that is not taken as a whole: a long tree link by link, or by elements."""
        if self.system.defined:
            return Followed(self)
        return Assembled(self, self.system.repeated) if is_large(self.system) else None

    @property
    def blocks(self) -> Blocks:
        """The blocks as formulas."""
        return self.system.blocks

    def program(self, outputs: Iterable[Expr]) -> Program:
        """Prepare expressions of t, q, v and the parameters for evaluation."""
        if self.system.defined:
            return Program(linked_blocks(self.system).inputs, list(outputs), self.system.defined)
        return programs(self.system).program(outputs)

    def evaluate(self, program: Program, t: float, q: Array, v: Array | None = None) -> Array:
        """Run a program at a state."""
        if program.native is None:
            return program.floats([t, *q, *(np.zeros(self.n) if v is None else v), *self.parameters])
        last = 1 + 2 * self.n
        row = np.zeros((1, last + len(self.parameters)))
        row[0, 0], row[0, 1 : 1 + self.n], row[0, last:] = t, q, self.parameters
        if v is not None:
            row[0, 1 + self.n : last] = v
        return program.native(row)[0]

    def directions(self, q: Array) -> Array:
        """Return how fast the bodies of a long tree move, and its coordinates, by the velocities of these."""
        if not isinstance(self._assembled, Followed):
            raise TypeError(f"{self.system!r} is no long tree: its coordinates are all that moves")
        return self._assembled.directions(q)

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
        f, A = len(self.blocks.M), len(self.blocks.M) + self.n  # where they begin
        c = A + len(self.blocks.A)
        M, f, A, c = out[:f], out[f:A], out[A:c], out[c:]
        A, c = np.where(self.vanishing.A, 0.0, A), np.where(self.vanishing.c, 0.0, c)
        patterns = self.programs.patterns
        return Values(patterns[0](M, dense), f, patterns[1](A, dense), c)

    def alone(self, t: float, q: Array, v: Array) -> tuple[list[float], list[float]]:
        """Return the diagonal of M, and f: what moves each coordinate if nothing holds it."""
        if self._assembled:
            values = self._assembled.all(t, q, v)
            return values.M.diagonal().tolist(), values.f.tolist()
        out, known = self.evaluate(self.programs.all, t, q, v).tolist(), self.programs
        return [0.0 if k is None else out[k] for k in known.diagonal], out[len(known.blocks.M) :][: self.n]

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

    def slopes(self, t: float, places: Array, q: Array | None = None) -> Array:
        """Return the Jacobians of g at several positions, or of ψ at several velocities at q; dense, at once."""
        level, n = (self.programs.position if q is None else self.programs.velocity), self.n
        rows = np.zeros((len(places), 1 + 2 * n + len(self.parameters)))
        rows[:, 0], rows[:, 1 + 2 * n :] = t, self.parameters
        if q is None:
            rows[:, 1 : 1 + n] = places
        else:
            rows[:, 1 : 1 + n], rows[:, 1 + n : 1 + 2 * n] = q, places
        entries = level.program.rows(rows)[:, len(level.owners) :]
        return level.pattern.stacked(np.where(self.vanishing.A[level.places], 0.0, entries))

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
    def kinds(self) -> Array:
        """In what coordinates are measured where they are compared: lengths and angles apart, if they are known."""
        return np.where(self.units > 0, self.units, 1.0)

    @cached_property
    def vanishing(self) -> Vanishing:
        """Find what is zero though it is not written so: nothing but rounding at any state.

        Rows of such entries would be blown up to full rows wherever rows are scaled. Rounding is told by its change:
        it is another one after a change of the inputs that hardly changes anything else. Only what vanishes at states
        of every size does so always.
        """
        values = [self.parameters[k] for k in programs(self.system).holding]  # not inertias, springs, loads
        return self.system.survey.find(STRUCTURE, ("vanishing", *values), self._vanishing)

    def _vanishing(self) -> Vanishing:
        if not self.s:
            return Vanishing(*(np.zeros(0, dtype=bool) for _ in range(4)))
        entries, s = len(self.blocks.A), self.s
        zero = np.zeros(entries + 3 * s, dtype=bool)
        noise, finite, _ = self._noise(ONE_SIZE)  # mostly nothing is left to look at
        if np.any(noise | ~finite):
            noise, finite, some = self._noise(slice(None))
            zero = np.all(noise | ~finite, axis=1) & np.any(finite, axis=1)
            # where all terms are zero everywhere it may be a pulse that no state has met, but in a row that is rounding
            cancels = zero & np.any(finite & some, axis=1)
            rows = np.any(cancels[entries + s :].reshape(2, s), axis=0)
            owners = np.array([i for i, _ in self.blocks.A], dtype=int)
            zero &= cancels | np.concatenate([rows[owners], rows, rows, rows])
        ends = (entries, entries + s, entries + 2 * s)
        return Vanishing(zero[: ends[0]], zero[ends[0] : ends[1]], zero[ends[1] : ends[2]], zero[ends[2] :])

    def _noise(self, some: slice) -> tuple[Array, Array, Array]:
        """Tell which entries are nothing but rounding, have values, have terms that are not zero, at random states."""
        known = programs(self.system)
        states, nudges = (part[some] for part in known.random)
        terms = known.conditions.rows(np.hstack([states, nudges * self.parameters])).T
        values = (known.sums @ terms).reshape(known.sums.shape[0], -1, REPEATED)
        sizes = (abs(known.sums) @ np.abs(terms)).reshape(values.shape)
        low, high = values.min(axis=2), values.max(axis=2)  # nan where one is
        with np.errstate(invalid="ignore"):
            return np.maximum(high, -low) <= 10 * (high - low), np.isfinite(high - low), sizes.max(axis=2) > 0


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
