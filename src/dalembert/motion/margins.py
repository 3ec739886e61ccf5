"""A look back into steps that were taken: whether a mode of friction ended inside one, and came back before its end.

What sticks lets steps grow, and a push may come and go within one. Steps are looked into in pieces, at some places of
each, all at once; where a margin is gone, the motion returns to that step, and the place is found in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.motion import codes
from dalembert.motion.engine import Steps

if TYPE_CHECKING:
    from dalembert.motion.watch import Watch

STEPS = 32  # looked at together, at most
_PLACES = (1 - np.cos(np.linspace(0.0, np.pi, 15))) / 2  # of a step, both ends among them
_CLOSER = np.linspace(-1.0, 1.0, 7)  # around the least of these, as parts of the way to its neighbours
_GONE = 1e-9  # of its largest value so far: below, a margin is gone


class Margins:
    """Looks at the margins of friction inside the steps of a motion."""

    def __init__(self, watch: Watch):
        self.watch, self.engine = watch, watch.engine
        self.largest = np.zeros(len(watch.events) - watch.own)
        self._seen = (0, 0)  # buffer, and records in it, up to which steps were looked at

    def forget(self) -> None:
        """Go on behind what is recorded by now: it is settled."""
        self._seen = (len(self.engine.times) - 1, int(self.engine.count.recorded))

    def look(self, status: int) -> int:
        """Look at the steps since the last time; return the status, or EVENT with the motion cut after such a step."""
        if status not in (codes.RUNNING, codes.DONE, codes.EVENT) or not (self.engine.dense and self.engine.one_step):
            return status  # what a step that knows others has inside need not be good; the certificate looks there
        places, t, y = self._taken()
        self.forget()
        steps = [k for k in range(len(places)) if t[k] not in self.engine.instants]
        if not steps:
            return status
        k0 = np.array(steps)
        thetas = np.tile(_PLACES, len(k0))
        margins = self._margins(t, y, np.repeat(k0, len(_PLACES)), thetas).reshape(len(k0), len(_PLACES), -1)
        self.largest = np.maximum(self.largest, np.nan_to_num(np.abs(margins)).max(axis=(0, 1)))
        last = len(k0) - 1
        for row, k in enumerate(k0):
            ends = status == codes.EVENT and row == last  # there the end is on the other side anyway
            if dips := self._dips(t, y, int(k), margins[row], ends):
                return self._return(places[int(k)], dips, ends)
        return status

    def _dips(self, t: Array, y: Array, k: int, margins: Array, ends: bool) -> dict[int, float]:
        """Return the frictions whose margin is gone inside a step, with a place where it is."""
        found: dict[int, float] = {}
        for i, values in enumerate(margins.T):
            if ends and self.engine.events[3, self.watch.own + i]:
                continue  # seen already
            least = int(np.argmin(values[1:])) + 1
            gone = 2 * min(float(values[0]), 0.0) - _GONE * self.largest[i]  # it may begin at zero, but for rounding
            theta = float(_PLACES[least])
            if values[least] >= gone and least < len(values) - 1:
                step = np.where(_CLOSER < 0, theta - _PLACES[least - 1], _PLACES[least + 1] - theta)
                closer = theta + _CLOSER * step
                inner = self._margins(t, y, np.full(len(closer), k), closer)[:, i]
                if inner.min() < gone:
                    found[i] = float(closer[int(np.argmin(inner))])
            elif values[least] < gone:
                found[i] = float(_PLACES[1:][np.flatnonzero(values[1:] < gone)[0]])
        return found

    def _margins(self, t: Array, y: Array, steps: Array, thetas: Array) -> Array:
        watch, kernels = self.watch, self.watch.kernels
        which, ends = np.unique(steps, return_index=True)
        ends = np.append(ends[1:], len(steps))
        given = np.broadcast_to(watch.parameters, (len(steps), len(watch.parameters)))
        taken = Steps(t[which], t[which + 1] - t[which], y[which], y[which + 1], np.zeros((len(which), 0)))
        states, n = self.engine.repeated(taken, ends, thetas), kernels.n
        times = t[steps] + thetas * (t[steps + 1] - t[steps])
        v = kernels.from_state(times, states[:, :n], states[:, n:], given)
        rows = np.concatenate([times[:, None], states[:, :n], v, given], axis=1)
        return kernels.run(watch.group, "expressions", rows)[:, watch.own :]

    def _taken(self) -> tuple[list[tuple[int, int]], Array, Array]:
        """Return where the ends of the steps since the last time are recorded; times and states from their start."""
        engine, (buffer, record) = self.engine, self._seen
        places = list[tuple[int, int]]()
        for k in range(buffer, len(engine.times)):
            full = k < len(engine.times) - 1
            end = len(engine.times[k]) if full else int(engine.count.recorded)
            places += [(k, j) for j in range(record if k == buffer else 0, end)]
        if not places:
            return [], np.zeros(0), np.zeros((0, 0))
        k, j = places[0]
        before = (k, j - 1) if j else (k - 1, len(engine.times[k - 1]) - 1) if k else None
        start = self.watch.start
        if before is not None:
            start = engine.times[before[0]][before[1]], engine.states[before[0]][before[1]]
        t = np.array([start[0], *(engine.times[k][j] for k, j in places)], dtype=float)
        return places, t, np.array([start[1], *(engine.states[k][j] for k, j in places)])

    def _return(self, place: tuple[int, int], dips: dict[int, float], ends: bool) -> int:
        """Cut the motion behind a step, and let it be dealt with as what passed zero in it.

        ends: whether it is the last one, and what passed zero in it besides is known.
        """
        engine, (buffer, record) = self.engine, place
        del engine.times[buffer + 1 :], engine.states[buffer + 1 :]
        engine.count.recorded = record + 1
        engine.return_to(float(engine.times[buffer][record]), engine.states[buffer][record].copy())
        if not ends:
            engine.events[3] = 0.0
        for i, theta in dips.items():
            engine.events[3, self.watch.own + i] = 1.0
            self.watch.dips[self.watch.own + i] = theta
        self.forget()
        return codes.EVENT
