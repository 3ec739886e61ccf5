"""Starts of variants by native code: a system that has moved begins again, with other values, in no time.

What is out of the ordinary, or in doubt, is left to `survey/start.py`, which finds the same state with the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.assembled import is_large
from dalembert.blocks.numeric import Numeric, Vanishing
from dalembert.blocks.programs import ONE_SIZE, LevelPrograms, programs
from dalembert.forms.augment import PLACES, scattered
from dalembert.model.initial import begin_of
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.motion.entry import Stepper
from dalembert.motion.tools import Start, StartLevel, StartRoom
from dalembert.survey.conditions import Conditions, equations_of
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
        self.core, self._native = kernels.group("core"), Stepper("ordinary_start", "ordinary")
        self._names = system.coordinates, system.velocities
        n, s, code = numeric.n, numeric.s, known.native
        entries = np.array(list(b.A), dtype=np.int64).reshape(-1, 2)
        first, diagonal = len(b.M) + n, {i: k for k, (i, j) in enumerate(b.M) if i == j}
        begin = first + len(entries) + s
        positions = _level(system, known.position, "position", 1, first, begin)
        velocities = _level(system, known.velocity, "velocity", 1 + n, first, begin + positions.terms)
        outputs = code.facts["kernels"]["numbers"][1], self.core.facts["kernels"]["accelerations"][1]
        self._start = Start(
            code.library.address("numbers"),
            self.core.library.address("accelerations"),
            s,
            PLACES,
            np.ascontiguousarray(np.vstack([entries.T, np.zeros(len(entries), dtype=np.int64)])),
            np.zeros(s, dtype=np.int64),
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
                entries=np.zeros((3, len(entries) + positions.rows + velocities.rows + 1)),
                x=np.zeros(n),
                **_room(n, s, s),
            ),
        )
        self._rows = known.position.rows, known.velocity.rows
        self._vanishing = any(np.any(part) for part in vars(numeric.vanishing).values())
        self._q, self._v = np.zeros((2, n))
        self._starts: dict[tuple[str, ...], Start | None] = {}

    def __call__(self, system: System, numeric: Numeric) -> tuple[Array, Array] | None:
        """Return q and v of a variant; None if its start is not ordinary."""
        asked = tuple(system.initial)
        if asked not in self._starts:
            self._starts[asked] = self._with(system, asked)
        start = self._starts[asked]
        if start is None:
            return None
        fixed, guess = given_values(numeric, system.initial), given_values(numeric, system.guess)
        for x, names in zip((self._q, self._v), self._names, strict=True):
            x[:] = [fixed[name] if name in fixed else guess.get(name, 0.0) for name in names]
        placed = None
        if len(start.velocities.asked):  # of velocities where bodies are placed: they must stay there
            named = set(system.coordinates).union(system.velocities)
            given = [pair for item in system.initial_values(fixed) for pair in item.values.items()]
            values = {name: value for name, value in given if name not in named}
            further = Conditions(numeric, values, "velocity")
            placed, start.velocities.asked[:] = self._q.copy(), further.table(self._q)
        if self._vanishing:
            self._mark(numeric.vanishing)
        start.parameters[:] = numeric.parameters
        if not self._native(start, begin_of(system.simulation), self._q, self._v):
            return None
        if placed is not None and not np.array_equal(placed, self._q):
            return None
        return self._q.copy(), self._v.copy()

    def _mark(self, zero: Vanishing) -> None:
        """Say what is nothing but rounding."""
        start = self._start
        start.A[2], start.zero[:] = zero.A, zero.c
        for level, rows, parts in zip((start.positions, start.velocities), self._rows, (zero.g, zero.psi), strict=True):
            level.zero[:] = parts[rows]

    def _with(self, system: System, asked: tuple[str, ...]) -> Start | None:
        """Return what finds starts from some initial values; None if these are not of a kind that it knows."""
        free = [[i for i, name in enumerate(names) if name not in asked] for names in self._names]
        further = [name for name in asked if name not in self._names[0] and name not in self._names[1]]
        if isinstance(system, Mechanism) and system.by != ABSOLUTE and (further or self._start.s or any(free)):
            return None  # its guess is that of its bodies
        if any(system.measure(name).level != "velocity" for name in further):
            return None
        if further and not equations_of(system, "velocity", *further).straight:
            return None
        start, n = self._start, len(self._q)
        levels = (start.positions, start.velocities)
        positions, velocities = (
            level._replace(free=np.array(places, dtype=np.int64)) for level, places in zip(levels, free, strict=True)
        )
        if further:
            velocities = velocities._replace(asked=np.zeros((len(further), n + 1)))
        room = start.room._replace(**_room(n, start.s, start.s + len(further)))
        return start._replace(positions=positions, velocities=velocities, room=room)


def _room(n: int, s: int, equations: int) -> dict[str, Array]:
    """Make room for as many equations as are solved."""
    most = max(equations, 1)
    return {
        "J": np.zeros((most, n)),
        "T": np.zeros((most, n + 1 + most)),
        "lines": np.zeros((7, max(n, s, most))),
    }


def _level(system: System, known: LevelPrograms, kind: str, first: int, A: int, begin: int) -> StartLevel:
    """Lay out the equations of a level for the stepper."""
    place, n = np.full(max(len(system.constraints), 1), -1), len(system.coordinates)
    place[known.rows] = np.arange(len(known.rows))
    steep = np.array([system.constraints[i].level == kind for i in known.rows], dtype=np.int64)
    group = known.groups.astype(np.int64) if known.rows else np.zeros(n, dtype=np.int64)
    free, owner = np.zeros(0, dtype=np.int64), known.owners.astype(np.int64)
    zero, none = np.zeros(len(known.rows), dtype=np.int64), np.zeros((0, n + 1))
    return StartLevel(first, len(known.rows), len(owner), A, begin, place, owner, group, free, steep, zero, none)
