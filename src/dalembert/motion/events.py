"""Events: places of a motion where an expression of t, q, v, parameters and multipliers passes zero.

    Event("y = 0")                          recorded
    Event("lambda_rod = 0", "stop")         the motion ends there
    Event("t = 2", {"k": 0.0})              parameters change there, and the motion goes on; velocities jump, as by an
                                            ideal impulse, if the constraints ask for others from then on

The stepper notices a change of sign from step to step; the place is then found on the dense output. Two passages inside
one step go unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import symengine as se

from dalembert.arguments import shown
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import ModelError, Problem, SimulationError, nearest, quoted
from dalembert.language.building import TIME, Expr
from dalembert.language.late_sympy import is_sympy
from dalembert.language.parser import parse, parse_equation
from dalembert.language.vocabulary import Vocabulary
from dalembert.model.system import System
from dalembert.motion.engine import Engine, Steps
from dalembert.native.kernels import Kernels

ACTIONS = ("record", "stop")
_TOGETHER = 1e-9  # parts of a step within which events happen at once
_APART = 1e-6  # of its terms that other parameters may leave of a constraint on positions
_EQUALS = re.compile(r"(?<![<>=])=(?!=)")
MULTIPLIER = "lambda_"


@dataclass(frozen=True)
class Event:
    """Something to watch for.

    when: an equation, or an expression that passes zero. action: "record", "stop", or new values of parameters by name.
    direction: 1 for passages from below, −1 from above, 0 for both. name: to tell it from others; the text by default.
    """

    when: Any
    action: str | Mapping[str, float] = "record"
    direction: int = 0
    name: str = ""

    @property
    def title(self) -> str:
        """The name, or what is written."""
        return self.name if isinstance(self.name, str) and self.name else str(self.when)


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: its name, the time, positions and velocities there."""

    name: str
    t: float
    q: Any
    v: Any

    def __repr__(self) -> str:
        return f"<{self.name} at t = {self.t:.6g}>"


class Watch:
    """Finds the places of events on the dense output of a step, and does what is to be done there."""

    def __init__(self, system: System, given: Sequence[Any]):
        self.system = system
        self.events, self.expressions = read_events(system, given)
        self.occurrences: list[Occurrence] = []
        self.changes: list[tuple[float, Array]] = []

    def prepare(self, kernels: Kernels) -> tuple[str, Array] | None:
        """Compile what is watched for."""
        self.kernels = kernels
        if not self.events:
            return None
        self.group = kernels.expressions(self.expressions, multiplier_names(self.system))
        return self.group, np.array([event.direction for event in self.events], dtype=float)

    def begin(self, engine: Engine, start: tuple[float, Array], parameters: Array) -> None:
        """Watch an engine that starts at a state."""
        self.engine, self.start, self.parameters = engine, start, parameters

    def handle(self) -> tuple[str, str] | None:
        """Deal with what passed zero in the last step; return status and reason if the motion ends here."""
        t, y, end, kept = self.engine.last_step(*self.start)
        passed = np.flatnonzero(self.engine.events[3])
        found = sorted((self._place(int(e), t, y, end, kept), int(e)) for e in passed)
        first = min((theta for theta, e in found if self.events[e].action != "record"), default=None)
        if first is None:
            for theta, e in found:
                self._record(e, theta, t, y, end, kept)
            return None
        now = [(theta, e) for theta, e in found if theta <= first + _TOGETHER]
        for theta, e in now:
            self._record(e, min(theta, first), t, y, end, kept)
        at, state = t + first * (end - t), self._state(first, t, y, end, kept)
        self.engine.return_to(at, state)
        acting = [self.events[e] for theta, e in now if self.events[e].action != "record"]
        changes = {
            name: value for event in acting if isinstance(event.action, Mapping) for name, value in event.action.items()
        }
        if changes and (reason := self._change(changes, at, state)):
            return "failed", f"after {quoted(event.title for event in acting)} at t = {at:.6g}: {reason}"
        stops = [event.title for event in acting if event.action == "stop"]
        if stops:
            return "stopped", f"event {quoted(stops)} at t = {at:.6g}"
        self.engine.advance(0)
        for _, e in now:
            self.engine.events[1, e] = 0.0  # it has just passed
        return None

    def _record(self, e: int, theta: float, t: float, y: Array, end: float, kept: Array) -> None:
        at = t + theta * (end - t)
        self.occurrences.append(
            Occurrence(self.events[e].title, at, *self.split(at, self._state(theta, t, y, end, kept)))
        )

    def _change(self, changes: Mapping[str, float], t: float, state: Array) -> str | None:
        """Go on with other parameters; velocities jump where the constraints ask for it. Return why this cannot be."""
        kernels, n = self.kernels, self.kernels.n
        q, v = self.split(t, state)
        values = dict(zip(self.system.parameters, self.parameters, strict=True)) | dict(changes)
        parameters = np.array([float(value) for value in values.values()])
        numeric = Numeric(self.system, values)
        g, _, terms = numeric.position(t, q)
        off = np.abs(g) - _APART * terms
        if np.any(off > 0):
            worst = int(np.argmax(off))
            name = self.system.constraints[numeric.holonomic[worst]].name
            return f"the positions no longer satisfy `{name}`, which is off by {g[worst]:.3g} with the new parameters"
        try:
            if self.engine.keep != "none":
                v = kernels.project_velocities(t, q, v, parameters)
            kernels.accelerations(t, q, v, parameters)
        except SimulationError as error:
            return str(error)
        after = np.concatenate([q, v])
        after[n:] = kernels.to_state(t, q, v, parameters)
        self.parameters = parameters
        self.changes.append((t, parameters))
        self.engine.jump(after, parameters)
        return None

    def _state(self, theta: float, t: float, y: Array, end: float, kept: Array) -> Array:
        step = Steps(np.array([t]), np.array([end - t]), y[None], kept[None])
        return self.engine.inside(step, np.array([1]), np.array([theta]))[0]

    def split(self, t: float, state: Array) -> tuple[Array, Array]:
        """Return positions and velocities of a state."""
        n = self.kernels.n
        return state[:n], self.kernels.from_state(t, state[:n], state[n:], self.parameters)

    def _place(self, e: int, t: float, y: Array, end: float, kept: Array) -> float:
        """Return the part of the step at which an event happens: the end of it, where a switch is passed."""
        if t in self.engine.instants:
            return 1.0

        def value(theta: float) -> float:
            at = t + theta * (end - t)
            q, v = self.split(at, self._state(theta, t, y, end, kept))
            rows = np.concatenate([[at], q, v, self.parameters])[None]
            return float(self.kernels.run(self.group, "expressions", rows)[0, e])

        low, high = value(0.0), value(1.0)
        if not low * high < 0:  # rounding moved it to an end
            return 0.0 if abs(low) < abs(high) else 1.0
        from scipy.optimize import brentq

        return float(brentq(value, 0.0, 1.0, xtol=1e-15))  # pyright: ignore[reportArgumentType]


