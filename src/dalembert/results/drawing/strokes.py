"""The symbols of joints and elements, as strokes in units of the screen; every renderer draws them from this table.

A symbol hangs on one or two points a, b. A stroke goes through points (u, x, y): the part u of the way from a to b,
then x along this way and y to its left, in pixels. With one point, x is to the right and y is up. A colour is a role of
the palette, or "own" for that of the part to which the symbol belongs; a fill that ends in ~ is mixed with the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

Points = list[tuple[float, float, float]]


@dataclass(frozen=True)
class Stroke:
    """A line, or a closed area, of a symbol."""

    points: Points
    stroke: str | None = "ink"
    fill: str | None = None
    width: float = 1.5
    closed: bool = False


def circle(radius: float, u: float = 0.0, x: float = 0.0, y: float = 0.0, count: int = 20) -> Points:
    """Return points round a centre."""
    angles = [2 * pi * k / count for k in range(count)]
    return [(u, x + radius * cos(angle), y + radius * sin(angle)) for angle in angles]


def local(*points: tuple[float, float]) -> Points:
    """Return points beside the first one."""
    return [(0.0, x, y) for x, y in points]


def hatching(left: float, right: float, y: float, step: float = 6.0, depth: float = 6.0) -> list[Stroke]:
    """Return a line of the ground with strokes below it."""
    count = round((right - left) / step)
    ticks = [left + step * (k + 1) for k in range(count)]
    return [
        Stroke(local((left, y), (right, y)), "ground", None, 1.6),
        *(Stroke(local((x, y), (x - depth, y - depth)), "ground", None, 1.0) for x in ticks),
    ]


def zigzag(y: float, first: float = 0.2, last: float = 0.8, coils: int = 6, height: float = 6.0) -> Points:
    """Return a spring between two points, beside their line by y."""
    count = 2 * coils
    inner = [
        (first + (last - first) * (k + 0.5) / count, 0.0, y + (height if k % 2 else -height)) for k in range(count)
    ]
    return [(0.0, 0.0, y), (first, 0.0, y), *inner, (last, 0.0, y), (1.0, 0.0, y)]


def dashpot(y: float) -> list[Stroke]:
    """Return a cylinder with a piston in it, beside the line of its ends by y."""
    return [
        Stroke([(0, 0, y), (0.35, 0, y)], "damper", None, 1.6),
        Stroke([(0.7, 0, y + 6), (0.35, 0, y + 6), (0.35, 0, y - 6), (0.7, 0, y - 6)], "damper", None, 1.6),
        Stroke([(0.55, 0, y + 4.5), (0.55, 0, y - 4.5)], "damper", None, 2.6),
        Stroke([(0.55, 0, y), (1, 0, y)], "damper", None, 1.6),
    ]


def arc(radius: float, first: float, last: float, growth: float = 0.0, count: int = 24) -> Points:
    """Return an arc about the first point, as a spiral if its radius grows."""
    parts = [k / count for k in range(count + 1)]
    angles = [first + (last - first) * part for part in parts]
    return [
        (0.0, (radius + growth * part) * cos(angle), (radius + growth * part) * sin(angle))
        for part, angle in zip(parts, angles, strict=True)
    ]


def head(x: float, y: float, direction: float, length: float = 6.0) -> Points:
    """Return the head of an arrow that ends in a point."""
    corners = [(direction + turn, size) for turn, size in ((0.0, 0.5), (2.5, 1.0), (-2.5, 1.0))]
    return [(0.0, x + size * length * cos(angle), y + size * length * sin(angle)) for angle, size in corners]


def turning(colour: str) -> list[Stroke]:
    """Return a curved arrow about a pin."""
    path = arc(14, 0.25 * pi, 1.6 * pi)
    _, x, y = path[-1]
    return [Stroke(path, colour, None, 2.0), Stroke(head(x, y, 2.1 * pi), None, colour, 1.0, True)]


def pushing(colour: str) -> list[Stroke]:
    """Return an arrow with two heads along an axis, beside a block."""
    y = 15.0
    heads = [Stroke(head(x, y, angle), None, colour, 1.0, True) for x, angle in ((14, 0.0), (-14, pi))]
    return [Stroke(local((-12, y), (12, y)), colour, None, 2.0), *heads]


def capsule(radius: float) -> Points:
    """Return the outline of a slot between two points."""
    half = [(k / 8 - 0.5) * pi for k in range(9)]
    right = [(1.0, radius * cos(angle), radius * sin(angle)) for angle in half]
    return [*right, *((0.0, -x, -y) for _, x, y in right)]


def barrel() -> list[Stroke]:
    """Return a hydraulic cylinder between two points."""
    body: Points = [(0.05, 0, -6), (0.6, 0, -6), (0.6, 0, 6), (0.05, 0, 6)]
    return [
        Stroke([(0, 0, 0), (1, 0, 0)], "actuator", None, 3.0),
        Stroke(body, "actuator", "actuator~", 1.6, True),
    ]


_SIDE = [Stroke([(u, 0, 7), (u, 0, -7)], "faint", None, 1.4) for u in (0.1, 0.9)]

SYMBOLS: dict[str, list[Stroke]] = {
    "pin": [Stroke(circle(4.2), "ink", "paper", 1.6, True)],
    "dot": [Stroke(circle(2.4), None, "ink", 1.0, True)],
    "tip": [Stroke(circle(4.6), "ink", "own", 1.2, True)],
    "ball": [Stroke(circle(6.5), "ink", "own", 1.3, True), Stroke(circle(1.8, 0, -2.0, 2.2), None, "paper", 1.0, True)],
    "support": [Stroke(local((0, 0), (8.5, -14), (-8.5, -14)), "ground", "ground~", 1.5, True),
                *hatching(-14, 14, -14)],
    "clamp": [Stroke(local((-6, -6), (6, -6), (6, 6), (-6, 6)), "ground", "ground~", 1.5, True),
              *hatching(-12, 12, -6)],
    "wall": [Stroke(local((0, -10), (0, 10)), "own", None, 2.6)],
    "weld": [Stroke(local((-4, -4), (4, -4), (4, 4), (-4, 4)), "ink", "ink", 1.0, True)],
    "block": [Stroke(local((-15, -9), (15, -9), (15, 9), (-15, 9)), "own", "own~", 2.0, True)],
    "sleeve": [Stroke([(0, 0, y), (1, 0, y)], "own", None, 2.6) for y in (10.5, -10.5)],
    "slot": [Stroke(capsule(7.5), "own", "own~", 2.0, True)],
    "spring": [Stroke(zigzag(0), "spring", None, 1.6)],
    "damper": dashpot(0),
    "spring beside": [Stroke(zigzag(7, 0.2, 0.8)[1:-1], "spring", None, 1.6), *_SIDE,
                      Stroke([(0.1, 0, 7), (0.2, 0, 7)], "spring"), Stroke([(0.8, 0, 7), (0.9, 0, 7)], "spring"),
                      Stroke([(0, 0, 0), (0.1, 0, 0)], "faint"), Stroke([(0.9, 0, 0), (1, 0, 0)], "faint")],
    "damper beside": [Stroke([(0.1 + 0.8 * u, x, y) for u, x, y in stroke.points], stroke.stroke, None, stroke.width)
                      for stroke in dashpot(-7)],
    "actuator": barrel(),
    "spring angle": [Stroke(arc(6, 0, 5 * pi, 8, 60), "spring", None, 1.4)],
    "damper angle": [Stroke(circle(11, count=32), "damper", None, 2.2, True)],
    "actuator angle": turning("actuator"),
    "actuator distance": pushing("actuator"),
    "drive angle": turning("drive"),
    "drive distance": pushing("drive"),
}  # fmt: skip


def has_length(name: str) -> bool:
    """Tell whether a symbol reaches to its second point, which else says only a direction."""
    return any(u != 0 for stroke in SYMBOLS[name] for u, _, _ in stroke.points)


def as_data() -> dict[str, list[list]]:
    """Return the table as JSON holds it: for each stroke its points, colours, width and whether it is closed."""
    return {
        name: [
            [[[round(value, 2) for value in point] for point in s.points], s.stroke, s.fill, s.width, int(s.closed)]
            for s in strokes
        ]
        for name, strokes in SYMBOLS.items()
    }
