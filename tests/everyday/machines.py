"""Mechanisms for the second time: what bodies and force elements do at a state, from the tables and from geometry alone.

Vectors are NumPy arrays of jets. In the plane they have two components, rotation and spin one number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.everyday import jets
from tests.everyday.jets import gradient
from tests.everyday.oracle import Frame, Oracle, Parts
from tests.everyday.words import number, word

Vector = np.ndarray


def dot(a: Any, b: Any) -> Any:
    """Return the product of two vectors."""
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


def length(a: Any) -> Any:
    """Return the length of a vector."""
    return jets.sqrt(dot(a, a))


def turned_left(a: Any) -> Vector:
    """Return a vector of the plane, a quarter of a turn further."""
    return np.array([-1.0 * a[1], a[0]], dtype=object)


def rotation(turn: Any) -> Vector:
    """Return the rotation matrix of an angle, or of four Euler parameters."""
    if len(turn) == 1:
        c, s = jets.cos(turn[0]), jets.sin(turn[0])
        return np.array([[c, -1.0 * s], [s, c]], dtype=object)
    a, b, c, d = turn
    rows = [
        [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
    ]
    return np.array(rows, dtype=object)


@dataclass
class Place:
    """Where a body frame was put by the user: numbers. turn: the angle, or Euler parameters."""

    at: Vector
    turn: Vector
    centre: Vector

    @property
    def R(self) -> Vector:
        """The rotation matrix."""
        return rotation(self.turn).astype(float)

    def inward(self, point: Any) -> Vector:
        """Return a point of the world in the body frame."""
        return self.R.T @ (np.asarray(point) - self.at)


def placed(table: Mapping[str, Any], dimensions: int, parameters: Mapping[str, float]) -> Place:
    """Read where a body was put."""
    zero = [0.0] * dimensions
    at, centre = (np.array(number(table.get(key, zero), parameters)) for key in ("at", "centre"))
    if dimensions == 2:
        return Place(at, np.array([number(table.get("angle", 0.0), parameters)]), centre)
    given = table.get("rotation")
    if given is None:
        return Place(at, np.array([1.0, 0, 0, 0]), centre)
    axis, half = np.array(number(given["axis"], parameters)), number(given["angle"], parameters) / 2
    return Place(at, np.array([np.cos(half), *(np.sin(half) * axis / np.linalg.norm(axis))]), centre)


class Body:
    """A body at a state; the ground has no coordinates."""

    def __init__(self, place: Place, q: list[Any] | None, v: list[Any] | None):
        n = len(place.at)
        self.place = place
        self.x = np.array(q[:n] if q else place.at, dtype=object)
        self.v = np.array(v[:n] if v else np.zeros(n), dtype=object)
        turn = q[n:] if q else list(place.turn)
        rate = v[n:] if v else [0.0] * len(turn)
        self.turn, self.R = turn, rotation(turn)
        if n == 2:
            self.omega: Any = rate[0]
        else:
            a, b, c, d = turn
            E = np.array(
                [[-1.0 * b, a, d, -1.0 * c], [-1.0 * c, -1.0 * d, a, b], [-1.0 * d, c, -1.0 * b, a]], dtype=object
            )
            self.body_omega = 2.0 * (E @ np.array(rate, dtype=object))
            self.omega = self.R @ self.body_omega

    def point(self, p: Any) -> Vector:
        """Return where a point given in the body frame is."""
        return self.x + self.R @ (np.asarray(p) - self.place.centre)

    def velocity_at(self, where: Vector) -> Vector:
        """Return the velocity of the material point that is at a place of the world."""
        arm = where - self.x
        if len(arm) == 2:
            return self.v + self.omega * turned_left(arm)
        return self.v + np.cross(self.omega, arm)


class Scene:
    """All bodies of a mechanism at a state, with its tables."""

    def __init__(self, tables: Mapping[str, Any], frame: Frame):
        self.tables, self.frame = tables, frame
        self.dimensions = int(tables.get("mechanism", {}).get("dimensions", 2))
        self.parameters = frame.parameters
        per = 3 if self.dimensions == 2 else 7
        self.places = {name: self.place(table) for name, table in tables["bodies"].items()}
        self.places["ground"] = self.place({})
        self.bodies = {"ground": Body(self.places["ground"], None, None)}
        self.slots: dict[str, slice] = {}
        k = 0
        for name in tables["bodies"]:
            if name == "ground":
                continue
            self.slots[name] = slice(k, k + per)
            self.bodies[name] = Body(self.places[name], frame.q[k : k + per], frame.v[k : k + per])
            k += per

    def place(self, table: Mapping[str, Any]) -> Place:
        """Read where a body was put."""
        return placed(table, self.dimensions, self.parameters)

    def number(self, x: Any) -> Any:
        """Return the numbers of a table entry."""
        return number(x, self.parameters)

    def points(self, table: Mapping[str, Any], apart: bool = False) -> list[Vector]:
        """Return the point of a joint or element on each body, in the body frame."""
        names = table["bodies"]
        if "points" in table:
            return [self.named(name, point) for name, point in zip(names, table["points"], strict=True)]
        if "at" not in table:  # the origins
            return [np.zeros(self.dimensions) for _ in names]
        at = self.number(table["at"])
        spots = at if apart else [at, at]
        return [self.places[name].inward(spot) for name, spot in zip(names, spots, strict=True)]

    def named(self, body: str, point: Any) -> Vector:
        """Return a point of a body, by name or as it is."""
        table = self.tables["bodies"].get(body, {})
        return np.array(self.number(table["points"][point] if isinstance(point, str) else point))

    # --- energies and forces -----------------------------------------------------------------------------------------

    def kinetic(self) -> Any:
        """Return the kinetic energy."""
        total: Any = 0.0
        for name, table in self.tables["bodies"].items():
            if name == "ground":
                continue
            body, m = self.bodies[name], self.number(table.get("mass", 0.0))
            total = total + 0.5 * m * dot(body.v, body.v)
            J = np.array(self.number(table.get("inertia", 0.0 if self.dimensions == 2 else [0.0] * 3)))
            if self.dimensions == 2:
                total = total + 0.5 * float(J) * body.omega * body.omega
            else:
                J = J if J.ndim == 2 else np.diag(J)
                total = total + 0.5 * dot(body.body_omega, J @ body.body_omega)
        return total

    def weight(self) -> Any:
        """Return the potential energy of gravity."""
        g = self.tables.get("mechanism", {}).get("gravity", [0, -9.81] if self.dimensions == 2 else [0, 0, -9.81])
        g = np.array(self.number(g))
        total: Any = 0.0
        for name, table in self.tables["bodies"].items():
            if name != "ground":
                total = total - self.number(table.get("mass", 0.0)) * dot(g, self.bodies[name].x)
        return total

    def along(self, rate: Any) -> Vector:
        """Return the generalized force of a unit force whose power is a rate, linear in the velocities."""
        n = len(self.frame.names)
        return gradient(rate, self.frame.size)[n : 2 * n]

    def elements(self) -> Vector:
        """Return the generalized forces of springs, dampers, actuators and loads."""
        total = np.zeros(len(self.frame.names))
        for kind in ("springs", "dampers", "actuators"):
            for table in self.tables.get(kind, {}).values():
                name, value, rate, home = self.action(table)
                z = self.frame.values | {name: value, "rate": rate}
                if "force" in table or "torque" in table:
                    pull = float(word(table.get("force", table.get("torque"))).value(z))
                    pull = -pull if kind == "actuators" else pull
                else:
                    free = self.number(table[name]) if name in table else home
                    k, d = (self.number(table.get(key, 0.0)) for key in ("stiffness", "damping"))
                    pull = k * (float(value) - free) + d * float(rate)
                total -= pull * self.along(rate)
        for table in self.tables.get("loads", {}).values():
            total += self.load(table)
        return total

    def action(self, table: Mapping[str, Any]) -> tuple[str, Any, Any, float]:
        """Return what an element acts along: its name, value and rate, and its value as placed."""
        if "joint" in table:
            from tests.everyday.pairs import coordinate

            joint = self.tables["joints"][table["joint"]]
            return coordinate(self, joint, table.get("coordinate"))
        first, second = (self.bodies[name] for name in table["bodies"])
        if table.get("kind") == "torsion":
            home = float(second.place.turn[0] - first.place.turn[0])
            return "angle", second.turn[0] - first.turn[0], second.omega - first.omega, home
        p, r = self.points(table, apart=True)
        a, b = first.point(p), second.point(r)
        apart = b - a
        speed = dot(apart, second.velocity_at(b) - first.velocity_at(a)) / length(apart)
        ends = [body.place.at + body.place.R @ x for body, x in ((first, p), (second, r))]
        return "length", length(apart), speed, float(np.linalg.norm(ends[1] - ends[0]))

    def load(self, table: Mapping[str, Any]) -> Vector:
        """Return the generalized force of a load."""
        body, n = self.bodies[table["body"]], self.dimensions
        if "at" in table:
            p = body.place.inward(self.number(table["at"]))
        else:
            p = self.named(table["body"], table["point"]) if "point" in table else body.place.centre
        zero = [0.0] * n
        z = self.frame.values
        force = np.array([float(word(x).value(z)) for x in table.get("force", zero)])
        torque = table.get("torque", 0.0 if n == 2 else [0.0] * 3)
        R = np.array([[float(x) for x in row] for row in body.R])
        if table.get("frame") == "body":
            force = R @ force
        spin = body.omega
        if n == 2:
            power = dot(force, body.velocity_at(body.point(p))) + float(word(torque).value(z)) * spin
        else:
            moment = np.array([float(word(x).value(z)) for x in torque])
            moment = R @ moment if table.get("frame") == "body" else moment
            power = dot(force, body.velocity_at(body.point(p))) + dot(moment, spin)
        return self.along(power)


def coordinate_names(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of all coordinates."""
    letters = ("x", "y", "phi") if tables.get("mechanism", {}).get("dimensions", 2) == 2 else SPATIAL
    return tuple(f"{letter}_{body}" for body in tables["bodies"] if body != "ground" for letter in letters)


SPATIAL = ("x", "y", "z", "e0", "e1", "e2", "e3")


def oracle_of(tables: Mapping[str, Any], size: float) -> Oracle:
    """Return the oracle of a mechanism; `size` is a typical length."""
    from tests.everyday.pairs import conditions, drive

    parameters = {name: number(value, {}) for name, value in tables.get("parameters", {}).items()}
    names = coordinate_names(tables)

    def describe(frame: Frame) -> Parts:
        scene = Scene(tables, frame)
        found = []
        for name, body in scene.bodies.items():
            if scene.dimensions == 3 and name != "ground":
                found.append((name, "position", (dot(body.turn, body.turn) - 1) * 0.5))
        for name, table in tables.get("joints", {}).items():
            found += [(name, level, g) for level, g in conditions(scene, table)]
        for name, table in tables.get("drives", {}).items():
            found += [(name, level, g) for level, g in drive(scene, table)]
        return Parts(scene.kinetic(), scene.weight(), None, scene.elements(), found)

    scale = np.array([size if name[:2] in ("x_", "y_", "z_") else 1.0 for name in names])
    quaternions = tuple(k for k, name in enumerate(names) if name.startswith("e0_"))
    return Oracle(names, parameters, describe, scale, quaternions)
