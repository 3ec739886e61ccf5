"""From the world to the screen: a plane as it is, space in perspective. Pixels count from the lower left corner."""

from __future__ import annotations

from math import cos, sin

import numpy as np

from dalembert.arrays import Array
from dalembert.results.drawing.scene import Stage
from dalembert.results.drawing.view import level

AZIMUTH, ELEVATION = -0.95, 0.42  # from where space is seen at first
FAR = 6.0  # distance of the eye, in half diagonals of the scene
THIN = 0.12  # of its longer side is room for the shorter one at least


class Camera:
    """Fits a scene into a picture. `scale` is in pixels for each unit of length, at the middle of the scene.

    A camera that goes along shows each frame from the centre of what moves; `go` says which frame.
    """

    def __init__(self, scene: Stage, width: float, height: float, margins: tuple[float, float, float, float]):
        self.scene, self.view, self.dimensions = scene, scene.view, scene.dimensions
        self.basis = basis(scene.up, AZIMUTH, ELEVATION) if self.dimensions == 3 else np.eye(2)
        self.scale, self.shift, self.middle = 1.0, np.zeros(2), self.view.middle
        left, right, bottom, top = margins
        seen = self.project(self.view.points)[0]
        low, high = seen.min(axis=0), seen.max(axis=0)
        room = np.array([width - left - right, height - bottom - top])
        extent = np.maximum(high - low, THIN * (float((high - low).max()) or self.view.size))
        self.scale = float(np.min(room / extent))
        self.shift = np.array([left, bottom]) + room / 2 - self.scale * (low + high) / 2
        self.go(0)

    def go(self, frame: int) -> None:
        """Turn to a frame."""
        self.middle = self.view.middle + self.centre(frame)

    def centre(self, frame: int) -> Array:
        """Return the place from which lengths of the view are counted."""
        return self.scene.centre[frame] if self.scene.follows else np.zeros(self.dimensions)

    def project(self, points: Array) -> tuple[Array, Array]:
        """Return places on the screen, and how near they are to the eye."""
        seen = (points - self.middle) @ self.basis.T
        if self.dimensions == 2:
            return self.shift + self.scale * seen, np.zeros(points.shape[:-1])
        depth, radius = seen[..., 2], self.view.radius
        near = FAR * radius / np.maximum(FAR * radius - depth, 0.1 * radius)
        return self.shift + self.scale * seen[..., :2] * near[..., None], depth


def basis(up: Array, azimuth: float, elevation: float) -> Array:
    """Return the directions to the right, upwards and towards the eye, as rows."""
    first, second = level(up)
    ahead = cos(azimuth) * first + sin(azimuth) * second
    right = np.cross(up, ahead)
    toward = cos(elevation) * ahead + sin(elevation) * up
    return np.array([right, np.cross(toward, right), toward])
