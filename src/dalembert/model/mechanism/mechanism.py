"""The mechanism: bodies, and what joins and moves them. It is a System, made from its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError, Problem, nearest, quoted
from dalembert.model.drawing import Drawing
from dalembert.model.mechanism.assembly import SECTIONS, Assembly
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.drives import Drive
from dalembert.model.mechanism.elements.load import Load
from dalembert.model.mechanism.elements.spring import Actuator, Spring
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.tables import GROUND
from dalembert.model.mechanism.vectors import Vector
from dalembert.model.numeric import Numeric
from dalembert.model.pilot import pilot_parameters
from dalembert.model.reading import Given
from dalembert.model.start import State, given_values
from dalembert.model.system import Source, System

if TYPE_CHECKING:
    from dalembert.forms.release import Release
    from dalembert.model.check import Check
    from dalembert.results.joints import JointForce

MOVED = 1e-6  # against the size of the mechanism, or in radians: below it a body is where it was placed
MERGED = ("parameters", "initial", "guess", "forces", *SECTIONS)
REPLACED = ("dimensions", "gravity", "coordinates", "kinetic", "potential", "constraints")
PARTS = (*MERGED, *REPLACED, "simulation", "drawing", "name")


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
    springs: Mapping[str, Spring] = field(compare=False, repr=False)
    dampers: Mapping[str, Spring] = field(compare=False, repr=False)
    actuators: Mapping[str, Actuator] = field(compare=False, repr=False)
    loads: Mapping[str, Load] = field(compare=False, repr=False)
    drives: Mapping[str, Drive] = field(compare=False, repr=False)

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
    ) -> None:
        given = Given(
            coordinates=coordinates,
            kinetic=kinetic,
            potential=potential,
            mass=None,
            force=None,
            forces=forces or {},
            constraints=constraints,
            parameters=parameters or {},
            initial=initial or {},
            guess=guess or {},
            simulation=simulation or {},
            drawing=drawing,
            name=name,
            define=define or {},
            symbols=symbols or {},
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
        }
        for key, value in Assembly(given, tables).fields().items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "source", source)

    def replace(self, **changes: Any) -> Mechanism:
        """Make a variant of the mechanism.

        `parameters`, `initial`, `guess`, `forces` and the tables of elements are merged into the present ones; None
        takes an entry away. Energies, constraints and coordinates are those that were added to the bodies.
        """
        for name in changes:
            if name not in PARTS:
                raise ModelError(f"a mechanism has no `{name}`; {nearest(name, PARTS, 'parts')}")
        given: dict[str, Any] = {
            key: getattr(self.own, key) for key in (*REPLACED[2:], "simulation", "drawing", "name")
        }
        given |= {key: getattr(self.own, key) for key in ("initial", "guess", "forces")}
        given |= {"parameters": self.parameters, "dimensions": self.dimensions, "gravity": self.gravity}
        given |= self.tables
        for name, change in changes.items():
            if name in MERGED:
                change = {self._key(key): value for key, value in dict(change).items()}
                change = {**given[name], **change}
                if name != "parameters":
                    change = {key: value for key, value in change.items() if value is not None}
            given[name] = change
        unknown = [name for name in given["parameters"] if name not in self.parameters]
        if unknown:
            known = list(self.parameters)
            raise ModelError(Problem(f"no parameter `{n}`; {nearest(n, known, 'parameters')}") for n in unknown)
        return Mechanism(**given, symbols=self.symbols, source=self.source)

    # --- words -------------------------------------------------------------------------------------------------------

    def owner(self, constraint: str) -> tuple[str, str]:
        """Return section and name of the part to which a condition belongs."""
        part = constraint.split(".")[0]
        for section in ("joints", "drives", "bodies"):
            if part in self.tables[section] and constraint not in [c.name for c in self.own.constraints]:
                return section, part
        return "constraints", constraint

    def entry(self, constraint: str) -> tuple[str, ...]:
        """Return the entry of a model file to which a constraint belongs."""
        return self.owner(constraint)

    def explain(self, constraints: Sequence[str]) -> tuple[str, str]:
        """Say in words that conditions cannot hold, and what to do."""
        owners = dict.fromkeys(map(self.owner, constraints))
        words = []
        for section, name in owners:
            if section == "joints":
                joint = self.joints[name]
                words.append(f"joint `{name}` ({joint.kind}, {quoted(joint.bodies)})")
            elif section == "drives":
                words.append(f"drive `{name}` of joint `{self.drives[name].joint}`")
            else:
                words.append(f"{'body' if section == 'bodies' else 'constraint'} `{name}`")
        advice = "Check the points and lengths there, and where the bodies are placed"
        return f"the parts cannot be assembled at {', '.join(words)}", advice

    def check(self) -> Check:
        """Examine the mechanism, as any system; and say which bodies had to be moved to assemble it."""
        found = super().check()
        if found.state is None:
            return found
        return replace(found, problems=(*found.problems, *self.moved(found.state)))

    def moved(self, state: State) -> list[Problem]:
        """Note the bodies that are not where they were placed."""
        numeric = Numeric(self, pilot_parameters(self))
        placed = given_values(numeric, {n: x for body in self.bodies.values() for n, x in body.guess.items()})
        size = max((abs(value) for value in placed.values()), default=1.0)
        notes = []
        for body in self.bodies.values():
            if body.name == GROUND:
                continue
            away = np.array([state[name] - placed[name] for name in body.coordinates])
            way, turn = float(np.linalg.norm(away[: self.dimensions])), float(np.linalg.norm(away[self.dimensions :]))
            angle = np.degrees(turn if self.dimensions == 2 else 4 * np.arcsin(min(1.0, turn / 2)))
            if way > MOVED * max(size, 1e-3) or angle > np.degrees(MOVED):
                text = (
                    f"to assemble the mechanism, body `{body.name}` was moved by {way:.3g} m and turned by {angle:.3g}°"
                )
                notes.append(Problem(text, "note", key=("bodies", body.name)))
        return notes

    # --- variants ----------------------------------------------------------------------------------------------------

    def system(self) -> System:
        """Return the equations of the mechanism as a plain system, without its bodies and joints."""
        parts = {f.name: getattr(self, f.name) for f in fields(System) if f.name not in ("mass", "force")}
        return System(**parts)

    def without(self, *names: str) -> System:
        """Return the system without some joints (`A`), drives, or conditions of them (`A.y`)."""
        from dalembert.model.mechanism.release import conditions_of

        return self.system().without(*conditions_of(self, *names))

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
        from dalembert.model.mechanism.release import release

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
