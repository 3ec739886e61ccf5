"""The engine of explicit methods: what their stepper works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import qr

from dalembert.algebra.types import Array
from dalembert.errors import SimulationError
from dalembert.model.numeric import Numeric
from dalembert.motion import places as at
from dalembert.motion.diagnosis import chatters
from dalembert.motion.engine import Engine
from dalembert.motion.entry import Entry
from dalembert.motion.method import Setup
from dalembert.motion.tableau import Tableau

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

_KEEPINGS = {"none": at.NO_KEEPING, "project": at.PROJECT, "stabilise": at.STABILISE}


class Explicit(Engine):
    """Steps with a tableau, in any form.

    What stabilisation adds to c is −a ψ − b g, its gains one row of a and one of b for the constraints; frozen ones are
    in units of the step and evaluated once per step.
    """

    def __init__(self, kernels: Kernels, method: Tableau, setup: Setup):
        n, s = kernels.n, kernels.s
        complete = kernels.form == "independent" and s > 0
        found = kernels.accelerations(*setup.state, setup.parameters)
        well = found.rank == s and bool(np.all(np.asarray(found.conditioning) > at.WELL))
        kind, rate, guard = self._rates(kernels, setup, well)
        whole = kernels.one_step(method, at.WELL) if kind == at.GUARDED and method.errors and not complete else None
        further = n + s if complete else s if setup.keep == "stabilise" else 3 if whole else 0
        super().__init__(kernels, setup, further)
        names = [rate, guard, ("core", "position_step"), ("core", "velocity_step"), guard, ("core", "residuals")]
        if kernels.form == "canonical":
            names[at.MOMENTA] = ("canonical", "momenta")
        names.append((self.watched, "expressions") if self.watched else ("core", "residuals"))
        if whole:
            names.append((whole, "step"))
        if complete:
            names += [("dependent", "dependent_positions"), ("dependent", "dependent_velocities")]
        self.load(names)
        repeated = s > 0 and not well and not complete and setup.keep == "project"
        flags = [setup.frozen, complete, whole is not None, repeated]
        self.size = np.array([n, s, kind, _KEEPINGS[setup.keep], 0, *map(int, flags)])
        self.control = np.zeros((2, max(s, 1))) if setup.gains is None else setup.gains
        self.tableau, self.order = method.arrays(), method.order
        rows = len(method.times) + (0 if method.dense else 1)
        self.k, self.vectors = np.zeros((rows, 2 * n)), np.zeros((3, 2 * n))
        self._steps, self._inside = Entry("explicit", "advance"), Entry("explicit", "interpolate")
        self._controls: list[Array] = []
        self._slow = 0  # how often many steps came to little
        if complete:
            self.choose(*setup.state)

    @staticmethod
    def _rates(kernels: Kernels, setup: Setup, well: bool) -> tuple[int, tuple, tuple]:
        """Choose the kernel of the rates, and the one that steps in where it is not good enough."""
        safe = ("core", "accelerations")
        if setup.keep == "stabilise":
            return at.ACCELERATIONS, ("stabilised", "stabilised"), safe
        if kernels.form == "canonical":
            return at.CANONICAL, ("canonical", "canonical"), safe
        if kernels.form not in ("multipliers", "independent"):
            return at.OWN, (kernels.form, kernels.form), safe
        if well:
            return at.GUARDED, ("direct", "direct"), safe
        return at.ACCELERATIONS, safe, safe

    def choose(self, t: float, q: Array, v: Array) -> None:
        """Choose independent coordinates at a state, those that determine the others best."""
        system, n, s = self.kernels.system, self.n, self.kernels.s
        levels = [constraint.level for constraint in system.constraints]
        state = np.concatenate([[t], q, v, self.given[1 + 2 * n : 1 + 2 * n + len(system.parameters)]])
        A = np.zeros((s, n))
        A[tuple(np.transpose(self.kernels.facts("dependent")["pattern"]))] = self.kernels.run(
            "dependent", "entries", state[None]
        )[0]
        self.control = np.zeros((3, max(n + s, 4)))
        if not self.choices:
            known = Numeric(system).units  # of a mechanism: its size, and angles
            self.units = np.where(known > 0, known, 1.0)
        A = A * self.units
        lengths = np.linalg.norm(A, axis=1, keepdims=True)
        A = A / np.where(lengths > 0, lengths, 1.0)
        columns = np.arange(n)
        for row, among in ((1, ("position", "velocity")), (0, ("position",))):
            rows = np.array([i for i, level in enumerate(levels) if level in among], dtype=int)
            columns = columns[_independent(A[np.ix_(rows, columns)])]  # of positions: among those of velocities
            rows = rows[_independent(A[np.ix_(rows, columns)].T)]  # repeated ones would hide how well these determine
            self.control[row, columns] = 1.0
            self.control[row, n + rows] = 1.0
            inputs = np.concatenate([state, self.control[row, : n + s]])
            name = ("dependent_positions", "dependent_velocities")[row]
            self.control[2, 2 + row] = self.kernels.run("dependent", name, inputs[None])[0, n + s + 1]
        free = tuple(name for name, depends in zip(system.coordinates, self.control[1], strict=False) if not depends)
        self.choices.append((t, free))
        self._controls.append(self.control)

    def choose_again(self) -> bool:
        """Choose at the present state; tell whether the motion can go on: not if this was tried here before."""
        t = float(self.clock[at.T])
        if self.choices[-1][0] == t:
            return False
        self.choose(t, self.y[: self.n].copy(), self.y[self.n :].copy())
        return True

    def _advance(self, steps: int) -> int:
        self.size[at.FIXED] = int(self.fixed)
        A, b, c, errors, dense = self.tableau
        status = self._steps(
            self.address, self.size, A, b, c, errors, dense, self.order, self.clock, self.count, self.y,
            self.k, self.vectors, self.given, self.out, self.work, self.control, self.wanted, self.sampled,
            self.times[-1], self.states[-1], self.events, steps,
        )  # fmt: skip
        if status != at.SLOW:
            return status
        self._slow += 1
        again = self._slow & (self._slow - 1) == 0  # the first time, the second, the fourth, …
        return at.CHATTER if again and self.kernels.form != "canonical" and chatters(self) else at.RUNNING

    def between(self, t: float, h: float, y: Array, kept: Array, thetas: Array) -> Array:
        """Return states inside a recorded step, by repeating it."""
        A, b, c, _, dense = self.tableau
        into = np.zeros((len(thetas), 2 * self.n))
        control = self.control
        if self.choices:  # the one that was in force
            control = self._controls[
                max(0, int(np.searchsorted([chosen for chosen, _ in self.choices], t, side="right")) - 1)
            ]
        count, k, vectors = self.count.copy(), np.zeros_like(self.k), np.zeros_like(self.vectors)  # a run may go on
        there = self._inside(
            self.address, self.size, A, b, c, dense, count, t, h, y, kept, k, vectors, self.given, self.out,
            self.work, control.copy(), thetas, into,
        )  # fmt: skip
        if not there:
            raise SimulationError(f"the step from t = {t:.6g} cannot be repeated")
        return into


def _independent(A: Array) -> Array:
    """Return the columns that span those of A, each chosen as far from the ones before it as possible."""
    if 0 in A.shape:
        return np.zeros(0, dtype=int)
    _, R, order = qr(A, mode="economic", pivoting=True)  # pyright: ignore[reportAssignmentType]
    size = np.abs(np.diag(R))
    return order[: int(np.sum(size > 1e-8 * size[0]))]
