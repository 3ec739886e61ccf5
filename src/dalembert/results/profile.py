"""A quantity along a motion as polynomials, piece by piece: its extremes, mean and RMS are those of the dense output.

Each step, or part of a step, is sampled at the Chebyshev points of a polynomial of degree 8, whose last coefficients
say whether that is enough; if not, it is halved. A jump or a kink inside a step is thereby closed in. Extremes are then
zeros of derivatives of polynomials (Boyd 2013), and the quantity itself is evaluated there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev, legendre

from dalembert.arrays import Array

DEGREE = 8
_POINTS = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
_TO_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(_POINTS, DEGREE)).T
_MEANS = np.array([1 / (1 - k**2) if k % 2 == 0 else 0.0 for k in range(DEGREE + 1)])  # of T_k over [−1, 1]
_GAUSS, _WEIGHTS = legendre.leggauss(DEGREE + 1)  # exact for squares
_AT_GAUSS = chebyshev.chebvander(_GAUSS, DEGREE).T
_TOLERANCE = 1e-10  # part of the range that a polynomial may miss
_ROUNDING = 1e-12  # part of the largest value that is noise
_NARROW = 1e-13  # part of the motion within which a jump is closed in
_FIRST, _MORE = 4096, 300_000  # pieces that are sampled at once; further values beyond those of the steps
_BEST = 8  # of them that are looked at first
_CLOSE = 400  # pieces in which an extreme is looked for, at most
_NOISE = 1e-6  # part of the largest value, up to which what does not get smoother by halving is noise
_STUBBORN = 4  # times that it was halved
_POLE = 1e4  # times the values at first, by which those near a pole exceed them


@dataclass(frozen=True)
class Profile:
    """Polynomials between times.

    begin, end: of the pieces. coefficients: of Chebyshev polynomials, one row for each piece. samples: times and
    values that were computed. missed: the largest part of the range by which a polynomial is off, where halving had to
    end before it fits. poles: times at which values grow without bound.
    """

    evaluate: Callable[[Array], Array]
    begin: Array
    end: Array
    coefficients: Array
    samples: tuple[Array, Array]
    missed: float = 0.0
    poles: tuple[float, ...] = ()

    def extreme(self, sign: float) -> tuple[float, float]:
        """Return the largest value, or with the sign −1 the smallest, and its time."""
        t, values = self.samples
        known = np.flatnonzero(np.isfinite(values))
        if not known.size:
            return np.nan, float(t[0]) if len(t) else np.nan
        best = known[int(np.argmax(sign * values[known]))]
        found, at = sign * float(values[best]), float(t[best])
        bounds = sign * self.coefficients[:, 0] + np.abs(self.coefficients[:, 1:]).sum(axis=1)
        tried = np.flatnonzero(bounds > found)
        tried = tried[np.argsort(-bounds[tried], kind="stable")][:_CLOSE]
        for some in np.split(tried, [_BEST]):  # mostly the first ones tell that the others need not be looked at
            inner = (self._inner(int(k), sign) for k in some if bounds[k] > found)
            times = np.array([time for time in inner if time is not None])
            if not times.size:
                continue
            values = sign * self.evaluate(times)
            k = int(np.argmax(np.where(np.isfinite(values), values, -np.inf)))
            if values[k] > found:
                found, at = float(values[k]), float(times[k])
        return sign * found, at

    def _inner(self, k: int, sign: float) -> float | None:
        """Return the time of the extreme of a polynomial inside its piece; None if it lies at an end."""
        slopes = chebyshev.chebder(self.coefficients[k])
        size = np.abs(slopes).max()
        if not size > 0:
            return None
        slopes = np.trim_zeros(np.where(np.abs(slopes) > 1e-14 * size, slopes, 0.0), "b")
        roots = chebyshev.chebroots(slopes) if len(slopes) > 1 else np.zeros(0)
        inside = np.real(roots[(np.abs(np.imag(roots)) < 1e-6) & (np.abs(np.real(roots)) <= 1)])
        if not inside.size:
            return None
        x = inside[int(np.argmax(sign * chebyshev.chebval(inside, self.coefficients[k])))]
        return float((self.begin[k] + self.end[k]) / 2 + x * (self.end[k] - self.begin[k]) / 2)

    def mean(self) -> float:
        """Return the mean over time."""
        lengths = self.end - self.begin
        if not lengths.sum() > 0:
            return float(self.samples[1][0]) if len(self.samples[1]) else np.nan
        return float(lengths @ (self.coefficients @ _MEANS) / lengths.sum())

    def rms(self) -> float:
        """Return the root of the mean square over time."""
        lengths = self.end - self.begin
        if not lengths.sum() > 0:
            return abs(self.mean())
        squares = (self.coefficients @ _AT_GAUSS) ** 2 @ _WEIGHTS / 2
        return float(np.sqrt(lengths @ squares / lengths.sum()))


def profile(
    evaluate: Callable[[Array], Array], times: Array, small: float = 0.0, among: Array | None = None
) -> Profile:
    """Sample a function of time between some times, at which it may jump to a next one that lies an instant later.

    Differences below `small` are not looked into. among: between which of the times, if not all; the profile then says
    nothing of the others.
    """
    with np.errstate(all="ignore"):  # what has no value somewhere is found by its values
        return _Sampling(evaluate, times, small, among).profile()


@dataclass(frozen=True)
class _Pieces:
    """Pieces of time that wait. before: what a polynomial missed of the whole. stubborn: how often that got no less.

    Two halves of the same one stand side by side.
    """

    begin: Array
    end: Array
    before: Array
    stubborn: Array

    def some(self, which: slice | Array) -> _Pieces:
        return _Pieces(self.begin[which], self.end[which], self.before[which], self.stubborn[which])

    def halves(self) -> _Pieces:
        middle = (self.begin + self.end) / 2
        begin, end = np.column_stack([self.begin, middle]).ravel(), np.column_stack([middle, self.end]).ravel()
        return _Pieces(begin, end, np.repeat(self.before, 2), np.repeat(self.stubborn, 2))

    def no_better(self, off: Array, bad: Array) -> Array:
        """Return how often halving did not help in either half; next to a jump or a kink one of them is smooth."""
        if not np.all(np.isfinite(self.before)):  # not halved so far
            return self.stubborn
        both = np.repeat((bad & (off > self.before / 4)).reshape(-1, 2).all(axis=1), 2)
        return np.where(both, self.stubborn + 1, 0)


class _Sampling:
    """Pieces that wait to be sampled, and those that are done."""

    def __init__(self, evaluate: Callable[[Array], Array], times: Array, small: float, among: Array | None):
        self.evaluate, self.small, self.narrow = evaluate, small, _NARROW * float(times[-1] - times[0])
        self.t, self.values = [times], [np.asarray(evaluate(times), dtype=float)]
        self.low, self.high = _range(self.values[0])
        self.usual = self.pole = 0.0  # the largest value away from where it is halved for ever, and there
        self.place = float(times[0])
        self.done: list[tuple[Array, Array, Array]] = []
        self.missed = 0.0
        first, last = times[:-1], times[1:]
        wide = last - first > 64 * _ulp(first, last)
        wide = wide if among is None else wide & among
        count = int(wide.sum())
        self.first = [_Pieces(first[wide], last[wide], np.full(count, np.inf), np.zeros(count, dtype=int))]
        self.budget = (DEGREE + 1) * count + _MORE

    def profile(self) -> Profile:
        waiting = self.first
        while waiting:
            pieces = waiting.pop()
            if len(pieces.begin) > _FIRST:
                waiting.append(pieces.some(slice(_FIRST, None)))
            if halves := self._sample(pieces.some(slice(_FIRST))):
                waiting.append(halves)
        empty = (np.zeros(0), np.zeros(0), np.zeros((0, DEGREE + 1)))
        begin, end, coefficients = (np.concatenate(part) for part in zip(empty, *self.done, strict=True))
        size = self.high - self.low
        samples = np.concatenate(self.t), np.concatenate(self.values)
        poles = (self.place,) if self.pole > _POLE * self.usual else ()
        return Profile(self.evaluate, begin, end, coefficients, samples, self.missed / size if size > 0 else 0.0, poles)

    def _sample(self, pieces: _Pieces) -> _Pieces | None:
        """Sample pieces; keep those that polynomials fit, and return the halves of the others."""
        a, b = pieces.begin, pieces.end
        nodes = (a + b)[:, None] / 2 + _POINTS * ((b - a)[:, None] / 2)
        nodes[:, 0], nodes[:, -1] = a, b
        values = np.asarray(self.evaluate(nodes.ravel()), dtype=float).reshape(nodes.shape)
        self.budget -= nodes.size
        self.t.append(nodes.ravel())
        self.values.append(values.ravel())
        least, most = _range(values)
        self.low, self.high = min(self.low, least), max(self.high, most)
        coefficients = values @ _TO_COEFFICIENTS
        off = np.abs(coefficients[:, -2:]).sum(axis=1) + np.abs(coefficients[:, -3]) / 8
        largest = max(abs(self.low), abs(self.high))
        bad = ~(off <= max(_TOLERANCE * (self.high - self.low), _ROUNDING * largest, self.small))
        narrow = b - a <= np.maximum(self.narrow, 256 * _ulp(a, b))
        self._note(nodes, values, bad & narrow)
        halve = bad & ~narrow & np.any(np.isfinite(values), axis=1)
        stubborn = pieces.no_better(off, bad)
        given_up = halve & (stubborn >= _STUBBORN) & (off <= _NOISE * largest)
        given_up |= halve & (self.budget <= 0)
        self.missed = max(self.missed, float(np.nanmax(off[given_up], initial=0.0)))
        halve &= ~given_up
        jumps = bad & narrow  # no polynomial fits a jump: the ends are joined
        coefficients[jumps] = 0.0
        coefficients[jumps, 0] = (values[jumps, 0] + values[jumps, -1]) / 2
        coefficients[jumps, 1] = (values[jumps, -1] - values[jumps, 0]) / 2
        self.done.append((a[~halve], b[~halve], coefficients[~halve]))
        if not np.any(halve):
            return None
        return _Pieces(a, b, off, stubborn).some(halve).halves()

    def _note(self, nodes: Array, values: Array, closed: Array) -> None:
        """Compare values where something is closed in with those elsewhere: near a pole they are much larger."""
        sizes = np.where(np.isfinite(values), np.abs(values), 0.0)
        if not self.usual:
            self.usual = float(sizes.max(initial=0.0))
        if np.any(closed) and sizes[closed].max() > self.pole:
            self.pole = float(sizes[closed].max())
            self.place = float(nodes[closed][np.unravel_index(np.argmax(sizes[closed]), sizes[closed].shape)])


def _ulp(a: Array, b: Array) -> Array:
    return np.spacing(np.maximum(np.abs(a), np.abs(b)))


def _range(values: Array) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
