"""Systems that are soon written down: what wrong and right answers are made with."""

from __future__ import annotations

from typing import Any

from dalembert import System, example


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
