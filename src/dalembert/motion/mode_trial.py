"""Modes of friction tried at one state, on the equations themselves: which patterns of sliding and sticking hold.

Of several that stick and share a load as many hold by conditions as are independent; the others carry a share, chosen
by linear programming so that the largest part of a limit is least. If that part is more than all, they cannot stick.
A share may turn reactions round, and loads are sizes of these: so it is looked for with each of their signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from dalembert.model.quantity import multipliers_in

if TYPE_CHECKING:
    from dalembert.motion.stick_slip import StickSlip
    from dalembert.native.kernels import Kernels

_INSIDE = 1e-9  # of the limit, and of what a rate of sliding is made of: beside it, both modes hold
_MOST = 6  # frictions at rest at once of which all patterns are tried
_ROUNDS = 60
_RESTS = 1e-10  # of the largest speeds so far
_STILL = 1e-7  # of what a rate of sliding is made of, where it is none
_SHARES = 8  # shares of a load that are tried, as limits change with them
_NUDGE = 1e-4  # of the forces: changes by which it is seen how they depend on shares
_HELD = 1e-9  # of a row: what others, or constraints, leave of one that they hold
_TURNING = 4  # reactions that shares can turn round of which all signs are tried


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
            way = float(self._allowed[self._rows(i)][0, 0])
            if way != 0.0:
                ways.add(0.0 if direction is None else np.sign(float(direction[0]) * way))
        return len(ways) <= 1

    @cached_property
    def _is_single(self) -> bool:
        """Whether all is at rest, and there is one freedom."""
        return self._allowed.shape[1] == 1 and bool(np.all(np.abs(self.v) <= _RESTS * self.owner.speeds))

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
        self._hold(parameters, stuck)
        for i, direction in directions.items():
            owner.let_slide(parameters, i, direction, 0.0)
        if any(len(d) > 1 for d in directions.values()) and not self._turned(parameters, directions):
            return None
        if (found := self.inside(parameters, stuck)) is None:
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

    # --- what sticks together ----------------------------------------------------------------------------------------

    @cached_property
    def _allowed(self) -> Array:
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

    def _rows(self, i: int) -> slice:
        first = sum(self.owner.known.counts[:i])
        return slice(first, first + self.owner.known.counts[i])

    def _hold(self, parameters: Array, stuck: Sequence[int]) -> list[int]:
        """Let as many stick by conditions as are independent, the others without a force; return these."""
        for i in stuck:
            self.owner.let_stick(parameters, i)
        if len(stuck) <= 1 and (found := self.solved(parameters)) is not None and found.rank == self.kernels.s:
            return []  # the usual one
        B, kept, carried = self._allowed, np.zeros((0, self._allowed.shape[1])), list[int]()
        for i in stuck:
            rows = B[self._rows(i)]
            more = np.vstack([kept, rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None]])
            independent = bool(rows.any()) and float(np.linalg.svd(more, compute_uv=False).min()) > _HELD
            if independent and len(more) <= more.shape[1]:
                kept = more
                self.owner.let_stick(parameters, i)
            else:
                carried.append(i)
                self.owner.let_stick(parameters, i, np.zeros(len(rows)))
        return carried

    def inside(self, parameters: Array, stuck: Sequence[int]) -> SolvedModes | None:
        """Solve, with all that stick inside their limits; where they share a load, find a share with which they are.

        The shares stay in the parameters. None if there is no solution, or no such share.
        """
        begin = parameters.copy()
        if (found := self._held_inside(parameters, stuck)) is not None:
            return found
        for other in self._turned_round(begin, stuck):
            if (found := self._held_inside(other, stuck, True)) is not None:
                parameters[:] = other
                return found
        return None

    def _held_inside(self, parameters: Array, stuck: Sequence[int], is_signed: bool = False) -> SolvedModes | None:
        """Solve, and share otherwise until all are inside; is_signed: with the signs that reactions have now."""
        for _ in range(_SHARES):
            if (found := self.solved(parameters)) is None or self._moves(found, stuck):
                return None
            if all(float(np.linalg.norm(found.held[i])) <= found.limits[i] * (1 + _INSIDE) for i in stuck):
                return found
            if not self._share(parameters, stuck, found, is_signed):
                return None
        return None

    def _turned_round(self, parameters: Array, stuck: Sequence[int]) -> Iterator[Array]:
        """Return parameters with shares by which the reactions that press have other signs, as far as there are some.

        Limits bend where a reaction passes zero; between these places the linear program is exact.
        """
        from scipy.optimize import linprog

        places = self._shares(parameters, stuck)
        found = self.solved(parameters) if places else None
        if found is None or self._moves(found, stuck):
            return
        size = float(np.abs(found.lam).max(initial=0.0))
        slopes = self._slopes(parameters, places, _NUDGE * size, lambda solved: solved.lam) if size > 0 else None
        if slopes is None:
            return
        rows = [k for k in self._pressing(stuck) if np.abs(slopes[k]).max() > _INSIDE * np.abs(slopes).max()]
        now = np.sign(found.lam[rows])
        for signs in product((1.0, -1.0), repeat=len(rows)) if len(rows) <= _TURNING else ():
            s = np.array(signs)
            if np.array_equal(s, now):
                continue  # these were tried
            # σ(λ + Λ z) as far above zero as all of them can be, but no further than they are large
            best = linprog(
                [*np.zeros(len(places)), -1.0],
                A_ub=np.column_stack([-s[:, None] * slopes[rows], np.full(len(rows), size)]),
                b_ub=s * found.lam[rows],
                bounds=[*[(None, None)] * len(places), (None, 1.0)],
            )
            if best.x is not None and best.x[-1] > _INSIDE:
                other = parameters.copy()
                other[places] += best.x[:-1]
                yield other

    def _pressing(self, stuck: Sequence[int]) -> list[int]:
        """Return the constraints whose multipliers are loads of what sticks."""
        names = multipliers_in(*(self.owner.frictions[i].load for i in stuck))
        return [k for k, constraint in enumerate(self.owner.system.constraints) if constraint.name in names]

    def _shares(self, parameters: Array, stuck: Sequence[int]) -> list[int]:
        """Return where among the parameters the forces are that some of those that stick carry."""
        return [k for i in stuck if not parameters[self.owner.stick_places[i]] for k in self.owner.carry_places[i]]

    def _slopes(
        self, parameters: Array, places: Sequence[int], step: float, measure: Callable[[SolvedModes], Array]
    ) -> Array | None:
        """Return how a measure of the solution changes with shares; None where there is no solution."""
        if (here := self.solved(parameters)) is None:
            return None
        columns = []
        for place in places:
            nudged = parameters.copy()
            nudged[place] += step
            if (other := self.solved(nudged)) is None:
                return None
            columns.append((measure(other) - measure(here)) / step)
        return np.array(columns).T

    @staticmethod
    def _moves(found: SolvedModes, stuck: Sequence[int]) -> bool:
        """Tell whether something that should stick begins to move: what others hold only for a moment does."""
        return any(float(np.abs(found.rates[i]).max()) > _STILL * float(np.sum(found.sizes[i])) for i in stuck)

    def _share(self, parameters: Array, stuck: Sequence[int], found: SolvedModes, is_signed: bool = False) -> bool:
        """Let those that carry a share carry another one, with which the least that is left of a limit is most.

        Loads, and so limits, change with the shares: both are taken as linear, and the step is repeated. Of several
        sliding velocities each is held to its part of the limit, which is safe. is_signed: loads keep their signs.
        """
        from scipy.optimize import linprog

        places = self._shares(parameters, stuck)
        held, limits = self._filled(stuck, found)
        step = _NUDGE * float(max(np.abs(limits).max(initial=0.0), np.abs(held).max(initial=0.0)))
        if not places or not step > 0:
            return False
        rows = self._pressing(stuck) if is_signed else []

        def measure(solved: SolvedModes) -> Array:
            return np.concatenate([*self._filled(stuck, solved), solved.lam[rows]])

        if (slopes := self._slopes(parameters, places, step, measure)) is None:
            return False
        of_held, of_limits, of_loads = np.split(slopes, [len(held), 2 * len(held)])
        signs, none = np.sign(found.lam[rows])[:, None], np.zeros((len(rows), 1))
        size = np.maximum(np.abs(limits), _NUDGE * np.abs(limits).max(initial=0.0))[:, None]
        best = linprog(
            [*np.zeros(len(places)), -1.0],
            A_ub=np.block([[of_held - of_limits, size], [-of_held - of_limits, size], [-signs * of_loads, none]]),
            b_ub=np.concatenate([limits - held, limits + held, np.abs(found.lam[rows])]),
            bounds=[*[(None, None)] * len(places), (None, 1.0)],
        )
        if best.x is None:
            return False
        parameters[places] += best.x[:-1]
        return True

    @staticmethod
    def _filled(stuck: Sequence[int], found: SolvedModes) -> tuple[Array, Array]:
        """Return what holds, and its limit, one after the other."""
        parts = [np.full(len(found.held[i]), found.limits[i] / np.sqrt(len(found.held[i]))) for i in stuck]
        return np.concatenate([found.held[i] for i in stuck]), np.concatenate(parts)

    def shared(self, stuck: Sequence[int]) -> Array | None:
        """Return parameters with which all that stick go on sticking, as they share a load in another way."""
        parameters = self.parameters.copy()
        if not self._hold(parameters, stuck) or self.inside(parameters, stuck) is None:
            return None
        return parameters

    def _turned(self, parameters: Array, directions: dict[int, Array]) -> bool:
        """Find the directions of several sliding velocities: those in which they begin to slide."""
        owner = self.owner
        several, off = [i for i, d in directions.items() if len(d) > 1], np.inf
        for _ in range(_ROUNDS):
            found = self.solved(parameters)
            if found is None:
                return False
            off = 0.0
            for i in several:
                size = float(np.linalg.norm(found.rates[i]))
                if size <= _INSIDE * float(np.sum(found.sizes[i])):
                    continue  # at its limit: it gives way as it is pushed
                new = found.rates[i] / size
                off = max(off, float(np.abs(new - directions[i]).max()))
                directions[i] = new
                owner.let_slide(parameters, i, new, size)
            if off <= 1e-13:
                return True
        return off <= _INSIDE

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
