"""A consistent initial state from whatever the user fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.either import Matrix, entries
from dalembert.algebra.nearest import Nearest, least_residual, nearest_solution, quick_solution, reach_solution
from dalembert.algebra.saddle import positive
from dalembert.arrays import Array
from dalembert.blocks.assembled import is_large
from dalembert.blocks.numeric import Numeric, Residual, has_values, numeric_of, pilot_numeric_of
from dalembert.blocks.programs import programs
from dalembert.document.nodes import Name, Note, Section, Table, rounded
from dalembert.document.shown import Printed
from dalembert.errors import ModelError
from dalembert.language.building import Expr
from dalembert.language.state_names import as_written, inner, integral, is_integral, named_values
from dalembert.model.facts import START, fact
from dalembert.model.initial import InitialValue, begin_of
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.survey.conditions import Conditions
from dalembert.survey.flat import find_flat
from dalembert.survey.initial_numbers import given_values
from dalembert.survey.left_open import left_open

if TYPE_CHECKING:
    from dalembert.model.system import System

_FARTHER = tuple(10.0**k for k in range(19))  # times that a way may be gone until it matters,
_MATTERS = 0.01  # which it does where residuals change by this part of their terms
_AROUND = (0.0, 0.03, 0.1, 0.3, 1.0, 1.0, 3.0)  # parts of a coordinate by which a guess is changed
_ROUNDED = 1e-5  # of the size of an equation that is that of its units: some roundings, against 1e-9 of its terms


@dataclass(frozen=True, repr=False)
class State(Printed):
    """A state that satisfies the constraints: `state["phi"]`, `state["phi'"]`, or `q` and `v` as arrays.

    notes: in words, how what was left open has been chosen. off: which constraints do not hold, where that was asked.
    """

    t: float
    q: Array
    v: Array
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    off: str = ""

    def __getitem__(self, name: str) -> float:
        values = self.as_dict()
        if name not in values:
            raise KeyError(f"no coordinate or velocity `{name}`")
        return values[name]

    def as_dict(self) -> dict[str, float]:
        """Return coordinates and velocities by name."""
        return named_values(self.names, self.q.tolist(), self.v.tolist())

    def document(self) -> Section:
        """Show positions and velocities."""
        sizes = [float(np.abs(values).max(initial=0.0)) for values in (self.q, self.v)]
        rows = [
            (Name(as_written(name + "'")), rounded(v, sizes[1]), "")
            if is_integral(name)
            else (Name(name), rounded(q, sizes[0]), rounded(v, sizes[1]))
            for name, q, v in zip(self.names, self.q, self.v, strict=True)
        ]
        table = Table(rows, ("coordinate", "position", "velocity"), most=None)
        return Section(f"State at t = {self.t:g}", [table, *map(Note, self.notes)])


@dataclass(frozen=True)
class Solved:
    """The equations of a level, the solution that was chosen, and what is to be said of the choice."""

    level: Level
    best: Nearest
    notes: tuple[str, ...]


@fact(START)
def start_of(system: System) -> State:
    """Return the initial state, with random values of parameters that have none; raise ModelError if there is none."""
    if system.written is not system:
        return start_of(system.written)
    if found := ordinary_start(system):
        return State(begin_of(system.simulation), *found, system.coordinates)
    return state_of(solved_start(system))


@fact(START)
def ordinary_start(system: System) -> tuple[Array, Array] | None:
    """Return q and v as native code finds them; None without such code, or if anything is out of the ordinary.

    Then the velocities are determined by independent constraints, and every coordinate has inertia of its own.
    """
    if is_large(system) or not has_values(system) or (starter := programs(system).starter) is None:
        return None
    return starter(system, numeric_of(system))


@fact(START)
def explained_start(system: System) -> State:
    """Return the initial state with notes on what is over- or underdetermined, which take their time."""
    _ = numeric_of(system)  # what has no value is refused
    return state_of(solved_start(system), explain=True)


@fact(START)
def noted_start(system: System) -> State:
    """Return the same with random values of parameters that have none."""
    return state_of(solved_start(system), explain=True)


@fact(START)
def loose_start(system: System) -> State:
    """Return a state for which the initial values are a guess: they may contradict the constraints."""
    return consistent_state(system, pilot_numeric_of(system), initial={}, guess={**system.guess, **system.initial})


@fact(START)
def solved_start(system: System) -> tuple[Solved, Solved]:
    """Solve for what the user left open, positions and velocities."""
    return solve_levels(pilot_numeric_of(system), system.initial, guess_of(system), begin_of(system.simulation))


def guess_of(system: System) -> Mapping[str, Expr]:
    """Return the guess from which the solution starts."""
    if isinstance(system, Mechanism) and system.by != ABSOLUTE:
        from dalembert.survey.mechanism.tree_start import tree_guess

        return tree_guess(system)
    return system.guess


def consistent_state(
    system: System,
    numeric: Numeric,
    initial: Mapping[str, Expr] | None = None,
    guess: Mapping[str, Expr] | None = None,
    t: float | None = None,
    explain: bool = False,
) -> State:
    """Solve for what is left open at another time than the system begins at, or with other values than it has.

    Raise ModelError if what was fixed contradicts the constraints. Notes on what is over- or underdetermined take their
    time; `explain` asks for them.
    """
    given = system.initial if initial is None else initial
    near = system.guess if guess is None else guess
    return state_of(solve_levels(numeric, given, near, begin_of(system.simulation) if t is None else t), explain)


def solve_levels(
    numeric: Numeric, initial: Mapping[str, Expr], guess: Mapping[str, Expr], t: float, off: bool = False
) -> tuple[Solved, Solved]:
    """Solve for positions, then for velocities; `off`: as nearly as the initial values allow."""
    begun, asked = {}, {x.name for one in numeric.system.constraints if one.steered for x in one.variables}
    for (
        state
    ) in numeric.system.states:  # what starts somewhere in any case is not looked for; programmes may ask for it
        own = {} if inner(state) in asked else {inner(state): guess.get(inner(state), se.Integer(0))}
        begun |= {integral(state): se.Integer(0)} | own
    given = numeric.system.initial_values(given_values(numeric, {**begun, **initial}))
    near = given_values(numeric, guess)
    positions = Level(numeric, t, given, near).solve(off)
    return positions, Level(numeric, t, given, near, positions.best.x).solve(off)


def state_of(solved: tuple[Solved, Solved], explain: bool = False) -> State:
    """Return the state that was solved for."""
    notes = [(*part.notes, *(left_open(part.level, part.best) if explain else ())) for part in solved]
    positions, velocities = solved
    level = positions.level
    return State(level.t, positions.best.x, velocities.best.x, level.system.coordinates, (*notes[0], *notes[1]))


class Level:
    """The equations of one level, positions (q is None) or, at known positions, velocities, and how they are solved.

    `x` holds the fixed values, and the guess for the others; `given` the initial values of this level.
    """

    def __init__(
        self,
        numeric: Numeric,
        t: float,
        given: Sequence[InitialValue],
        guess: Mapping[str, float],
        q: Array | None = None,
    ):
        self.numeric, self.system, self.t, self.guess, self.q = numeric, numeric.system, t, guess, q
        self.what, level = ("coordinates", "position") if q is None else ("velocities", "velocity")
        self.names = list(self.system.coordinates if q is None else self.system.velocities)
        order = {name: i for i, name in enumerate(self.names)}
        self.given = [item for item in given if self.system.measure(next(iter(item.values))).level == level]
        self.given.sort(key=lambda item: order.get(next(iter(item.values)), len(order)))
        values = {name: value for item in self.given for name, value in item.values.items()}
        self.x = np.array([values.get(name, guess.get(name, 0.0)) for name in self.names])
        self.conditions = Conditions(numeric, {n: v for n, v in values.items() if n not in order}, level)
        rows = numeric.holonomic if q is None else numeric.kinematic
        self.constraints = [self.system.constraints[i].name for i in rows]
        self.dense = numeric.small
        M = numeric.mass(t, self.x if q is None else q, self.dense)
        if not np.all(np.isfinite(entries(M))):
            place = "guess" if q is None else "initial position"
            raise ModelError(f"the mass matrix is not finite at the {place}; give other values in `guess`")
        self._mass = M
        self.regular = False  # whether a solution was found that leaves nothing open, of independent rows

    @cached_property
    def weight(self) -> Matrix:
        """The norm in which what is left open moves least."""
        return positive(self._mass, self.numeric.kinds)

    @cached_property
    def extents(self) -> Array | None:
        """How large coordinates are, where more is known of them than their values."""
        return self.numeric.units if isinstance(self.system, Mechanism) and self.system.by != ABSOLUTE else None

    # --- equations ---------------------------------------------------------------------------------------------------

    def free(self, given: Sequence[InitialValue]) -> Array:
        """Return the places of what some initial values leave open."""
        fixed = {name for item in given for name in item.values}
        return np.array([i for i, name in enumerate(self.names) if name not in fixed], dtype=int)

    def equations(self, x: Array, given: Sequence[InitialValue], values: Array | None = None) -> Residual:
        """Return the residuals of the constraints, and of the conditions of some initial values after them."""
        numeric, dense = self.numeric, self.dense
        own = numeric.position(self.t, x, dense) if self.q is None else numeric.velocity(self.t, self.q, x, dense)
        if self.q is None and self.extents is not None:  # where all is zero, the terms say nothing of rounding
            own = own[0], own[1], np.maximum(own[2], _ROUNDED * (abs(own[1]) @ self.extents))
        if not self.conditions.names:
            return own
        asked = {name for item in given for name in item.values}
        rows = [k for k, name in enumerate(self.conditions.names) if name in asked]
        if not rows:
            return own
        residual, J, size = self.conditions(x, self.q, rows, values)
        stacked = np.vstack([own[1], J]) if dense else sp.csr_array(sp.vstack([own[1], sp.csr_array(J)]))
        return np.concatenate([own[0], residual]), stacked, np.concatenate([own[2], size])

    def slopes(self, places: Array) -> Iterable[Matrix]:
        """Return the Jacobians of the constraints at some places; of small systems all in one call."""
        if self.dense:
            return self.numeric.slopes(self.t, places, self.q)
        return [self.equations(x, ())[1] for x in places]

    def nearest(self, x: Array, given: Sequence[InitialValue], start: Array | None = None) -> Nearest:
        """Solve with some of the initial values, moving least from x."""
        groups = None
        if self.dense and not self.conditions.names:
            groups = (self.numeric.programs.position if self.q is None else self.numeric.programs.velocity).groups
        known = {"units": self.numeric.kinds, "extents": self.extents if self.q is None else None}
        free = self.free(given)
        return nearest_solution(partial(self.equations, given=given), x, self.weight, free, start, groups, **known)

    def quick(self) -> Nearest | None:
        """Solve what is ordinary: what holds already, or is determined, from a guess that leads there."""
        if not self.dense or not self.constraints or (self.conditions.names and not self.conditions.straight):
            return None
        free, rows = self.free(self.given), len(self.constraints) + len(self.conditions.names)
        level = self.numeric.programs.position if self.q is None else self.numeric.programs.velocity
        found = quick_solution(lambda y: self.equations(y, self.given), self.x, free, level.groups)
        self.regular = found is not None and found.rank == rows
        return found

    def others(self, x: Array, given: Sequence[InitialValue], radii: Sequence[float] = _AROUND) -> Iterator[Array]:
        """Yield places to start from where x leads to nothing: where the residuals are least, and around it."""
        random = np.random.default_rng(1)
        free = self.free(given)
        for radius in radii if free.size else ():
            start = x.copy()
            way = random.uniform(-1, 1, free.size) * np.maximum(1.0, np.abs(x[free]))
            start[free] += radius * self._reach(x, given, free, way) * way if radius else 0.0
            yield start if radius else least_residual(lambda y: self.equations(y, given), x, free)

    def _reach(self, x: Array, given: Sequence[InitialValue], free: Array, way: Array) -> float:
        """Return how many times a way must be gone so that it matters: one metre is none in a solar system."""
        residual, _, size = self.equations(x, given)
        for times in _FARTHER:
            there = x.copy()
            there[free] += times * way
            changed = np.abs(self.equations(there, given)[0] - residual)
            if not np.linalg.norm(changed) < _MATTERS * np.linalg.norm(size):
                return times
        return 1.0

    def try_nearby(self, best: Nearest) -> Nearest:
        """Start from elsewhere: the constraints may have no slope at the guess."""
        for start in self.others(self.x, self.given):
            attempt = self.nearest(self.x, self.given, start)
            if attempt.solved:
                return attempt
            if not np.linalg.norm(attempt.residual) > np.linalg.norm(best.residual):
                best = attempt
        return best

    def led(self) -> Array | None:
        """Return where the guess is led to by values of joints that are changed little by little; None: nowhere."""
        values = self.conditions.path(self.x) if self.q is None else []
        x, free = self.x, self.free(self.given)
        for some in values:
            equations = partial(self.equations, given=self.given, values=some)
            found = reach_solution(equations, x, self.weight, free, units=self.numeric.kinds)
            if not found.solved:
                return None
            x = found.x
        return x if values else None

    def solve(self, off: bool = False) -> Solved:
        """Return the solution, with notes on how what was left open has been chosen; `off`: or the best compromise."""
        if not self.constraints and not self.conditions.names:
            return Solved(self, Nearest(self.x, np.zeros(0), sp.csr_array((0, len(self.x))), np.zeros(0), True), ())
        notes = []
        best = self.quick()
        if best is None:
            best = self.nearest(self.x, self.given, self.led())
        if not best.solved:
            best = self.try_nearby(best)
            if best.solved:
                chosen = ", ".join(f"{self.names[i]} = {best.x[i]:.6g}" for i in self.free(self.given)[:6])
                notes.append(
                    "the guess leads to no solution (the constraints are singular there); "
                    f"another one nearby leads to {chosen}: give a guess to choose between solutions"
                )
        if not best.solved:
            from dalembert.survey.contradiction import resolve

            best = resolve(self, best, off)
        flat = find_flat(self, best.x)
        if flat:
            raise ModelError(flat)
        return Solved(self, best, tuple(notes))
