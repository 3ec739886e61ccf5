"""The engine of Gear's method: what its stepper works with, and what lies between the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.motion.collocated import ImplicitEngine
from dalembert.motion.entry import Stepper
from dalembert.motion.method import Setup
from dalembert.motion.scheme import HISTORY, BackwardCoefficients, Past, RatedRecord
from dalembert.motion.tools import record

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

_DIFFERENCES = 8


class GearEngine(ImplicitEngine):
    """Steps by backward differences; `rates` are v̇ at their ends, `starts` those at the times where it began anew."""

    order = 5
    one_step = False

    def __init__(self, kernels: Kernels, coefficients: BackwardCoefficients, setup: Setup):
        super().__init__(kernels, setup)
        self.coefficients, self.room = coefficients, self._room()
        self.rates: list[Array] = []
        self.starts: dict[float, Array] = {}
        self._steps, self._hermite = Stepper("gear", "advance"), Stepper("gear", "between")
        self._known: tuple[Any, Array, Array] = (None, np.zeros(0), np.zeros(0))

    def _room(self) -> Past:
        n, s = self.n, self.kernels.s
        size, filled = n + s, len(self.matrix.pattern.columns)
        return Past(
            history=record(HISTORY),
            D=np.zeros((_DIFFERENCES, 2 * n + s)),
            spacing=np.zeros(1),
            clear=np.zeros(1),
            values=np.zeros((6, 6)),
            mixed=np.zeros((6, 2 * n + s)),
            predicted=np.zeros(2 * n + s),
            psi=np.zeros(2 * n + s),
            shift=np.zeros(n),
            change=np.zeros(2 * n),
            multipliers=np.zeros(s),
            guess=np.zeros(s),
            jacobian=np.zeros(len(self.matrix.layout.rows)),
            E=np.zeros(size),
            real=np.zeros(filled),
            real_inverse=np.zeros(size),
            real_row=np.zeros(size),
            right=np.zeros(size),
            step=np.zeros(size),
            start=np.zeros(size + 1),
            raw=np.zeros(2 * n),
            new=np.zeros(2 * n),
            before=np.zeros(n),
            rate=np.zeros(n),
        )

    def begin(self, start: tuple[float, Array], *rest: Any, **more: Any) -> None:
        """Start at a time and state."""
        self.origin = (start[0], start[1].copy())
        self.rates.clear()
        self.starts.clear()
        super().begin(start, *rest, **more)

    def _advance(self, steps: int) -> int:
        if self.count.first == 0:
            status = self._take(0)
            if self.count.first == 0 or steps == 0:
                return status
        return self._take(steps)

    def _take(self, steps: int) -> int:
        anew = self.count.first == 0
        record = RatedRecord(self.wanted, self.sampled, self.times[-1], self.states[-1], self.rates[-1])
        status = self._steps(
            self.coefficients, self.matrix, self._settled_tools(), self.clock, self.y, self.room, record, self.events,
            steps,
        )  # fmt: skip
        if anew and self.count.first:
            self.starts[float(self.clock.t)] = self.room.before.copy()
        return status

    def return_to(self, t: float, y: Array) -> None:
        """Cut the last step short at a state inside it."""
        super().return_to(t, y)
        n, last = self.n, int(self.count.recorded) - 1
        parameters = self.given[1 + 2 * n : 1 + 2 * n + len(self.kernels.system.parameters)]
        self.rates[-1][last] = self.kernels.accelerations(t, y[:n], y[n:], parameters).acceleration

    def _new_buffer(self) -> None:
        super()._new_buffer()
        self.rates.append(np.zeros((len(self.times[-1]), self.n)))

    def between(self, t: float, h: float, y: Array, kept: Array, thetas: Array) -> Array:
        """Return states inside a recorded step, by the polynomial through positions, velocities and v̇ of its ends."""
        times, rates = self._all()
        k = int(np.searchsorted(times, t, side="left"))
        start = self.starts.get(t)
        into = np.zeros((len(thetas), 2 * self.n))
        self._hermite(h, y, kept, rates[k - 1] if start is None else start, rates[k], thetas, into)
        return into

    def _all(self) -> tuple[Array, Array]:
        """Return the times at the steps and the rates at their ends in one piece."""
        key = (len(self.times), int(self.count.recorded), float(self.clock.t))
        if self._known[0] != key:
            last = int(self.count.recorded)
            times = self.recorded(*self.origin)[0]
            self._known = (key, times, np.concatenate([*self.rates[:-1], self.rates[-1][:last]]))
        return self._known[1:]
