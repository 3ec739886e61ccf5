"""The engine of explicit methods: what their stepper works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import SimulationError
from dalembert.motion import codes
from dalembert.motion.diagnosis import slowed
from dalembert.motion.engine import Engine, Steps
from dalembert.motion.entry import Stepper
from dalembert.motion.independent_choice import choose, is_objective
from dalembert.motion.method import Setup
from dalembert.motion.tableau import Tableau
from dalembert.motion.tools import ExplicitKernels, Record, Sizes, Tools, Workspace

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

_OFTEN = 16  # thousands of steps that come next to nowhere, after which the position is looked at, each time
_SINGULAR = 1e-6  # conditioning below which coordinates that are named do not determine the others
_KEEPINGS = {"none": codes.NO_KEEPING, "project": codes.PROJECT, "stabilise": codes.STABILISE}


class ExplicitEngine(Engine):
    """Steps with a tableau, in any form.

    What stabilisation adds to c is −a ψ − b g, its gains one row of a and one of b for the constraints in units of the
    step, and evaluated once per step; or what a kernel says, in every stage.
    """

    def __init__(self, kernels: Kernels, method: Tableau, setup: Setup):
        n, s = kernels.n, kernels.s
        complete = kernels.chooses and s > 0
        well = kernels.conditioning(*setup.state, setup.parameters) > codes.WELL
        kind, rate, guard = self._rates(kernels, setup, well)
        whole = (
            kernels.one_step(method, codes.WELL) if kind == codes.GUARDED and method.errors and not complete else None
        )
        group, numbers = setup.offsets or ("", np.zeros(0))
        self._named = setup.coordinates if complete else None
        self._objective = is_objective(kernels.system, self._named)
        self.named = () if self._objective else tuple(self._named or ())
        self._group = "objective" if self._objective else "dependent"
        self._directions: list[Array] = []
        chosen = n + s + (2 * n**2 if self._objective else 0)
        further = chosen if complete else s + len(numbers) if setup.keep == "stabilise" else 3 if whole else 0
        super().__init__(kernels, setup, further)
        # gains of stabilisation are in units of the step: one as short as leads across a switch would be a blow
        switches = None if setup.keep == "stabilise" else setup.switches
        none = ("core", "residuals")  # of what is not called
        names = {
            "rate": rate,
            "guard": guard,
            "position": ("core", "position_step"),
            "velocity": ("core", "velocity_step"),
            "momenta": (kernels.form, kernels.conversion) if kernels.conversion else none,
            "residuals": (group, "offsets") if group else ("core", "residuals"),
            "events": (self.watched, "expressions") if self.watched else none,
            "switches": (switches[0], "expressions") if switches else none,
            "positions": (self._group, "dependent_positions") if complete else none,
            "velocities": (self._group, "dependent_velocities") if complete else none,
            "whole": (whole, "step") if whole else none,
        }
        self.switches = np.zeros((2, switches[1] if switches else 0))
        self.address = self.load(ExplicitKernels, names)
        self.size = Sizes(
            n,
            s,
            setup.units,
            kind,
            _KEEPINGS[setup.keep],
            frozen=int(not group),
            offsets=1 + 2 * n + len(setup.parameters),
            complete=int(complete),
            one=int(whole is not None),
            brought=int(s > 0 and not well and not complete and setup.keep == "project"),
        )
        self.given[len(self.given) - len(numbers) :] = numbers
        self.control = np.zeros((2, max(s, 1))) if setup.gains is None else setup.gains
        self.tableau, self.order = method.arrays, method.order
        self._rows = len(method.times) + (0 if method.dense else 1)
        self._room = self._workspace()
        self._steps, self._inside = Stepper("runge_kutta", "advance"), Stepper("dense", "inside")
        self._controls: list[Array] = []
        self._own: Tools | None = None
        self._spare: tuple[Tools, Workspace] | None = None
        self._slow = 0  # how often many steps came to little
        if complete:
            self.choose(*setup.state)

    @staticmethod
    def _rates(kernels: Kernels, setup: Setup, well: bool) -> tuple[int, tuple, tuple]:
        """Choose the kernel of the rates, and the one that steps in where it is not good enough."""
        safe = ("core", "accelerations")
        if setup.keep == "stabilise":
            return codes.ACCELERATIONS, ("stabilised", "stabilised"), safe
        if kernels.conversion:
            return codes.CANONICAL, (kernels.form, kernels.form), safe
        if not kernels.shared and not kernels.chooses:
            return codes.OWN, (kernels.form, kernels.form), safe
        if well:
            return codes.GUARDED, ("direct", "direct"), safe
        return codes.ACCELERATIONS, safe, safe

    def choose(self, t: float, q: Array, v: Array) -> None:
        """Choose independent coordinates at a state: those that are named, or determine the others best."""
        system, n, s = self.kernels.system, self.n, self.kernels.s
        first = 1 + 2 * n + len(system.parameters)
        state = np.concatenate([[t], q, v, self.given[1 + 2 * n : first]])
        A = np.zeros((s, n))
        A[tuple(np.transpose(self.kernels.facts("dependent")["pattern"]))] = self.kernels.run(
            "dependent", "entries", state[None]
        )[0]
        units = self.size.units.reshape(2, n)
        self.control = np.zeros((3, max(n + s, 4)))
        self.control[:2, :n] = -units
        found = choose(system, A, units[0], self._named)
        if self._objective:
            self._directions.append(np.concatenate([level.W.ravel() for level in found]))
            self.given[first : first + 2 * n**2] = self._directions[-1]
        for row, (level, name) in enumerate(zip(found, ("dependent_positions", "dependent_velocities"), strict=True)):
            self.control[row, level.columns] = units[row, level.columns]
            self.control[row, n + level.rows] = 1.0
            inputs = np.concatenate([state, *self._directions[-1:], self.control[row, : n + s]])
            well = self.kernels.run(self._group, name, inputs[None])[0, n + s + 1]
            self.control[2, 2 + row] = well if not self.named else _SINGULAR
        self.choices.append((t, found[1].words))
        self._controls.append(self.control)

    def choose_again(self) -> bool:
        """Choose at the present state; tell whether the motion can go on: not if it was tried here, or all is named."""
        t = float(self.clock.t)
        if self.choices[-1][0] == t or self.named:
            return False
        self.choose(t, self.y[: self.n].copy(), self.y[self.n :].copy())
        return True

    def _workspace(self) -> Workspace:
        return Workspace(np.zeros((self._rows, 2 * self.n)), *np.zeros((3, 2 * self.n)))

    def _advance(self, steps: int) -> int:
        if self._own is None or self.size.fixed != self.fixed or self._own.control is not self.control:
            self.size = self.size._replace(fixed=int(self.fixed))
            self._own = self.tools(self.count, self.control)  # the same object again costs a call nothing
        record = Record(self.wanted, self.sampled, self.times[-1], self.states[-1])
        status = self._steps(
            self.tableau, self._own, self.clock, self.y, self._room, record, self.events, self.switches, steps
        )
        if status != codes.SLOW:
            return status
        self._slow += 1
        return slowed(self, self._slow, _OFTEN)

    def repeated(self, steps: Steps, ends: Array, thetas: Array) -> Array:
        """Return states inside recorded steps, by repeating them in one call, or one for each choice of coordinates."""
        if not self.choices:
            return self._repeated(steps, ends, thetas, self.control)
        into = np.empty((len(thetas), 2 * self.n))
        starts = np.concatenate([[0], ends])[:-1]
        chosen = np.searchsorted([t for t, _ in self.choices], steps.times, side="right") - 1
        chosen = np.maximum(chosen, 0)
        for choice in np.unique(chosen):  # the one that was in force
            here = np.flatnonzero(chosen == choice)
            counts = ends[here] - starts[here]
            places = np.concatenate([np.arange(*pair) for pair in zip(starts[here], ends[here], strict=True)])
            part = Steps(*(field[here] for field in steps))
            self._put(choice)
            into[places] = self._repeated(part, np.cumsum(counts), thetas[places], self._controls[choice])
        self._put(-1)
        return into

    def _put(self, choice: int) -> None:
        """Give kernels the directions of a choice."""
        if self._directions:
            first = 1 + 2 * self.n + len(self.kernels.system.parameters)
            self.given[first : first + 2 * self.n**2] = self._directions[choice]

    def _repeated(self, steps: Steps, ends: Array, thetas: Array, control: Array) -> Array:
        into = np.zeros((len(thetas), 2 * self.n))
        parts = [np.ascontiguousarray(part) for part in (*steps, ends, thetas)]
        found = self._inside(self.tableau, *self._aside(control), *parts, into)
        if found < len(steps.times):
            raise SimulationError(f"the step from t = {steps.times[found]:.6g} cannot be repeated")
        return into

    def _aside(self, control: Array) -> tuple[Tools, Workspace]:
        """Return what a stepper works with beside a run that may go on: the same objects, which cost a call nothing."""
        if self._spare is None or self._spare[0].size is not self.size or self._spare[0].control.shape != control.shape:
            self._spare = self.tools(self.count.copy(), control.copy()), self._workspace()
        tools, room = self._spare
        tools.counts.take(self.count)
        tools.control[:] = control
        for part in room:
            part.fill(0.0)
        return tools, room

    def ends(self, times: Array, lengths: Array, starts: Array) -> Array:
        """Take single steps from some states, each alone, and return where they end before anything is kept."""
        into = np.zeros_like(starts)
        parts = [np.ascontiguousarray(part) for part in (times, lengths, starts)]
        found = Stepper("dense", "ends")(self.tableau, *self._aside(self.control), *parts, into)
        if found < len(times):
            raise SimulationError(f"no step can be taken from t = {times[found]:.6g}")
        return into
