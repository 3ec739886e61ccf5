"""How joints are drawn that pin bodies together, or let them slide."""

from __future__ import annotations

import numpy as np

from dalembert.arrays import Array
from dalembert.model.drawing import Shape
from dalembert.results.drawing.parts import BASE, PartMarks, draws
from dalembert.results.drawing.scene import BAR, BLOCK, ELEMENT, GROUND, PIN, Mark


@draws("revolute", dimensions=2)
def pin(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A circle; a support below it if it is on the ground."""
    return parts.end(BASE if BASE in shape.bodies else shape.bodies[1], points[:, 0])


@draws("revolute", dimensions=3)
def hinge(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A short cylinder along the axis of a revolute in space."""
    a, axis = points[:, 0], points[:, 2] - points[:, 0]
    grounded = BASE in shape.bodies
    reach = 0.035 * parts.size
    colour = "ground" if grounded else parts.colours[shape.bodies[1]]
    ends = np.stack([a - reach * axis, a + reach * axis], axis=1)
    return [Mark("cylinder", ends, colour, PIN, {"radius": 6.5 if grounded else 5.0})]


@draws("spherical", dimensions=3)
def socket(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A ball."""
    body = BASE if BASE in shape.bodies else shape.bodies[1]
    return [parts.symbol("ball", points[:, 0], colour=parts.colours[body])]


@draws("universal", dimensions=3)
def cross(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """The two arms of a universal joint."""
    found = []
    for k, body in ((2, shape.bodies[0]), (3, shape.bodies[1])):
        arm = 0.05 * parts.size * (points[:, k] - points[:, 0 if k == 2 else 1])
        ends = np.stack([points[:, 0] - arm, points[:, 0] + arm], axis=1)
        found.append(Mark("line", ends, parts.colours[body], PIN, {"width": 4.0}))
    return [*found, parts.symbol("dot", points[:, 0])]


@draws("rigid")
def weld(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A square; hatched on the ground."""
    if BASE in shape.bodies:
        return [parts.symbol("clamp", points[:, 0], colour="ground", layer=GROUND)]
    return [parts.symbol("weld", points[:, 0])]


@draws("rod")
def rod(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A thin line between two pins."""
    found = [Mark("line", points[:, :2], "rod", ELEMENT, {"width": 3.0})]
    for k, body in enumerate(shape.bodies):
        found += parts.end(body, points[:, k]) if points.shape[-1] == 2 else [parts.symbol("pin", points[:, k])]
    return found


@draws("prismatic", dimensions=2)
def slider(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A block in a guide: on the ground a hatched line, on a body two rails."""
    owner, moved = shape.bodies
    low, high, middle = parts.guide(points, parts.middle(moved, points), 1.0 if owner == BASE else 0.5)
    block = parts.symbol("block", middle, middle + (high - low), colour=parts.colours[moved], layer=BLOCK)
    if owner == BASE:
        return [Mark("hatch", above(parts, low, high), "ground", GROUND, {"offset": 9.0}), block]
    return [parts.symbol("sleeve", low, high, colour=parts.colours[owner], layer=BAR), block]


def above(parts: PartMarks, low: Array, high: Array) -> Array:
    """Order the ends of a fixed line so that its right is below."""
    flip = high[0, 0] < low[0, 0]
    return np.stack([high, low] if flip else [low, high], axis=1)


@draws("slot", dimensions=2)
def slot(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A pin in a long hole."""
    low, high, pin = parts.guide(points)
    hole = parts.symbol("slot", low, high, colour=parts.colours[shape.bodies[0]], layer=BLOCK)
    return [hole, *parts.end(shape.bodies[1], pin)]


@draws("prismatic", "cylindrical", "screw", "point_on_line", dimensions=3)
def rail(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A sleeve or a ball on an axis in space."""
    owner, moved = shape.bodies
    low, high, middle = parts.guide(points)
    dashed = {"dashed": True} if shape.kind == "screw" else {}
    line = Mark("line", np.stack([low, high], axis=1), parts.colours[owner], BAR, {"width": 3.0} | dashed)
    if shape.kind == "point_on_line":
        return [line, parts.symbol("ball", middle, colour=parts.colours[moved])]
    axis = 0.06 * parts.size * (points[:, 2] - points[:, 0])
    ends = np.stack([middle - axis, middle + axis], axis=1)
    return [line, Mark("cylinder", ends, parts.colours[moved], BLOCK, {"radius": 8.0})]


@draws("planar", "point_in_plane", dimensions=3)
def plane(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A piece of a plane, and the point that moves in it."""
    a, b = points[:, 0], points[:, 1]
    x, y = points[:, 3] - a, points[:, 4] - a
    reach = [np.abs(np.sum((b - a) * axis, axis=1)).max() + 0.15 * parts.size for axis in (x, y)]
    corners = [a + i * reach[0] * x + j * reach[1] * y for i, j in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    patch = Mark("plate", np.stack(corners, axis=1), parts.colours[shape.bodies[0]], GROUND)
    return [patch, parts.symbol("ball", b, colour=parts.colours[shape.bodies[1]])]
