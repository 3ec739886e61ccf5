"""Expressions along a motion: at its samples, or at any times, in native code.

What needs accelerations or multipliers is solved for first, and only then. Where forces are shared by constraints that
repeat each other, what depends on the share is not determined: it is NaN, with a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import MissingValueWarning, ModelError, Problem, SimulationError
from dalembert.language.building import Expr
from dalembert.language.program import definitions_in
from dalembert.language.table_functions import bounded
from dalembert.native.groups.solution_expressions import Observations, observable
from dalembert.results.shares import NOTICED, least_shared, suspects

if TYPE_CHECKING:
    from dalembert.results.run import Run

MAX_LENGTH = 80  # characters of an expression that is quoted
_RATES, _MULTIPLIERS = 4, 5  # their places in `observable`


class Asked:
    """Expressions that are asked of a motion, read and compiled.

    names: how they are called in messages. expressions: as they were understood; `more` of them can be given so.
    solved: whether accelerations or multipliers are needed.
    """

    def __init__(self, run: Run, given: dict[str, Any], *more: Expr):
        self.names, problems, found = [short(name) for name in given], [], []
        observed = run.system.observed
        for name, value in given.items():
            try:
                found.append(bounded(observed.resolved(observed.read(value))))
            except ModelError as error:
                problems += [Problem(f"`{short(name)}`: {p.text}", column=p.column) for p in error.problems]
        if problems:
            raise ModelError(problems)
        self.names += [""] * len(more)
        self.expressions = found = [*found, *more]
        meanings = definitions_in(found, run.system.defined).values()
        used = set().union(*(expr.free_symbols for expr in (*found, *meanings)))
        self._taken = [
            (part, column, symbol)
            for part, symbols in enumerate(observable(run.system))
            for column, symbol in enumerate(symbols)
            if symbol in used
        ]
        parts = {part for part, *_ in self._taken}
        self.shared, self.solved = _MULTIPLIERS in parts, not parts.isdisjoint((_RATES, _MULTIPLIERS))
        self.kernels = run.motion.kernels
        self.group = self.kernels.add(Observations([symbol for *_, symbol in self._taken], found))

    def at(self, run: Run) -> Array:
        """Return the values at the times of a run, one row for each; NaN where the equations have no value."""
        if not len(run.t):
            return np.zeros((0, len(self.names)))
        try:
            return self.values(self._parts(run))
        except SimulationError:  # as at the end of a motion that fails
            half = len(run.t) // 2
            if not half:
                return np.full((1, len(self.names)), np.nan)
            return np.concatenate([self.at(run.part(rows)) for rows in (slice(half), slice(half, None))])

    def _parts(self, run: Run) -> list[Array]:
        """Return what is known at the times of a run, as `observable` names it, without what is not asked for."""
        t, q, v, values = run._points
        parts = [t[:, None], q, v, np.broadcast_to(values, (len(t), len(run.system.parameters)))]
        if self.solved:
            parts.append(run._solution.acceleration)
        if self.shared:
            parts.append(run._reacting.multipliers)
        return parts

    def by_least_shares(self, run: Run) -> Array:
        """Return the values where constraints that repeat each other share a load as little as possible."""
        *states, multipliers = self._parts(run)
        return self.values([*states, least_shared(run.system, np.column_stack(states[:4]), multipliers)])

    def values(self, parts: Sequence[Array]) -> Array:
        """Evaluate the expressions, which are given what they use and nothing else."""
        rows = np.empty((len(parts[0]), len(self._taken)))
        for k, (part, column, _) in enumerate(self._taken):
            rows[:, k] = parts[part][:, column]
        return self.kernels.run(self.group, "observed", rows)

    def undetermined(self, run: Run) -> Array:
        """Tell at which times of a run which values change if loads are shared in another way."""
        found = np.zeros((len(run.t), len(self.names)), dtype=bool)
        if not self.shared or not len(run.t) or not len(suspects(run._reacting)) or not (shares := run.shares):
            return found
        *states, multipliers = (values[shares.states] for values in self._parts(run))
        loads = np.abs(multipliers).max(axis=1, keepdims=True)
        loads[loads == 0] = 1.0
        values, loose = self.values([*states, multipliers]), np.zeros((len(loads), len(self.names)), dtype=bool)
        for k in range(shares.vectors.shape[2]):
            other = multipliers + loads * shares.vectors[:, :, k]
            change = np.abs(self.values([*states, other]) - values)
            loose |= change > NOTICED * loads
        known = shares.near >= 0
        found[known] = loose[shares.near[known]]
        return found


def evaluate(run: Run, given: dict[str, Any], times: Any = None) -> dict[str, Array]:
    """Return expressions along a motion, by name."""
    if not given:
        return {}
    at = run if times is None else run.resampled(times)
    shape = at.t.shape if times is None else np.shape(times)
    asked = Asked(run, given)
    values = asked.at(at)
    loose = asked.undetermined(at)
    shares = {name for name, entries in run.system.sections.get("friction", {}).items() if "share" in entries}
    least = [
        k for k, value in enumerate(given.values()) if isinstance(value, str) and value.partition(".")[0] in shares
    ]
    if loose[:, least].any():  # of these the least shares are meant
        values[:, least] = asked.by_least_shares(at)[:, least]
        loose[:, least] = False
    values[loose] = np.nan
    warn(asked.names, at.t, values, loose, at.undetermined if np.any(loose) else [])
    return {name: values[:, k].reshape(shape) for k, name in enumerate(given)}


def warn(names: Sequence[str], t: Array, values: Array, loose: Array, notes: Sequence[str]) -> None:
    """Say where values are no numbers, and why."""
    if np.isfinite(values).all():
        return
    for k, name in enumerate(names):
        if np.any(loose[:, k]):
            why = notes[0] if notes else "constraints repeat each other"
            text = f"`{name}` is not determined, and is given as NaN: {why}"
        elif len(wrong := np.flatnonzero(~np.isfinite(values[:, k]))):
            text = f"`{name}` has no finite value at {len(wrong)} of {len(t)} times, first at t = {t[wrong[0]]:g}"
        else:
            continue
        warnings.warn(text, MissingValueWarning, stacklevel=4)


def short(text: Any) -> str:
    """Shorten what is quoted."""
    text = str(text)
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…"
