"""Where bodies touch: a point, disk or sphere of the second against a line, circle, plane or sphere of the first.

    bodies = ["ground", "wheel"]
    points = [[0, 0], [0, 0]]                 # one in the frame of each body; without them their origins
    radius = 0.3                              # of what is on the second body; a point without it
    against = {kind = "line", axis = [1, 0]}  # of the first body, through its point

A line has its free side on the left of its axis, a plane that into which its axis points; a circle and a sphere are
free outside, or `inside`. From these follow the gap, and in the plane the velocity with which one slides on the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.drawing import Shape
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.marker import Marker, at_particle, read_point
from dalembert.model.mechanism.placement import Placement, default_axis, settle_axis
from dalembert.model.mechanism.table_reader import TableReader
from dalembert.model.mechanism.vectors import ZERO, Vector, add, dot, norm, scale, sub, unit

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly

ENTRIES = ("bodies", "points", "radius", "against")
STRAIGHT, ROUND = {2: "line", 3: "plane"}, {2: "circle", 3: "sphere"}


@dataclass(frozen=True)
class Touch:
    """What may touch: how far apart it is, in the plane how fast it slides; where it touches, on the second body."""

    gap: Expr
    slip: Expr | None
    place: Vector


def read_touch(reader: Assembly, key: tuple[str, ...], given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Read the entries of a contact that say where it is; None after a report."""
    table, n, before = TableReader(reader, key, given), reader.dimensions, len(reader.problems)
    names = reader.read_bodies(table) if table.has("bodies") else None
    if not table.has("bodies"):
        table.problem('`bodies` is missing: what may touch, as in bodies = ["ground", "wheel"]', "bodies")
    if names is None:
        return None
    bodies = [reader.bodies[name] for name in names]
    if table.has("points"):
        points = table.list("points", 2, "two points, one for each body: a name or coordinates in its frame") or ()
        read = [read_point(table, "points", item, body) for item, body in zip(points, bodies, strict=False)]
        table.kept["points"] = tuple(item for item, _ in read)
        for (_, frame), body in zip(read, bodies, strict=False):
            at_particle(table, frame, body)
    if table.has("radius"):
        radius = table.constant("radius")
        table.judge("radius", [radius], lambda r: "" if r >= 0 else f"`radius` is not below zero, got {r:g}")
    if table.has("against"):
        inner = table.table("against")
        kind = inner.word("kind", (STRAIGHT[n], ROUND[n]), None, "kinds")
        if kind == ROUND[n]:
            inner.positive("radius")
            inner.flag("inside")
        elif kind is not None and inner.has("axis"):
            settle_axis(inner, "axis", inner.vector("axis"))
        inner.finish()
    kept = table.finish()
    return kept if len(reader.problems) == before else None


def touch_of(entries: Mapping[str, Any], bodies: Mapping[str, Body]) -> Touch:
    """Return what the entries of a contact mean."""
    first, second = (bodies[name] for name in entries["bodies"])
    a, b = (_marker(body, entries, k) for k, body in enumerate((first, second)))
    n, apart, radius = len(first.centre), sub(b.place, a.place), entries.get("radius", ZERO)
    against = entries.get("against", {"kind": STRAIGHT[n]})
    if against["kind"] == ROUND[n]:
        distance = norm(apart)
        inside = bool(against.get("inside"))
        normal = scale((-1 if inside else 1) / distance, apart)
        gap = against["radius"] - radius - distance if inside else distance - against["radius"] - radius
    else:
        normal = _free(a, against)
        parts = zip(normal, apart, strict=True)
        # a flat sum: of terms that cancel, as of bodies that lie on each other, it is seen what is rounding
        gap = se.Add(*[n_i * term for n_i, x in parts for term in (x.args if x.is_Add else (x,))], -radius)
    lever = scale(-radius, normal)
    slip = _slip(a, b, normal, apart, lever) if n == 2 else None
    return Touch(gap, slip, add(b.place, lever))


def contact_shapes(contacts: Mapping[str, Mapping[str, Any]], bodies: Mapping[str, Body]) -> list[Shape]:
    """Return what is drawn of contacts: each line, circle, plane once, and what is round on second bodies."""
    found: dict[Any, Shape] = {}
    for entries in contacts.values():
        if "bodies" not in entries:
            continue
        first, second = (bodies[name] for name in entries["bodies"])
        a, b = (_marker(body, entries, k) for k, body in enumerate((first, second)))
        touch, against = touch_of(entries, bodies), entries.get("against", {"kind": STRAIGHT[len(first.centre)]})
        key = first.name, tuple(a.placement.at), against["kind"], against.get("axis"), against.get("radius")
        if "radius" in against:
            found[key] = Shape(f"contact {against['kind']}", _round(a, against["radius"]), (first.name,))
        else:
            ends = a.place, add(a.place, _free(a, against))
            known = found.get(key, Shape(f"contact {against['kind']}", ends, (first.name,)))
            found[key] = replace(known, places=(*known.places, touch.place), bodies=(*known.bodies, second.name))
        if (radius := entries.get("radius", ZERO)) != 0:
            kind = f"contact {ROUND[len(first.centre)]}"
            found[second.name, tuple(b.placement.at), radius] = Shape(kind, _round(b, radius), (second.name,))
    return list(found.values())


def _round(marker: Marker, radius: Expr) -> tuple[Vector, ...]:
    """Return a centre, and points of the rim along the axes."""
    axes = [marker.x, marker.y, marker.z] if len(marker.place) == 3 else [marker.x]
    return (marker.place, *(add(marker.place, scale(radius, axis)) for axis in axes))


def contact_corners(
    contacts: Mapping[str, Mapping[str, Any]], bodies: Mapping[str, Body]
) -> Iterator[tuple[str, Marker]]:
    """Return the points of second bodies that touch."""
    for entries in contacts.values():
        if "bodies" in entries and entries.get("radius", ZERO) == 0:
            name = entries["bodies"][1]
            yield name, _marker(bodies[name], entries, 1)


def _free(a: Marker, against: Mapping[str, Any]) -> Vector:
    """Return the direction in which it is free, of a line or a plane."""
    n = len(a.place)
    axis = a.view.direction(unit(against.get("axis", default_axis(n))))
    return axis if n == 3 else (-axis[1], axis[0])


def _marker(body: Body, entries: Mapping[str, Any], k: int) -> Marker:
    origin = Placement.origin(len(body.centre))
    if "points" not in entries:
        return Marker(body.view, origin)
    point = entries["points"][k]
    return Marker(body.view, body.frames[point] if isinstance(point, str) else Placement(point, origin.R, origin.turn))


def _slip(a: Marker, b: Marker, normal: Vector, apart: Vector, lever: Vector) -> Expr:
    """Return the velocity of the material point of the second body beside that of the first, along the line."""
    here = add(b.velocity, _turned(b.spin, lever))
    there = add(a.velocity, _turned(a.spin, add(apart, lever)))
    return dot((normal[1], -normal[0]), sub(here, there))


def _turned(spin: Expr, lever: Vector) -> Vector:
    return -spin * lever[1], spin * lever[0]
