"""What is drawn of a system: named points and the shapes that hang on them, all as expressions of its coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from dalembert.language.building import Expr

Place = tuple[Expr, ...]


@dataclass(frozen=True)
class Shape:
    """A part of a mechanism by what it is, as `revolute` or `spring`; how it looks is decided where it is drawn.

    places: the points on which it hangs. values: further constants, such as radii. bodies: to which it belongs.
    """

    kind: str
    places: tuple[Place, ...]
    bodies: tuple[str, ...] = ()
    values: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """Points by name, each with two or three coordinates as expressions, and what joins them.

    lines: sequences of point names, drawn as links. springs, dampers: pairs of points. circles: (centre, radius); in
    the plane (centre, radius, point) has a spoke towards that point, in space it is about the line from the centre to
    that point, and about the vertical if there is none. shapes: the parts of a mechanism. labels: the points whose
    names are shown; None for all but those that begin with `_`.
    """

    points: Mapping[str, Place]
    lines: tuple[tuple[str, ...], ...] = ()
    springs: tuple[tuple[str, ...], ...] = ()
    dampers: tuple[tuple[str, ...], ...] = ()
    circles: tuple[tuple[Any, ...], ...] = ()
    shapes: tuple[Shape, ...] = ()
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", MappingProxyType(dict(self.points)))

    def __reduce__(self) -> tuple[Any, ...]:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return Drawing, (dict(values.pop("points")), *values.values())

    @property
    def shown(self) -> tuple[str, ...]:
        """The points whose names are shown."""
        return tuple(name for name in self.points if not name.startswith("_")) if self.labels is None else self.labels

    @property
    def expressions(self) -> list[Expr]:
        """All expressions in it."""
        places = [*self.points.values(), *(place for shape in self.shapes for place in shape.places)]
        values = [circle[1] for circle in self.circles] + [value for shape in self.shapes for value in shape.values]
        return [entry for place in places for entry in place] + values

    def map(self, function: Callable[[Expr], Expr]) -> Drawing:
        """Return the drawing with a function applied to every expression."""
        shapes = tuple(
            replace(
                shape,
                places=tuple(tuple(map(function, place)) for place in shape.places),
                values=tuple(map(function, shape.values)),
            )
            for shape in self.shapes
        )
        points = {name: tuple(map(function, place)) for name, place in self.points.items()}
        circles = tuple((centre, function(radius), *rest) for centre, radius, *rest in self.circles)
        return replace(self, points=points, circles=circles, shapes=shapes)
