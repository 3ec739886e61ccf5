"""Markers: a point and axes on a body, with their motion. A pair sees nothing else of the bodies it joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dalembert.language.building import Expr
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.placement import Placement, default_axis, read_axis, settle_axis
from dalembert.model.mechanism.table_reader import TableReader, as_sequence
from dalembert.model.mechanism.vectors import (
    ONE,
    ZERO,
    Matrix,
    Vector,
    direction_angle,
    norm,
    tidy,
    transpose,
    unit,
    zeros,
)
from dalembert.model.mechanism.views import View, compose, reverse

_BESIDE = 1e-9  # of its distance from the origin: what is beside a particle


@dataclass(frozen=True)
class Marker:
    """A frame on a body: `placement` in the body frame, `view` the motion of the body. All vectors in world axes."""

    view: View
    placement: Placement

    @cached_property
    def place(self) -> Vector:
        """Where it is."""
        return self.view.position(self.placement.at)

    @cached_property
    def velocity(self) -> Vector:
        """How fast it moves."""
        return self.view.velocity(self.placement.at)

    @cached_property
    def x(self) -> Vector:
        """Its x axis; in the plane, the axis of a pair."""
        return self._axis(0)

    @cached_property
    def y(self) -> Vector:
        """Its y axis."""
        return self._axis(1)

    @cached_property
    def z(self) -> Vector:
        """Its z axis; in space, the axis of a pair."""
        return self._axis(2)

    @property
    def angle(self) -> Expr:
        """Its angle, in the plane."""
        return self.view.q[2] + self.placement.turn[0]

    @cached_property
    def e(self) -> Vector:
        """Its Euler parameters, in space."""
        return compose(self.view.q[3:], self.placement.turn)

    @property
    def spin(self) -> Any:
        """Its angular velocity: a number in the plane, a vector in space."""
        return self.view.spin

    def _axis(self, k: int) -> Vector:
        return self.view.direction([row[k] for row in self.placement.R])


def read_markers(
    table: TableReader, bodies: Sequence[Body], axis: str | None = None, places: str = "shared"
) -> list[Marker]:
    """Read where a joint sits on each of its bodies.

    `at` and `axis` are given in the world, in the assembled position, in which the markers then have the same axes;
    `points` and `axes` in the frame of each body. `axis` says what the axis of the pair is, with "!" in front if it
    must be given; None if it has none. `places`: as in Pair.
    """
    frames = [at_particle(table, *pair) for pair in zip(read_places(table, bodies, places), bodies, strict=True)]
    how = table.one_of("axis", "axes", needed=False) if axis else None
    named = [isinstance(item, str) and item in body.frames for item, body in zip(_items(table), bodies, strict=False)]
    if how == "axis":
        direction = read_axis(table, "axis")
        placed = [turned(frame, body, direction, table) for frame, body in zip(frames, bodies, strict=True)]
    elif how == "axes":
        placed = [
            Placement(frame.at, *triad(direction, table))
            for frame, direction in zip(frames, read_body_axes(table, len(bodies)), strict=True)
        ]
    else:
        if axis and axis.startswith("!") and not (len(named) == len(bodies) and all(named)):
            table.problem(f"`axis` is missing: {axis[1:]}, in the world, in the assembled position", "axis")
        placed = frames
    return [Marker(body.view, placement) for body, placement in zip(bodies, placed, strict=True)]


def at_particle(table: TableReader, frame: Placement, body: Body) -> Placement:
    """Refuse a point beside a particle, which has no extent."""
    if body.view.turns:
        return frame
    key, size = next((key for key in ("points", "point") if table.has(key)), "at"), norm(body.placement.at)
    wrong = f"particle `{body.name}` is a point, and this is {{:g}} m beside it"
    table.judge(key, [norm(frame.at), size], lambda d, at: wrong.format(d) if d > _BESIDE * (at + 1e-6) else "")
    return Placement(zeros(len(frame.at)), frame.R, frame.turn)


def _items(table: TableReader) -> Sequence[Any]:
    return table.kept.get("points", ())


def read_places(table: TableReader, bodies: Sequence[Body], places: str) -> list[Placement]:
    """Read a place in the world, the same for all bodies or one for each; or one in the frame of each body."""
    n = table.reader.dimensions
    how = table.one_of("at", "points", needed=places != "origins")
    if how == "points":
        given = table.list("points", len(bodies), f"a list of {len(bodies)}, one for each body: a name or coordinates")
        kept = [read_point(table, "points", item, body) for item, body in zip(given or (), bodies, strict=False)]
        table.kept["points"] = tuple(item for item, _ in kept)
        return [frame for _, frame in kept] or [Placement.origin(n)] * len(bodies)
    if how is None:
        return [world_frame(body, body.placement.at) for body in bodies]
    spots = [table.vector("at")] * len(bodies) if places == "shared" else table.matrix("at", len(bodies), n)
    return [world_frame(body, spot) for body, spot in zip(bodies, spots, strict=True)]


def centre_of(body: Body) -> Marker:
    """Return the marker in the centre of mass of a body."""
    origin = Placement.origin(len(body.centre))
    return Marker(body.view, Placement(body.centre, origin.R, origin.turn))


def world_frame(body: Body, at: Vector) -> Placement:
    """Return the frame on a body that has the axes of the world in the assembled position."""
    placement = body.placement
    turn = (-placement.turn[0],) if len(at) == 2 else reverse(placement.turn)
    return Placement(placement.inward(at), transpose(placement.R), turn)


def read_point(table: TableReader, key: str, item: Any, body: Body) -> tuple[Any, Placement]:
    """Read a point of a body: one of its names, or coordinates in its frame."""
    if isinstance(item, str):
        if item not in body.frames:
            hint = table.reader.hint(item, body.frames, f"points of `{body.name}`")
            table.problem(f"body `{body.name}` has no point `{item}`{hint}", key)
        return item, body.frames.get(item, Placement.origin(table.reader.dimensions))
    at = table.read_vector(item, key)
    origin = Placement.origin(len(at))
    return at, Placement(at, origin.R, origin.turn)


def read_body_axes(table: TableReader, count: int) -> list[Vector]:
    """Read one direction for each body, in its own frame."""
    n, given = table.reader.dimensions, as_sequence(table.given["axes"])
    if given is None or len(given) != count or any(as_sequence(row) is None for row in given):
        table.problem(
            f"expected one direction for each of the {count} bodies, in its own frame; if it is one in the world, in "
            "the assembled position, its name is `axis`",
            "axes",
        )
        return [default_axis(n)] * count
    directions = table.matrix("axes", count, n)
    return [settle_axis(table, "axes", direction) for direction in directions]


def turned(frame: Placement, body: Body, direction: Vector, table: TableReader) -> Placement:
    """Return a frame of the body with its axis along a direction of the world in the assembled position."""
    if len(direction) == 2:
        u = unit(body.placement.inward_direction(direction))
        turn = direction_angle(direction[0], direction[1]) - body.placement.turn[0]
        return Placement(frame.at, ((u[0], -u[1]), (u[1], u[0])), (turn,))
    R, e = triad(direction, table)
    axes = [body.placement.inward_direction(axis) for axis in transpose(R)]
    return Placement(frame.at, transpose(axes), tidy(compose(reverse(body.placement.turn), e), (ONE,)))


def triad(direction: Vector, table: TableReader) -> tuple[Matrix, Vector]:
    """Return the axes of a frame whose x axis (in the plane) or z axis (in space) is a direction, and their turn.

    In space it is the shortest turn of the z axis into the direction, or, for one that points down, of −z after half a
    turn about x, so that nothing is divided by a small number.
    """
    u = unit(direction)
    if len(direction) == 2:
        return ((u[0], -u[1]), (u[1], u[0])), (direction_angle(direction[0], direction[1]),)
    x, y, z = u
    if (table.reader.value(z) or 0.0) < 0:
        k = 1 / (1 - z)
        columns = (1 - x**2 * k, -x * y * k, x), (x * y * k, y**2 * k - 1, -y), u
        return transpose(columns), unit((-y, 1 - z, ZERO, x))
    k = 1 / (1 + z)
    columns = (1 - x**2 * k, -x * y * k, -x), (-x * y * k, 1 - y**2 * k, -y), u
    return transpose(columns), unit((1 + z, -y, x, ZERO))
