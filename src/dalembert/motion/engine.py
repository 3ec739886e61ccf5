"""The engine of a run: takes steps, keeps records. Each kind of method has its own; this is what they share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from dalembert.arrays import Array
from dalembert.motion import codes
from dalembert.motion.method import Setup
from dalembert.motion.tools import (
    CLOCK,
    COUNT,
    ExplicitKernels,
    ImplicitKernels,
    ImpulseKernels,
    NativeRecord,
    Sizes,
    Tools,
    record,
)

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

K = TypeVar("K")
_CHUNK = 256  # steps that are recorded before the buffer is changed for one of twice the size
_NO_CONTROL = np.zeros((0, 0))


class Steps(NamedTuple):
    """Recorded steps: where they begin, their lengths, and the states that they lead from and to.

    parameters: a row for each of them, without entries if they are those of the engine.
    """

    times: Array
    lengths: Array
    starts: Array
    kept: Array
    parameters: Array


class Engine(ABC):
    """Integrates from a state, piece by piece.

    An engine has its kernels, what they are given (t, q, v, parameters, …) and their outputs, the present state `y`,
    the records `clock` and `count`, the array `events`, and `choices` of independent coordinates by time.
    """

    order: int
    address: ExplicitKernels | ImplicitKernels | ImpulseKernels
    size: Sizes
    one_step = True  # whether a step knows nothing of those before it
    dense = True  # whether states inside a step cost less than the step
    named: tuple[str, ...] = ()  # independent coordinates that the user named
    implicit = False  # whether steps solve for accelerations and multipliers as well

    def __init__(self, kernels: Kernels, setup: Setup, further: int):
        """Make room: kernels are given `further` values behind the parameters."""
        self.kernels, self.n, self.keep, self.units = kernels, kernels.n, setup.keep, setup.units
        n = self.n
        self.watched, directions = setup.watched or ("", np.zeros(0))
        self.events = np.zeros((4, len(directions)))
        self.events[2] = directions
        self.given = np.zeros(1 + 2 * n + len(setup.parameters) + further)
        self.set_parameters(setup.parameters)
        self.clock, self.count = record(CLOCK), record(COUNT)
        self.y = np.zeros(2 * n)
        self.times: list[Array] = []
        self.states: list[Array] = []
        self.choices: list[tuple[float, tuple[str, ...]]] = []
        self.instants: dict[float, float] = {}  # times at which the motion stopped, and went on an instant later

    def load(self, kind: Callable[..., K], names: Mapping[str, tuple[str, str]]) -> K:
        """Return the addresses of kernels, given by group and name, and make room for their outputs and workspace."""
        groups = {group: self.kernels.group(group) for group, _ in names.values()}
        self.work = np.zeros(max(code.work for code in groups.values()) + 1)
        self.out = np.zeros(max(code.outputs for code in groups.values()))
        return kind(**{field: groups[group].library.address(name) for field, (group, name) in names.items()})

    def tools(self, count: NativeRecord, control: Array = _NO_CONTROL, work: Array | None = None) -> Tools:
        """Return what steppers call and are given; with other counters, or another workspace, for what is aside."""
        work = self.work if work is None else work
        return Tools(self.address, self.size, count, self.given, self.out, work, control)

    def begin(
        self,
        start: tuple[float, Array],
        end: float,
        tolerances: tuple[float, float],
        step: float | None,
        wanted: Array,
        longest: float = math.inf,
    ) -> None:
        """Start at a time and state; a step that is given is fixed, others are at most as long as the longest."""
        t, self.y[:] = start
        self.times.clear()
        self.states.clear()
        self.instants.clear()
        clock, self.fixed = self.clock, step is not None
        clock.t, clock.h, clock.end, clock.largest = t, step or 0.0, end, step or max(min(end - t, longest), 1e-300)
        clock.span = end - t
        (clock.rtol, clock.atol), clock.taken, clock.since, clock.met = tolerances, 0.0, t, 0.0
        for name in COUNT.names or ():
            setattr(self.count, name, 0)
        self.wanted, self.sampled = wanted, np.zeros((len(wanted), 2 * self.n))
        self._new_buffer()
        self.advance(0)  # evaluates the start, and loads the stepper

    def advance(self, steps: int) -> int:
        """Take some steps; return a status."""
        while True:
            before = int(self.count.steps)
            status = self._advance(steps)
            if status != codes.FULL:
                return status
            steps = max(1, steps - (int(self.count.steps) - before))
            self._new_buffer()

    @abstractmethod
    def _advance(self, steps: int) -> int:
        """Take some steps, until the buffer is full; return a status of the stepper."""

    def between(self, t: float, h: float, y: Array, kept: Array, thetas: Array) -> Array:
        """Return states inside a recorded step from y to what was kept."""
        steps = Steps(np.array([t]), np.array([h]), y[None], kept[None], np.zeros((1, 0)))
        return self.repeated(steps, np.array([len(thetas)]), thetas)

    def repeated(self, steps: Steps, ends: Array, thetas: Array) -> Array:
        """Return states inside recorded steps, those of each up to its place in `ends`.

        An engine has this or `between`, or both.
        """
        starts = np.concatenate([[0], ends])[:-1]
        into = np.empty((len(thetas), 2 * self.n))
        for (t, h, y, kept, parameters), first, last in zip(zip(*steps, strict=True), starts, ends, strict=True):
            self.set_parameters(parameters)
            into[first:last] = self.between(float(t), float(h), y, kept, thetas[first:last])
        return into

    def inside(self, steps: Steps, ends: Array, thetas: Array) -> Array:
        """Return states inside recorded steps, or inside the instants over which a switch is passed."""
        if not self.instants:
            return self.repeated(steps, ends, thetas)
        instants = np.isin(steps.times, list(self.instants))
        which = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        into = steps.starts[which] + thetas[:, None] * (steps.kept - steps.starts)[which]
        taken, places = ~instants, ~instants[which]
        part = Steps(*(field[taken] for field in steps))
        into[places] = self.repeated(part, np.cumsum(np.diff(ends, prepend=0)[taken]), thetas[places])
        return into

    def choose_again(self) -> bool:
        """Choose independent coordinates anew; tell whether the motion can go on."""
        return False

    def return_to(self, t: float, y: Array) -> None:
        """Cut the last step short at a state inside it, and go on from there."""
        last = int(self.count.recorded) - 1
        self.times[-1][last], self.states[-1][last] = t, y
        self.y[:] = y
        self.clock.t = t
        if not self.fixed:
            self.clock.h = 0.0  # to be chosen again
        self.count.first = self.count.again = 0
        self.count.sampled = int(np.searchsorted(self.wanted, t, side="right"))

    def cut(self, buffer: int, place: int, t: float, y: Array) -> None:
        """Forget what was recorded from a place in a buffer on, and be at the state before it."""
        self.y[:], self.clock.t = y, t
        del self.times[buffer + 1 :], self.states[buffer + 1 :]
        self.count.recorded, self.count.sampled = place, int(np.searchsorted(self.wanted, t, side="right"))

    def jump(self, y: Array, parameters: Array) -> None:
        """Go on from another state, an instant later, with other parameters."""
        self._record(np.nextafter(self.clock.t, np.inf), y)
        self.set_parameters(parameters)

    def cross(self, after: float) -> None:
        """Go on from the present state behind a switch, with a first step of its own."""
        self.events[3] = 0.0  # what passed zero before is dealt with
        self._record(after, self.y.copy())
        if not self.fixed:
            self.clock.h = 0.0
        self.count.first = self.count.again = 0
        first, last = int(self.count.sampled), int(np.searchsorted(self.wanted, after, side="right"))
        self.sampled[first:last] = self.y
        self.count.sampled = last

    def hold(self, parameters: Array) -> None:
        """Go on from the present state with other parameters, an instant later; steps stay as long as they are."""
        length = self.clock.h
        self.cross(float(np.nextafter(self.clock.t, np.inf)))
        self.set_parameters(parameters)
        if self.one_step:
            self.clock.h = length

    def _record(self, t: float, y: Array) -> None:
        if self.count.recorded >= len(self.times[-1]):
            self._new_buffer()
        place = int(self.count.recorded)
        self.instants[float(self.clock.t)] = t
        self.clock.t = t
        self.times[-1][place], self.states[-1][place] = t, y
        self.y[:] = y
        self.count.recorded += 1

    def set_parameters(self, parameters: Array) -> None:
        """Use other values of the parameters from now on."""
        start = 1 + 2 * self.n
        self.given[start : start + len(parameters)] = parameters

    def last_step(self, t: float, y: Array) -> tuple[float, Array, float, Array]:
        """Return time and state before and after the last step; t and y are those of the start."""
        last = int(self.count.recorded) - 1
        after = (float(self.times[-1][last]), self.states[-1][last].copy())
        if last > 0:
            return float(self.times[-1][last - 1]), self.states[-1][last - 1].copy(), *after
        if len(self.times) > 1:
            return float(self.times[-2][-1]), self.states[-2][-1].copy(), *after
        return t, y, *after

    def _new_buffer(self) -> None:
        size = _CHUNK if not self.times else 2 * len(self.times[-1])
        size = max(16, min(size, 20_000_000 // (2 * self.n)))
        self.times.append(np.zeros(size))
        self.states.append(np.zeros((size, 2 * self.n)))
        self.count.recorded = 0

    def recorded(self, t: float, y: Array) -> tuple[Array, Array]:
        """Return times and states at the steps, with the start in front."""
        last = int(self.count.recorded)
        times = np.concatenate(((t,), *self.times[:-1], self.times[-1][:last]))
        return times, np.concatenate((y[None], *self.states[:-1], self.states[-1][:last]))

    def reached(self) -> Array:
        """Return the states at those of the wanted times that were reached."""
        return self.sampled[: int(self.count.sampled)]
