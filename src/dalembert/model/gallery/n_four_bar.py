"""N four-bar linkages side by side: 2N+1 equal rods, which pass singular positions whenever they lie level.

IFToMM benchmark A02. On the parallelogram branch the motion is that of one angle:
θ̈ = (g/l) [(N+1)/2 + N] / [(N+1)/3 + N] sin θ.
"""

from __future__ import annotations

from typing import Any

import symengine as se

from dalembert.model.gallery.rods import Rods
from dalembert.model.system import System


def build(loops: int) -> System:
    """Build the linkage: uprights u0 … uN on the ground, bars b1 … bN joining their tops."""
    rods = Rods()
    length = se.Symbol("l")
    constraints: dict[str, Any] = {}
    for i in range(loops + 1):
        rods.add(f"u{i}")
        rods.pin(constraints, f"ground{i}", rods.end(f"u{i}", -1), (i * length, se.Integer(0)))
    for i in range(1, loops + 1):
        rods.add(f"b{i}")
        rods.pin(constraints, f"left{i}", rods.end(f"b{i}", -1), rods.end(f"u{i - 1}", 1))
        rods.pin(constraints, f"right{i}", rods.end(f"b{i}", 1), rods.end(f"u{i}", 1))
    guess = {}
    for i in range(loops + 1):
        guess |= {
            f"x_u{i}": i * length,
            f"y_u{i}": length / 2,
            f"a_u{i}": se.pi / 2,
            f"x_u{i}'": se.Rational(1, 2),
        }
        guess |= {f"a_u{i}'": -se.Integer(1)}
    for i in range(1, loops + 1):
        guess |= {f"x_b{i}": (i - se.Rational(1, 2)) * length, f"y_b{i}": length, f"x_b{i}'": se.Integer(1)}
    points = {f"A{i}": (i * length, se.Integer(0)) for i in range(loops + 1)}
    points |= {f"B{i}": rods.end(f"u{i}", 1) for i in range(loops + 1)}
    lines = [[f"A{i}", f"B{i}"] for i in range(loops + 1)] + [[f"B{i - 1}", f"B{i}"] for i in range(1, loops + 1)]
    return rods.system(
        name=f"{loops} four-bar linkage{'s side by side' if loops > 1 else ''}",
        constraints=constraints,
        initial={"a_u0": se.pi / 2, "a_u0'": -1},
        guess=guess,
        simulation={"until": 10},
        drawing={"points": points, "lines": lines},
    )
