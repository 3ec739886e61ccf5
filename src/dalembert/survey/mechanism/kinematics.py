"""Kinematics of a driven mechanism: positions, velocities and accelerations at given times. Masses play no part.

The position is followed from the assembled one: predicted by velocity and acceleration, corrected by Newton's method,
with shorter steps where the correction is not small, so that the mechanism stays on its branch. Where conditions on
velocities (a drive by its speed, rolling) leave positions open, these are integrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp

from dalembert.arguments import array
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, numeric_of
from dalembert.document.nodes import ROWS, Name, Section, Sparkline, Table, span
from dalembert.document.shown import Shown
from dalembert.errors import ModelError, SimulationError, counted, nearest, quoted
from dalembert.model.initial import begin_of
from dalembert.survey.initial_numbers import at_level
from dalembert.survey.mechanism.closure import ASIDE, LOOSE, Closure, between
from dalembert.survey.mechanism.followed_quantity import Course, joint_quantity, point_quantity, unwrap
from dalembert.survey.mechanism.words import list_bodies, list_parts
from dalembert.survey.start import consistent_state

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

BEND = 0.01  # of a step: how far its end may lie from the mean of the velocities at both ends
LEAST = 1e-10  # of the duration: steps as short as this lead nowhere


@dataclass(frozen=True)
class Kinematics(Shown):
    """Positions, velocities and accelerations at the times `t`, one row for each.

    `motion["phi_crank"]`, `motion["phi_crank'"]` and `motion["phi_crank''"]` are those of one coordinate.
    """

    mechanism: Mechanism
    t: Array
    q: Array
    v: Array
    a: Array

    def __getitem__(self, name: str) -> Array:
        coordinate = name.rstrip("'")
        parts = (self.q, self.v, self.a)
        order = len(name) - len(coordinate)
        if coordinate not in self.mechanism.coordinates or order > 2:
            raise KeyError(f"no `{name}`; {nearest(coordinate, self.mechanism.coordinates, 'coordinates')}")
        return parts[order][:, self.mechanism.coordinates.index(coordinate)]

    def document(self) -> Section:
        """Show every coordinate as a small curve, with its span and that of its velocity."""
        names = self.mechanism.coordinates
        sizes = [float(np.nanmax(np.abs(values), initial=0.0)) for values in (self.q, self.v)]
        rows = [
            (Name(q), Sparkline(self.t, self[q], q), span(self[q], sizes[0]), span(self[q + "'"], sizes[1]))
            for q in names[:ROWS]
        ]
        table = Table(rows, ("coordinate", "", "position", "velocity"), total=len(names))
        what = f"kinematics at {counted(len(self.t), 'time')}, t = {self.t[0]:g} … {self.t[-1]:g}"
        return Section(self.mechanism.name or "A mechanism", [table], what)

    def __repr__(self) -> str:
        times = f"{len(self.t)} times, t = {self.t[0]:g} … {self.t[-1]:g}"
        return f"<Kinematics of {self.mechanism.name!r}: {len(self.mechanism.coordinates)} coordinates at {times}>"

    @cached_property
    def _parameters(self) -> list[float]:
        return [float(value) for value in self.mechanism.parameters.values() if value is not None]

    def point(self, body: str, point: Any) -> Course:
        """Return the path of a point of a body, by its name or by coordinates in the body frame: one row per time."""
        return point_quantity(self.mechanism, body, point).along(self.q, self.v, self.a, self._parameters)

    def joint(self, name: str) -> Course:
        """Return the angle or distance of a joint, by `A` or `A.angle`; turns are counted on."""
        quantity = joint_quantity(self.mechanism, name)
        values, rates, seconds = (x[:, 0] for x in quantity.along(self.q, self.v, self.a, self._parameters))
        if quantity.turns:
            values = values.copy()
            for k in range(1, len(values)):
                mean = (rates[k] + rates[k - 1]) / 2
                values[k] = unwrap(values[k], values[k - 1] + mean * (self.t[k] - self.t[k - 1]))
        return Course(values, rates, seconds)


def kinematics(mechanism: Mechanism, times: Sequence[float] | Array) -> Kinematics:
    """Follow a driven mechanism from its assembled position where it begins through the given times."""
    t = np.atleast_1d(array("times", times))
    if t.ndim != 1 or not t.size or not np.all(np.isfinite(t)) or np.any(np.diff(t) < 0):
        raise ModelError(f"`times` are finite numbers in increasing order, got {str(times)[:80]}")
    begin = begin_of(mechanism.simulation)
    march = _March(mechanism, begin, duration=float(max(t[-1], begin) - min(t[0], begin)) or 1.0)
    states = [march.state_at(time) for time in t]
    q, v, a = (np.array([getattr(state, key) for state in states]) for key in "qva")
    return Kinematics(mechanism, t, q, v, a)


@dataclass(frozen=True)
class _State:
    t: float
    q: Array
    v: Array
    a: Array
    grip: float


class _March:
    """Goes from time to time, in steps as long as the branch is safe."""

    def __init__(self, mechanism: Mechanism, begin: float, duration: float):
        self.mechanism, self.begin, self.duration = mechanism, begin, duration
        numeric = numeric_of(mechanism)
        names = drive_names(mechanism)
        self.n, self.step = numeric.n, duration
        self.driven = [i for i, c in enumerate(mechanism.constraints) if c.time or c.name in names]
        fixed = at_level(mechanism, mechanism.initial, "position")
        try:
            q, contradiction = consistent_state(mechanism, numeric, initial=fixed).q, None
        except ModelError as error:  # perhaps because it is overdriven
            freed = mechanism.without(*(mechanism.constraints[i].name for i in self.driven))
            fixed = at_level(freed, freed.initial, "position")
            q, contradiction = consistent_state(freed, numeric_of(freed), initial=fixed).q, error
        self.closure = Closure(mechanism, numeric, q)
        self.examine(numeric, q)
        if contradiction is not None:
            raise contradiction
        self.held = self.closure.independent(numeric.position(begin, q)[1])
        close = self.closure.position(begin, q, self.held) if self.held else None
        self.here = self.state(begin, q if close is None else close, np.zeros(self.n), np.zeros(self.n))

    def state(self, t: float, q: Array, v: Array, a: Array) -> _State:
        """Complete a position by the velocities and accelerations nearest to given ones."""
        v, solution = self.closure.velocity(t, q, v, self.n)
        return _State(t, q, v, self.closure.acceleration(t, q, v, a, self.n), solution.grip)

    # --- what is driven ----------------------------------------------------------------------------------------------

    def examine(self, numeric: Numeric, q: Array) -> None:
        """Refuse a mechanism with more or fewer drives than degrees of freedom, or with drives that have no grip."""
        levels = [c.name for c in self.mechanism.constraints if c.level == "acceleration"]
        if levels:
            raise ModelError(f"kinematics needs conditions on positions or velocities; {quoted(levels)} are on others")
        A = numeric.all(self.begin, q, np.zeros(self.n)).A
        rest = [i for i in range(numeric.s) if i not in self.driven]
        total, free = self.closure.independent(A), self.n - self.closure.independent(A[rest])
        drives = len(self.driven)
        if total == self.n and drives == free:
            return
        names = quoted([self.mechanism.constraints[i].name for i in self.driven])
        has = f"the mechanism has {_count(free, 'degree')} of freedom and {_count(drives, 'drive')}"
        has += f" ({names})" if drives else ""
        if total == self.n:
            raise ModelError(f"{has}: it is overdriven. Remove {_count(drives - free, 'drive')}")
        idle = list_bodies(self.mechanism, self.closure.solve(A, np.zeros(numeric.s), total).free)
        if drives >= free:
            text = f"{has}, which do not determine its motion in the assembled position: with the drives held, {idle} "
            raise ModelError(f"{text}can still move. Drive another joint, or assemble it in another position")
        freedom = self.mechanism.mobility().freedom
        if freedom == drives:
            text = f"the assembled position is singular: there {idle} can move though the drives are held, elsewhere "
            raise ModelError(f"{text}they determine the motion. Assemble the mechanism in another position")
        raise ModelError(
            f"{has}: it is underdriven. Give {_count(free - drives, 'drive')} more, as {idle} can still move; "
            "or compute its motion by simulate()"
        )

    # --- going on ----------------------------------------------------------------------------------------------------

    def state_at(self, t: float) -> _State:
        """Go on to a time; if it cannot be reached, perhaps it can be passed."""
        before, step, lock = self.here, self.step, None
        try:
            self.go(t)
            if self.here.grip > LOOSE:
                return self.here
        except SimulationError as error:
            lock = error
        self.here, self.step = before, step
        try:
            return self.through(t)
        except SimulationError as error:
            raise lock or error from None

    def go(self, t: float) -> None:
        while self.here.t != t:
            left = t - self.here.t
            h = left if self.step >= abs(left) * (1 - 1e-9) else np.copysign(self.step, left)
            found = self.attempt(float(h), t if h == left else self.here.t + float(h))
            if found is None:
                self.step = abs(float(h)) / 2
                if self.step < LEAST * self.duration:
                    raise SimulationError(self.lock())
            else:
                self.here, self.step = found, max(self.step, 2 * abs(float(h)))

    def attempt(self, h: float, t: float) -> _State | None:
        """Go one step; None if its end is not where the velocities lead to."""
        here = self.here
        q = self.closure.position(t, self.predict(h), self.held) if self.held else self.predict(h)
        if q is None:
            return None
        found = self.state(t, q, here.v + h * here.a, here.a)
        bend = self.closure.distance(q - here.q - h / 2 * (here.v + found.v))
        far = self.closure.distance(q - here.q)
        return found if bend <= BEND * far + 1e-9 else None

    def predict(self, h: float) -> Array:
        here = self.here
        if self.held == self.n:
            return here.q + h * here.v + h**2 / 2 * here.a
        moved = solve_ivp(
            lambda t, q: self.closure.velocity(t, q, here.v, self.n)[0],
            (here.t, here.t + h),
            here.q,
            method="DOP853",
            rtol=1e-11,
            atol=1e-12 * self.closure.size,
        )
        return moved.y[:, -1]

    def through(self, t: float) -> _State:
        """Return the state in a position where velocities are not determined, from both sides of it."""
        aside = min(ASIDE / max(self.closure.distance(self.here.v), 1e-9), self.duration / 1000)
        self.go(t - aside)
        before = self.here
        self.go(t + aside)
        after = self.here
        q, v, a = between((before.q, after.q), (before.v, after.v), aside)
        return _State(t, q, v, a, 0.0)

    def lock(self) -> str:
        """Say where the mechanism locks, and what cannot follow."""
        here, numeric = self.here, self.closure.numeric
        A = numeric.velocity(here.t, here.q, here.v)[1]
        scaled = A.toarray() * self.closure.units
        U, _, Vt = np.linalg.svd(scaled)
        rows = [self.mechanism.constraints[i].name for i in numeric.kinematic]
        joints = list_parts(self.mechanism, rows, U[:, self.n - 1], without="drives")
        moving = list_bodies(self.mechanism, (Vt[self.n - 1 :] * self.closure.units).T)
        drives = list(self.mechanism.drives) or [self.mechanism.constraints[i].name for i in self.driven]
        values = zip(self.mechanism.coordinates, here.q, strict=True)
        place = ", ".join(f"{name} = {round(value, 9) + 0.0:.5g}" for name, value in list(values)[:9])
        return (
            f"the mechanism locks at t = {here.t:.6g}: {joints} cannot follow {quoted(drives)} any further. "
            f"There, a dead point, {moving} could still move with the drives held. Position: {place}"
        )


def drive_names(mechanism: Mechanism) -> set[str]:
    """Return the names of the conditions of all drives."""
    return {name for drive in mechanism.drives.values() for name in drive.conditions}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
