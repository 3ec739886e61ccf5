"""Impacts that accumulate: without number in a finite time, recognised and passed to their limit.

Where contacts take turns, times t_k of the same contact in the same turn are compared. With Δ_k = t_k − t_{k−1} and
κ = Δ_k/Δ_{k−1} < 1 the rest of the series is Δ_k κ/(1 − κ), which a ball on a floor meets exactly, and what else
there is the better the shorter the rest is, until rounding of short times is more. So the limit is taken from the turn
in which it differed least from that of the turn before, and that says what error is left.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

_SOON = 1e-5  # of the motion so far: the rest of a series that is passed over,
_SURELY = 0.1  # or this part of it, where limits still come nearer to each other and differ by more than
_AGREE = 1e-13  # of the time
_SLOWEST = 0.9999  # part of the one before
_TURNS = 6  # impacts in one turn, at most


@dataclass(frozen=True)
class Limit:
    """Where impacts end: the time with its error, and the contacts, which are at rest from then on."""

    t: float
    error: float
    contacts: tuple[int, ...]
    count: int


class Accumulations:
    """Recognises impacts that end at a limit, and limits that follow each other ever faster in their turn.

    So may one corner of a body come to rest again and again, each time after fewer impacts of another one.
    """

    def __init__(self, start: float, soon: float = 1.0):
        self._impacts, self._limits = Accumulation(start, soon), Accumulation(start, soon)
        self._hit: set[int] = set()  # since the last limit

    def add(self, t: float, contacts: Collection[int]) -> Limit | None:
        """Take note of an impact; return the limit if what is left is too short to be told apart."""
        self._hit |= set(contacts)
        if (found := self._impacts.add(t, contacts)) is None:
            return None
        return self._limits.add(found.t, self._hit) or found

    def ended(self, limit: Limit) -> None:
        """Begin anew behind a limit."""
        self._impacts.clear()
        self._hit = set()


class Accumulation:
    """Recognises impacts that end at a limit; soon: of what is said above, the part that is passed over."""

    def __init__(self, start: float, soon: float = 1.0):
        self._start, self._soon = start, _SOON * max(soon, 0.1)
        self._times: list[float] = []
        self._labels: list[frozenset[int]] = []
        self._best: dict[int, tuple[float, float]] = {}  # by impacts in a turn: error and limit

    def clear(self) -> None:
        """Forget what was: something else has happened."""
        self._times.clear()
        self._labels.clear()
        self._best.clear()

    def add(self, t: float, contacts: Collection[int]) -> Limit | None:
        """Take note of an impact; return the limit if what is left is too short to be told apart."""
        self._times.append(t)
        self._labels.append(frozenset(contacts))
        found = None
        for turn in range(1, min(_TURNS, (len(self._times) - 1) // 3) + 1):
            first, middle, last = (self._labels[-k * turn :][:turn] for k in (3, 2, 1))
            if not first == middle == last:
                self._best.pop(turn, None)
            elif found is None:
                found = self._limit(turn)
        return found

    def _limit(self, turn: int) -> Limit | None:
        times = self._times[::-turn][:4][::-1]
        before, one, two = (times[k + 1] - times[k] for k in range(3))
        if not (0 < two < _SLOWEST * one and one < _SLOWEST * before):
            self._best.pop(turn, None)
            return None
        rest, earlier = two**2 / (one - two), one**2 / (before - one)
        at, span = times[3] + rest, times[3] - self._start
        off = abs(at - times[2] - earlier) * one / (one - two)
        error, limit = self._best[turn] = min(self._best.get(turn, (off, at)), (off, at))
        settled = off > error or error <= _AGREE * max(abs(at), span)  # rounding is more by now, or there is no more
        if rest > (1.0 if settled else _SURELY) * self._soon * span:
            return None
        if not times[3] < limit:
            error, limit = off, at
        contacts = tuple(sorted(set().union(*self._labels[-turn:])))
        count = len(self._times)
        return Limit(limit, max(error, count * float(np.spacing(limit))), contacts, count)
