"""The engine of Gear's method: IDA of SUNDIALS takes the steps, its equations are native."""

from __future__ import annotations

import io
import warnings
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.motion import places as at
from dalembert.motion.engine import Engine
from dalembert.motion.entry import Entry
from dalembert.motion.implicit import EQUATIONS
from dalembert.motion.method import Setup

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

_REACHED_END = 1  # status of IDA
_POINTS = 6  # of the polynomial between two steps: as many as order 5 has
_SHORT = 1e-12  # step as a part of the time: times of such steps are rounded so much that their differences mean little
_AHEAD = 1e-6  # part of the whole time in which an end of the reach is near
_STEADY = 4.0  # sum of the weights of an interpolation up to which errors do not grow in it


class GearEngine(Engine):
    """Steps by IDA; every state that it gives out is moved onto the constraints, by less than the tolerance.

    `starts` are the times at which IDA began; `last` those at which its last step began and ended; `longest` is its
    longest step.
    """

    order = 5

    def __init__(self, kernels: Kernels, setup: Setup):
        n, s = kernels.n, kernels.s
        super().__init__(kernels, setup, 2 * n + 2 * s)
        self.equations = EQUATIONS[kernels.form](self)
        rate = ("core", "accelerations")
        names = [rate, rate, ("core", "position_step"), ("core", "velocity_step"), rate, ("core", "residuals")]
        names.append((self.watched, "expressions") if self.watched else ("core", "residuals"))
        self.load([*names, *self.equations.names])
        self.size = np.array([n, s, at.ACCELERATIONS, at.PROJECT, 0, 0, 0])
        self.solver: Any = None
        self.starts: list[float] = []
        self._kernel, self._watch, self._project = (
            Entry("primitives", name) for name in ("kernel", "watch", "project")
        )
        self.last, self.longest = (0.0, 0.0), 0.0
        self._known: tuple[Any, Array, Array] = (None, np.zeros(0), np.zeros(0))

    def begin(
        self,
        start: tuple[float, Array],
        end: float,
        tolerances: tuple[float, float],
        step: float | None,
        wanted: Array,
    ) -> None:
        """Start at a time and state."""
        self.origin = (start[0], start[1].copy())
        super().begin(start, end, tolerances, step, wanted)

    def _advance(self, steps: int) -> int:
        if self.clock[at.T] >= self.clock[at.END]:
            return at.DONE
        status = at.RUNNING if self.count[at.FIRST] else self._start()
        for _ in range(steps):
            if status != at.RUNNING:
                break
            status = self._step()
        return status

    def _start(self) -> int:
        """Let IDA begin at the present state, with the rates that the equations give there."""
        t, n, s = float(self.clock[at.T]), self.n, self.kernels.s
        self.given[0], self.given[1 : 1 + 2 * n] = t, self.y
        self._kernel(at.RATE, self.address, self.given, self.out, self.work)
        a, multipliers, positive = self.out[:n].copy(), self.out[n : n + s].copy(), self.out[n + s + 2] > 0
        if not np.all(np.isfinite(a)):
            self.count[at.BAD] = n + int(np.argmin(np.isfinite(a)))
            return at.NOT_FINITE
        if not positive:
            self.count[at.BAD] = at.SINGULAR_MASS
            return at.NOT_FINITE
        unknowns, rates = self.equations.start(self.y, a, multipliers)
        for values in (unknowns, rates):
            values.flags.writeable = False  # as those of IDA, so that the code for them is ready
        self.equations.residual(t, unknowns, rates, np.empty(len(unknowns)))
        self.solver = self._solver(np.concatenate([self.y[n:], a]))
        self.solver.init_step(t, unknowns, rates)
        self.evaluated, self.last, self.longest = 0, (t, t), 0.0
        self.starts.append(t)
        self._watch(self.address, n, t, self.y[:n], self.y[n:], self.given, self.out, self.work, self.events)
        self.count[at.FIRST] = 1
        return at.RUNNING

    def _solver(self, speed: Array) -> Any:
        """Return IDA, ready to begin; its first step is that which it would choose, but not below rounding."""
        from sksundae.ida import IDA

        t, _, end, _, rtol, atol = self.clock[: at.TAKEN]
        change = np.abs(speed / (rtol * np.abs(self.y) + atol)).max(initial=1e-300)
        first = min(1e-3 * (end - t), max(0.5 / change, 1e-13 * (abs(t) + end - t)))
        self._kept(t, self.y.copy())  # loads the projection
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the pattern, that it is not used for differences
            return IDA(
                self.equations.residual,
                jacfn=self.equations.jacobian,
                first_step=float(first),
                **self.equations.options(*(self.equations.share * float(x) for x in (rtol, atol))),
            )

    def _step(self) -> int:
        """Take one step; return a status."""
        clock, count, n = self.clock, self.count, self.n
        if count[at.RECORDED] >= len(self.times[-1]):
            self._new_buffer()
        begun, end = self.last[1], float(clock[at.END])
        self.equations.since = begun
        with redirect_stdout(io.StringIO()):  # where IDA says what its status says too
            found = self.solver.step(end, "onestep", end)
        count[at.EVALUATIONS] += found.nfev - self.evaluated
        self.evaluated = found.nfev
        if found.status < 0 or not np.all(np.isfinite(found.y)):
            return self._failure()
        t, y = end if found.status == _REACHED_END else float(found.t), found.y[: 2 * n].copy()
        self.longest = max(self.longest, t - begun)
        if t - begun <= 1e-14 * abs(t) or t - begun <= min(_SHORT * abs(t), 1e-3 * self.longest):
            return self._too_small()
        self.last = (begun, t)
        if not self._sample(t) or not self._kept(t, y):
            return at.NOT_PROJECTED
        if not self.out[n + self.kernels.s + 2] > 0:  # as the projection found it
            count[at.BAD] = at.SINGULAR_MASS
            return at.NOT_FINITE
        place = int(count[at.RECORDED])
        self.times[-1][place], self.states[-1][place] = t, y
        self.y[:] = y
        clock[at.T], clock[at.H] = t, t - begun
        count[at.RECORDED] += 1
        count[at.STEPS] += 1
        if self._watch(self.address, n, t, y[:n], y[n:], self.given, self.out, self.work, self.events):
            return at.EVENT
        return at.DONE if t >= end else at.RUNNING

    def _sample(self, t: float) -> bool:
        """Fill in the states at the wanted times up to t; tell whether they are on the constraints."""
        first, last = int(self.count[at.SAMPLED]), int(np.searchsorted(self.wanted, t, side="right"))
        if first < last:
            self.sampled[first:last] = self._inside(self.wanted[first:last])
        for k in range(first, last):
            if not self._kept(self.wanted[k], self.sampled[k]):
                return False
            self.count[at.SAMPLED] = k + 1
        return True

    def _kept(self, t: float, y: Array) -> bool:
        """Move a state onto the constraints; tell whether there is one."""
        return bool(self._project(self.address, self.size, self.count, t, y, self.given, self.out, self.work))

    def _failure(self) -> int:
        """Find out from the last state that was tried why IDA could not take a step."""
        if self.equations.bad != at.NOTHING:
            self.count[at.BAD] = self.equations.bad
            return at.NOT_FINITE
        tried = self.given[1 : 1 + 2 * self.n].copy()
        return self._too_small() if self._kept(self.given[0], tried) else at.NOT_PROJECTED

    def _too_small(self) -> int:
        """Tell whether steps become too small because the constraints allow no state a little later."""
        n, ahead = self.n, _AHEAD * float(self.clock[at.END])
        tried = self.y + ahead * np.concatenate([self.y[n:], np.zeros(n)])
        return at.STEP_TOO_SMALL if self._kept(float(self.clock[at.T]) + ahead, tried) else at.NOT_PROJECTED

    # --- in between --------------------------------------------------------------------------------------------------

    def between(self, t: float, h: float, y: Array, kept: Array, thetas: Array) -> Array:
        """Return states inside a recorded step: inside the last one by IDA, else through the steps around it."""
        if self.count[at.FIRST] and self.last[0] <= t < self.last[1]:
            return self._inside(t + thetas * h)
        times, states = self._all()
        k = int(np.searchsorted(times, t, side="left"))
        low = int(np.searchsorted(times, max(start for start in self.starts if start <= t)))
        later = [start for start in self.starts if start > t]
        high = int(np.searchsorted(times, later[0])) if later else len(times)
        if k + 1 >= high:  # a jump
            return y + thetas[:, None] * (kept - y)
        for points in range(min(_POINTS, high - low), 1, -1):
            first = min(max(k + 1 - points // 2, low), high - points)
            weights = _weights((times[first : first + points] - t) / h, thetas)
            if np.abs(weights).sum(axis=1).max(initial=0.0) <= _STEADY:
                return weights @ states[first : first + points]
        return y + thetas[:, None] * (kept - y)

    def _inside(self, times: Array) -> Array:
        """Return states inside the last step of IDA, by its own polynomial."""
        begun, ended = self.last
        latest = ended - 8 * np.spacing(ended) - 1e-14 * (ended - begun)  # up to where IDA itself has certainly gone
        found = [self.solver.step(float(t), "normal").y[: 2 * self.n].copy() for t in np.clip(times, begun, latest)]
        if ended < self.clock[at.END]:
            self.solver.step(ended, "normal")  # else the next step would end here
        return np.array(found).reshape(len(times), 2 * self.n)

    def _all(self) -> tuple[Array, Array]:
        """Return the times and states at the steps in one piece."""
        key = (len(self.times), int(self.count[at.RECORDED]), float(self.clock[at.T]))
        if self._known[0] != key:
            self._known = (key, *self.recorded(*self.origin))
        return self._known[1:]


def _weights(points: Array, places: Array) -> Array:
    """Return the weights of Lagrange's interpolation, one row for each place."""
    weights = np.ones((len(places), len(points)))
    for j, x in enumerate(points):
        for other in np.delete(points, j):
            weights[:, j] *= (places - other) / (x - other)
    return weights
