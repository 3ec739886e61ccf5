"""A scene for the player in the browser: its numbers, stored compactly, and the page, or part of one, to play it."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from dalembert.arrays import Array
from dalembert.characters import escape
from dalembert.document.palette import DARK, LIGHT
from dalembert.results.drawing.camera import AZIMUTH, ELEVATION, THIN
from dalembert.results.drawing.scene import Stage
from dalembert.results.drawing.strokes import as_data
from dalembert.results.drawing.view import View, moves

MOST = 2**24 - 1  # a number is stored in three bytes, as a part of the range of its coordinate


def fragment(scene: Stage, *, dark: bool | None, speed: float, autoplay: bool = False) -> str:
    """Return a <figure> with its own script; any number of them can stand in one page."""
    data = json.dumps(as_json(scene, dark, speed), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    title = escape(scene.title or "animation")
    notes = "".join(f"<p>{_marked(note)}</p>" for note in scene.notes)
    ratio = aspect(scene)
    return (
        f'<figure class="dalembert-animation"{" data-autoplay" if autoplay else ""}>\n'
        f"<style>{_file('player.css')}</style>\n"
        f'<div class="dalembert-stage"><canvas tabindex="0" role="img" aria-label="{title}"'
        f' style="aspect-ratio: {1 / ratio:.4g}"></canvas></div>\n'
        f"<figcaption>{title}{notes}</figcaption>\n"
        "<noscript>This animation is played by JavaScript.</noscript>\n"
        f'<script type="application/json">{data}</script>\n'
        f'<script>(() => {{\n"use strict";\n{_file("painter.js")}\n{_file("player.js")}}})();</script>\n'
        "</figure>"
    )


def page(scene: Stage, *, dark: bool | None, speed: float) -> str:
    """Return a page with nothing but the player."""
    title = escape(scene.title or "animation")
    scheme = "light dark" if dark is None else "dark" if dark else "light"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="{scheme}">\n'
        '<link rel="icon" href="data:,">\n'
        "<style>body { margin: 1rem; } @media print { body { margin: 0; } }</style>\n"
        f"</head>\n<body>\n{fragment(scene, dark=dark, speed=speed, autoplay=True)}\n</body>\n</html>\n"
    )


@cache
def _file(name: str) -> str:
    return resources.files("dalembert.results.drawing").joinpath("script", name).read_text(encoding="utf-8")


def aspect(scene: Stage) -> float:
    """Return the height of the picture for a width of one."""
    if scene.dimensions == 3:
        return 0.66
    view = scene.view
    width, height = np.ptp(view.box, axis=0)
    return float(np.clip((height + THIN * view.size) / (width + THIN * view.size), 0.4, 0.72))


def as_json(scene: Stage, dark: bool | None, speed: float) -> dict[str, Any]:
    """Return all that the player needs. Points that several marks share, and those that stay, are stored once."""
    points = _Points(scene)
    marks = [
        {
            "kind": mark.kind,
            "colour": mark.colour,
            "layer": mark.layer,
            "points": [points.index(mark.points[:, k]) for k in range(mark.points.shape[1])],
            "options": {key: _plain(value) for key, value in mark.options.items()},
        }
        for mark in scene.marks
    ]
    names = [[name, points.index(places)] for name, places in scene.names.items()]
    traces = [[trace.name, trace.colour, points.index(trace.places)] for trace in scene.traces]
    centre = points.index(scene.centre)
    moving, numbers = points.stored()
    for mark in marks:
        mark["points"] = [moving[k] for k in mark["points"]]
    for item in (*names, *traces):
        item[-1] = moving[item[-1]]
    return {
        "dimensions": scene.dimensions,
        "frames": len(scene.times),
        "begin": float(scene.times[0]),
        "end": float(scene.times[-1]),
        **numbers,
        "marks": marks,
        "names": names,
        "traces": traces,
        "legend": [[role, text, length and _round(length, scene.size)] for role, text, length in scene.legend],
        "centre": moving[centre],
        "views": {"whole": _view(scene, scene.whole), "along": _view(scene, scene.along)},
        "follows": scene.follows,
        "span": _round(scene.span, scene.size),
        "up": scene.up.tolist(),
        "height": scene.height if scene.dimensions == 3 else 0.0,
        "thin": THIN,
        "azimuth": AZIMUTH,
        "elevation": ELEVATION,
        "speed": speed,
        "dark": dark,
        "palette": {"light": LIGHT, "dark": DARK},
        "symbols": as_data(),
    }


def _view(scene: Stage, view: View) -> dict[str, Any]:
    rounded = [[_round(x, view.size) for x in place] for place in (view.middle, *view.points)]
    floor = view.floor(scene.up) if scene.dimensions == 3 else None
    return {"middle": rounded[0], "points": rounded[1:], "size": view.size, "radius": view.radius, "floor": floor}


class _Points:
    """Gathers the points of a scene, each once."""

    def __init__(self, scene: Stage):
        self.scene, self.low = scene, scene.box[0]
        self.tracks: list[Array] = []
        self.known: dict[bytes, int] = {}

    def index(self, places: Array) -> int:
        """Return the number of a point with these places."""
        rounded = np.round((places - self.low) / (1e-8 * self.scene.size)).astype(np.int64)
        key = rounded.tobytes()
        if key not in self.known:
            self.known[key] = len(self.tracks)
            self.tracks.append(places)
        return self.known[key]

    def stored(self) -> tuple[list[int], dict[str, Any]]:
        """Return the place of each point in what is stored, moving ones first, and the numbers."""
        size = self.scene.size
        moving = [moves(track, size) for track in self.tracks]
        order = sorted(range(len(moving)), key=lambda k: not moving[k])
        place = [0] * len(order)
        for new, old in enumerate(order):
            place[old] = new
        count = sum(moving)
        d = self.scene.dimensions
        track = np.stack([self.tracks[k] for k in order[:count]], axis=1) if count else np.zeros((1, 0, d))
        low = track.min(axis=(0, 1)) if count else np.zeros(d)
        step = (np.ptp(track, axis=(0, 1)) if count else np.zeros(d)) / MOST
        parts = np.round((track - low) / np.where(step > 0, step, 1.0)).astype(">u4")
        data = parts.reshape(-1, 1).view(np.uint8)[:, 1:].tobytes()
        fixed = [[_round(x, size) for x in self.tracks[k][0]] for k in order[count:]]
        return place, {
            "moving": count,
            "low": low.tolist(),
            "step": step.tolist(),
            "motion": base64.b64encode(data).decode("ascii"),
            "fixed": fixed,
        }


def _marked(note: str) -> str:
    """Return a sentence in which names are marked as code."""
    return re.sub("`(.+?)`", r"<code>\1</code>", str(escape(note)))


def _round(value: float, size: float) -> float:
    """Round a length to what can be seen."""
    return float(f"{value / size:.7f}") * size if size else value


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, bool, int)) else float(f"{float(value):.6g}")
