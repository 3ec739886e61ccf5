"""One acceleration with forces that depend on reactions, beside the same system without them, in one run.

    python benchmarks/friction.py

Each system has friction that is linear in its reactions between their signs. "proximal" is the elimination with
refinement on which every motion can fall back, "plain" the one without it that motions mostly take. The ratio is that
of the shortest times of many calls with 256 states each; to reach: at most 2. A bearing, whose law is not linear, is
solved by Newton's steps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from dalembert import Mechanism, System

STATES = 256

BLOCK = System(
    "x y",
    kinetic="m*(x'^2 + y'^2)/2",
    potential="m*g*(x*sin(a) + y*cos(a))",
    forces={"x": "-mu*abs(lambda_floor)*sign(x')"},
    constraints={"floor": "y = 0"},
    parameters={"m": 2, "g": 9.81, "a": 0.35, "mu": 0.2},
    initial={"x": 0, "x'": 3},
)
LADDER = System(
    "x y phi",
    kinetic="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
    potential="m*g*y",
    constraints={"floor": "y = l*sin(phi)", "wall": "x = l*cos(phi)"},
    loads={
        "foot": {"at": ["x + l*cos(phi)", 0], "force": ["-mu*abs(lambda_floor)*sign(x' - l*sin(phi)*phi')", 0]},
        "head": {"at": [0, "y + l*sin(phi)"], "force": [0, "-mu*abs(lambda_wall)*sign(y' + l*cos(phi)*phi')"]},
    },
    parameters={"m": 3, "J": 0.1, "g": 9.81, "l": 0.35, "mu": 0.25},
    initial={"phi": 0.9, "phi'": -0.4},
)


def slider_crank(law: dict[str, str]) -> Mechanism:
    """Return a slider-crank with a law of friction in some of its joints."""
    return Mechanism(
        bodies={
            "crank": {"mass": 1, "inertia": 0.02, "at": [0.1, 0], "points": {"end": [0.1, 0]}},
            "rod": {"mass": 2, "inertia": 0.1, "at": [0.4, 0]},
            "slider": {"mass": 3, "inertia": 0.01, "at": [0.6, 0]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["crank", "rod"], "at": [0.2, 0]},
            "C": {"kind": "revolute", "bodies": ["rod", "slider"], "at": [0.6, 0]},
            "D": {"kind": "prismatic", "bodies": ["ground", "slider"], "at": [0.6, 0], "axis": [1, 0]},
        },
        actuators={f"friction_{joint}": {"joint": joint, action: text} for joint, (action, text) in law.items()},
        parameters={"mu": 0.15, "r": 0.02},
        initial={"A.angle": 0.7, "A.angle'": 10},
    )


SYSTEMS = {
    "block on an incline": BLOCK,
    "ladder, friction at both ends": LADDER,
    "slider-crank, friction in the guide": slider_crank({"D": ("force", "-mu*abs(D.normal)*sign(rate)")}),
    "slider-crank, friction in a bearing": slider_crank({"A": ("torque", "-mu*r*A.force*sign(rate)")}),
}


def best(action: Callable[[], object], seconds: float = 0.5) -> float:
    """Return the shortest time of one call, over many."""
    found, start = math.inf, time.perf_counter()
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        action()
        found = min(found, time.perf_counter() - before)
    return found


def without(system: System) -> System:
    """Return a system without the forces that depend on reactions."""
    if isinstance(system, Mechanism):
        return system.replace(actuators=dict.fromkeys(system.tables["actuators"]))
    return system.replace(forces=dict.fromkeys(system.own.forces), loads=None)


def times(system: System) -> dict[str, float]:
    """Return the time of one acceleration in each way, in seconds."""
    start, kernels = system.start(), system.compile()
    rows = np.repeat(kernels.inputs(start.t, start.q, start.v)[None], STATES, axis=0)
    ways = {"proximal": ("core", "accelerations"), "plain": ("direct", "direct")}
    return {way: best(lambda call=call: kernels.run(*call, rows)) / STATES for way, call in ways.items()}


def main() -> None:
    """Print a table."""
    print(f"{'':38}{'way':10}{'without':>10}{'with':>10}{'ratio':>8}")
    for name, system in SYSTEMS.items():
        smooth, rough = times(without(system)), times(system)
        for way, plain in smooth.items():
            ratio = rough[way] / plain
            print(f"{name:38}{way:10}{plain * 1e9:>7.0f} ns{rough[way] * 1e9:>7.0f} ns{ratio:>8.2f}")
            name = ""


if __name__ == "__main__":
    main()
