"""A joint: a pair between two bodies of a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.errors import ModelError, quoted
from dalembert.language.building import Expr
from dalembert.language.tokens import NAME
from dalembert.model.contact import pressing
from dalembert.model.mechanism.edges import STOPS, TIGHT, read_edges
from dalembert.model.mechanism.marker import Marker, read_markers
from dalembert.model.mechanism.pairs import PAIRS, Coordinate, Pair
from dalembert.model.mechanism.pairs.base import is_angle, plain, still
from dalembert.model.mechanism.part import Part
from dalembert.model.mechanism.reaction import force, moment
from dalembert.model.mechanism.table_reader import GROUND, TableReader
from dalembert.model.mechanism.vectors import Vector, add
from dalembert.model.mechanism.views import EULER, View, probed
from dalembert.model.quantity import ANGLE, FORCE, LENGTH, MOMENT, Quantity, multiplier, vector

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly


@dataclass(frozen=True, repr=False)
class Joint(Part):
    """A joint between two bodies: the markers on them, and the further values of its pair.

    carries: the body whose motion follows from it; empty if it closes a loop, or bodies have coordinates of their own.
    own: its coordinates, where they are coordinates of the mechanism. slips: whether friction has taken the place of
    its conditions that nothing slips. slack: whether it holds only while it is tight, as a contact does.
    """

    name: str
    table: Mapping[str, Any]
    pair: Pair
    bodies: tuple[str, str]
    markers: tuple[Marker, Marker]
    values: Mapping[str, Any]
    carries: str = ""
    own: Mapping[str, Coordinate] = field(default_factory=dict)
    slips: bool = False
    slack: bool = False

    @property
    def kind(self) -> str:
        """What pair it is."""
        return self.pair.kind

    @property
    def moves(self) -> tuple[str, ...]:
        """The coordinates by which it can carry a body."""
        return moves_of(self.pair, self.markers)

    @cached_property
    def conditions(self) -> dict[str, Expr]:
        """What must vanish, by names such as `A.x`."""
        if self.slack:
            return {}
        left = {f"{self.name}.{key}" for key in self.pair.rolls} if self.slips else ()
        return {name: expr for name, expr in self.all_conditions.items() if name not in left}

    @cached_property
    def all_conditions(self) -> dict[str, Expr]:
        """The same, with those that friction, or going slack, has taken the place of."""
        try:
            given = self.pair.equations(*self.markers, **self.values)
        except Exception as error:  # of a pair that the user wrote
            raise ModelError(f"pair `{self.kind}` failed: {type(error).__name__}: {error}") from error
        if not isinstance(given, Mapping) or not given or not all(map(is_name, given)):
            raise ModelError(
                f"pair `{self.kind}` must return its conditions by name, as in {{'x': …}}, got {given!r:.60}"
            )
        return {f"{self.name}.{key}": plain(expr) for key, expr in given.items()}

    @cached_property
    def coordinates(self) -> Mapping[str, Coordinate]:
        """Its relative coordinates: angle, distance; without those that ask for the orientation of a particle."""
        found = self.pair.coordinates(*self.markers, **self.values)
        for body, marker in zip(self.bodies, self.markers, strict=True):
            if not marker.view.turns:
                found = {
                    key: one for key, one in found.items() if not self.asks_for_turn(body, self.pair.coordinates, key)
                }
        return {**found, **self.own}

    def asks_for_turn(self, body: str, make: Callable[..., Mapping[str, Any]], key: str | None = None) -> bool:
        """Tell whether what is made of its markers depends on the orientation of a body."""
        k = self.bodies.index(body)
        view, probes = probed(self.markers[k].view)
        markers = [replace(marker, view=view) if i == k else marker for i, marker in enumerate(self.markers)]
        made = make(*markers, **self.values)
        parts = [made[key].value, made[key].rate] if key else [plain(expr) for expr in made.values()]
        return any(expr.free_symbols & probes for expr in parts)

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """Its coordinates, the multipliers of its conditions, its force and its moment; and what its pair adds.

        Force and moment are those on the second body, or on the first if the second is the ground; the moment is about
        the point in which the joint acts.
        """
        if self.slack:
            return {"force": Quantity(lambda: pressing(f"{self.name}_{TIGHT}"), FORCE), **self.measured}
        body = self.bodies[0 if self.bodies[1] == GROUND else 1]
        view = self.markers[self.bodies.index(body)].view
        letters = "xyz"[: len(view.centre)]
        found = vector("force", FORCE, letters, lambda: force(self.conditions, view))
        turning = vector("moment", MOMENT, "xyz", lambda: moment(self.conditions, view, self.point(body)))
        if len(letters) == 2:
            turning = {"moment": turning["moment"], "moment_z": turning["moment_x"]}
        found |= turning
        for name in self.conditions:
            unit = MOMENT if self.key(name) in self.pair.moments else FORCE if self.pair.own else ""
            found[self.key(name)] = Quantity(lambda name=name: multiplier(name), unit)
        return {**found, **self.measured, **self.pair.quantities(self)}

    @property
    def measured(self) -> dict[str, Quantity]:
        """Its coordinates."""
        found = {}
        for name, coordinate in self.coordinates.items():
            unit = ANGLE if is_angle(name) else LENGTH
            found[name] = Quantity(lambda c=coordinate: c.value, unit, lambda c=coordinate: c.rate)
        return found

    def key(self, condition: str) -> str:
        """Return what a condition is called inside of the joint."""
        return condition.removeprefix(f"{self.name}.")

    @property
    def axis_places(self) -> tuple[Vector, ...]:
        """The points of both bodies, and a point on the axis through the first."""
        a, b = self.markers
        return a.place, b.place, add(a.place, a.x if len(a.place) == 2 else a.z)

    def point(self, body: str) -> Vector:
        """Return where its reaction on one of its two bodies acts, in the world."""
        if self.pair.point is not None:
            return self.pair.point(*self.markers, **self.values)
        return self.markers[0 if self.pair.places == "apart" and body == self.bodies[0] else 1].place


def seen_joint(joint: Joint, views: Mapping[int, View]) -> Joint:
    """Return a joint between bodies that move otherwise; their new views are given by the ids of the old ones."""

    def marker(old: Marker) -> Marker:
        view = views.get(id(old.view))
        return old if view is None else Marker(view, old.placement)

    def seen(value: Any) -> Any:
        """Return the values of a pair, with the markers among them."""
        if isinstance(value, Marker):
            return marker(value)
        if isinstance(value, Mapping):
            return {key: seen(item) for key, item in value.items()}
        if isinstance(value, (tuple, list)):
            items = map(seen, value)
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        return value

    first, second = map(marker, joint.markers)
    return replace(joint, markers=(first, second), values=seen(joint.values))


WORDS = ("length", "angle", "angle1", "angle2", "distance", "rate")  # in expressions of forces
POINTS = {2: "`rod`, `rope`, `slot` or `revolute`", 3: "`rod`, `point_on_line`, `point_in_plane` or `spherical`"}
OTHER_NAMES = {  # of the pairs, in other books and programs
    **dict.fromkeys(("hinge", "pin", "pivot", "rotary", "rotational"), "revolute"),
    **dict.fromkeys(("slider", "sliding", "translational", "linear"), "prismatic"),
    **dict.fromkeys(("fixed", "weld", "welded"), "rigid"),
    **dict.fromkeys(("ball", "socket"), "spherical"),
    **dict.fromkeys(("cardan", "hooke"), "universal"),
    **dict.fromkeys(("cable", "pulley", "belt"), "rope"),
    **dict.fromkeys(("helical",), "screw"),
    **dict.fromkeys(("link", "bar"), "rod"),
}


def is_name(key: Any) -> bool:
    """Tell whether a condition can be called so."""
    return isinstance(key, str) and NAME.fullmatch(key) is not None


def read_joint(table: TableReader, assembly: Assembly) -> Joint | None:
    """Read a joint; None, after a report, where its kind or its bodies are not known."""
    kinds = PAIRS[assembly.dimensions]
    given = table.given.get("kind") if table.has("kind") else None
    elsewhere = PAIRS[5 - assembly.dimensions]
    if isinstance(given, str) and given not in kinds and given in elsewhere:
        here, there = ("the plane", "space") if assembly.dimensions == 2 else ("space", "the plane")
        other = f"for those of {there} give `dimensions = {5 - assembly.dimensions}` to the mechanism"
        table.problem(f"`{given}` is a pair of {there}; kinds in {here}: {', '.join(kinds)}; {other}", "kind")
        return None
    if isinstance(given, str) and given not in kinds and OTHER_NAMES.get(given) in kinds:
        table.problem(f"got `{given}`; this pair is called `{OTHER_NAMES[given]}`", "kind")
        return None
    kind = table.word("kind", kinds, what="kinds")
    names = assembly.read_bodies(table)
    if kind is None or names is None:
        return None
    pair = kinds[kind]
    bodies = [assembly.bodies[name] for name in names]
    markers = read_markers(table, bodies, pair.axis, pair.places)
    values = {key: read_value(table, key, default) for key, default in pair.values.items()}
    values |= pair.read(table, assembly, markers)
    if table.has("coordinate") or table.has("coordinates"):
        read_names(table, pair, moves_of(pair, markers) if pair.moves else tuple(pair.coordinates(*markers, **values)))
    slips = bool(pair.rolls) and rubs_itself(assembly.given.sections.get("friction"), table.name)
    joint = Joint(table.name, {}, pair, names, (markers[0], markers[1]), values, slips=slips)
    edged = any(table.has(key) for key in (*STOPS, "slack", "restitution"))
    slack = edged and read_edges(table, kind, joint.coordinates, map(joint.key, joint.all_conditions))
    joint = replace(joint, table=table.finish(), slack=slack)
    for body in bodies:
        if not body.view.turns and joint.asks_for_turn(body.name, pair.equations):
            text = f"a joint `{kind}` holds the orientation of `{body.name}`, which is a particle and has none"
            table.problem(f"{text}; hold it by {POINTS[assembly.dimensions]}", "kind")
            return None
    return joint


def rubs_itself(frictions: Any, name: str) -> bool:
    """Tell whether there is friction of a joint along what its own pair says, among tables as they are given."""
    tables = frictions.values() if isinstance(frictions, Mapping) else ()
    return any(isinstance(one, Mapping) and one.get("joint") == name and one.get("slip") is None for one in tables)


def moves_of(pair: Pair, markers: Sequence[Marker]) -> tuple[str, ...]:
    """Return the coordinates by which a pair carries a body; a particle does not turn."""
    left = () if all(marker.view.turns for marker in markers) else still(pair.moves)
    return tuple(key for key in pair.moves if key not in left)


def read_names(table: TableReader, pair: Pair, keys: Sequence[str]) -> None:
    """Read how its coordinates are called: `coordinate` of its only one, `coordinates` by their keys."""
    if table.has("coordinate"):
        if len([key for key in keys if key not in EULER]) == 1:
            read_name(table, "coordinate")
        else:
            advice = f"name them as in coordinates = {{{keys[0]} = …}}" if keys else "leave the name out"
            has = quoted(keys) if keys else "none"
            table.problem(f"a pair `{pair.kind}` has not one coordinate, but {has}; {advice}", "coordinate")
    if table.has("coordinates"):
        if table.has("coordinate"):
            table.problem("`coordinate` and `coordinates` say the same thing twice; give one of them", "coordinates")
        inner = table.table("coordinates")
        for key in keys:
            if inner.has(key):
                read_name(inner, key)
        inner.finish()


def read_name(table: TableReader, key: str) -> None:
    """Read the name of a coordinate."""
    name = table.given[key]
    if not is_name(name):
        table.problem(f"a name is letters, digits and _, and does not begin with a digit; got {name!r:.40}", key)
    elif name in WORDS:
        table.problem(f"`{name}` is a word of springs and actuators for what they act on; choose another name", key)
    elif (body := _body_of(table, name)) and not _is_own_angle(table, body):
        table.problem(f"`{name}` is a coordinate of body `{body}`; choose another name", key)
    table.kept[key] = name if isinstance(name, str) else ""


def _body_of(table: TableReader, name: str) -> str:
    """Return the body of which a name is a coordinate."""
    return next((body.name for body in table.reader.bodies.values() if name in body.coordinates), "")


def _is_own_angle(table: TableReader, body: str) -> bool:
    """Tell whether a joint carries a body in coordinates in which its own is the angle of the body."""
    tree = table.reader.tree
    branch = tree.branch(table.key[1])
    return tree.by == "angles" and branch is not None and branch.body == body


def read_value(table: TableReader, key: str, default: Any) -> Any:
    """Read a constant of a pair, or several where its default is a list."""
    if isinstance(default, Sequence) and not isinstance(default, str):
        return table.vector(key, size=len(default))
    return table.constant(key, None if default is None else plain(default))
