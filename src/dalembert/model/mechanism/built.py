"""A system that is built: tables of bodies and joints, variants of them, and the names of their conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from dalembert.arguments import table
from dalembert.errors import ModelError, nearest
from dalembert.language.building import Expr
from dalembert.model.changes import merge_entries, merge_tables
from dalembert.model.drawing import Drawing
from dalembert.model.facts import STRUCTURE
from dalembert.model.given import Given
from dalembert.model.initial import InitialValue, Measure
from dalembert.model.mechanism.assembly import Assembly, sections
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.drives import Drive
from dalembert.model.mechanism.edges import edge_names
from dalembert.model.mechanism.elements import ELEMENTS
from dalembert.model.mechanism.elements.load import Load
from dalembert.model.mechanism.elements.spring import Actuator, Damper, Spring
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.judgements import Judgements
from dalembert.model.mechanism.measures import all_initial
from dalembert.model.mechanism.outward import Definitions, Outward
from dalembert.model.mechanism.pairs.base import is_angle
from dalembert.model.mechanism.rebasing import Aliases
from dalembert.model.mechanism.renaming import in_coordinates, names_in
from dalembert.model.mechanism.tree import Tree
from dalembert.model.mechanism.vectors import Vector
from dalembert.model.mechanism.views import EULER
from dalembert.model.momenta import EnergySource
from dalembert.model.sections import SECTIONS
from dalembert.model.stated import VALUES
from dalembert.model.system import System
from dalembert.model.tomlscan import Source
from dalembert.model.variants import begin_history, in_numbers, redefined, take_over, with_history

ADDED = ("coordinates", "kinetic", "potential", "constraints", "drawing", "name")  # to bodies and joints
_NO_MOMENTA = 'momenta and H of a long tree are no formulas; a run has their values, as run["H"]'


def parts_of() -> tuple[str, ...]:
    """Return what a mechanism is made of, by the names of its arguments."""
    further = [name for name, section in SECTIONS.items() if section.mechanical]
    return (*VALUES, *sections(), "dimensions", "gravity", "by", "tree", *ADDED, *further)


@dataclass(frozen=True, init=False, repr=False)
class Built(System):
    """The parts of a `Mechanism`, read and judged. Immutable."""

    dimensions: int
    gravity: Vector
    default_gravity: str = field(compare=False, repr=False)  # its parameter, if nothing was said of it
    tree: Tree  # what carries each body
    outward: Outward | None = field(compare=False, repr=False)  # the bodies of a long tree
    aliases: Aliases = field(compare=False, repr=False)  # names that stand for expressions of coordinates
    tables: Mapping[str, Mapping[str, Any]]  # of all elements, as they were read
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
        by: str | None = None,
        tree: Sequence[str] | None = None,
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
        symbols: Mapping[str, Any] | None = None,
        source: Source | None = None,
        **further: Any,
    ) -> None:
        given = Given.of(locals(), {key: value for key, value in further.items() if key not in ELEMENTS})
        for key in further:
            if key not in parts_of():
                raise ModelError(f"a mechanism has no `{str(key)[:60]}`; {nearest(str(key), parts_of(), 'parts')}")
        tables = {
            "dimensions": dimensions,
            "gravity": gravity,
            "by": by,
            "tree": tree,
            "bodies": bodies,
            "joints": joints,
            "springs": springs,
            "dampers": dampers,
            "actuators": actuators,
            "loads": loads,
            "drives": drives,
            **{key: value for key, value in further.items() if key in ELEMENTS},
        }
        self._take(Assembly(given, tables).fields(), source)
        written = {name: getattr(given, name) for name in (*VALUES, *ADDED)} | dict(given.sections)
        begin_history(self, written | {name: what for name, what in tables.items() if what is not None}, symbols)

    @property
    def alias_names(self) -> tuple[str, ...]:
        """Names that stand for expressions of coordinates: of places and angles of bodies, of coordinates of joints."""
        return self.aliases.names

    @property
    def defined(self) -> Definitions:
        """What symbols of bodies stand for, in long trees."""
        return self.outward if self.outward is not None else {}

    def meant(self, expr: Expr) -> Expr:
        """Return an expression with what such names stand for."""
        return self.aliases.put(expr)

    @property
    def _energies(self) -> EnergySource:
        return EnergySource(None, _NO_MOMENTA) if self.defined else super()._energies

    @property
    def by(self) -> str:
        """In which coordinates it is written: "absolute" ones of bodies, those of "joints", or "angles"."""
        return self.tree.by

    def replace(self, **changes: Any) -> Self:
        """Make a variant of the mechanism: `crane.replace(bodies={"load": {"mass": 85, "spin": None}})`.

        Values by name (`parameters`, `initial`, `guess`, `forces`, `simulation`) and the tables of parts are changed
        entry by entry, and the others stay; None takes an entry or a part away. A joint whose `kind` is given is a new
        one. Energies, constraints and coordinates are those that were added to the bodies; they, and all else, are put
        in place of what was there.
        """
        for name in changes:
            if name not in parts_of():
                raise ModelError(f"a mechanism has no `{name}`; {nearest(name, parts_of(), 'parts')}")
        if variant := in_numbers(self, changes) or redefined(self, changes):
            return with_history(variant, self, changes)
        given = in_coordinates(self, changes["by"]) if "by" in changes else self.arguments()
        for name, change in changes.items():
            if name in sections():
                change = merge_tables(name, given[name], table(name, change))
            elif name == "initial":
                given["bodies"], present = self._freed(given["bodies"], table(name, change))
                change = self._changed(name, present, change)
            elif name in VALUES:
                change = self._changed(name, given[name], change)
            elif name in SECTIONS:
                change = SECTIONS[name].merged(given.get(name), change)
            given[name] = change
        if changes.get("gravity") is None and self.default_gravity:
            given["gravity"] = self.gravity
        variant = type(self)(**given, symbols=self.symbols, source=self.source)
        variant = self._own_gravity(variant, given, changes)
        take_over(variant, self)
        return with_history(variant, self, changes)

    def _own_gravity(self, variant: Self, given: dict[str, Any], changes: Mapping[str, Any]) -> Self:
        """Let the parameter of gravity that nobody wrote go where gravity is another; else a variant knows of it."""
        name = self.default_gravity
        if name and variant.gravity != self.gravity and name not in changes.get("parameters", {}):
            if name not in names_in(variant):
                values = {key: value for key, value in given["parameters"].items() if key != name}
                return type(self)(**{**given, "parameters": values}, symbols=self.symbols, source=self.source)
        elif not variant.default_gravity:
            object.__setattr__(variant, "default_gravity", name)
        return variant

    def arguments(self) -> dict[str, Any]:
        """Return what the mechanism can be made of again, by the names of arguments."""
        if self.written is not self:
            return self.written.arguments()
        given = {key: getattr(self.own, key) for key in (*VALUES, *ADDED)}
        given |= {"parameters": self.parameters, "dimensions": self.dimensions, "gravity": self.gravity}
        given |= {"by": self.by, "tree": self.tree.wanted or None}
        return given | {**self.tables, **self.sections}

    def numbers(self, part: str, change: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the fields that other numbers change, if the equations were not read with the old ones."""
        found = super().numbers(part, change)
        if found is None or (part == "parameters" and not self.judged.hold(change, found[part])):
            return None
        if part == "initial":
            found[part] = all_initial(self.bodies.values(), self.dimensions, found["own"].initial)
        return found

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

    @property
    def _driven(self) -> dict[str, Any]:
        """The tables inside of drives, by the names under which they are called."""
        return {name: points for drive in self.drives.values() for name, points in (drive.points or {}).items()}

    def put_sections(self, change: Callable[[Expr], Expr]) -> dict[str, Any]:
        """Return the further tables of a plain system, those of drives among them."""
        found, driven = super().put_sections(change), self._driven
        return found | ({"tables": {**found.get("tables", {}), **driven}} if driven else {})

    # --- what pushes -------------------------------------------------------------------------------------------------

    @property
    def kinds(self) -> Sequence[Mapping[str, Any]]:
        """The parts of which quantities can be asked, by kind and name."""
        return self.joints, self.drives, *self.elements.values(), self.bodies

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

    # --- names -------------------------------------------------------------------------------------------------------

    @property
    def measured(self) -> Mapping[str, str]:
        """What the coordinates of bodies and joints are, by name: "length", "angle" or "euler"."""
        return self.survey.find(STRUCTURE, ("measured",), self._measured)

    def _measured(self) -> dict[str, str]:
        n, found = self.dimensions, dict[str, str]()
        for body in self.bodies.values():
            turns = "angle" if n == 2 else "euler"
            found |= {name: "length" if k < n else turns for k, name in enumerate(body.coordinates)}
        for branch in self.tree.branches:
            for key, name in branch.names.items():
                found[name] = "angle" if is_angle(key) else "euler" if key in EULER else "length"
        return {name: found[name] for name in self.coordinates if name in found}

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
                found |= dict.fromkeys(
                    (*part.conditions, *([f"{name}.norm"] if section == "joints" else ())), (section, name)
                )
        return found

    def entry(self, constraint: str) -> tuple[str, ...]:
        """Return the entry of a model file to which a constraint belongs."""
        return self.owners.get(constraint, ("constraints", constraint))

    @property
    def _measures(self) -> dict[str, Measure]:
        from dalembert.model.mechanism.measures import find_measures

        return self.survey.find(
            STRUCTURE,
            ("measures",),
            lambda: find_measures(self.bodies.values(), self.joints.values(), self.coordinates),
        )

    def measure(self, name: str) -> Measure:
        """Return of what an initial value is given: a coordinate, a velocity, `A.angle` of a joint, a spin."""
        known = self.survey.find(STRUCTURE, ("coordinates",), lambda: frozenset(self.coordinates))
        return super().measure(name) if name.rstrip("'") in known else self._measures[name]

    def initial_values(self, values: Mapping[str, float]) -> list[InitialValue]:
        """Return initial values as the user gave them: the velocity and the spin of a body each as one."""
        items, single = [], dict(values)
        of_bodies = values.keys() - self.own.initial.keys()
        for body in self.bodies.values():
            for entry, given in body.given.items():
                if given.keys() <= of_bodies:
                    label, key = f"`{entry}` of body `{body.name}`", ("bodies", body.name, entry)
                    items.append(InitialValue(label, key, {name: single.pop(name) for name in given}))
        return [*items, *super().initial_values(single)]

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
        held = {constraint.name for constraint in self.constraints}
        for joint in self.joints.values():  # its ends hold as contacts do, along a motion
            parts[joint.name] += [row for name in edge_names(joint) if (row := f"{name}.normal") in held]
        return parts, dict.fromkeys([*parts, *(constraint.name for constraint in self.constraints)])
