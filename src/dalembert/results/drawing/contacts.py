"""How contacts are drawn: lines and planes on which something may lie, and what is round."""

from __future__ import annotations

import numpy as np

from dalembert.arrays import Array
from dalembert.model.drawing import Shape
from dalembert.results.drawing.parts import BASE, PartMarks, draws
from dalembert.results.drawing.scene import BAR, GROUND, ROUND, Mark
from dalembert.results.drawing.wheels import ground_plane, wheel

_MARGIN = 0.1  # of the size, beyond what is touched


@draws("contact line", dimensions=2)
def line(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A line as far as it may be touched, hatched on the other side where it is the ground."""
    a, free = points[:, 0], points[:, 1] - points[:, 0]
    axis = np.stack([free[:, 1], -free[:, 0]], axis=1)
    ways = np.einsum("fkx,fx->fk", points[:, 2:] - a[:, None], axis)
    margin = _MARGIN * parts.size
    low, high = a + (ways.min() - margin) * axis, a + (ways.max() + margin) * axis
    if shape.bodies[0] == BASE:
        return [Mark("hatch", np.stack([low, high], axis=1), "ground", GROUND)]
    return [Mark("line", np.stack([low, high], axis=1), parts.colours[shape.bodies[0]], BAR, {"width": 3.0})]


@draws("contact circle", dimensions=2)
def circle(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A disk with spokes, or a circle of the ground."""
    centre, rim = points[:, 0], points[:, 1]
    if shape.bodies[0] == BASE:
        return [wheel(parts, BASE, centre, rim)]
    return [wheel(parts, shape.bodies[0], centre, rim, spokes=3), parts.symbol("dot", centre)]


@draws("contact plane", dimensions=3)
def plane(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """The floor, or a piece of a plane."""
    far = np.linalg.norm(points[:, 2:] - points[:, :1], axis=-1).max(axis=0)
    touched = points[:, 2 + int(np.argmax(far))]
    return [*ground_plane(parts, shape, np.stack([points[:, 0], points[:, 0], points[:, 1], touched], axis=1))]


@draws("contact sphere", dimensions=3)
def sphere(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A sphere with great circles."""
    centre, colour = points[:, 0], parts.colours[shape.bodies[0]]
    found = [Mark("sphere", points[:, :2], colour, ROUND)]
    for i, j in ((1, 2), (2, 3), (3, 1)):
        rims = np.stack([centre, points[:, i], points[:, j]], axis=1)
        found.append(Mark("disk", rims, colour, ROUND, {"thin": 1}))
    return found
