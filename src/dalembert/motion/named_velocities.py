"""Quasi-velocities that a motion is computed in may cease to determine the velocities: there it ends, and that is said.

The matrix [A; W] that gives v from u is looked at after every step, once for all steps of a piece. Where it is nearly
singular, or passed from one sign of its determinant to the other inside a step, v is made of what rounding left of u.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import SimulationError, quoted
from dalembert.forms.prepared import scene_of
from dalembert.forms.quasi_velocities import QuasiVelocities, quasi_velocities

if TYPE_CHECKING:
    from dalembert.motion.engine import Engine
    from dalembert.native.kernels import Kernels
    from dalembert.survey.start import State

_HARDLY = 1e-3  # part of the best conditioning on the way at which velocities are hardly determined
_LOST = 1e-9  # conditioning at which they are not
_INSTEAD = (
    "choose others in [velocities], or leave that table out: velocities that are found are chosen anew on the way; "
    "or take the form `multipliers`"
)


class NamedVelocities:
    """Follows how well the quasi-velocities of a motion determine its velocities; other forms have none.

    The start is refused where they do not.
    """

    def __init__(self, kernels: Kernels, state: State, y: Array, parameters: Array, units: Array):
        self._kernels, self._units = kernels, units[: kernels.n]
        self._seen = (0, 0)  # buffers of the engine, and places in the last one, that were looked at
        if kernels.beside != "u":
            return
        found, sign = self._velocities.determined(np.array([state.t]), state.q[None], parameters, self._units)
        self._best, self._last = float(found[0]), (state.t, y, float(sign[0]))
        if self._best < _LOST:
            names = quoted(self._velocities.meanings)
            raise SimulationError(
                f"the motion cannot begin: to know {names} does not determine the velocities there; {_INSTEAD}"
            )

    @cached_property
    def _velocities(self) -> QuasiVelocities:
        return quasi_velocities(scene_of(self._kernels.system))

    def lost(self, engine: Engine) -> bool:
        """Tell whether a motion must end; it is taken back to the last state at which velocities are determined."""
        if self._kernels.beside != "u":
            return False
        first = 1 + 2 * engine.n
        parameters = engine.given[first : first + len(engine.kernels.system.parameters)]
        for new_times, new_states in self._new(engine):
            t, y, sign = self._last
            times, states = np.concatenate([[t], new_times]), np.vstack([y, new_states])
            found, signs = self._velocities.determined(new_times, new_states[:, : engine.n], parameters, self._units)
            best, signs = np.maximum.accumulate([self._best, *found]), np.concatenate([[sign], signs])
            moved = new_times > np.nextafter(times[:-1], np.inf)  # an event may set another position, in no time
            bad = np.flatnonzero((found < _HARDLY * best[1:]) | (np.diff(signs) != 0) & moved)
            if len(bad):
                k = int(bad[0])
                engine.cut(self._seen[0], self._seen[1] + k, float(times[k]), states[k])
                return True
            self._best, self._last = float(best[-1]), (float(times[-1]), states[-1], float(signs[-1]))
            self._seen = (self._seen[0], self._seen[1] + len(new_times))
        return False

    def _new(self, engine: Engine) -> Iterator[tuple[Array, Array]]:
        """Yield times and states that were recorded since the last look."""
        for buffer in range(self._seen[0], len(engine.times)):
            self._seen = (buffer, self._seen[1] if buffer == self._seen[0] else 0)
            last = int(engine.count.recorded) if buffer == len(engine.times) - 1 else len(engine.times[buffer])
            if last > self._seen[1]:
                part = slice(self._seen[1], last)
                yield engine.times[buffer][part], engine.states[buffer][part]

    def words(self, where: str) -> str:
        """Say that the motion ends, and what to do."""
        names = quoted(self._velocities.meanings)
        return f"to know {names} ceases to determine the velocities soon after {where}; {_INSTEAD}"
