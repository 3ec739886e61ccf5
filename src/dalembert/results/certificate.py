"""How well a computed motion satisfies what every motion of the system must satisfy, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.saddle import Saddle
from dalembert.algebra.types import Array, Arrays
from dalembert.forms import multipliers
from dalembert.model.numeric import Numeric

if TYPE_CHECKING:
    from dalembert.results.trajectory import Run

_PLACES = 5  # at which forces and other solutions are compared
_COARSE = 1e-2  # drift of the energy with a fixed step, for which no tolerance was asked
NEARLY = 1e-5  # conditioning below which a position is next to a singular one
_MANY = 50_000  # steps
_ROUNDING = 1e-7  # of the potential energy, or of forces times places: the least that counts as an energy
_GAUSS = np.polynomial.legendre.leggauss(5)


@dataclass(frozen=True)
class Item:
    """One thing that was measured: its value, the limit it must keep (None if it is only reported), and in words."""

    name: str
    value: float
    limit: float | None
    text: str

    @property
    def ok(self) -> bool:
        """Whether the limit is kept."""
        return self.limit is None or self.value <= self.limit


@dataclass(frozen=True)
class Certificate:
    """Everything that was measured, and what is not determined, in words; it prints as a short table."""

    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything keeps its limit."""
        return all(item.ok for item in self.items)

    def __getitem__(self, name: str) -> Item:
        for item in self.items:
            if item.name == name:
                return item
        raise KeyError(f"{name} was not measured; there are {', '.join(item.name for item in self.items)}")

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        items = {item.name: {"value": item.value, "limit": item.limit, "ok": item.ok} for item in self.items}
        return {"pass": self.ok, "items": items, "notes": list(self.notes)}

    def __str__(self) -> str:
        width = max(len(item.text) for item in self.items)
        lines = []
        for item in self.items:
            limit = "" if item.limit is None else f"  limit {item.limit:8.1e}  {'pass' if item.ok else 'FAILS'}"
            lines.append(f"  {item.text:{width}}  {item.value:8.1e}{limit}")
        failed = [item.text for item in self.items if not item.ok]
        verdict = "pass" if not failed else f"not kept: {'; '.join(failed)}"
        return "\n".join([f"Certificate: {verdict}", *lines, *(f"  not determined: {note}" for note in self.notes)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from dalembert.show.motion import certificate_html

        return certificate_html(self)


def certify(run: Run) -> Certificate:
    """Measure residuals, ideality of the reactions, agreement with an independent solution, and the energy balance."""
    items = _residuals(run) + _forces(run)
    for bound in run.bounds:
        over = f"over {bound.steps} steps" if bound.steps > 1 else "over one step"
        text = f"stabilised {bound.level}, within σ (δ = {bound.delta:.2g} {over})"
        items.append(Item(f"stabilised {bound.level}", bound.largest, bound.sigma if bound.delta < 1 else 0.0, text))
    drift = run.drift
    if drift is not None:
        limit = 1e4 * run.rtol if run.step is None else _COARSE
        worst = float(np.abs(drift.values).max(initial=0.0) / drift.scale)
        items.append(Item("energy", worst, limit, "energy balance, in the largest energy"))
    return Certificate(tuple(items), tuple(run.undetermined))


def _residuals(run: Run) -> list[Item]:
    motion = run.motion
    _, q, v, _ = points(run)
    g, psi = motion.kernels.residuals(*points(run))
    items = []
    for name, values, size in (("position", g, np.abs(q)), ("velocity", psi, np.abs(v))):
        level = "positions" if name == "position" else "velocities"
        worst = float(np.abs(values).max(initial=0.0) / (1 + size.max(initial=0.0)))
        limit = max(1e-10, 100 * run.rtol) if run.keep == "project" else None
        items.append(Item(name, worst, limit, f"constraints on {level}"))
    return items


def points(run: Run) -> tuple[Array, Array, Array, Array]:
    """Return t, q, v and the parameters at the steps."""
    motion = run.motion
    v = run._velocities(motion.times, motion.states)
    return motion.times, motion.states[:, : motion.kernels.n], v, motion.parameters_at(motion.times)


def _forces(run: Run) -> list[Item]:
    """Compare with a solution by other means, and let the reactions do virtual work, at a few states."""
    motion = run.motion
    _, q, v, values = points(run)
    values = np.broadcast_to(values, (len(q), values.shape[-1]))
    chosen = np.unique(np.linspace(0, len(q) - 1, _PLACES).astype(int))
    other = motion.states[chosen, motion.kernels.n :]  # v, or p
    found = motion.kernels(motion.times[chosen], q[chosen], other, values[chosen])
    random = np.random.default_rng(0)
    work = difference = 0.0
    core = motion.kernels.accelerations(motion.times[chosen], q[chosen], v[chosen], values[chosen])
    ranks, conditions = np.asarray(core.rank), np.asarray(core.conditioning)
    for k, i in enumerate(chosen):
        if ranks[k] < ranks.max() or (ranks[k] == len(run.system.constraints) and conditions[k] < NEARLY):
            continue  # next to a singular position reactions are not determinate
        numeric = Numeric(run.system, dict(zip(run.system.parameters, values[i], strict=True)))
        at = numeric.all(float(motion.times[i]), q[i], v[i])
        reaction = found.reaction[k]
        direction = Saddle(sp.eye_array(numeric.n), at.A).solve(random.normal(size=numeric.n), 0 * at.c)[0]
        direction *= ranks[k] < numeric.n  # what drives determine has none, but for rounding
        expected = at.M @ multipliers.solve(at)[0] - at.f
        scale = max(np.abs(expected).max(initial=0.0), np.abs(at.f).max(initial=0.0), 1e-300)
        if (size := np.abs(direction).max(initial=0.0)) > 0:
            work = max(work, abs(reaction @ direction) / size / scale)
        difference = max(difference, float(np.abs(reaction - expected).max(initial=0.0) / scale))
    return [
        Item("ideality", float(work), 1e-8, "virtual work of the reactions"),
        Item("agreement", difference, 1e-6, "reactions against a solution by singular values"),
    ]


@dataclass(frozen=True, repr=False)
class Drift(Arrays):
    """E − E₀ − work of forces and of constraints at the steps; E itself, and the largest energy."""

    values: Array
    energy: Array
    scale: float


def energy_drift(run: Run) -> Drift | None:
    """Return how the energy balance holds.

    None without energies, where parameters change on the way, or where work is done in too many steps to add it up.
    """
    if run.system.kinetic is None or run.motion.changes:
        return None
    times = run.motion.times
    found = run.motion.kernels.energies(*points(run))
    moved = np.max(np.abs(found.kinetic) + np.abs(found.potential - found.potential[0]))
    t, q, v, _ = points(run)
    start = run.motion.kernels.accelerations(t[0], q[0], v[0], run.motion.parameters)
    held = np.abs(start.reaction).max(initial=0.0) * (1 + np.abs(q[0]).max(initial=0.0))  # for what stands still
    scale = float(max(moved, _ROUNDING * np.max(np.abs(found.potential)), _ROUNDING * held)) or 1.0
    power = found.forces + found.time + found.constraints.sum(axis=-1)
    work = np.zeros(len(times))
    most = np.abs(power).max(initial=0.0) * (times[-1] - times[0])
    if most > 1e-14 * scale:
        if len(times) > _MANY and most > 1e-6 * scale:
            return None
        work[1:] = np.cumsum(_work(run) if len(times) <= _MANY else np.diff(times) * (power[1:] + power[:-1]) / 2)
    work[1:] += np.cumsum(_jumps(run))
    return Drift(found.energy - found.energy[0] - work, found.energy, scale)


def _work(run: Run) -> Array:
    """Return the work in each step, by Gauss's quadrature of the power inside it."""
    motion = run.motion
    times, n = motion.times, motion.kernels.n
    thetas, weights = (_GAUSS[0] + 1) / 2, _GAUSS[1] / 2
    h = np.diff(times)
    inside = np.array([motion.between(k, thetas) for k in range(len(h))])
    t = times[:-1, None] + h[:, None] * thetas
    flat = inside.reshape(-1, 2 * n)
    v = run._velocities(t.ravel(), flat)
    found = motion.kernels.energies(t.ravel(), flat[:, :n], v, motion.parameters)
    power = (found.forces + found.time + found.constraints.sum(axis=-1)).reshape(len(h), -1)
    return h * (power @ weights)


def _jumps(run: Run) -> Array:
    """Return what energies that jump in time, as over a kerb, gain in each step: the power of a jump is never met.

    It is what −L gains at a fixed state beyond the power −∂L/∂t of explicit time, of which quadrature sees all else.
    """
    times, q, v = (part[:-1] for part in points(run)[:3])
    values = run.motion.parameters
    energies, h = run.motion.kernels.energies, np.diff(run.motion.times)

    def lagrangian(t: Array) -> Array:
        found = energies(t, q, v, values)
        return found.kinetic - found.potential

    gains = lagrangian(times) - lagrangian(times + h)
    if not gains.any():  # no time in the energies
        return gains
    for node, weight in zip((_GAUSS[0] + 1) / 2, _GAUSS[1] / 2, strict=True):
        gains -= weight * h * energies(times + node * h, q, v, values).time
    return gains
