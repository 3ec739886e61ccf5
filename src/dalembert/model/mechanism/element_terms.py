"""What the elements of a mechanism add to its system: energies, forces, constraints, start values, lines to draw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import symengine as se

from dalembert.language.building import Expr


class Terms:
    """Gathers terms; each element adds its own, so that the cost grows with their number."""

    def __init__(self, coordinates: Sequence[str]):
        self.speeds = {se.Symbol(name + "'"): name for name in coordinates}
        self.kinetic: list[Expr] = []
        self.potential: list[Expr] = []
        self.forces: dict[str, list[Expr]] = defaultdict(list)
        self.constraints: dict[str, Expr] = {}
        self.guess: dict[str, Expr] = {}

    def push(self, force: Expr, rate: Expr) -> None:
        """Add a force by its power force × rate: its share on a coordinate is force × ∂rate/∂velocity."""
        if force == 0:
            return
        for speed in sorted(rate.free_symbols & self.speeds.keys(), key=str):
            self.forces[self.speeds[speed]].append(force * rate.diff(speed))
