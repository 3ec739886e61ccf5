"""From the tables of a mechanism to the fields of a system: bodies first, then what joins and moves them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import symengine as se

from dalembert.errors import ModelError, Problem, quoted
from dalembert.language.building import TIME, Expr
from dalembert.language.state_names import is_integral
from dalembert.language.tokens import NAME
from dalembert.model.constraint import Constraint
from dalembert.model.contact import meant_contact
from dalembert.model.drawing import Drawing
from dalembert.model.first_order import put_rates
from dalembert.model.given import Given
from dalembert.model.initial import Measure
from dalembert.model.mechanism.body import Body, check_free_body, coordinate_names, is_particle, read_body
from dalembert.model.mechanism.default_drawing import draw
from dalembert.model.mechanism.drives import read_drive
from dalembert.model.mechanism.edges import edges_of
from dalembert.model.mechanism.element_terms import Terms
from dalembert.model.mechanism.elements import ELEMENTS
from dalembert.model.mechanism.elements.action import read_joint_action
from dalembert.model.mechanism.gravity import OWN, downwards, gravity_name, with_gravity
from dalembert.model.mechanism.joint import Joint, read_joint
from dalembert.model.mechanism.judgements import Judgement, Judgements, numeric
from dalembert.model.mechanism.measures import all_initial, find_measures
from dalembert.model.mechanism.outward import Outward
from dalembert.model.mechanism.preliminaries import (
    free_names,
    is_body_name,
    names_of_own,
    nothing_moves,
    read_dimensions,
    tables_by_name,
)
from dalembert.model.mechanism.rebasing import Aliases, Rebasing, meanings_of_joints
from dalembert.model.mechanism.table_reader import GROUND, TableReader, freeze
from dalembert.model.mechanism.tree import ABSOLUTE, plan
from dalembert.model.mechanism.vectors import Vector, tidy
from dalembert.model.reading import Reader
from dalembert.model.sections.controls import put_laws


def readers() -> dict[str, Callable[[TableReader, Assembly], Any]]:
    """Return what reads an entry, by section, in the order in which they are read."""
    return {"joints": read_joint, **{section: kind.read for section, kind in ELEMENTS.items()}, "drives": read_drive}


def sections() -> tuple[str, ...]:
    """Return the sections of a mechanism in a file."""
    return ("bodies", *readers())


class Assembly(Reader):
    """Reads a mechanism: the tables of its elements, and what the user adds to its equations."""

    def __init__(self, given: Given, tables: Mapping[str, Any]):
        early: list[Problem] = []
        self.dimensions = read_dimensions(tables, early)
        self.given_tables = {section: tables_by_name(tables, section, early) for section in sections()}
        bodies = [name for name in self.given_tables["bodies"] if is_body_name(name, early)]
        points = [name for name in bodies if is_particle(self.given_tables["bodies"][name])]
        absolute = [x for body in bodies for x in coordinate_names(body, self.dimensions, body not in points)]
        own = names_of_own(given.coordinates)
        self.known_aliases: Aliases | None = None  # until joints are read
        self.rebasing: Rebasing | None = None
        self.tree = plan(tables, self.dimensions, bodies, self.given_tables, early)
        names = absolute if self.tree.by == ABSOLUTE else list(self.tree.coordinates)
        self.aliases = free_names(self.given_tables, [*self.tree.names, *absolute], names, own, given)
        self.default_gravity = gravity_name(given, tables, (*names, *own, *self.aliases))
        if not names and not own and not early:
            early.append(Problem(nothing_moves(bodies, self.tree.names), key=("bodies",)))
        try:
            super().__init__(with_gravity(replace(given, coordinates=[*names, *own]), self.default_gravity))
        except ModelError as error:
            if early:
                dull = "a system needs at least one coordinate"
                raise ModelError([*early, *(p for p in error.problems if p.text != dull)]) from None
            raise
        self.problems = dict.fromkeys(early) | self.problems
        self._added = tuple(name for name in self.coordinates if not is_integral(name))[len(names) :]
        moving = self.coordinates | self.velocities | self.accelerations | {TIME: None}
        others = [name + "'" * order for name in self.aliases for order in range(3)]
        self.constant_names = moving | dict.fromkeys([*others, *self.laws])
        self.gravity = self.read_gravity(tables)
        self.tables: dict[str, dict[str, Any]] = {section: {} for section in sections()}
        self.bodies: dict[str, Body] = {}
        self.judged = Judgements()
        self.elements: dict[str, dict[str, Any]] = {section: {} for section in readers()}
        self.read_elements(bodies)

    @property
    def own_coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates that are added to those of bodies."""
        return self._added

    @property
    def outward(self) -> Outward | None:
        """The bodies of a long tree."""
        return self.rebasing.outward if self.rebasing is not None else None

    @property
    def moving(self) -> tuple[str, ...]:
        """What equations are written for: the coordinates, and what bodies of long trees move along."""
        return (*self.coordinates, *(self.outward.rows if self.outward else ()))

    @property
    def joints(self) -> dict[str, Joint]:
        """The joints that were read."""
        return self.elements["joints"]

    # --- values ------------------------------------------------------------------------------------------------------

    def constant_expression(self, value: Any, key: tuple[str, ...]) -> Expr:
        """Read a number or an expression of parameters."""
        why = "expected a number or an expression of parameters; nothing that moves can stand here"
        return self.expression(value, key, self.constant_names, why)

    def moving_expression(self, value: Any, key: tuple[str, ...], local: Collection[str] = ()) -> Expr:
        """Read an expression of time, coordinates, velocities and parameters, and of `local` names."""
        why = "a force or a drive depends on accelerations"
        return self.acting.read(value, key, why, tuple(local))

    def value(self, expr: Expr) -> float | None:
        """Return the value of an expression of parameters; None where one of them has none.

        The equations may depend on it: with other values they are read again. What only must be as it should is judged.
        """
        self.judged.used |= {symbol.name for symbol in expr.free_symbols}
        return numeric(expr, self.parameters)

    def judge(self, judgement: Judgement) -> None:
        """Report what is wrong with the values of some expressions; those of other parameters are judged likewise."""
        self.judged.items.append(judgement)
        if text := judgement.wrong_with(self.parameters):
            self.problem(text, *judgement.key)

    def settle_tree(self) -> None:
        """Let joints carry bodies, where coordinates are those of the tree; and find what aliases stand for."""
        self.placed_joints = dict(self.joints)  # between bodies that have coordinates of their own
        names = meanings_of_joints(self)
        if self.tree.by != ABSOLUTE:
            self.rebasing = Rebasing(self, self.tree)
            names = {**meanings_of_joints(self), **self.rebasing.meanings()}
        known = {name: meaning for name, meaning in names.items() if name in self.aliases}
        self.known_aliases = Aliases(known, {se.Symbol(q): se.Symbol(q + "'") for q in self.coordinates})

    def meant(self, expr: Expr) -> Expr:
        """Return an expression with what aliases stand for."""
        return expr if self.known_aliases is None else self.known_aliases.put(expr)

    def read_gravity(self, tables: Mapping[str, Any]) -> Vector:
        """Read the acceleration of gravity."""
        if tables.get("gravity") is None:
            return downwards(self.default_gravity or OWN, self.dimensions)
        return TableReader(self, ("mechanism",), {"gravity": tables["gravity"]}).vector("gravity")

    # --- elements ----------------------------------------------------------------------------------------------------

    def read_elements(self, bodies: list[str]) -> None:
        """Read all tables; bodies first, as everything else is attached to them."""
        given = self.given_tables["bodies"]
        self.bodies[GROUND] = read_body(TableReader(self, ("bodies", GROUND), given.get(GROUND, {})))
        for name in bodies:
            self.bodies[name] = read_body(TableReader(self, ("bodies", name), given[name]))
        self.tables["bodies"] = {name: body.table for name, body in self.bodies.items() if name in given}
        self.assembled = {se.Symbol(name): value for body in self.bodies.values() for name, value in body.guess.items()}
        for section, read in readers().items():
            self.read_section(section, self.elements[section], read)
            if section == "joints":
                self.settle_tree()  # before anything is read that acts on them
        edges = edges_of(self.joints.values())
        moving = tuple(self.coordinates)
        self.touching = {name: meant_contact(name, one, moving, self.bodies) for name, one in edges.items()}
        joined = {body for joint in self.joints.values() for body in joint.bodies}
        if len(self.joints) == len(self.given_tables["joints"]):
            for name in bodies:
                if name not in joined:
                    check_free_body(self, self.bodies[name])

    def home(self, expr: Expr) -> Expr:
        """Return the value in the assembled position of an expression of coordinates."""
        return expr.xreplace({q: self.assembled[q] for q in expr.free_symbols & self.assembled.keys()})

    def home_vector(self, vector: Vector) -> Vector:
        """Return the value of a vector in the assembled position, without rounding errors."""
        parts = [self.assembled[q] for x in vector for q in x.free_symbols & self.assembled.keys()]
        return tidy([self.home(x) for x in vector], parts)

    def read_section(self, section: str, into: dict[str, Any], read: Callable[[TableReader, Assembly], Any]) -> None:
        """Read the tables of a section into elements."""
        for name, given in self.given_tables[section].items():
            if not NAME.fullmatch(name):
                self.problem(
                    f"{name[:40]!r}: a name is letters, digits and _, and does not begin with a digit", section
                )
                continue
            table = TableReader(self, (section, name), given)
            element = read(table, self) if isinstance(given, Mapping) else None
            if element is not None:
                into[name], self.tables[section][name] = element, element.table

    def read_bodies(self, table: TableReader, key: str = "bodies") -> tuple[str, str] | None:
        """Read the names of the two bodies that something joins; None, after a report, where they are not known."""
        names = table.list(key, 2, 'the names of two bodies, as in ["ground", "crank"]')
        if names is None:
            return None
        known = [self.read_body_name(table, key, name) for name in names]
        if known[0] == known[1] and all(known):
            table.problem(f"both ends are on `{known[0]}`; name two bodies", key)
            return None
        if not all(known):
            return None
        table.kept[key] = tuple(known)
        return known[0], known[1]

    def read_body_name(self, table: TableReader, key: str, name: Any) -> str:
        """Return the name of a body; empty, after a report, if there is none."""
        if isinstance(name, str) and name in self.bodies:
            return name
        table.problem(f"there is no body `{str(name)[:40]}`{self.hint(str(name), self.bodies, 'bodies')}", key)
        return ""

    def read_joint_control(self, key: tuple[str, ...], entries: Mapping[str, Any]) -> dict[str, Any]:
        """Read the joint in which a control acts, and note its directions: force × ∂rate/∂velocity."""
        table = TableReader(self, key, entries)
        action = read_joint_action(table, self)
        if action is not None:
            parts = Terms(self.moving)
            parts.push(se.Integer(1), action.rate)
            self.joint_directions[key[-1]] = {name: se.Add(*terms) for name, terms in parts.forces.items()}
        return table.kept

    # --- the system --------------------------------------------------------------------------------------------------

    def read_matrices(self, given: Given) -> dict[str, Any]:
        """Refuse matrices: the inertia of a mechanism is that of its bodies."""
        if given.mass is not None or given.force is not None:
            self.problem("bodies and matrices cannot be combined; give energies for what is added", "matrices")
        return {"mass": None, "force": None}

    @property
    def kinds(self) -> Sequence[Mapping[str, Any]]:
        """The parts of which quantities can be asked."""
        elements = (self.elements[section] for section in ELEMENTS)
        return self.joints, self.elements["drives"], *elements, self.bodies

    def constraint_names(self) -> list[str]:
        """Return the names of all constraints: conditions of parts, and those that the user adds."""
        found = [f"{body.name}.{key}" for body in self.bodies.values() for key in body.conditions]
        for part in (*self.joints.values(), *self.elements["drives"].values()):
            found += self.attempt(("joints", part.name), lambda part=part: list(part.conditions)) or []
        return [*found, *super().constraint_names()]

    def fields(self) -> dict[str, Any]:
        """Return the fields of the mechanism; raise ModelError with everything that is wrong."""
        own = super().fields()
        parts = self.gather()
        for name, force in own["forces"].items():
            parts.push(self.meant(force), self.meant(se.Symbol(f"{name}'")))
        for energy, terms in (("kinetic", parts.kinetic), ("potential", parts.potential)):
            terms += [self.meant(own[energy])] if own[energy] is not None else []
        drawing = own["drawing"]
        fields = own | {
            "kinetic": se.Add(*parts.kinetic),
            "potential": se.Add(*parts.potential),
            "forces": MappingProxyType({name: se.Add(*terms) for name, terms in parts.forces.items()}),
            "constraints": self.all_constraints(parts, own["constraints"]),
            "initial": MappingProxyType(all_initial(self.bodies.values(), self.dimensions, own["initial"])),
            "guess": MappingProxyType(parts.guess | self.own_guess(own["guess"])),
            "drawing": drawing.map(self.meant) if drawing is not None else self.drawn(own["sections"]),
            "dimensions": self.dimensions,
            "tree": self.tree,
            "outward": self.outward,
            "aliases": self.known_aliases,
            "gravity": self.gravity,
            "default_gravity": self.default_gravity,
            "tables": freeze(self.tables),
            "bodies": MappingProxyType(self.bodies),
            "joints": MappingProxyType(self.joints),
            "drives": MappingProxyType(self.elements["drives"]),
            "judged": self.judged,
            "elements": MappingProxyType({name: MappingProxyType(self.elements[name]) for name in ELEMENTS}),
        }
        put_rates(self, fields)
        put_laws(self, fields)
        self.acting.put_reactions(fields)
        names = [*(constraint.name for constraint in fields["constraints"]), *self.holding.values()]
        self.acting.refuse_carrying(fields["forces"], names, self.outward is not None)
        if self.problems:
            raise ModelError(self.problems)
        return fields

    def drawn(self, further: Mapping[str, Any]) -> Drawing | None:
        """Return what is drawn if the user does not say; of further tables the contacts."""
        elements = [element for section in ELEMENTS for element in self.elements[section].values()]
        contacts = further.get("contacts", {})
        return draw(self.bodies, self.joints, self.elements["drives"].values(), elements, contacts)

    def names_of_values(self, section: str) -> dict[str, None]:
        """Return of what values may be given; initial ones also of what joints and bodies measure."""
        names = super().names_of_values(section)
        if section == "initial":
            return names | dict.fromkeys(self.measures)
        return names | {q + p: None for q in self.aliases for p in ("", "'")} if self.rebasing is not None else names

    def own_guess(self, given: Mapping[str, Expr]) -> dict[str, Expr]:
        """Return the guesses of coordinates; those of bodies that are carried tell where the search begins."""
        return {name: value for name, value in given.items() if name.rstrip("'") in self.coordinates}

    def unknown_value(self, name: str, allowed: Collection[str]) -> str:
        """Say what a joint has instead, if a joint is named."""
        if name in self.measures:
            return f"`{name}` is measured, and no coordinate: give it in [initial], or guess coordinates"
        if (joint := self.joints.get(name.partition(".")[0].rstrip("'"))) is None:
            return super().unknown_value(name, allowed)
        names = [f"{joint.name}.{key}{prime}" for key in joint.coordinates for prime in ("", "'")]
        text = f"`{name}`: initial values of joint `{joint.name}` ({joint.kind}) are"
        return f"{text} {quoted(names)}" if names else f"{text} not possible, as it has no coordinate"

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """What initial values may be given of, besides coordinates and velocities."""
        return find_measures(self.bodies.values(), self.joints.values(), tuple(self.coordinates))

    def gather(self) -> Terms:
        """Let every element add its parts."""
        parts = Terms(self.moving)
        for body in self.bodies.values():
            if body.name == GROUND:
                continue
            parts.kinetic += body.kinetic
            parts.potential.append(body.weight(self.gravity))
            parts.constraints |= {f"{body.name}.{key}": expr for key, expr in body.conditions.items()}
            parts.guess |= body.guess
        if self.rebasing is not None:
            self.rebasing.add(parts)
        for joint in self.joints.values():
            if joint.carries:
                continue
            key = ("joints", joint.name)
            self.add_constraints(parts, self.attempt(key, lambda joint=joint: joint.conditions) or {}, key)
        for section in ELEMENTS:
            for element in self.elements[section].values():
                element.add(parts)
        for name, drive in self.elements["drives"].items():
            self.add_constraints(parts, drive.conditions, ("drives", name))
        return parts

    def add_constraints(self, parts: Terms, conditions: Mapping[str, Expr], key: tuple[str, ...]) -> None:
        """Add conditions; two of them must not have the same name."""
        for name in conditions:
            if name in parts.constraints:
                self.problem(f"there are two conditions `{name}`; rename one of the parts", *key)
        parts.constraints |= conditions

    def all_constraints(self, parts: Terms, own: tuple[Constraint, ...]) -> tuple[Constraint, ...]:
        """Return the conditions of bodies and joints, and those that the user adds."""
        coordinates = frozenset((*self.coordinates, *(self.outward.names if self.outward else ())))
        joints = parts.constraints if self.rebasing is None else self.rebasing.conditions(parts.constraints)
        found = [(("joints", name.split(".")[0]), name, expr) for name, expr in joints.items()]
        for constraint in own:
            key = ("constraints", constraint.name)
            if constraint.name in parts.constraints:
                self.problem(f"`{constraint.name}` is the name of a condition of a joint", *key)
            found.append((key, constraint.name, self.meant(constraint.expression)))
        made = [self.attempt(key, lambda n=n, e=e: Constraint.read(n, e, coordinates)) for key, n, e in found]
        return tuple(constraint for constraint in made if constraint is not None)
