"""Interval arithmetic on arrays: what an expression can be over whole ranges of its variables, rounding included.

Every result encloses all values between the bounds, and what floating point makes of them. `INTERVALS` of the
functions supplies them to a `Program`. Where an expression has no value anywhere in a box, both bounds are NaN.

>>> import symengine as se
>>> from dalembert.language.functions import INTERVALS
>>> from dalembert.language.program import Program
>>> t = se.Symbol("t")
>>> zones(lambda box: Program([t], [t**2 - 2])([box], INTERVALS), 0.0, 10.0)[0].mean().round(12)
np.float64(1.414213562373)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dalembert.arrays import Array

_ROUNDING = 4.5e-16  # of a value: what an operation or a function of the library may be off
_LEAST, _MOST = 5e-324, 1.7e308
_NARROW = 4  # neighbouring floats: boxes that are not cut any more


class Interval:
    """Arrays of lower and upper bounds."""

    __slots__ = ("high", "low")
    __array_ufunc__ = None  # so that arrays leave operations with intervals to these

    def __init__(self, low: Any, high: Any):
        self.low, self.high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)

    def __repr__(self) -> str:
        return f"<Interval {self.low} to {self.high}>"

    def __add__(self, other: Any) -> Interval:
        other = interval(other)
        low, high = self.low + other.low, self.high + other.high
        exact = self._is_zero() | other._is_zero()
        return _outward(low, high, exact, self, other)

    def __mul__(self, other: Any) -> Interval:
        if other is self:
            return self._square()
        other = interval(other)
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        corners = [np.where(np.isnan(corner), 0.0, corner) for corner in corners]  # 0 times an infinite bound
        exact = self._is_zero() | other._is_zero()
        return _outward(np.minimum.reduce(corners), np.maximum.reduce(corners), exact, self, other)

    def __truediv__(self, other: Any) -> Interval:
        other = interval(other)
        across = (other.low <= 0) & (other.high >= 0)
        low, high = np.where(across, -np.inf, 1 / other.high), np.where(across, np.inf, 1 / other.low)
        return self * Interval(_given(low, other), _given(high, other))

    __radd__, __rmul__ = __add__, __mul__

    def __rtruediv__(self, other: Any) -> Interval:
        return interval(other) / self

    def _square(self) -> Interval:
        a, b = self.low**2, self.high**2
        inside = (self.low <= 0) & (self.high >= 0)
        return _outward(np.where(inside, 0.0, np.minimum(a, b)), np.maximum(a, b), self._is_zero() | inside, self)

    def _is_zero(self) -> Array:
        return (self.low == 0) & (self.high == 0)

    def holds_zero(self) -> Array:
        """Tell which may be zero without being so throughout; those without a value are not."""
        return (self.low <= 0) & (self.high >= 0) & ~self._is_zero()


def interval(value: Any) -> Interval:
    """Take a number as an interval without extent."""
    return value if isinstance(value, Interval) else Interval(value, value)


def _outward(low: Array, high: Array, exact: Array, *sources: Interval) -> Interval:
    """Round outward, but for what is exact; what is infinite minus infinite can be anything."""
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    low, high = np.minimum(low, _MOST), np.maximum(high, -_MOST)  # what overflows is finite, but large
    low = np.where(exact & (low == 0), low, low - (_ROUNDING * np.abs(low) + _LEAST))
    high = np.where(exact & (high == 0), high, high + (_ROUNDING * np.abs(high) + _LEAST))
    for source in sources:
        low, high = _given(low, source), _given(high, source)
    return Interval(low, high)


def _given(bound: Array, source: Interval) -> Array:
    return np.where(np.isnan(source.low), np.nan, bound)


def rising(function: Callable[[Array], Array], first: float = -np.inf, last: float = np.inf):
    """Make a function that grows throughout its domain, from `first` to `last`."""

    def apply(u: Any) -> Interval:
        u = interval(u)
        missing = (u.high < first) | (u.low > last)
        low, high = (function(np.clip(bound, first, last)) for bound in (u.low, u.high))
        found = _outward(low, high, np.array(True), u)
        return Interval(np.where(missing, np.nan, found.low), np.where(missing, np.nan, found.high))

    return apply


def _meets(u: Interval, place: float, period: float) -> Array:
    """Tell which hold a point of place + k period, or nearly."""
    low, high = (u.low - place) / period, (u.high - place) / period
    slack = 1e-15 * (np.abs(low) + np.abs(high) + 1)
    return ~(np.ceil(low - slack) > np.floor(high + slack))


def wave(function: Callable[[Array], Array], top: float) -> Callable[[Any], Interval]:
    """Make a sine or cosine, which is largest at `top`."""

    def apply(u: Any) -> Interval:
        u = interval(u)
        a, b = function(u.low), function(u.high)
        low = np.where(_meets(u, top + np.pi, 2 * np.pi), -1.0, np.minimum(a, b))
        high = np.where(_meets(u, top, 2 * np.pi), 1.0, np.maximum(a, b))
        return _outward(low, high, np.array(True), u)

    return apply


def tangent(u: Any) -> Interval:
    """Enclose tangents."""
    u = interval(u)
    pole = _meets(u, np.pi / 2, np.pi)
    low, high = np.where(pole, -np.inf, np.tan(u.low)), np.where(pole, np.inf, np.tan(u.high))
    return _outward(low, high, np.array(True), u)


def absolute(u: Any) -> Interval:
    """Enclose absolute values."""
    u = interval(u)
    a, b = np.abs(u.low), np.abs(u.high)
    return Interval(np.where((u.low <= 0) & (u.high >= 0), 0.0, np.minimum(a, b)), np.maximum(a, b))


def hyperbolic_cosine(u: Any) -> Interval:
    """Enclose hyperbolic cosines."""
    size = absolute(u)
    return _outward(np.cosh(size.low), np.cosh(size.high), np.array(False), size)


def power(base: Any, exponent: Any) -> Interval:
    """Enclose powers."""
    base = interval(base)
    if not isinstance(exponent, Interval) and float(exponent).is_integer():
        size = rising(lambda u: u**exponent, 0.0)(absolute(base))
        if exponent % 2 == 0:
            return size
        return _outward(base.low**exponent, base.high**exponent, np.array(True), base)
    exponent = interval(exponent)
    base = Interval(*(np.where(base.high < 0, np.nan, np.maximum(bound, 0.0)) for bound in (base.low, base.high)))
    corners = [np.power(b, e) for b in (base.low, base.high) for e in (exponent.low, exponent.high)]
    return _outward(np.minimum.reduce(corners), np.maximum.reduce(corners), np.array(False), base, exponent)


def angle(y: Any, x: Any) -> Interval:
    """Enclose the angles of points."""
    y, x = interval(y), interval(x)
    corners = [np.arctan2(b, a) for b in (y.low, y.high) for a in (x.low, x.high)]
    cut = (x.low <= 0) & (y.low <= 0) & (y.high >= 0)
    low = np.where(cut, -np.pi, np.minimum.reduce(corners))
    high = np.where(cut, np.pi, np.maximum.reduce(corners))
    return _outward(low, high, np.array(False), y, x)


def extreme(pick: Any) -> Callable[..., Interval]:
    """Make the largest or the smallest of some."""

    def apply(*args: Any) -> Interval:
        parts = [interval(arg) for arg in args]
        low, high = parts[0].low, parts[0].high
        for part in parts[1:]:
            low, high = pick(low, part.low), pick(high, part.high)
        return Interval(low, high)

    return apply


def arccosine(u: Any) -> Interval:
    """Enclose arccosines."""
    return rising(np.arcsin, -1.0, 1.0)(u) * -1.0 + np.pi / 2


def anything(*args: Any) -> Interval:
    """Enclose what is not known: any number."""
    whole = np.full(np.broadcast_shapes(*(interval(arg).low.shape for arg in args)), np.inf)
    return Interval(-whole, whole)


def choice(a: Any, b: Any, u: Any, v: Any) -> Interval:
    """Enclose u where a < b or a <= b, else v."""
    a, b, u, v = map(interval, (a, b, u, v))
    yes, no = a.high < b.low, a.low > b.high
    low = np.where(yes, u.low, np.where(no, v.low, np.fmin(u.low, v.low)))
    return Interval(low, np.where(yes, u.high, np.where(no, v.high, np.fmax(u.high, v.high))))


def zones(
    function: Callable[[Interval], Sequence[Any]], low: float, high: float, most: int = 50_000
) -> tuple[Array, int, bool]:
    """Enclose all roots of some functions of one variable: outside the zones that are returned none is zero.

    Zones are rows of two bounds, a few floats apart where the functions are told from zero that near to their roots,
    and wider where they are not. Also returns how many boxes were looked at, and whether that was enough: it ends where
    more than `most` are open at once.
    """
    left, right, looked = np.array([low]), np.array([high]), 0
    found: list[Array] = [np.zeros((0, 2))]
    while 0 < len(left) <= most:
        looked += len(left)
        with np.errstate(all="ignore"):
            open_ = np.zeros(len(left), dtype=bool)
            for value in function(Interval(left, right)):
                open_ |= interval(value).holds_zero()
        left, right = left[open_], right[open_]
        middle = left + (right - left) / 2
        narrow = (right - left) <= _NARROW * np.spacing(np.maximum(np.abs(left), np.abs(right)))
        narrow |= right - left <= 1e-22 * (high - low)
        found.append(np.column_stack([left, right])[narrow])
        left, middle, right = left[~narrow], middle[~narrow], right[~narrow]
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    boxes = np.concatenate([*found, np.column_stack([left, right])])
    boxes = boxes[np.argsort(boxes[:, 0])]
    apart = boxes[1:, 0] > boxes[:-1, 1]
    firsts, lasts = np.append(True, apart)[: len(boxes)], np.append(apart, True)[: len(boxes)]
    return np.column_stack([boxes[firsts, 0], boxes[lasts, 1]]), looked, not len(left)
