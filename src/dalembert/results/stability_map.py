"""The map of admissible gains of stabilisation: where a method lets residuals shrink, as numbers and as a picture.

On velocities it is the plane of τκ, for eigenvalues of any K; on positions that of ατ and βτ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import choice, positive, switch
from dalembert.arrays import Array
from dalembert.document import nodes
from dalembert.document.palette import DARK, LIGHT, series
from dalembert.document.shown import Printed
from dalembert.errors import ModelError
from dalembert.model.constants import parse_constant
from dalembert.model.settings import read
from dalembert.motion.methods import METHODS
from dalembert.motion.stability_region import StabilityRegion
from dalembert.motion.tableau import Tableau

if TYPE_CHECKING:
    from dalembert.results.plots import Plot

_FINE = 400  # points of an axis
_LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_MARGIN = 1.15


@dataclass(frozen=True, repr=False)
class StabilityMap(Printed):
    """Which gains a method admits. `step` turns τκ into κ; `eigenvalues` of a K, and (α, β), are marked in it.

    >>> stabilisation_map("rk4").interval.__round__(4), stabilisation_map("euler").interval
    (2.7853, 2.0)
    """

    method: Tableau
    step: float | None = None
    eigenvalues: tuple[complex, ...] = ()
    pairs: tuple[tuple[float, float], ...] = ()

    @property
    def region(self) -> StabilityRegion:
        """Where |R| < 1."""
        return StabilityRegion(self.method)

    @property
    def interval(self) -> float:
        """The end of the interval of real gains: −interval < τκ < 0."""
        return self.region.interval

    @property
    def delta(self) -> float | None:
        """The largest |R| of what is marked; None without a step, or if nothing is."""
        if self.step is None or not self.eigenvalues:
            return None
        return float(self.region.radius(self.step * np.array(self.eigenvalues)).max())

    @property
    def longest(self) -> float | None:
        """The longest step with which what is marked is admissible; None if nothing is."""
        return self.region.reach(self.eigenvalues) if self.eigenvalues else None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        best, radius = self.region.best
        return {
            "method": self.method.name,
            "step": self.step,
            "interval": self.interval,
            "best": best,
            "smallest": radius,
            "eigenvalues": [[z.real, z.imag] for z in self.eigenvalues],
            "delta": self.delta,
            "longest_step": self.longest,
            "admissible": None if self.delta is None else self.delta < 1,
        }

    def document(self) -> nodes.Section:
        """Say what is admissible."""
        best, radius = self.region.best
        rows: list[tuple[nodes.Text, ...]] = [
            ("velocities", f"{-self.interval:.5g} < τκ < 0", f"smallest |R| = {radius:.4g} at τκ = {best:.5g}"),
            ("positions, α = β", f"0 < τα < {self.interval:.5g}", ""),
        ]
        if self.step is not None:
            end = self.interval / self.step
            rows.append((f"with τ = {self.step:g}", f"{-end:.5g} < κ < 0, 0 < α = β < {end:.5g}", ""))
        parts: list[nodes.Block] = [nodes.Table(rows, ("constraints on", "admissible", ""))]
        if self.eigenvalues:
            found = ", ".join(f"{z.real:.4g}" if not z.imag else f"{z:.4g}" for z in self.eigenvalues[:8])
            words = f"K has the eigenvalues {found}: steps below {self.longest:.4g} are admissible"
            if self.delta is not None:
                inside = self.delta < 1
                verb = "inside" if inside else "outside: errors grow"
                words += f"; with τ = {self.step:g} δ = {self.delta:.4g}, {verb}"
            parts.append(nodes.Paragraph(f"{words}."))
        parts.append(nodes.Paragraph(
            "Gains are used in every stage of a step. A small |R| alone is no reason to choose them: K of order 1/τ "
            "makes the remainder larger; gains that are left out are used once per step.", "faint",
        ))  # fmt: skip
        return nodes.Section(f"Gains that `{self.method.name}` admits", parts)

    def plot(self, *, dark: bool = False) -> Plot:
        """Draw it as a matplotlib Figure: `stabilisation_map("rk4").plot().savefig("rk4.png")`."""
        from dalembert.results.plots import Plot

        palette = DARK if switch("dark", dark) else LIGHT
        figure = Plot(figsize=(10.5, 4.8), layout="constrained", facecolor=palette["paper"])
        left, right = figure.subplots(1, 2)
        name = self.method.name
        step = "" if self.step is None else f", τ = {self.step:g}"
        figure.suptitle(f"Gains that {name} admits{step}", color=palette["ink"])
        low, wide = self._extent()
        x, y = np.linspace(low, 0.25 * -low, _FINE), np.linspace(-wide, wide, _FINE)
        field = self.region.radius(x[None, :] + 1j * y[:, None])
        drawn = _filled(left, x, y, field, palette)
        left.set(xlabel="Re τκ", ylabel="Im τκ", title="velocities: |R(τκ)| for eigenvalues κ of K")
        a, b = np.linspace(0, -low, _FINE), np.linspace(0, max(wide, -low) * 1.05, _FINE)
        _filled(right, a, b, self.region.position_radius(a[None, :], b[:, None]), palette)
        right.plot(a, a, color=palette["faint"], linewidth=0.8, linestyle="--")
        right.set(xlabel="ατ", ylabel="βτ", title="positions: δ of g̈ = −2α ġ − β² g (dashed: α = β)")
        right.set_xlim(0, a[-1])
        right.set_ylim(0, b[-1])
        if self.step is not None:
            colour = series(palette)[1]
            z = self.step * np.array(self.eigenvalues, dtype=complex)
            left.plot(z.real, z.imag, "o", color=colour, markersize=6)
            pairs = self.step * np.array(self.pairs, dtype=float).reshape(-1, 2)
            right.plot(pairs[:, 0], pairs[:, 1], "o", color=colour, markersize=6)
        bar = figure.colorbar(drawn, ax=[left, right], shrink=0.85)
        bar.set_label("δ", color=palette["ink"])
        bar.ax.tick_params(colors=palette["ink"])
        for axes in (left, right):
            axes.set_facecolor(palette["paper"])
            axes.tick_params(colors=palette["ink"])
            axes.title.set_color(palette["ink"])
            axes.title.set_fontsize(10)
            axes.xaxis.label.set_color(palette["ink"])
            axes.yaxis.label.set_color(palette["ink"])
            for spine in axes.spines.values():
                spine.set_color(palette["faint"])
        return figure

    def _extent(self) -> tuple[float, float]:
        """Return how far the region, and what is marked, goes to the left and up."""
        angles = np.exp(1j * np.linspace(np.pi / 2, np.pi, 37))
        edge = np.array([self.region.reach([z]) for z in angles]) * angles
        marked = (self.step or 0.0) * np.array(self.eigenvalues, dtype=complex)
        low = min(np.real(edge).min(), np.real(marked).min(initial=0.0), -1e-3)
        return _MARGIN * float(low), _MARGIN * float(max(np.imag(edge).max(), np.abs(np.imag(marked)).max(initial=0.0)))


def _filled(axes: Any, x: Array, y: Array, field: Array, palette: Mapping[str, str]) -> Any:
    """Draw |R| where it is below one, and the line where it is one."""
    drawn = axes.contourf(x, y, np.minimum(field, 1.05), levels=_LEVELS, cmap="viridis_r", alpha=0.85)
    axes.contour(x, y, field, levels=[1.0], colors=[palette["ink"]], linewidths=1.4)
    axes.axhline(0, color=palette["faint"], linewidth=0.6)
    axes.axvline(0, color=palette["faint"], linewidth=0.6)
    return drawn


def stabilisation_map(
    method: str | Tableau, step: float | None = None, gains: Mapping[str, Any] | None = None
) -> StabilityMap:
    """Return the map of admissible gains of an explicit method: by its name, or a tableau of your own.

    step: to turn τκ into κ. gains: numbers to be marked in it: kappa, or alpha and beta; lists and matrices too.

    >>> stabilisation_map("rk4", step=0.1, gains={"kappa": -50}).delta.__round__(1)
    13.7
    """
    tableau = method if isinstance(method, Tableau) else METHODS[choice(method, list(METHODS), "method", "methods")]
    if not isinstance(tableau, Tableau):
        good = ", ".join(name for name, one in METHODS.items() if isinstance(one, Tableau))
        raise ModelError(f"the method `{method}` keeps the constraints itself; gains are for {good}")
    step = None if step is None else positive("step", step, most=np.finfo(float).max)
    matrices = {name: _numbers(name, value) for name, value in (read("gains", gains) or {}).items()}
    if len({"alpha", "beta"} & matrices.keys()) == 1:
        raise ModelError("constraints on positions take both gains, `alpha` and `beta`")
    found: list[complex] = []
    if "kappa" in matrices:
        found += np.linalg.eigvals(matrices["kappa"]).astype(complex).tolist()
    pairs: tuple[tuple[float, float], ...] = ()
    if "alpha" in matrices:
        alpha, beta = matrices["alpha"], matrices["beta"]
        if len(alpha) != len(beta):
            raise ModelError(f"`alpha` is of {len(alpha)} constraints, and `beta` of {len(beta)}; give as many")
        zero, one = np.zeros_like(alpha), np.eye(len(alpha))
        K = np.block([[zero, one], [-beta @ beta, -2 * alpha]])
        found += np.linalg.eigvals(K).astype(complex).tolist()
        if not np.any(alpha - np.diag(np.diag(alpha))) and not np.any(beta - np.diag(np.diag(beta))):
            pairs = tuple(zip(np.diag(alpha).tolist(), np.diag(beta).tolist(), strict=True))
    return StabilityMap(tableau, step, tuple(found), pairs)


def _numbers(name: str, value: Any) -> Array:
    """Return a gain as a matrix of numbers."""

    def one(entry: Any) -> float:
        advice = f"the map marks gains that are numbers; `{name}` depends on more, and a motion judges it"
        found = parse_constant(entry, advice) if isinstance(entry, str) else float(entry)
        if found is None or not np.isfinite(found):
            raise ModelError(f"`{name}` must be finite, got {entry}")
        return found

    rows = value if isinstance(value, tuple) else (value,)
    if not any(isinstance(row, tuple) for row in rows):
        return np.diag([one(entry) for entry in rows])
    if any(not isinstance(row, tuple) or len(row) != len(rows) for row in rows):
        raise ModelError(f"`{name}` is a number, a list, or as many rows as columns")
    return np.array([[one(entry) for entry in row] for row in rows])
