"""Constraints that have no slope where they hold, as (x − y)² = 0: they hold nothing, and what is meant is their root.

Such a constraint is met like any other, but its gradient vanishes on all of itself, so that neither velocities nor
reactions follow from it. One with an infinite slope, as √(x − y) = 0, is of no more use. A regular constraint may lose
its gradient in single positions; so others are looked at, and later times if it depends on time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.either import Matrix, lengths
from dalembert.algebra.nearest import reach_solution
from dalembert.arrays import Array
from dalembert.errors import Problem
from dalembert.language.building import Expr
from dalembert.language.printing import to_text
from dalembert.language.roots import find_roots, is_kinked
from dalembert.model.constraint import Constraint

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Residual
    from dalembert.survey.start import Level

_ASIDE = 1e-2  # in units of the coordinates: how far from a solution slopes are compared with those in it
_SEED = 6
_SUSPECT = 0.02  # part of them that is left in a solution as it was found,
_FLAT = 1e-4  # and in one that is as good as it can be
_STEEP = 1e4  # square of the slope, in what the residual lets one expect of a square
_PLACES = 4
_REACH = 0.3
_LATER = (0.0, 0.01, 0.1, 1.0)
_VANISHES = 1e-3  # of what it is around: what may be left of a root


def find_flat(level: Level, x: Array) -> list[Problem]:
    """Return what is wrong with the constraints of a level that have no slope where they hold."""
    numeric, constraints = level.numeric, level.numeric.system.constraints
    rows, kind = (numeric.holonomic, "position") if level.q is None else (numeric.kinematic, "velocity")
    own = [k for k, i in enumerate(rows) if constraints[i].level == kind]
    return [_explain(row) for row in find_flat_rows(level, x, own)]


@dataclass(frozen=True)
class FlatRow:
    """A constraint that is suspected to have no slope where it holds; times and places where it has none."""

    level: Level
    constraint: Constraint
    places: Sequence[tuple[float, Array]]
    sizes: Array

    @property
    def is_flat(self) -> bool:
        """Whether all that made it suspect vanishes, and not only a factor that is a square."""
        return self.roots is not None or not is_kinked(self.constraint.expression)

    @cached_property
    def roots(self) -> list[Expr] | None:
        """What vanishes there, with a slope; None if that is not found."""
        level, sizes = self.level, self.sizes

        def vanishes(expr: Expr) -> bool:
            return _vanishes(level, expr, self.places, sizes)

        found = find_roots(self.constraint.expression, self.constraint.variables, vanishes)
        return None if found is None else list(found)


def find_flat_rows(level: Level, x: Array, own: Sequence[int], is_solved: bool = True) -> list[FlatRow]:
    """Return which of some equations of a level have no slope where they hold; is_solved: whether they do at x."""
    if not own:
        return []
    numeric, constraints = level.numeric, level.numeric.system.constraints
    rows = numeric.holonomic if level.q is None else numeric.kinematic
    sizes = np.where(numeric.units > 0, numeric.units, np.maximum(1.0, np.abs(x))) if level.q is None else 1 + np.abs(x)
    suspects = list(own)
    if is_solved:
        shares = _left(level.slopes(_around(x, sizes, directions_aside(len(x)))), sizes)
        suspects = [k for k in own if constraints[rows[k]].kinked or shares[k] < _SUSPECT]
    if not suspects:
        return []
    random = np.random.default_rng(_SEED)
    random.uniform(-1, 1, (2, len(x)))  # have been used
    found = list[FlatRow]()
    for k in suspects:
        constraint = constraints[rows[k]]
        alone = _Alone(level, k, constraint, sizes)
        steep = is_solved and not constraint.kinked and alone.is_steep(x, random)
        if not steep and (places := alone.places(x, random)):
            found.append(FlatRow(level, constraint, places, sizes))
    return [row for row in found if row.is_flat]


@cache
def directions_aside(count: int) -> Array:
    """Return two random directions, always the same ones: to start a generator takes as long as the rest."""
    return np.random.default_rng(_SEED).uniform(-1, 1, (2, count))


def _around(x: Array, sizes: Array, aside: Array) -> Array:
    """Return a place, and those aside of it."""
    return x + _ASIDE * sizes * np.vstack([np.zeros(len(x)), aside])


def _left(slopes: Iterable[Matrix], sizes: Array) -> Array:
    """Return how much of the slopes around a place is left in it, for each equation; 1 where that cannot be told."""
    sizes_of = [lengths(J, sizes) for J in slopes]
    most = np.max(sizes_of[1:], axis=0)
    with np.errstate(all="ignore"):
        shares = sizes_of[0] / most
    return np.where(np.isfinite(shares) & (most > 0), shares, 1.0)


class _Alone:
    """One constraint without the others, at several positions and times."""

    def __init__(self, level: Level, row: int, constraint: Constraint, sizes: Array):
        self.level, self.row, self.constraint, self.sizes = level, row, constraint, sizes

    def equation(self, t: float, x: Array) -> Residual:
        numeric, q = self.level.numeric, self.level.q
        residual, J, size = numeric.position(t, x) if q is None else numeric.velocity(t, q, x)
        return residual[[self.row]], J[[self.row]], size[[self.row]]

    def is_steep(self, x: Array, random: np.random.Generator) -> bool:
        """Tell whether what is left of the slope, as in a small mechanism, is more than the residual explains.

        Of a square, g = d², residual and slope vanish together: |∇g|² = 4 g, and in general about |∇²g| |g|.
        """
        residual, J, size = self.equation(self.level.t, x)
        around = self.equation(
            self.level.t, x + _ASIDE * self.sizes * random.choice([-1, 1], len(x)) * random.random(len(x))
        )[1]
        slope = np.sqrt(((J * self.sizes) ** 2).sum())
        bend = np.sqrt((((around - J) * self.sizes) ** 2).sum()) / _ASIDE
        left = max(abs(residual[0]), np.finfo(float).eps * size[0])
        return bool(slope**2 > _STEEP * bend * left)

    def places(self, x: Array, random: np.random.Generator) -> list[tuple[float, Array]]:
        """Return times and positions at which it holds without slope; none if it has one somewhere."""
        found = []
        for later in _LATER if self.constraint.time else (0.0,) * _PLACES:
            t, guess = self.level.t + later, x + _REACH * self.sizes * random.uniform(-1, 1, len(x))
            everything = np.arange(len(x))
            point = reach_solution(
                lambda y, t=t: self.equation(t, y), guess, self.level.weight, everything, units=self.level.numeric.kinds
            )
            if not point.solved:
                continue
            aside = random.uniform(-1, 1, (2, len(x)))
            around = _around(point.x, self.sizes, aside)
            share = _left([self.equation(t, y)[1] for y in around], self.sizes)[0]
            if share > _FLAT and not is_kinked(self.constraint.expression):
                return []
            found.append((t, point.x))
        return found


def _explain(row: FlatRow) -> Problem:
    """Say what to write instead."""
    numeric, constraint, roots = row.level.numeric, row.constraint, row.roots
    names = {*numeric.system.coordinates, *numeric.system.parameters}
    if roots:
        texts = [f"{to_text(root, names)} = 0" for root in roots]
        several = f" (it asks for {len(texts)} conditions at once)" if len(texts) > 1 else ""
        advice = f"write `{'` and `'.join(texts)}` instead{several}"
    else:
        advice = "write it differently, as x = 0 instead of x^2 = 0"
    text = f"`{constraint.name}` has no gradient where it holds, so that nothing follows from it: {advice}"
    return Problem(text, key=numeric.system.entry(constraint.name))


def _vanishes(level: Level, expr: Expr, places: Sequence[tuple[float, Array]], sizes: Array) -> bool:
    """Tell whether an expression is nothing at all of some places, compared with what it is around them."""
    numeric, random = level.numeric, np.random.default_rng(8)
    program = numeric.program([expr])

    def value(t: float, x: Array) -> float:
        q, v = (x, np.zeros(numeric.n)) if level.q is None else (level.q, x)
        return abs(program.floats([t, *q, *v, *numeric.parameters])[0])

    for t, x in places:
        around = [value(t, x + _REACH * sizes * random.uniform(-1, 1, len(x))) for _ in range(3)]
        if not value(t, x) <= _VANISHES * max(around):
            return False
    return True
