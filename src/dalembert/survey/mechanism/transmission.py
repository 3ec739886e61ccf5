"""Transmission of a mechanism with one degree of freedom: the output against the input over all positions it can reach.

With ' for derivatives along the path, the ratio is y'/s' and its change (y'' s' − y' s'')/s'³. Where s' vanishes the
input has no grip on the mechanism: a dead point, in which the input turns back. Where y' vanishes the output does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from dalembert.arguments import whole
from dalembert.arrays import Array
from dalembert.blocks.numeric import numeric_of
from dalembert.document.nodes import Block, Listing, Paragraph, Section, Sparkline
from dalembert.document.shown import Printed
from dalembert.errors import ModelError, SimulationError, quoted
from dalembert.survey.initial_numbers import at_level
from dalembert.survey.mechanism.closure import ASIDE, LOOSE, Closure
from dalembert.survey.mechanism.followed_quantity import FollowedQuantity, joint_quantity, unwrap
from dalembert.survey.mechanism.mobility import undriven
from dalembert.survey.mechanism.path import Path, Sameness, Station
from dalembert.survey.mechanism.transmission_angle import folded, transmission_angle
from dalembert.survey.mechanism.words import list_bodies
from dalembert.survey.start import consistent_state

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

STEPS = 2_000  # after so many the path is given up as one that does not close
STILL = 1e-9  # rate along the path that counts as none
KINDS = {
    "dead point": "dead point, where the input loses its grip on {moving}",
    "reversal": "the output turns back (a dead point, if driven there)",
    "change point": "change point, where the motion can go over into another branch",
}

_MOST = 1_000_000  # samples


@dataclass(frozen=True)
class Special:
    """A special position: "dead point" (of the input), "reversal" (of the output) or "change point" (of branches)."""

    kind: str
    input: float
    output: float
    q: Array
    text: str

    def __repr__(self) -> str:
        return f"<{self.kind}: input {self.input:.6g}, output {self.output:.6g}>"


@dataclass(frozen=True, repr=False)
class Transmission(Printed):
    """Output against input. Rows of `q` are the positions; `mu` is the transmission angle where there is one.

    ratio, change: first and second derivative of the output by the input.
    special: dead points, reversals and change points, in order.
    full_turn: the input turns round without a dead point, and the samples are equally spaced in it. Else they are
    equally spaced along the path, which passes all dead points and closes, if `closed`.
    output_range, mu_range: the least and the largest value on the whole path, also between the samples.
    """

    mechanism: Mechanism
    names: tuple[str, str]
    input: Array
    output: Array
    ratio: Array
    change: Array  # of the ratio, d²output/dinput²
    q: Array
    mu: Array | None
    special: tuple[Special, ...]
    full_turn: bool
    closed: bool
    output_range: tuple[float, float]
    mu_range: tuple[float, float] | None

    @property
    def dead_points(self) -> tuple[Special, ...]:
        """Where the input loses its grip."""
        return tuple(point for point in self.special if point.kind == "dead point")

    @property
    def reversals(self) -> tuple[Special, ...]:
        """Where the output turns back; dead points of a drive at the output."""
        return tuple(point for point in self.special if point.kind == "reversal")

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest input that can be reached."""
        ends = [*self.input, *(point.input for point in self.special)]
        return float(min(ends)), float(max(ends))

    def document(self) -> Section:
        """Show output against input, and the special positions."""
        (low, high), (least, most) = self.range, self.output_range
        name, output = self.names
        turning = "a full turn" if self.full_turn else f"from {low:.6g} to {high:.6g}"
        text = f"input {name}: {turning}; output {output}: from {least:.6g} to {most:.6g}"
        if not self.full_turn and not self.closed:
            text += " (the path was not followed to its end)"
        marks = [(point.input, point.output) for point in self.special]
        drawn = Sparkline(self.input, self.output, f"{output} against {name}", marks, axes=True)
        parts: list[Block] = [Paragraph(text), Paragraph(drawn), Listing([point.text for point in self.special])]
        if self.mu_range is not None:
            least, most = np.degrees(self.mu_range)
            parts.append(Paragraph(f"transmission angle from {least:.4g} to {most:.4g} degrees"))
        return Section(self.mechanism.name or "A mechanism", parts, f"transmission from {name} to {output}")


def transmission(mechanism: Mechanism, given: str, wanted: str, samples: int = 360) -> Transmission:
    """Follow the mechanism from its assembled position through a full turn of the input, or along its whole path."""
    samples = whole("samples", samples, 2, _MOST)
    return _Trace(mechanism, given, wanted).result(samples)


@dataclass(frozen=True)
class _Point:
    """A station with input and output there: value, rate and second rate along the path."""

    station: Station
    s: tuple[float, float, float]
    y: tuple[float, float, float]


