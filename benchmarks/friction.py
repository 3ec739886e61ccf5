"""One acceleration with forces that depend on reactions, beside the same system without them, in one run; and peers.

    python benchmarks/friction.py               writes results/friction.md
    python benchmarks/friction.py --quick       accelerations only, nothing is written

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


def costs() -> str:
    """Return what accelerations cost, as a table."""
    lines = ["| system | way | without, ns | with, ns | ratio |", "|---|---|---|---|---|"]
    for name, system in SYSTEMS.items():
        smooth, rough = times(without(system)), times(system)
        for way, plain in smooth.items():
            with_, plain = rough[way] * 1e9, plain * 1e9
            lines.append(f"| {name} | {way} | {plain:.0f} | {with_:.0f} | {with_ / plain:.2f} |")
    return "\n".join(lines)


def belt() -> str:
    """Return the times and errors of the block on a belt, as a table."""
    from peers.belt import runs

    lines = ["| code | setting | seconds | error of the period |", "|---|---|---|---|"]
    for run in runs():
        code, setting, seconds, error = run()
        lines.append(f"| {code} | {setting} | {seconds:.2g} | {error:.1e} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


TEXT = """# Friction

`python benchmarks/friction.py`, with versions {versions}.

## What an acceleration costs

The shortest time of many calls with {states} states each, with forces that depend on reactions and without them;
"proximal" is the elimination with refinement on which every motion can fall back, "plain" the one that motions mostly
take. Asked of laws that are linear between signs: at most 2. That of the bearing is not, and takes Newton's steps.

{costs}

## The block on a belt, 100 periods

Its friction falls with the speed, 1/(1 + 3|v|). dalembert sticks and slips exactly. The peers have no such law: the
size of the friction is set before every step, from Python, which takes part of their time. MuJoCo's friction is a soft
constraint, as stiff as the step allows, Exudyn's is rounded off over a small velocity, the zone.

{belt}
"""


def main() -> None:
    """Print the tables, and write them down."""
    table = costs()
    print(table)
    if "--quick" in sys.argv:
        return
    import exudyn
    import mujoco

    versions = f"MuJoCo {mujoco.__version__}, Exudyn {exudyn.__version__}"
    text = TEXT.format(versions=versions, states=STATES, costs=table, belt=belt())
    (Path(__file__).parent / "results" / "friction.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
