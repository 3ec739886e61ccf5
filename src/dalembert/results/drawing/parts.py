"""Drawing the parts of a mechanism: what all of them share, and a table of who draws which kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dalembert.arrays import Array
from dalembert.document.palette import BODIES
from dalembert.model.drawing import Shape
from dalembert.model.mechanism.table_reader import GROUND as BASE
from dalembert.results.drawing.scene import ELEMENT, GROUND, PIN, Mark, Places, spread

NEAR = 0.12  # of the size: a pin so near to the point of a slider is its middle
FLAT = 1e-3  # of the size: points so near to a line are on it
MODULE = 1 / 9  # of the smallest radius: size of teeth where their numbers are not given

Maker = Callable[["PartMarks", Shape, Array, Array], list[Mark]]
MAKERS: dict[tuple[str, int], Maker] = {}  # by kind and dimensions; 0 for both


def draws(*kinds: str, dimensions: int = 0) -> Callable[[Maker], Maker]:
    """Register a function of the parts, a shape, its points at all frames and its values, that returns marks."""

    def register(maker: Maker) -> Maker:
        MAKERS.update({(kind, dimensions): maker for kind in kinds})
        return maker

    return register


class PartMarks:
    """Makes marks of the parts of a mechanism; `floor` is the height of a plane of the ground on which disks roll."""

    def __init__(self, places: Places, up: Array):
        self.shapes, self.up = places.shapes, up
        self.size = spread(places)
        bodies = dict.fromkeys(name for shape, *_ in places.shapes for name in shape.bodies if name != BASE)
        self.colours = {name: f"series{k % BODIES}" for k, name in enumerate(bodies)} | {BASE: "ground"}
        self.corners = {shape.bodies[0]: points for shape, points, _ in places.shapes if shape.kind == "body"}
        self.held: dict[str, list[Array]] = {}  # where joints and elements hold a body
        for shape, points, _ in places.shapes:
            for name in shape.bodies if shape.kind != "body" else ():
                self.held.setdefault(name, []).append(points[0, :2])
        self.module = self._module()
        self.floor: float | None = None
        self.gears: dict[tuple, tuple[Array, int, float]] = {}  # that are drawn: a point of the rim, teeth, phase

    def marks(self) -> list[Mark]:
        """Return the marks of all parts."""
        found: list[Mark] = []
        for shape, points, values in self.shapes:
            make = MAKERS.get((shape.kind, points.shape[-1])) or MAKERS.get((shape.kind, 0)) or unknown
            found += make(self, shape, points, values)
        return found

    def _module(self) -> float:
        """Return the size of teeth, the diameter by their number: as given somewhere, else small against the wheels."""
        radii = []
        for shape, _, values in self.shapes:
            if shape.kind == "gear" and len(values) > 4:
                return 2 * float(values[0] / values[4])
            radii += [*values[:2]] if shape.kind == "gear" else [values[0]] if shape.kind == "rack" else []
        return MODULE * min(radii, default=1.0)

    # --- helpers -----------------------------------------------------------------------------------------------------

    def symbol(self, name: str, *points: Array, colour: str = "ink", layer: int = PIN) -> Mark:
        """Return a symbol at one or two points."""
        return Mark("symbol", np.stack(points, axis=1), colour, layer, {"name": name})

    def end(self, body: str, point: Array, symbol: str = "pin") -> list[Mark]:
        """Return a pin of a body; on the ground with a support."""
        pin = self.symbol(symbol, point, colour=self.colours[body])
        held = [self.symbol("support", point, colour="ground", layer=GROUND)] if body == BASE else []
        return [*held, pin]

    def guide(self, points: Array, middle: Array | None = None, beyond: float = 1.0) -> tuple[Array, Array, Array]:
        """Return the ends of the guide along which the second point moves, a margin beyond its range, and the point."""
        a, b, tip = points[:, 0], points[:, 1] if middle is None else middle, points[:, 2]
        axis = tip - a
        way = np.sum((b - a) * axis, axis=1)
        margin = (0.16 if np.ptp(way) < 0.1 * self.size else 0.08) * self.size * beyond
        low, high = way.min() - margin, way.max() + margin
        return a + low * axis, a + high * axis, b

    def middle(self, body: str, points: Array) -> Array | None:
        """Return the pin of a slider that is near to the point of the joint, and on its axis."""
        corners = self.corners.get(body)
        if corners is None:
            return None
        axis = points[0, 2] - points[0, 0]
        away = corners[0] - points[0, 1]
        off = np.linalg.norm(away - np.outer(away @ axis, axis), axis=1)
        far = np.linalg.norm(away, axis=1)
        fits = (far < NEAR * self.size) & (off < 0.02 * self.size) & (far > 0)
        return corners[:, int(np.argmax(fits))] if np.any(fits) else None


def unknown(parts: PartMarks, shape: Shape, points: Array, values: Array) -> list[Mark]:
    """A pair of the user's own: both points, and a dashed line between them."""
    line = Mark("line", points[:, :2], "faint", ELEMENT, {"width": 1.4, "dashed": True})
    return [line, *(parts.symbol("pin", points[:, k]) for k in range(2))]
