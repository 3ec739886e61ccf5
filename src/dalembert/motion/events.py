"""Events: places of a motion where an expression of t, q, v, parameters and multipliers passes zero.

    Event("y = 0")                          recorded
    Event("lambda_rod = 0", "stop")         the motion ends there
    Event("t = 2", {"k": 0.0})              parameters change there, and the motion goes on

The stepper notices a change of sign from step to step; the place is then found on the dense output. Two passages inside
one step go unnoticed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import symengine as se
from scipy.optimize import brentq

from dalembert.algebra.types import Array
from dalembert.errors import ModelError, Problem, nearest
from dalembert.model.expression import parse, parse_equation
from dalembert.model.functions import TIME, Expr
from dalembert.model.system import System
from dalembert.model.vocabulary import Vocabulary
from dalembert.motion.engine import Engine
from dalembert.native.kernels import Kernels

ACTIONS = ("record", "stop")
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
        return self.name or str(self.when)


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: its name, the time, positions and velocities there."""

    name: str
    t: float
    q: Any
    v: Any


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

    def handle(self) -> str | None:
        """Deal with what passed zero in the last step; return why the motion stops, or None."""
        t, y, end, kept = self.engine.last_step(*self.start)
        passed = np.flatnonzero(self.engine.events[3])
        found = sorted((self._place(int(e), t, y, end, kept), int(e)) for e in passed)
        for theta, e in found:
            event, at = self.events[e], t + theta * (end - t)
            state = self._state(theta, t, y, end, kept)
            q, v = self._split(at, state)
            self.occurrences.append(Occurrence(event.title, at, q, v))
            if event.action == "record":
                continue
            if isinstance(event.action, Mapping):
                values = dict(zip(self.system.parameters, self.parameters, strict=True)) | dict(event.action)
                self.parameters = np.array([float(value) for value in values.values()])
                self.changes.append((at, self.parameters))
            self.engine.return_to(at, state, self.parameters)
            self.engine.advance(0)
            self.engine.events[1, e] = 0.0  # it has just passed
            return f"event `{event.title}` at t = {at:.6g}" if event.action == "stop" else None
        return None

    def _state(self, theta: float, t: float, y: Array, end: float, kept: Array) -> Array:
        return self.engine.between(t, end - t, y, kept, np.array([theta]))[0]

    def _split(self, t: float, state: Array) -> tuple[Array, Array]:
        n = self.kernels.n
        q, v = state[:n], state[n:]
        if self.kernels.form == "canonical":
            v = self.kernels.evaluate("canonical", "canonical", t, q, v, self.parameters)[:n]
        return q, v

    def _place(self, e: int, t: float, y: Array, end: float, kept: Array) -> float:
        """Return the part of the step at which an event happens."""

        def value(theta: float) -> float:
            at = t + theta * (end - t)
            q, v = self._split(at, self._state(theta, t, y, end, kept))
            return float(self.kernels.evaluate(self.group, "expressions", at, q, v, self.parameters)[e])

        low, high = value(0.0), value(1.0)
        if low == 0 or high == 0 or (low < 0) == (high < 0):  # rounding moved it to an end
            return 0.0 if abs(low) < abs(high) else 1.0
        return float(brentq(value, 0.0, 1.0, xtol=1e-15))  # pyright: ignore[reportArgumentType]


def multiplier_names(system: System) -> dict[str, int]:
    """Return how multipliers are written in events, and the constraint of each."""
    return {MULTIPLIER + c.name.replace(".", "_"): i for i, c in enumerate(system.constraints)}


def read_events(system: System, given: Sequence[Any]) -> tuple[tuple[Event, ...], list[Expr]]:
    """Return the events and their expressions; raise ModelError with everything that is wrong."""
    extra = multiplier_names(system)
    vocabulary = Vocabulary(system.coordinates, (*system.parameters, *extra))
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
    if event.direction not in (-1, 0, 1):
        raise ModelError(f"the direction is 1, −1 or 0, got {event.direction!r}")
    if isinstance(event.action, Mapping):
        for name in event.action:
            if name not in system.parameters:
                raise ModelError(f"no parameter `{name}`; {nearest(str(name), list(system.parameters), 'parameters')}")
    elif event.action not in ACTIONS:
        raise ModelError(f"the action is record, stop or new values of parameters, got {event.action!r}")
    if isinstance(event.when, str):
        expression = (parse_equation if "=" in event.when else parse)(event.when, vocabulary)
    else:
        expression = system._translator.inward(event.when)
    known = {TIME, *system.coordinates, *system.velocities, *vocabulary.parameters}
    unknown = sorted(symbol.name for symbol in expression.free_symbols if symbol.name not in known)
    if unknown:
        raise ModelError(f"`{unknown[0]}` cannot be used; events depend on t, positions, velocities and multipliers")
    if not expression.free_symbols - {se.Symbol(name) for name in system.parameters}:
        raise ModelError("nothing in it moves")
    return expression
