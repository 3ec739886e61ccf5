"""Models as a user draws them, that a picture does not hold by itself: they travel, rest, or are very small or thin."""

from __future__ import annotations

from dalembert import Mechanism, System


def car() -> System:
    """A car that drives 100 m along a road."""
    points = {
        "_f": ["x + 1.2", "r"],
        "_r": ["x - 1.2", "r"],
        "_p": ["x + 1.2 + r*cos(a)", "r + r*sin(a)"],
        "_q": ["x - 1.2 + r*cos(a)", "r + r*sin(a)"],
        "_a": ["x - 1.8", 0.3],
        "_b": ["x + 1.8", 0.3],
        "_c": ["x + 1.6", 0.9],
        "_d": ["x - 1.8", 0.9],
        "_g": [-5, 0],
        "_h": [120, 0],
    }
    lines = [["_a", "_b", "_c", "_d", "_a"], ["_g", "_h"]]
    return System(
        "x a",
        kinetic="m*x'^2/2 + J*a'^2/2",
        constraints={"roll": "x = -r*a"},
        forces={"x": "F"},
        parameters={"m": 1000, "J": 2, "r": 0.3, "F": 3000},
        initial={"x'": 5},
        drawing={"points": points, "lines": lines, "circles": [["_f", "r", "_p"], ["_r", "r", "_q"]]},
        simulation={"until": 7},
    )


def falling() -> Mechanism:
    """A body in space that falls 80 m and turns."""
    points = {"P": [0.5, 0, 0], "Q": [0, 0.4, 0], "R": [0, 0, 0.3]}
    body = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 100], "spin": [1, 2, 0.3], "points": points}
    return Mechanism(dimensions=3, bodies={"b": body}, simulation={"until": 4})


def micrometres() -> Mechanism:
    """A slider-crank a few micrometres long."""
    light = {"mass": 1e-12, "inertia": 1e-25}
    return Mechanism(
        bodies={
            "crank": {**light, "at": [1e-6, 0], "spin": 5000},
            "rod": {**light, "at": [4e-6, 0]},
            "piston": {**light, "at": [6e-6, 0]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["crank", "rod"], "at": [2e-6, 0]},
            "C": {"kind": "revolute", "bodies": ["rod", "piston"], "at": [6e-6, 0]},
            "D": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": [6e-6, 0], "axis": [1, 0]},
        },
        gravity=[0, 0],
        simulation={"until": 0.01},
    )


def fast_crank() -> Mechanism:
    """A crank that turns as often as a picture has samples of it, and more."""
    return Mechanism(
        bodies={"crank": {"mass": 1, "inertia": 0.1, "at": [0.5, 0], "points": {"E": [1, 0]}}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]}},
        drives={"d": {"joint": "A", "angle": "2*pi*23*t"}},
        gravity=[0, 0],
        simulation={"until": 1},
    )


def resting() -> System:
    """A rod at rest."""
    drawing = {"points": {"O": [0, 0], "P": ["x", "y"]}, "lines": [["O", "P"]]}
    return System("x y", kinetic="(x'^2 + y'^2)/2", initial={"x": 1, "y": 1}, drawing=drawing, simulation={"until": 2})


def lonely() -> Mechanism:
    """A body at the origin, and nothing else."""
    return Mechanism(bodies={"b": {"mass": 1, "inertia": 1}}, gravity=[0, 0], simulation={"until": 1})


def projectile() -> System:
    """A single point that flies 180 m: its whole way is shown."""
    drawing = {"points": {"P": ["x", "y"], "_a": [0, 0], "_b": [180, 0]}, "lines": [["_a", "_b"]]}
    return System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="9.81*y",
        initial={"x'": 30, "y'": 30},
        drawing=drawing,
        simulation={"until": 6},
    )


OWN = {make.__name__: make for make in (car, falling, micrometres, fast_crank, resting, lonely, projectile)}
