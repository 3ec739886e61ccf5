"""What the stepper works with: addresses of kernels, sizes, buffers; made once for a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import qr

from dalembert.algebra.types import Array
from dalembert.errors import SimulationError
from dalembert.model.numeric import Numeric
from dalembert.motion import stepper
from dalembert.motion.tableau import Tableau

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

KEEPINGS = {"none": stepper.NO_KEEPING, "project": stepper.PROJECT, "stabilise": stepper.STABILISE}
_CHUNK = 4096  # steps that are recorded before the buffer is changed


class Engine:
    """Integrates from a state, piece by piece.

    `gains`: what stabilisation adds to c is −a ψ − b g, one row of a and one of b for the constraints; with `frozen`
    they are in units of the step and evaluated once per step. `watched`: a group of kernels whose `expressions` are
    watched for, and the directions of their passages.
    """

    def __init__(
        self,
        kernels: Kernels,
        method: Tableau,
        keep: str,
        parameters: Array,
        state: tuple[float, Array, Array],
        gains: Array | None = None,
        frozen: bool = True,
        watched: tuple[str, Array] | None = None,
    ):
        self.kernels, self.method = kernels, method
        n, s = kernels.n, kernels.s
        self.n, self.keep = n, keep
        kind, rate, guard = self._rates(parameters, state)
        names = [rate, guard, ("core", "position_step"), ("core", "velocity_step"), guard, ("core", "residuals")]
        if kernels.form == "canonical":
            names[stepper.MOMENTA] = ("canonical", "momenta")
        group, directions = watched or ("core", np.zeros(0))
        names.append((group, "expressions") if watched else ("core", "residuals"))
        complete = kernels.form == "independent" and s > 0
        if complete:
            names += [("dependent", "dependent_positions"), ("dependent", "dependent_velocities")]
        self.events = np.zeros((4, len(directions)))
        self.events[2] = directions
        self.address = np.array([kernels.address(*name) for name in names])
        self.size = np.array([n, s, kind, KEEPINGS[keep], 0, int(frozen), int(complete)])
        self.control = np.zeros((2, max(s, 1))) if gains is None else gains
        groups = {group for group, _ in names}
        self.work = np.zeros(max(kernels.workspace(group) for group in groups) + 1)
        widest = max(outputs for group in groups for outputs in kernels.outputs(group))
        self.out = np.zeros(widest)
        further = n + s if complete else s if keep == "stabilise" else 0
        self.given = np.zeros(1 + 2 * n + len(parameters) + further)
        self.given[1 + 2 * n : 1 + 2 * n + len(parameters)] = parameters
        self.tableau = method.arrays()
        rows = len(method.times) + (0 if method.dense else 1)
        self.k, self.vectors = np.zeros((rows, 2 * n)), np.zeros((3, 2 * n))
        self.clock, self.count = np.zeros(6), np.zeros(10, dtype=np.int64)
        self.y = np.zeros(2 * n)
        self.times: list[Array] = []
        self.states: list[Array] = []
        self.choices: list[tuple[float, tuple[str, ...]]] = []  # times and independent coordinates
        self._controls: list[Array] = []
        if complete:
            self.choose(*state)

    def _rates(self, parameters: Array, state: tuple[float, Array, Array]) -> tuple[int, tuple, tuple]:
        """Choose the kernel of the rates, and the one that steps in where it is not good enough."""
        kernels, safe = self.kernels, ("core", "accelerations")
        if self.keep == "stabilise":
            return stepper.ACCELERATIONS, ("stabilised", "stabilised"), safe
        if kernels.form == "canonical":
            return stepper.CANONICAL, ("canonical", "canonical"), safe
        if kernels.form not in ("multipliers", "independent"):
            return stepper.OWN, (kernels.form, kernels.form), safe
        found = kernels.accelerations(*state, parameters)
        if found.rank == kernels.s and np.all(np.asarray(found.conditioning) > stepper.WELL):
            return stepper.GUARDED, ("direct", "direct"), safe
        return stepper.ACCELERATIONS, safe, safe

    def choose(self, t: float, q: Array, v: Array) -> None:
        """Choose independent coordinates at a state, those that determine the others best."""
        system, n, s = self.kernels.system, self.n, self.kernels.s
        parameters = self.given[1 + 2 * n : 1 + 2 * n + len(system.parameters)]
        numeric = Numeric(system, dict(zip(system.parameters, parameters, strict=True)))
        A = numeric.all(t, q, v).A.toarray()
        self.control = np.zeros((3, max(n + s, 4)))
        velocities = _dependent(A[numeric.kinematic], np.arange(n))
        positions = _dependent(A[numeric.holonomic], velocities)
        for row, columns, rows in ((0, positions, numeric.holonomic), (1, velocities, numeric.kinematic)):
            self.control[row, columns] = 1.0
            self.control[row, n + np.array(rows, dtype=int)] = 1.0
            inputs = np.concatenate([[t], q, v, parameters, self.control[row, : n + s]])
            name = ("dependent_positions", "dependent_velocities")[row]
            self.control[2, 2 + row] = self.kernels.run("dependent", name, inputs[None])[0, n + s + 1]
        free = tuple(name for j, name in enumerate(system.coordinates) if j not in velocities)
        self.choices.append((t, free))
        self._controls.append(self.control)

    def choose_again(self) -> bool:
        """Choose at the present state; tell whether the motion can go on: not if this was tried here before."""
        t = float(self.clock[stepper.T])
        if self.choices[-1][0] == t:
            return False
        self.choose(t, self.y[: self.n].copy(), self.y[self.n :].copy())
        return True

    def begin(
        self,
        start: tuple[float, Array],
        end: float,
        tolerances: tuple[float, float],
        step: float | None,
        wanted: Array,
    ) -> None:
        """Start at a time and state; a step that is given is fixed."""
        t, self.y[:] = start
        self.clock[:] = [t, step or 0.0, end, step or max(end - t, 1e-300), *tolerances]
        self.count[:] = 0
        self.size[stepper.FIXED] = int(step is not None)
        self.wanted, self.sampled = wanted, np.zeros((len(wanted), 2 * self.n))
        self._new_buffer()
        self.advance(0)  # evaluates the start, and loads the stepper

    def advance(self, steps: int) -> int:
        """Take some steps; return a status of the stepper."""
        A, b, c, errors, dense = self.tableau
        while True:
            before = int(self.count[stepper.STEPS])
            status = stepper.advance(
                self.address, self.size, A, b, c, errors, dense, self.method.order, self.clock, self.count, self.y,
                self.k, self.vectors, self.given, self.out, self.work, self.control, self.wanted, self.sampled,
                self.times[-1], self.states[-1], self.events, steps,
            )  # fmt: skip
            if status != stepper.FULL:
                return int(status)
            steps = max(1, steps - (int(self.count[stepper.STEPS]) - before))
            self._new_buffer()

    def return_to(self, t: float, y: Array) -> None:
        """Cut the last step short at a state inside it, and go on from there."""
        last = int(self.count[stepper.RECORDED]) - 1
        self.times[-1][last], self.states[-1][last] = t, y
        self.y[:] = y
        self.clock[stepper.T] = t
        if self.size[stepper.FIXED] == 0:
            self.clock[stepper.H] = 0.0  # to be chosen again
        self.count[stepper.FIRST] = 0
        self.count[stepper.SAMPLED] = np.searchsorted(self.wanted, t, side="right")

    def jump(self, y: Array, parameters: Array) -> None:
        """Go on from another state, an instant later, with other parameters."""
        if self.count[stepper.RECORDED] >= len(self.times[-1]):
            self._new_buffer()
        place = int(self.count[stepper.RECORDED])
        t = self.clock[stepper.T] = np.nextafter(self.clock[stepper.T], np.inf)
        self.times[-1][place], self.states[-1][place] = t, y
        self.y[:] = y
        self.count[stepper.RECORDED] += 1
        self.set_parameters(parameters)

    def set_parameters(self, parameters: Array) -> None:
        """Use other values of the parameters from now on."""
        start = 1 + 2 * self.n
        self.given[start : start + len(parameters)] = parameters

    def last_step(self, t: float, y: Array) -> tuple[float, Array, float, Array]:
        """Return time and state before and after the last step; t and y are those of the start."""
        last = int(self.count[stepper.RECORDED]) - 1
        after = (float(self.times[-1][last]), self.states[-1][last].copy())
        if last > 0:
            return float(self.times[-1][last - 1]), self.states[-1][last - 1].copy(), *after
        if len(self.times) > 1:
            return float(self.times[-2][-1]), self.states[-2][-1].copy(), *after
        return t, y, *after

    def _new_buffer(self) -> None:
        size = _CHUNK if not self.times else 2 * len(self.times[-1])
        size = max(16, min(size, 20_000_000 // (2 * self.n)))
        self.times.append(np.zeros(size))
        self.states.append(np.zeros((size, 2 * self.n)))
        self.count[stepper.RECORDED] = 0

    def recorded(self, t: float, y: Array) -> tuple[Array, Array]:
        """Return times and states at the steps, with the start in front."""
        last = int(self.count[stepper.RECORDED])
        times = [*self.times[:-1], self.times[-1][:last]]
        states = [*self.states[:-1], self.states[-1][:last]]
        return np.concatenate([[t], *times]), np.concatenate([y[None], *states])

    def reached(self) -> Array:
        """Return the states at those of the wanted times that were reached."""
        return self.sampled[: int(self.count[stepper.SAMPLED])]

    def between(self, t: float, h: float, y: Array, kept: Array, thetas: Array) -> Array:
        """Return states inside a recorded step, by repeating it."""
        A, b, c, _, dense = self.tableau
        into = np.zeros((len(thetas), 2 * self.n))
        control = self.control
        if self.choices:  # the one that was in force
            control = self._controls[max(0, int(np.searchsorted([at for at, _ in self.choices], t, side="right")) - 1)]
        count, k, vectors = self.count.copy(), np.zeros_like(self.k), np.zeros_like(self.vectors)  # a run may go on
        there = stepper.interpolate(
            self.address, self.size, A, b, c, dense, count, t, h, y, kept, k, vectors, self.given, self.out,
            self.work, control.copy(), thetas, into,
        )  # fmt: skip
        if not there:
            raise SimulationError(f"the step from t = {t:.6g} cannot be repeated")
        return into


def _dependent(A: Array, columns: Array) -> Array:
    """Return those of the columns that the rows of A determine best from the others."""
    if not len(A) or not len(columns):
        return np.zeros(0, dtype=int)
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    scaled = A[:, columns] / np.where(lengths > 0, lengths, 1.0)
    _, R, order = qr(scaled, mode="economic", pivoting=True)  # pyright: ignore[reportAssignmentType]
    size = np.abs(np.diag(R))
    return columns[order[: int(np.sum(size > 1e-8 * size[0]))]]
