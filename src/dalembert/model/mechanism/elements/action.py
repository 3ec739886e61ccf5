"""What springs, dampers and actuators act along: a line between two bodies, the angle between them, or a joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dalembert.errors import quoted
from dalembert.language.building import Expr
from dalembert.model.drawing import Shape
from dalembert.model.mechanism.elements.base import Element, Site
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.marker import Marker, centre_of, read_markers
from dalembert.model.mechanism.pairs.base import is_angle, rate
from dalembert.model.mechanism.pairs.planar_revolute import turn
from dalembert.model.mechanism.table_reader import TableReader
from dalembert.model.mechanism.vectors import dot, norm, sub
from dalembert.model.quantity import ANGLE, FORCE, LENGTH, MOMENT, Quantity

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.body import Body
    from dalembert.model.mechanism.mechanism import Mechanism

KINDS = ("linear", "torsion")


@dataclass(frozen=True)
class Action:
    """A coordinate on which an element acts, with its rate; `name` is what expressions call it, beside `rate`.

    placed: its value where the bodies are placed. square: of the value, where that has no root in it. markers: the
    ends of a line, else empty.
    """

    name: str
    value: Expr
    rate: Expr
    placed: Expr
    square: Expr | None = None
    markers: tuple[Marker, ...] = ()

    @property
    def names(self) -> tuple[str, str]:
        """The names that an expression of a force may use."""
        return self.name, "rate"


class Acting(Element):
    """An element that acts along a coordinate: between two points, on an angle, in a joint.

    sense: 1 if its force, `push`, is positive in the direction in which the coordinate grows, else -1.
    """

    action: Action
    sense: ClassVar[int] = 1

    @property
    def ends(self) -> tuple[tuple[str, Marker], ...]:
        """The ends of its line."""
        return tuple(zip(self.table.get("bodies", ()), self.action.markers, strict=False))

    @property
    def push(self) -> Expr | None:
        """Its force, or on an angle its torque, with the sign that its kind gives it; None if it does not say."""
        return None

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """The coordinate on which it acts, and its force or torque."""
        action, turns = self.action, is_angle(self.action.name)
        unit = ANGLE if turns else LENGTH
        found = {action.name: Quantity(lambda: action.value, unit, lambda: action.rate)}
        if (push := self.push) is not None:
            found["torque" if turns else "force"] = Quantity(lambda: push, MOMENT if turns else FORCE)
        return found

    def site(self, mechanism: Mechanism) -> Joint | Site:
        """Return its joint, or its two points; of an angle between bodies, their centres."""
        if "joint" in self.table:
            return mechanism.joints[self.table["joint"]]
        first, second = self.table["bodies"]
        a, b = self.action.markers or [centre_of(mechanism.bodies[name]) for name in (first, second)]
        return Site((first, second), (a, b))

    @property
    def drawn(self) -> tuple[str, ...]:
        """As what it is drawn; of two things, they stand beside each other."""
        return (self.word,)

    def shapes(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> list[Shape]:
        """Return it between two points, or on the coordinate of a joint."""
        action, named = self.action, self.table.get("bodies", ())
        if action.markers:
            kinds = self.drawn if len(self.drawn) == 1 else [f"{kind} beside" for kind in self.drawn]
            return [Shape(kind, tuple(marker.place for marker in action.markers), named) for kind in kinds]
        if "joint" in self.table:
            joint = joints[self.table["joint"]]
            return [Shape(f"{kind} {action.name}", joint.axis_places, joint.bodies) for kind in self.drawn]
        pins = [joint for joint in joints.values() if set(joint.bodies) == set(named) and joint.kind == "revolute"]
        places = pins[0].axis_places if pins else (bodies[named[1]].view.q[:2],) * 3
        return [Shape(f"{kind} angle", places, named) for kind in self.drawn]


def read_action(table: TableReader, assembly: Assembly) -> Action | None:
    """Read what an element acts along; None after a report."""
    kind = table.word("kind", KINDS, "linear", "kinds")
    if table.has("joint"):
        if table.has("bodies"):
            table.problem("a joint and two bodies are given; an element acts along one of them", "bodies")
        return read_joint_action(table, assembly)
    if not table.has("bodies"):
        table.problem('give `bodies` and `points` between which it acts, or a `joint`, as in joint = "A"')
        return None
    names = assembly.read_bodies(table)
    if names is None:
        return None
    bodies = [assembly.bodies[name] for name in names]
    if kind == "torsion" and (points := [body.name for body in bodies if not body.view.turns]):
        table.problem(f"`{points[0]}` is a particle, without an angle on which something could act", "kind")
        return None
    if kind == "torsion":
        return read_torsion(table, assembly, bodies)
    a, b = read_markers(table, bodies, places="apart")
    apart = sub(b.place, a.place)
    length = norm(apart)
    ends = [body.placement.outward(marker.placement.at) for body, marker in zip(bodies, (a, b), strict=True)]
    placed = norm(sub(ends[1], ends[0]))
    if assembly.value(placed) == 0:
        text = "both ends are in the same place, where its direction is not defined"
        table.problem(f"{text}; move one of them, or let it act along a `joint`")
    return Action("length", length, rate(length, a, b), placed, dot(apart, apart), (a, b))


def read_torsion(table: TableReader, assembly: Assembly, bodies: list[Body]) -> Action | None:
    """Return the angle between two bodies in the plane."""
    if assembly.dimensions == 3:
        table.problem('in space an angle belongs to a joint: give `joint = "A"` instead of bodies', "kind")
        return None
    angle = turn(*(Marker(body.view, body.placement.origin(2)) for body in bodies))["angle"]
    return Action("angle", angle.value, angle.rate, bodies[1].placement.turn[0] - bodies[0].placement.turn[0])


def read_joint_action(table: TableReader, assembly: Assembly) -> Action | None:
    """Return a coordinate of a joint: its only one, or the one that `coordinate` names."""
    joint = read_joint_name(table, assembly)
    if joint is None:
        return None
    names = tuple(joint.coordinates)
    if not names:
        table.problem(
            f"joint `{joint.name}` ({joint.kind}) has no angle or distance on which something could act", "joint"
        )
        return None
    default = names[0] if len(names) == 1 else None
    if len(names) > 1 and not table.has("coordinate"):
        table.problem(f"joint `{joint.name}` has {quoted(names)}: say which, as in coordinate = {names[0]!r}", "joint")
        return None
    name = table.word("coordinate", names, default, f"coordinates of joint `{joint.name}`")
    if name is None:
        return None
    coordinate, placed = joint.coordinates[name], assembly.placed_joints[joint.name].coordinates[name]
    return Action(name, coordinate.value, coordinate.rate, assembly.home(placed.value))


def read_joint_name(table: TableReader, assembly: Assembly) -> Joint | None:
    """Read the name of a joint; None after a report, or if that joint itself could not be read."""
    name = table.given.get("joint") if table.has("joint") else None
    if isinstance(name, str) and name in assembly.given_tables["joints"]:
        table.kept["joint"] = name
        return assembly.joints.get(name)
    known = assembly.given_tables["joints"]
    table.problem(f"there is no joint `{str(name)[:40]}`{assembly.hint(str(name), known, 'joints')}", "joint")
    return None
