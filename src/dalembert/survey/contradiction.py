"""Why there is no initial state: the initial values that are out of reach together, and values that can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.nearest import Nearest, reach_solution
from dalembert.arrays import Array
from dalembert.errors import ModelError, Problem, quoted
from dalembert.model.initial import InitialValue
from dalembert.survey.initial_numbers import measured

if TYPE_CHECKING:
    from dalembert.survey.start import Level

_GUILTY = 0.05  # of the largest residual
_SHOWN = 8
_AROUND = (0.0, 0.3)  # from where a solution is sought in each of many attempts
_ROUNDED = 1e-14  # of the largest value: what is shown as zero


def resolve(level: Level, best: Nearest, off: bool = False) -> Nearest:
    """Find a solution from the best compromise; raise ModelError if there is none, or, `off`, return the compromise.

    It names the initial values that are out of reach together, or else the constraints that contradict each other.
    """
    if not np.all(np.isfinite(best.residual[: len(level.constraints)])):
        bad = [name for name, r in zip(level.constraints, best.residual, strict=False) if not np.isfinite(r)]
        raise ModelError(Problem(f"{quoted(bad)} has no finite value at the guess; give another guess", key=("guess",)))
    search = _ContradictionSearch(level, best)
    left, conflicts = list(level.given), []
    released = search.attempt([])
    if not released.solved:
        raise ModelError(_impossible(level, released))
    if off:
        return search.attempt(left)
    while not (released := search.attempt(left)).solved:
        conflicts.append(search.conflict(left))
        left = [item for item in left if item not in conflicts[-1]]
    if not conflicts:
        return released
    near = level.nearest(search.place(left), left, released.x)
    reachable = search.values(near.x if near.solved else released.x)
    raise ModelError(search.report(items, reachable, len(conflicts) == 1) for items in conflicts)


def contradicted(level: Level, best: Nearest) -> str:
    """Say by how much constraints do not hold at a start that was asked for."""
    off = [(name, value) for name, value in _off(level, best, level.given) if name in level.constraints]
    return ", ".join(f"`{name}` is off by {value:.3g}" for name, value in off[:_SHOWN])


class _ContradictionSearch:
    """Tries the start with some of the initial values only, from the best compromise that was found with all."""

    def __init__(self, level: Level, best: Nearest):
        self.level, self.best = level, best

    def attempt(self, given: Sequence[InitialValue]) -> Nearest:
        """Solve with some initial values, near the compromise."""
        level, x = self.level, self.place(given)
        equations, free = partial(level.equations, given=given), level.free(given)
        found = best = reach_solution(equations, x, level.weight, free, units=level.numeric.kinds)
        for start in level.others(x, given, _AROUND) if not found.solved else ():
            found = reach_solution(equations, start, level.weight, free, units=level.numeric.kinds)
            if found.solved:
                return found
            if not np.linalg.norm(found.residual) > np.linalg.norm(best.residual):
                best = found
        return best

    def place(self, given: Sequence[InitialValue]) -> Array:
        """Return the compromise with what some initial values fix put into it."""
        fixed = {name: value for item in given for name, value in item.values.items()}
        return np.array([fixed.get(name, x) for name, x in zip(self.level.names, self.best.x, strict=True)])

    def conflict(self, given: Sequence[InitialValue]) -> list[InitialValue]:
        """Return as few of the values as possible that are out of reach together: what can be spared is left out."""
        needed, size = list(given), max(1, len(given) // 2)
        while True:
            i = 0
            while i < len(needed) > 1:
                rest = needed[:i] + needed[i + size :]
                if rest and not self.attempt(rest).solved:
                    needed = rest
                else:
                    i += size
            if size == 1:
                return needed
            size //= 2

    def values(self, x: Array) -> dict[str, float]:
        """Return what all that initial values were given of is in a solution."""
        level = self.level
        names = [name for item in level.given for name in item.values]
        q, v = (x, np.zeros(len(x))) if level.q is None else (level.q, x)
        values = measured(level.numeric, names, q, v)
        values = np.where(np.abs(values) > _ROUNDED * np.abs(x).max(initial=0.0), values, 0.0)
        return dict(zip(names, map(float, values), strict=True))

    def report(self, items: Sequence[InitialValue], reachable: dict[str, float], alone: bool) -> Problem:
        """Say which values are out of reach together, of which constraints, and what helps."""
        level, one = self.level, len(items) == 1
        found = self.attempt(items)
        off = _off(level, found, items)
        values = ", ".join(item.text() for item in items[:_SHOWN])
        nearby = ", ".join(item.text([reachable[name] for name in item.values]) for item in items[:_SHOWN])
        against = quoted(name for name, _ in off if name in level.constraints) or "each other"
        residuals = ", ".join(f"`{name}` is off by {value:.3g}" for name, value in off[:_SHOWN])
        what = f"the initial value {values} contradicts" if one else f"the initial values {values} contradict"
        others = [item for item in level.given if item not in items]
        without = [[*others, *(other for other in items if other is not item)] for item in items]
        helps = [item for item, rest in zip(items, without, strict=True) if not alone or self.attempt(rest).solved]
        if len(helps) == len(items):
            leave = "it" if one else "one of them"
        else:
            leave = " or ".join(item.label for item in helps) or "them"
        text = f"{what} {against}: {residuals}. Leave {leave} out, so that it is solved for, "
        text += f"or change {'it' if one else 'them'} (nearby: {nearby})"
        return Problem(text, key=items[0].key)


def _off(level: Level, best: Nearest, given: Sequence[InitialValue]) -> list[tuple[str, float]]:
    """Return what cannot hold with some initial values, by how much: constraints first, then the values themselves."""
    asked = {name for item in given for name in item.values}
    names = [*level.constraints, *(name for name in level.conditions.names if name in asked)]
    left = np.abs(best.residual) / best.size
    return [(name, best.residual[i]) for i, name in enumerate(names) if left[i] > _GUILTY * left.max()]


def _impossible(level: Level, best: Nearest) -> Problem:
    """Say that the constraints cannot hold, whatever the initial values are."""
    off = _off(level, best, [])
    names = [name for name, _ in off]
    if level.q is None:
        explained = level.system.explain_contradiction(level.numeric, level.t, best.x, names)
        if explained is not None:
            return explained
    elif hint := level.system.explain_misfit(level.numeric, level.t, level.q):
        return Problem(f"the parts can be assembled, but not moved as the drives ask. {hint}", key=("joints",))
    residuals = ", ".join(f"`{name}` is off by {value:.3g}" for name, value in off[:_SHOWN])
    what, advice = level.system.explain(names)
    best_of = "point" if len(names) == 1 else "compromise"
    when = f" for t = {level.t:g}" if level.t else ""
    guess = ", or give a guess nearer to a solution" if level.q is None else ""  # velocities need none
    text = f"{what}: {residuals} at the best {best_of} found{when}. {advice}{guess}"
    return Problem(text, key=level.system.entry(names[-1]))
