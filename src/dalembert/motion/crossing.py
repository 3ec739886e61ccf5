"""How a motion passes switches in time: it stops just before each, and starts afresh just behind it.

What the equations cannot answer is refused: constraints that jump, or whose rates do, and inertia that jumps, ask for
impulses that nothing in the model describes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, numeric_of
from dalembert.errors import ModelError, Problem
from dalembert.language.building import TIME
from dalembert.language.program import Program
from dalembert.model.quantity import multiplier
from dalembert.motion.switches import Stops, Switching, SwitchTime, found, switching
from dalembert.survey.servo import steering_of

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.motion.engine import Engine
    from dalembert.motion.watch import Watch
    from dalembert.native.kernels import Kernels

_ROUNDING = 1e-12  # of the terms of a constraint: what is no jump
_DRIFT = 100.0  # times what a constraint changes next to a switch: what is no jump
_LOOKED = 1000  # switches at which constraints are looked at before the motion
_WATCHED = 100  # expressions that switch with the state, at most: beyond, to evaluate them takes longer than to step
_UNTIL = 10.0  # how long a motion is where nothing is said
_SAME = 1e-9  # relative difference of jumps that do not depend on the state
_ADVICE = (
    "Let it change gradually, for example by (1 + tanh((t - t1)/d))/2 instead of step(t - t1), with d as short as it "
    "really is"
)


Jump = tuple[str, str, str]  # what it is, and the entry of the model


class Crossing:
    """The switches in time on the way of one motion."""

    def __init__(self, system: System, parameters: Array, start: float, until: float, checked: bool):
        self.system, self.until, self.start, self.checked = system, until, start, checked
        self.switching: Switching = switching(system)
        self.parameters = parameters
        self.notes: list[str] = []
        self.passed = 0
        self._stop: SwitchTime | None = None
        self._grid: float | None = None
        self.cut: Callable[[], float] = lambda: math.inf  # where the motion is to stop besides
        self._look(start)

    def _look(self, t: float) -> None:
        self.stops = Stops(self.system, self.switching, [float(p) for p in self.parameters], t, self.until)
        self.jumps = Jumps(self.system, self.parameters) if self.switching.hard[0] and self.checked else None

    def refuse(self, q: Array, v: Array) -> None:
        """Raise ModelError for constraints that jump whatever the state is."""
        if self.jumps is None:
            return
        other = np.random.default_rng(0).normal(size=(2, len(q))) * (1 + np.abs([q, v]))
        for stop in self.stops.ahead()[:_LOOKED]:
            here, there = self.jumps.at(stop, q, v), self.jumps.at(stop, q + other[0], v + other[1])
            names = [name for name in here if name in there]
            same = [x for x in names if x[0] == "inertia" or abs(there[x] - here[x]) <= _SAME * abs(here[x])]
            if same:
                raise ModelError(Problem(self.jumps.words(stop, name, here[name]), key=name[1:]) for name in same)

    def prepare(self, kernels: Kernels) -> tuple[str, int] | None:
        """Compile what really switches with the state, for steppers that stop there."""
        states = [*self.switching.states[: self.switching.hard[1]], *self.switching.reactions]
        names = [multiplier(constraint.name).name for constraint in self.system.constraints]
        lam = {name: i for i, name in enumerate(names) if self.switching.reactions}
        return (kernels.expressions(states, lam), len(states)) if 0 < len(states) <= _WATCHED else None

    def begin(self, engine: Engine, watch: Watch) -> None:
        """Follow an engine from its start."""
        self.engine, self.watch, self._changes = engine, watch, 0
        self._aim()

    def renew(self) -> None:
        """Look again where an event has changed parameters, or led back to an earlier time."""
        if len(self.watch.changes) > self._changes and self.switching.times:
            self._changes, self.parameters = len(self.watch.changes), self.watch.parameters
            self.notes += self.stops.notes
            self._look(float(self.engine.clock.t))
        self._aim()

    def go_on(self) -> tuple[str, str] | None:
        """Pass what the motion has come to; return status and reason if it ends there."""
        engine, t = self.engine, float(self.engine.clock.t)
        stop = self._stop
        if stop is not None and t >= stop.before:
            if self.jumps is not None and (reason := self._jumped(stop)):
                return "failed", reason
            self._keep_grid(t)
            engine.cross(min(stop.after, self.until))
            self.passed += 1
            self._aim()
            engine.advance(0)
            if np.any(engine.events[3]):  # what is watched for passed zero at the switch
                if ended := self.watch.handle():
                    return ended
                self.renew()
            return None
        if t >= self.until:
            return "done", ""
        self._grid = None  # that point is reached
        self._aim()
        return None

    def _keep_grid(self, t: float) -> None:
        """Remember where a step of fixed length, cut by a switch, would have ended."""
        engine = self.engine
        if engine.fixed and self._grid is None and engine.count.steps:
            step = float(engine.clock.h)
            self._grid = engine.last_step(self.start, engine.y)[0] + step
            if self._grid - t <= 1e-9 * step:
                self._grid += step

    def _aim(self) -> None:
        """Let the engine go on to the next switch, or to the end."""
        t = float(self.engine.clock.t)
        self._stop = self.stops.next(t) if t < self.until else None
        end = self.until if self._stop is None else min(self._stop.before, self.until)
        if self._grid is not None and self._grid > t:
            end = min(end, self._grid)
        self.engine.clock.end = min(end, self.cut())

    def _jumped(self, stop: SwitchTime) -> str | None:
        """Say what jumps at the present state."""
        if self.jumps is None:
            return None
        q, v = self.watch.split(float(self.engine.clock.t), self.engine.y)
        jumps = self.jumps.at(stop, q, v)
        return next((self.jumps.words(stop, name, amount) for name, amount in jumps.items()), None)


def path_jumps(system: System, t: float, q: Array, v: Array) -> list[Problem]:
    """Return what is to be said of constraints that jump before the motion of a model would end, whatever its state."""
    parameters = np.array(numeric_of(system).parameters)
    until = float(system.simulation.get("until", t + _UNTIL))
    try:
        Crossing(system, parameters, t, until, True).refuse(q, v)
    except ModelError as error:
        return list(error.problems)
    return []


class Jumps:
    """Finds constraints and inertia that jump at a switch in time."""

    def __init__(self, system: System, parameters: Array):
        self.system = system
        values = dict(zip(system.parameters, map(float, parameters), strict=True))
        self.numeric = Numeric(system, values)
        self.constrained = any(c.time and found([c.expression]) for c in system.constraints)
        self.moving = system.kinetic is not None and se.Symbol(TIME) in system.kinetic.free_symbols
        if self.moving:
            names = [TIME, *system.coordinates, *system.velocities, *system.parameters]
            self.kinetic = Program([se.Symbol(name) for name in names], [system.kinetic], system.defined)

    def at(self, stop: SwitchTime, q: Array, v: Array) -> dict[Jump, float]:
        """Return what jumps, and by how much."""
        result: dict[Jump, float] = {}
        before, after = stop.before, stop.after
        gap = after - before
        times = (before - gap, before, after, after + gap)
        if self.constrained:
            numeric, names = self.numeric, [constraint.name for constraint in self.system.constraints]
            for what, level in (("velocity", numeric.kinematic), ("position", numeric.holonomic)):
                parts = [numeric.velocity(t, q, v) if what == "velocity" else numeric.position(t, q) for t in times]
                values, sizes = np.array([part[0] for part in parts]), np.max([part[2] for part in parts], axis=0)
                jumps = _jumps(values, sizes)
                result |= {(what, "constraints", names[i]): jumps[k] for k, i in enumerate(level) if jumps[k]}
        if self.moving:
            T = [[self._energy(t, q, sign * v) for t in times] for sign in (1.0, -1.0, 0.0)]
            forward, backward, rest = np.array(T)
            moving = np.column_stack([forward + backward - 2 * rest, forward - backward])
            jumps = _jumps(moving, np.abs(T).max() * np.ones(2))
            if np.any(jumps):
                result["inertia", "energy", "kinetic"] = float(jumps[np.argmax(np.abs(jumps))])
        return result

    def _energy(self, t: float, q: Array, v: Array) -> float:
        return float(self.kinetic.floats([t, *q, *v, *self.numeric.parameters])[0])

    def words(self, stop: SwitchTime, jump_of: Jump, amount: float) -> str:
        """Say what jumps, where, by how much, and what to do."""
        what, _, name = jump_of
        jump = f"at t = {(stop.before + stop.after) / 2:.6g} by {abs(amount):.4g}"
        if what != "inertia" and self.system.constraint(name).steered:
            return self._of_path(name.partition(".")[0], what, jump)
        if what == "inertia":
            return f"the kinetic energy jumps {jump} with the inertia in it, which takes a blow. {_ADVICE}"
        if what == "position":
            return f"constraint `{name}` jumps {jump}: positions cannot follow at once. {_ADVICE}"
        asks = f"constraint `{name}` asks for velocities that jump {jump}, which takes a blow"
        return f"{asks}. Round the corner over a short time, or let a force do it"

    def _of_path(self, programme: str, what: str, jump: str) -> str:
        """Say that the path of a programme is not smooth enough."""
        steering = steering_of(self.system)
        order = "as smooth as its conditions ask" if steering is None else _smooth(steering.orders[programme])
        thing = "velocities" if what == "velocity" else "positions"
        text = f"programme `{programme}` asks for {thing} that jump {jump}, which no control can do"
        return f"{text}: its path must be {order}. Round the corner by a path of higher degree"


def _smooth(order: int) -> str:
    """Say of what the derivatives must not jump."""
    if order <= 1:
        return "continuous"
    return f"continuous with its {'first derivative' if order == 2 else f'first {order - 1} derivatives'}"


def _jumps(values: Array, sizes: Array) -> Array:
    """Return by how much values at four times jump between the second and the third; zero where they only drift."""
    jump = values[2] - values[1]
    drift = np.maximum(np.abs(values[1] - values[0]), np.abs(values[3] - values[2]))
    return np.where(np.abs(jump) > _ROUNDING * sizes + _DRIFT * drift, jump, 0.0)
