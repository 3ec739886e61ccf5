"""Energy over a long time: RATTLE in compositions of several orders, and methods that drift, in one run.

    python benchmarks/energy.py

Steps are chosen so that the seconds are about equal. The energy error is the largest in the first and in the last tenth
of the motion. `rattle` is the composition of order 8; the others are built here, with the coefficients of Hairer,
Lubich, Wanner, *Geometric Numerical Integration*, V.3.2.
"""

from __future__ import annotations

import numpy as np

from dalembert import example
from dalembert.motion.methods import METHODS
from dalembert.motion.methods.rattle import Rattle

SUZUKI = 1 / (4 - 4 ** (1 / 3))
KAHAN_LI = (0.39216144400731414, 0.33259913678935944, -0.70624617255763936, 0.08221359629355080)
for method in (
    Rattle("rattle, order 2", 2, (), 1.0),
    Rattle("rattle, order 4", 4, (SUZUKI, SUZUKI), 1 - 4 * SUZUKI),
    Rattle("rattle, order 6", 6, KAHAN_LI, 0.79854399093482996),
):
    METHODS[method.name] = method
STEPS = {
    "rattle, order 2": 1 / 13,
    "rattle, order 4": 0.3,
    "rattle, order 6": 0.55,
    "rattle": 1,
    "rk4": 1 / 12,
    "dop853": 0.25,
}
MOTIONS = {"simple-pendulum": (5000.0, 0.05), "double-pendulum": (1000.0, 0.0125), "n-four-bar:2": (1000.0, 0.05)}


def main() -> None:
    """Print the table."""
    print("| motion | method | step | s | energy error, first tenth | last tenth |\n|---|---|---|---|---|---|")
    for model, (until, longest) in MOTIONS.items():
        for method, part in STEPS.items():
            step = longest * part
            settings = {} if method in ("rk4", "dop853") else {"form": "canonical"}
            run = example(model).simulate(until, method=method, step=step, **settings)
            error = np.abs(run.energy - run.energy[0])
            tenth = len(error) // 10
            ended = "" if run.status == "done" else f" ({run.status} at t = {run.t[-1]:.0f})"
            row = [model, method + ended, f"{step:.2g}", f"{run.wall_s:.2f}"]
            print("|", " | ".join([*row, f"{error[:tenth].max():.1e}", f"{error[-tenth:].max():.1e}"]), "|", flush=True)


if __name__ == "__main__":
    main()
