"""Draw Beshaw's figure again into docs/stabilisation.png: with and without stabilisation, and the trap beside it."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

from dalembert import example

STEP = 0.1
WAYS = {
    "none": {"keep": "none"},
    "κ = −5, in every stage": {"keep": "stabilise", "gains": {"kappa": -5.0}},
    "κ = −1.596/τ (smallest ‖S‖ of RK4)": {"keep": "stabilise", "gains": {"kappa": -1.5961 / STEP}},
    "κ = −1/τ, once per step (chosen)": {"keep": "stabilise"},
}


def largest_residuals(method: str, step: float = STEP) -> dict[str, float]:
    """Return the largest ‖ψ‖ over six seconds for every way."""
    disk = example("upright-disk")
    runs = {name: disk.simulate(6.0, method=method, step=step, **settings) for name, settings in WAYS.items()}
    return {name: float(np.linalg.norm(run.residuals[1], axis=1).max()) for name, run in runs.items()}


def main() -> None:
    """Draw the deviation of x and the residual of the constraints, for Euler and RK4."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    disk = example("upright-disk")
    figure, axes = plt.subplots(2, 2, figsize=(10, 6.5), sharex=True)
    for column, method in enumerate(("euler", "rk4")):
        for name, settings in WAYS.items():
            run = disk.simulate(6.0, method=method, step=STEP, **settings)
            exact = np.sqrt(3) - 2 * np.cos(np.pi / 6 + run.t)
            residual = np.linalg.norm(run.residuals[1], axis=1)
            axes[0, column].semilogy(run.t[1:], np.abs(run["x"] - exact)[1:] + 1e-17, label=name)
            axes[1, column].semilogy(run.t[1:], residual[1:] + 1e-17, label=name)
        axes[0, column].set_title(f"{'Euler' if method == 'euler' else 'RK4'}, τ = {STEP}")
        axes[0, column].set_ylabel("deviation of x")
        axes[1, column].set_ylabel("‖ψ‖")
        axes[1, column].set_xlabel("t")
        for axis in axes[:, column]:
            axis.grid(True, alpha=0.3)
    axes[1, 1].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
