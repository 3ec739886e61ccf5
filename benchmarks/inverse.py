"""Inverse dynamics along a path: an arm of seven joints and a closed loop, 1,000 points in one call.

    pip install -e ".[bench]" pin
    python benchmarks/inverse.py [--points N]

The arm is spatial, its joints turn about changing axes, each link has an inertia of its own. Beside it, where it is
installed: `rnea` of Pinocchio, called for one point after the other. The torques are compared. The closed loop is a
five-bar linkage with motors at both ends, whose joint forces are in the same answer.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import time
from collections.abc import Callable

import numpy as np

from dalembert import Mechanism

AXES = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]
STEP = np.array([0.05, 0.02, 0.3])  # from one joint to the next
CENTRE = np.array([0.01, -0.02, 0.15])
G = 9.81


def mass(k: int) -> float:
    """Return the mass of a link."""
    return 4.0 - 0.4 * k


def inertia(k: int) -> list[float]:
    """Return its principal inertia."""
    return [0.05 - 0.004 * k, 0.06 - 0.005 * k, 0.02 - 0.001 * k]


def arm() -> Mechanism:
    """Return the arm, with a motor in every joint."""
    bodies, joints, at = {}, {}, np.zeros(3)
    for k, axis in enumerate(AXES):
        bodies[f"b{k}"] = {"mass": mass(k), "inertia": inertia(k), "at": (at + CENTRE).tolist()}
        before = "ground" if k == 0 else f"b{k - 1}"
        joints[f"j{k}"] = {"kind": "revolute", "bodies": [before, f"b{k}"], "at": at.tolist(), "axis": list(axis)}
        at = at + STEP
    motors = {f"u{k}": {"joint": f"j{k}"} for k in range(len(AXES))}
    return Mechanism(bodies=bodies, joints=joints, dimensions=3, by="joints", controls=motors, gravity=[0, 0, -G])


def five_bar() -> Mechanism:
    """Return the linkage, with motors at both ends."""
    places = {"a": [-0.1, 0.2], "b": [0.1, 0.5], "c": [0.4, 0.5], "d": [0.6, 0.2]}
    bodies = {name: {"mass": 1, "inertia": 0.02, "at": at} for name, at in places.items()}
    ends = ("ground", "a", "b", "c", "d", "ground")
    at = [[0, 0], [-0.1, 0.4], [0.25, 0.6], [0.6, 0.4], [0.5, 0]]
    joints = {f"j{k}": {"kind": "revolute", "bodies": list(ends[k : k + 2]), "at": place} for k, place in enumerate(at)}
    joints["j4"]["bodies"] = ["ground", "d"]
    motors = {"left": {"joint": "j0"}, "right": {"joint": "j4"}}
    paths = {"p": "j0.angle = 0.2*sin(2*t)", "q": "j4.angle = 0.1*sin(3*t)"}
    return Mechanism(bodies=bodies, joints=joints, by="joints", controls=motors, programme=paths)


def path(count: int) -> dict[str, np.ndarray]:
    """Return a path of the arm."""
    t = np.linspace(0, 2, count)
    rate, phase = 0.7 + 0.2 * np.arange(7), 0.3 * np.arange(7)
    wave = np.multiply.outer(t, rate) + phase
    return {"t": t, "q": 0.8 * np.sin(wave), "v": 0.8 * rate * np.cos(wave), "a": -0.8 * rate**2 * np.sin(wave)}


def best(action: Callable[[], object], seconds: float = 1.0) -> float:
    """Return the shortest time of one call, over many."""
    found, start = math.inf, time.perf_counter()
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        action()
        found = min(found, time.perf_counter() - before)
    return found


def pinocchio(motion: dict[str, np.ndarray]) -> tuple[Callable[[], np.ndarray], float]:
    """Return what computes the torques with Pinocchio, and how long it takes."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    model, parent = pin.Model(), 0
    for k, axis in enumerate(AXES):
        placement = pin.SE3(np.eye(3), STEP if k else np.zeros(3))
        joint = pin.JointModelRevoluteUnaligned(np.array(axis, dtype=float))
        parent = model.addJoint(parent, joint, placement, f"j{k}")
        model.appendBodyToJoint(parent, pin.Inertia(mass(k), CENTRE, np.diag(inertia(k))), pin.SE3.Identity())
    model.gravity.linear = np.array([0, 0, -G])
    data = model.createData()
    rows = list(zip(motion["q"], motion["v"], motion["a"], strict=True))

    def torques() -> np.ndarray:
        return np.array([pin.rnea(model, data, q, v, a).copy() for q, v, a in rows])

    return torques, best(torques)


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--points", type=int, default=1000)
    count = asked.parse_args().points
    system, motion = arm(), path(count)
    before = time.perf_counter()
    found = system.inverse(motion)
    first = time.perf_counter() - before
    seconds = best(lambda: system.inverse(motion))
    print(f"arm of 7: {seconds / count * 1e6:.1f} µs per point ({first:.2f} s with building)")
    if importlib.util.find_spec("pinocchio"):
        torques, other = pinocchio(motion)
        ours = np.array([found[name] for name in found.values]).T
        off = np.abs(ours - torques()).max() / np.abs(ours).max()
        print(f"Pinocchio's rnea: {other / count * 1e6:.1f} µs per point; torques differ by {off:.1e} of the largest")
    loop = five_bar()
    run = loop.simulate(2, samples=count - 1)
    seconds = best(lambda: loop.inverse(run))
    off = max(float(np.abs(loop.inverse(run)[name] - run[name]).max()) for name in ("left", "right"))
    print(
        f"five-bar: {seconds / count * 1e6:.1f} µs per point; torques differ by {off:.1e} N m from those of the motion"
    )


if __name__ == "__main__":
    main()
