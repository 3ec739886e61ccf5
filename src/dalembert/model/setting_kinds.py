"""What a setting of a motion may be: a number in a range, a name among some, a table, a switch.

NumPy and the rest are loaded when a value is judged, not for a page of help.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dalembert.errors import ModelError


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
