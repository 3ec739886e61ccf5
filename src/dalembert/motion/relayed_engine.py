"""Explicit steps that leave a while to implicit ones: where sliding begins in a plane, whose direction is stiff there.

The slower something slides, the sooner friction turns it into its direction: at a rate of the friction's acceleration
over the speed, which explicit steps have to follow though nothing happens any more. Implicit ones pass it by. Both
write into the same record, and each step is repeated by the method that made it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.model.friction import frictions_of
from dalembert.motion import codes
from dalembert.motion.diagnosis import slowed
from dalembert.motion.engine import Engine, Steps
from dalembert.motion.explicit_engine import ExplicitEngine
from dalembert.motion.method import Setup
from dalembert.motion.methods.radau import Radau
from dalembert.motion.tableau import Tableau

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

_OFTEN = 16  # see `ExplicitEngine`


class RelayedEngine(ExplicitEngine):
    """Steps with a tableau, and with Radau's method from `relay` to `resume`."""

    def __init__(self, kernels: Kernels, method: Tableau, setup: Setup):
        self._setup = setup
        self._other: Engine | None = None
        self.whiles: list[list[float]] = []  # from when to when steps are implicit
        super().__init__(kernels, method, setup)

    @staticmethod
    def suits(kernels: Kernels, setup: Setup) -> bool:
        """Tell whether something slides in a plane, with states that implicit steps can take over."""
        frictions = frictions_of(kernels.system).values()
        planes = any(friction.modes and len(friction.slips) > 1 for friction in frictions)
        return planes and kernels.form in Radau.forms and setup.keep in ("none", "project")

    @property
    def relayed(self) -> bool:
        """Whether steps are implicit now."""
        return bool(self.whiles) and self.whiles[-1][1] == np.inf

    def relay(self) -> None:
        """Take implicit steps from now on; not where steps have a given length."""
        if self.fixed or self.relayed:
            return
        if self._other is None:
            self._other = Radau().engine(self.kernels, self._setup)
            self._other.clock, self._other.count, self._other.y = self.clock, self.count, self.y
            self._other.times, self._other.states, self._other.events = self.times, self.states, self.events
            self._other.fixed = False
        self._other.set_parameters(self._parameters())
        self._anew()
        self.whiles.append([float(self.clock.t), np.inf])

    def resume(self) -> None:
        """Take explicit steps again."""
        self.whiles[-1][1] = float(self.clock.t)
        self._anew()

    def _anew(self) -> None:
        """Let the next step begin with the evaluation of its start, and choose its length."""
        self.clock.h = 0.0
        self.count.first = self.count.again = 0

    def _parameters(self) -> Array:
        first = 1 + 2 * self.n
        return self.given[first : first + len(self.kernels.system.parameters)]

    def begin(self, *given: Any, **named: Any) -> None:
        """Start at a time and state."""
        self.whiles.clear()
        super().begin(*given, **named)

    def set_parameters(self, parameters: Array) -> None:
        """Use other values of the parameters from now on."""
        super().set_parameters(parameters)
        if self._other is not None:
            self._other.set_parameters(parameters)

    def return_to(self, t: float, y: Array) -> None:
        """Cut the last step short at a state inside it, and go on from there."""
        super().return_to(t, y)
        self._forget(t)

    def cut(self, buffer: int, place: int, t: float, y: Array) -> None:
        """Forget what was recorded from a place in a buffer on, and be at the state before it."""
        super().cut(buffer, place, t, y)
        self._forget(t)

    def _forget(self, t: float) -> None:
        while self.whiles and self.whiles[-1][0] > t:
            self.whiles.pop()

    def _advance(self, steps: int) -> int:
        if not self.relayed or self._other is None:
            return super()._advance(steps)
        self._other.wanted, self._other.sampled = self.wanted, self.sampled
        status = self._other._advance(steps)
        if status != codes.SLOW:
            return status
        self._slow += 1
        return slowed(self, self._slow, _OFTEN)

    def repeated(self, steps: Steps, ends: Array, thetas: Array) -> Array:
        """Return states inside recorded steps, by repeating each with the method that made it."""
        implicit = np.zeros(len(steps.times), dtype=bool)
        for first, last in self.whiles:
            implicit |= (steps.times >= first) & (steps.times < last)
        if self._other is None or not implicit.any():
            return super().repeated(steps, ends, thetas)
        counts = np.diff(ends, prepend=0)
        into, places = np.empty((len(thetas), 2 * self.n)), np.repeat(implicit, counts)
        for chosen, repeat in ((implicit, self._other.repeated), (~implicit, super().repeated)):
            if chosen.any():
                part = Steps(*(field[chosen] for field in steps))
                here = places if chosen is implicit else ~places
                into[here] = repeat(part, np.cumsum(counts[chosen]), thetas[here])
        return into
