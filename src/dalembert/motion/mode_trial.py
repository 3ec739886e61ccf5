"""Modes of friction tried at one state, on the equations themselves: which patterns of sliding and sticking hold.

Those that stick and share a load are those of `sharing.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.either import dense
from dalembert.algebra.rank import null_space
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.motion.directions import settled
from dalembert.motion.sharing import Sharing

if TYPE_CHECKING:
    from dalembert.motion.stick_slip import StickSlip
    from dalembert.native.kernels import Kernels

_INSIDE = 1e-9  # of the limit, and of what a rate of sliding is made of: beside it, both modes hold
_MOST = 6  # frictions at rest at once of which all patterns are tried
_ROUNDS = 60
_RESTS = 1e-10  # of the largest speeds so far
_HELD = 1e-9  # of a row: what constraints leave of one that they hold


@dataclass(frozen=True)
class ModePattern:
    """Modes of some frictions, and what the equations say with them."""

    parameters: Array
    stuck: int
    accelerations: Array


@dataclass(frozen=True)
class SolvedModes:
    """What the equations say with some modes.

    Accelerations and multipliers, and by friction rates of sliding, limits, what holds.
    """

    a: Array
    lam: Array
    rank: int
    rates: list[Array]
    sizes: list[Array]
    limits: list[float]
    held: list[Array]


class Trial:
    """Tries modes at one state."""

    def __init__(self, owner: StickSlip, kernels: Kernels, t: float, q: Array, v: Array, parameters: Array):
        self.owner, self.kernels, self.t, self.q, self.v, self.parameters = owner, kernels, t, q, v, parameters
        self.sharing = Sharing(self)
        self.usual = np.zeros(len(q))  # accelerations with which something slides, beside which others are none

    def compare(self, open_: Sequence[int]) -> None:
        """Find out how large accelerations are where all that is at rest slides, to one side and to the other."""
        plain = self.parameters.copy()
        for i in open_:
            self.owner.let_stick(plain, i, np.zeros(self.owner.known.counts[i]))
        if (found := self.solved(plain)) is not None:  # without friction
            self.usual = np.abs(found.a)
        for side in (1.0, -1.0):
            parameters = self.parameters.copy()
            for i in open_:
                direction = np.full(self.owner.known.counts[i], side)
                self.owner.let_slide(parameters, i, direction / np.sqrt(len(direction)), 0.0)
            if (found := self.solved(parameters)) is not None:
                self.usual = np.maximum(self.usual, np.abs(found.a))

    def solved(self, parameters: Array) -> SolvedModes | None:
        """Solve the equations; None where they have no value."""
        known = self.owner.known
        given = [self.t, *self.q, *self.v, *parameters]
        solution = self.kernels.run("core", "accelerations", np.array([given]))[0]  # without words where there is none
        n, s = self.kernels.n, self.kernels.s
        a, lam = solution[:n], solution[n : n + s]
        if not (np.all(np.isfinite(solution[: n + s])) and solution[-1] > 0):
            return None
        out = known.solved.floats([*given, *a, *lam])
        if not np.all(np.isfinite(out)):
            return None
        count = sum(known.counts)
        sizes = known.sizes(known.slopes.floats(given), np.maximum(np.abs(a), self.usual))
        ends = np.cumsum(known.counts)[:-1]
        parts = np.split(out[count:], np.cumsum([1 + k for k in known.counts])[:-1])
        limits, held = [float(part[0]) for part in parts], [part[1:] for part in parts]
        return SolvedModes(a, lam, int(solution[-3]), np.split(out[:count], ends), np.split(sizes, ends), limits, held)

    def has_full_rank(self, found: SolvedModes) -> bool:
        """Tell whether no condition repeats others."""
        return found.rank == self.kernels.s

    def pushed(self, i: int, parameters: Array) -> Array:
        """Return the direction to which a friction gives way: against the force that holds."""
        found = self.solved(parameters)
        held = found.held[i] if found is not None else np.zeros(self.owner.known.counts[i])
        size = float(np.linalg.norm(held))
        return -held / size if size else np.zeros(len(held))

    def consistent(self, open_: Sequence[int], given: Mapping[int, Array]) -> list[ModePattern]:
        """Return the patterns that hold; `given` are those that slide in a direction."""
        free = [i for i in open_ if i not in given]
        if len(free) > _MOST:
            found = self._released(free, given)
            return [found] if found is not None else []
        options = product(*(self._options(i) for i in free))
        patterns = (dict(zip(free, pattern, strict=True)) for pattern in options)
        tried = (self._try(pattern, given) for pattern in patterns if self._goes_together(pattern, given))
        return [pattern for pattern in tried if pattern is not None]

    def _goes_together(self, pattern: Mapping[int, Array | None], given: Mapping[int, Array]) -> bool:
        """Tell whether modes are possible at once: in a machine at rest with one freedom all slide its way, or none."""
        directions = {**pattern, **given}
        if not self._is_single or any(self.owner.known.counts[i] > 1 for i in directions):
            return True
        ways = set()
        for i, direction in directions.items():
            way = float(self.allowed[self.rows(i)][0, 0])
            if way != 0.0:
                ways.add(0.0 if direction is None else np.sign(float(direction[0]) * way))
        return len(ways) <= 1

    @cached_property
    def _is_single(self) -> bool:
        """Whether all is at rest, and there is one freedom."""
        return self.allowed.shape[1] == 1 and bool(np.all(np.abs(self.v) <= _RESTS * self.owner.speeds))

    def _options(self, i: int) -> list[Array | None]:
        """Return what a friction at rest can do: stick, None, or slide in a direction."""
        if self.owner.known.counts[i] == 1:
            return [None, np.array([1.0]), np.array([-1.0])]
        parameters = self.parameters.copy()
        self.owner.let_stick(parameters, i)
        direction = self.pushed(i, parameters)  # to begin with; the right one is to be found
        return [None, direction if direction.any() else np.eye(len(direction))[0]]

    def _try(self, pattern: Mapping[int, Array | None], given: Mapping[int, Array]) -> ModePattern | None:
        owner, parameters = self.owner, self.parameters.copy()
        directions = {**{i: d for i, d in pattern.items() if d is not None}, **given}
        stuck = [i for i in pattern if i not in directions]
        self.sharing.hold(parameters, stuck)
        for i, direction in directions.items():
            owner.let_slide(parameters, i, direction, 0.0)
        if any(len(d) > 1 for d in directions.values()):
            if (turned := settled(self, parameters, directions)) is None:
                return None
            directions = turned
        if (found := self.sharing.inside(parameters, stuck)) is None:
            return None
        for i, direction in directions.items():
            along, size = float(np.dot(direction, found.rates[i])), float(np.sum(found.sizes[i]))
            if along < -_INSIDE * size or (along <= _INSIDE * size and self._is_held(parameters, i, found)):
                return None
        return ModePattern(parameters, len(stuck), found.a)

    def _is_held(self, parameters: Array, i: int, found: SolvedModes) -> bool:
        """Tell whether others hold a friction that should slide: its force changes nothing there."""
        other = parameters.copy()
        other[self.owner.slide_places[i]] = 0.5
        less = self.solved(other)
        if less is None or not found.limits[i] > 0:
            return False
        change = float(np.abs(less.rates[i] - found.rates[i]).max())
        return change <= _INSIDE * float(np.sum(found.sizes[i]))

    @cached_property
    def allowed(self) -> Array:
        """How each sliding velocity follows from motions that the constraints, without those of friction, allow."""
        owner, system = self.owner, self.owner.system
        numeric = Numeric(system, dict(zip(system.parameters, map(float, self.parameters), strict=True)))
        A = dense(numeric.all(self.t, self.q, self.v).A)
        loose = {row for friction in owner.frictions for row in friction.rows}
        ideal = [k for k, constraint in enumerate(system.constraints) if constraint.name not in loose]
        known = owner.known
        T = np.zeros((sum(known.counts), len(self.q)))
        values = iter(known.slopes.floats([self.t, *self.q, *self.v, *self.parameters]))
        for k, one in enumerate(known.directions):
            for name, _ in one:
                T[k, system.coordinates.index(name)] = next(values)
        lengths = np.maximum(np.linalg.norm(T, axis=1), 1e-300)
        B = (T / lengths[:, None]) @ null_space(sp.csr_array(A[ideal]))
        return np.where(np.linalg.norm(B, axis=1) > _HELD, 1.0, 0.0)[:, None] * B * lengths[:, None]

    def rows(self, i: int) -> slice:
        """Return where the sliding velocities of a friction are among all."""
        first = sum(self.owner.known.counts[:i])
        return slice(first, first + self.owner.known.counts[i])

    def _released(self, free: Sequence[int], given: Mapping[int, Array]) -> ModePattern | None:
        """Begin with all at rest, and let go what is not held, until the rest holds."""
        pattern: dict[int, Array | None] = dict.fromkeys(free)
        for _ in range(_ROUNDS):
            if (found := self._try(pattern, given)) is not None:
                return found
            parameters = self.parameters.copy()
            for i, direction in {**pattern, **given}.items():
                if direction is None:
                    self.owner.let_stick(parameters, i)
                else:
                    self.owner.let_slide(parameters, i, direction, 0.0)
            solved = self.solved(parameters)
            if solved is None:
                return None
            over = {i: float(np.linalg.norm(solved.held[i])) - solved.limits[i] for i in free if pattern[i] is None}
            worst = max(over, key=lambda i: over[i], default=None)
            if worst is None or over[worst] <= 0:
                return None
            held = solved.held[worst]
            pattern[worst] = -held / float(np.linalg.norm(held))
        return None
