"""Small curves beside numbers, as pictures inside the page."""

from __future__ import annotations

import base64

import numpy as np
from markupsafe import Markup

from dalembert.arrays import Array
from dalembert.characters import escape
from dalembert.document.nodes import Sparkline
from dalembert.document.palette import ANY

_LINE, _ZERO, _MARK = ANY["series0"], ANY["faint"], ANY["series1"]
_POINTS = 240


def drawn(curve: Sparkline) -> Markup:
    """Draw a curve with its marked points as a picture inside the page; empty if there is nothing to draw.

    Without axes it is small, and stands in a line of text; the zero line is drawn where it is crossed.
    """
    width, height, margin, stroke = (340, 150, 44, 1.6) if curve.axes else (150, 26, 3, 1.3)
    x, y = _thinned(np.asarray(curve.x, dtype=float), np.asarray(curve.y, dtype=float))
    known = np.isfinite(x) & np.isfinite(y)
    if known.sum() < 2:
        return Markup("")
    left, right = _span(x[known])
    low, high = _span(y[known])
    across, up = (width - margin - 3) / (right - left), (height - margin - 3) / (high - low)

    def place(a: float, b: float) -> str:
        return f"{margin + (a - left) * across:.1f},{height - margin - (b - low) * up:.1f}"

    parts = _ends(width, height, margin, (left, right), (low, high)) if curve.axes else []
    if low < 0 < high:
        level = place(left, 0).split(",")[1]
        parts.append(
            f'<line x1="{margin}" x2="{width - 3}" y1="{level}" y2="{level}" stroke="{_ZERO}" stroke-width=".6" '
            'stroke-dasharray="2 2"/>'
        )
    edges = np.flatnonzero(np.diff(known.astype(int))) + 1  # gaps where something is not determined
    for piece in np.split(np.arange(len(x)), edges):
        if known[piece[0]] and len(piece) > 1:
            points = " ".join(place(float(x[k]), float(y[k])) for k in piece)
            parts.append(f'<polyline points="{points}" fill="none" stroke="{_LINE}" stroke-width="{stroke}"/>')
    for a, b in curve.marks:
        cx, cy = place(a, b).split(",")
        parts.append(f'<circle cx="{cx}" cy="{cy}" r="3" fill="{_MARK}"/>')
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">{"".join(parts)}</svg>'
    data = base64.b64encode(picture.encode()).decode()
    style = "vertical-align:middle;display:inline-block;margin:0;max-width:none"
    size = f'width="{width}" height="{height}"'
    return Markup(f'<img alt="{escape(curve.title)}" {size} style="{style}" src="data:image/svg+xml;base64,{data}">')


def _ends(width: int, height: int, margin: int, x: tuple[float, float], y: tuple[float, float]) -> list[str]:
    """Write the ends of the axes beside them."""
    font = f'font-family="sans-serif" font-size="10" fill="{_ZERO}"'
    frame = f'x="{margin}" y="3" width="{width - margin - 3}" height="{height - margin - 3}"'
    return [
        f'<rect {frame} fill="none" stroke="{_ZERO}" stroke-width=".5"/>',
        f'<text x="{margin - 3}" y="11" text-anchor="end" {font}>{y[1]:.4g}</text>',
        f'<text x="{margin - 3}" y="{height - margin}" text-anchor="end" {font}>{y[0]:.4g}</text>',
        f'<text x="{margin}" y="{height - margin + 12}" {font}>{x[0]:.4g}</text>',
        f'<text x="{width - 3}" y="{height - margin + 12}" text-anchor="end" {font}>{x[1]:.4g}</text>',
    ]


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Keep of each stretch of a long curve its least and its largest value, so that no peak is lost."""
    if len(x) <= 2 * _POINTS:
        return x, y
    keep = {0, len(x) - 1}
    for piece in np.array_split(np.arange(len(x)), _POINTS // 2):
        if np.any(np.isfinite(y[piece])):
            keep |= {int(piece[np.nanargmin(y[piece])]), int(piece[np.nanargmax(y[piece])])}
        else:
            keep.add(int(piece[0]))
    chosen = np.array(sorted(keep))
    return x[chosen], y[chosen]


def _span(values: Array) -> tuple[float, float]:
    """Return the least and the largest value; around a constant some room, as its rounding errors are not drawn."""
    low, high = float(values.min()), float(values.max())
    room = max(1e-9 * max(abs(low), abs(high)), 1e-12)
    return (low, high) if high - low > room else (low - room, high + room)
