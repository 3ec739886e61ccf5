"""[events.*]: what is watched for in a motion of the model, and what is done there.

    [events.hit]
    when = "y = 0"                      # an equation, or an expression that passes zero
    direction = "down"                  # up, down, both
    stop = true                         # the motion ends there
    set = {k = 2}                       # parameters change there
    velocities = {"y'" = "-e*y'"}       # velocities jump there
    impulses = {x = 2.5}                # and by impulses along coordinates

What they mean is in `motion/events.py`; here they are read and written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.arguments import shown
from dalembert.errors import ModelError, nearest
from dalembert.language.building import Expr, number
from dalembert.language.parser import parse_equation, parse_value
from dalembert.language.state_names import as_written, inner, is_integral
from dalembert.language.vocabulary import Vocabulary
from dalembert.model.observed import Observed
from dalembert.model.sections.base import ModelTable, at_most, by_name, model_table

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

ENTRIES = ("when", "direction", "stop", "set", "velocities", "impulses")
DIRECTIONS = {"up": 1, "down": -1, "both": 0}
EQUALS = re.compile(r"(?<![<>=])=(?!=)")
_MOST = 1000  # events of a model


@model_table
class EventsTable(ModelTable):
    """Events by name."""

    name = "events"

    def read(self, reader: Reader, given: Any) -> Mapping[str, Any]:
        """Read the events; which constraints there are is known when they are watched for."""
        tables = by_name(reader, self, given)
        if not at_most(reader, self, tables, _MOST, "events"):
            return {}
        found = {name: self._event(reader, name, entries) for name, entries in tables.items()}
        return {name: event for name, event in found.items() if event}

    def _event(self, reader: Reader, name: str, entries: Any) -> dict[str, Any]:
        path = (self.name, name)
        if not isinstance(entries, Mapping):
            reader.problem(f'expected a table [events.{name}] with `when = "x = 0"`', *path)
            return {}
        for key in entries:
            if key not in ENTRIES:
                reader.problem(f"unknown entry; {nearest(str(key), ENTRIES, 'an event has')}", *path, str(key))
        if "when" not in entries:
            reader.problem('an event needs `when`, as in when = "x = 0"', *path)
            return {}
        event: dict[str, Any] = {"when": self._when(reader, entries["when"], (*path, "when"))}
        direction, stop = entries.get("direction", "both"), entries.get("stop", False)
        if not isinstance(direction, str) or direction not in DIRECTIONS:
            reader.problem(f"the direction is up, down or both, got {shown(direction)}", *path, "direction")
        elif direction != "both":
            event["direction"] = direction
        if not isinstance(stop, bool):
            reader.problem(f"`stop` is true or false, got {shown(stop)}", *path, "stop")
        elif stop:
            event["stop"] = True
        parts = {"set": self._parameters, "velocities": self._velocities, "impulses": self._impulses}
        for part, read in parts.items():
            values = entries.get(part, {})
            if not isinstance(values, Mapping):
                reader.problem(f'expected values by name, as in {part} = {{"a" = 1}}', *path, part)
            elif values:
                event[part] = read(reader, values, (*path, part))
        return event

    def _when(self, reader: Reader, value: Any, path: tuple[str, ...]) -> Expr:
        """Read what passes zero; multipliers, outputs and quantities of parts may stand in it."""

        def translate(text: Any) -> Expr:
            observed = Observed(reader.scope(reader.outputs))
            if not isinstance(text, str):
                return observed.read(text) if hasattr(text, "free_symbols") else reader.translate(text)
            vocabulary = observed.vocabulary
            return parsed_event(text, vocabulary)

        why = "an event depends on t, positions, velocities and multipliers"
        known, still = len(reader.problems), {*reader.parameters}
        expr = reader.expression(value, path, reader.accelerations, why, translate)
        if known == len(reader.problems) and not any(symbol.name not in still for symbol in expr.free_symbols):
            reader.problem("nothing in it moves", *path)
        return expr

    def _parameters(self, reader: Reader, values: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Expr]:
        found = {}
        for name, value in values.items():
            if name in reader.states:
                reader.problem(f"`{name}` is a state; new values of states stand in `velocities`", *path)
            elif name not in reader.parameters:
                reader.problem(f"no parameter `{name}`{reader.hint(str(name), reader.parameters, 'parameters')}", *path)
            elif (new := self._number(reader, name, value, path)) is not None:
                found[name] = new
        return found

    def _number(self, reader: Reader, name: str, value: Any, path: tuple[str, ...]) -> Expr | None:
        """Read the new value of a parameter."""
        found = reader.attempt(path, lambda: number(reader.translate(value)))
        if found is None or not math.isfinite(found):
            reader.problem(f"the new value of `{name}` is a finite number, got {shown(value)}", *path)
            return None
        return se.RealDouble(found)

    def _velocities(self, reader: Reader, values: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Expr]:
        found = {}
        for name, value in values.items():
            name = inner(name) if name in reader.states else name
            if name not in reader.velocities:
                known = list(map(as_written, reader.velocities))
                reader.problem(f"no velocity `{name}`{reader.hint(str(name), known, 'velocities')}", *path)
                continue
            why = "new velocities follow from t, positions, velocities and parameters"
            found[name] = reader.expression(value, path, reader.accelerations | reader.laws, why)
        return found

    def _impulses(self, reader: Reader, values: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Expr]:
        found, known = {}, [name for name in reader.coordinates if not is_integral(name)]
        for name, value in values.items():
            if name not in known:
                reader.problem(f"no coordinate `{name}`{reader.hint(str(name), known, 'coordinates')}", *path)
                continue
            why = "impulses follow from t, positions, velocities and parameters"
            found[name] = reader.expression(value, path, reader.accelerations | reader.laws, why)
        return found


def parsed_event(text: str, vocabulary: Vocabulary) -> Expr:
    """Parse what an event waits for; where it is something else, say what it looks like."""
    try:
        return parse_equation(text, vocabulary) if EQUALS.search(text) else parse_value(text, vocabulary).expr
    except ModelError as error:
        looks = "an event is an equation such as `x = 0`, or what passes zero, such as `x - 1`"
        advice = {
            "a comma belongs": f'{looks}; what then happens stands apart, as in Event("x = 0", "stop")',
            "a condition stands": f"{looks}; `x > 0` begins to hold at `x = 0` with the direction `up`",
        }

        def better(said: str) -> str:
            return next((words for start, words in advice.items() if said.startswith(start)), said)

        raise ModelError(replace(problem, text=better(problem.text)) for problem in error.problems) from None
