"""How bodies are drawn, and what pushes and drives them."""

from __future__ import annotations

import numpy as np

from dalembert.arrays import Array
from dalembert.model.drawing import Shape
from dalembert.results.drawing.parts import BASE, FLAT, PartMarks, draws
from dalembert.results.drawing.scene import BAR, DRIVE, ELEMENT, PLATE, Mark


@draws("body")
def body(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A bar through two points, a plate through more; a free body without a size is a ball."""
    name = shape.bodies[0]
    colour = parts.colours[name]
    if points.shape[1] == 1:
        return [] if name in parts.held else [parts.symbol("ball", points[:, 0], colour=colour)]
    seen = points[0] - points[0].mean(axis=0)
    _, widths, axes = np.linalg.svd(seen, full_matrices=False)
    if widths[0] < FLAT * parts.size:
        return []
    ends = loose_ends(parts, name, points, colour)
    if len(widths) < 2 or widths[1] < FLAT * parts.size:
        along = seen @ axes[0]
        chosen = points[:, [int(np.argmin(along)), int(np.argmax(along))]]
        return [Mark("bar", chosen, colour, BAR), *ends]
    return [Mark("plate", points, colour, PLATE, {"hull": True}), *ends]


def loose_ends(parts: PartMarks, name: str, points: Array, colour: str) -> list[Mark]:
    """Return dots where a bar ends without a joint."""
    if points.shape[1] != 2:
        return []
    places = np.concatenate(parts.held.get(name) or [np.zeros((0, points.shape[-1]))])
    free = [k for k in range(2) if not np.any(np.linalg.norm(places - points[0, k], axis=1) < FLAT * parts.size)]
    return [parts.symbol("tip", points[:, k], colour=colour) for k in free]


@draws("spring", "damper", "actuator", "spring beside", "damper beside")
def element(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A spring, damper or actuator between two points."""
    found = [parts.symbol(shape.kind, points[:, 0], points[:, 1], colour=shape.kind.split()[0], layer=ELEMENT)]
    for k, body in enumerate(shape.bodies):
        found += parts.end(body, points[:, k], "dot" if body != BASE else "pin") if points.shape[-1] == 2 else []
    return found


@draws("spring angle", "damper angle", "actuator angle", "drive angle")
def on_angle(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """Something that turns a joint."""
    return [parts.symbol(shape.kind, points[:, 0], colour=shape.kind.split()[0], layer=DRIVE)]


@draws("spring distance", "damper distance", "actuator distance", "drive distance")
def on_distance(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """Something that pushes along a joint: arrows beside the block; a spring or damper from the end of the guide."""
    kind, middle = shape.kind.split()[0], parts.middle(shape.bodies[1], points)
    if kind in ("spring", "damper"):
        low, _, middle = parts.guide(points, middle, 2.0)
        wall = parts.symbol("wall", low, middle, colour=parts.colours[shape.bodies[0]], layer=ELEMENT)
        return [wall, parts.symbol(kind, low, middle, colour=kind, layer=ELEMENT)]
    low, high, middle = parts.guide(points, middle)
    return [parts.symbol(shape.kind, middle, middle + (high - low), colour=kind, layer=DRIVE)]
