"""A picture of a system at a state, from the points that its drawing names."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import Normal, TickedStroke

from dalembert.errors import ModelError
from dalembert.model.drawing import Drawing
from dalembert.model.functions import TIME, Expr
from dalembert.model.numeric import Numeric
from dalembert.model.start import State
from dalembert.model.system import System

Places = dict[str, np.ndarray]
LINK, FIXED, SPRING, DISK = "#0072b2", "#444444", "#d55e00", "#009e73"  # colour-blind safe
_LABELS = 14  # more points than this are drawn without their names


def picture(system: System, state: State | None = None) -> Figure:
    """Draw a system at a state, by default its initial one."""
    if system.drawing is None or not system.drawing.points:
        raise ModelError("nothing to draw: name some points in [draw.points]")
    places, radii = _evaluate(system, system.drawing, state or system.start())
    spatial = len(next(iter(places.values()))) == 3
    figure = Figure(figsize=(5, 4), layout="constrained")
    axes: Any = figure.add_subplot(projection="3d" if spatial else None)
    fixed = {name for name in places if _is_fixed(system, system.drawing.points[name])}
    _lines(axes, system.drawing, places, fixed, spatial)
    for spring in system.drawing.springs:
        for a, b in pairwise(spring):
            axes.plot(*_zigzag(places[a], places[b]), color=SPRING, linewidth=1.3, zorder=2)
    extent = [np.array(list(places.values())).T]
    for (centre, _, *tip), radius in zip(system.drawing.circles, radii, strict=True):
        around = _circle(places[centre], radius, places[tip[0]] if tip else None)
        axes.plot(*around, color=DISK, linewidth=2.5, zorder=2)
        extent.append(around)
    moving = [place for name, place in places.items() if name not in fixed]
    if moving:
        axes.scatter(*np.array(moving).T, s=30, color="white", edgecolors="black", zorder=4)
    if len(places) <= _LABELS:
        for name, place in _apart(places).items():
            axes.text(*place, f"  {name}", fontsize=9, va="bottom", zorder=5)
    axes.set_title(system.name, fontsize=11)
    _frame(axes, np.hstack(extent).T, spatial)
    return figure


def _lines(axes: Any, drawing: Drawing, places: Places, fixed: set[str], spatial: bool) -> None:
    """Draw links, lines of the ground, and pins on the ground."""
    rails: set[str] = set()
    for line in drawing.lines:
        points = np.array([places[name] for name in line]).T
        if fixed.issuperset(line):
            rails.update(line)
            hatched = {} if spatial else {"path_effects": [TickedStroke(angle=-135, spacing=7, length=0.7), Normal()]}
            axes.plot(*points, color=FIXED, linewidth=1, zorder=1, **hatched)
        else:
            axes.plot(*points, color=LINK, linewidth=3, solid_capstyle="round", zorder=2)
    for name in fixed - rails:
        axes.plot(*places[name][:, None], marker="o" if spatial else "^", markersize=9, color=FIXED, zorder=3)


def _frame(axes: Any, points: np.ndarray, spatial: bool) -> None:
    """Label the axes and give them one scale."""
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    if spatial:
        axes.set_zlabel("z")
        middle, half = (points.max(axis=0) + points.min(axis=0)) / 2, 0.6 * (np.ptp(points, axis=0).max() or 0.5)
        for name, value in zip("xyz", middle, strict=True):
            getattr(axes, f"set_{name}lim")(value - half, value + half)
        axes.set_box_aspect((1, 1, 1))
    else:
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.15)
        axes.grid(alpha=0.25)


def save_picture(system: System, path: str | Path, state: State | None = None) -> None:
    """Draw a system and write the picture to a file."""
    picture(system, state).savefig(path, dpi=110)


def _evaluate(system: System, drawing: Drawing, state: State) -> tuple[Places, np.ndarray]:
    """Return the places of all points and the radii of the circles at a state."""
    numeric = Numeric(system)
    entries = [entry for place in drawing.points.values() for entry in place]
    values = numeric.evaluate(
        numeric.program([*entries, *(r for _, r, *_ in drawing.circles)]), state.t, state.q, state.v
    )
    if not np.all(np.isfinite(values)):
        raise ModelError("a point of the drawing has no finite place at this state")
    table = values[: len(entries)].reshape(len(drawing.points), -1)
    return dict(zip(drawing.points, table, strict=True)), values[len(entries) :]


def _is_fixed(system: System, place: Iterable[Expr]) -> bool:
    """Tell whether a point of the drawing belongs to the ground."""
    moves = {*system.coordinates, TIME}
    return not any(symbol.name in moves for entry in place for symbol in entry.free_symbols)


def _apart(places: Places) -> Places:
    """Leave out points that lie on another one: their names would cover its name."""
    size = np.ptp(np.array(list(places.values())), axis=0).max() or 1.0
    first: dict[tuple[float, ...], str] = {}
    for name, place in places.items():
        first.setdefault(tuple(np.round(place / size, 3) + 0.0), name)
    return {name: places[name] for name in first.values()}


def _circle(centre: np.ndarray, radius: float, tip: np.ndarray | None) -> np.ndarray:
    """Return points around a centre, in space about the axis to another point."""
    angle = np.linspace(0, 2 * np.pi, 100)
    across = np.eye(len(centre))[:2]
    if tip is not None and len(centre) == 3:
        across = np.linalg.svd((tip - centre)[None])[2][1:]
    return centre[:, None] + radius * (np.outer(across[0], np.cos(angle)) + np.outer(across[1], np.sin(angle)))


def _zigzag(a: np.ndarray, b: np.ndarray, coils: int = 6) -> np.ndarray:
    """Return the corners of a spring between two points."""
    along = b - a
    across = np.array([-along[1], along[0], *np.zeros(len(along) - 2)])
    length = np.linalg.norm(across)
    across = across / length * 0.06 * np.linalg.norm(along) if length > 0 else across
    parts = np.concatenate([[0, 0.15], np.linspace(0.15, 0.85, 2 * coils + 1)[1:-1], [0.85, 1]])
    sides = np.array([0, 0, *([1, -1] * coils)[: 2 * coils - 1], 0, 0])
    return a[:, None] + along[:, None] * parts + across[:, None] * sides
