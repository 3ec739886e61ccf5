"""Which frictions slide, and to which side, and which stick: decided where a mode ends, by what is consistent.

Sticking is consistent while the force that holds is inside its limit, sliding while the speed does not turn back. At
rest each friction may do one of the three; all patterns are tried on the equations themselves. Of those that hold the
one with the most sticking counts. None, or several, are what Painlevé found, and are said. What others hold cannot
slide: it sticks. Where several that stick share a load, as many hold as are independent, and the others carry a share
that is chosen so that all are inside their limits, if that is possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import SimulationError, quoted
from dalembert.language.building import TIME, Expr
from dalembert.language.program import Program
from dalembert.language.time_derivatives import rate
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.friction import frictions_of, slopes
from dalembert.model.quantity import multiplier
from dalembert.motion.mode_trial import ModePattern, Trial
from dalembert.survey.paradox import at_state, paradox

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.native.kernels import Kernels

STICK, SLIP = "stick", "slip"  # kinds of events
_RESTS = 1e-10  # of what a sliding velocity is made of: below, it is none
_SAME = 1e-9  # of the accelerations: patterns that differ by less are one solution
_TORN = 1e-6  # of the same: what sticks and moves so fast was torn off by a blow
_SLOWEST = 1e-13  # of what the usual acceleration makes over the duration: the same where nothing moved yet
_MOVED, _MOVES = 1e4, 0.5  # times that: at which what others hold moves with them; and of this, in the event
_BEGINS = 1e2  # times what is slow: the same where sliding in a plane begins, which rounding must not turn
_STIFF = 20.0  # times faster than the speed grows: where friction turns it into its direction so fast
_SLOW, _LEAN = 1e-8, 1e-3  # of its usual speed: where several sliding velocities have come to rest; and of that


class FrictionPrograms:
    """What is evaluated of friction: sliding velocities and their terms, their rates, what holds, its limit."""

    def __init__(self, system: System):
        self.frictions = [friction for friction in frictions_of(system).values() if friction.modes]
        names = [*system.coordinates, *system.velocities]
        accelerations = [f"{name}''" for name in system.coordinates]
        lam = [multiplier(constraint.name) for constraint in system.constraints]
        state = [se.Symbol(name) for name in (TIME, *names, *system.parameters)]
        whole = [*state, *map(se.Symbol, accelerations), *lam]
        slips = [slip for friction in self.frictions for slip in friction.slips]
        self.counts = [len(friction.slips) for friction in self.frictions]
        self.slips = Program(state, slips, system.defined)
        self.directions = [list(slopes(slip, system.coordinates).items()) for slip in slips]
        self.slopes = Program(state, [slope for one in self.directions for _, slope in one], system.defined)
        rates = [rate(slip, set(system.coordinates)) for slip in slips]
        solved = [expr for friction in self.frictions for expr in (friction.limit, *friction.held)]
        self.solved = Program(whole, [*rates, *solved], system.defined)
        self.owners = [system.coordinates.index(name) for one in self.directions for name, _ in one]
        self.places = list(system.parameters)

    def sizes(self, values: Array, by: Array) -> Array:
        """Return Σ |∂γ/∂vⱼ| |xⱼ| of each sliding velocity."""
        terms = np.abs(values) * np.abs(by[self.owners])
        ends = np.cumsum([len(one) for one in self.directions])
        return np.array([part.sum() for part in np.split(terms, ends[:-1])])


@fact(STRUCTURE)
def friction_programs(system: System) -> FrictionPrograms | None:
    """Return what is evaluated of the friction of a system in modes; None if there is none."""
    found = FrictionPrograms(system) if system.written is not system else None
    return found if found is not None and found.frictions else None


class StickSlip:
    """Decides the modes of a motion."""

    def __init__(self, system: System, known: FrictionPrograms):
        self.system, self.known, self.frictions = system, known, known.frictions
        self.speeds = np.zeros(len(system.coordinates))  # the largest so far
        self.span = 1.0  # the duration of the motion
        self.units = np.zeros(len(system.coordinates))  # of velocities, as far as they are known
        self.slowest = np.full(len(self.frictions), np.finfo(float).tiny ** 0.25)  # what is slow, by friction
        self.moved = self.slowest  # and what moves, of what others hold

    @property
    def margins(self) -> list[Expr]:
        """What passes zero downwards where a mode ends, by friction."""
        return [friction.margin for friction in self.frictions]

    @cached_property
    def stick_places(self) -> list[int]:
        """Where among the parameters it is said whether each sticks by its condition."""
        return [self.known.places.index(friction.stick.name) for friction in self.frictions]

    @cached_property
    def slide_places(self) -> list[int]:
        """Where it is said whether each slides."""
        return [self.known.places.index(friction.slide.name) for friction in self.frictions]

    @cached_property
    def carry_places(self) -> list[list[int]]:
        """Where the forces are that each carries while others hold it."""
        return [[self.known.places.index(one.name) for one in friction.carries] for friction in self.frictions]

    @cached_property
    def part_places(self) -> list[list[int]]:
        """Where it stands which parts of their limits they carry besides."""
        return [[self.known.places.index(one.name) for one in friction.parts] for friction in self.frictions]

    @cached_property
    def slow_places(self) -> list[int]:
        """Where the speeds are below which they rest."""
        return [self.known.places.index(friction.slow.name) for friction in self.frictions]

    @cached_property
    def moves_places(self) -> list[int]:
        """Where it is said whether what slides in a plane says itself in which direction."""
        return [self.known.places.index(friction.moves.name) for friction in self.frictions]

    @cached_property
    def side_places(self) -> list[list[int]]:
        """Where the directions of sliding are."""
        return [[self.known.places.index(side.name) for side in friction.sides] for friction in self.frictions]

    @cached_property
    def load_places(self) -> list[int | None]:
        """Where it is said whether contacts that rub are closed."""
        loads = [friction.loaded for friction in self.frictions]
        return [None if load is None else self.known.places.index(load.name) for load in loads]

    def is_idle(self, i: int, parameters: Array) -> bool:
        """Tell whether a friction is that of a contact which is open."""
        place = self.load_places[i]
        return place is not None and parameters[place] == 0.0

    def sticks(self, i: int, parameters: Array) -> bool:
        """Tell whether a friction sticks."""
        return parameters[self.slide_places[i]] == 0.0

    def begin(self, kernels: Kernels, t: float, q: Array, v: Array, parameters: Array) -> Array:
        """Return the parameters with the modes in which a motion begins: what moves slides."""
        sliding = parameters.copy()
        sliding[self.stick_places], sliding[self.slide_places] = 0.0, 1.0
        return self.settle(kernels, t, q, v, sliding)

    def notice(self, v: Array) -> None:
        """Take note of how fast things move, beside which what is at rest is slow."""
        self.speeds = np.maximum(self.speeds, np.abs(v))

    def settle(
        self,
        kernels: Kernels,
        t: float,
        q: Array,
        v: Array,
        parameters: Array,
        ended: Collection[int] = (),
        is_blow: bool = False,
    ) -> Array:
        """Return the parameters with modes that are consistent at a state.

        ended: those whose mode ends there. is_blow: whether velocities have just jumped.
        """
        self.notice(v)
        slips, sizes = self._slips(t, q, v, parameters)
        found, open_ = parameters.copy(), list[int]()
        for i in range(len(self.frictions)):
            if self.is_idle(i, parameters):
                self.let_slide(found, i, np.ones(1), 1.0)
                continue
            speed, size = float(np.linalg.norm(slips[i])), float(np.sum(sizes[i]))
            sticks = self.sticks(i, parameters) and not (is_blow and speed > _TORN * size)
            taken = sticks and i in ended and self._is_taken_along(i, speed, parameters)
            rests = speed <= max(_RESTS * size, float(self.slowest[i]))
            if not taken and (sticks or (i in ended) or rests):
                open_.append(i)
            else:
                self.let_slide(found, i, slips[i] / speed, speed)
        if not open_:
            return found
        trial = Trial(self, kernels, t, q, v, found)
        trial.compare(open_)
        self._scale(trial.usual, t, q, v, found)
        stuck = [i for i in open_ if self.sticks(i, parameters)]
        pushed = {i: trial.pushed(i, parameters) for i in stuck if i in ended}
        if pushed and (again := trial.sharing.again(stuck, list(pushed))) is not None:
            return again
        # what gives way mostly slides as it is pushed; beyond a critical coefficient it may slide against that
        for way in product(*((d, -d) for d in pushed.values())):
            given = dict(zip(pushed, way, strict=True))
            patterns = trial.consistent(open_, given)
            if patterns:
                return self._chosen(patterns, t, q, v, open_, float(trial.usual.max(initial=0.0)))
        raise SimulationError(self._nothing(kernels, t, q, v, found, open_))

    def _is_taken_along(self, i: int, speed: float, parameters: Array) -> bool:
        """Tell whether what others held moves with them."""
        return parameters[self.stick_places[i]] == 0.0 and speed > _MOVES * parameters[self.slow_places[i]]

    def _scale(self, usual: Array, t: float, q: Array, v: Array, parameters: Array) -> None:
        """Find out what is slow, by how fast things move, or would by the usual accelerations; else by units."""
        values = self.known.slopes.floats([t, *q, *v, *parameters])

        def sizes(speeds: Array) -> Array:
            parts = np.split(self.known.sizes(values, speeds), np.cumsum(self.known.counts)[:-1])
            return _SLOWEST * np.array([part.sum() for part in parts])

        slowest = sizes(np.maximum(self.speeds, self.span * usual))
        self.slowest = np.maximum(self.slowest, slowest)
        self.moved = _MOVED * np.where(slowest > 0, self.slowest, np.maximum(sizes(self.units), self.slowest))

    def measure(self, span: float, units: Array) -> None:
        """Take note of how long the motion is, and of units of its velocities."""
        self.span, self.units = span, units

    def _slips(self, t: float, q: Array, v: Array, parameters: Array) -> tuple[list[Array], list[Array]]:
        given = [t, *q, *v, *parameters]
        slips, values = self.known.slips.floats(given), self.known.slopes.floats(given)
        sizes = self.known.sizes(values, self.speeds)
        ends = np.cumsum(self.known.counts)[:-1]
        return np.split(slips, ends), np.split(sizes, ends)

    def let_slide(self, parameters: Array, i: int, direction: Array, speed: float) -> None:
        """Let a friction slide in a direction."""
        parameters[self.stick_places[i]], parameters[self.slide_places[i]] = 0.0, 1.0
        parameters[self.carry_places[i]] = parameters[self.part_places[i]] = 0.0
        if len(direction) == 1:
            parameters[self.side_places[i][0]] = np.sign(direction[0])
            return
        slow = max(parameters[self.slow_places[i]], _SLOW * speed, _BEGINS * self.slowest[i])
        parameters[self.slow_places[i]] = slow
        parameters[self.side_places[i]] = _LEAN * slow * direction
        parameters[self.moves_places[i]] = float(speed > 0.0)

    def let_stick(self, parameters: Array, i: int, carries: Array | None = None) -> None:
        """Let a friction stick by its condition, or carry a force while others hold it."""
        parameters[self.stick_places[i]], parameters[self.slide_places[i]] = float(carries is None), 0.0
        parameters[self.carry_places[i]] = 0.0 if carries is None else carries
        parameters[self.part_places[i]] = 0.0
        if carries is not None:
            parameters[self.slow_places[i]] = max(parameters[self.slow_places[i]], self.moved[i])
        parameters[self.side_places[i]] = 1.0  # so that a direction has a value

    # --- sliding in a plane ------------------------------------------------------------------------------------------

    def turning(self, kernels: Kernels, t: float, q: Array, v: Array, parameters: Array) -> float:
        """Return the rate at which friction turns sliding in a plane into its direction, the fastest of them."""
        return max((rate for rate, _ in self._turning(kernels, t, q, v, parameters)), default=0.0)

    def sets_off(self, kernels: Kernels, t: float, q: Array, v: Array, parameters: Array) -> bool:
        """Tell whether sliding in a plane begins so slowly that this is stiff."""
        return any(rate > _STIFF * own for rate, own in self._turning(kernels, t, q, v, parameters))

    def _turning(
        self, kernels: Kernels, t: float, q: Array, v: Array, parameters: Array
    ) -> Iterator[tuple[float, float]]:
        """Return for each that slides in a plane the rate of turning, and that at which its speed grows."""
        several = [i for i, count in enumerate(self.known.counts) if count > 1 and not self.sticks(i, parameters)]
        trial = Trial(self, kernels, t, q, v, parameters)
        found = trial.solved(parameters) if several else None
        slips = self._slips(t, q, v, parameters)[0]
        for i in several if found is not None else ():
            without = parameters.copy()
            without[self.slide_places[i]] = 0.0
            loose = trial.solved(without)
            if loose is not None and found is not None:
                speed = max(float(np.linalg.norm(slips[i])), float(self.slowest[i]))
                across = float(np.linalg.norm(loose.rates[i] - found.rates[i]))
                yield across / speed, float(np.linalg.norm(found.rates[i])) / speed

    def _chosen(
        self, patterns: Sequence[ModePattern], t: float, q: Array, v: Array, open_: Sequence[int], usual: float
    ) -> Array:
        """Return the pattern that sticks most; several that stick as much must be one solution."""
        best = max(pattern.stuck for pattern in patterns)
        first, *others = [pattern for pattern in patterns if pattern.stuck == best]
        size = max(np.abs(first.accelerations).max(initial=0.0), usual)
        if any(np.abs(other.accelerations - first.accelerations).max(initial=0.0) > _SAME * size for other in others):
            names = quoted([self.frictions[i].name for i in open_])
            text = f"what friction {names} does next is not determined at {at_state(self.system, t, q, v)}"
            raise SimulationError(f"{text}: {len(others) + 1} ways to slide are consistent (Painlevé's paradox)")
        first.parameters[self.moves_places] = 1.0
        return first.parameters

    def _nothing(self, kernels: Kernels, t: float, q: Array, v: Array, parameters: Array, open_: Sequence[int]) -> str:
        """Say that no mode is consistent."""
        values = dict(zip(self.system.parameters, map(float, parameters), strict=True))
        numeric = Numeric(self.system, values)
        if words := paradox(numeric, t, q, v):
            return words
        names = quoted([self.frictions[i].name for i in open_])
        text = f"friction {names} can neither stick nor slide in one way only at {at_state(self.system, t, q, v)}"
        return f"{text}: the coefficient is too large for the geometry (Painlevé's paradox)"

    def changed(self, before: Array, after: Array) -> Iterator[tuple[int, str]]:
        """Return the frictions that stick or slip from now on, with the kind of what happened."""
        for i in range(len(self.frictions)):
            if self.sticks(i, before) != self.sticks(i, after) and not self.is_idle(i, after):
                yield i, STICK if self.sticks(i, after) else SLIP


def stick_slip_of(system: System) -> StickSlip | None:
    """Return what decides the modes of a system; None of one that has none."""
    known = friction_programs(system)
    return StickSlip(system, known) if known is not None else None
