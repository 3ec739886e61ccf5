"""Events in a line of text, as on the command line: `hit: y = 0, down, stop`.

    [NAME:] EQUATION [, up | down | both] [, stop] [, PARAMETER = NUMBER] [, VELOCITY' or STATE = EXPRESSION] …

Text is parsed, never evaluated.
"""

from __future__ import annotations

from collections.abc import Collection

from dalembert.errors import ModelError
from dalembert.language.building import number
from dalembert.language.parser import parse_value
from dalembert.language.vocabulary import Vocabulary
from dalembert.model.sections.events import DIRECTIONS, EQUALS
from dalembert.motion.events import Event

_MOST = 10_000  # characters
_EXAMPLE = "as in 'hit: y = 0, down, stop'"


def event_from_text(text: str, states: Collection[str] = ()) -> Event:
    """Read an event; what its names stand for, but for those of states, is judged where it is watched for.

    >>> event_from_text("hit: y = 0, down, y' = -e*y'").velocities
    {"y'": "-e*y'"}
    """
    if len(text) > _MOST:
        raise ModelError(f"an event has at most {_MOST:,} characters; got {len(text):,}")
    name, colon, rest = (part.strip() for part in text.partition(":"))
    if not colon:
        name, rest = "", text
    when, *words = (part.strip() for part in _parts(rest))
    if not when or (colon and not name):
        raise ModelError(f"an event is an equation, with a name before it if it has one, {_EXAMPLE}; got {text[:60]!r}")
    direction, stop = "both", False
    parameters: dict[str, float] = {}
    velocities: dict[str, str] = {}
    said: set[str] = set()
    for word in words:
        key, *value = (part.strip() for part in EQUALS.split(word, maxsplit=1))
        what = "the direction" if word in DIRECTIONS else f"`{key[:60]}`"
        if what in said:
            raise ModelError(f"event `{when[:60]}`: {what} is given twice; leave one of them out")
        said.add(what)
        if value and (key.endswith("'") or key in states):
            velocities[key] = value[0]
        elif value:
            parameters[key] = _number(key, value[0])
        elif word in DIRECTIONS:
            direction = word
        elif word == "stop":
            stop = True
        else:
            raise ModelError(
                f"`{word[:60]}` is none of up, down, both, stop, nor a new value as in k = 2 or y' = -y'; an event is "
                f"written {_EXAMPLE}"
            )
    return Event(when, parameters or "record", direction, name, velocities, stop)


def _parts(text: str) -> list[str]:
    """Split at the commas that stand in no parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _number(name: str, text: str) -> float:
    """Read the new value of a parameter."""
    try:
        found, why = number(parse_value(text, Vocabulary(time=False)).expr), ""
    except ModelError as error:
        found, why = None, f": {error.problems[0].text.split(';')[0]}"
    if found is None:
        raise ModelError(f"the new value of `{name[:60]}` is a finite number, got {text[:60]!r}{why}")
    return found