class _Trace:
    def __init__(self, mechanism: Mechanism, given: str, wanted: str):
        self.mechanism, self.names = mechanism, (given, wanted)
        self.input, self.output = joint_quantity(mechanism, given), joint_quantity(mechanism, wanted)
        system = undriven(mechanism)
        unfit = [c.name for c in system.constraints if c.level != "position" or c.time]
        if unfit:
            text = f"{quoted(unfit[:6])}: a transmission is that of conditions on positions without time"
            raise ModelError(f"{text}; release them, or ask for kinematics() at times")
        numeric = numeric_of(system)
        self.parameters = numeric.parameters
        fixed = at_level(mechanism, mechanism.initial, "position")
        q = consistent_state(system, numeric, initial=fixed).q
        self.closure = Closure(mechanism, numeric, q)
        A = numeric.position(0.0, q)[1]
        freedom = numeric.n - self.closure.independent(A)
        if freedom != 1:
            found = mechanism.mobility()
            words = "; the assembled position is singular: give it another one" if found.freedom == 1 else ""
            if found.idle:
                text = f"; {quoted(found.idle)} can move by {'itself' if len(found.idle) == 1 else 'themselves'}"
                words = f"{text}: replace a joint there (one of two spherical pairs by a universal one)"
            raise ModelError(f"a transmission is that of one degree of freedom; the mechanism has {freedom}{words}")
        tangent = self.closure.solve(A, np.zeros(A.shape[0]), numeric.n - 1).free[:, 0]
        forward = np.sign(self.input.at(q, tangent, 0 * q, self.parameters)[1]) or 1.0
        self.path = Path(self.closure, q, forward * tangent)
        self.full_turn = self.closed = False
        self.points = [self.point(self.path.start, None)]
        self.follow()

    def point(self, station: Station, near: _Point | None) -> _Point:
        """Evaluate input and output; their turns are counted on from a point nearby."""
        found = []
        for quantity, before in ((self.input, near and near.s), (self.output, near and near.y)):
            value, rate, second = quantity.at(station.q, station.tangent, station.bend, self.parameters)
            if quantity.turns and before and near:
                way = station.way - near.station.way
                value = float(unwrap(value, before[0] + way * (before[1] + rate) / 2))
            found.append((value, rate, second))
        return _Point(station, found[0], found[1])

    def beside(self, here: _Point, way: float) -> _Point | None:
        """Return the point a short way on."""
        station = self.path.beside(here.station, way)
        return None if station is None else self.point(station, here)

    def follow(self) -> None:
        """Go on until the input has made a turn, or the path closes."""
        same = Sameness(self.mechanism, self.closure)
        start = self.path.start
        origin = same.seen(start.q)
        ahead = same.seen(start.q + 1e-6 * start.tangent) - origin
        monotone, before = True, 0.0
        for station in self.path.stations():
            if station.way == 0.0:
                continue
            here, there = self.points[-1], self.point(station, self.points[-1])
            monotone = monotone and there.s[1] > STILL
            self.points.append(there)
            if self.input.angle and monotone and there.s[0] - self.points[0].s[0] >= 2 * np.pi:
                self.full_turn = True
                self.points[-1] = self.at_input(there, self.points[0].s[0] + 2 * np.pi, 0.0)
                return
            away = float((same.seen(station.q) - origin) @ ahead)
            if before < 0 <= away and np.linalg.norm(same.seen(station.q) - origin) < 2 * (
                station.way - here.station.way
            ):
                end = self.where(here, there, lambda p: float((same.seen(p.station.q) - origin) @ ahead))
                if end is not None and np.linalg.norm(same.seen(end.station.q) - origin) < 1e-6:
                    self.points[-1], self.closed = end, True
                    return
            before = away
            if len(self.points) > STEPS:
                return

    def where(self, here: _Point, there: _Point, function: Callable[[_Point], float]) -> _Point | None:
        """Find where a function of the points between two of them vanishes."""

        def value(way: float) -> float:
            found = self.beside(here, way)
            if found is None:
                raise ArithmeticError
            return function(found)

        try:
            way = brentq(value, 0.0, there.station.way - here.station.way, xtol=1e-14)
        except (ArithmeticError, ValueError):  # lost on the way, or no change of sign after all
            return None
        return self.beside(here, float(way))  # pyright: ignore[reportArgumentType]

    # --- special positions -------------------------------------------------------------------------------------------

    def special(self) -> list[Special]:
        """Find dead points, reversals and change points, in the order of the path."""
        found = []
        for kind, rates in (("dead point", lambda p: p.s[1:]), ("reversal", lambda p: p.y[1:])):
            found += [(point, kind) for point in self.turning(rates)]
        found += [(point, "change point") for point in self.change_points()]
        if self.full_turn:  # its end is its beginning
            found = [(point, kind) for point, kind in found if point.s[0] - self.points[0].s[0] < 2 * np.pi - 1e-9]
        return [self.describe(point, kind) for point, kind in sorted(found, key=lambda item: item[0].station.way)]

    def turning(self, rates: Callable[[_Point], tuple[float, float]]) -> list[_Point]:
        """Find where a quantity turns back, by its first and second rate."""
        found = []
        for here, there in pairwise(self.points):
            (a, bend), (b, end) = rates(here), rates(there)
            if abs(a) <= STILL:
                found.append(here)
                continue
            parts = [(here, there)] if a * b < 0 and abs(b) > STILL else []
            if a * b > 0 and bend * a < 0 < end * b:  # towards zero, and away from it: perhaps through it and back
                between = self.where(here, there, lambda p: rates(p)[1])
                if between is not None and rates(between)[0] * a < 0:
                    parts = [(here, between), (between, there)]
            points = [self.where(*part, lambda p: rates(p)[0]) for part in parts]
            found += [point for point in points if point is not None]
        return found

    def change_points(self) -> list[_Point]:
        """Find where the conditions lose one more: a second path crosses there."""
        grips = [point.station.grip for point in self.points]
        usual, found = float(np.median(grips)), []
        for k in range(1, len(grips) - 1):
            if not (grips[k] < 0.2 * usual and grips[k] <= grips[k - 1] and grips[k] < grips[k + 1]):
                continue
            here = self.points[k]
            ways = [self.points[i].station.way - here.station.way for i in (k - 1, k + 1)]

            def grip(way: float, here: _Point = here) -> float:
                beside = self.path.beside(here.station, way)
                return 0.0 if beside is None else beside.grip

            least: Any = minimize_scalar(grip, bounds=ways, method="bounded", options={"xatol": 1e-9})
            if least.fun < 10 * LOOSE:  # the grip falls and rises straight: its zero is where both sides meet
                a, b = grip(least.x - ASIDE), grip(least.x + ASIDE)
                found.append(self.beside(here, float(least.x + ASIDE * (a - b) / (a + b))) or here)
        return found

    def describe(self, point: _Point, kind: str) -> Special:
        q, s, y = point.station.q, *(round(value, 12) + 0.0 for value in (point.s[0], point.y[0]))
        moving = list_bodies(self.mechanism, point.station.tangent[:, None]) if kind == "dead point" else ""
        where = f"input {s:.6g}, output {y:.6g}: "
        return Special(kind, s, y, q, where + KINDS[kind].format(moving=moving))

    # --- samples -----------------------------------------------------------------------------------------------------

    def result(self, samples: int) -> Transmission:
        points = self.by_input(samples) if self.full_turn else self.by_way(samples)
        s, y = (np.array([getattr(point, key) for point in points]).T for key in "sy")
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio, change = y[1] / s[1], (y[2] * s[1] - y[1] * s[2]) / s[1] ** 3
        q = np.array([point.station.q for point in points])
        angle = transmission_angle(self.mechanism, self.names[1])
        mu = None if angle is None else folded(angle.along(q, 0 * q, 0 * q, self.parameters).value[:, 0])
        special = tuple(self.special())
        outputs = [*y[0], *(point.output for point in special)]
        return Transmission(
            self.mechanism, self.names, s[0], y[0], ratio, change, q, mu, special, self.full_turn, self.closed,
            (float(min(outputs)), float(max(outputs))), None if angle is None else self.extremes(angle),
        )  # fmt: skip

    def extremes(self, angle: FollowedQuantity) -> tuple[float, float]:
        """Return the least and the largest transmission angle: where the unfolded one turns back, or meets a fold."""

        def unfolded(point: _Point) -> tuple[float, float, float]:
            station = point.station
            return angle.at(station.q, station.tangent, station.bend, self.parameters)

        values = [unfolded(point)[0] for point in (*self.points, *self.turning(lambda p: unfolded(p)[1:]))]
        found = [*folded(np.array(values))]
        for here, there in pairwise(values[: len(self.points)]):
            if abs(there - here) < np.pi / 2:  # else it went round
                found += [0.0] if np.sin(here) * np.sin(there) < 0 else []
                found += [np.pi / 2] if np.cos(here) * np.cos(there) < 0 else []
        return float(min(found)), float(max(found))

    def by_input(self, samples: int) -> list[_Point]:
        """Return the points at equally spaced inputs, by Newton's method along the path."""
        known, found = [point.s[0] for point in self.points], []
        for target in known[0] + np.linspace(0, 2 * np.pi, samples + 1):
            here = self.points[max(0, min(bisect_right(known, target) - 1, len(known) - 1))]
            if found and abs(target - found[-1].s[0]) < abs(target - here.s[0]):
                here = found[-1]
            s, rate, second = here.s
            gap = target - s
            way = 2 * gap / (rate + np.sqrt(max(rate**2 + 2 * second * gap, 0.0)))
            found.append(self.at_input(here, float(target), float(way)))
        return found

    def at_input(self, here: _Point, target: float, way: float) -> _Point:
        """Return the point with an input, near a way on from another one."""
        for _ in range(8):
            point = self.beside(here, way)
            if point is None:
                break
            value, rate, second = point.s
            off = (target - value) / rate
            if abs(off) < 1e-13:
                return point
            way += off / (1 + off * second / (2 * rate))  # as Halley does
        point = self.beside(here, way)
        if point is None:
            raise SimulationError(f"the path could not be followed at input {target:.6g}")
        return point

    def by_way(self, samples: int) -> list[_Point]:
        """Return the points at equal distances along the path."""
        known, found = [point.station.way for point in self.points], []
        for way in np.linspace(0, known[-1], samples + 1):
            here = self.points[bisect_right(known, way) - 1]
            found.append(self.beside(here, float(way - here.station.way)) or here)
        return found
