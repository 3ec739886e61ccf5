"""A system as elements of a few kinds: what is written the same way is derived once, however often it appears.

Coordinates that the kinetic energy couples form a *body*, and so do those that meet the same conditions. An element is
all that touches the same bodies: energies and forces of one, conditions between two. Its expressions, with the
coordinates renamed in order, are its template; elements with equal templates are instances of one kind. Nothing of this
is asked of the user: it is read off the expressions. What conditions on positions hold that does not move, such as the
place of a support, is taken out as an *offset*, so that conditions which differ in nothing else are of one kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.blocks.symbolic import derive_blocks
from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import ZERO
from dalembert.model.constraint import LEVELS, Constraint
from dalembert.model.facts import STRUCTURE, Survey, fact
from dalembert.model.way import Way

if TYPE_CHECKING:
    from dalembert.model.system import System

_LOCAL, _OFFSET = "local{}", "offset{}"
_SOME = 0.7391  # value of an offset where only the template is looked at
_SMALL = 7  # coordinates of one body in space
Bodies = tuple[int, ...]


@dataclass
class Kind:
    """A template in local coordinates, with its blocks, and its instances: their coordinates and constraints."""

    local: Any  # like a system, in local coordinates
    coordinates: Array  # one row for each instance
    rows: Array
    offsets: Array  # which of the offsets of the system stand for those of the template, its last parameters

    def __len__(self) -> int:
        return len(self.coordinates)


@dataclass(frozen=True)
class Elements:
    """All elements of a system by kind; `bodies` are the coordinates of each body, `offsets` depend on parameters."""

    bodies: tuple[tuple[int, ...], ...]
    kinds: tuple[Kind, ...]
    offsets: tuple[Expr, ...]

    @property
    def largest(self) -> int:
        """The number of coordinates of the largest body."""
        return max(map(len, self.bodies), default=0)


@dataclass
class _Element:
    """What touches the same bodies, in the user's symbols."""

    kinetic: list[Expr] = field(default_factory=list)
    potential: list[Expr] = field(default_factory=list)
    forces: list[tuple[int, Expr]] = field(default_factory=list)
    constraints: list[int] = field(default_factory=list)
    offsets: list[Expr] = field(default_factory=list)


@fact(STRUCTURE)
def find_elements(system: System) -> Elements:
    """Split a system that is given by energies."""
    return _KindSearch(system).elements()


