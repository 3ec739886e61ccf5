"""A rope without mass and of fixed length from a point of one body to a point of another, over pulleys between them.

Its straight parts are tangents of the pulleys. With u the direction of a part (at the angle θ), n = u turned left, and
R = r for a pulley on the left of the rope, R = −r for one on its right, the centres of two pulleys i, j are
L u + (R_j − R_i) n apart: this gives the length L and the angle θ of the part. On a pulley lies the length
R (θ_after − θ_before). Counted from the assembled position, a part with its share of both pulleys has grown by

    ΔL − (R_j − R_i) Δθ,   and where the rope does not slip by   … + R_j Δφ_j − R_i Δφ_i,

with φ the angles of the pulleys. The sum over all parts is zero, or, without slip, each of them. A rope can only
pull: its force is minus the multiplier, and motions in which that is negative say so (`results/slack.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import symengine as se

from dalembert.language.building import Expr, angle, root
from dalembert.model.mechanism.marker import Marker, at_particle, read_point, world_frame
from dalembert.model.mechanism.pairs.base import Conditions, More, pair
from dalembert.model.mechanism.pairs.rod import tension
from dalembert.model.mechanism.table_reader import GROUND, TableReader
from dalembert.model.mechanism.vectors import ZERO, Vector, add, dot, scale, sub

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.joint import Joint


class Stop(NamedTuple):
    """A pulley or an end: the marker of its centre, its radius R (with its sign), its angle when assembled."""

    marker: Marker
    radius: Expr
    start: Expr


def read_rope(table: TableReader, assembly: Assembly, markers: Sequence[Marker]) -> dict[str, Any]:
    """Read the pulleys in the order of the rope, if there are some, its length, and whether it slips on them."""
    pulleys: list[tuple[Marker, Expr]] = []
    if table.has("over"):
        given = table.list("over", None, "a list of pulleys, as in [{body = …, point = …, radius = …}]")
        inner = [TableReader(assembly, (*table.key, "over"), item) for item in given or ()]
        pulleys = [read_pulley(item, assembly) for item in inner]
        table.kept["over"] = tuple(item.finish() for item in inner)
    stops = tuple(
        Stop(marker, radius, assembly.home(marker.angle))
        for marker, radius in [(markers[0], ZERO), *pulleys, (markers[1], ZERO)]
    )
    lines = tuple(assembly.home_vector(line_of(i, j)) for i, j in pairwise(stops))
    for k, line in enumerate(lines):
        room, radii = assembly.value(dot(line, line)), [assembly.value(stop.radius) for stop in stops[k : k + 2]]
        if room is not None and None not in radii and (text := obstacle(k, len(lines), math.sqrt(room), radii)):
            table.problem(text, *(["over"] if "over" in table.given else []))
            return {"stops": (), "lines": (), "grip": False, "surplus": ZERO}
    grip, surplus = table.flag("grip"), ZERO
    if table.has("length"):
        surplus = assembled_length(stops, lines, assembly) - table.positive("length")
        if grip:
            table.problem("a rope that does not slip keeps all parts as assembled; leave `length` out", "length")
    return {"stops": stops, "lines": lines, "grip": grip, "surplus": surplus}


def read_pulley(table: TableReader, assembly: Assembly) -> tuple[Marker, Expr]:
    """Read one pulley: body (the ground if none is named), centre, radius, and on which side of the rope it lies."""
    name = GROUND
    if table.has("body"):
        name = assembly.read_body_name(table, "body", table.given["body"]) or GROUND
        table.kept["body"] = name
    body = assembly.bodies[name]
    if table.one_of("at", "point") == "point":
        table.kept["point"], frame = read_point(table, "point", table.given["point"], body)
    else:
        frame = world_frame(body, table.vector("at", (ZERO, ZERO)))
    radius = table.positive("radius", ZERO)
    side = table.word("side", ("left", "right"), "left", "sides")
    frame = at_particle(table, frame, body)
    if not body.view.turns:
        table.judge("radius", [radius], lambda r: f"`{name}` is a particle, and no pulley with a radius" if r else "")
    return Marker(body.view, frame), -radius if side == "right" else radius


def obstacle(k: int, parts: int, way: float, radii: Sequence[float | None]) -> str:
    """Say why part k of a rope has no length, if it has none: its stops, with their radii R, are so far apart."""
    before, after = (radius or 0.0 for radius in radii)
    least = abs(after - before)
    if way > least:
        return ""
    if parts == 1:
        return "both ends of the rope are at the same place; a rope joins two points: place them apart"
    if 0 < k < parts - 1:
        why = "as the rope crosses from one to the other" if before * after < 0 else "or one lies inside the other"
        return (
            f"no rope goes from pulley {k} to pulley {k + 1}: their centres are {way:.4g} m apart, and it must be more "
            f"than {least:.4g} m, {why}; move them apart, or check `radius` and `side`"
        )
    end, pulley = ("first", 1) if k == 0 else ("second", k)
    return (
        f"the {end} end of the rope lies {'inside' if way < least else 'on the rim of'} pulley {pulley}: it is "
        f"{way:.4g} m from its centre, and the radius is {least:.4g} m; place the end outside, or check `radius`"
    )


def line_of(i: Stop, j: Stop) -> Vector:
    """Return the way from one centre to the next."""
    return sub(j.marker.place, i.marker.place)


def straight(line: Vector, across: Expr) -> tuple[Expr, Expr]:
    """Return the length of a part, and its angle from the line of centres."""
    length = root(dot(line, line) - across**2)
    return length, ZERO if across == 0 else -angle(across, length)


def assembled_length(stops: Sequence[Stop], lines: Sequence[Vector], assembly: Assembly) -> Expr:
    """Return the length of the rope in the assembled position, with less than a turn on each pulley."""
    parts = [straight(line, j.radius - i.radius) for (i, j), line in zip(pairwise(stops), lines, strict=True)]
    angles = [angle(line[1], line[0]) + tilt for line, (_, tilt) in zip(lines, parts, strict=True)]
    total = [length for length, _ in parts]
    for stop, before, after in zip(stops[1:-1], angles, angles[1:], strict=False):
        value = assembly.value(stop.radius) or 0.0
        bend = (after - before) * (1 if value >= 0 else -1)
        turns = math.floor((assembly.value(bend) or 0.0) / (2 * math.pi) + 1e-12)
        total.append((stop.radius if value >= 0 else -stop.radius) * (bend - 2 * turns * se.pi))
    return se.Add(*total)


def pulleys(joint: Joint) -> More:
    """The stops of a rope: their centres and points on their rims; radii with the sign of their side."""
    stops = joint.values["stops"][1:-1]
    places = [
        place
        for stop in stops
        for place in (stop.marker.place, add(stop.marker.place, scale(stop.radius, stop.marker.x)))
    ]
    return tuple(places), tuple(stop.radius for stop in stops)


@pair("rope", 2, places="apart", read=read_rope, quantities=tension, pulls=True, drawn=pulleys)
def rope(a: Marker, b: Marker, stops: Sequence[Stop], lines: Sequence[Vector], grip: bool, surplus: Expr) -> Conditions:
    """The rope keeps its length, as a whole or, if it does not slip, from pulley to pulley."""
    parts = []
    for (i, j), home in zip(pairwise(stops), lines, strict=True):
        line, across = line_of(i, j), j.radius - i.radius
        (length, tilt), (length0, tilt0) = straight(line, across), straight(home, across)
        growth = [length, -length0]
        if across != 0:  # the turn from the assembled position, smooth about it
            turn = angle(home[0] * line[1] - home[1] * line[0], dot(home, line))
            growth.append(-across * (turn + tilt - tilt0))
        if grip:
            growth += [j.radius * (j.marker.angle - j.start), -i.radius * (i.marker.angle - i.start)]
        parts.append(se.Add(*growth))
    if grip:
        return {f"part{k}": part for k, part in enumerate(parts, 1)}
    return {"length": se.Add(*parts, surplus)}
