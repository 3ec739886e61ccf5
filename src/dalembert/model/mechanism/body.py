"""A rigid body: its inertia, its place in the assembled position, the points and frames on it; or a particle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.language.building import Expr
from dalembert.language.tokens import NAME
from dalembert.model.mechanism.part import Part
from dalembert.model.mechanism.placement import Placement
from dalembert.model.mechanism.table_reader import GROUND, TableReader, as_sequence
from dalembert.model.mechanism.vectors import ZERO, Matrix, Vector, dot, zeros
from dalembert.model.mechanism.views import PlanarView, SpatialView, View, symbols
from dalembert.model.quantity import LENGTH, SPIN, Quantity
from dalembert.model.tomlscan import MAX_NAME

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly

RIGID, PARTICLE = KINDS = ("rigid", "particle")
CENTRE = "centre"  # how the centre of mass is called among the points
VIEWS = {2: PlanarView, 3: SpatialView}
SMALL = 1e-9  # by which moments of inertia may miss the triangle inequality


@dataclass(frozen=True, repr=False)
class Body(Part):
    """A body of a mechanism. Mass in kg, inertia in kg m² about the centre of mass in the body frame.

    placement: the body frame in the assembled position. centre: of mass, in the body frame.
    frames: named frames in the body frame; a named point is one without a turn.
    velocity: of the centre of mass at the start, in world axes; spin: in body axes; None where they are solved for.
    view: its motion as expressions of its coordinates.
    """

    name: str
    table: Mapping[str, Any]
    mass: Expr
    inertia: Matrix
    placement: Placement
    centre: Vector
    frames: Mapping[str, Placement]
    velocity: Vector | None
    spin: Vector | None
    view: View

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of its coordinates; the ground has none."""
        return coordinate_names(self.name, len(self.centre), self.view.turns)

    @property
    def kinetic(self) -> list[Expr]:
        """The terms of its kinetic energy.

        In space a term with (e·ė)² is added, which is zero as |e| = 1: it gives the Euler parameters a mass matrix that
        can be inverted (4 J times the unit matrix for a sphere), changes no motion and no multiplier, and so opens the
        forms that need the inverse (Betsch and Siebert 2009).
        """
        half, speeds = se.Rational(1, 2), self.view.v[: len(self.centre)]
        terms = [half * self.mass * se.Add(*[speed**2 for speed in speeds])]
        if isinstance(self.view, SpatialView):
            omega = self.view.omega
            for i in range(3):
                terms.append(half * self.inertia[i][i] * omega[i] ** 2)
                terms += [self.inertia[i][j] * omega[i] * omega[j] for j in range(i)]
            mean = se.Add(*[self.inertia[i][i] for i in range(3)]) / 3
            terms += [2 * mean * dot(e, rates) ** 2 for e, rates in self.view.balls]
        else:
            terms.append(half * self.inertia[0][0] * self.view.spin**2)
        return [term for term in terms if term != 0]

    def weight(self, gravity: Vector) -> Expr:
        """Return its potential energy in the field of gravity."""
        return -self.mass * dot(gravity, self.view.q[: len(gravity)])

    @property
    def conditions(self) -> dict[str, Expr]:
        """The condition on its own coordinates: Euler parameters have length 1."""
        if type(self.view) is not SpatialView or self.name == GROUND or not self.view.turns:
            return {}
        return {"norm": (dot(self.view.e, self.view.e) - 1) / 2}

    @property
    def guess(self) -> dict[str, Expr]:
        """The coordinates in the assembled position."""
        if self.name == GROUND:
            return {}
        turn = self.placement.turn if self.view.turns else ()
        return dict(zip(self.coordinates, (*self.placement.outward(self.centre), *turn), strict=True))

    @property
    def spins(self) -> dict[str, Expr]:
        """Its angular velocity by names for initial values: its only one in the plane, in space in body axes."""
        if self.name == GROUND or not self.view.turns:
            return {}
        if isinstance(self.view, PlanarView):
            return {f"{self.coordinates[-1]}'": self.view.spin}
        return {f"{self.name}.spin_{axis}": omega for axis, omega in zip("xyz", self.view.omega, strict=True)}

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """The places of its points, as `P.x` and `centre.x`, and how fast it turns."""
        found: dict[str, Quantity] = {}
        for point in dict.fromkeys((*self.frames, CENTRE)):
            if NAME.fullmatch(point):
                for k, letter in enumerate("xyz"[: len(self.centre)]):
                    found[f"{point}.{letter}"] = Quantity(lambda p=point, k=k: self.place(p)[k], LENGTH)
        for name, spin in self.spins.items():
            _, point, key = name.rpartition(".")
            found[key if point else "spin"] = Quantity(lambda spin=spin: spin, SPIN)
        return found

    def place(self, point: str) -> Vector:
        """Return where a named point is in the world."""
        return self.view.position(self.frames[point].at if point in self.frames else self.centre)

    @property
    def given(self) -> dict[str, dict[str, Expr]]:
        """The velocities that are given for the start, by the entry that gives them.

        In space the rates of the Euler parameters follow from the spin only where the body is after assembly.
        """
        rates = [name + "'" for name in self.coordinates[: len(self.centre)]]
        values: dict[str, dict[str, Expr]] = {}
        if self.velocity is not None:
            values["velocity"] = dict(zip(rates, self.velocity, strict=True))
        if self.spin is not None:
            values["spin"] = dict(zip(self.spins, self.spin, strict=True))
        return values


