"""What a picture holds: the whole way of a scene, or what moves in it, with which the picture then goes along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array

if TYPE_CHECKING:
    from dalembert.results.drawing.scene import Stage

FAR_AWAY = 9.0  # in sizes of what moves: the picture goes along with what goes farther
STILL = 1e-9  # part of the size by which a point may move and counts as fixed
DIRECTIONS = 200  # in which the farthest points are kept


@dataclass(frozen=True)
class View:
    """The box about all that a picture must hold, and points of it: those that are farthest in some direction.

    Lengths in a view that goes along are counted from the place of `Scene.centre` at each frame.
    """

    box: Array
    points: Array

    @property
    def middle(self) -> Array:
        """The middle of the box."""
        return self.box.mean(axis=0)

    @property
    def size(self) -> float:
        """The largest side of the box."""
        return float(np.ptp(self.box, axis=0).max())

    @property
    def radius(self) -> float:
        """Half the diagonal of the box."""
        return float(np.linalg.norm(np.ptp(self.box, axis=0))) / 2

    def floor(self, up: Array) -> dict[str, Any]:
        """Return the distance of the lines of a level grid, and how far it reaches along its two directions."""
        corners = np.array([[self.box[(k >> i) & 1][i] for i in range(3)] for k in range(8)])
        step = nice(self.size / 5)
        ways = [corners @ axis for axis in level(up)]
        return {"step": step, "ranges": [[float(way.min()) - step / 2, float(way.max()) + step / 2] for way in ways]}


def make_view(parts: Sequence[Array]) -> View:
    """Return the view of points, given as arrays whose last axis is that of the coordinates."""
    ways = directions(parts[0].shape[-1])
    farthest = np.concatenate([_farthest(part.reshape(-1, part.shape[-1]), ways) for part in parts])
    points = np.unique(_farthest(farthest, ways), axis=0)
    box = np.array([points.min(axis=0), points.max(axis=0)])
    if np.all(box[0] == box[1]):  # a single point
        box = box + np.array([[-0.5], [0.5]])
    return View(box, points)


def _farthest(points: Array, ways: Array) -> Array:
    return points[(points @ ways.T).argmax(axis=0)]


def directions(dimensions: int) -> Array:
    """Return unit vectors along the axes, and in space all round, by the golden angle."""
    axes = np.concatenate([np.eye(dimensions), -np.eye(dimensions)])
    if dimensions == 2:
        return axes
    k = np.arange(DIRECTIONS)
    height, angle = 1 - (2 * k + 1) / DIRECTIONS, np.pi * (3 - np.sqrt(5)) * k
    around = np.sqrt(1 - height**2)
    return np.concatenate([axes, np.stack([around * np.cos(angle), around * np.sin(angle), height], axis=1)])


def whole(scene: Stage) -> View:
    """Return the view of all frames and curves."""
    return make_view([*scene.outlines(scene.marks), *scene.names.values(), *(trace.places for trace in scene.traces)])


def along(scene: Stage) -> View:
    """Return the view of what moves, from its centre; of everything where nothing does."""
    centre = scene.centre[:, None]
    parts = [part - centre for part in scene.outlines(scene.moving)]
    return make_view(parts) if parts else make_view([part - centre for part in scene.outlines(scene.marks)])


def own_size(parts: Sequence[Array]) -> float:
    """Return how large things are at one frame, (frames, count, dimensions) each: the median of all frames."""
    if not parts:
        return 0.0
    points = np.concatenate(parts, axis=1)
    return float(np.median(np.ptp(points, axis=1).max(axis=-1)))


def moves(points: Array, size: float) -> bool:
    """Tell whether places, one row for each frame, change."""
    return bool(np.ptp(points, axis=0).max() > STILL * size)


def level(up: Array) -> tuple[Array, Array]:
    """Return the two directions of the ground; of z upwards they are x and y."""
    first = np.roll(np.abs(up), 1)
    return first, np.cross(up, first)


def nice(value: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not above a value.

    >>> nice(0.37), nice(70.0)
    (0.2, 50.0)
    """
    power = 10.0 ** (log10(value) // 1) if value > 0 else 1.0
    return max((step for step in (1, 2, 5) if step * power <= value * (1 + 1e-9)), default=1) * power
