"""What initial values leave open, or say twice, in words: with the values that were chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.bend import straight_part
from dalembert.algebra.either import sparse
from dalembert.algebra.nearest import Nearest
from dalembert.algebra.rank import Scale, rank
from dalembert.arrays import Array, Sparse
from dalembert.errors import quoted
from dalembert.language.state_names import as_written, is_integral
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.survey.initial_numbers import given_values

if TYPE_CHECKING:
    from dalembert.survey.start import Level

_LIMIT = 1e-6  # a double root is found to about the root of the rounding error
_DENSE = 600  # unknowns up to which singular vectors cost nothing
_SHOWN, _MOST = 8, 4  # names, and values, in a sentence


def left_open(level: Level, best: Nearest) -> list[str]:
    """Say what is over- or underdetermined in the start."""
    fixed = [name for item in level.given for name in item.values if not is_integral(name)]
    own = len(level.constraints)
    if not own and not level.conditions.names:
        free = level.free(level.given)
        return _chosen(level, best, free, np.eye(free.size)) if fixed and _in_tree(level) else []
    free = level.free(level.given)
    here, *around = _scaled(level, best)
    ranks = [rank(matrix[:, free], _LIMIT) for matrix in (here, *around)]
    undetermined, freedom = free.size - rank(here[:, free]), level.system.mechanical - rank(here[:own])
    if ranks[0] < max(ranks) and fixed and rank(here) == max(rank(matrix) for matrix in around):
        return [f"the fixed {level.what} {quoted(_some(fixed))} are at a limit position, such as a dead centre"]
    notes = []
    if undetermined and level.what == "velocities" and not fixed and not np.any(best.x[: level.system.mechanical]):
        notes.append("no velocity is given: the motion starts from rest")
    elif undetermined:
        notes += _chosen(level, best, free, _open_ways(here[:, free], undetermined))
    surplus = len(fixed) + undetermined - freedom
    if surplus > 0 and fixed:
        what = "the rest" if len(fixed) > surplus else "the constraints"
        verb = "is" if len(fixed) == 1 else "are"
        notes.append(
            f"of the {level.what} {quoted(_some(fixed))}, which {verb} fixed, {surplus} would follow from {what}: "
            "the values agree with the constraints"
        )
    return notes


def _open_ways(A: Sparse, count: int) -> Array:
    """Return the directions that are open, as rows; of large systems, all may be."""
    size = A.shape[1]
    return np.ones((count, size)) if size > _DENSE else np.linalg.svd(A.toarray())[2][size - count :]


def _chosen(level: Level, best: Nearest, free: Array, open_ways: Array) -> list[str]:
    """Say what was taken for that which nothing determines; nothing if it is as it was guessed.

    open_ways: the directions that are open, as rows. In a tree, velocities are the same as in other coordinates, those
    with the least kinetic energy: they are worth a word where one of them is not zero.
    """
    guess = _guessed(level)
    wanted = np.array([guess.get(level.names[i], np.nan) for i in free])
    if not free.size or np.all(np.abs(best.x[free] - wanted) <= 1e-9 * (1 + np.abs(wanted))):
        return []
    largest = np.abs(best.x).max(initial=0.0)
    loose = [i for i, way in zip(free, np.abs(open_ways).max(axis=0), strict=True) if way > _LIMIT]
    taken = [(level.names[i], best.x[i]) for i in loose if abs(best.x[i]) > 1e-9 * largest]
    if level.what == "velocities" and _in_tree(level) and not taken:
        return []
    names, count = quoted(_some([level.names[i] for i in free])), len(open_ways)
    verb = "is" if count == 1 else "are"
    how = "the values nearest to the guess are taken"
    if level.what == "velocities":
        if not any(guess.get(name) for name in level.names):
            how = "those with the least kinetic energy are taken"
        values = [f"{as_written(name)} = {value:.6g}" for name, value in taken[:_MOST]]
        how += f" ({', '.join(values)}{', …' if len(taken) > _MOST else ''})" if values else ""
    return [
        f"{count} of the {level.what} {names} {verb} not determined by the initial values and the constraints: {how}"
    ]


def _in_tree(level: Level) -> bool:
    return isinstance(level.system, Mechanism) and level.system.by != ABSOLUTE


def _guessed(level: Level) -> Mapping[str, float]:
    """Return what the user guessed; the guess of the velocities of a tree is already what was chosen for its bodies."""
    if level.what == "velocities" and _in_tree(level):
        return given_values(level.numeric, level.system.guess)
    return level.guess


def _scaled(level: Level, best: Nearest) -> list[Sparse]:
    """Return the Jacobian here and at places around, in units taken from all of them."""
    random = np.random.default_rng(7)
    sizes = np.maximum(np.abs(best.x), 1.0)
    ways = [0.1 * random.normal(size=len(sizes)) * sizes for _ in range(2)]
    share = straight_part(lambda x: level.equations(x, level.given), best.x, ways[0])
    places = [best.x + share * way for way in ways]
    here, *moved = (sparse(J) for J in (best.jacobian, *(level.equations(x, level.given)[1] for x in places)))
    matrices = [here, *(J for J in moved if np.all(np.isfinite(J.data)))]
    units = np.abs(best.x) if level.what == "coordinates" else np.ones(len(sizes))
    scale = Scale(matrices, np.where(units > 1e-6 * share, units, share))
    return [scale.apply(J) for J in (*matrices, here)]


def _some(names: list[str]) -> list[str]:
    return names if len(names) <= _SHOWN else [*names[:_SHOWN], "…"]