def coordinate_names(body: str, dimensions: int, turns: bool = True) -> tuple[str, ...]:
    """Return the names of the coordinates of a body; a particle has those of its place."""
    letters = VIEWS[dimensions].letters if turns else VIEWS[dimensions].letters[:dimensions]
    return () if body == GROUND else tuple(f"{letter}_{body}" for letter in letters)


def is_particle(given: Any) -> bool:
    """Tell whether a table is that of a particle."""
    return isinstance(given, Mapping) and given.get("kind") == PARTICLE


def read_body(table: TableReader) -> Body:
    """Read a body; the ground has points and frames only."""
    n, name = table.reader.dimensions, table.name
    if name == GROUND:
        mass, inertia, placement, centre = ZERO, ((ZERO,) * 3,) * 3, Placement.origin(n), zeros(n)
        velocity = spin = None
        view: View = VIEWS[n].ground()
    elif table.word("kind", KINDS, RIGID, "kinds") == PARTICLE:
        return read_particle(table)
    else:
        mass, inertia = read_mass(table), read_inertia(table)
        placement, centre = Placement.read(table), table.vector("centre", zeros(n))
        velocity = table.vector("velocity") if table.has("velocity") else None
        spin = read_spin(table) if table.has("spin") else None
        names = coordinate_names(name, n)
        view = VIEWS[n](symbols(names), symbols(name + "'" for name in names), centre)
    frames = read_frames(table)
    return Body(name, table.finish(), mass, inertia, placement, centre, frames, velocity, spin, view)


def read_particle(table: TableReader) -> Body:
    """Read a point with a mass: nothing of it can turn, and nothing is beside it."""
    n = table.reader.dimensions
    for key in ("inertia", "centre", "angle", "rotation", "spin", "points", "frames"):
        if table.has(key):
            table.problem(f"a particle is a point, without `{key}`; take that away, or the `kind`", key)
            table.kept[key] = table.given[key]
    mass, at = read_mass(table), table.vector("at", zeros(n))
    velocity = table.vector("velocity") if table.has("velocity") else None
    names = coordinate_names(table.name, n, turns=False)
    view = VIEWS[n].particle(symbols(names), symbols(name + "'" for name in names))
    origin, still = Placement.origin(n), (zeros(3),) * 3 if n == 3 else ((ZERO,),)
    placement = Placement(at, origin.R, origin.turn)
    return Body(table.name, table.finish(), mass, still, placement, zeros(n), {}, velocity, None, view)


