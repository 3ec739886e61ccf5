"""Curves through points, of which tables in models are made: cubic pieces, or straight ones.

A cubic curve is the spline with two continuous derivatives that has no knot at the second and at the last point but one
("not-a-knot"): it repeats polynomials up to the third degree. Through three points it is the parabola, through two the
line. A natural one has no curvature at its ends instead, so that it goes on straight without a kink. Each piece is
c₀ + c₁ s + c₂ s² + c₃ s³ from its own beginning; before the first point and behind the last there is one more, constant
or straight; a curve that stops is straight there too, as places are tried to which no motion comes. Derivatives are
those of the pieces; at a kink the one to the right.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.arrays import Array
from dalembert.language.intervals import Interval, interval

CUBIC, LINEAR, NATURAL = "cubic", "linear", "natural"
STOP, CONSTANT, STRAIGHT = "stop", "constant", "linear"  # how a curve goes on behind its ends
SLACK = 1e-9  # of its length: by how much rounding may go beyond the end of a curve that stops
_ROUNDING = 2e-15  # of the terms of a piece
_ONE_PIECE = 4  # points up to which a curve is one polynomial
_TENTS = 6  # curves that pass zero at kinks: only where a step lies over a multiple of 64 of them, none shows it


class Interpolant:
    """A piecewise polynomial through points.

    >>> bump = Interpolant([0, 1, 2, 3], [0, 1, 8, 27])
    >>> round(float(bump.at(1.5)), 9), round(float(bump.at(1.5, 1)), 9), round(bump.value(1.5, 3), 9)
    (3.375, 6.75, 6.0)
    """

    def __init__(
        self, x: Sequence[float] | Array, value: Sequence[float] | Array, kind: str = CUBIC, beyond: str = STOP
    ):
        self.x, y = np.array(x, dtype=float), np.array(value, dtype=float)
        self.kind, self.beyond = kind, beyond
        with np.errstate(all="ignore"):
            inner = _straight(self.x, y) if kind == LINEAR else _cubic(self.x, y, kind == NATURAL)
            last = inner[-1]
            h = self.x[-1] - self.x[-2]
            slopes = (inner[0, 1], last[1] + h * (2 * last[2] + 3 * h * last[3]))
        rise = [0.0 if beyond == CONSTANT else slope for slope in slopes]
        ends = [[y[0], rise[0], 0.0, 0.0], [y[-1], rise[1], 0.0, 0.0]]
        self.pieces = np.vstack([ends[:1], inner, ends[1:]])
        self.base = np.concatenate([self.x[:1], self.x])
        self.breaks = np.append(
            self.x[:-1], np.nextafter(self.x[-1], np.inf)
        )  # the last point is one of the last piece

    @property
    def reach(self) -> tuple[float, float]:
        """From where to where it has values, rounding allowed for."""
        slack = SLACK * (self.x[-1] - self.x[0])
        return float(self.x[0] - slack), float(self.x[-1] + slack)

    def bounded(self) -> Interpolant:
        """Return the same curve without values beyond its ends."""
        other = Interpolant.__new__(Interpolant)
        other.x, other.kind, other.beyond, other.base = self.x, self.kind, self.beyond, self.base
        other.pieces, other.breaks = self.pieces.copy(), self.breaks.copy()
        other.pieces[[0, -1]] = np.nan
        other.breaks[[0, -1]] = self.reach
        return other

    @property
    def order(self) -> int:
        """The highest derivative that does not vanish everywhere."""
        return 1 if self.kind == LINEAR else 3

    @property
    def smooth(self) -> float:
        """How many derivatives are continuous between its ends: all of one piece."""
        pieces = self.pieces[1:-1]
        if len(pieces) == 1 or (self.kind == CUBIC and len(self.x) <= _ONE_PIECE):
            return math.inf
        return 0 if self.kind == LINEAR else 2

    @cached_property
    def kinks(self) -> Array:
        """The places where the slope, or behind the ends the curvature, jumps."""
        inner = self.x[1:-1] if self.kind == LINEAR else self.x[:0]
        ends = self.beyond == CONSTANT or (self.beyond == STRAIGHT and self.kind == CUBIC)
        return np.concatenate([self.x[:1], inner, self.x[-1:]]) if ends else inner

    def tents(self) -> list[Interpolant]:
        """Return curves of which one changes its sign from any place to any other behind a kink; none without kinks.

        One passes zero at every kink, the next at every second, at every fourth and so on: of a step over two or four
        of them the first shows nothing.
        """
        halved = range(min(len(self.kinks).bit_length(), _TENTS))
        return [self._tent(self.kinks[:: 2**k]) for k in halved]

    def _tent(self, kinks: Array) -> Interpolant:
        """Return a curve that passes zero at every kink, straight there."""
        span = self.x[-1] - self.x[0]
        ends = np.concatenate([kinks[:1] - span, kinks, kinks[-1:] + span])
        x = np.empty(2 * len(ends) - 3)  # kinks, and the middles between them
        x[::2], x[1::2] = ends[:-1] + np.diff(ends) / 2, kinks
        tent = Interpolant(x, np.zeros(len(x)), LINEAR, STRAIGHT)
        nearest = np.clip((np.arange(len(x) + 1) - 1) // 2, 0, len(kinks) - 1)
        tent.breaks, tent.base = x, kinks[nearest]  # each piece from its kink, where it is then exactly zero
        tent.pieces[:, 1] = 1.0 - 2.0 * (nearest % 2)
        return tent

    @cached_property
    def _slopes(self) -> list[Array]:
        """The coefficients of the derivatives."""
        found = [self.pieces]
        for _ in range(3):
            c = found[-1]
            found.append(np.column_stack([c[:, 1], 2 * c[:, 2], 3 * c[:, 3], np.zeros(len(c))]))
        return found

    def at(self, u: Any, order: int = 0) -> Array:
        """Return values, or those of a derivative."""
        u = np.asarray(u, dtype=float)
        k = np.searchsorted(self.breaks, u, side="right")
        return _polynomial(self._slopes[order][k], u - self.base[k])

    @cached_property
    def _lists(self) -> tuple[list[float], list[float], list[list[list[float]]]]:
        return self.breaks.tolist(), self.base.tolist(), [c.tolist() for c in self._slopes]

    def value(self, u: float, order: int = 0) -> float:
        """Return one value."""
        breaks, base, slopes = self._lists
        k = bisect_right(breaks, u)
        c, s = slopes[order][k], u - base[k]
        return c[0] + s * (c[1] + s * (c[2] + s * c[3]))

    # --- over ranges -------------------------------------------------------------------------------------------------

    def over(self, order: int = 0) -> Callable[[Any], Interval]:
        """Return what encloses the values over ranges."""
        return lambda u: self._over(interval(u), order)

    def _over(self, u: Interval, order: int) -> Interval:
        shape = np.broadcast_shapes(u.low.shape, u.high.shape)
        low, high = np.broadcast_to(u.low, shape).ravel(), np.broadcast_to(u.high, shape).ravel()
        i, j = (np.searchsorted(self.breaks, bound, side="right") for bound in (low, high))
        starts, ends = np.append(-np.inf, self.breaks), np.append(self.breaks, np.inf)
        with np.errstate(all="ignore"):
            first = self._range(order, i, low, np.minimum(high, ends[i]))
            last = self._range(order, j, np.maximum(low, starts[j]), high)
            least, most = np.fmin(first[0], last[0]), np.fmax(first[1], last[1])
            between = self._between(order, i + 1, j)
            least, most = np.fmin(least, between[0]), np.fmax(most, between[1])
            unknown = np.isnan(first[0]) | np.isnan(last[0])  # an infinite range
        missing = np.isnan(low) | np.isnan(high)
        least = np.where(missing, np.nan, np.where(unknown, -np.inf, least))
        most = np.where(missing, np.nan, np.where(unknown, np.inf, most))
        return Interval(least.reshape(shape), most.reshape(shape))

    def _range(self, order: int, k: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """Return the least and the largest value of pieces between bounds, rounded outward."""
        c, a, b = self._slopes[order][k], low - self.base[k], high - self.base[k]
        ends = [_polynomial(c, a), _polynomial(c, b)]
        least, most = np.minimum(*ends), np.maximum(*ends)
        root = np.sqrt(np.maximum(c[..., 2] ** 2 - 3 * c[..., 1] * c[..., 3], 0.0))
        turns = [c[..., 1] / (-c[..., 2] - sign * root) for sign in (1.0, -1.0)]  # also of what is no cubic
        for turn in turns:
            inside = (turn > a) & (turn < b)
            value = np.where(inside, _polynomial(c, np.where(inside, turn, a)), ends[0])
            least, most = np.minimum(least, value), np.maximum(most, value)
        terms = _polynomial(np.abs(c), np.maximum(np.abs(a), np.abs(b))) - np.abs(c[..., 0])
        off = _ROUNDING * terms + 2.0**-52 * np.abs(c[..., 0])
        return least - off, most + off

    def _between(self, order: int, first: Array, last: Array) -> tuple[Array, Array]:
        """Return the extremes over whole pieces, from the first to before the last; nothing where there is none."""
        levels = self._levels(order)
        count = np.maximum(last - first, 0)
        depth = np.maximum(np.frexp(count)[1] - 1, 0)
        least, most = np.full(first.shape, np.inf), np.full(first.shape, -np.inf)
        for level, (low, high) in enumerate(levels):
            here = (depth == level) & (count > 0)
            for start in (first[here], last[here] - (1 << level)):
                least[here], most[here] = np.minimum(least[here], low[start]), np.maximum(most[here], high[start])
        return least, most

    def _levels(self, order: int) -> list[tuple[Array, Array]]:
        """Return extremes of 1, 2, 4, 8, … pieces together, by the first of them."""
        if order not in self._known:
            k = np.arange(len(self.pieces))
            starts, ends = np.append(self.x[0], self.x), np.append(self.x, self.x[-1])
            found = [self._range(order, k, starts, ends)]
            while 2 ** len(found) <= len(k):
                half = 2 ** (len(found) - 1)
                low, high = found[-1]
                found.append((np.minimum(low[:-half], low[half:]), np.maximum(high[:-half], high[half:])))
            self._known[order] = found
        return self._known[order]

    @cached_property
    def _known(self) -> dict[int, list[tuple[Array, Array]]]:
        return {}


def _polynomial(c: Array, s: Array) -> Array:
    return c[..., 0] + s * (c[..., 1] + s * (c[..., 2] + s * c[..., 3]))


def _straight(x: Array, y: Array) -> Array:
    slopes = np.diff(y) / np.diff(x)
    return np.column_stack([y[:-1], slopes, 0 * slopes, 0 * slopes])


def _cubic(x: Array, y: Array, natural: bool = False) -> Array:
    """Return the pieces of the spline, by its slopes (de Boor, A Practical Guide to Splines, IV)."""
    h, m = np.diff(x), np.diff(y) / np.diff(x)
    if len(x) == 2:
        return _straight(x, y)
    if len(x) == 3 and not natural:
        bend = (m[1] - m[0]) / (x[2] - x[0])
        return np.array([[y[0], m[0] - bend * h[0], bend, 0.0], [y[1], m[0] + bend * h[0], bend, 0.0]])
    below, above = np.append(h[1:], x[-1] - x[-3]), np.append(x[2] - x[0], h[:-1])
    diagonal = np.concatenate([h[1:2], 2 * (h[:-1] + h[1:]), h[-2:-1]])
    right = np.empty(len(x))
    right[1:-1] = 3 * (h[1:] * m[:-1] + h[:-1] * m[1:])
    if natural:
        below[-1] = above[0] = 1.0
        diagonal[[0, -1]], right[[0, -1]] = 2.0, 3 * m[[0, -1]]
    else:
        right[0] = ((h[0] + 2 * above[0]) * h[1] * m[0] + h[0] ** 2 * m[1]) / above[0]
        right[-1] = (h[-1] ** 2 * m[-2] + (2 * below[-1] + h[-1]) * h[-2] * m[-1]) / below[-1]
    slopes = _tridiagonal(below.tolist(), diagonal.tolist(), above.tolist(), right.tolist())
    left, further = slopes[:-1], slopes[1:]
    return np.column_stack([y[:-1], left, (3 * m - 2 * left - further) / h, (left + further - 2 * m) / h**2])


def _tridiagonal(below: list[float], diagonal: list[float], above: list[float], right: list[float]) -> Array:
    """Solve by elimination; with these rows no pivot is small."""
    for k, low in enumerate(below):
        factor = low / diagonal[k] if diagonal[k] else np.nan
        diagonal[k + 1] -= factor * above[k]
        right[k + 1] -= factor * right[k]
    found = [right[-1] / diagonal[-1] if diagonal[-1] else np.nan]
    for k in range(len(above) - 1, -1, -1):
        found.append((right[k] - above[k] * found[-1]) / diagonal[k] if diagonal[k] else np.nan)
    return np.array(found[::-1])
