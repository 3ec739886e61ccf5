"""Equal uniform rods in the plane, each with the coordinates of its centre and its angle, and pins between them."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.system import System

Point = tuple[Expr, Expr]


class Rods:
    """Gathers rods and their energies; m, l and g are parameters."""

    def __init__(self) -> None:
        self.m, self.l, self.g = (se.Symbol(name) for name in "mlg")
        self.coordinates: list[str] = []
        self.kinetic: list[Expr] = []
        self.potential: list[Expr] = []

    def add(self, name: str) -> None:
        """Add a rod with coordinates x_name, y_name, a_name."""
        names = [f"{letter}_{name}" for letter in "xya"]
        vx, vy, spin = (se.Symbol(name + "'") for name in names)
        self.coordinates += names
        self.kinetic += [self.m * (vx**2 + vy**2) / 2, self.m * self.l**2 * spin**2 / 24]
        self.potential.append(self.m * self.g * se.Symbol(names[1]))

    def end(self, name: str, side: int) -> Point:
        """Return the place of the far (1) or near (−1) end of a rod."""
        x, y, angle = (se.Symbol(f"{letter}_{name}") for letter in "xya")
        half = side * self.l / 2
        return x + half * se.cos(angle), y + half * se.sin(angle)

    @staticmethod
    def pin(constraints: dict[str, Any], name: str, here: Point, there: Point) -> None:
        """Hold two points together."""
        for axis, a, b in zip("xy", here, there, strict=True):
            constraints[f"{name}_{axis}"] = se.Add(a, *[-term for term in (b.args if b.is_Add else (b,))])

    def system(self, **rest: Any) -> System:
        """Return the system of all rods added so far."""
        return System(
            coordinates=tuple(self.coordinates),
            kinetic=se.Add(*self.kinetic),
            potential=se.Add(*self.potential),
            parameters={"m": 1.0, "l": 1.0, "g": 9.81},
            **rest,
        )
