"""A chain of rods hanging from the ceiling by its first end, in absolute coordinates; released level and at rest."""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.model.gallery.rods import Rods
from dalembert.model.system import System


def build(count: int) -> System:
    """Build a chain of `count` rods; joint 1 is at the origin."""
    rods = Rods()
    constraints: dict[str, Any] = {}
    guess: dict[str, Any] = {}
    points: dict[str, Any] = {"O": (se.Integer(0), se.Integer(0))}
    before = points["O"]
    for i in range(1, count + 1):
        rods.add(str(i))
        rods.pin(constraints, f"joint{i}", rods.end(str(i), -1), before)
        before = points[f"P{i}"] = rods.end(str(i), 1)
        guess[f"x_{i}"] = (i - se.Rational(1, 2)) * rods.l
    return rods.system(
        name=f"Chain of {count} rod{'s' if count > 1 else ''}",
        constraints=constraints,
        initial={f"a_{i}": 0 for i in range(1, count + 1)},
        guess=guess,
        simulation={"until": 2},
        drawing={"points": points, "lines": [list(points)]},
    )
