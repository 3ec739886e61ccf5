"""The way of a point along a motion: of a body of a mechanism, or of the drawing of another system."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.arguments import shown
from dalembert.arrays import Array
from dalembert.errors import ModelError, nearest
from dalembert.language.building import Expr, number
from dalembert.model.mechanism.body import CENTRE
from dalembert.model.mechanism.mechanism import Mechanism

if TYPE_CHECKING:
    from dalembert.results.run import Run


class PointMotion:
    """A point along a motion: `t`, and `place`, `velocity`, `acceleration` in world axes, one row for each time."""

    def __init__(self, run: Run, name: str, expressions: Sequence[Expr]):
        self._run, self.name, self._expressions = run, name, tuple(expressions)
        self.t = run.t

    def __repr__(self) -> str:
        return f"<PointMotion of {self.name}: {len(self.t)} times>"

    @cached_property
    def place(self) -> Array:
        """Where it is."""
        return self._values(0)

    @cached_property
    def velocity(self) -> Array:
        """How fast it moves."""
        return self._values(1)

    @cached_property
    def acceleration(self) -> Array:
        """How its velocity changes."""
        return self._values(2)

    @property
    def speed(self) -> Array:
        """The length of the velocity."""
        return np.linalg.norm(self.velocity, axis=1)

    @property
    def x(self) -> Array:
        """The first coordinate of its place."""
        return self.place[:, 0]

    @property
    def y(self) -> Array:
        """The second."""
        return self.place[:, 1]

    @property
    def z(self) -> Array:
        """The third, in space."""
        if self.place.shape[1] < 3:
            raise ModelError(f"{self.name} moves in the plane, and has no z")
        return self.place[:, 2]

    def _values(self, order: int) -> Array:
        observed, names = self._run.system.observed, "xyz"
        expressions = list(self._expressions)
        for _ in range(order):
            expressions = [observed.derivative(expr, self.name) for expr in expressions]
        found = self._run.evaluate({f"{self.name}.{k}": expr for k, expr in zip(names, expressions, strict=False)})
        return np.stack(list(found.values()), axis=1)


def point_motion(run: Run, of: Any, point: Any) -> PointMotion:
    """Return the way of a point; see `Run.point`."""
    system = run.system
    drawn = system.drawing.points if system.drawing is not None else {}
    bodies = system.bodies if isinstance(system, Mechanism) else {}
    if not isinstance(of, str) or (of not in bodies and of not in drawn):
        known = list(bodies or drawn)
        what = "bodies" if bodies else "points"
        got = f"`{of[:60]}`" if isinstance(of, str) else shown(of)
        raise ModelError(
            f"there is no {'body' if bodies else 'point of the drawing'} {got}; {nearest(str(of), known, what)}"
        )
    if of not in bodies:
        if point is not None:
            raise ModelError(f"`{of}` is a point of the drawing itself; leave {shown(point)} out")
        return PointMotion(run, of, drawn[of])
    body = bodies[of]
    if point is None or isinstance(point, str):
        name = CENTRE if point is None else point
        if name != CENTRE and name not in body.frames:
            raise ModelError(
                f"body `{of}` has no point `{name[:60]}`; {nearest(name, [*body.frames, CENTRE], 'points')}"
            )
        return PointMotion(run, f"{of}.{name}", body.place(name))
    try:
        values = [se.RealDouble(float(value)) for value in point]
    except (TypeError, ValueError, OverflowError):
        values = []
    if len(values) != len(body.centre) or any(number(value) is None for value in values):
        raise ModelError(
            f"a point is a name or {len(body.centre)} finite numbers in the frame of `{of}`; got {shown(point)}"
        )
    if not body.view.turns and any(float(value) for value in values):
        raise ModelError(f"`{of}` is a particle, which has no other points; leave {shown(point)} out")
    return PointMotion(run, f"a point of {of}", body.view.position(values))
