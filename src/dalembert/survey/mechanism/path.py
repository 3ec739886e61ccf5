"""The path of a mechanism with one degree of freedom, followed by its own length and not by a drive.

So it goes on where a drive would turn back or lose its grip. A step is predicted by the tangent and its change,
corrected at right angles, and kept short against the curvature.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.model.mechanism.views import SpatialView
from dalembert.survey.mechanism.closure import ASIDE, LOOSE, Closure, between

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

TURN = 0.15  # of the tangent in one step, at most
LONGEST, SHORTEST = 0.2, 1e-7  # steps, in units of the mechanism


@dataclass(frozen=True)
class Station:
    """A position on the path: its length so far, the tangent there and how it changes; the branch is single if firm."""

    way: float
    q: Array
    tangent: Array
    bend: Array
    grip: float


class Path:
    """Follows the positions that the conditions allow from one of them, in the direction of a velocity."""

    def __init__(self, closure: Closure, q: Array, direction: Array):
        self.closure, self.rank = closure, closure.numeric.n - 1
        self.start = self.station(0.0, q, direction)

    def station(self, way: float, q: Array, direction: Array) -> Station:
        """Complete a position by the tangent that is nearest to a direction."""
        n = self.closure.numeric.n
        _, solution = self.closure.velocity(0.0, q, np.zeros(n), self.rank)
        tangent = solution.free[:, 0]
        tangent = tangent * np.sign((tangent / self.closure.units) @ (direction / self.closure.units) or 1.0)
        bend = self.closure.acceleration(0.0, q, tangent, np.zeros(n), self.rank)
        return Station(way, q, tangent, bend, solution.grip)

    def beside(self, here: Station, way: float) -> Station | None:
        """Return the station a (short) way on, in a change point by what is on both sides; None if none is found."""
        found = self.direct(here, way)
        if found is not None and found.grip > LOOSE:
            return found
        sides = [self.direct(here, way + aside) for aside in (-ASIDE, ASIDE)]
        if sides[0] is None or sides[1] is None:
            return None
        q, tangent, bend = between((sides[0].q, sides[1].q), (sides[0].tangent, sides[1].tangent), ASIDE)
        return Station(here.way + way, q, tangent, bend, 0.0)

    def direct(self, here: Station, way: float) -> Station | None:
        """Return the station a way on as the conditions give it."""
        q = here.q + way * here.tangent + way**2 / 2 * here.bend
        found = self.closure.position(0.0, q, self.rank)
        return None if found is None else self.station(here.way + way, found, here.tangent)

    def stations(self) -> Iterator[Station]:
        """Go on without end, or until no way on is found."""
        here, step = self.start, LONGEST
        yield here
        while step > SHORTEST:
            curvature = self.closure.distance(here.bend)
            step = min(step, LONGEST, TURN / max(curvature, 1e-12))
            found = self.beside(here, step)
            if found is not None and self.smooth(here, found):
                here, step = found, 2 * step
                yield here
            else:
                step /= 2

    def smooth(self, here: Station, there: Station) -> bool:
        """Tell whether the tangents at both ends lead from one to the other."""
        way = there.way - here.way
        off = self.closure.distance(there.q - here.q - way / 2 * (here.tangent + there.tangent))
        turned = self.closure.distance(there.tangent - here.tangent)
        return off < 0.02 * way and turned < 2 * TURN


class Sameness:
    """Compares positions of a mechanism as one sees them: whole turns make no difference."""

    def __init__(self, mechanism: Mechanism, closure: Closure):
        self.bodies = [
            ([mechanism.coordinates.index(name) for name in body.coordinates], isinstance(body.view, SpatialView))
            for body in mechanism.bodies.values()
            if body.coordinates
        ]
        self.size, self.dimensions = closure.size, mechanism.dimensions
        self.own = [mechanism.coordinates.index(name) for name in mechanism.own.coordinates]

    def seen(self, q: Array) -> Array:
        """Return what is seen of a position: places, and sines and cosines of what turns."""
        parts = [q[self.own]]
        for places, spatial in self.bodies:
            at, turn = q[places[: self.dimensions]] / self.size, q[places[self.dimensions :]]
            parts += [at, np.outer(turn, turn).ravel() if spatial else np.concatenate([np.cos(turn), np.sin(turn)])]
        return np.concatenate(parts)
