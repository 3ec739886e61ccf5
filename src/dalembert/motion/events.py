"""Events: places of a motion where an expression of t, q, v, parameters and multipliers passes zero.

    Event("y = 0")                                recorded
    Event("lambda_rod = 0", "stop")               the motion ends there
    Event("t = 2", {"k": 0.0})                    parameters change there, and the motion goes on; velocities jump, as
                                                  by an ideal impulse, if the constraints ask for others from then on
    Event("y = 0", velocities={"y'": "-e*y'"})    velocities jump there, see `jump.py`
    Event("t = 1", impulses={"x": 2.5})           they jump by impulses along coordinates

The stepper notices a change of sign from step to step; the place is then found on the dense output (`watch.py`). Two
passages inside one step go unnoticed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import symengine as se

from dalembert.arguments import shown
from dalembert.errors import ModelError, Problem, nearest
from dalembert.language.building import TIME, Expr
from dalembert.language.late_sympy import is_sympy
from dalembert.language.parser import parse_value
from dalembert.language.state_names import as_written, inner, is_integral
from dalembert.language.table_functions import bounded
from dalembert.language.vocabulary import Vocabulary
from dalembert.model.quantity import multiplier
from dalembert.model.sections.events import DIRECTIONS, parsed_event
from dalembert.model.system import System
from dalembert.motion.table_ends import moving

ACTIONS = ("record", "stop")
EVENT, ZENO = "event", "zeno"  # kinds of occurrences


@dataclass(frozen=True)
class Event:
    """Something to watch for.

    when: an equation, or an expression that passes zero. action: "record", "stop", or new values of parameters by name.
    direction: "up" or 1 for passages from below, "down" or −1 from above, "both" or 0. name: to tell it from others;
    the text by default. velocities: new ones by name, as expressions of what is there before; the others follow by an
    ideal blow. impulses: likewise, by coordinate. stop: whether the motion ends after that, as with the action "stop".
    limit: why it cannot go on there at any rate, with {t} for the time.
    """

    when: Any
    action: str | Mapping[str, float] = "record"
    direction: int | str = 0
    name: str = ""
    velocities: Mapping[str, Any] = field(default_factory=dict)
    stop: bool = False
    impulses: Mapping[str, Any] = field(default_factory=dict)
    limit: str = field(default="", repr=False)
    rubs: bool = field(default=False, repr=False)  # whether a mode of friction ends there

    @property
    def title(self) -> str:
        """The name, or what is written."""
        return self.name if isinstance(self.name, str) and self.name else str(self.when)

    @property
    def sign(self) -> int:
        """The direction as a number."""
        return DIRECTIONS.get(self.direction, 0) if isinstance(self.direction, str) else self.direction

    @property
    def acts(self) -> bool:
        """Whether something is done there."""
        return self.ends or self.action != "record" or bool(self.velocities) or bool(self.impulses) or self.rubs

    @property
    def ends(self) -> bool:
        """Whether the motion ends there."""
        return self.stop or self.action == "stop"


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: its name, the time, positions and velocities there, before anything changed.

    kind: "event"; "stick" or "slip" of friction; "impact", "open" or "close" of contacts; or "zeno" where events
    followed each other in ever shorter times: then the motion was ended, or contacts are at rest from there on, at a
    time that is known but for `error`. lost: kinetic energy, where velocities jumped.
    """

    name: str
    t: float
    q: Any
    v: Any
    kind: str = EVENT
    error: float = 0.0
    lost: float = 0.0

    def __repr__(self) -> str:
        return f"<{self.name} at t = {self.t:.6g}>"


@dataclass(frozen=True)
class Watched:
    """Events with what was read of them: what passes zero, new velocities and impulses by their places."""

    events: tuple[Event, ...]
    expressions: list[Expr]
    velocities: list[dict[int, Expr]]
    impulses: list[dict[int, Expr]]


def model_events(system: System) -> list[Event]:
    """Return the events of a model, as its table says them."""
    found = []
    for name, entries in system.sections.get("events", {}).items():
        action = {key: float(value) for key, value in entries.get("set", {}).items()} or "record"
        direction, velocities = entries.get("direction", "both"), entries.get("velocities", {})
        stop, impulses = entries.get("stop", False), entries.get("impulses", {})
        found.append(Event(entries["when"], action, direction, name, velocities, stop, impulses))
    return found


def with_events(system: System, asked: Any) -> list[Any]:
    """Return the events of a model, and those that are asked for; of two with one name the latter."""
    if isinstance(asked, (str, Event)) or is_sympy(asked):
        asked = [asked]
    if not isinstance(asked, (list, tuple)):
        return asked  # which is refused where it is read
    names = {event.name for event in asked if isinstance(event, Event) and isinstance(event.name, str)}
    own = [event for event in model_events(system) if event.name not in names]
    ends = [Event(use.inside, "stop", "down", f"end of table {use.table}", limit=use.words) for use in moving(system)]
    return [*own, *asked, *ends]


def multiplier_names(system: System) -> dict[str, int]:
    """Return the symbols of multipliers in what is watched for, and the constraint of each."""
    return {multiplier(c.name).name: i for i, c in enumerate(system.constraints)}


def read_events(system: System, given: Sequence[Any]) -> Watched:
    """Return the events and their expressions; raise ModelError with everything that is wrong."""
    if isinstance(given, (str, Event)) or is_sympy(given):
        given = [given]
    if not isinstance(given, (list, tuple)):
        raise ModelError(f"`events` takes equations or Events, one or a list of them; got {shown(given)}")
    if not given:
        return Watched((), [], [], [])
    vocabulary = system.observed.vocabulary
    events, expressions, velocities, impulses, problems = [], [], [], [], []
    for item in given:
        event = item if isinstance(item, Event) else Event(item)
        events.append(event)
        try:
            expressions.append(_read(system, event, vocabulary))
            velocities.append(_velocities(system, event))
            impulses.append(_impulses(system, event))
        except ModelError as error:
            problems += [Problem(f"event `{event.title}`: {p.text}", column=p.column) for p in error.problems]
    if problems:
        raise ModelError(problems)
    return Watched(tuple(events), expressions, velocities, impulses)


