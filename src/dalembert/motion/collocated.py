"""The engine of implicit collocation: what its stepper works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import SimulationError
from dalembert.motion import codes
from dalembert.motion.diagnosis import slowed, sticks
from dalembert.motion.engine import Engine
from dalembert.motion.entry import Stepper
from dalembert.motion.method import Setup
from dalembert.motion.pattern import pattern
from dalembert.motion.scheme import NewtonLayout, NewtonMatrix, Room, Scheme
from dalembert.motion.tools import ImplicitKernels, Record, Sizes, Tools

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

_POWER = {"F_q": -1, "F_v": 0, "C_q": -1, "C_v": 0, "M": 1}  # of z, with which Jacobians enter the matrix
_AHEAD = 1e-6  # part of the whole time in which an end of the reach is near
_COMPROMISE = 10.0  # how far, in that time, constraints that contradict each other may draw a state that tells of both
_OFTEN = 8  # thousands of steps that come next to nowhere, after which the position is looked at, each time


class ImplicitEngine(Engine):
    """What steps work with that solve for velocities and multipliers, with positions as they follow from the former."""

    implicit = True

    def __init__(self, kernels: Kernels, setup: Setup):
        n, s = kernels.n, kernels.s
        super().__init__(kernels, setup, n + s)
        rate = ("core", "accelerations")
        watched = (self.watched, "expressions") if self.watched else ("core", "residuals")
        names = {
            "rate": rate,
            "position": ("core", "position_step"),
            "velocity": ("core", "velocity_step"),
            "momenta": rate,
            "events": watched,
            "balance": ("implicit", "balance"),
            "jacobian": ("implicit", "jacobian"),
        }
        self.address, self.size = self.load(ImplicitKernels, names), Sizes(n, s, setup.units)
        self.matrix = _matrix(kernels, setup)
        self._own: Tools | None = None
        self._project, self._slow = Stepper("primitives", "project"), 0

    def advance(self, steps: int) -> int:
        """Take some steps; return a status."""
        status = super().advance(steps)
        if status == codes.SLOW:
            self._slow += 1
            return slowed(self, self._slow, _OFTEN)
        if status == codes.STEP_TOO_SMALL and sticks(self):
            return codes.CHATTER
        if status in (codes.STEP_TOO_SMALL, codes.NOT_PROJECTED) and self.kernels.s and not self._goes_on():
            return codes.NOT_PROJECTED
        return status

    def _settled_tools(self) -> Tools:
        """Return what steppers work with: the same object again, which costs a call nothing."""
        if self._own is None or self.size.fixed != self.fixed:
            self.size = self.size._replace(fixed=int(self.fixed))
            self._own = self.tools(self.count)
        return self._own

    def _goes_on(self) -> bool:
        """Tell whether the constraints allow a state a little later."""
        n, ahead = self.n, _AHEAD * float(self.clock.end)
        t, y = float(self.clock.t) + ahead, self.y + ahead * np.concatenate([self.y[self.n :], np.zeros(n)])
        tried = y.copy()
        found = self._project(self.address, self.size, self.count, t, tried, self.given, self.out, self.work)
        near = np.abs(tried - y).max(initial=0.0) <= _COMPROMISE * ahead * max(1.0, np.abs(y).max(initial=0.0))
        self.given[0], self.given[1 : 1 + 2 * n] = t, tried if near else y  # for those who ask what is wrong
        return bool(found)


class Collocated(ImplicitEngine):
    """Steps with an implicit scheme, on positions, velocities and multipliers."""

    def __init__(self, kernels: Kernels, scheme: Scheme, order: int, setup: Setup):
        super().__init__(kernels, setup)
        self.scheme, self.order = scheme, order
        self.room = self._room()
        self._steps, self._inside = Stepper("collocation", "advance"), Stepper("collocation", "interpolate")

    def _room(self) -> Room:
        n, s = self.n, self.kernels.s
        size, filled = n + s, len(self.matrix.pattern.columns)
        return Room(
            V=np.zeros((4, n)),
            multipliers=np.zeros((3, s)),
            guess=np.zeros((3, s)),
            rates=np.zeros((3, n)),
            residuals=np.zeros((3, size)),
            jacobian=np.zeros(len(self.matrix.layout.rows)),
            E=np.zeros(size),
            real=np.zeros(filled),
            real_inverse=np.zeros(size),
            real_row=np.zeros(size),
            complex=np.zeros(filled, complex),
            complex_inverse=np.zeros(size, complex),
            complex_row=np.zeros(size, complex),
            right=np.zeros(size),
            step=np.zeros(size),
            right_complex=np.zeros(size, complex),
            step_complex=np.zeros(size, complex),
            start=np.zeros(size + 1),
            shifted=np.zeros(size + 1),
            last_step=np.zeros(1),
            last_V=np.zeros((4, n)),
            last_multipliers=np.zeros((3, s)),
            raw=np.zeros(2 * n),
            new=np.zeros(2 * n),
        )

    def _advance(self, steps: int) -> int:
        record = Record(self.wanted, self.sampled, self.times[-1], self.states[-1])
        return self._steps(
            self.scheme, self.matrix, self._settled_tools(), self.clock, self.y, self.room, record, self.events, steps
        )

    def between(self, t: float, h: float, y: Array, kept: Array, thetas: Array) -> Array:
        """Return states inside a recorded step, by repeating it."""
        into, aside = np.zeros((len(thetas), 2 * self.n)), self.tools(self.count.copy())
        there = self._inside(
            self.scheme, self.matrix, aside, self.clock, t, h, y, kept, self._room(), thetas, into
        )  # fmt: skip
        if not there:
            raise SimulationError(f"the equations have no finite value at the ends of the step from t = {t:.6g}")
        return into


def _matrix(kernels: Kernels, setup: Setup) -> NewtonMatrix:
    """Return the matrix of implicit methods: where the entries of the Jacobians stand in it, and its pattern."""
    n, s = kernels.n, kernels.s
    facts = kernels.facts("implicit")
    patterns = {name: [tuple(place) for place in places] for name, places in facts["patterns"].items()}
    second = np.array([c.level == "acceleration" for c in kernels.system.constraints], dtype=np.int64)
    entries: list[tuple[int, int, int, int, float]] = []  # row, column, source, power, factor
    starts: dict[str, int] = {}
    sources: list[tuple[int, int]] = []
    for name, places in patterns.items():
        starts[name] = len(sources)
        for i, j in places:
            if name in _POWER:
                entries.append((n + i if name[0] == "C" else i, j, len(sources), _POWER[name], 1.0))
            elif name == "F_l":
                entries.append((i, n + j, len(sources), 0, 1.0))
            else:
                entries.append((j, n + i, len(sources), 0, -1.0))
                if second[i]:
                    entries.append((n + i, j, len(sources), 1, 1.0))
            sources.append((i, j))
    found = kernels.accelerations(*setup.state, setup.parameters)
    jacobians = kernels.jacobians(*setup.state, found.acceleration, found.multipliers, setup.parameters)
    inertia = jacobians.M.diagonal().max(initial=0.0) or 1.0
    added: list[tuple[int, int, int, int, int, int]] = []
    rho: list[float] = []
    for i in facts["added"]:
        row = [(column, source, power) for r, column, source, power, _ in entries if r == n + i]
        length = float(np.sum(jacobians.A[[i]].data ** 2)) or 1.0
        for k, (other, j) in enumerate(patterns["A"]):
            if other == i:
                added += [(i, j, starts["A"] + k, source, column, power) for column, source, power in row]
                rho += [inertia / length] * len(row)
    products = [(entry[1], entry[4]) for entry in added]
    structure = pattern([*(entry[:2] for entry in entries), *products], n, s)
    numbers = np.array(added, dtype=np.int64).reshape(-1, 6)
    numbers[:, 4] = structure.places(products)
    rows, columns = np.array(sources, dtype=np.int64).reshape(-1, 2).T.copy()
    parts = [(starts[name], starts[name] + len(patterns[name])) for name in ("F_q", "C_q", "M", "A")]
    layout = NewtonLayout(
        source=np.array([entry[2] for entry in entries], dtype=np.int64),
        place=structure.places(entry[:2] for entry in entries),
        power=np.array([entry[3] for entry in entries], dtype=np.int64),
        factor=np.array([entry[4] for entry in entries], dtype=float),
        parts=np.array(parts, dtype=np.int64),
        rows=rows,
        columns=columns,
        added=numbers,
        rho=np.array(rho, dtype=float),
        second=second,
    )
    return NewtonMatrix(layout, structure)