class _KindSearch:
    def __init__(self, system: System):
        self.system = system
        names = system.coordinates
        self.index = {se.Symbol(name + "'" * order): i for i, name in enumerate(names) for order in range(3)}
        self.labels: Mapping[Expr, tuple[int, str]] = getattr(
            system, "labels", {}
        )  # of what is attached to coordinates
        self.index |= {symbol: owner for symbol, (owner, _) in self.labels.items()}
        self.locals: dict[tuple[str | int, int], Expr] = {}
        self.home = list(range(len(names)))  # the body of each coordinate
        self.bodies: list[tuple[int, ...]] = []

    def elements(self) -> Elements:
        system = self.system
        kinetic = [(term, self.touched(term)) for term in _terms(system.kinetic)]
        moving = {se.Symbol(name) for name in system.velocities}
        coupled = [[self.index[symbol] for symbol in term.free_symbols & moving] for term, _ in kinetic]
        self.unite([*coupled, *map(list, getattr(system, "together", ()))])
        self.join([self.touched(constraint.expression) for constraint in system.constraints])
        found: dict[Bodies, _Element] = defaultdict(_Element)
        for term, touched in kinetic:
            found[self.among(touched)].kinetic.append(term)
        for term in _terms(system.potential):
            found[self.among(self.touched(term))].potential.append(term)
        for name, force in system.forces.items():
            j = self.index[se.Symbol(name)]
            found[self.among([j, *self.touched(force)])].forces.append((j, force))
        for i, constraint in enumerate(system.constraints):
            found[self.among(self.touched(constraint.expression))].constraints.append(i)
        groups: dict[tuple, list[tuple[Bodies, _Element]]] = defaultdict(list)
        for bodies, element in found.items():
            groups[self.template(bodies, element)].append((bodies, element))
        offsets = {offset: None for element in found.values() for offset in element.offsets}
        self.offset = {offset: k for k, offset in enumerate(offsets)}
        kinds = tuple(self.kind(key, group) for key, group in groups.items())
        return Elements(tuple(self.bodies), kinds, tuple(offsets))

    def touched(self, expr: Expr) -> list[int]:
        """Return the coordinates that appear in an expression, themselves or as velocities."""
        return [self.index[symbol] for symbol in expr.free_symbols if symbol in self.index]

    def unite(self, together: Iterable[list[int]]) -> None:
        """Find the bodies: coordinates that are coupled, directly or through others."""
        root = self.home

        def find(i: int) -> int:
            while root[i] != i:
                root[i] = i = root[root[i]]
            return i

        for first, *others in (group for group in together if group):
            for other in others:
                a, b = find(first), find(other)
                root[max(a, b)] = min(a, b)
        members: dict[int, list[int]] = defaultdict(list)
        for i in range(len(root)):
            members[find(i)].append(i)
        self.settle(members.values())

    def settle(self, bodies: Iterable[Iterable[int]]) -> None:
        """Number the bodies by their first coordinates."""
        self.bodies = sorted(tuple(sorted(body)) for body in bodies)
        for number, body in enumerate(self.bodies):
            for i in body:
                self.home[i] = number

    def join(self, conditions: list[list[int]]) -> None:
        """Join small bodies, such as translation and rotation of one, where the one meets only what the other meets."""
        met: list[set[int]] = [set() for _ in self.bodies]
        for row, coordinates in enumerate(conditions):
            for i in coordinates:
                met[self.home[i]].add(row)
        with_row: dict[int, list[int]] = defaultdict(list)
        for body, rows in enumerate(met):
            for row in rows:
                with_row[row].append(body)
        into: dict[int, int] = {}
        taken: set[int] = set()
        for body, rows in enumerate(met):
            others = [other for other in with_row[min(rows)] if other != body] if rows else []
            for other in others:
                small = len(self.bodies[body]) + len(self.bodies[other]) <= _SMALL
                if small and rows <= met[other] and body not in taken and other not in into:
                    into[body] = other
                    taken.add(other)
                    break
        joined: dict[int, list[int]] = defaultdict(list)
        for body, coordinates in enumerate(self.bodies):
            joined[into.get(body, body)] += coordinates
        self.settle(joined.values())

    def among(self, coordinates: Iterable[int]) -> Bodies:
        return tuple(sorted({self.home[i] for i in coordinates}))

    def template(self, bodies: Bodies, element: _Element) -> tuple:
        """Return the expressions of an element with its coordinates renamed in order: what instances share."""
        coordinates = self.coordinates(bodies)
        local = {i: k for k, i in enumerate(coordinates)}
        constraints = [self.moving(self.system.constraints[i], element.offsets) for i in element.constraints]
        kinetic, potential = se.Add(*element.kinetic), se.Add(*element.potential)
        written = [kinetic, potential, *(force for _, force in element.forces), *constraints]
        used = set().union(*(expression.free_symbols for expression in written)) & self.index.keys()
        changes = {symbol: self.renamed(symbol, local) for symbol in used}
        return (
            len(coordinates),
            tuple(i in self.owners for i in coordinates),
            kinetic.xreplace(changes),
            potential.xreplace(changes),
            tuple(sorted((local[j], force.xreplace(changes)) for j, force in element.forces)),
            tuple(constraint.xreplace(changes) for constraint in constraints),
        )

    @cached_property
    def owners(self) -> dict[int, list[Expr]]:
        """What is attached, by the coordinate to which it is."""
        found: dict[int, list[Expr]] = defaultdict(list)
        for symbol, (owner, _) in self.labels.items():
            found[owner].append(symbol)
        return dict(found)

    def attached(self, local: Mapping[int, int]) -> list[Expr]:
        """Return what is attached to some coordinates."""
        return [symbol for i in local if i in self.owners for symbol in self.owners[i]]

    def renamed(self, symbol: Expr, local: Mapping[int, int]) -> Expr:
        """Return the local symbol of a coordinate or velocity; of something attached, by its label."""
        label = self.labels[symbol][1] if symbol in self.labels else symbol.name.count("'")
        key = (label, local[self.index[symbol]])
        if key not in self.locals:
            name = f"{label} {key[1]}" if isinstance(label, str) else _LOCAL.format(key[1]) + "'" * label
            self.locals[key] = se.Symbol(name)
        return self.locals[key]

    def ways(self, bodies: Bodies) -> tuple[dict[Expr, Way], dict[Expr, tuple[int, str]]]:
        """Return how what is attached to some bodies moves, in local names; and its labels."""
        local = {i: k for k, i in enumerate(self.coordinates(bodies))}
        names = {symbol: self.renamed(symbol, local) for symbol in self.attached(local)}
        labels = {names[symbol]: (local[self.labels[symbol][0]], self.labels[symbol][1]) for symbol in names}
        found = {}
        for symbol, new in names.items():
            if way := getattr(self.system, "attached", {}).get(symbol):
                directions = {local[i]: part.xreplace(names) for i, part in way.directions.items()}
                found[new] = Way(directions, way.rate.xreplace(names))
        return found, labels

    def moving(self, constraint: Constraint, offsets: list[Expr]) -> Expr:
        """Take what does not move out of a condition on positions, of which only g knows, and put a symbol there."""
        terms = _terms(constraint.expression)
        still = [term for term in terms if not self.touched(term) and TIME not in map(str, term.free_symbols)]
        if not still or constraint.level != "position":
            return constraint.expression
        symbol = se.Symbol(_OFFSET.format(len(offsets)))
        offsets.append(se.Add(*still))
        return se.Add(symbol, *(term for term in terms if term not in still))

    def coordinates(self, bodies: Bodies) -> list[int]:
        return [i for body in bodies for i in self.bodies[body]]

    def kind(self, key: tuple, group: list[tuple[Bodies, _Element]]) -> Kind:
        """Derive the blocks of a template."""
        count, _, kinetic, potential, forces, constraints = key
        first = [self.system.constraints[i] for i in group[0][1].constraints]
        names = tuple(_LOCAL.format(k) for k in range(count))
        attached, labels = self.ways(group[0][0])
        local = SimpleNamespace(
            survey=Survey(),
            defined={},
            attached=attached,
            labels=labels,
            sections={},
            states={},
            mechanical=count,
            coordinates=names,
            kinetic=kinetic,
            potential=potential,
            forces={_LOCAL.format(k): force for k, force in forces},
            constraints=tuple(_local(*pair, names) for pair in zip(first, constraints, strict=True)),
            parameters={
                **self.system.parameters,
                **{_OFFSET.format(k): _SOME / (1 + k) for k in range(len(group[0][1].offsets))},
            },
        )
        rows = np.array([element.constraints for _, element in group], dtype=np.int64).reshape(len(group), -1)
        coordinates = np.array([self.coordinates(bodies) for bodies, _ in group], dtype=np.int64)
        local.blocks = derive_blocks(local)  # pyright: ignore[reportArgumentType]
        offsets = np.array([[self.offset[x] for x in element.offsets] for _, element in group], dtype=np.int64)
        return Kind(local, coordinates.reshape(len(group), -1), rows, offsets.reshape(len(group), -1))


def _local(constraint: Constraint, expression: Expr, names: Sequence[str]) -> Constraint:
    """Return a condition in local names."""
    prime = "'" * LEVELS.index(constraint.level)
    variables = expression.free_symbols & {se.Symbol(name + prime) for name in names}
    return replace(constraint, expression=expression, variables=frozenset(variables))


def _terms(expr: Expr | None) -> tuple[Expr, ...]:
    if expr is None or expr == ZERO:
        return ()
    return expr.args if expr.is_Add else (expr,)