def _vocabulary(system: System) -> Vocabulary:
    """Return the names of a system, its definitions too."""
    moving = (*system.coordinates, *system.alias_names)
    return Vocabulary(moving, tuple(system.parameters), system.definitions, calls=system.calls)


def _read(system: System, event: Event, vocabulary: Vocabulary) -> Expr:
    if not isinstance(event.name, str):
        raise ModelError(f"the name is a text, got {shown(event.name)}")
    known = (*DIRECTIONS,) if isinstance(event.direction, str) else (-1, 0, 1)
    if not isinstance(event.direction, (str, int, float)) or event.direction not in known:
        raise ModelError(f"the direction is up (1), down (−1) or both (0), got {shown(event.direction)}")
    if not isinstance(event.stop, (bool, np.bool_)):
        raise ModelError(f"`stop` is true or false, got {shown(event.stop)}")
    if isinstance(event.action, Mapping):
        for name in event.action:
            if name in system.states:
                raise ModelError(f'`{name}` is a state; give its new value as velocities={{"{name}": …}}')
            if name not in system.parameters:
                raise ModelError(f"no parameter `{name}`; {nearest(str(name), list(system.parameters), 'parameters')}")
            value = event.action[name]
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
                raise ModelError(f"the new value of `{name}` must be a finite number, got {shown(value)}")
    elif not isinstance(event.action, str) or event.action not in ACTIONS:
        raise ModelError(f"the action is record, stop or new values of parameters, got {shown(event.action)}")
    if isinstance(event.when, str):
        expression = parsed_event(event.when, vocabulary)
    elif is_sympy(event.when) or isinstance(event.when, se.Basic):
        expression = event.when if isinstance(event.when, se.Basic) else system._translator.inward(event.when)
    else:
        raise ModelError(f"expected an equation in quotes or a SymPy expression, got {type(event.when).__name__}")
    named = {s.name for s in expression.free_symbols if system.observed.knows(s.name.rstrip("'"))}
    expression = system.meant(expression)
    _only(expression, {*_state(system), *vocabulary.parameters, *named})
    expression = system.observed.resolved(expression)
    if inside := sorted(
        expression.free_symbols & {*map(multiplier, set(system.reacting) - _conditions(system))}, key=str
    ):
        joint = inside[0].name.removeprefix("lambda ").partition(".")[0]
        text = f"joint `{joint}` carries a body, and its force is no part of the equations in these coordinates"
        raise ModelError(f'{text}; watch for it with coordinates = "absolute" in [mechanism]')
    expression = expression if event.limit else bounded(expression)
    if not expression.free_symbols - {se.Symbol(name) for name in system.parameters}:
        raise ModelError("nothing in it moves")
    return expression


def _conditions(system: System) -> set[str]:
    return {constraint.name for constraint in system.constraints}


def _state(system: System) -> set[str]:
    """Return the names of what has a value at a state; of bodies too, where they follow from joint to joint."""
    defined = {symbol.name for symbol in system.defined if not symbol.name.endswith("''")}
    return {TIME, *system.coordinates, *system.velocities, *defined}


def _only(expression: Expr, known: set[str]) -> None:
    """Refuse what has no value at a state."""
    unknown = sorted(symbol.name for symbol in expression.free_symbols if symbol.name not in known)
    if unknown:
        raise ModelError(f"`{unknown[0]}` cannot be used; events depend on t, positions, velocities and multipliers")


def _velocities(system: System, event: Event) -> dict[int, Expr]:
    """Read new velocities: expressions of the state before the jump."""
    if not isinstance(event.velocities, Mapping):
        raise ModelError(f'`velocities` are given by name, as in {{"x\'": "-x\'"}}; got {shown(event.velocities)}')
    found = {}
    for name, value in event.velocities.items():
        name = inner(name) if name in system.states else name
        if name not in system.velocities:
            known = nearest(str(name), [*map(as_written, system.velocities)], "velocities")
            raise ModelError(f"no velocity `{name}`; {known}")
        found[system.velocities.index(name)] = _given(system, value, f"the new value of `{name}`")
    return found


def _impulses(system: System, event: Event) -> dict[int, Expr]:
    """Read impulses along coordinates: expressions of the state before the jump."""
    if not isinstance(event.impulses, Mapping):
        raise ModelError(f'`impulses` are given by coordinate, as in {{"x": 2.5}}; got {shown(event.impulses)}')
    found, known = {}, [name for name in system.coordinates if not is_integral(name)]
    for name, value in event.impulses.items():
        if name not in known:
            raise ModelError(f"no coordinate `{name}`; {nearest(str(name), known, 'coordinates')}")
        found[system.coordinates.index(name)] = _given(system, value, f"the impulse on `{name}`")
    return found


def _given(system: System, value: Any, what: str) -> Expr:
    """Read a number, or an expression of the state before a jump."""
    if isinstance(value, str):
        expression = parse_value(value, _vocabulary(system)).expr
    elif isinstance(value, se.Basic):
        expression = value
    elif is_sympy(value):
        expression = system._translator.inward(value)
    elif isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
        raise ModelError(f"{what} is a finite number or an expression, got {shown(value)}")
    else:
        expression = se.RealDouble(float(value))
    expression = system.meant(expression)
    _only(expression, {*_state(system), *system.parameters})
    return expression
