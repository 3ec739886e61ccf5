"""The check of a mechanism: that of a system, told by joints and bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, has_values
from dalembert.errors import Problem, quoted
from dalembert.language.building import Expr
from dalembert.model.mechanism.companion import absolute_inputs
from dalembert.model.mechanism.gravity import OWN
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.survey.check import Examination
from dalembert.survey.configurations import Configuration
from dalembert.survey.mechanism.fit import misfits, moved, stretched
from dalembert.survey.mechanism.held import unheld
from dalembert.survey.mechanism.words import repeated_conditions
from dalembert.survey.redundancy import Redundancy
from dalembert.survey.start import State

MOVES = 1e-3  # part of the largest: what has a part in a motion


class MechanismExamination(Examination):
    """Examines a mechanism."""

    def __init__(self, system: Mechanism):
        super().__init__(system)
        self.mechanism = system

    def start(self, numeric: Numeric) -> Configuration | None:
        """Find the initial state, and say how far the bodies are from where they were placed."""
        start = super().start(numeric)
        self.gravity()
        if self.state is not None:
            for note in moved(*self.placed(numeric, self.state)):
                self.report("note", note.text, *note.key)
            for problem in stretched(self.mechanism, numeric, self.state):
                self.report("warning", problem.text, *problem.key)
            for problem in self.misfits(numeric, self.state):
                self.report("error", problem.text, *problem.key)
        return start

    def gravity(self) -> None:
        """Say which gravity acts where the model has a g, of which other things are made too."""
        name, mechanism = self.mechanism.default_gravity, self.mechanism
        if name not in ("", OWN) and OWN in mechanism.parameters:
            down = ", ".join([*["0"] * (mechanism.dimensions - 1), f'"-{OWN}"'])
            text = f"gravity is not given: it is the parameter `{name}` = {mechanism.parameters[name]}, downwards"
            self.report("note", f"{text}; write gravity = [{down}] if it is your `{OWN}`", "mechanism", "gravity")

    def placed(self, numeric: Numeric, state: State) -> tuple[Mechanism, Numeric, Array, Mapping[str, Expr]]:
        """Return the mechanism in the coordinates of its bodies, where they are, and where they were placed."""
        if self.mechanism.by == ABSOLUTE:
            return self.mechanism, numeric, state.q, self.mechanism.guess
        other = self.mechanism.absolute
        row = absolute_inputs(self.mechanism, np.concatenate([[state.t], state.q, state.v, numeric.parameters]))
        values = dict(zip(other.parameters, numeric.parameters, strict=True))
        return other, Numeric(other, values), row[1 : 1 + len(other.coordinates)], other.guess

    def misfits(self, numeric: Numeric, state: State) -> list[Problem]:
        """Find what does not fit in the assembled position; random parameters need not fit."""
        return misfits(self.mechanism, numeric, state) if has_values(self.system) else []

    def held(self, numeric: Numeric, places: Sequence[Configuration]) -> None:
        """Name joints whose conditions are not what they say, as other joints do not hold what they should."""
        for problem in unheld(self.mechanism, numeric, places):
            self.report("warning", problem.text, *problem.key)

    def no_inertia(self, eigenvalue: float, direction: Array) -> str:
        """Say which body turns without inertia between two ball joints; else it is said by coordinates."""
        sizes, mechanism = np.abs(direction), self.mechanism
        moving = {name for name, size in zip(mechanism.coordinates, sizes, strict=True) if size > MOVES * sizes.max()}
        bodies = [body.name for body in mechanism.bodies.values() if moving & {*body.coordinates}]
        joints = [joint for joint in mechanism.joints.values() if {*bodies} & {*joint.bodies}]
        balls = len(joints) == 2 and all(joint.kind == "spherical" for joint in joints)
        if eigenvalue < -1e-10 or len(bodies) != 1 or not balls:
            return super().no_inertia(eigenvalue, direction)
        return (
            f"`{bodies[0]}` can turn about the line through its joints {quoted(joint.name for joint in joints)}, and "
            "has no inertia against that: the accelerations are not determined. Give it a moment of inertia, put a "
            "`universal` pair in place of one of the joints, or a `rod` in place of all three"
        )

    def redundant(self, redundancies: Sequence[Redundancy], numeric: Numeric, places: Sequence[Configuration]) -> None:
        """Report by joint what is repeated, what to do, and what it means for the mobility."""
        found = self.mechanism.mobility()
        if self.mechanism.by != ABSOLUTE:
            super().redundant(redundancies, numeric, places)
            if found.reasons:
                self.report("note", str(found), "joints")
            return
        if found.freedom == 0 and (stuck := self.mechanism.explain_misfit(numeric, places[0].t, places[0].q)):
            self.report("warning", f"nothing can move. {stuck}", "joints")
            return
        for text, key in repeated_conditions(self.mechanism, redundancies, numeric, places, found):
            self.report("note", text, *key)
        if found.reasons:
            self.report("note", str(found), "joints")
