"""Random systems with constraints, gains inside or outside what a method admits, and steps: for bounds that must hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert import System
from dalembert.motion.methods import METHODS
from dalembert.motion.stability_region import StabilityRegion

METHOD_NAMES = ("euler", "rk4", "dop853")


def random_system(random: np.random.Generator) -> tuple[System, dict[str, int]]:
    """Return a system, and how many constraints it has on positions and on velocities."""
    n = int(random.integers(3, 6))
    names = [f"q{k}" for k in range(n)]
    number = lambda low=0.2, high=1.0: f"{random.uniform(low, high):.3f}"  # noqa: E731
    kinetic = " + ".join(f"{number(0.5, 2)}*{q}'^2/2" for q in names)
    kinetic += f" + {number(0.05, 0.2)}*cos(q0)*q1'*q2'"
    potential = " + ".join(f"{number()}*{q}^2/2" for q in names) + f" + {number()}*cos(q1)"
    count = int(random.integers(1, 3))
    constraints, levels = {}, {"position": 0, "velocity": 0}
    for k in range(count):
        a, b, c = (names[j] for j in random.permutation(n)[:3])
        drive = random.choice(["0", f"{number(0.1, 0.3)}*sin(t)"])
        if random.random() < 0.5:
            constraints[f"c{k}"] = f"q{k} + {number(0.1, 0.4)}*sin({b}) - {number(0.1, 0.3)}*{c}^2 = {drive}"
            levels["position"] += 1
        else:
            constraints[f"c{k}"] = (
                f"q{k}' + {number(0.1, 0.4)}*sin({a})*{b}' - {number(0.1, 0.3)}*cos({c})*{a}' = {drive}"
            )
            levels["velocity"] += 1
    initial = {f"{q}'": float(random.uniform(-1, 1)) for q in names[count:]}
    initial |= {q: float(random.uniform(-0.7, 0.7)) for q in names[count:]}
    system = System(names, kinetic=kinetic, potential=potential, constraints=constraints, initial=initial)
    return system, levels


def random_matrix(random: np.random.Generator, size: int, draw: Any) -> tuple[Any, list[complex]]:
    """Return a gain as a number, a list or a matrix, with its eigenvalues; `draw()` gives one of them."""
    if (kind := random.integers(0, 3)) == 0:
        value = draw()
        return value, [value]
    values = [draw() for _ in range(size)]
    if kind == 1:
        return values, values
    basis = np.eye(size) + random.uniform(-0.4, 0.4, (size, size))
    return (basis @ np.diag(values) @ np.linalg.inv(basis)).tolist(), values


def random_gains(
    random: np.random.Generator, levels: dict[str, int], method: str, step: float, outside: bool = False
) -> dict[str, Any]:
    """Return gains inside what a method admits, functions of time among them; or outside, of the first level."""
    region = StabilityRegion(METHODS[method])
    gains: dict[str, Any] = {}
    if levels["velocity"]:
        low, high = (1.02, 1.6) if outside else (0.03, 0.95)
        draw = lambda: -float(random.uniform(low, high)) * region.interval / step  # noqa: E731
        gains["kappa"], _ = random_matrix(random, levels["velocity"], draw)
        if not outside and not isinstance(gains["kappa"], list) and random.random() < 0.5:
            gains["kappa"] = f"{gains['kappa']!r}*(0.8 + 0.2*sin(3*t))"
    if levels["position"]:
        while True:
            a, b = random.uniform(0.05, region.interval * (1.5 if outside else 1.0), 2)
            radius = float(region.position_radius(a, b))
            if radius > 1.02 if outside else radius < 0.97:
                break
        gains |= {"alpha": float(a / step), "beta": float(b / step)}
    return gains