def multiplier_names(system: System) -> dict[str, int]:
    """Return how multipliers are written in events, and the constraint of each."""
    return {MULTIPLIER + c.name.replace(".", "_"): i for i, c in enumerate(system.constraints)}


def read_events(system: System, given: Sequence[Any]) -> tuple[tuple[Event, ...], list[Expr]]:
    """Return the events and their expressions; raise ModelError with everything that is wrong."""
    extra = multiplier_names(system)
    vocabulary = Vocabulary(system.coordinates, (*system.parameters, *extra))
    if isinstance(given, (str, Event)) or is_sympy(given):
        given = [given]
    if not isinstance(given, (list, tuple)):
        raise ModelError(f"`events` takes equations or Events, one or a list of them; got {shown(given)}")
    events, expressions, problems = [], [], []
    for item in given:
        event = item if isinstance(item, Event) else Event(item)
        events.append(event)
        try:
            expressions.append(_read(system, event, vocabulary))
        except ModelError as error:
            problems += [Problem(f"event `{event.title}`: {p.text}", column=p.column) for p in error.problems]
    if problems:
        raise ModelError(problems)
    return tuple(events), expressions


def _read(system: System, event: Event, vocabulary: Vocabulary) -> Expr:
    if not isinstance(event.name, str):
        raise ModelError(f"the name is a text, got {shown(event.name)}")
    if not isinstance(event.direction, int) or event.direction not in (-1, 0, 1):
        raise ModelError(f"the direction is 1, −1 or 0, got {event.direction!r}")
    if isinstance(event.action, Mapping):
        for name in event.action:
            if name not in system.parameters:
                raise ModelError(f"no parameter `{name}`; {nearest(str(name), list(system.parameters), 'parameters')}")
            value = event.action[name]
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
                raise ModelError(f"the new value of `{name}` must be a finite number, got {value!r}")
    elif not isinstance(event.action, str) or event.action not in ACTIONS:
        raise ModelError(f"the action is record, stop or new values of parameters, got {event.action!r}")
    if isinstance(event.when, str):
        expression = (parse_equation if _EQUALS.search(event.when) else parse)(event.when, vocabulary)
    elif is_sympy(event.when):
        expression = system._translator.inward(event.when)
    else:
        raise ModelError(f"expected an equation in quotes or a SymPy expression, got {type(event.when).__name__}")
    known = {TIME, *system.coordinates, *system.velocities, *vocabulary.parameters}
    unknown = sorted(symbol.name for symbol in expression.free_symbols if symbol.name not in known)
    if unknown:
        raise ModelError(f"`{unknown[0]}` cannot be used; events depend on t, positions, velocities and multipliers")
    if not expression.free_symbols - {se.Symbol(name) for name in system.parameters}:
        raise ModelError("nothing in it moves")
    return expression
