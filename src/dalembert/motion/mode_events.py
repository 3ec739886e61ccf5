"""The events at which modes end, of friction and of contacts, and how a motion goes on from there."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import SimulationError, quoted
from dalembert.language.building import Expr
from dalembert.motion.stick_slip import StickSlip, stick_slip_of
from dalembert.motion.touching import Decision, Touching, touching_of

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.native.kernels import Kernels

_AT_ONCE, _RAPID = 1e-12, 60  # of the duration, and how often modes may change within it


class ModeEvents:
    """What ends modes: first of each friction, then of each contact. Some index these all along."""

    def __init__(self, stick_slip: StickSlip | None, touching: Touching | None):
        self.stick_slip, self.touching = stick_slip, touching
        frictions = [] if stick_slip is None else stick_slip.frictions
        contacts = [] if touching is None else touching.contacts
        self.rubbing = len(frictions)  # how many are those of friction
        self.names = [one.name for one in (*frictions, *contacts)]
        self.margins: list[Expr] = [one.margin for one in (*frictions, *contacts)]
        self.settled, self.rapid = -np.inf, 0  # when modes were decided, and how often at once
        self.span = 1.0

    def measure(self, span: float, units: Array) -> None:
        """Take note of how long the motion is, and of units of its velocities."""
        self.span = span
        if self.stick_slip is not None:
            self.stick_slip.measure(span, units)
        if self.touching is not None:
            self.touching.measure(span)

    def notice(self, v: Array) -> None:
        """Take note of how fast things move."""
        for decides in (self.stick_slip, self.touching):
            if decides is not None:
                decides.notice(v)

    def begins_at_zero(self, i: int) -> bool:
        """Tell whether what ends a mode may be zero where the mode begins."""
        return self.stick_slip is None or i >= self.rubbing or len(self.stick_slip.frictions[i].slips) == 1

    def holds_by_force(self, i: int, parameters: Array) -> bool:
        """Tell whether a force is watched: that of what sticks, or of what is closed."""
        if i < self.rubbing:
            return self.stick_slip is not None and self.stick_slip.sticks(i, parameters)
        return self.touching is not None and bool(self.touching.closed(parameters)[i - self.rubbing])

    def is_open(self, i: int, parameters: Array) -> bool:
        """Tell whether it is a contact that is open."""
        return i >= self.rubbing and not self.holds_by_force(i, parameters)

    def is_at_contact(self, i: int) -> bool:
        """Tell whether it is a contact, or its friction."""
        return self.stick_slip is None or i >= self.rubbing or self.stick_slip.frictions[i].loaded is not None

    def touched(self, some: Collection[int]) -> list[int]:
        """Return which contacts are among them, by the numbers of these."""
        return [i - self.rubbing for i in some if i >= self.rubbing]

    def begin(self, kernels: Kernels, t: float, q: Array, v: Array, parameters: Array) -> Array:
        """Return the parameters with the modes in which a motion begins; if contacts meet there, those before."""
        if self.stick_slip is not None:
            parameters = self.stick_slip.begin(kernels, t, q, v, parameters)
        if self.touching is None:
            return parameters
        parameters = self.touching.with_closed(parameters, ())
        if self.touching.hits(t, q, v, parameters):
            return parameters
        return self.settle(kernels, t, q, v, parameters).parameters

    def hits(self, t: float, q: Array, v: Array, parameters: Array) -> bool:
        """Tell whether contacts meet with a speed."""
        return self.touching is not None and self.touching.hits(t, q, v, parameters)

    def settle(
        self,
        kernels: Kernels,
        t: float,
        q: Array,
        v: Array,
        parameters: Array,
        ended: Collection[int] = (),
        is_blow: bool = False,
        at_rest: Collection[int] = (),
    ) -> Decision:
        """Return how the motion goes on; at_rest: contacts that come to rest there, by their own numbers."""
        self.rapid = self.rapid + 1 if t - self.settled <= _AT_ONCE * self.span else 0
        self.settled = t
        if self.rapid > _RAPID:
            names = quoted(self.names[i] for i in ended)
            what = "sliding and sticking" if all(i < self.rubbing for i in ended) else "open and closed"
            who = "friction" if all(i < self.rubbing for i in ended) else "contact"
            raise SimulationError(f"{who} {names} changes between {what} without end")
        rubs, touches, ends = self.stick_slip, self.touching, [i for i in ended if i < self.rubbing]

        def friction(new: Array, given: Array) -> Array:
            if rubs is None:
                return given
            other = touches is not None and np.any(touches.closed(given) != touches.closed(parameters))
            other = other or new is not v  # with other loads, or after a blow, what ended may go on
            return rubs.settle(kernels, t, q, new, given, () if other else ends, is_blow or new is not v)

        if self.touching is None:
            return Decision(v, friction(v, parameters))
        settle = None if rubs is None else friction
        return self.touching.decide(kernels, t, q, v, parameters, self.touched(ended), settle, at_rest)

    def changed(self, before: Array, after: Array) -> Iterator[tuple[str, str]]:
        """Return the names of those whose mode is another one from now on, with the kind of what happened."""
        for decides, first in ((self.stick_slip, 0), (self.touching, self.rubbing)):
            if decides is not None:
                yield from ((self.names[first + i], kind) for i, kind in decides.changed(before, after))


def mode_events_of(system: System) -> ModeEvents | None:
    """Return what ends modes of a system; None of one that has none."""
    rubs, touches = stick_slip_of(system), touching_of(system)
    return None if rubs is None and touches is None else ModeEvents(rubs, touches)
