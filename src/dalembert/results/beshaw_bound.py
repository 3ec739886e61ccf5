"""The bound of stabilisation (Beshaw's theorems) along a computed motion.

Over m steps the residuals y become S y + remainder; with ‖S‖ ≤ δ < 1 they stay below σ = (largest remainder)/(1 − δ) if
they begin there. For positions one step is not enough (‖I + τK‖ > 1 in the usual norm), so m is the number of steps
after which S has shrunk: two where the gains are chosen and the step is fixed. y is (g, τψ) with the step τ, or ψ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array

if TYPE_CHECKING:
    from dalembert.results.run import Run

_SHRUNK = 0.5
_MOST = 1000  # steps that are looked at together
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Bound:
    """What the theorem says of the constraints of one level, and what was seen.

    delta, steps: δ, by which an error shrinks in so many steps.
    sigma, largest: the bound σ and the largest residual, in the same units.
    """

    level: str
    delta: float
    steps: int
    sigma: float
    largest: float

    @property
    def held(self) -> bool:
        """Whether the residuals stayed below σ."""
        return self.delta < 1 and self.largest <= self.sigma

    def __str__(self) -> str:
        over = f"over {self.steps} steps" if self.steps > 1 else "over one step"
        if not self.delta < 1:
            return f"constraints on {self.level}: δ = {self.delta:.3g} {over} is not below one; nothing is bounded"
        verb = "held" if self.held else "did not hold"
        found = f"σ = {self.sigma:.3g}, largest residual {self.largest:.3g}"
        return f"constraints on {self.level}: δ = {self.delta:.3g} {over}, {found}: the bound {verb}"

    __repr__ = __str__


def bounds(run: Run) -> list[Bound]:
    """Return the bound for constraints on positions and on velocities; none where nothing is stabilised."""
    from dalembert.results.certificate.scales import points

    chosen = run.motion.stabilisation
    if chosen is None or len(run.motion.times) - len(run.motion.engine.instants) < 3:
        return []
    g, psi = run.motion.kernels.residuals(*points(run))
    taken = ~np.isin(run.motion.times, list(run.motion.engine.instants))  # passing a switch is no step
    g, psi, steps = g[taken], psi[taken], np.diff(run.motion.times[taken])
    after = np.append(steps[1:], steps[-1])
    result = []
    for level in ("position", "velocity"):
        rows = [i for i, other in enumerate(chosen.levels) if other == level]
        if not rows:
            continue
        S = np.array([chosen.growth(level, float(h)) for h in steps])
        y = psi[:, None, rows]
        if level == "position":
            S *= np.moveaxis(np.array([[1 + 0 * steps, 1 / steps], [after, after / steps]]), 2, 0)
            units = np.append(steps, steps[-1])
            y = np.stack([g[:, rows], units[:, None] * psi[:, rows]], axis=1)
        result.append(_bound("positions" if level == "position" else "velocities", S, y))
    return result


def _bound(level: str, S: Array, y: Array) -> Bound:
    """Bound y: times, components, constraints; S of every step."""
    product, count, delta = S, 1, _norm(S)
    while delta > _SHRUNK and count < min(_MOST, len(S)) and np.all(np.isfinite(product)):
        product = S[count:] @ product[:-1]
        count, delta = count + 1, _norm(product)
    sizes = np.linalg.norm(y, axis=(1, 2))
    remainder = np.linalg.norm(y[count:] - product @ y[:-count], axis=(1, 2)).max()
    first = sizes[:count].max()  # before the theorem can say anything
    sigma = max(remainder / (1 - delta), first) + _ROUNDING if delta < 1 else float("inf")
    return Bound(level, delta, count, float(sigma), float(sizes.max()))


def _norm(matrices: Array) -> float:
    return float(np.linalg.norm(matrices, 2, axis=(1, 2)).max())
