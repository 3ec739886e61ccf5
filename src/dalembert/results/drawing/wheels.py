"""How round things are drawn: disks that roll, gears, racks, pulleys with their rope, spheres."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from dalembert.arrays import Array
from dalembert.model.drawing import Shape
from dalembert.results.drawing.lines import across
from dalembert.results.drawing.parts import BASE, PartMarks, draws
from dalembert.results.drawing.scene import BAR, ELEMENT, GROUND, ROUND, Mark


def wheel(parts: PartMarks, body: str, centre: Array, rim: Array, **options: float) -> Mark:
    """Return a circle in the plane about a centre through a point."""
    arm = rim - centre
    turned = np.stack([-arm[:, 1], arm[:, 0]], axis=1)
    points = np.stack([centre, rim, centre + turned], axis=1)
    return Mark("disk", points, parts.colours[body], ROUND, options)


@draws("rolling", dimensions=2)
def rolling(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
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
def rack(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A toothed wheel on a toothed line; both have the same teeth, which stay in mesh."""
    owner, pinion = shape.bodies
    a, centre, contact, rim = points[:, 0], points[:, 1], points[:, 3], points[:, 4]
    axis, radius = points[:, 2] - a, float(values[0])
    found, teeth, phase = gear_wheel(parts, pinion, centre, rim, count_teeth(parts, radius), spokes=1)
    pitch = 2 * np.pi * radius / teeth
    down = contact[0] - centre[0]
    turned = angle_between(rim[0] - centre[0], down)
    side = np.sign(axis[0, 0] * down[1] - axis[0, 1] * down[0])  # 1 if the wheel turns forward along the axis
    way = np.sum((contact - a) * axis, axis=1)
    first = (
        way[0] - side * (phase * pitch - radius * turned) + pitch / 2
    )  # where a tooth of the rack fits, half a pitch on
    margin = max(0.05 * parts.size, 3 * pitch)
    low, high = (first + pitch * round((end - first) / pitch) for end in (way.min() - margin, way.max() + margin))
    ends = [a + low * axis, a + high * axis]
    if side > 0:  # its teeth are on its left, where the wheel is
        ends.reverse()
    options = {"teeth": round((high - low) / pitch), "height": 0.6 * pitch}
    return [*found, Mark("hatch", np.stack(ends, axis=1), parts.colours[owner], BAR, options)]


@draws("gear", dimensions=2)
def gear(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """Two toothed wheels in mesh; of an internal pair the larger is a ring."""
    radii, internal = values[:2], values[2] < 0
    counts = np.round(values[4:6]).astype(int) if len(values) > 4 else [count_teeth(parts, r) for r in radii]
    known = [wheel_key(parts, shape.bodies[k], points[:, k]) in parts.gears for k in range(2)]
    found, phase = [], None
    for k in (1, 0) if known[1] else (0, 1):  # one that is drawn already says where the teeth of the other are
        ring = internal and radii[k] == radii.max()
        options = {"ring": 1} if ring else {"spokes": 1}
        args = parts, shape.bodies[k], points[:, k], points[:, 2 + k], int(counts[k])
        marks, _, at = gear_wheel(*args, phase=phase or 0.0, **options)
        phase = at if internal else -at - 0.5
        found += marks
    return found


def count_teeth(parts: PartMarks, radius: float) -> int:
    """Return the number of teeth of a wheel for which none is given: of the size that others have."""
    return max(6, round(2 * abs(radius) / parts.module))


def wheel_key(parts: PartMarks, body: str, centre: Array) -> tuple[str, float, float]:
    """Return by what a wheel is known: it may mesh with several others."""
    x, y = np.round(centre[0] / parts.size, 6)
    return body, float(x), float(y)


def gear_wheel(
    parts: PartMarks, body: str, centre: Array, rim: Array, teeth: int, phase: float = 0.0, **options: int
) -> tuple[list[Mark], int, float]:
    """Return a toothed wheel, unless it is drawn already, its number of teeth, and its phase.

    The phase is how far the next tooth is ahead of a point of the rim, counterclockwise, in pitches.
    """
    key, arm = wheel_key(parts, body, centre), rim[0] - centre[0]
    if key in parts.gears:
        before, teeth, phase = parts.gears[key]
        return [], teeth, phase - angle_between(before, arm) * teeth / (2 * np.pi)
    parts.gears[key] = arm, teeth, phase
    made = wheel(parts, body, centre, rim, teeth=teeth, phase=phase % 1.0, **options)
    return [made, *([] if "ring" in options else [parts.symbol("dot", centre)])], teeth, phase


def angle_between(a: Array, b: Array) -> float:
    """Return the angle from one direction to another, counterclockwise."""
    return float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))


@draws("rope", dimensions=2)
def rope(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
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
def disk(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
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
def ball(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A sphere with great circles on a plane in space."""
    centre, colour = points[:, 1], parts.colours[shape.bodies[1]]
    arms = values[0] * (points[:, 4:7] - centre[:, None])
    found = [Mark("sphere", np.stack([centre, centre + arms[:, 0]], axis=1), colour, ROUND)]
    for i, j in ((0, 1), (1, 2), (2, 0)):
        rims = np.stack([centre, centre + arms[:, i], centre + arms[:, j]], axis=1)
        found.append(Mark("disk", rims, colour, ROUND, {"thin": 1}))
    return [*ground_plane(parts, shape, points), *found]


def ground_plane(parts: PartMarks, shape: Shape, points: Array) -> Iterable[Mark]:
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
