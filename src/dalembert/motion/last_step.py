"""The last step of a motion, looked into: states and what is watched for inside it, and where that passes zero."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.motion.engine import Steps
from dalembert.motion.zero_between import zero_between

if TYPE_CHECKING:
    from dalembert.motion.watch import Watch

_PROBES = np.concatenate([np.geomspace(1e-9, 0.1, 25), np.linspace(0.12, 1.0, 23)])  # of a step, after a jump


class LastStep:
    """The step that an engine took last, from a time and state to those that were kept."""

    def __init__(self, watch: Watch):
        self.watch = watch
        self.t, self.y, self.end, self.kept = watch.engine.last_step(*watch.start)
        self.is_instant = self.t in watch.engine.instants  # over which a switch is passed

    def at(self, theta: float) -> float:
        """Return the time at a part of the step."""
        return self.t + theta * (self.end - self.t)

    def state(self, theta: float) -> Array:
        """Return the state there."""
        return self._states(np.array([theta]))[0]

    def _states(self, thetas: Array) -> Array:
        if self.is_instant:
            return self.y + thetas[:, None] * (self.kept - self.y)
        steps = Steps(
            np.array([self.t]), np.array([self.end - self.t]), self.y[None], self.kept[None], np.zeros((1, 0))
        )
        return self.watch.engine.repeated(steps, np.array([len(thetas)]), thetas)

    def values(self, thetas: Array) -> Array:
        """Return what is watched for at parts of the step, a row for each of them."""
        watch, n = self.watch, self.watch.kernels.n
        times, states = self.t + thetas * (self.end - self.t), self._states(thetas)
        given = np.broadcast_to(watch.parameters, (len(thetas), len(watch.parameters)))
        v = watch.kernels.from_state(times, states[:, :n], states[:, n:], given)
        rows = np.concatenate([times[:, None], states[:, :n], v, given], axis=1)
        return watch.kernels.run(watch.group, "expressions", rows)

    def place(self, e: int, last: float = 1.0) -> float:
        """Return the part of the step, up to a last one, at which an event happens: its end, where it is an instant."""
        if self.is_instant:
            return 1.0

        def values(thetas: Array) -> Array:
            return self.values(thetas)[:, e]

        start, (low, high) = 0.0, map(float, values(np.array([0.0, last])))
        if self.watch.aftermath.left.get(e) == self.t:  # it begins at zero, goes to one side and comes back
            probed = values(last * _PROBES)  # in one call, for such a step is repeated in each
            noise = self.watch.noise(e, self.t, self.y)
            if np.any(other := (probed * high < 0) & (np.abs(probed) > noise)):
                start, low = last * float(_PROBES[np.argmax(other)]), float(probed[np.argmax(other)])
            elif noise > 0.0:
                return 0.0  # it does not come off
        if not low * high < 0:  # rounding moved it to an end
            return 0.0 if abs(low) < abs(high) else last
        return zero_between(values, start, last, low, high)

    def places(self, passed: Iterable[int]) -> dict[int, float]:
        """Return where events happen up to the first that does something; `passed` did so over the whole step.

        A step that is cut short ends there. What came back behind that, as a body does that would slide on without
        coming to rest, has passed as well.
        """
        found = {e: self.place(e, self.watch.dips.get(e, 1.0)) for e in passed}
        while not self.is_instant:
            first = self.first(found)
            if first is None or not first > 0.0:
                break
            before, now = self._begun(), self.values(np.array([first]))[0]
            signs = np.array([event.sign for event in self.watch.events])
            rising, falling = (before < 0) & (now > 0) & (signs >= 0), (before > 0) & (now < 0) & (signs <= 0)
            more = [
                int(e)
                for e in np.flatnonzero(rising | falling)
                if not self.watch.events[e].rubs and found.get(int(e), np.inf) > first
            ]
            found |= {e: self.place(e, first) for e in more}
            if not more:
                break
        return found

    def first(self, found: Mapping[int, float]) -> float | None:
        """Return where the first of the events is that do something."""
        return min((theta for e, theta in found.items() if self.watch.events[e].acts), default=None)

    def _begun(self) -> Array:
        """Return the values at the beginning: as steps are told them, where something has just happened there."""
        t, told = self.watch.told
        return told if t == self.t else self.values(np.array([0.0]))[0]
