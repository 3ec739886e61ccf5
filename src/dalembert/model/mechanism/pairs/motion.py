"""How a pair moves, where its coordinates are those of the mechanism: steps from its first marker to its second one.

A pair that can carry a body says so by `motion`, a function of its markers and of its coordinates by name that returns
such steps:

    motion=lambda a, b, distance, angle: (Slide((distance, 0)), Turn(angle))

Each step is seen from where the steps before it lead. `Coordinate`s of the pair must have the same names and meaning.
"""

from __future__ import annotations

from typing import NamedTuple

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.mechanism.vectors import ONE, ZERO, Vector, scale

Z: Vector = (ZERO, ZERO, ONE)


class Slide(NamedTuple):
    """A way, in the axes that the steps before have turned."""

    way: Vector

    def reversed(self) -> Slide:
        """Return the way back."""
        return Slide(scale(se.Integer(-1), self.way))


class Turn(NamedTuple):
    """A turn by an angle about an axis of length 1, which stays as it is; in the plane there is no other than z."""

    angle: Expr
    axis: Vector = Z

    def reversed(self) -> Turn:
        """Return the turn back."""
        return Turn(-self.angle, self.axis)

    @property
    def e(self) -> Vector:
        """Its Euler parameters."""
        half = self.angle / 2
        return (se.cos(half), *scale(se.sin(half), self.axis))


class Ball(NamedTuple):
    """A turn by Euler parameters of length 1, or by a fixed one; `backward`: the other way round."""

    e: Vector
    backward: bool = False

    def reversed(self) -> Ball:
        """Return the turn back."""
        return Ball(self.e, not self.backward)


Step = Slide | Turn | Ball
