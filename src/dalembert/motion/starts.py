"""Starts of variants by native code: a system that has moved begins again, with other values, in no time.

What is out of the ordinary, or in doubt, is left to `survey/start.py`, which finds the same state with the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.assembled import is_large
from dalembert.blocks.numeric import Numeric
from dalembert.blocks.programs import ONE_SIZE, LevelPrograms, programs
from dalembert.forms.augment import PLACES, scattered
from dalembert.model.initial import begin_of
from dalembert.motion.entry import Stepper
from dalembert.motion.tools import Start, StartLevel, StartRoom
from dalembert.survey.flat import directions_aside
from dalembert.survey.initial_numbers import given_values

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.native.kernels import Kernels


def hasten_starts(kernels: Kernels, numeric: Numeric) -> None:
    """Let starts of variants be found by native code from now on, where they may be ordinary."""
    system = kernels.system
    if is_large(system) or programs(system).starter is not None or system.states or not numeric.small:
        return
    if numeric.programs.native is None:
        return
    if any(constraint.kinked for constraint in system.constraints) or kernels.facts("core").get("light"):
        return
    programs(system).starter = Starter(kernels, numeric)


class Starter:
    """Finds ordinary starts of the variants of a system; one at a time, as facts of a survey are found.

    core: the code that is asked whether there is inertia.
    """

    def __init__(self, kernels: Kernels, numeric: Numeric):
        system, known, b = kernels.system, numeric.programs, numeric.blocks
        self.core, self._native = kernels.group("core"), Stepper("start", "ordinary")
        self._names = system.coordinates, system.velocities
        n, s, code = numeric.n, numeric.s, known.native
        entries = np.array(list(b.A), dtype=np.int64).reshape(-1, 2)
        first, diagonal = len(b.M) + n, {i: k for k, (i, j) in enumerate(b.M) if i == j}
        begin = first + len(entries) + s
        positions = _level(system, known.position, "position", 1, first, begin)
        velocities = _level(system, known.velocity, "velocity", 1 + n, first, begin + positions.terms)
        outputs = code.facts["kernels"]["numbers"][1], self.core.facts["kernels"]["accelerations"][1]
        wide, most = max(n, s), max(s, 1)
        self._start = Start(
            code.library.address("numbers"),
            self.core.library.address("accelerations"),
            s,
            PLACES,
            np.ascontiguousarray(entries.T),
            np.array([diagonal.get(j, -1) for j in range(n)], dtype=np.int64),
            np.array(numeric.units, dtype=float),
            directions_aside(n),
            np.hstack([part[ONE_SIZE] for part in known.random]),
            scattered(system),
            np.zeros(len(numeric.parameters)),
            positions,
            velocities,
            StartRoom(
                given=np.zeros(len(known.inputs)),
                out=np.zeros(max(outputs)),
                work=np.zeros(max(code.work, self.core.work) + 1),
                J=np.zeros((most, n)),
                T=np.zeros((most, 2 * most + 1)),
                lines=np.zeros((7, wide)),
                entries=np.zeros((3, len(entries) + positions.rows + velocities.rows + 1)),
                x=np.zeros(n),
            ),
        )
        self._q, self._v = np.zeros((2, n))
        self._free: dict[tuple[str, ...], list[list[int]] | None] = {}
        self._asked: tuple[str, ...] | None = None  # of which `free` is now

    def __call__(self, system: System, numeric: Numeric) -> tuple[Array, Array] | None:
        """Return q and v of a variant; None if its start is not ordinary."""
        asked = tuple(system.initial)
        if asked not in self._free:
            self._free[asked] = self._left_open(asked)
        free = self._free[asked]
        if free is None:
            return None
        if asked != self._asked:
            for level, places in zip((self._start.positions, self._start.velocities), free, strict=True):
                level.free[: len(places)] = places
            self._asked = asked
        fixed, guess = given_values(numeric, system.initial), given_values(numeric, system.guess)
        for x, names in zip((self._q, self._v), self._names, strict=True):
            x[:] = [fixed[name] if name in fixed else guess.get(name, 0.0) for name in names]
        self._start.parameters[:] = numeric.parameters
        if not self._native(self._start, begin_of(system.simulation), self._q, self._v):
            return None
        return self._q.copy(), self._v.copy()

    def _left_open(self, asked: tuple[str, ...]) -> list[list[int]] | None:
        """Return what some initial values leave open; None if that is not as much as there are equations."""
        if not {name for names in self._names for name in names}.issuperset(asked):
            return None
        free = [[i for i, name in enumerate(names) if name not in asked] for names in self._names]
        rows = self._start.positions.rows, self._start.velocities.rows
        return free if all(count in (0, len(places)) for count, places in zip(rows, free, strict=True)) else None


def _level(system: System, known: LevelPrograms, kind: str, first: int, A: int, begin: int) -> StartLevel:
    """Lay out the equations of a level for the stepper."""
    place, n = np.full(max(len(system.constraints), 1), -1), len(system.coordinates)
    place[known.rows] = np.arange(len(known.rows))
    steep = np.array([system.constraints[i].level == kind for i in known.rows], dtype=np.int64)
    group = known.groups.astype(np.int64) if known.rows else np.zeros(n, dtype=np.int64)
    free, owner = np.zeros(n, dtype=np.int64), known.owners.astype(np.int64)
    return StartLevel(first, len(known.rows), len(owner), A, begin, place, owner, group, free, steep)
