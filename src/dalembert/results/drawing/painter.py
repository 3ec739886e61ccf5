"""Draws one frame of a scene: marks by depth, grid, curves, names. What it draws on knows only paths and text.

It exists a second time, as `script/painter.js`. What can be shared is: scene, marks, symbols as points, places over
time and colours are made once and handed to the page (`scene.py`, `strokes.py`, `player.py`). What is left is what the
place of the eye and the moment decide: which mark hides which, where names find room, how fine the grid is. In a page
the reader turns, zooms and moves in time, so that this is decided there, without Python; a list of paths made here
would hold for one view and one moment only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from dalembert.arrays import Array
from dalembert.document.palette import DARK, LIGHT
from dalembert.results.drawing.camera import Camera
from dalembert.results.drawing.hull import hull
from dalembert.results.drawing.labels import Labels
from dalembert.results.drawing.scene import ARROW, GROUND, RING, Mark, Stage, round_points, tooth_height
from dalembert.results.drawing.strokes import SYMBOLS
from dalembert.results.drawing.view import level, nice

BAR_WIDTH = 7.0
ROUNDED = 56  # corners of a circle
NOTE = 110  # letters that fit in a line below the title


class Surface(Protocol):
    """Something to draw on, in pixels from the lower left corner."""

    def path(
        self,
        points: Array,
        *,
        stroke: str | None,
        fill: str | None = None,
        width: float = 1.0,
        closed: bool = False,
        dashed: bool = False,
        opacity: float = 1.0,
    ) -> None:
        """Draw a line or an area."""  # fmt: skip
        ...

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        colour: str,
        size: float = 10.0,
        align: str = "left",
        halo: str | None = None,
        bold: bool = False,
    ) -> None:
        """Write a line of text; y is its middle."""  # fmt: skip
        ...


@dataclass(frozen=True)
class Look:
    """Size of the picture in pixels, its margins (left, right, bottom, top), and what is shown beside the scene."""

    width: float
    height: float
    margins: tuple[float, float, float, float] = (40.0, 36.0, 40.0, 50.0)
    dark: bool = False
    title: bool = True
    clock: bool = False


class Painter:
    """Draws frames of a scene."""

    def __init__(self, scene: Stage, look: Look):
        self.scene, self.look = scene, look
        self.camera = Camera(scene, look.width, look.height, look.margins)
        self.colours: Mapping[str, str] = DARK if look.dark else LIGHT
        self.k = float(np.clip(scene.span * self.camera.scale / 42, 0.3, 1.15))  # by which symbols are made smaller
        self.labels = Labels(list(scene.names))

    def draw(self, surface: Surface, frame: int) -> None:
        """Draw a frame."""
        w, h = self.look.width, self.look.height
        corners = np.array([[0, 0], [w, 0], [w, h], [0, h]])
        self.surface, self.frame = surface, frame
        self.camera.go(frame)
        surface.path(corners, stroke=None, fill=self.colours["paper"], closed=True)
        self.labels.begin(self.look.width, self.look.height)
        self.grid()
        if self.scene.follows:  # by its way it can be seen to move
            surface.path(self.seen(self.scene.centre), stroke=self.colours["faint"], dashed=True)
        self.traces()
        for mark, points in self.ordered():
            getattr(self, f"draw_{mark.kind}")(points, mark, self.colours[mark.colour])
        self.names()
        self.words()

    def ordered(self) -> list[tuple[Mark, Array]]:
        """Return the marks from behind to the front, with their points at this frame."""
        found = [(mark, mark.points[min(self.frame, len(mark.points) - 1)]) for mark in self.scene.marks]
        if self.scene.dimensions == 2:
            return found

        def key(item: tuple[Mark, Array]) -> tuple[float, float]:
            mark, points = item
            first = -1.0 if mark.layer == GROUND and mark.kind == "plate" else 1.0 if mark.layer == ARROW else 0.0
            return first, float(self.camera.project(points)[1].mean()) + 0.012 * self.scene.view.size * mark.layer

        return sorted(found, key=key)

    # --- marks -------------------------------------------------------------------------------------------------------

    def seen(self, points: Array) -> Array:
        """Return places on the screen."""
        return self.camera.project(points)[0]

    def line(self, points: Array, colour: str | None, width: float, **options: Any) -> None:
        """Draw a path in pixels, whose widths are those of symbols; names keep away from it."""
        self.labels.avoid(points, bool(options.get("closed")))
        self.surface.path(points, stroke=colour, width=width * self.k, **options)

    def tint(self, colour: str, part: float = 0.22) -> str:
        """Return a colour mixed with that of the background."""
        return mix(colour, self.colours["paper"], part)

    def draw_bar(self, points: Array, mark: Mark, colour: str) -> None:
        """A link: a band with a border."""
        path = self.seen(points)
        self.line(path, colour, BAR_WIDTH)
        self.surface.path(path, stroke=self.tint(colour, 0.45), width=(BAR_WIDTH - 3.2) * self.k)

    def draw_line(self, points: Array, mark: Mark, colour: str) -> None:
        """A line; an arrow if it has a head. An arrow without a length is none."""
        path, width = self.seen(points), mark.options.get("width", 1.5)
        if not mark.options.get("head"):
            self.line(path, colour, width, dashed=bool(mark.options.get("dashed")))
        else:
            self.arrow(path, colour, width)

    def arrow(self, path: Array, colour: str, width: float) -> None:
        """Draw an arrow along a path in pixels."""
        way = path[-1] - path[-2]
        length, total = float(np.hypot(*way)), float(np.hypot(*(path[-1] - path[0])))
        if total < 1.5 or length == 0:
            return
        along, size = way / length, min(9.0, 0.7 * max(total, length))
        across = np.array([-along[1], along[0]])
        back = path[-1] - size * along
        self.surface.path(np.vstack([path[:-1], back]), stroke=colour, width=width)
        head = np.array([path[-1], back + 0.42 * size * across, back - 0.42 * size * across])
        self.surface.path(head, stroke=colour, fill=colour, width=1.0, closed=True)

    def draw_plate(self, points: Array, mark: Mark, colour: str) -> None:
        """A flat body; its outline is that of the points as they are seen."""
        path = self.seen(points)
        path = hull(path) if mark.options.get("hull") else path
        if mark.layer == GROUND:
            self.surface.path(path, stroke=colour, fill=colour, width=1.0, closed=True, opacity=0.12)
            return
        self.line(path, None, 1.0, fill=colour, closed=True, opacity=0.2)
        self.line(path, colour, 3.4, closed=True)

    def draw_disk(self, points: Array, mark: Mark, colour: str) -> None:
        """A circle, with spokes that show how it turns, or with teeth."""
        options = mark.options
        if options.get("thin"):
            self.surface.path(self.seen(round_points(points, ROUNDED)), stroke=colour, width=1.0, closed=True)
            return
        teeth = options.get("teeth", 0)
        rim = toothed(points, teeth, options.get("phase", 0)) if teeth else round_points(points, ROUNDED)
        path = self.seen(rim)
        if options.get("open"):
            self.line(path, colour, 3.0, closed=True)
            return
        if options.get("ring"):
            outer = self.seen(round_points(points + RING * (points - points[:1]), ROUNDED))
            self.line(outer, colour, 1.8, closed=True)
        else:
            self.line(path, None, 1.0, fill=colour, closed=True, opacity=0.16)
        self.line(path, colour, 2.0, closed=True)
        for k in range(options.get("spokes", 0)):
            end = round_points(points, options["spokes"])[k]
            self.surface.path(
                self.seen(np.array([points[0], end])), stroke=colour, width=(2.6 if k == 0 else 1.2) * self.k
            )

    def draw_sphere(self, points: Array, mark: Mark, colour: str) -> None:
        """A ball of a radius in the world."""
        right = self.camera.basis[0] * np.linalg.norm(points[1] - points[0])
        up = self.camera.basis[1] * np.linalg.norm(right)
        path = self.seen(round_points(np.array([points[0], points[0] + right, points[0] + up]), ROUNDED))
        self.line(path, None, 1.0, fill=colour, closed=True, opacity=0.2)
        self.line(path, colour, 2.0, closed=True)

    def draw_cylinder(self, points: Array, mark: Mark, colour: str) -> None:
        """A pin of fixed width along an axis, with its nearer end."""
        path, depth = self.camera.project(points)
        axis = points[1] - points[0]
        ahead = float(self.camera.basis[2] @ axis) / (np.linalg.norm(axis) or 1.0)  # 1 if it points to the eye
        near, far = (path[1], path[0]) if depth[1] >= depth[0] else (path[0], path[1])
        way = near - far
        length = float(np.hypot(*way))
        along = way / length if length > 1e-9 else np.array([1.0, 0.0])
        across, radius = np.array([-along[1], along[0]]), mark.options["radius"] * self.k
        angles = np.linspace(0, 2 * np.pi, 25)[:-1]
        cap = np.outer(np.cos(angles), along) * radius * abs(ahead) + np.outer(np.sin(angles), across) * radius
        body = hull(np.vstack([far + cap, near + cap]))
        self.line(body, self.colours["ink"], 1.2, fill=self.tint(colour, 0.75), closed=True)
        self.surface.path(
            near + cap, stroke=self.colours["ink"], fill=self.tint(colour, 0.3), width=1.2 * self.k, closed=True
        )

    def draw_hatch(self, points: Array, mark: Mark, colour: str) -> None:
        """A line of the ground with strokes on its right; or a rack, with teeth on its left."""
        path = self.seen(points)
        for a, b in pairwise(path):
            way = b - a
            length = float(np.hypot(*way))
            if length < 1e-9:
                continue
            along = way / length
            right = np.array([along[1], -along[0]])
            if self.scene.dimensions == 3:
                self.line(np.array([a, b]), colour, 2.2)
                continue
            if teeth := mark.options.get("teeth"):
                height = mark.options["height"] * self.camera.scale
                self.line(rack_path(a, way / teeth, right * height / 2, teeth), colour, 2.0)
                continue
            a = a + right * mark.options.get("offset", 0.0) * self.k
            self.line(np.array([a, a + way]), colour, 1.6)
            step, reach = 7.0 * self.k, self.look.width + self.look.height
            middle = float((np.array([self.look.width, self.look.height]) / 2 - a) @ along)
            first, last = max(step, (middle - reach) // step * step), min(length, middle + reach)
            for x in np.arange(first, last + 1e-9, step):  # as far as they are in the picture
                start = a + x * along
                self.surface.path(np.array([start, start + step * (right - along) * 0.85]), stroke=colour, width=self.k)

    def draw_symbol(self, points: Array, mark: Mark, colour: str) -> None:
        """A symbol of the table."""
        path = self.seen(points)
        a, b = path[0], path[-1]
        way = b - a
        length = float(np.hypot(*way))
        along = way / length if length > 1e-9 else np.array([1.0, 0.0])
        across = np.array([-along[1], along[0]])
        roles = {**self.colours, "own": colour}
        for stroke in SYMBOLS[mark.options["name"]]:
            u, x, y = np.array(stroke.points).T * np.array([[1.0], [self.k], [self.k]])
            place = a + np.outer(u, way) + np.outer(x, along) + np.outer(y, across)
            fill = stroke.fill and roles[stroke.fill.rstrip("~")]
            fill = self.tint(fill, 0.25) if stroke.fill and fill and stroke.fill.endswith("~") else fill
            self.line(place, stroke.stroke and roles[stroke.stroke], stroke.width, fill=fill, closed=stroke.closed)

    # --- what is beside the marks ------------------------------------------------------------------------------------

    def grid(self) -> None:
        """Draw lines at round coordinates; in space a floor with the directions of the axes."""
        if self.scene.dimensions == 3:
            self.floor()
            return
        w, h, camera = self.look.width, self.look.height, self.camera
        step = nice(100 / camera.scale)
        for axis, reach in ((0, w), (1, h)):
            first = camera.middle[axis] - camera.shift[axis] / camera.scale
            for k in range(int(np.ceil(first / step)), int((first + reach / camera.scale) / step) + 1):
                at = (k * step - first) * camera.scale
                ends = [[at, 0], [at, h]] if axis == 0 else [[0, at], [w, at]]
                self.surface.path(np.array(ends), stroke=self.colours["grid"], width=0.8)
                x, y = (at + 3, 7) if axis == 0 else (4, at + 6)
                if 24 < at < reach - 24:
                    self.surface.text(x, y, label(k, step), colour=self.colours["faint"], size=7.5)

    def floor(self) -> None:
        """Draw a level grid below the scene, and three arrows along the axes."""
        up, view, centre = self.scene.up, self.camera.view, self.camera.centre(self.frame)
        first, second = level(up)
        ground = view.floor(up)
        step = ground["step"]
        ranges = [
            [np.floor((low + centre @ axis) / step) * step, np.ceil((high + centre @ axis) / step) * step]
            for axis, (low, high) in zip((first, second), ground["ranges"], strict=True)
        ]
        for one, other, (a, b), (c, d) in ((first, second, *ranges), (second, first, *ranges[::-1])):
            for at in np.arange(a, b + step / 2, step):
                ends = np.array([at * one + c * other, at * one + d * other]) + self.scene.height * up
                self.surface.path(self.seen(ends), stroke=self.colours["grid"], width=0.8)
        for axis, letter in sorted(zip(self.camera.basis.T, "xyz", strict=True), key=lambda item: item[0][2]):
            end = np.array([36.0, 40.0]) + 24 * axis[:2]
            self.surface.path(np.array([[36.0, 40.0], end]), stroke=self.colours["faint"], width=1.4)
            x, y = end + 7 * axis[:2] / (np.hypot(*axis[:2]) or 1.0)
            self.surface.text(x, y, letter, colour=self.colours["faint"], size=9, align="center")
        self.surface.text(8, 9, f"grid {step:.6g}", colour=self.colours["faint"], size=7.5)

    def traces(self) -> None:
        """Draw the curves of points: faint as a whole, firm up to this frame."""
        for trace in self.scene.traces:
            path, colour = self.seen(trace.places), self.colours[trace.colour]
            self.surface.path(path, stroke=colour, width=1.2, opacity=0.35)
            if self.frame > 0:
                self.surface.path(path[: self.frame + 1], stroke=colour, width=1.8)

    def names(self) -> None:
        """Write the names of points where there is room for them."""
        for name, places in self.scene.names.items():
            point = self.seen(places[min(self.frame, len(places) - 1)])
            found = self.labels.place(name, point, self.k)
            if found is not None:
                x, y, align = found
                self.surface.text(
                    x, y, name, colour=self.colours["ink"], size=9.5, align=align, halo=self.colours["paper"]
                )

    def words(self) -> None:
        """Write title, time, legend and notes."""
        h, text = self.look.height, self.colours["ink"]
        if self.look.title and self.scene.title:
            self.surface.text(self.look.width / 2, h - 13, self.scene.title, colour=text, size=11.5, align="center")
        if self.look.clock:
            time = f"t = {self.scene.times[self.frame]:.2f}"
            self.surface.text(self.look.width - 10, h - 13, time, colour=text, size=10, align="right")
        y = h - 32 if self.look.title and self.scene.title else h - 14
        for role, words, length in self.scene.legend:
            wide = length * self.camera.scale if length else 18.0
            ends = np.array([[10, y], [10 + wide, y]])
            self.arrow(ends, self.colours[role], 2.4) if length else self.surface.path(
                ends, stroke=self.colours[role], width=2.4
            )
            self.surface.text(17 + wide, y, words, colour=text, size=8.5)
            y -= 14
        for note in self.scene.notes:
            shown = note.replace("`", "")
            words = shown if len(shown) < NOTE else f"{shown[: NOTE - 2]} …"
            self.surface.text(10, y, words, colour=self.colours["faint"], size=7.5)
            y -= 12


def label(k: int, step: float) -> str:
    """Return the coordinate of a line of a grid, with as many digits as tell it from its neighbours.

    >>> label(3, 0.5), label(-2, 5e-6), label(5000001, 2e-1)
    ('1.5', '-10e-6', '1000000.2')
    """
    digits = -int(np.floor(np.log10(step) + 1e-9))
    power = 3 * round(digits / 3) if digits > 4 and k else 0
    text = f"{k * step * 10.0**power:.{max(0, digits - power)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text}e-{power}" if power else text


def mix(colour: str, paper: str, part: float) -> str:
    """Return a colour with `part` of one and the rest of another."""
    a, b = (np.array([int(c[k : k + 2], 16) for k in (1, 3, 5)]) for c in (colour, paper))
    return "#" + "".join(f"{int(value):02x}" for value in np.round(part * a + (1 - part) * b))


def toothed(points: Array, teeth: int, phase: float) -> Array:
    """Return the outline of a gear: a tooth is ahead of the first point of the rim by the phase, in pitches."""
    height = tooth_height(teeth)
    angles, levels = np.array([-0.36, -0.16, 0.16, 0.36]), np.array([-1.0, 0.9, 0.9, -1.0])
    turned = (np.arange(teeth)[:, None] + angles + phase).ravel() * 2 * np.pi / teeth
    centre, u, v = points
    reach = 1 + height * np.tile(levels, teeth)[:, None]
    return centre + reach * (np.cos(turned)[:, None] * (u - centre) + np.sin(turned)[:, None] * (v - centre))


def rack_path(start: Array, pitch: Array, height: Array, teeth: int) -> Array:
    """Return the outline of a rack, from the middle of a tooth to that of another."""
    parts, levels = np.array([0.14, 0.34, 0.66, 0.86]), np.array([-1.0, 1.0, 1.0, -1.0])
    steps = (np.arange(teeth)[:, None] + parts).ravel()
    return start + np.outer(steps, pitch) + np.outer(np.tile(levels, teeth), height)
