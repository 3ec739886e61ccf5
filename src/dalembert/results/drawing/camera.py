"""From the world to the screen: a plane as it is, space in perspective. Pixels count from the lower left corner."""

from __future__ import annotations

from math import cos, log10, pi, sin
from typing import Any

import numpy as np

from dalembert.algebra.types import Array
from dalembert.results.drawing.scene import Scene

AZIMUTH, ELEVATION = -0.95, 0.42  # from where space is seen at first
FAR = 6.0  # distance of the eye, in half diagonals of the scene
SAMPLES = 24  # frames by which the picture is fitted


class Camera:
    """Fits a scene into a picture. `scale` is in pixels for each unit of length, at the middle of the scene."""

    def __init__(self, scene: Scene, width: float, height: float, margins: tuple[float, float, float, float]):
        self.dimensions, self.box = scene.dimensions, scene.box
        self.middle = scene.box.mean(axis=0)
        self.radius = float(np.linalg.norm(np.ptp(scene.box, axis=0))) / 2
        self.basis = basis(scene.up, AZIMUTH, ELEVATION) if self.dimensions == 3 else np.eye(2)
        self.scale, self.shift = 1.0, np.zeros(2)
        left, right, bottom, top = margins
        seen = self.project(sample_points(scene))[0]
        low, high = seen.min(axis=0), seen.max(axis=0)
        room = np.array([width - left - right, height - bottom - top])
        extent = np.maximum(high - low, 0.12 * (float((high - low).max()) or scene.size))
        self.scale = float(np.min(room / extent))
        self.shift = np.array([left, bottom]) + room / 2 - self.scale * (low + high) / 2

    def project(self, points: Array) -> tuple[Array, Array]:
        """Return places on the screen, and how near they are to the eye."""
        seen = (points - self.middle) @ self.basis.T
        if self.dimensions == 2:
            return self.shift + self.scale * seen, np.zeros(points.shape[:-1])
        depth = seen[..., 2]
        near = FAR * self.radius / np.maximum(FAR * self.radius - depth, 0.1 * self.radius)
        return self.shift + self.scale * seen[..., :2] * near[..., None], depth


def basis(up: Array, azimuth: float, elevation: float) -> Array:
    """Return the directions to the right, upwards and towards the eye, as rows."""
    first = np.roll(np.abs(up), 1)  # of z it is x, so that the axes are in their usual order
    second = np.cross(up, first)
    level = cos(azimuth) * first + sin(azimuth) * second
    right = np.cross(up, level)
    toward = cos(elevation) * level + sin(elevation) * up
    return np.array([right, np.cross(toward, right), toward])


def sample_points(scene: Scene) -> Array:
    """Return points that the picture must hold."""
    chosen = np.unique(np.linspace(0, len(scene.times) - 1, SAMPLES).round().astype(int))
    parts = [trace.places for trace in scene.traces]
    for mark in scene.marks:
        points = mark.points[chosen % len(mark.points)]
        if mark.kind == "disk":
            points = round_points(points, 12)
        elif mark.kind == "sphere":
            reach = np.linalg.norm(points[:, 1:] - points[:, :1], axis=-1, keepdims=True)
            offsets = np.concatenate([np.eye(points.shape[-1]), -np.eye(points.shape[-1])])
            points = points[:, :1] + reach * offsets
        parts.append(points.reshape(-1, points.shape[-1]))
    parts += [places[chosen % len(places)] for places in scene.names.values()]
    return np.concatenate(parts)


def round_points(points: Array, count: int, phase: float = 0.0) -> Array:
    """Return points round circles that are given by centre and two points of their rim, (…, count, dimensions)."""
    angles = phase + 2 * pi * np.arange(count) / count
    centre, u, v = (points[..., k, None, :] for k in range(3))
    return centre + np.cos(angles)[:, None] * (u - centre) + np.sin(angles)[:, None] * (v - centre)


def nice(value: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not above a value.

    >>> nice(0.37), nice(70.0)
    (0.2, 50.0)
    """
    power = 10.0 ** (log10(value) // 1) if value > 0 else 1.0
    return max((step for step in (1, 2, 5) if step * power <= value * (1 + 1e-9)), default=1) * power


def floor(scene: Scene) -> dict[str, Any]:
    """Return the level grid below a scene in space: its height, the distance of its lines, and its range each way."""
    up = scene.up
    first = np.roll(np.abs(up), 1)
    across = first, np.cross(up, first)
    corners = np.array([[scene.box[(k >> i) & 1][i] for i in range(3)] for k in range(8)])
    height = float((corners @ up).min()) if scene.floor is None else scene.floor
    step = nice(scene.size / 5)
    ranges = []
    for axis in across:
        ways = corners @ axis / step
        ranges.append([float(np.floor(ways.min() - 0.5) * step), float(np.ceil(ways.max() + 0.5) * step)])
    return {"up": up.tolist(), "height": height, "step": step, "ranges": ranges}
