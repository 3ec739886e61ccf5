"""The mechanism: bodies, and what joins and moves them. It is a System, made from its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import table
from dalembert.arrays import Array
from dalembert.errors import ModelError, Problem, counted, quoted
from dalembert.language.state_names import is_integral
from dalembert.model.contact import plain_contacts
from dalembert.model.friction import plain_frictions, without_frictions
from dalembert.model.mechanism.built import Built
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.model.system import System

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric
    from dalembert.document.nodes import Section
    from dalembert.forms.release import Release
    from dalembert.results.joint_forces import JointForce
    from dalembert.survey.check import Examination
    from dalembert.survey.mechanism.kinematics import Kinematics
    from dalembert.survey.mechanism.mobility import Mobility
    from dalembert.survey.mechanism.transmission import Transmission
    from dalembert.survey.start import State


class Mechanism(Built):
    """A mechanism in the plane or in space: a System whose equations come from bodies and joints. Immutable.

    Tables by name, with the keys of model files (docs/mechanisms.md); lengths in m, masses in kg, times in s:

    bodies: mass, inertia, place in the assembled position, velocity at the start, named points and frames.
    joints: kind of pair, bodies, points, axis.
    springs, dampers, actuators, loads: forces between bodies, in joints, and from outside.
    drives: joints whose coordinate or speed is a function of time.
    dimensions: 2 or 3. gravity: acceleration as a vector; default the parameter g = 9.81 m/s² along −y, in space
    along −z.

    Everything else is added to what the bodies and joints give: own coordinates, energies, forces, constraints,
    parameters, initial values and guesses, as in a System. A body `b` has the coordinates x_b, y_b, phi_b of its
    centre of mass in the plane, and x_b, y_b, z_b, e0_b … e3_b (Euler parameters) in space.

    >>> pendulum = Mechanism(
    ...     bodies={"rod": {"mass": "m", "inertia": "m*l^2/12", "at": ["l/2", 0]}},
    ...     joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
    ...     parameters={"m": 1, "l": 2},
    ... )
    >>> [constraint.name for constraint in pendulum.constraints]
    ['A.x', 'A.y']
    """

    # --- words -------------------------------------------------------------------------------------------------------

    def explain(self, constraints: Sequence[str]) -> tuple[str, str]:
        """Say in words that conditions cannot hold, and what to do."""
        owners = dict.fromkeys(self.owners[name] for name in constraints)
        if drives := [name for section, name in owners if section == "drives"]:
            from dalembert.survey.mechanism.fit import explain_drives

            return explain_drives(self, drives)
        words = []
        for section, name in owners:
            if section == "joints":
                joint = self.joints[name]
                words.append(f"joint `{name}` ({joint.kind}, {quoted(joint.bodies)})")
            else:
                words.append(f"{'body' if section == 'bodies' else 'constraint'} `{name}`")
        advice = "Check the points and lengths there, and where the bodies are placed"
        return f"the parts cannot be assembled at {', '.join(words)}", advice

    def units(self, numeric: Numeric) -> Array:
        """Return the size of the mechanism for lengths, and what corresponds to a radian for what turns."""
        from dalembert.survey.initial_numbers import given_values
        from dalembert.survey.mechanism.closure import extent, units_of

        near = given_values(numeric, self.guess)
        return units_of(self, extent(self, numeric, [near.get(name, 0.0) for name in self.coordinates]))

    def document(self) -> Section:
        """Return what the mechanism consists of, as it is shown."""
        from dalembert.model.mechanism.mechanism_document import mechanism_document

        return mechanism_document(self.written)

    def __repr__(self) -> str:
        bodies = counted(sum(name != GROUND for name in self.bodies), "body", "bodies")
        others = [
            counted(len(self.joints), "joint"),
            counted(len(self.coordinates), "coordinate"),
            counted(len(self.constraints), "condition"),
        ]
        return f"<Mechanism {self.name!r}: {', '.join([bodies, *others])}>"

    # --- variants ----------------------------------------------------------------------------------------------------

    @property
    def absolute(self) -> Mechanism:
        """The mechanism in the coordinates of its bodies; itself, if these are its own."""
        from dalembert.model.mechanism.companion import companion

        return self if self.by == ABSOLUTE else companion(self)

    def system(self) -> System:
        """Return the equations of the mechanism as a plain system, without its bodies and joints."""
        if self.defined:
            _ = self.blocks  # of a long tree there are no formulas, and it says so
        left = ("mass", "force", "initial", "own", "sections", "calls")
        parts = {f.name: getattr(self, f.name) for f in fields(System) if f.name not in left}
        parts["coordinates"] = self.coordinates[: self.mechanical]
        parts["forces"] = {name: force for name, force in without_frictions(self).items() if not is_integral(name)}
        tables = self.put_sections(self.meant)
        tables |= {"friction": plain_frictions(self, self.meant)} if self.frictions else {}
        tables |= {"contacts": plain_contacts(self, self.meant)} if self.contacts else {}
        return System(**parts, initial=self._plain_initial, **tables)

    @cached_property
    def _plain_initial(self) -> Mapping[str, Any]:
        """Initial values without those of joints and spins: where there are such, of the state that belongs to them."""
        names = {*self.coordinates, *self.velocities}
        plain = {name: value for name, value in self.initial.items() if name in names}
        if len(plain) == len(self.initial) or None in self.parameters.values():
            return plain
        try:
            return plain | self.start().as_dict()
        except ModelError:  # what contradicts itself has no state
            return plain

    @property
    def placed(self) -> Mechanism:
        """The mechanism in the coordinates of its bodies, each where it is at the start, if there is such a state."""
        if self.by == ABSOLUTE:
            return self
        from dalembert.model.mechanism.companion import absolute_inputs

        other = self.absolute
        if None in self.parameters.values():
            return other
        try:
            start = self.start()
        except ModelError:  # what contradicts itself has no state
            return other
        row = np.array([start.t, *start.q, *start.v, *self.parameters.values()], dtype=float)
        found = zip(other.coordinates, absolute_inputs(self, row)[1:], strict=False)
        return other.replace(guess={name: float(x) for name, x in found if not is_integral(name)})

    def without(self, *names: str) -> System:
        """Return the system without some joints (`A`), drives, or conditions of them (`A.y`)."""
        return self.absolute.system().without(*self.conditions_of(*names))

    def release(self, *names: str) -> Release:
        """Release joints (`A`), drives or conditions (`A.y`): the freed system, and their reactions as formulas.

        >>> block = Mechanism(
        ...     bodies={"block": {"mass": "m", "inertia": 1}},
        ...     joints={"guide": {"kind": "prismatic", "bodies": ["ground", "block"], "at": [0, 0], "axis": [1, 0]}},
        ...     gravity=[0, "-g"],
        ...     parameters={"m": 2, "g": 9.81},
        ... )
        >>> block.release("guide").multipliers
        {'guide.normal': g*m, 'guide.angle': 0}
        """
        from dalembert.forms.joint_release import release

        return release(self.written.absolute, *names)

    # --- reactions ---------------------------------------------------------------------------------------------------

    @property
    def reacting(self) -> tuple[str, ...]:
        """The conditions of whose multipliers something can be asked: those of all joints, also where these carry."""
        return tuple(constraint.name for constraint in self.absolute.constraints)

    @property
    def kinds(self) -> Sequence[Mapping[str, Any]]:
        """The parts of which quantities can be asked; joints as they hold bodies, also where they carry them."""
        first, *others = super().kinds
        if self.by == ABSOLUTE:
            return first, *others
        bodies = self.absolute.bodies if self.defined else self.bodies  # in symbols that can be differentiated
        return self._carrying, self.absolute.joints, *others[:-1], bodies

    @cached_property
    def _carrying(self) -> dict[str, Any]:
        """Joints that carry bodies, with their coordinates, which are those of the mechanism."""
        return {name: SimpleNamespace(quantities=joint.measured) for name, joint in self.joints.items() if joint.own}

    def joint_force(
        self,
        names: str | Sequence[str],
        on: str | None = None,
        axes: str = "world",
        at: Any = None,
        *,
        t: Any = 0.0,
        q: Any = None,
        v: Any = None,
        parameters: Any = None,
    ) -> JointForce:
        """Return force and moment of a joint or drive on a body, at one state or many; without q and v at the start.

        As `run.joint`, which gives them along a motion.

        >>> block = Mechanism(
        ...     bodies={"block": {"mass": 2, "inertia": 1}},
        ...     joints={"guide": {"kind": "prismatic", "bodies": ["ground", "block"], "at": [0, 0], "axis": [1, 0]}},
        ... )
        >>> block.joint_force("guide").force.round(3).tolist()
        [0.0, 19.62]
        """
        from dalembert.results.joint_forces import Joints

        if q is None or v is None:
            start = self.start()
            q, v = start.q if q is None else q, start.v if v is None else v
        kernels = self.compile()
        inputs = kernels.inputs(t, q, v, parameters)
        return Joints(self, inputs, kernels.solved(inputs)).force(names, on, axes, at)

    # --- without dynamics --------------------------------------------------------------------------------------------

    def examination(self) -> Examination:
        """Return what examines a mechanism: what repeats or contradicts other things is told by joint."""
        from dalembert.survey.mechanism.mechanism_check import MechanismExamination

        return MechanismExamination(self)

    def explain_misfit(self, numeric: Numeric, t: float, q: Array) -> str:
        """Say which joint repeats conditions of others up to rounding, so that the parts are stuck."""
        from dalembert.survey.mechanism.easing import nearly_fitting

        return nearly_fitting(self, numeric, t, q, list(self.joints)) if self.by == ABSOLUTE else ""

    def explain_contradiction(self, numeric: Numeric, t: float, q: Array, names: list[str]) -> Problem | None:
        """Say which joint stays open, and by how much, if the parts cannot be assembled."""
        from dalembert.survey.mechanism.fit import open_joint

        return open_joint(self, numeric, t, q, names) if self.by == ABSOLUTE else None

    def assemble(self, guess: Mapping[Any, Any] | None = None) -> State:
        """Bring the bodies together from a rough guess of their coordinates, and note how far they had to be moved.

        What is not guessed starts from where the bodies are placed; initial positions stay fixed.
        """
        from dalembert.survey.mechanism.fit import assemble

        return assemble(self.placed, table("guess", guess))

    def kinematics(self, times: Any) -> Kinematics:
        """Return positions, velocities and accelerations at some times of a mechanism that drives determine."""
        from dalembert.survey.mechanism.kinematics import kinematics

        return kinematics(self.placed, times)

    def mobility(self) -> Mobility:
        """Count the degrees of freedom, find the true ones, and say why they differ; drives are left aside."""
        from dalembert.survey.mechanism.mobility import mobility

        return mobility(self.placed)

    def transmission(self, input: str, output: str, samples: int = 360) -> Transmission:
        """Follow an output against an input, by joints (`A`, `A.angle`) or coordinates, over a full turn of the input.

        If the input cannot turn round, over the whole path of the mechanism, through its dead points.
        """
        from dalembert.survey.mechanism.transmission import transmission

        return transmission(self.placed, input, output, samples)
