"""A scene: all that is drawn of a system, with the places of its points at every frame, computed at once.

Renderers know seven kinds of marks. Their points are places in the world, their widths are pixels:

    bar       a link through points             line      a line through points; `head` makes it an arrow
    plate     a flat body: the hull of points   disk      centre and two points of the rim at right angles
    symbol    of the table, at one or two points  hatch   a line with strokes on its right, or `teeth`
    cylinder  a pin of width `radius` along an axis       sphere    centre and a point at the distance of its radius
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.program import Program
from dalembert.algebra.types import Array
from dalembert.errors import ModelError
from dalembert.model.drawing import Drawing, Shape
from dalembert.model.functions import TIME
from dalembert.model.system import System

GROUND, ROUND, PLATE, BAR, ELEMENT, BLOCK, PIN, DRIVE, ARROW = range(9)  # layers, from below


@dataclass(frozen=True)
class Mark:
    """Something that is drawn: its points (frames, count, dimensions), the role of its colour, its layer."""

    kind: str
    points: Array
    colour: str
    layer: int
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trace:
    """The curve of a point: all its places."""

    name: str
    places: Array
    colour: str


@dataclass(frozen=True)
class Scene:
    """Marks, names of points, curves and what is said about them.

    names: places of the points whose names are shown. up: which way is up in space. floor: height of a plane on which
    something rolls, None if there is none. legend: (role of the colour, text, length of the arrow or None)
    of arrows and curves.
    """

    title: str
    times: Array
    marks: tuple[Mark, ...]
    names: Mapping[str, Array]
    traces: tuple[Trace, ...] = ()
    up: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    floor: float | None = None
    legend: tuple[tuple[str, str, float | None], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return self._extent.shape[-1]

    @cached_property
    def _extent(self) -> Array:
        """The smallest and largest coordinates at each frame, (frames, 2, dimensions)."""
        parts = [mark.points for mark in self.marks if mark.layer < ARROW]
        parts += [outline(mark.points) for mark in self.marks if mark.kind in ("disk", "sphere")]
        parts += [places[:, None] for places in self.names.values()]
        low, high = (np.full((len(self.times), parts[0].shape[-1]), sign * np.inf) for sign in (1, -1))
        for part in parts:
            low, high = np.minimum(low, part.min(axis=1)), np.maximum(high, part.max(axis=1))
        return np.stack([low, high], axis=1)

    @cached_property
    def box(self) -> Array:
        """The smallest and largest coordinates of all frames and curves."""
        ends = [self._extent[:, 0].min(axis=0), self._extent[:, 1].max(axis=0)]
        for trace in self.traces:
            ends = [np.minimum(ends[0], trace.places.min(axis=0)), np.maximum(ends[1], trace.places.max(axis=0))]
        if np.all(ends[0] == ends[1]):  # a single point
            ends = [ends[0] - 0.5, ends[1] + 0.5]
        return np.array(ends)

    @cached_property
    def size(self) -> float:
        """The largest side of the box."""
        return float(np.ptp(self.box, axis=0).max())

    @property
    def travel(self) -> float:
        """How far things go, in sizes that they have in one frame."""
        sides = np.ptp(self._extent, axis=1).max(axis=1)
        own = float(np.median(sides))
        return self.size / own if own > 0 else 1.0

    @cached_property
    def span(self) -> float:
        """A typical length of links, by which symbols are made smaller where there are many."""
        bars = [
            np.linalg.norm(np.diff(mark.points[0], axis=0), axis=1).max() for mark in self.marks if mark.kind == "bar"
        ]
        bars = [length for length in bars if length > 1e-3 * self.size]
        return float(np.median(bars)) if bars else self.size / 3


def outline(points: Array) -> Array:
    """Return the corners of boxes about circles, given by centre and points of the rim."""
    centre, arms = points[:, :1], points[:, 1:] - points[:, :1]
    reach = np.sqrt(np.sum(arms**2, axis=1, keepdims=True))
    return np.concatenate([centre - reach, centre + reach], axis=1)


@dataclass(frozen=True)
class Places:
    """A drawing at all frames: points by name, parts of mechanisms with their points, radii of circles."""

    points: dict[str, Array]  # (frames, dimensions)
    shapes: list[tuple[Shape, Array, Array]]  # (frames, count, dimensions), values
    radii: Array  # (frames, circles)


def evaluate(system: System, drawing: Drawing, inputs: Array) -> Places:
    """Evaluate every expression of a drawing at all states (rows of t, q, v and parameters) by one program."""
    names = (TIME, *system.coordinates, *system.velocities, *system.parameters)
    wanted = drawing.expressions
    rows = Program([se.Symbol(name) for name in names], wanted).arrays(list(inputs.T)).T
    if not np.all(np.isfinite(rows)):
        bad = wanted[int(np.flatnonzero(~np.all(np.isfinite(rows), axis=0))[0])]
        raise ModelError(f"a point of the drawing has no finite place: {str(bad)[:80]} has no value at this state")
    frames, at = len(rows), 0

    def take(count: int) -> Array:
        nonlocal at
        at += count
        return rows[:, at - count : at]

    points = {name: take(len(place)) for name, place in drawing.points.items()}
    hung = [
        take(sum(map(len, shape.places))).reshape(frames, len(shape.places), len(shape.places[0]))
        for shape in drawing.shapes
    ]
    radii = take(len(drawing.circles))
    values = [take(len(shape.values))[0] for shape in drawing.shapes]
    return Places(points, list(zip(drawing.shapes, hung, values, strict=True)), radii)


def spread(parts: Sequence[Array]) -> float:
    """Return the largest side of the box about points at all frames."""
    flat = np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts])
    return float(np.ptp(flat, axis=0).max()) or 1.0
