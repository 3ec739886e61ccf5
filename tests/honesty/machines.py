"""Systems that are soon written down: what wrong and right answers are made with."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert import Mechanism, System, example


def oscillator(m: float = 1.0, k: float = 1.0, x: float = 1.0, **changes: Any) -> System:
    parts = {"kinetic": "m*x'^2/2", "potential": "k*x^2/2", "parameters": {"m": m, "k": k}, "initial": {"x": x}}
    return System(**{"coordinates": "x", **parts, **changes})


def by_matrices(force: str = "-x", **changes: Any) -> System:
    return System(**{"coordinates": "x", "mass": [["1"]], "force": [force], "initial": {"x": 1.0}, **changes})


def gliding(**changes: Any) -> System:
    return System(**{"coordinates": "x", "kinetic": "x'^2/2", "initial": {"x": 0.0, "x'": 1.0}, **changes})


def pendulum(**changes: Any) -> System:
    return example("simple-pendulum").replace(**changes)


def particle(potential: str = "0", force: str = "0", x: float = 0.0, v: float = 1.0) -> System:
    return gliding(potential=potential, forces={"x": force}, initial={"x": x, "x'": v})


def parallel_cranks(count: int) -> Mechanism:
    """Equal cranks on one bar, which lie in one line with it twice in a turn; more than two repeat each other."""
    bar, places = {"mass": 1.3, "inertia": 0.12, "angle": np.pi / 2}, {"abcd"[k]: 0.6 * k for k in range(count)}
    cranks = {name: {**bar, "at": [x, 0.25]} for name, x in places.items()}
    cranks["a"]["spin"] = -3
    lower = {f"g{k}": {"kind": "revolute", "bodies": ["ground", k], "at": [x, 0]} for k, x in places.items()}
    upper = {f"r{k}": {"kind": "revolute", "bodies": [k, "rod"], "at": [x, 0.5]} for k, x in places.items()}
    rod = {"mass": 2.1, "inertia": 0.4, "at": [0.6, 0.5]}
    return Mechanism(bodies={**cranks, "rod": rod}, joints=lower | upper)
