"""A consistent initial state from whatever the user fixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.algebra.nearest import Nearest, least_residual, nearest_solution
from dalembert.algebra.program import Program
from dalembert.algebra.rank import Scale, rank
from dalembert.algebra.saddle import positive
from dalembert.algebra.types import Array, Sparse
from dalembert.errors import ModelError, Problem, quoted
from dalembert.model.functions import Expr
from dalembert.model.numeric import Numeric

if TYPE_CHECKING:
    from dalembert.model.system import System

_LIMIT = 1e-6  # a double root is found to about the root of the rounding error


@dataclass(frozen=True)
class State:
    """A state that satisfies the constraints: `state["phi"]`, `state["phi'"]`, or `q` and `v` as arrays.

    notes: in words, how what was left open has been chosen.
    """

    t: float
    q: Array
    v: Array
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        values = self.as_dict()
        if name not in values:
            raise KeyError(f"no coordinate or velocity `{name}`")
        return values[name]

    def as_dict(self) -> dict[str, float]:
        """Return coordinates and velocities by name."""
        velocities = tuple(name + "'" for name in self.names)
        return dict(zip(self.names + velocities, map(float, [*self.q, *self.v]), strict=True))

    def __str__(self) -> str:
        width = max(map(len, self.names))
        rows = [
            f"  {name:{width}}  {q + 0.0:12.6g}  {v + 0.0:12.6g}"
            for name, q, v in zip(self.names, self.q, self.v, strict=True)
        ]
        head = f"State at t = {self.t:g}: positions and velocities"
        return "\n".join([head, *rows, *(f"  note: {note}" for note in self.notes)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from dalembert.show.model import state_html

        return state_html(self)


def consistent_state(
    system: System,
    numeric: Numeric | None = None,
    initial: Mapping[str, Expr] | None = None,
    guess: Mapping[str, Expr] | None = None,
    t: float = 0.0,
    explain: bool = True,
) -> State:
    """Solve for what the user left open; raise ModelError if what was fixed contradicts the constraints.

    Notes on what is over- or underdetermined take their time; `explain` asks for them.
    """
    numeric = numeric or Numeric(system)
    fixed = given_values(numeric, system.initial if initial is None else initial)
    near = given_values(numeric, system.guess if guess is None else guess)
    q, notes = _solve_level(numeric, t, fixed, near, "", explain)
    v, more = _solve_level(numeric, t, fixed, near, "'", explain, q)
    return State(t, q, v, system.coordinates, (*notes, *more))


def given_values(numeric: Numeric, given: Mapping[str, Expr]) -> dict[str, float]:
    """Evaluate initial values or guesses, which may be expressions of the parameters."""
    symbols = [se.Symbol(name) for name in numeric.system.parameters]
    program = Program(symbols, list(given.values()))
    values = dict(zip(given, program.floats(numeric.parameters), strict=True))
    bad = [name for name, value in values.items() if not np.isfinite(value)]
    if bad:
        raise ModelError(
            Problem(f"the value of `{name}` is not a finite number", key=("initial", name)) for name in bad
        )
    return values


def _solve_level(
    numeric: Numeric,
    t: float,
    fixed: Mapping[str, float],
    guess: Mapping[str, float],
    prime: str,
    explain: bool,
    q: Array | None = None,
):
    """Solve for positions (q is None) or, at known positions, for velocities."""
    names = [name + prime for name in numeric.system.coordinates]
    x = np.array([fixed.get(name, guess.get(name, 0.0)) for name in names])
    free = np.array([i for i, name in enumerate(names) if name not in fixed], dtype=int)
    M = numeric.mass(t, x if q is None else q)
    if not np.all(np.isfinite(M.data)):
        place = "guess" if q is None else "initial position"
        raise ModelError(f"the mass matrix is not finite at the {place}; give other values in `guess`")
    equations = (lambda y: numeric.position(t, y)) if q is None else (lambda y: numeric.velocity(t, q, y))
    rows = numeric.holonomic if q is None else numeric.kinematic
    constraints = [numeric.system.constraints[i].name for i in rows]
    level = _Level(numeric, names, constraints, t, fixed, equations, positive(M), guess)
    return level.solve(x, free, explain)


class _Level:
    """The equations of one level, and the words for what can happen when they are solved."""

    def __init__(
        self,
        numeric: Numeric,
        names: list[str],
        constraints: list[str],
        t: float,
        fixed: Mapping[str, float],
        equations: Callable,
        weight: Sparse,
        guess: Mapping[str, float],
    ):
        self.numeric, self.system, self.fixed, self.guess = numeric, numeric.system, fixed, guess
        self.names, self.constraints = names, constraints
        self.t, self.equations, self.weight = t, equations, weight
        self.time = f" for t = {t:g}" if t else ""
        self.what = "velocities" if names[0].endswith("'") else "coordinates"

    def nearest(self, x: Array, free: Array, start: Array | None = None) -> Nearest:
        return nearest_solution(self.equations, x, self.weight, free, start)

    def solve(self, x: Array, free: Array, explain: bool) -> tuple[Array, list[str]]:
        if not self.constraints:
            return x, []
        best = self.nearest(x, free)
        notes = []
        if not best.solved:
            best = self.try_nearby(x, free, best)
            if best.solved:
                chosen = ", ".join(f"{self.names[i]} = {best.x[i]:.6g}" for i in free[:6])
                notes.append(
                    "the guess leads to no solution (the constraints are singular there); "
                    f"another one nearby leads to {chosen}: give a guess to choose between solutions"
                )
        if not best.solved:
            raise ModelError(self.contradiction(x, free, best))
        return best.x, notes + (self.freedom(best, free) if explain else [])

    def try_nearby(self, x: Array, free: Array, best: Nearest) -> Nearest:
        """Start from where the residuals are least, and around the guess: the constraints may have no slope there."""
        random = np.random.default_rng(1)
        for radius in (0.0, 0.03, 0.1, 0.3, 1.0, 1.0, 3.0) if free.size else ():
            start = x.copy()
            start[free] += radius * random.uniform(-1, 1, free.size) * np.maximum(1.0, np.abs(x[free]))
            attempt = self.nearest(x, free, start if radius else least_residual(self.equations, x, free))
            if attempt.solved:
                return attempt
            if not np.linalg.norm(attempt.residual) > np.linalg.norm(best.residual):
                best = attempt
        return best

    def contradiction(self, x: Array, free: Array, best: Nearest) -> list[Problem]:
        """Name the constraints that cannot hold, their residuals, and the fixed values that they touch."""
        if not np.all(np.isfinite(best.residual)):
            bad = [name for name, r in zip(self.constraints, best.residual, strict=True) if not np.isfinite(r)]
            return [Problem(f"{quoted(bad)} has no finite value at the guess; give another guess", key=("guess",))]
        left = np.abs(best.residual) / best.size
        guilty = [i for i in range(len(left)) if left[i] > 0.05 * left.max()]
        pattern = set(best.jacobian[guilty].indices)  # entries that happen to be zero here count as well
        touched = [i for i, name in enumerate(self.names) if name in self.fixed and i in pattern]
        everything = np.arange(len(self.names))
        released = self.nearest(best.x, everything) if touched else best
        if touched and not released.solved:
            released = self.try_nearby(best.x, everything, released)
        residuals = ", ".join(f"`{self.constraints[i]}` is off by {best.residual[i]:.3g}" for i in guilty[:8])
        names = [self.constraints[i] for i in guilty]
        if touched and released.solved:
            values = ", ".join(f"{self.names[i]} = {self.fixed[self.names[i]]:.12g}" for i in touched[:8])
            nearby = ", ".join(f"{self.names[i]} = {round(released.x[i], 12) + 0.0:.12g}" for i in touched[:8])
            one = len(touched) == 1
            what = f"the initial value {values} contradicts" if one else f"the initial values {values} contradict"
            text = (
                f"{what} {quoted(names)}: {residuals}. Leave {'it' if one else 'one of them'} out, so that it is "
                f"solved for, or change {'it' if one else 'them'} (nearby: {nearby})"
            )
            return [Problem(text, key=("initial", self.names[touched[0]]))]
        if self.what == "coordinates":
            explained = self.system.explain_contradiction(self.numeric, self.t, best.x, names)
            if explained is not None:
                return [explained]
        what, advice = self.system.explain(names)
        best_of = "point" if len(names) == 1 else "compromise"
        text = f"{what}: {residuals} at the best {best_of} found{self.time}. "
        text += f"{advice}, or give a guess nearer to a solution"
        return [Problem(text, key=self.system.entry(names[-1]))]

    def freedom(self, best: Nearest, free: Array) -> list[str]:
        """Say what is over- or underdetermined in the start."""
        fixed = [name for name in self.names if name in self.fixed]
        here, *around = self.scaled(best)
        ranks = [rank(matrix[:, free], _LIMIT) for matrix in (here, *around)]
        undetermined, freedom = free.size - rank(here[:, free]), len(self.names) - rank(here)
        if ranks[0] < max(ranks) and fixed and rank(here) == max(rank(matrix) for matrix in around):
            return [f"the fixed {self.what} {quoted(_some(fixed))} are at a limit position, such as a dead centre"]
        notes = []
        still = self.what == "velocities" and not fixed and not np.any(best.x)
        if undetermined and still:
            notes.append("no velocity is given: the motion starts from rest")
        elif undetermined and not self.as_written(best, free):
            names = quoted(_some([self.names[i] for i in free]))
            verb = "is" if undetermined == 1 else "are"
            notes.append(
                f"{undetermined} of the {self.what} {names} {verb} not determined by the initial values and the "
                "constraints: the values nearest to the guess are taken"
            )
        surplus = len(fixed) + undetermined - freedom
        if surplus > 0:
            what = "the rest" if len(fixed) > surplus else "the constraints"
            verb = "is" if len(fixed) == 1 else "are"
            notes.append(
                f"of the {self.what} {quoted(_some(fixed))}, which {verb} fixed, {surplus} would follow from {what}: "
                "the values agree with the constraints"
            )
        return notes

    def as_written(self, best: Nearest, free: Array) -> bool:
        """Tell whether all that is free was guessed, and is as it was guessed: as bodies are that were placed."""
        wanted = np.array([self.guess.get(self.names[i], np.nan) for i in free])
        return bool(np.all(np.abs(best.x[free] - wanted) <= 1e-9 * (1 + np.abs(wanted))))

    def scaled(self, best: Nearest) -> list[Sparse]:
        """Return the Jacobian here and at places around, in units taken from all of them."""
        random = np.random.default_rng(7)
        sizes = np.maximum(np.abs(best.x), 1.0)
        moved = [self.equations(best.x + 0.1 * random.normal(size=len(sizes)) * sizes)[1] for _ in range(2)]
        matrices = [best.jacobian, *(J for J in moved if np.all(np.isfinite(J.data)))]
        units = np.abs(best.x) if self.what == "coordinates" else np.ones(len(sizes))
        scale = Scale(matrices, np.where(units > 1e-6, units, 1.0))
        return [scale.apply(J) for J in (*matrices, best.jacobian)]


def _some(names: list[str]) -> list[str]:
    return names if len(names) <= 8 else [*names[:8], "…"]
