"""The mechanism: bodies, and what joins and moves them. It is a System, made from its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import table
from dalembert.arrays import Array
from dalembert.errors import ModelError, Problem, counted, nearest, quoted
from dalembert.model.changes import merge_entries, merge_tables
from dalembert.model.drawing import Drawing
from dalembert.model.facts import STRUCTURE
from dalembert.model.initial import InitialValue, Measure
from dalembert.model.mechanism.assembly import Assembly, all_initial, sections
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.drives import Drive
from dalembert.model.mechanism.elements import ELEMENTS
from dalembert.model.mechanism.elements.load import Load
from dalembert.model.mechanism.elements.spring import Actuator, Damper, Spring
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.judgements import Judgements
from dalembert.model.mechanism.tables import GROUND
from dalembert.model.mechanism.vectors import Vector
from dalembert.model.reading import Given
from dalembert.model.system import VALUES, System
from dalembert.model.tomlscan import Source
from dalembert.model.variants import in_numbers, take_over

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric
    from dalembert.document.nodes import Section
    from dalembert.forms.release import Release
    from dalembert.results.joints import JointForce
    from dalembert.survey.check import Examination
    from dalembert.survey.mechanism.kinematics import Kinematics
    from dalembert.survey.mechanism.mobility import Mobility
    from dalembert.survey.mechanism.transmission import Transmission
    from dalembert.survey.start import State

ADDED = ("coordinates", "kinetic", "potential", "constraints", "drawing", "name")  # to bodies and joints


def parts_of() -> tuple[str, ...]:
    """Return what a mechanism is made of, by the names of its arguments."""
    return (*VALUES, *sections(), "dimensions", "gravity", *ADDED)


@dataclass(frozen=True, init=False)
class Mechanism(System):
    """A mechanism in the plane or in space: a System whose equations come from bodies and joints. Immutable.

    Tables by name, with the keys of model files (docs/mechanisms.md); lengths in m, masses in kg, times in s:

    bodies: mass, inertia, place in the assembled position, velocity at the start, named points and frames.
    joints: kind of pair, bodies, points, axis.
    springs, dampers, actuators, loads: forces between bodies, in joints, and from outside.
    drives: joints whose coordinate or speed is a function of time.
    dimensions: 2 or 3. gravity: acceleration as a vector; default 9.81 m/s² along −y, in space along −z.

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

    dimensions: int
    gravity: Vector
    tables: Mapping[str, Mapping[str, Any]]  # of all elements, as they were read
    own: Given  # what the user added
    bodies: Mapping[str, Body] = field(compare=False, repr=False)
    joints: Mapping[str, Joint] = field(compare=False, repr=False)
    drives: Mapping[str, Drive] = field(compare=False, repr=False)
    elements: Mapping[str, Mapping[str, Any]] = field(compare=False, repr=False)  # by section, `springs` and so on
    judged: Judgements = field(compare=False, repr=False)  # what was said of the values of its parameters

    def __init__(
        self,
        bodies: Mapping[str, Any] | None = None,
        joints: Mapping[str, Any] | None = None,
        *,
        springs: Mapping[str, Any] | None = None,
        dampers: Mapping[str, Any] | None = None,
        actuators: Mapping[str, Any] | None = None,
        loads: Mapping[str, Any] | None = None,
        drives: Mapping[str, Any] | None = None,
        dimensions: int = 2,
        gravity: Any = None,
        coordinates: Any = (),
        kinetic: Any = None,
        potential: Any = None,
        forces: Mapping[Any, Any] | None = None,
        constraints: Mapping[str, Any] | Iterable[Any] = (),
        parameters: Mapping[Any, Any] | None = None,
        initial: Mapping[Any, Any] | None = None,
        guess: Mapping[Any, Any] | None = None,
        simulation: Mapping[str, Any] | None = None,
        drawing: Drawing | Mapping[str, Any] | None = None,
        name: str = "",
        define: Mapping[str, str] | None = None,
        symbols: Mapping[str, Any] | None = None,
        source: Source | None = None,
        **further: Mapping[str, Any] | None,
    ) -> None:
        given = Given(
            coordinates=coordinates,
            kinetic=kinetic,
            potential=potential,
            mass=None,
            force=None,
            forces={} if forces is None else forces,
            constraints=constraints,
            parameters={} if parameters is None else parameters,
            initial={} if initial is None else initial,
            guess={} if guess is None else guess,
            simulation={} if simulation is None else simulation,
            drawing=drawing,
            name=name,
            define={} if define is None else define,
            symbols={} if symbols is None else symbols,
        )
        tables = {
            "dimensions": dimensions,
            "gravity": gravity,
            "bodies": bodies,
            "joints": joints,
            "springs": springs,
            "dampers": dampers,
            "actuators": actuators,
            "loads": loads,
            "drives": drives,
            **further,
        }
        for key in further:
            if key not in ELEMENTS:
                raise ModelError(f"a mechanism has no `{str(key)[:60]}`; {nearest(str(key), parts_of(), 'parts')}")
        for key, value in Assembly(given, tables).fields().items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "source", source)

    def replace(self, **changes: Any) -> Mechanism:
        """Make a variant of the mechanism: `crane.replace(bodies={"load": {"mass": 85, "spin": None}})`.

        Values by name (`parameters`, `initial`, `guess`, `forces`, `simulation`) and the tables of parts are changed
        entry by entry, and the others stay; None takes an entry or a part away. A joint whose `kind` is given is a new
        one. Energies, constraints and coordinates are those that were added to the bodies; they, and all else, are put
        in place of what was there.
        """
        for name in changes:
            if name not in parts_of():
                raise ModelError(f"a mechanism has no `{name}`; {nearest(name, parts_of(), 'parts')}")
        if variant := in_numbers(self, changes):
            return variant
        given: dict[str, Any] = {key: getattr(self.own, key) for key in (*VALUES, *ADDED)}
        given |= {"parameters": self.parameters, "dimensions": self.dimensions, "gravity": self.gravity}
        given |= self.tables
        for name, change in changes.items():
            if name in sections():
                change = merge_tables(name, given[name], table(name, change))
            elif name == "initial":
                given["bodies"], present = self._freed(given["bodies"], table(name, change))
                change = self._changed(name, present, change)
            elif name in VALUES:
                change = self._changed(name, given[name], change)
            given[name] = change
        variant = Mechanism(**given, symbols=self.symbols, source=self.source)
        take_over(variant, self)
        return variant

    def numbers(self, part: str, change: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the fields that other numbers change, if the equations were not read with the old ones."""
        found = super().numbers(part, change)
        if found is None or (part == "parameters" and not self.judged.hold(change, found[part])):
            return None
        if part == "parameters":
            return found
        own = {**getattr(self.own, part), **{name: found[part][name] for name in change}}
        if part == "initial":
            found[part] = all_initial(self.bodies.values(), self.dimensions, own)
        return found | {"own": replace(self.own, **{part: MappingProxyType(own)})}

    def _freed(self, bodies: Mapping[str, Any], change: Mapping[Any, Any]) -> tuple[Mapping[str, Any], dict[str, Any]]:
        """Return the tables of bodies without velocities that are taken away, and initial values with the others."""
        taken = {self._key(key) for key, value in change.items() if value is None} - self.own.initial.keys()
        initial, bodies = dict(self.own.initial), dict(bodies)
        for body in self.bodies.values():
            rates = [f"{name}'" for name in body.coordinates[self.dimensions :] if self.dimensions == 3]
            own = bodies.get(body.name, {})
            if own.get("spin") is not None and (wrong := sorted(taken.intersection(rates))):
                text = f"`{wrong[0]}` is no initial value: it follows from `spin` of body `{body.name}`"
                raise ModelError(f'{text}; take that away by bodies={{"{body.name}": {{"spin": None}}}}')
            for entry, values in body.given.items():
                if values.keys() & taken and own.get(entry) is not None:
                    bodies[body.name] = own = merge_entries(own, {entry: None})
                    initial = {name: value for name, value in values.items() if name not in taken} | initial
        return bodies, initial

    def _names_of_values(self, part: str) -> Sequence[str]:
        """Return of what initial values or guesses can be given."""
        return (*super()._names_of_values(part), *(self._measures if part == "initial" else ()))

    # --- what pushes -------------------------------------------------------------------------------------------------

    @property
    def springs(self) -> Mapping[str, Spring]:
        """The springs by name."""
        return self.elements["springs"]

    @property
    def dampers(self) -> Mapping[str, Damper]:
        """The dampers by name."""
        return self.elements["dampers"]

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """The actuators by name."""
        return self.elements["actuators"]

    @property
    def loads(self) -> Mapping[str, Load]:
        """The loads by name."""
        return self.elements["loads"]

    # --- words -------------------------------------------------------------------------------------------------------

    @property
    def owners(self) -> Mapping[str, tuple[str, str]]:
        """Section and name of the part to which each condition belongs, as ("joints", "A")."""
        return self.survey.find(STRUCTURE, ("owners",), self._owners)

    def _owners(self) -> Mapping[str, tuple[str, str]]:
        found = {constraint.name: ("constraints", constraint.name) for constraint in self.constraints}
        for name, body in self.bodies.items():
            found |= {f"{name}.{key}": ("bodies", name) for key in body.conditions}
        for section, parts in (("joints", self.joints), ("drives", self.drives)):
            for name, part in parts.items():
                found |= dict.fromkeys(part.conditions, (section, name))
        return found

    def entry(self, constraint: str) -> tuple[str, ...]:
        """Return the entry of a model file to which a constraint belongs."""
        return self.owners.get(constraint, ("constraints", constraint))

    @property
    def _measures(self) -> dict[str, Measure]:
        from dalembert.model.mechanism.measures import find_measures

        return self.survey.find(
            STRUCTURE, ("measures",), lambda: find_measures(self.bodies.values(), self.joints.values())
        )

    def measure(self, name: str) -> Measure:
        """Return of what an initial value is given: a coordinate, a velocity, `A.angle` of a joint, a spin."""
        return super().measure(name) if name.rstrip("'") in self.coordinates else self._measures[name]

    def initial_values(self, values: Mapping[str, float]) -> list[InitialValue]:
        """Return initial values as the user gave them: the velocity and the spin of a body each as one."""
        items, single = [], dict(values)
        for body in self.bodies.values():
            for entry, given in body.given.items():
                if given.keys() <= values.keys() - self.own.initial.keys():
                    label, key = f"`{entry}` of body `{body.name}`", ("bodies", body.name, entry)
                    items.append(InitialValue(label, key, {name: single.pop(name) for name in given}))
        return [*items, *super().initial_values(single)]

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
        from dalembert.survey.given import given_values
        from dalembert.survey.mechanism.closure import extent, units_of

        near = given_values(numeric, self.guess)
        return units_of(self, extent(self, numeric, np.array([near.get(name, 0.0) for name in self.coordinates])))

    def document(self) -> Section:
        """Return what the mechanism consists of, as it is shown."""
        from dalembert.model.mechanism.description import mechanism_document

        return mechanism_document(self)

    def __repr__(self) -> str:
        bodies = counted(sum(name != GROUND for name in self.bodies), "body", "bodies")
        others = [
            counted(len(self.joints), "joint"),
            counted(len(self.coordinates), "coordinate"),
            counted(len(self.constraints), "condition"),
        ]
        return f"<Mechanism {self.name!r}: {', '.join([bodies, *others])}>"

    # --- variants ----------------------------------------------------------------------------------------------------

    def system(self) -> System:
        """Return the equations of the mechanism as a plain system, without its bodies and joints."""
        parts = {f.name: getattr(self, f.name) for f in fields(System) if f.name not in ("mass", "force", "initial")}
        return System(**parts, initial=self._plain_initial)

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

    def without(self, *names: str) -> System:
        """Return the system without some joints (`A`), drives, or conditions of them (`A.y`)."""
        return self.system().without(*self.conditions_of(*names))

    def conditions_of(self, *names: str) -> list[str]:
        """Return the names of the conditions of joints and drives; a condition stands for itself."""
        parts, known = self.survey.find(STRUCTURE, ("conditions by part",), self._conditions)
        for name in names:
            if not isinstance(name, str) or name not in known:
                raise ModelError(f"no joint, drive or condition `{str(name)[:60]}`; {nearest(str(name), known)}")
        return list(dict.fromkeys(condition for name in names for condition in parts.get(name, [name])))

    def _conditions(self) -> tuple[dict[str, list[str]], dict[str, None]]:
        """Return the conditions of joints and drives, and all names that there are."""
        parts: dict[str, list[str]] = {}
        for part in (*self.joints.values(), *self.drives.values()):
            parts.setdefault(part.name, []).extend(part.conditions)
        return parts, dict.fromkeys([*parts, *(constraint.name for constraint in self.constraints)])

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

        return release(self, *names)

    # --- reactions ---------------------------------------------------------------------------------------------------

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
        from dalembert.results.joints import Joints

        if q is None or v is None:
            start = self.start()
            q, v = start.q if q is None else q, start.v if v is None else v
        kernels = self.compile()
        solution = kernels.accelerations(t, q, v, parameters)
        return Joints(self, kernels.inputs(t, q, v, parameters), solution).force(names, on, axes, at)

    # --- without dynamics --------------------------------------------------------------------------------------------

    def examination(self) -> Examination:
        """Return what examines a mechanism: what repeats or contradicts other things is told by joint."""
        from dalembert.survey.mechanism.check import MechanismExamination

        return MechanismExamination(self)

    def explain_contradiction(self, numeric: Numeric, t: float, q: Array, names: list[str]) -> Problem | None:
        """Say which joint stays open, and by how much, if the parts cannot be assembled."""
        from dalembert.survey.mechanism.fit import open_joint

        return open_joint(self, numeric, t, q, names)

    def assemble(self, guess: Mapping[Any, Any] | None = None) -> State:
        """Bring the bodies together from a rough guess of their coordinates, and note how far they had to be moved.

        What is not guessed starts from where the bodies are placed; initial positions stay fixed.
        """
        from dalembert.survey.mechanism.fit import assemble

        return assemble(self, table("guess", guess))

    def kinematics(self, times: Any) -> Kinematics:
        """Return positions, velocities and accelerations at some times of a mechanism that drives determine."""
        from dalembert.survey.mechanism.kinematics import kinematics

        return kinematics(self, times)

    def mobility(self) -> Mobility:
        """Count the degrees of freedom, find the true ones, and say why they differ; drives are left aside."""
        from dalembert.survey.mechanism.mobility import mobility

        return mobility(self)

    def transmission(self, input: str, output: str, samples: int = 360) -> Transmission:
        """Follow an output against an input, by joints (`A`, `A.angle`) or coordinates, over a full turn of the input.

        If the input cannot turn round, over the whole path of the mechanism, through its dead points.
        """
        from dalembert.survey.mechanism.transmission import transmission

        return transmission(self, input, output, samples)
