"""How round things are drawn: disks that roll, gears, racks, pulleys with their rope, spheres."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from dalembert.algebra.types import Array
from dalembert.model.drawing import Shape
from dalembert.results.drawing.lines import across
from dalembert.results.drawing.parts import BASE, Parts, draws
from dalembert.results.drawing.scene import BAR, ELEMENT, GROUND, ROUND, Mark


def wheel(parts: Parts, body: str, centre: Array, rim: Array, **options: int) -> Mark:
    """Return a circle in the plane about a centre through a point."""
    arm = rim - centre
    turned = np.stack([-arm[:, 1], arm[:, 0]], axis=1)
    points = np.stack([centre, rim, centre + turned], axis=1)
    return Mark("disk", points, parts.colours[body], ROUND, options)


@draws("rolling", dimensions=2)
def rolling(parts: Parts, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A disk with spokes on a line."""
    owner, disk = shape.bodies
    low, high, _ = parts.guide(points, points[:, 3])
    if owner == BASE:
        below = float(np.dot(points[0, 1] - points[0, 3], [low[0, 1] - high[0, 1], high[0, 0] - low[0, 0]]))
        ends = np.stack([low, high] if below > 0 else [high, low], axis=1)
        line = Mark("hatch", ends, "ground", GROUND)
    else:
        line = Mark("line", np.stack([low, high], axis=1), parts.colours[owner], BAR, {"width": 3.0})
    return [line, wheel(parts, disk, points[:, 1], points[:, 4], spokes=3), parts.symbol("dot", points[:, 1])]


