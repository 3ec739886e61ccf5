"""One acceleration with forces that depend on reactions, beside the same system without them, in one run.

    python benchmarks/friction.py

Each system has friction that is linear in its reactions between their signs. "proximal" is the elimination with
refinement on which every motion can fall back, "plain" the one without it that motions mostly take. The ratio is that
of the shortest times of many calls with 256 states each; to reach: at most 2. A bearing, whose law is not linear, is
solved by Newton's steps.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from dalembert import Mechanism, System

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.followed.models import BLOCK, LADDER

STATES = 256


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