def read_mass(table: TableReader) -> Expr:
    """Read the mass, which is not negative; a body without one is carried by others."""
    mass = table.constant("mass", ZERO)
    table.judge("mass", [mass], lambda m: f"a mass is not negative, got {m:g} kg" if m < 0 else "")
    return mass


def read_spin(table: TableReader) -> Vector:
    """Read the angular velocity at the start."""
    return (table.constant("spin"),) if table.reader.dimensions == 2 else table.vector("spin")


def read_inertia(table: TableReader) -> Matrix:
    """Read the inertia about the centre of mass: a moment in the plane; in space three of them, or a matrix."""
    if table.reader.dimensions == 2:
        moment = table.constant("inertia", ZERO)
        negative = "a moment of inertia is not negative, got {:g} kg m²"
        table.judge("inertia", [moment], lambda J: negative.format(J) if J < 0 else "")
        return ((moment,),)
    if not table.has("inertia"):
        return (zeros(3),) * 3
    items = as_sequence(table.given["inertia"])
    if items and all(as_sequence(item) is not None for item in items):
        J = table.matrix("inertia", 3, 3)
    else:
        moments = table.vector("inertia")
        J = tuple(tuple(moments[i] if i == j else ZERO for j in range(3)) for i in range(3))
    table.judge("inertia", [entry for row in J for entry in row], no_inertia)
    return J


def no_inertia(*entries: float) -> str:
    """Refuse what is the inertia of no body: J symmetric, principal moments not negative, none above the sum of two."""
    A = np.array(entries).reshape(3, 3)
    size = float(np.abs(A).max())
    if np.abs(A - A.T).max() > SMALL * size:
        return "the matrix of inertia must be symmetric"
    moments = np.linalg.eigvalsh((A + A.T) / 2)
    shown = ", ".join(f"{moment:.4g}" for moment in moments)
    if moments[0] < -SMALL * size:
        return f"moments of inertia are not negative; the principal ones here are {shown} kg m²"
    if moments[2] > moments[0] + moments[1] + SMALL * size:
        text = f"no body has these moments of inertia: the principal ones are {shown} kg m², and none can be larger "
        return f"{text}than the sum of the other two. Check them, and that they are about the centre"
    return ""


def read_frames(table: TableReader) -> dict[str, Placement]:
    """Read the named points and frames of a body."""
    n, frames = table.reader.dimensions, {}
    points, turned = (table.table(key) if table.has(key) else None for key in ("points", "frames"))
    for inner in filter(None, (points, turned)):
        for name in inner.given:
            if not isinstance(name, str) or len(name) > MAX_NAME:
                inner.problem(f"a point or frame is named by a text, got {str(name)[:40]}")
            elif name in frames:
                inner.problem(f"`{name}` is a point as well; rename one of them", name)
            elif inner is points:
                origin = Placement.origin(n)
                frames[name] = Placement(inner.vector(name), origin.R, origin.turn)
            else:
                frame = inner.table(name)
                frames[name] = Placement.read(frame)
                frame.finish()
    return frames


def check_free_body(assembly: Assembly, body: Body) -> None:
    """Refuse a body without joints that has no inertia against some motion: nothing would determine it."""
    trace = se.Add(*[body.inertia[i][i] for i in range(len(body.inertia))])
    needed = [("mass", body.mass), *([("inertia", trace)] if body.view.turns else [])]
    missing = [f"`{key}`" for key, expr in needed if assembly.value(expr) == 0]
    if missing:
        what = " and no ".join(missing)
        text = f"no joint holds this body, and it has no {what}: nothing determines its motion"
        assembly.problem(f"{text}; give it {' and '.join(missing)}, or a joint", "bodies", body.name)
