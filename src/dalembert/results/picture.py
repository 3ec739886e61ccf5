"""A picture of a system at a state, from the points that its drawing names."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dalembert.errors import ModelError
from dalembert.model.numeric import Numeric
from dalembert.model.start import State
from dalembert.model.system import System

LINK, FIXED, SPRING, DISK = "#0072b2", "#444444", "#d55e00", "#009e73"  # colour-blind safe
_LABELS = 14  # more points than this are drawn without their names


def picture(system: System, state: State | None = None) -> Figure:
    """Draw a system at a state, by default its initial one."""
    if system.drawing is None:
        raise ModelError("nothing to draw: name some points in [draw.points]")
    numeric = Numeric(system)
    state = state or system.start()
    places, radii = _evaluate(system, numeric, state)
    spatial = len(next(iter(places.values()))) == 3
    figure = Figure(figsize=(5, 4), layout="constrained")
    axes: Any = figure.add_subplot(projection="3d" if spatial else None)
    for name, place in places.items():
        _ground(axes, place, spatial, system, name)
    for line in system.drawing.lines:
        points = np.array([places[name] for name in line]).T
        fixed = all(_is_fixed(system, name) for name in line)
        axes.plot(
            *points,
            color=FIXED if fixed else LINK,
            linewidth=1.5 if fixed else 3,
            solid_capstyle="round",
            zorder=1 if fixed else 2,
        )
    for spring in system.drawing.springs:
        for a, b in pairwise(spring):
            axes.plot(*_zigzag(places[a], places[b]), color=SPRING, linewidth=1.3, zorder=2)
    for centre, radius in radii:
        angle = np.linspace(0, 2 * np.pi, 100)
        x, y = places[centre][:2]
        axes.plot(x + radius * np.cos(angle), y + radius * np.sin(angle), color=DISK, linewidth=2.5, zorder=2)
    moving = {name: place for name, place in places.items() if not _is_fixed(system, name)}
    if moving:
        axes.scatter(*np.array(list(moving.values())).T, s=30, color="white", edgecolors="black", zorder=4)
    if len(places) <= _LABELS:
        for name, place in places.items():
            axes.text(*place, f"  {name}", fontsize=9, va="bottom", zorder=5)
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.set_title(system.name, fontsize=11)
    if spatial:
        axes.set_zlabel("z")
        axes.set_aspect("equal")
    else:
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.15)
        axes.grid(alpha=0.25)
    return figure


def save_picture(system: System, path: str | Path, state: State | None = None) -> None:
    """Draw a system and write the picture to a file."""
    picture(system, state).savefig(path, dpi=110)


def _evaluate(system: System, numeric: Numeric, state: State):
    """Return the places of all points and the radii of the circles at a state."""
    drawing = system.drawing
    if drawing is None or not drawing.points:
        raise ModelError("nothing to draw: name some points in [draw.points]")
    entries = [entry for place in drawing.points.values() for entry in place]
    values = numeric.evaluate(numeric.program([*entries, *(r for _, r in drawing.circles)]), state.t, state.q, state.v)
    if not np.all(np.isfinite(values)):
        raise ModelError("a point of the drawing has no finite place at this state")
    size = len(next(iter(drawing.points.values())))
    table = values[: len(entries)].reshape(-1, size)
    places = dict(zip(drawing.points, table, strict=True))
    radii = [(name, radius) for (name, _), radius in zip(drawing.circles, values[len(entries) :], strict=True)]
    return places, radii


def _is_fixed(system: System, name: str) -> bool:
    """Tell whether a point of the drawing belongs to the ground."""
    moves = {*system.coordinates, "t"}
    points = system.drawing.points if system.drawing is not None else {}
    return not any(symbol.name in moves for entry in points[name] for symbol in entry.free_symbols)


def _ground(axes: Any, place: np.ndarray, spatial: bool, system: System, name: str) -> None:
    if _is_fixed(system, name):
        axes.plot(*place[:, None], marker="^" if not spatial else "o", markersize=9, color=FIXED, zorder=3)


def _zigzag(a: np.ndarray, b: np.ndarray, coils: int = 6) -> np.ndarray:
    """Return the corners of a spring between two points."""
    along = b - a
    across = np.array([-along[1], along[0], *np.zeros(len(along) - 2)])
    length = np.linalg.norm(across)
    across = across / length * 0.06 * np.linalg.norm(along) if length > 0 else across
    parts = np.concatenate([[0, 0.15], np.linspace(0.15, 0.85, 2 * coils + 1)[1:-1], [0.85, 1]])
    sides = np.array([0, 0, *([1, -1] * coils)[: 2 * coils - 1], 0, 0])
    return a[:, None] + along[:, None] * parts + across[:, None] * sides
