"""A scene: all that is drawn of a system, with the places of its points at every frame, computed at once.

Renderers know seven kinds of marks. Their points are places in the world, their widths are pixels:

    bar       a link through points             line      a line through points; `head` makes it an arrow
    plate     a flat body: the hull of points   disk      centre and two points of the rim at right angles
    symbol    of the table, at one or two points  hatch   a line with strokes on its right, or `teeth`
    cylinder  a pin of width `radius` along an axis       sphere    centre and a point at the distance of its radius
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.errors import ModelError
from dalembert.language.building import TIME
from dalembert.language.program import Program
from dalembert.model.drawing import Drawing, Shape
from dalembert.model.system import System
from dalembert.results.drawing.strokes import has_length
from dalembert.results.drawing.view import FAR_AWAY, STILL, View, along, moves, own_size, whole

GROUND, ROUND, PLATE, BAR, ELEMENT, BLOCK, PIN, DRIVE, ARROW = range(9)  # layers, from below
RING = 0.14  # of its radius: the width of a wheel with teeth inside
RIM = 12  # points by which a circle is fitted into a picture


@dataclass(frozen=True)
class Mark:
    """Something that is drawn: its points (frames, count, dimensions), the role of its colour, its layer."""

    kind: str
    points: Array
    colour: str
    layer: int
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_round(self) -> bool:
        """Whether its first point is the middle of a circle or ball."""
        return self.kind in ("disk", "sphere")

    @property
    def drawn(self) -> Array:
        """Its points without those that say only a direction."""
        return self.points if self.kind != "symbol" or has_length(self.options["name"]) else self.points[:, :1]

    @property
    def middle(self) -> Array:
        """Its middle at all frames."""
        return self.points[:, 0] if self.is_round else self.drawn.mean(axis=1)

    @property
    def outline(self) -> Array:
        """Where it is drawn at all frames, with points about a circle or ball, (frames, count, dimensions)."""
        return np.concatenate([self.points, rim(self)], axis=1) if self.is_round else self.drawn


@dataclass(frozen=True)
class Trace:
    """The curve of a point: all its places."""

    name: str
    places: Array
    colour: str


@dataclass(frozen=True)
class Stage:
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
        return self.marks[0].points.shape[-1]

    def outlines(self, marks: Iterable[Mark]) -> list[Array]:
        """Return the points of marks and about their circles at all frames; arrows of forces do not count."""
        return [mark.outline for mark in marks if mark.layer < ARROW]

    @cached_property
    def whole(self) -> View:
        """What a picture of the whole way must hold."""
        return whole(self)

    @cached_property
    def along(self) -> View:
        """What a picture that goes along with the motion must hold."""
        return along(self)

    @property
    def box(self) -> Array:
        """The smallest and largest coordinates of all frames and curves."""
        return self.whole.box

    @property
    def size(self) -> float:
        """The largest side of the box."""
        return self.whole.size

    @cached_property
    def moving(self) -> list[Mark]:
        """The marks that move as a whole or in part."""
        return [mark for mark in self.marks if mark.layer < ARROW and moves(mark.points, self.size)]

    @cached_property
    def centre(self) -> Array:
        """The middle of what moves, (frames, dimensions); smooth, as the marks themselves are."""
        if not self.moving:
            return np.tile(self.whole.middle, (len(self.times), 1))
        return np.mean([mark.middle for mark in self.moving], axis=0)

    @cached_property
    def travel(self) -> float:
        """How far things go, in sizes that what moves has in one frame; 1 for a single point."""
        own = own_size(self.outlines(self.moving))
        return self.size / own if own > STILL * self.size else 1.0

    @property
    def follows(self) -> bool:
        """Whether the picture goes along at first: what moves would be too small in a picture of its whole way."""
        return self.travel > FAR_AWAY and not self.traces

    @property
    def view(self) -> View:
        """What the picture holds at first."""
        return self.along if self.follows else self.whole

    @cached_property
    def height(self) -> float:
        """The height of the level grid in space: the floor, or the lowest point."""
        return float((self.whole.points @ self.up).min()) if self.floor is None else self.floor

    @cached_property
    def span(self) -> float:
        """A typical length of links, by which symbols are made smaller where there are many."""
        bars = [
            np.linalg.norm(np.diff(mark.points[0], axis=0), axis=1).max() for mark in self.marks if mark.kind == "bar"
        ]
        size = self.view.size
        bars = [length for length in bars if length > 1e-3 * size]
        return float(np.median(bars)) if bars else size / 3


def rim(mark: Mark) -> Array:
    """Return points round a disk or ball at all frames."""
    if mark.kind == "disk":
        beyond = RING if "ring" in mark.options else tooth_height(mark.options.get("teeth", 0))
        return round_points(mark.points + beyond * (mark.points - mark.points[:, :1]), RIM)
    reach = np.linalg.norm(mark.points[:, 1:2] - mark.points[:, :1], axis=-1, keepdims=True)
    axes = np.eye(mark.points.shape[-1])
    return mark.points[:, :1] + reach * np.concatenate([axes, -axes])


def tooth_height(teeth: int) -> float:
    """Return half the height of teeth, as a part of the radius."""
    return min(0.25, 1.9 / teeth) if teeth else 0.0


def round_points(points: Array, count: int, phase: float = 0.0) -> Array:
    """Return points round circles that are given by centre and two points of their rim, (…, count, dimensions)."""
    angles = phase + 2 * np.pi * np.arange(count) / count
    centre, u, v = (points[..., k, None, :] for k in range(3))
    return centre + np.cos(angles)[:, None] * (u - centre) + np.sin(angles)[:, None] * (v - centre)


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
    rows = Program([se.Symbol(name) for name in names], wanted, system.defined).arrays(list(inputs.T)).T
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


def spread(places: Places) -> float:
    """Return how large a drawing is: the box about its points at all frames; where they go far, at one of them."""
    points = np.concatenate(list(places.points.values()))
    size = float(np.ptp(points, axis=0).max()) or 1.0
    own = own_size([points for _, points, _ in places.shapes if moves(points, size)])
    return own if size > FAR_AWAY * own > STILL * size else size
