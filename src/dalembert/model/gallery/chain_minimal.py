"""The chain of rods in its angles alone: no constraints, a full mass matrix."""

from __future__ import annotations

import symengine as se

from dalembert.model.system import System


def build(count: int) -> System:
    """Build a chain of `count` rods, each with its angle from the horizontal."""
    m, l, g = (se.Symbol(name) for name in "mlg")
    half = l / 2
    kinetic, potential = [], []
    points = {"O": (se.Integer(0), se.Integer(0))}
    x, y, vx, vy = [], [], [], []  # of the end of the rods so far, as lists of terms
    for i in range(1, count + 1):
        a, spin = se.Symbol(f"a_{i}"), se.Symbol(f"a_{i}'")
        sine, cosine = se.sin(a), se.cos(a)
        centre_vx, centre_vy = se.Add(*vx, -half * sine * spin), se.Add(*vy, half * cosine * spin)
        kinetic += [m * centre_vx**2 / 2, m * centre_vy**2 / 2, m * l**2 * spin**2 / 24]
        potential.append(m * g * se.Add(*y, half * sine))
        x.append(l * cosine)
        y.append(l * sine)
        vx.append(-l * sine * spin)
        vy.append(l * cosine * spin)
        points[f"P{i}"] = (se.Add(*x), se.Add(*y))
    return System(
        name=f"Chain of {count} rod{'s' if count > 1 else ''} in {'their angles' if count > 1 else 'its angle'}",
        coordinates=tuple(f"a_{i}" for i in range(1, count + 1)),
        kinetic=se.Add(*kinetic),
        potential=se.Add(*potential),
        parameters={"m": 1.0, "l": 1.0, "g": 9.81},
        initial={f"a_{i}": 0 for i in range(1, count + 1)},
        simulation={"until": 2},
        drawing={"points": points, "lines": [list(points)]},
    )