@draws("rack", dimensions=2)
def rack(parts: Parts, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A toothed wheel on a toothed line; both have the same teeth, which stay in mesh."""
    owner, wheel = shape.bodies
    a, centre, contact, rim = points[:, 0], points[:, 1], points[:, 3], points[:, 4]
    axis, radius = points[:, 2] - a, float(values[0])
    teeth = max(8, round(2 * radius / parts.module))
    pitch = 2 * np.pi * radius / teeth
    arm, down = rim[0] - centre[0], contact[0] - centre[0]
    turned = np.arctan2(arm[0] * down[1] - arm[1] * down[0], arm @ down)  # from the rim to the contact
    way = np.sum((contact - a) * axis, axis=1)
    first = way[0] + np.sign(axis[0, 0] * down[1] - axis[0, 1] * down[0]) * radius * turned + pitch / 2
    margin = max(0.05 * parts.size, 3 * pitch)
    low, high = (first + pitch * round((end - first) / pitch) for end in (way.min() - margin, way.max() + margin))
    ends = [a + low * axis, a + high * axis]
    if axis[0, 0] * down[1] - axis[0, 1] * down[0] > 0:  # teeth on the left, where the wheel is
        ends.reverse()
    options = {"teeth": round((high - low) / pitch), "height": 0.6 * pitch}
    line = Mark("hatch", np.stack(ends, axis=1), parts.colours[owner], BAR, options)
    return [line, wheel(parts, wheel, centre, rim, teeth=teeth, spokes=1), *parts.end(wheel, centre)]


@draws("gear", dimensions=2)
def gear(parts: Parts, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """Two toothed wheels in mesh; of an internal one the larger is a ring."""
    radii, sign = values[:2], values[2]
    if len(values) > 4:
        teeth = np.round(values[4:6]).astype(int)
    else:
        teeth = np.maximum(np.round(2 * radii / parts.module), 6).astype(int)
    found = []
    for k in range(2):
        key = (shape.bodies[k], *np.round(points[0, k] / parts.size, 6))
        ring = sign < 0 and radii[k] == radii.max()
        if key in parts.geared and not ring:
            continue
        parts.geared.add(key)
        phase = {"phase": 1} if k == 1 else {}  # where one has a tooth the other has a gap
        more = {"ring": 1} if ring else {"spokes": 1}
        teeth_of = int(teeth[k])
        found.append(wheel(parts, shape.bodies[k], points[:, k], points[:, 2 + k], teeth=teeth_of, **phase, **more))
        if not ring:
            found.append(parts.symbol("dot", points[:, k]))
    return found


@draws("rope", dimensions=2)
def rope(parts: Parts, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A rope along its tangents and round its pulleys."""
    centres = [points[:, 0], *(points[:, 2 + 2 * k] for k in range(len(values))), points[:, 1]]
    line = Mark("line", rope_path(centres, [0.0, *values, 0.0]), "rope", ELEMENT, {"width": 2.2})
    found = [line, *(parts.symbol("dot", points[:, k]) for k in range(2) if shape.bodies[k] != BASE)]
    for k in range(2):
        if shape.bodies[k] == BASE:
            found += parts.end(BASE, points[:, k])
    for k in range(len(values)):
        centre, rim = points[:, 2 + 2 * k], points[:, 3 + 2 * k]
        body = shape.bodies[2 + k]
        found += [wheel(parts, body, centre, rim, spokes=1), *parts.end(body, centre)]
    return found


@draws("rolling_disk", dimensions=3)
def disk(parts: Parts, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A disk with spokes on a plane in space."""
    centre, axis = points[:, 1], points[:, 4] - points[:, 1]
    arms = points[:, 5:8] - centre[:, None]
    chosen = arms[:, int(np.argmin(np.abs(np.sum(arms[0] * axis[0], axis=-1))))]
    first = chosen - np.sum(chosen * axis, axis=1, keepdims=True) * axis
    first *= values[0] / np.linalg.norm(first, axis=1, keepdims=True)
    rims = np.stack([centre, centre + first, centre + np.cross(axis, first)], axis=1)
    wheel = Mark("disk", rims, parts.colours[shape.bodies[1]], ROUND, {"spokes": 4, "filled": True})
    return [*ground_plane(parts, shape, points), wheel, parts.symbol("dot", centre)]


@draws("rolling_sphere", dimensions=3)
def ball(parts: Parts, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A sphere with great circles on a plane in space."""
    centre, colour = points[:, 1], parts.colours[shape.bodies[1]]
    arms = values[0] * (points[:, 4:7] - centre[:, None])
    found = [Mark("sphere", np.stack([centre, centre + arms[:, 0]], axis=1), colour, ROUND)]
    for i, j in ((0, 1), (1, 2), (2, 0)):
        rims = np.stack([centre, centre + arms[:, i], centre + arms[:, j]], axis=1)
        found.append(Mark("disk", rims, colour, ROUND, {"thin": 1}))
    return [*ground_plane(parts, shape, points), *found]


def ground_plane(parts: Parts, shape: Shape, points: Array) -> Iterable[Mark]:
    """Let the floor be the plane of the ground, if it is level; else draw a piece of it."""
    normal = points[0, 2] - points[0, 0]
    if shape.bodies[0] == BASE and abs(normal @ parts.up) > 1 - 1e-9:
        parts.floor = float(points[0, 0] @ parts.up)
        return []
    x, y = across(points[:, 2] - points[:, 0])
    touching = points[:, 3] - points[:, 0]
    reach = np.linalg.norm(touching, axis=1).max() + 0.1 * parts.size
    corners = [points[:, 0] + reach * (i * x + j * y) for i, j in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return [Mark("plate", np.stack(corners, axis=1), parts.colours[shape.bodies[0]], GROUND)]


def rope_path(centres: list[Array], radii: list[float], steps: int = 12) -> Array:
    """Return points along a rope, at all frames: its tangents, and `steps` parts of the arcs on its pulleys.

    With R > 0 for a pulley on the left of the rope, two centres are L u + (R_j − R_i) n apart, n on the left of u.
    """
    directions = []
    for (a, b), (i, j) in zip(pairwise(centres), pairwise(radii), strict=True):
        way = b - a
        length = np.sqrt(np.maximum(np.sum(way**2, axis=1) - (j - i) ** 2, 0.0))
        directions.append(np.arctan2(way[:, 1], way[:, 0]) - np.arctan2(j - i, length))
    path = [centres[0][:, None]]
    for k, (centre, radius) in enumerate(zip(centres[1:-1], radii[1:-1], strict=True)):
        before, after = directions[k], directions[k + 1]
        bend = (after - before) * np.sign(radius)
        bend = np.mod(bend + 1e-9, 2 * np.pi) * np.sign(radius)  # it lies on the pulley for less than a turn
        angles = before[:, None] + bend[:, None] * np.linspace(0, 1, steps + 1)
        path.append(centre[:, None] + radius * np.stack([np.sin(angles), -np.cos(angles)], axis=-1))
    return np.concatenate([*path, centres[-1][:, None]], axis=1)
