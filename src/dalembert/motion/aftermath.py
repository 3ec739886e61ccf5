"""What follows a jump: whether others follow ever faster, and to which side of zero what is watched for goes."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.motion.events import ZENO, Occurrence

if TYPE_CHECKING:
    from dalembert.motion.watch import Watch

_ROW = 12  # times between jumps, each shorter than the one before, from which they may run into one another
_FEW, _SURELY = 2, 1e-4  # fewer will do, where they would end within this part of what is otherwise soon
_SHORTER = 0.98  # part of the one before
_SOON = 1e-7  # part of the motion so far within which such a row would end
_MOST = 100_000  # jumps of one motion
_JUMPED = 10.0  # times what rounding, and a short way on, make of an expression that is zero: what is not
_AHEAD = 1e-4  # of the last step: where it is looked to which side an expression goes after a jump
_CLEAR = 1e3  # times rounding: what an expression must have gained to tell that
_RESTS = 1e-6  # part of what bends the way of an expression by then that its rate amounts to where it is at rest
_EPSILON = float(np.finfo(float).eps)


class Aftermath:
    """Looks at a motion behind its jumps; soon: from when on those that follow ever faster are not followed."""

    def __init__(self, watch: Watch, soon: float):
        self.watch, self.soon = watch, soon * _SOON
        self.count = 0  # of events that changed something
        self.jumps: deque[float] = deque(maxlen=_ROW + 1)
        self.left: dict[int, float] = {}  # events at which velocities have just jumped, and when

    def accumulates(self, titles: str, t: float, state: Array) -> tuple[str, str] | None:
        """Recognise jumps in ever shorter times, which would be without number in a finite one."""
        self.jumps.append(t)
        self.count += 1
        if self.count >= _MOST:
            return "stopped", f"{_MOST:,} events changed parameters or velocities until t = {t:.6g}, the last {titles}"
        gaps = np.diff(self.jumps)
        if len(gaps) < _FEW or not np.all(gaps[1:] < _SHORTER * gaps[:-1]):
            return None
        ratio = float(gaps[-1] / gaps[-2])
        rest = float(gaps[-1]) * ratio / (1.0 - ratio)  # of a geometric series
        if rest > self.soon * (t - self.watch.start[0]) * (1.0 if len(gaps) >= _ROW else _SURELY):
            return None
        self.watch.occurrences.append(Occurrence(titles.strip("`"), t, *self.watch.split(t, state), kind=ZENO))
        return "stopped", (
            f"events {titles} follow each other in ever shorter times, without number before t = {t + rest:.9g}: "
            f"{self.count} until t = {t:.9g}. What comes then is another model, such as the body at rest there"
        )

    def look_ahead(self, acting: list[int], step: float, before: Array) -> tuple[str, str] | None:
        """Tell the stepper on which side of zero an expression is after a jump, where it may come back in one step.

        One of velocities that jump is no longer zero, and has its own sign. What a jump has brought to rest, and forces
        take on at once, would be passed without end: the motion ends there.
        """
        t, before_q, before_v = (
            float(self.watch.engine.clock.t),
            *self.watch.split(float(self.watch.engine.clock.t), before),
        )
        q, v = self.watch.split(t, self.watch.engine.y)
        a = self.watch.kernels.accelerations(t, q, v, self.watch.parameters).acceleration
        here, was = self.watch.values_at(t, q, v), self.watch.values_at(t, before_q, before_v)
        digits = 2 * _EPSILON * np.maximum(np.abs(q), self.watch.engine.units[: len(q)])
        rounding = np.abs(self.watch.values_at(t, q + digits, v) - here)
        shortest = _AHEAD * (step or 1e-3 * float(self.watch.engine.clock.span))

        def gained(ahead: float, v: Array) -> Array:
            return self.watch.values_at(t + ahead, q + ahead * v + ahead**2 / 2 * a, v + ahead * a) - here

        self.left = {}
        for e in acting:
            ahead, near, half = shortest, gained(shortest, v)[e], 0.0
            if abs(here[e]) > _JUMPED * abs(was[e]) and abs(here[e]) > _JUMPED * abs(near):
                self.watch.engine.events[1, e] = here[e]
                continue
            if not self.watch.velocities[e]:
                continue
            while abs(near) <= _CLEAR * rounding[e] and ahead < _AHEAD * float(self.watch.engine.clock.span):
                ahead *= _CLEAR
                near = gained(ahead, v)[e]
            half = gained(ahead / 2, v)[e]
            slope, came = 4 * half - near, gained(ahead, before_v)[e]  # over the time ahead, without the bend
            if abs(slope) <= max(_RESTS * abs(near), _JUMPED * rounding[e]):
                through = np.sign(near) if abs(near) > _CLEAR * rounding[e] else 0.0
                if through and through == np.sign(came) and self.watch.events[e].sign * through >= 0:
                    return self._comes_to_rest(e, t)
                slope = near
            if side := np.sign(slope):
                self.watch.engine.events[1, e] = side * np.finfo(float).tiny
                self.left[e] = t
        return None

    def _comes_to_rest(self, e: int, t: float) -> tuple[str, str]:
        """End the motion where what is watched for rests on zero, and would pass it again at once."""
        title = self.watch.events[e].title
        self.watch.occurrences.append(Occurrence(title, t, *self.watch.split(t, self.watch.engine.y), kind=ZENO))
        return "stopped", (
            f"after the event `{title}` at t = {t:.9g} nothing leads away from it, and forces would take the motion "
            "through it at once. What comes then is another model, such as the body at rest there"
        )
