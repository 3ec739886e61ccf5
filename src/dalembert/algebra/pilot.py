"""Decisions of an algorithm, made on numbers and followed by symbols.

An algorithm asks `pilot.decide(how)` wherever it has a choice: which pivot, which vector, is this zero? A recording
pilot, run on numbers, computes the answer and remembers it; `replay()` gives the same answers in the same order to the
same algorithm run on another arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_NOTHING = object()


class Pilot:
    """Records decisions, or repeats recorded ones."""

    def __init__(self, recorded: list[Any] | None = None):
        self._answers: list[Any] = [] if recorded is None else recorded
        self._next = None if recorded is None else iter(recorded)

    @property
    def recording(self) -> bool:
        """Whether decisions are made here and now, on numbers."""
        return self._next is None

    def decide(self, how: Callable[[], Any]) -> Any:
        """Answer a question: by computing it, or as it was answered before."""
        if self._next is not None:
            if (answer := next(self._next, _NOTHING)) is _NOTHING:
                raise RuntimeError("the algorithm asks more than was recorded: it does not run as it did on numbers")
            return answer
        answer = how()
        self._answers.append(answer)
        return answer

    def replay(self) -> Pilot:
        """Return a pilot that repeats the decisions of this one."""
        return Pilot(self._answers)
