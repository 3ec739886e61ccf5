"""Drives: the coordinate of a joint, or its speed, as a function of time; a constraint that contains time.

A table of values is followed by a natural cubic spline, which goes on straight beyond its ends: value, speed and
acceleration are continuous everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.errors import quoted
from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import SWITCHING
from dalembert.language.curves import NATURAL, STRAIGHT
from dalembert.language.program import Program
from dalembert.language.state_names import as_written
from dalembert.model.datafile import MAX_POINTS
from dalembert.model.mechanism.elements.action import read_joint_name
from dalembert.model.mechanism.pairs.base import is_angle
from dalembert.model.mechanism.part import Part
from dalembert.model.mechanism.table_reader import TableReader, as_sequence
from dalembert.model.mechanism.tree import ELIMINATE, JOINTS
from dalembert.model.mechanism.vectors import ZERO
from dalembert.model.quantity import FORCE, MOMENT, Quantity, multiplier
from dalembert.model.sections.tables import from_file, operations, wrong_with

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly

Points = Mapping[str, Mapping[str, Any]]
KINDS = ("angle", "distance", "speed")


@dataclass(frozen=True, repr=False)
class Drive(Part):
    """A driven joint: `kind` is the driven coordinate, or speed; `motion` its value as an expression of time.

    Where that is a table of its own, `points` are its entries, by the name under which it is called.

    The multiplier of its condition is the torque or force that the drive exerts on the second body of the joint.
    """

    name: str
    table: Mapping[str, Any]
    joint: str
    coordinate: str
    kind: str
    motion: Expr
    condition: Expr
    points: Points | None = None

    @property
    def conditions(self) -> dict[str, Expr]:
        """What must vanish; nothing, if its function of time has taken the place of a coordinate."""
        return {f"{self.name}.{self.kind}": self.condition} if self.condition != 0 else {}

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """The torque or the force that it exerts on the second body of its joint."""
        name, unit = ("torque", MOMENT) if is_angle(self.coordinate) else ("force", FORCE)
        return {name: Quantity(lambda: multiplier(f"{self.name}.{self.kind}"), unit)}


def read_drive(table: TableReader, assembly: Assembly) -> Drive | None:
    """Read a drive: a coordinate of a joint, or its `speed`, each an expression of time or a table {t, value}."""
    joint = read_joint_name(table, assembly)
    if joint is None:
        return None
    names = tuple(joint.coordinates)
    if not names:
        table.problem(f"nothing of joint `{joint.name}` ({joint.kind}) can be driven{_instead(joint.kind)}", "joint")
        return None
    possible = dict.fromkeys((*names, *KINDS))
    kind = table.one_of(*(possible if any(map(table.has, possible)) else (*names, "speed")))
    if kind is None:
        return None
    coordinate = kind if kind != "speed" else table.word("coordinate", names, names[0] if len(names) == 1 else None)
    if coordinate is None:
        return None
    if coordinate not in names:
        table.problem(f"joint `{joint.name}` ({joint.kind}) has no {coordinate}; it has {quoted(names)}", kind)
        return None
    for other in assembly.elements["drives"].values():
        if (other.joint, other.coordinate) == (joint.name, coordinate):
            table.problem(
                f"the {coordinate} of joint `{joint.name}` is driven by `{other.name}` already, and cannot follow two "
                "drives; remove one of them, or write the sum of both motions into one",
                "joint",
            )
            return None
    motion, points = read_motion(table, kind)
    if table.flag(ELIMINATE) and (text := stays(assembly, table.name, joint.name, kind, motion)):
        table.problem(f"{text}; leave `{ELIMINATE}` out", ELIMINATE)
    driven, branch = joint.coordinates[coordinate], assembly.tree.branch(joint.name)
    if branch is not None and coordinate in branch.driven:
        condition = ZERO
    elif kind == "speed":
        condition = driven.rate - motion
    else:
        condition = driven.equals(motion - whole_turns(motion, assembly) if driven.cyclic else motion)
    return Drive(table.name, table.finish(), joint.name, coordinate, kind, motion, condition, points)


def stays(assembly: Assembly, drive: str, joint: str, kind: str, motion: Expr) -> str:
    """Say why a drive cannot take the place of a coordinate; empty if it can, or where coordinates are others."""
    if kind == "speed":
        return "only a drive by an angle or a distance can take the place of a coordinate"
    if motion.atoms(*SWITCHING):
        return "tables and functions that switch cannot take the place of a coordinate"
    if assembly.tree.by == JOINTS and assembly.tree.branch(joint) is None:
        return f"joint `{joint}` carries no body, and has no coordinate of which `{drive}` could take the place"
    return ""


def _instead(kind: str) -> str:
    """Say what to drive instead of a pair without coordinates."""
    if kind == "spherical":
        return ", as it has no axes: drive a universal pair and a revolute in its place, with a body between them"
    return ""


def whole_turns(motion: Expr, assembly: Assembly) -> Expr:
    """Return the whole turns in the angle at the start; without them it is nearest to the assembled position."""
    symbols = sorted(motion.free_symbols - {se.Symbol(TIME)}, key=str)
    assembly.judged.used |= {symbol.name for symbol in symbols}
    values = [assembly.parameters.get(symbol.name) for symbol in symbols]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return ZERO
    start = Program([se.Symbol(TIME), *symbols], [motion]).floats([0.0, *known])[0]
    return 2 * round(start / (2 * math.pi)) * se.pi if math.isfinite(start) else ZERO


def read_motion(table: TableReader, kind: str) -> tuple[Expr, Points | None]:
    """Read a function of time: an expression, or a table, which is then a function of its own."""
    if isinstance(table.given[kind], Mapping):
        points = read_points(table.table(kind))
        if points is None:
            return ZERO, None
        call = free_name(f"{table.name}_{kind}", table.reader)
        rows = table.reader.calls[call] = operations(call, points)
        return rows[0].build(se.Symbol(TIME)), MappingProxyType({call: points})
    motion = table.expression(kind)
    known = table.reader.coordinates | table.reader.laws
    follows = table.reader.acting.knows
    names = {s.name: s.name.rstrip("'") for s in motion.free_symbols}
    moving = sorted(as_written(name) for name, plain in names.items() if plain in known or follows(plain))
    if moving:
        text = (
            f"a drive is a function of time; {quoted(moving[:4])} cannot stand here (a force that depends on the motion"
        )
        table.problem(f"{text} is an actuator, a condition between coordinates belongs into [constraints])", kind)
    return motion, None


def free_name(name: str, assembly: Assembly) -> str:
    """Return a name for a function that nothing has yet."""
    known = {**assembly.coordinates, **assembly.parameters, **assembly.definitions, **assembly.laws, **assembly.calls}
    while name in known:
        name += "_"
    return name


def read_points(table: TableReader) -> dict[str, Any] | None:
    """Read times and values, or a file of them; return the entries of a table, a spline that goes on straight."""
    if table.has("file"):
        read = table.reader.attempt((*table.key, "file"), lambda: from_file(table.reader, table.given["file"]))
        if any(map(table.has, ("t", "value"))):
            table.problem("points are given by `t` and `value`, or by a `file`; take one of them away", "file")
        times, values = read or ((), ())
        table.kept |= {key: tuple(map(se.RealDouble, column)) for key, column in (("t", times), ("value", values))}
    else:
        times, values = numbers(table, "t"), numbers(table, "value")
    table.finish()
    if not times or not values:
        return None
    points = {"x": tuple(times), "value": tuple(values), "kind": NATURAL, "beyond": STRAIGHT}
    if len(times) > MAX_POINTS:
        table.problem(f"{len(times):,} points; at most {MAX_POINTS:,} are read", "t")
    elif wrong := wrong_with(points, "times"):
        table.problem(wrong, "file" if table.has("file") else "t")
    else:
        return points
    return None


def numbers(table: TableReader, key: str) -> Sequence[float]:
    """Read a list of numbers, or of expressions of parameters that have values."""
    items = as_sequence(table.given[key]) if table.has(key) else None
    if not items:
        table.problem(f"`{key}` is missing: a list of numbers", key)
        return []
    if all(type(item) is float and math.isfinite(item) for item in items):  # as measured, and then many
        table.kept[key] = tuple(map(se.RealDouble, items))
        return items
    read = [table.reader.constant_expression(item, (*table.key, key)) for item in items]
    table.kept[key] = tuple(read)
    values = [table.reader.value(expr) for expr in read]
    if any(value is None for value in values):
        table.problem("a table needs numbers, or parameters that have values", key)
        return []
    return [value for value in values if value is not None]
