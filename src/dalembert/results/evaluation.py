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
from dalembert.language.program import definitions_in
from dalembert.language.table_functions import bounded
from dalembert.model.quantity import multiplier
from dalembert.native.groups.solution_expressions import Observations
from dalembert.results.shares import NOTICED

if TYPE_CHECKING:
    from dalembert.results.run import Run

MAX_LENGTH = 80  # characters of an expression that is quoted


class Asked:
    """Expressions that are asked of a motion, read and compiled.

    names: how they are called in messages. solved: whether accelerations or multipliers are needed.
    """

    def __init__(self, run: Run, given: dict[str, Any]):
        self.names, problems, found = [short(name) for name in given], [], []
        observed = run.system.observed
        for name, value in given.items():
            try:
                found.append(bounded(observed.resolved(observed.read(value))))
            except ModelError as error:
                problems += [Problem(f"`{short(name)}`: {p.text}", column=p.column) for p in error.problems]
        if problems:
            raise ModelError(problems)
        system = run.system
        meanings = definitions_in(found, system.defined).values()
        used = {symbol.name for expr in (*found, *meanings) for symbol in expr.free_symbols}
        multipliers = {multiplier(name).name for name in system.reacting}
        self.shared = bool(used & multipliers)
        self.solved = self.shared or not used.isdisjoint(name + "'" for name in system.velocities)
        self.kernels = run.motion.kernels
        self.group = self.kernels.add(Observations(found))
        self.zeros = np.zeros(len(system.coordinates) + len(system.reacting))

    def at(self, run: Run) -> Array:
        """Return the values at the times of a run, one row for each; NaN where the equations have no value."""
        if not len(run.t):
            return np.zeros((0, len(self.names)))
        try:
            return self._run(self._rows(run))
        except SimulationError:  # as at the end of a motion that fails
            half = len(run.t) // 2
            if not half:
                return np.full((1, len(self.names)), np.nan)
            return np.concatenate([self.at(run.part(rows)) for rows in (slice(half), slice(half, None))])

    def _run(self, rows: Array) -> Array:
        return self.kernels.run(self.group, "observed", rows)

    def _rows(self, run: Run) -> Array:
        inputs = run._inputs
        if not self.solved:
            return np.hstack([inputs, np.broadcast_to(self.zeros, (len(inputs), len(self.zeros)))])
        acceleration = run._solution.acceleration
        if not self.shared:
            return np.hstack([inputs, acceleration, np.zeros((len(inputs), len(self.zeros) - acceleration.shape[1]))])
        return np.hstack([inputs, acceleration, run.all_multipliers])

    def undetermined(self, run: Run) -> Array:
        """Tell at which times of a run which values change if loads are shared in another way."""
        found = np.zeros((len(run.t), len(self.names)), dtype=bool)
        shares = run.shares if self.shared and len(run.t) else None
        if not shares:
            return found
        rows, s = self._rows(run)[shares.states], shares.vectors.shape[1]
        loads = np.abs(rows[:, -s:]).max(axis=1, keepdims=True)
        loads[loads == 0] = 1.0
        values, loose = self._run(rows), np.zeros((len(rows), len(self.names)), dtype=bool)
        for k in range(shares.vectors.shape[2]):
            other = rows.copy()
            other[:, -s:] += loads * shares.vectors[:, :, k]
            change = np.abs(self._run(other) - values)
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
    values[loose] = np.nan
    warn(asked.names, at.t, values, loose, at.undetermined if np.any(loose) else [])
    return {name: values[:, k].reshape(shape) for k, name in enumerate(given)}


def warn(names: Sequence[str], t: Array, values: Array, loose: Array, notes: Sequence[str]) -> None:
    """Say where values are no numbers, and why."""
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
