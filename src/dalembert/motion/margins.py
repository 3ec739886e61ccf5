"""A look back into steps that were taken: whether a mode ended inside one, and came back before its end.

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
_ROUNDS, _NARROWER, _NEAR = 8, 1 / 3, 0.1  # of gaps: closer looks, each by so much; where one comes so near to zero
_GONE, _GAPLESS = 1e-9, 1e-13  # of its largest value so far: below, a margin is gone; the same of a gap


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
        ended = np.zeros((len(k0), len(self.largest)), dtype=bool)
        if status == codes.EVENT:  # what passed zero at the end of the last step was seen already
            ended[-1] = self.engine.events[3, self.watch.own :] != 0.0
        gone = self._gone(t, y, k0, margins, ended)
        if not gone:
            return status
        first = min(row for row, _ in gone)  # what comes later is another motion
        dips = {i: theta for (row, i), theta in gone.items() if row == first}
        return self._return(places[int(k0[first])], dips, status == codes.EVENT and first == len(k0) - 1)

    def _gone(self, t: Array, y: Array, k0: Array, margins: Array, ended: Array) -> dict[tuple[int, int], float]:
        """Return of which steps and margins some is gone inside, with a place where it is.

        margins: by step, place and what ends a mode. ended: which passed zero at the end of a step.
        """
        gaps = np.array([self.watch.is_gap(i) for i in range(margins.shape[2])], dtype=bool)
        part = np.where(gaps, _GAPLESS, _GONE) * self.largest
        gone = 2 * np.minimum(margins[:, 0], 0.0) - part  # it may begin at zero, but for rounding
        least = np.argmin(margins[:, 1:], axis=1) + 1
        lowest = np.take_along_axis(margins, least[:, None], axis=1)[:, 0]
        is_gone = margins[:, 1:] < gone[:, None]
        found = {
            (int(row), int(i)): float(_PLACES[1 + np.argmax(is_gone[row, :, i])])
            for row, i in np.argwhere((lowest < gone) & ~ended)
        }
        rows, which = np.nonzero((lowest >= gone) & (least < len(_PLACES) - 1) & ~ended)
        if len(rows):
            closer = self._closer(t, y, k0[rows], which, least[rows, which], gone[rows, which], gaps[which])
            found |= {(int(rows[n]), int(which[n])): theta for n, theta in closer.items()}
        return found

    def _closer(
        self, t: Array, y: Array, steps: Array, which: Array, least: Array, gone: Array, gaps: Array
    ) -> dict[int, float]:
        """Look closer around the least of what was seen; return which are gone, and where.

        At gaps that come near to zero closer and closer, until they are below it, or surely not: things may graze.
        """
        middle, found = _PLACES[least][:, None], dict[int, float]()
        before, after = middle - _PLACES[least - 1][:, None], _PLACES[least + 1][:, None] - middle
        places = middle + _CLOSER * np.where(_CLOSER < 0, before, after)
        width, left = places[:, 1] - places[:, 0], np.arange(len(steps))
        for turn in range(_ROUNDS + 1):
            inner = self._each(t, y, steps[left], places, which[left])
            lowest, at = inner.min(axis=1), places[np.arange(len(left)), np.argmin(inner, axis=1)]
            near = gaps[left]
            if turn == 0:
                near &= lowest < _NEAR * self.largest[which]
                gone = gone.copy()
                gone[near] -= [self._noise(t, y, int(steps[n]), int(which[n])) for n in np.flatnonzero(near)]
            below = lowest < gone[left]
            found |= dict(zip(left[below].tolist(), at[below].tolist(), strict=True))
            on = near & (lowest >= gone[left])
            left, width, at = left[on], width[on] * _NARROWER, at[on]
            if not len(left):
                break
            places = np.clip(at[:, None] + 3 * width[:, None] * _CLOSER, 0.0, 1.0)
        return found

    def _noise(self, t: Array, y: Array, k: int, i: int) -> float:
        return self.watch.noise(self.watch.own + i, float(t[k]), y[k])

    def _each(self, t: Array, y: Array, steps: Array, thetas: Array, which: Array) -> Array:
        """Return single margins, each at some places of a step of its own, a row for each; steps are in order."""
        count = thetas.shape[1]
        found = self._margins(t, y, np.repeat(steps, count), thetas.ravel())
        return found[np.arange(len(found)), np.repeat(which, count)].reshape(-1, count)

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

        ends: whether others passed zero at its end, as the stepper noticed: they may have come first.
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
