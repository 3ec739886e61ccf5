"""What a setting of a motion may be: a number in a range, a name among some, a table, a switch.

NumPy and the rest are loaded when a value is judged, not for a page of help.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dalembert.errors import ModelError

GAINS = ("kappa", "alpha", "beta")  # of stabilisation: on velocities, and two on positions
_BETWEEN = re.compile(r"\s*,\s*|\s+")  # names
_NEXT = re.compile(r",(?=\s*[^\W\d]\w*\s*=[^=])")  # the comma before the next of several gains
_GAIN = "`{}` is a number, an expression of t and parameters, a list with one for each constraint, or a matrix"


class SettingKind(Protocol):
    """What a setting may be."""

    def read(self, name: str, value: Any) -> Any:
        """Return it as it is used, or raise ModelError in words with its name."""
        ...


@dataclass(frozen=True)
class InRange:
    """A number between two others, which is said in words; and one as an example."""

    words: str
    least: float
    most: float
    example: str

    def read(self, name: str, value: Any) -> float:
        """Return the number."""
        found = value
        if type(value) is not float:
            from dalembert.arguments import number

            found = number(name, value)
        if not self.least <= found <= self.most:
            raise ModelError(f"`{name}` must be {self.words}, got {found:g}")
        return found


@dataclass(frozen=True)
class Whole:
    """A whole number from 1 on."""

    most: int
    example: str

    def read(self, name: str, value: Any) -> int:
        """Return the number."""
        from dalembert.arguments import whole

        return whole(name, value, 1, self.most)


@dataclass(frozen=True)
class Samples(Whole):
    """A number of intervals, or times; whether times lie in the motion is judged by its end."""

    def read(self, name: str, value: Any) -> Any:
        """Return the number, or the times."""
        import numpy as np

        return super().read(name, value) if isinstance(value, (int, float, np.number)) else value


@dataclass(frozen=True)
class Choice:
    """A name among those that are known; `offered` are our own, for help and the Tab key, without loading them."""

    what: str
    several: str
    offered: tuple[str, ...]
    known: Callable[[], Sequence[str]]

    def read(self, name: str, value: Any) -> str:
        """Return the name."""
        from dalembert.arguments import choice

        return choice(value, self.known(), self.what, self.several)


class Named:
    """Values by name."""

    def read(self, name: str, value: Any) -> Any:
        """Return them."""
        from dalembert.arguments import table

        table(name, value)
        return value


class Names:
    """One name or several; as text with commas or spaces between them."""

    def read(self, name: str, value: Any) -> tuple[str, ...]:
        """Return the names."""
        from dalembert.arguments import names

        given = _BETWEEN.split(value.strip()) if isinstance(value, str) else value
        found = tuple(part.strip() for part in names(name, given))
        if not found or not all(found):
            raise ModelError(f"`{name}` takes names, as in x, phi; got {_shown(value)}")
        return found


class Gains:
    """Gains of stabilisation by name: each a number, an expression, a list of these, or a matrix.

    On the command line they are written as `kappa=-5`, `alpha=5, beta=7` or `kappa=[[-5, 1], [0, "-7 - sin(t)"]]`.
    """

    def read(self, name: str, value: Any) -> dict[str, Any]:
        """Return them; rows of lists and matrices as tuples."""
        from dalembert.arguments import table
        from dalembert.errors import nearest

        if isinstance(value, (list, tuple)) and value and all(isinstance(text, str) for text in value):
            parts = [part for text in value for part in _NEXT.split(text)]
            pairs = [_assigned(name, part) for part in parts]
            if twice := [key for k, (key, _) in enumerate(pairs) if key in dict(pairs[:k])]:
                raise ModelError(f"`{twice[0]}` is given twice; give it once")
            value = dict(pairs)
        found = table(name, value)
        for key in found:
            if key not in GAINS:
                raise ModelError(f"no gain `{key}`; {nearest(str(key), GAINS, 'gains')}")
        return {key: _entries(key, entry) for key, entry in found.items()}


def _entries(name: str, value: Any, depth: int = 0) -> Any:
    """Return a gain as text, number or expression; lists of them, and lists of lists, as tuples."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, (list, tuple)):
        if value is None or isinstance(value, (bool, bytes, dict)):
            raise ModelError(f"{_GAIN.format(name)}; got {_shown(value)}")
        return value
    if depth == 2 or not value:
        raise ModelError(f"{_GAIN.format(name)}; got {_shown(value)}")
    return tuple(_entries(name, entry, depth + 1) for entry in value)


def _assigned(option: str, text: str) -> tuple[str, Any]:
    """Read `kappa=-5`, with a list or a matrix in brackets."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise ModelError(f"`{option}` takes NAME=VALUE, as in kappa=-5 or alpha=[5, 7]; got {text[:60]!r}")
    return name, _bracketed(option, value) if value.startswith("[") else value


def _bracketed(option: str, text: str) -> list[Any]:
    """Read a list of expressions, or of lists of them; commas inside parentheses belong to an expression."""
    inner = text.strip()
    if not (inner.startswith("[") and inner.endswith("]")):
        raise ModelError(f"`{option}` takes lists in brackets, as in [5, 7] or [[5, 1], [0, 7]]; got {text[:60]!r}")
    parts, depth, last = [], 0, 1
    for place, character in enumerate(inner[:-1] + "]"):
        depth += (character in "[(") - (character in ")]")
        if depth < 0 or (depth == 0 and place < len(inner) - 1):
            raise ModelError(f"`{option}`: brackets do not match in {text[:60]!r}")
        if (character == "," and depth == 1) or place == len(inner) - 1:
            parts.append(inner[last:place].strip())
            last = place + 1
    return [_bracketed(option, part) if part.startswith("[") else part.strip("\"'") for part in parts]


def _shown(value: Any) -> str:
    from dalembert.arguments import shown

    return shown(value)


class Switch:
    """True or False."""

    def read(self, name: str, value: Any) -> bool:
        """Return it."""
        from dalembert.arguments import switch

        return switch(name, value)


class Callback:
    """What can be called with t and the seconds so far."""

    def read(self, name: str, value: Any) -> Any:
        """Return it."""
        from dalembert.arguments import shown

        if not callable(value):
            raise ModelError(f"`{name}` is a function of the time and the seconds so far, got {shown(value)}")
        return value


class Events:
    """Equations and events, which are read with the names of a system."""

    def read(self, name: str, value: Any) -> Any:
        """Return them."""
        return value
