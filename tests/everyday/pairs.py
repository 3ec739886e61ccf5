"""The kinematic pairs for the second time, each from what its bodies may not do: points, directions, velocities.

What rolls, meshes, runs over pulleys or turns by a thread is written as the equality of the velocities of two material
points, whatever condition on positions the package has for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.everyday import jets
from tests.everyday.words import word

if TYPE_CHECKING:
    from tests.everyday.machines import Body, Scene

Conditions = list[tuple[str, Any]]


def conditions(scene: Scene, table: Mapping[str, Any]) -> Conditions:
    """Return the conditions of a joint with their level."""
    return PAIRS[scene.dimensions, table["kind"]](Ends(scene, table))


class Ends:
    """The two ends of a joint at a state."""

    def __init__(self, scene: Scene, table: Mapping[str, Any]):
        self.scene, self.table = scene, table
        self.first, self.second = (scene.bodies[name] for name in table["bodies"])
        apart = table["kind"] in ("rod", "rope", "gear", "rack", "rolling", "rolling_disk", "rolling_sphere")
        self.p, self.r = scene.points(table, apart)
        self.a, self.b = self.first.point(self.p), self.second.point(self.r)

    @property
    def apart(self) -> np.ndarray:
        """From the first point to the second."""
        return self.b - self.a

    def axes(self, key: str = "axis", default: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the axis on each body, in the body frames."""
        if "axes" in self.table and key == "axis":
            one, two = (np.array(self.scene.number(x)) for x in self.table["axes"])
            return one / np.linalg.norm(one), two / np.linalg.norm(two)
        u = np.array(self.scene.number(self.table.get(key, default)))
        u = u / np.linalg.norm(u)
        return self.first.place.R.T @ u, self.second.place.R.T @ u

    def across(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return two directions at right angles to an axis, and to each other."""
        x = np.cross(u, np.eye(3)[int(np.argmin(np.abs(u)))])
        x = x / np.linalg.norm(x)
        return x, np.cross(u, x)

    def slip(self, where: np.ndarray) -> np.ndarray:
        """Return the velocity of the second body against the first, at a place of the world."""
        return self.second.velocity_at(where) - self.first.velocity_at(where)


def dot(a: Any, b: Any) -> Any:
    """Return the product of two vectors."""
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


def left(a: Any) -> np.ndarray:
    """Return a vector of the plane, a quarter of a turn further."""
    return np.array([-1.0 * a[1], a[0]], dtype=object)


def at(*values: Any) -> Conditions:
    """Return conditions on positions."""
    return [("position", value) for value in values]


def moving(*values: Any) -> Conditions:
    """Return conditions on velocities."""
    return [("velocity", value) for value in values]


# --- in the plane ------------------------------------------------------------------------------------------------------


def revolute(ends: Ends) -> Conditions:
    """Both points in the same place."""
    return at(*ends.apart)


def same_angle(ends: Ends) -> Any:
    """No turn against each other."""
    first, second = ends.first, ends.second
    if "axes" in ends.table or "points" in ends.table:
        one, two = ends.axes() if "axes" in ends.table else (np.array([1.0, 0.0]),) * 2
        home = np.arctan2(one[1], one[0]) - np.arctan2(two[1], two[0])
    else:
        home = second.place.turn[0] - first.place.turn[0]
    return second.turn[0] - first.turn[0] - float(home)


def prismatic(ends: Ends) -> Conditions:
    """On the line of the first body, no turn."""
    return slot(ends) + at(same_angle(ends))


def rigid(ends: Ends) -> Conditions:
    """Nothing moves."""
    return revolute(ends) + at(same_angle(ends))


def slot(ends: Ends) -> Conditions:
    """The second point on a line of the first body."""
    u = ends.first.R @ ends.axes()[0]
    return at(dot(left(u), ends.apart))


def rod(ends: Ends) -> Conditions:
    """A fixed distance."""
    if "length" in ends.table:
        size = ends.scene.number(ends.table["length"])
    else:
        spots = [body.place.at + body.place.R @ x for body, x in ((ends.first, ends.p), (ends.second, ends.r))]
        size = float(np.linalg.norm(spots[1] - spots[0]))
    return at(jets.sqrt(dot(ends.apart, ends.apart)) - size)


def radii(ends: Ends) -> tuple[float, float]:
    """Return the radii of gears, that of an inner wheel counting as negative."""
    distance = float(jets.sqrt(dot(ends.apart, ends.apart)))  # it is held, but need not be that of the placed bodies
    if "radii" in ends.table:
        one, two = ends.scene.number(ends.table["radii"])
    else:
        one, two = ends.scene.number(ends.table["teeth"])
        unit = distance / abs(one + two * (-1 if ends.table.get("internal") else 1))
        one, two = one * unit, two * unit
    return one, two


def gear(ends: Ends) -> Conditions:
    """The rims have the same velocity across the line of centres, where they touch."""
    one, two = radii(ends)
    u = ends.apart / jets.sqrt(dot(ends.apart, ends.apart))
    outside = not ends.table.get("internal") or one > two  # on which side of the first centre they touch
    touch = ends.a + u * (one if outside else -one)
    return moving(dot(left(u), ends.slip(touch)))


def rack(ends: Ends) -> Conditions:
    """The rim has the velocity of the line, along it."""
    u = ends.first.R @ ends.axes()[0]
    n = left(u)
    side = 1.0 if float(dot(n, ends.apart)) > 0 else -1.0
    touch = ends.b - n * (side * ends.scene.number(ends.table["radius"]))
    return moving(dot(u, ends.slip(touch)))


def rolling(ends: Ends) -> Conditions:
    """The disk touches the line, and does not slip on it."""
    n = left(ends.first.R @ ends.axes()[0])
    side = 1.0 if float(dot(n, ends.apart)) > 0 else -1.0
    height = dot(n, ends.apart) - side * ends.scene.number(ends.table["radius"])
    return at(height) + rack(ends)


def rope(ends: Ends) -> Conditions:
    """The straight parts do not stretch: the ends of each have the same velocity along it, rims included."""
    scene = ends.scene
    stops: list[tuple[Body, np.ndarray, float]] = [(ends.first, ends.a, 0.0)]
    for item in ends.table["over"]:
        body = scene.bodies[item.get("body", "ground")]
        p = (
            scene.named(item.get("body", "ground"), item["point"])
            if "point" in item
            else body.place.inward(scene.number(item["at"]))
        )
        r = scene.number(item["radius"]) * (-1 if item.get("side") == "right" else 1)
        stops.append((body, body.point(p), r))
    stops.append((ends.second, ends.b, 0.0))
    parts = []
    for (one, start, r1), (two, end, r2) in pairwise(stops):
        line, across = end - start, r2 - r1
        straight = jets.sqrt(dot(line, line) - across**2)
        u = (line * straight - left(line) * across) / dot(line, line)
        n = left(u)  # the centre of a pulley on the left is r n from its tangent point
        parts.append(dot(u, two.velocity_at(end - n * r2) - one.velocity_at(start - n * r1)))
    return moving(*parts) if ends.table.get("grip") else moving(sum(parts[1:], parts[0]))


# --- in space ------------------------------------------------------------------------------------------------------------


def parallel(ends: Ends) -> Conditions:
    """Both axes in one direction."""
    one, two = ends.axes()
    z = ends.second.R @ two
    return at(*(dot(ends.first.R @ x, z) for x in ends.across(one)))


def on_line(ends: Ends) -> Conditions:
    """The second point on the axis of the first body."""
    return at(*(dot(ends.first.R @ x, ends.apart) for x in ends.across(ends.axes()[0])))


def no_turn(ends: Ends) -> Conditions:
    """No turn about the axis, from the position in which the bodies were put."""
    first, second = ends.first, ends.second
    u = first.place.R @ ends.axes()[0] if ends.table.get("axis") is not None else np.array([0.0, 0.0, 1.0])
    x, y = ends.across(u)
    return at(dot(first.R @ (first.place.R.T @ y), second.R @ (second.place.R.T @ x)))


def rigid3(ends: Ends) -> Conditions:
    """Nothing moves."""
    first, second = ends.first, ends.second
    axes = [(first.R @ first.place.R.T[:, k], second.R @ second.place.R.T[:, k]) for k in range(3)]
    turns = [dot(axes[i][0], axes[j][1]) for i, j in ((0, 1), (1, 2), (2, 0))]
    return revolute(ends) + at(*turns)


def screw(ends: Ends) -> Conditions:
    """On one line; the way along it is the pitch times the turns."""
    u = ends.first.R @ ends.axes()[0]
    h = ends.scene.number(ends.table["pitch"]) / (2 * np.pi)
    way = dot(u, ends.slip(ends.b)) - h * dot(u, ends.second.omega - ends.first.omega)
    return on_line(ends) + parallel(ends) + moving(way)


def universal(ends: Ends) -> Conditions:
    """Both points in the same place, the arms at right angles."""
    arm = ends.axes()[0], ends.axes("cross")[1]
    return revolute(ends) + at(dot(ends.first.R @ arm[0], ends.second.R @ arm[1]))


def in_plane(ends: Ends) -> Conditions:
    """The second point in a plane of the first body."""
    return at(dot(ends.first.R @ ends.axes()[0], ends.apart))


def rolling3(ends: Ends) -> Conditions:
    """The rim of a disk, or a sphere, touches the plane and does not slip on it."""
    up = ends.axes(default=[0, 0, 1])[0]
    n, r = ends.first.R @ up, ends.scene.number(ends.table["radius"])
    side = 1.0 if float(dot(n, ends.apart)) > 0 else -1.0
    down = n * (-side * r)
    if ends.table["kind"] == "rolling_disk":
        axis = np.array(ends.scene.number(ends.table.get("disk_axis", [0, 0, 1])))
        u = ends.second.R @ (axis / np.linalg.norm(axis))
        lean = dot(n, u)
        down = (n - u * lean) * (-side * r / jets.sqrt(1 - lean * lean))
    slip = ends.slip(ends.b + down)
    return at(dot(n, ends.apart + down)) + moving(*(dot(ends.first.R @ x, slip) for x in ends.across(up)))


PAIRS: dict[tuple[int, str], Callable[[Ends], Conditions]] = {
    (2, "revolute"): revolute,
    (2, "prismatic"): prismatic,
    (2, "rigid"): rigid,
    (2, "slot"): slot,
    (2, "rod"): rod,
    (2, "gear"): gear,
    (2, "rack"): rack,
    (2, "rolling"): rolling,
    (2, "rope"): rope,
    (3, "spherical"): revolute,
    (3, "rigid"): rigid3,
    (3, "screw"): screw,
    (3, "universal"): universal,
    (3, "rod"): rod,
    (3, "revolute"): lambda ends: revolute(ends) + parallel(ends),
    (3, "prismatic"): lambda ends: on_line(ends) + parallel(ends) + no_turn(ends),
    (3, "cylindrical"): lambda ends: on_line(ends) + parallel(ends),
    (3, "planar"): lambda ends: in_plane(ends) + parallel(ends),
    (3, "point_on_line"): on_line,
    (3, "point_in_plane"): in_plane,
    (3, "rolling_disk"): rolling3,
    (3, "rolling_sphere"): rolling3,
}


# --- relative coordinates, for springs and drives ------------------------------------------------------------------------


def coordinate(scene: Scene, table: Mapping[str, Any], name: str | None) -> tuple[str, Any, Any, float]:
    """Return a relative coordinate of a joint: its name, value, rate, and its value as placed."""
    ends = Ends(scene, table)
    first, second, kind = ends.first, ends.second, table["kind"]
    name = name or {"prismatic": "distance", "point_on_line": "distance"}.get(kind, "angle")
    planar = scene.dimensions == 2
    if name == "distance":
        u = first.R @ ends.axes()[0]
        spots = [body.place.at + body.place.R @ x for body, x in ((first, ends.p), (second, ends.r))]
        home = float((first.place.R @ ends.axes()[0]) @ (spots[1] - spots[0]))
        value = dot(u, ends.apart)
        rate = dot(u, ends.slip(ends.b))
        return name, value, rate, home
    if planar:
        home = float(second.place.turn[0] - first.place.turn[0])
        shift = 0.0 if "points" in table else home  # measured between the body frames, or from the placed position
        return name, second.turn[0] - first.turn[0] - shift, second.omega - first.omega, home - shift
    one, _ = ends.axes()
    x, y = ends.across(first.place.R @ one)
    a, b, other = first.R @ (first.place.R.T @ x), first.R @ (first.place.R.T @ y), second.R @ (second.place.R.T @ x)
    rate = dot(first.R @ one, second.omega - first.omega)
    return name, jets.atan2(dot(b, other), dot(a, other)), rate, 0.0


def drive(scene: Scene, table: Mapping[str, Any]) -> Conditions:
    """Return the condition of a drive, as one on the rate of its coordinate and, where that is a length or an angle of
    the plane, on the coordinate itself."""
    joint = scene.tables["joints"][table["joint"]]
    kind = next(key for key in ("angle", "distance", "speed") if key in table)
    name, value, rate, _ = coordinate(scene, joint, table.get("coordinate") if kind == "speed" else kind)
    wanted = word(table[kind]).value(scene.frame.values)
    if kind == "speed":
        return moving(rate - wanted)
    if name == "distance" or scene.dimensions == 2:
        return at(value - wanted)
    speed = wanted.rate(-1) if isinstance(wanted, jets.Jet) else 0.0
    return moving(rate - speed)
