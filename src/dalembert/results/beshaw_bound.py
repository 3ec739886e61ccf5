"""The bound of stabilisation (Beshaw's theorems): what was stated before a motion, and what the motion shows.

Over some steps the residuals y become S y + remainder; with ‖S‖ ≤ δ < 1 they stay below σ = (largest remainder)/(1 − δ)
if they begin there. For positions one step is not enough (‖I + τK‖ > 1 in the usual norm), so it is taken over as many
as make S shrink: two where the gains are chosen and the step is fixed. y is ψ, or (g, θψ) with a time θ, see `keep.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.document import nodes
from dalembert.document.shown import Printed
from dalembert.motion.keep import LEVELS, Stabilisation, contraction

if TYPE_CHECKING:
    from dalembert.results.run import Run

_ROUNDING = 1e-13
_THEOREMS = {"euler": "Theorem 1", "rk4": "Theorem 2"}


@dataclass(frozen=True)
class Bound:
    """What the theorem says of the constraints of one level, and what was seen; all in the same units.

    delta, steps: δ, by which an error shrinks in so many steps. radius: the spectral radius of S.
    start: ‖y‖ at the start. stated: σ as it was stated before the motion; infinite if it was not, for a `reason`.
    sigma: σ with the largest remainder of the motion itself. largest: ‖y‖.
    """

    level: str
    delta: float
    steps: int
    radius: float
    start: float
    stated: float
    sigma: float
    largest: float
    reason: str = ""

    @property
    def limit(self) -> float:
        """σ as it was stated before; else by the motion itself."""
        return self.stated if np.isfinite(self.stated) else self.sigma

    @property
    def held(self) -> bool:
        """Whether the residuals stayed below σ."""
        return self.delta < 1 and self.largest <= self.limit

    def __str__(self) -> str:
        if not self.delta < 1:
            return f"constraints on {self.level}: δ = {self.delta:.3g} {self.over} is not below one; nothing is bounded"
        verb = "held" if self.held else "did not hold"
        said = f"σ = {self.limit:.3g}{' stated before' if np.isfinite(self.stated) else ''}"
        found = f"{said}, largest residual {self.largest:.3g}"
        return f"constraints on {self.level}: δ = {self.delta:.3g} {self.over}, {found}: the bound {verb}"

    __repr__ = __str__

    @property
    def over(self) -> str:
        """Over how many steps, in words."""
        return f"over {self.steps} steps" if self.steps > 1 else "over one step"

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        numbers = {"delta": self.delta, "radius": self.radius, "start": self.start, "stated": self.stated}
        numbers |= {"sigma": self.sigma, "largest": self.largest}
        known = {name: value if np.isfinite(value) else None for name, value in numbers.items()}
        return {"level": self.level, "steps": self.steps, **known, "held": self.held, "reason": self.reason}


@dataclass(frozen=True, repr=False)
class StabilisedResiduals(Printed):
    """How constraints were stabilised, what was stated of their residuals before the motion, and what came out.

    gains: as they are written. once: whether K y is evaluated once per step. words: both, of all parts of a motion.
    off: which constraints did not hold at the start. longest: the longest step that is admissible with these gains.
    """

    method: str
    step: float | None
    gains: str
    once: bool
    words: str
    longest: float
    off: str
    bounds: tuple[Bound, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "gains": self.gains,
            "once_per_step": self.once,
            "longest_step": self.longest if np.isfinite(self.longest) else None,
            "off_at_start": self.off,
            "bounds": [bound.as_dict() for bound in self.bounds],
        }

    def document(self) -> nodes.Section:
        """Show the bounds, and say how they were got."""
        rows = []
        for bound in self.bounds:
            said = nodes.Number(bound.stated, 3) if np.isfinite(bound.stated) else nodes.faint("none")
            after = nodes.Number(bound.sigma, 3) if np.isfinite(bound.sigma) else nodes.faint("none")
            held = nodes.judged("held" if bound.held else "did not hold", bound.held)
            delta = (nodes.Number(bound.delta, 3), f" {bound.over}")
            rows.append((bound.level, delta, said, after, nodes.Number(bound.largest, 3), held))
        head = ("constraints on", "δ", "σ stated before", "σ by its remainders", "largest ‖y‖", "")
        words = f"Gains {self.words}."
        if self.step is None and np.isfinite(self.longest):
            words += f" Steps are held below {self.longest:.3g}, so that errors shrink."
        parts: list[nodes.Block] = [nodes.Paragraph(words)]
        parts += [nodes.Table(rows, head)] if rows else []
        if any(np.isfinite(bound.stated) for bound in self.bounds):
            theorem = _THEOREMS.get(self.method, "the theorem for its stability function")
            parts.append(nodes.Paragraph(
                f"σ was stated before the motion ({theorem}): twice the largest remainder of steps from a trial motion "
                "with projection, and from states that far off the constraints, over 1 − δ. On positions y is (g, θψ).",
                "faint",
            ))  # fmt: skip
        for reason in dict.fromkeys(bound.reason for bound in self.bounds if bound.reason):
            parts.append(nodes.Paragraph(f"No σ was stated before the motion: {reason}.", "faint"))
        return nodes.Section("Stabilisation", parts)


def stabilised(run: Run) -> StabilisedResiduals | None:
    """Return how constraints were stabilised; None if they were not."""
    motion = run.motion
    chosen = motion.stabilisation
    if chosen is None or not chosen.present():
        return None
    longest = chosen.longest(float(motion.times[0]), motion.settings.until)
    step, off = motion.settings.step, motion.ready.state.off
    words = f"{chosen.words}, {'once per step' if chosen.frozen else 'in every stage'}"
    return StabilisedResiduals(
        chosen.method.name, step, chosen.words, chosen.frozen, words, longest, off, tuple(run.bounds)
    )


def bounds(run: Run) -> list[Bound]:
    """Return the bound for constraints on positions and on velocities; none where nothing is stabilised."""
    from dalembert.results.certificate.scales import points

    chosen, motion = run.motion.stabilisation, run.motion
    if chosen is None or len(motion.times) - len(motion.engine.instants) < 3:
        return []
    g, psi = motion.kernels.residuals(*points(run))
    taken = ~np.isin(motion.times, list(motion.engine.instants))  # passing a switch is no step
    g, psi, times = g[taken], psi[taken], motion.times[taken]
    return [_bound(run, chosen, level, times, (g, psi)) for level in chosen.present()]


def _bound(run: Run, chosen: Stabilisation, level: str, times: Array, residuals: tuple[Array, Array]) -> Bound:
    """Bound the residuals of a level by the remainders of the steps that were taken."""
    steps, fixed = np.diff(times), run.motion.settings.step
    if fixed is not None and np.all(np.abs(steps - fixed) < 1e-9 * fixed):
        steps = np.full(len(steps), fixed)  # all the same: so is S
    S = chosen.growth(level, times[:-1], steps)
    y = chosen.residuals(level, *residuals, np.append(steps, steps[-1]))
    if chosen.frozen and level == "position" and np.any(steps != steps[0]):  # the units of y change with the step
        S = np.repeat(S, len(steps), axis=0)
        S[:, 1] *= (np.append(steps[1:], steps[-1]) / steps)[:, None]
    with np.errstate(all="ignore"):
        found = contraction(S)
        left = np.linalg.norm(y[1:] - S @ y[:-1], axis=(1, 2)).max()
        sizes = np.linalg.norm(y, axis=(1, 2))
    start = float(sizes[0]) if sizes[0] > _ROUNDING else 0.0
    sigma = found.bound(float(left), start) + _ROUNDING
    [said] = [one for one in run.motion.forecasts if one.level == level] or [None]
    stated, reason = (said.sigma, said.reason) if said is not None else (float("inf"), "")
    return Bound(
        LEVELS[level], found.delta, found.steps, found.radius, start, stated, float(sigma), float(sizes.max()), reason
    )
