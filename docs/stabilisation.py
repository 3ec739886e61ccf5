"""Draw Beshaw's figure again into docs/stabilisation.png: several K and steps, the bounds stated before, and the trap.

The map of the gains that RK4 admits goes into docs/stabilisation-map.png.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

from dalembert import example, stabilisation_map

STEP = 0.1
STEPS = (0.2, 0.1, 0.05, 0.025, 0.0125)
WAYS = {
    "none": {"keep": "none"},
    "κ = −5, in every stage": {"keep": "stabilise", "gains": {"kappa": -5.0}},
    "κ = −1.596/τ (smallest ‖S‖ of RK4)": {"keep": "stabilise", "gains": {"kappa": -1.5961 / STEP}},
    "κ = −1/τ, once per step (chosen)": {"keep": "stabilise"},
}
MORE = {
    "K = [[−5, 3], [−3, −5]]": {"keep": "stabilise", "gains": {"kappa": [[-5, 3], [-3, -5]]}},
    "κ = −5 (1 + sin(2t)/2)": {"keep": "stabilise", "gains": {"kappa": "-5*(1 + sin(2*t)/2)"}},
}


def largest_residuals(method: str, step: float = STEP) -> dict[str, float]:
    """Return the largest ‖ψ‖ over six seconds for every way."""
    disk = example("upright-disk")
    runs = {name: disk.simulate(6.0, method=method, step=step, **settings) for name, settings in WAYS.items()}
    return {name: float(np.linalg.norm(run.residuals[1], axis=1).max()) for name, run in runs.items()}


def _scaled(name: str, settings: dict, step: float) -> dict:
    """Return the same way with another step: gains that were chosen by the step follow it."""
    return settings | {"gains": {"kappa": -1.5961 / step}} if "1.596" in name else settings


def main() -> None:
    """Draw the deviation of x and the residual over time, and the largest residual over the step, for both methods."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    disk = example("upright-disk")
    figure, axes = plt.subplots(2, 3, figsize=(13, 7.2), layout="constrained")
    for row, method in zip(axes, ("euler", "rk4"), strict=True):
        title = "Euler" if method == "euler" else "RK4"
        for k, (name, settings) in enumerate({**WAYS, **MORE}.items()):
            colour = f"C{k}"
            run = disk.simulate(6.0, method=method, step=STEP, **settings)
            exact = np.sqrt(3) - 2 * np.cos(np.pi / 6 + run.t)
            residual = np.linalg.norm(run.residuals[1], axis=1)
            row[0].semilogy(run.t[1:], np.abs(run["x"] - exact)[1:] + 1e-17, color=colour, label=name)
            row[1].semilogy(run.t[1:], residual[1:] + 1e-17, color=colour)
            for bound in run.bounds:
                row[1].axhline(bound.stated, color=colour, linestyle=":", linewidth=1)
            found, stated = [], []
            for step in STEPS:
                other = disk.simulate(6.0, method=method, step=step, **_scaled(name, settings, step))
                found.append(np.linalg.norm(other.residuals[1], axis=1).max())
                stated += [bound.stated for bound in other.bounds]
            row[2].loglog(STEPS, found, "o-", color=colour, markersize=3.5)
            if stated:
                row[2].loglog(STEPS, stated, ":", color=colour, linewidth=1)
        row[0].set(title=f"{title}, τ = {STEP}: deviation of x", xlabel="t")
        row[1].set(title=f"{title}, τ = {STEP}: ‖ψ‖; dotted: σ stated before", xlabel="t")
        row[2].set(title=f"{title}: largest ‖ψ‖ over τ; dotted: σ", xlabel="τ")
        row[2].set_xticks(STEPS, map(str, STEPS), minor=False)
        row[2].minorticks_off()
        for axis in row:
            axis.grid(True, alpha=0.3)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=9)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=100)
    picture = stabilisation_map("rk4", step=STEP, gains={"kappa": [[-5, 3], [-3, -5]]}).plot()
    picture.savefig(Path(__file__).with_name("stabilisation-map.png"), dpi=100)


if __name__ == "__main__":
    main()
