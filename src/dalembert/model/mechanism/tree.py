"""The tree of a mechanism: which joint carries each body, which joints close loops, and how coordinates are called.

It is chosen from the tables as they were given, before anything in them is read: from the ground outwards, so that
every body is reached by few joints and loops are short. Joints that the user names go first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dalembert.errors import Problem, nearest, quoted
from dalembert.model.mechanism.body import coordinate_names, is_particle
from dalembert.model.mechanism.pairs import PAIRS, Pair
from dalembert.model.mechanism.pairs.base import is_angle, still
from dalembert.model.mechanism.table_reader import GROUND, as_sequence
from dalembert.model.mechanism.views import EULER

ABSOLUTE, JOINTS, ANGLES = COORDINATES = ("absolute", "joints", "angles")
ELIMINATE = "eliminate"  # of a drive: that its function of time takes the place of a coordinate


def named_coordinates(table: Mapping[str, Any], keys: Sequence[str]) -> dict[str, str]:
    """Return the names that a user gave to the coordinates of a joint, by key."""
    given = table.get("coordinates")
    found = {key: given[key] for key in keys if isinstance(given.get(key), str)} if isinstance(given, Mapping) else {}
    single = [key for key in keys if key not in EULER]
    if isinstance(table.get("coordinate"), str) and len(single) == 1:
        found[single[0]] = table["coordinate"]
    return found


def plan(
    given: Mapping[str, Any], dimensions: int, bodies: Sequence[str], tables: Mapping[str, Any], problems: list[Problem]
) -> Tree:
    """Choose the tree that `coordinates` and `tree` in [mechanism] ask for; note what is wrong with them."""
    by = given.get("by")
    by = ABSOLUTE if by is None else by
    if not isinstance(by, str) or by not in COORDINATES:
        problems.append(
            Problem(f"expected {quoted(COORDINATES, 'or')}, got {str(by)[:40]}", key=("mechanism", "coordinates"))
        )
        by = ABSOLUTE
    if by == ANGLES and dimensions == 3:
        text = 'angles of bodies are coordinates in the plane only; in space take "joints"'
        problems.append(Problem(text, key=("mechanism", "coordinates")))
        by = ABSOLUTE
    if by == ABSOLUTE:
        if given.get("tree") is not None:
            text = 'a tree belongs to coordinates = "joints" or "angles"; give these, or leave it out'
            problems.append(Problem(text, key=("mechanism", "tree")))
        return Tree(ABSOLUTE, (), (), ())
    planner = Planner(by, dimensions, bodies, tables)
    tree = planner.tree(given.get("tree"))
    if tree.long and planner.points.intersection(branch.body for branch in tree.branches):
        planner = Planner(by, dimensions, bodies, tables, carry_particles=False)
        tree = planner.tree(given.get("tree"))
    problems += planner.problems
    if tree.joints_on_ways > MOST_JOINTS and not tree.long:
        text = f"{len(bodies)} bodies carry each other in long rows, and so every equation would be long"
        advice = f"leave `{ELIMINATE}` of the drives out" if by == JOINTS else 'take coordinates = "joints"'
        problems.append(Problem(f"{text}; {advice}", key=("mechanism", "coordinates")))
    return tree


MOST_JOINTS = 1_000  # on the ways to all bodies: a chain of forty, in which a body's place has forty terms
WRITTEN = {2: 120, 3: 36}  # of them, in the plane and in space, up to which equations are written in coordinates alone


@dataclass(frozen=True)
class Branch:
    """A joint that carries a body. forward: the body is its second one. names: of its coordinates, by key.

    driven: those that are none, as a drive takes their place: name and drive, by key.
    """

    body: str
    joint: str
    parent: str
    forward: bool
    names: Mapping[str, str]
    driven: Mapping[str, tuple[str, str]]

    @property
    def all_names(self) -> dict[str, str]:
        """The names of its coordinates by key, also of those that are driven."""
        return {**self.names, **{key: name for key, (name, _) in self.driven.items()}}


@dataclass(frozen=True)
class Tree:
    """What carries each body. branches: from the ground outwards. free: bodies that nothing carries."""

    by: str
    branches: tuple[Branch, ...]
    free: tuple[str, ...]
    coordinates: tuple[str, ...]
    wanted: tuple[str, ...] = ()  # joints that the user put into it
    dimensions: int = 2

    @property
    def joints_on_ways(self) -> int:
        """How many joints there are on the ways to all bodies; one counts for every body behind it."""
        depth: dict[str, int] = {}
        for branch in self.branches:
            depth[branch.body] = depth.get(branch.parent, 0) + 1
        return sum(depth.values())

    @cached_property
    def long(self) -> bool:
        """Whether bodies are so far out that their motion is followed one joint at a time, not written out."""
        driven = any(branch.driven for branch in self.branches)
        return self.by == JOINTS and not driven and self.joints_on_ways > WRITTEN[self.dimensions]

    @property
    def names(self) -> list[str]:
        """The names of all coordinates, also of those that are driven."""
        return [*self.coordinates, *(name for branch in self.branches for name, _ in branch.driven.values())]

    def branch(self, joint: str) -> Branch | None:
        """Return what a joint carries; None if it closes a loop."""
        return self._by_joint.get(joint)

    @cached_property
    def _by_joint(self) -> dict[str, Branch]:
        return {branch.joint: branch for branch in self.branches}

    def __str__(self) -> str:
        carried = [f"`{branch.body}` by `{branch.joint}`{_driven_by(branch)}" for branch in self.branches]
        parts = [f"carried are {', '.join(carried)}"] if carried else []
        parts += [f"{quoted(self.free)} {'is' if len(self.free) == 1 else 'are'} free"] if self.free else []
        return "; ".join(parts)


def _driven_by(branch: Branch) -> str:
    return "".join(f" (its {key} is that of `{drive}`)" for key, (_, drive) in branch.driven.items())


@dataclass(frozen=True)
class _Edge:
    """A joint that could carry a body, by the coordinates that it moves along."""

    joint: str
    bodies: tuple[str, str]
    pair: Pair
    table: Mapping[str, Any]
    moves: tuple[str, ...]

    def other(self, body: str) -> str:
        return self.bodies[1 if body == self.bodies[0] else 0]


class Planner:
    """Chooses the tree of the tables of a mechanism; `problems` are those of the entries that ask for one.

    Particles are carried by slots and pins, if at all, and carry nothing.
    """

    def __init__(
        self, by: str, dimensions: int, bodies: Sequence[str], tables: Mapping[str, Any], carry_particles: bool = True
    ):
        self.by, self.dimensions, self.bodies = by, dimensions, list(bodies)
        self.tables, self.problems = tables, list[Problem]()
        self.points = {name for name in bodies if is_particle(tables["bodies"].get(name))}
        self.carried = {GROUND, *bodies} if carry_particles else {GROUND, *bodies} - self.points
        self.edges = {edge.joint: edge for edge in map(self._edge, tables["joints"].items()) if edge is not None}

    def tree(self, wanted: Any) -> Tree:
        """Return the tree, with the joints that are wanted in it."""
        first = self._wanted(wanted)
        groups = {body: body for body in (GROUND, *self.bodies)}
        for edge in first:
            one, other = (self._group(groups, body) for body in edge.bodies)
            if one == other:
                text = f"joint `{edge.joint}` closes a loop of joints that are named before it; leave one of them out"
                self._problem(text, "tree")
                continue
            groups[one] = other
        chosen = {edge.joint for edge in first}
        found: dict[str, Branch] = {}
        free: list[str] = []
        reached: set[str] = set()
        for root in (GROUND, *sorted(self.bodies, key=lambda body: body in self.points)):
            if root in reached:
                continue
            if root != GROUND:
                free.append(root)
            self._grow(root, chosen, reached, found, groups)
        for edge in first:
            if edge.joint not in {branch.joint for branch in found.values()} and not self.problems:
                self._problem(f"joint `{edge.joint}` would hang a body on a particle; leave it out", "tree")
        names = {branch.body: tuple(branch.names.values()) for branch in found.values()}
        own = {name: coordinate_names(name, self.dimensions, name not in self.points) for name in free}
        coordinates = [x for name in self.bodies for x in (names | own)[name]]
        branches, wished = tuple(found.values()), tuple(sorted(chosen))
        return Tree(self.by, branches, tuple(free), tuple(coordinates), wished, self.dimensions)

    def _grow(
        self, root: str, chosen: set[str], reached: set[str], found: dict[str, Branch], groups: dict[str, str]
    ) -> None:
        """Reach all bodies that joints connect with a root, the nearest first; what is chosen is followed at once."""
        edges: dict[str, list[_Edge]] = {}
        for edge in self.edges.values():
            for body in edge.bodies:
                edges.setdefault(body, []).append(edge)
        entered = {self._group(groups, root)}
        level = self._enter(root, edges, chosen, reached, found)
        while level:
            following: list[str] = []
            for body in level:
                for edge in edges.get(body, ()) if body not in self.points else ():
                    other = edge.other(body)
                    group = self._group(groups, other)
                    if other in self.points and any(one.joint in chosen for one in edges[other]):
                        continue  # it waits for that joint
                    if other not in reached and group not in entered:
                        entered.add(group)
                        found[other] = self._branch(edge, body)
                        following += self._enter(other, edges, chosen, reached, found)
            level = following

    def _enter(
        self,
        body: str,
        edges: Mapping[str, Sequence[_Edge]],
        chosen: set[str],
        reached: set[str],
        found: dict[str, Branch],
    ) -> list[str]:
        """Reach a body, and from there all others along chosen joints."""
        reached.add(body)
        met, new = [body], [body]
        while new:
            now = new.pop()
            for edge in edges.get(now, ()) if now not in self.points else ():
                if edge.joint in chosen and (other := edge.other(now)) not in reached:
                    found[other] = self._branch(edge, now)
                    reached.add(other)
                    met.append(other)
                    new.append(other)
        return met

    def _branch(self, edge: _Edge, parent: str) -> Branch:
        body = edge.other(parent)
        names, drives = self._names(edge, body), self._drives(edge)
        driven = {key: (names.pop(key), drive) for key, drive in drives.items()}
        return Branch(body, edge.joint, parent, body == edge.bodies[1], names, driven)

    def _drives(self, edge: _Edge) -> dict[str, str]:
        """Return the drives that take the place of coordinates of a joint, by key."""
        found = {}
        for name, table in self.tables["drives"].items() if self.by == JOINTS else ():
            if isinstance(table, Mapping) and table.get(ELIMINATE) is True and table.get("joint") == edge.joint:
                found |= {key: name for key in edge.moves if not isinstance(table.get(key, {}), Mapping)}
        return found

    def _names(self, edge: _Edge, body: str) -> dict[str, str]:
        """Return how the coordinates of a joint are called: by the user, else by the joint or the body."""
        own, names = named_coordinates(edge.table, edge.moves), {}
        for key in edge.moves:
            usual = f"phi_{body}" if self.by == ANGLES and is_angle(key) else f"{key}_{edge.joint}"
            names[key] = own.get(key, usual)
        return names

    def _edge(self, item: tuple[str, Any]) -> _Edge | None:
        """Return a joint that could carry a body; None of all others, and of what cannot be read."""
        name, table = item
        if not isinstance(table, Mapping):
            return None
        pair, bodies = PAIRS[self.dimensions].get(str(table.get("kind"))), as_sequence(table.get("bodies"))
        if pair is None or pair.motion is None or bodies is None or len(bodies) != 2 or bodies[0] == bodies[1]:
            return None
        if not all(isinstance(body, str) and body in self.carried for body in bodies):
            return None
        points = self.points.intersection(bodies)
        left = still(pair.moves) if points else ()
        moves = tuple(key for key in pair.moves if key not in left)
        return _Edge(name, (bodies[0], bodies[1]), pair, table, moves) if len(points) < 2 else None

    def _wanted(self, wanted: Any) -> list[_Edge]:
        """Return the joints that the user wants in the tree."""
        if wanted is None:
            return []
        names = as_sequence(wanted)
        if names is None or not all(isinstance(name, str) for name in names):
            self._problem(f'expected a list of joints, as in ["A", "B"], got {str(wanted)[:40]}', "tree")
            return []
        found = []
        for name in dict.fromkeys(names):
            if name not in self.tables["joints"]:
                self._problem(
                    f"there is no joint `{name[:40]}`; {nearest(name, self.tables['joints'], 'joints')}", "tree"
                )
            elif name not in self.edges:
                kind = self.tables["joints"][name]
                kind = kind.get("kind") if isinstance(kind, Mapping) else None
                text = f"joint `{name}` ({kind}) cannot carry a body: its second body does not follow from coordinates"
                self._problem(f"{text}; leave it out, so that it closes a loop", "tree")
            else:
                found.append(self.edges[name])
        return found

    def _problem(self, text: str, *key: str) -> None:
        self.problems.append(Problem(text, key=("mechanism", *key)))

    @staticmethod
    def _group(groups: dict[str, str], body: str) -> str:
        while groups[body] != body:
            body = groups[body]
        return body
