"""A scene in a figure of matplotlib: for files of any kind, and for frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from dalembert.arrays import Array
from dalembert.results.drawing.painter import Look, Painter
from dalembert.results.drawing.scene import Stage

DPI = 100  # pixels of the look for each inch


class Canvas:
    """A surface that passes paths and text to a renderer of matplotlib."""

    def __init__(self, figure: Figure, renderer: Any):
        self.figure, self.renderer = figure, renderer
        self.factor = figure.dpi / DPI
        self.transform = Affine2D().scale(self.factor)

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
        gc = self.renderer.new_gc()
        gc.set_joinstyle("round")
        gc.set_capstyle("round" if width > 2 else "butt")
        gc.set_antialiased(True)
        gc.set_linewidth(width * 72 / DPI if stroke else 0.0)
        if dashed:
            gc.set_dashes(0, [4 * 72 / DPI * 1.2, 3 * 72 / DPI * 1.2])
        gc.set_foreground(to_rgba(stroke or fill or "none", opacity), isRGBA=True)
        path = Path(np.vstack([points, points[:1]]), closed=True) if closed else Path(points)
        self.renderer.draw_path(gc, path, self.transform, to_rgba(fill, opacity) if fill else None)
        gc.restore()

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
        made = Text(
            x * self.factor, y * self.factor, text, color=colour, fontsize=size * 72 / DPI * 1.15, ha=align,
            va="center_baseline", fontweight="bold" if bold else "normal", parse_math=False,
        )  # fmt: skip
        made.set_figure(self.figure)
        if halo:
            made.set_path_effects([withStroke(linewidth=2.4, foreground=halo)])
        made.draw(self.renderer)


class Painting(Artist):
    """A frame of a scene as an artist of matplotlib; `frame` says which."""

    def __init__(self, painter: Painter):
        super().__init__()
        self.painter, self.frame = painter, 0

    def draw(self, renderer: Any) -> None:
        """Draw the frame."""
        figure = self.figure
        if isinstance(figure, Figure):
            self.painter.draw(Canvas(figure, renderer), self.frame)


def make_figure(scene: Stage, look: Look, frame: int = 0) -> tuple[Figure, Painting]:
    """Return a figure with a frame of a scene, and the artist by which another frame is chosen."""
    figure = Figure(figsize=(look.width / DPI, look.height / DPI), dpi=DPI)
    painting = Painting(Painter(scene, look))
    painting.frame = frame
    figure.add_artist(painting)
    return figure, painting
