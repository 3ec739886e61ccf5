"""What is drawn of a motion: curves with their names and units, in panels; shared by plots and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.document.symbol_parts import Symbol
from dalembert.document.symbols import Label, joined, symbol, words
from dalembert.errors import ModelError, nearest
from dalembert.results.certificate.equations import NEARLY
from dalembert.results.quantities import PhysicalQuantity, quantities, time_unit

if TYPE_CHECKING:
    from dalembert.results.run import Run

MOST = 8  # curves in a panel
PANELS = 6  # panels of one kind
_SMOOTH = 600  # times, at least, between which curves look smooth
_NOTES = 3  # on what is not determined
_MANY = 3000  # times that are drawn


TIME = symbol("t")


@dataclass(frozen=True)
class Curve:
    """One curve: its name in the model, its label, its values."""

    name: str
    label: Label
    values: Array


@dataclass(frozen=True)
class Panel:
    """Curves over one axis. left_out: how many more there would be, in words; empty if all are there.

    strip: what the values 1 and 0 mean; then each curve is drawn as a strip which has its colour where it is 1.
    """

    title: Label
    unit: str
    x: Array
    curves: tuple[Curve, ...]
    x_label: Label = TIME
    x_unit: str = ""
    y_label: Label | None = None
    logarithmic: bool = False
    left_out: str = ""
    strip: tuple[str, str] | None = None


@dataclass(frozen=True)
class Chart:
    """Panels that belong together, and what must be said of them."""

    title: str
    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()


class PlotSource:
    """The motion at times between which curves look smooth, and what is asked of it."""

    def __init__(self, run: Run):
        self.run, self.system = run, run.system
        self.steps = run.motion.times
        self.every = -(-len(self.steps) // _MANY)
        drawn = np.unique(np.append(self.steps[:: self.every], self.steps[-1]))
        self.fine = run.resampled(_between(drawn))
        self.t = self.fine.t
        self.quantities = quantities(self.system)
        self.second = time_unit(self.system)

    @property
    def notes(self) -> tuple[str, ...]:
        """Say it if not everything is drawn, or if the motion is not complete."""
        found = []
        if self.run.message:
            found.append(f"The motion {'fails' if self.run.status == 'failed' else 'was stopped'}: {self.run.message}.")
        if self.every > 1:
            found.append(f"Drawn is every {self.every}th of {len(self.steps)} steps.")
        return tuple(found)

    @cached_property
    def determined(self) -> Array:
        """Whether reactions are determinate, at each time: not next to singular positions, where A loses rank."""
        solution = self.fine._solution
        rank, conditioning = solution.rank, solution.conditioning
        full = rank == len(self.system.constraints)
        return (rank == rank.max(initial=0)) & ~(full & (conditioning < NEARLY))

    def reacting(self, values: Array) -> Array:
        """Leave gaps in reactions next to singular positions."""
        mask = self.determined.reshape(-1, *[1] * (values.ndim - 1))
        return values if np.all(mask) else np.where(mask, values, np.nan)

    def panel(self, title: Label | str, unit: str, curves: Iterable[Curve], **more: Any) -> Panel:
        """Make a panel over time."""
        title = words(title) if isinstance(title, str) else title
        return Panel(title, unit, more.pop("x", self.t), tuple(curves), x_unit=self.second, **more)

    def at_steps(self, values: Array) -> Array:
        """Return values at the steps, of several drawn as one the largest: what is looked for are the largest ones."""
        values = np.abs(values)
        return np.maximum.reduceat(values, np.arange(0, len(values), self.every)) if self.every > 1 else values

    @property
    def step_times(self) -> Array:
        """The times that belong to `at_steps`."""
        return self.steps[:: self.every]


def _between(steps: Array) -> Array:
    """Return the times of steps and others between them, so that curves look smooth."""
    h = np.diff(steps)
    if not h.size or steps[-1] == steps[0]:
        return steps
    spacing = (steps[-1] - steps[0]) / min(max(_SMOOTH, 4 * len(steps)), _MANY)
    parts = np.maximum(np.ceil(h / spacing), 1).astype(int)
    first = np.repeat(np.cumsum(parts) - parts, parts)
    fractions = (np.arange(parts.sum()) - first) / np.repeat(parts, parts)
    return np.append(np.repeat(steps[:-1], parts) + fractions * np.repeat(h, parts), steps[-1])


def chart(run: Run, what: str = "coordinates", names: str | Sequence[str] | None = None) -> Chart:
    """Return what is drawn of a motion.

    what: coordinates, velocities, accelerations, phase, momenta, reactions, multipliers, energy, residuals, joints.
    """
    from dalembert.results.charts import KINDS

    if not isinstance(what, str) or what not in KINDS:
        raise ModelError(f"nothing is drawn by the name {str(what)[:60]!r}; {nearest(str(what), list(KINDS), 'kinds')}")
    return KINDS[what](PlotSource(run), names)


# --- what is chosen ---------------------------------------------------------------------------------------------------


def chosen(names: str | Sequence[str] | None, known: Sequence[str], what: str) -> list[str] | None:
    """Read names, given as a list or in one text; None if all are meant."""
    if names is None:
        return None
    if isinstance(names, str):
        names = [names] if names in known else names.replace(",", " ").split()
    try:
        found = list(dict.fromkeys(str(name) for name in names))
    except TypeError:
        raise ModelError(f"names are a text or a list of texts, got {str(names)[:60]!r}") from None
    unknown = [name for name in found if name not in known]
    if unknown:
        every = f"{what[:-1]}ies" if what.endswith("y") else "momenta" if what == "momentum" else f"{what}s"
        raise ModelError(f"no {what} `{unknown[0][:60]}`; {nearest(unknown[0], known, every)}")
    if not found:
        raise ModelError(f"name at least one {what}, or leave `names` out for all of them")
    return found


def busiest(curves: Sequence[Curve], most: int = MOST) -> tuple[list[Curve], str]:
    """Take the curves that vary most, in their order; say how many are left out."""
    if len(curves) <= most:
        return list(curves), ""
    spans = [span(curve.values) for curve in curves]
    best = sorted(sorted(range(len(curves)), key=lambda i: -spans[i])[:most])
    return [curves[i] for i in best], f"the {most} of {len(curves)} that vary most"


def span(values: Array) -> float:
    """Return how far values are apart, those that there are."""
    known = values[np.isfinite(values)]
    return float(np.ptp(known)) if known.size else 0.0


def by_quantity(
    source: PlotSource, curves: Sequence[Curve], kinds: Sequence[PhysicalQuantity], order: int, everything: bool
) -> list[Panel]:
    """Put curves of one kind into one panel; if they are too many, those of one letter, and of these the busiest."""
    groups: dict[PhysicalQuantity, list[Curve]] = {}
    for curve, kind in zip(curves, kinds, strict=True):
        groups.setdefault(kind, []).append(curve)
    panels = []
    for kind, group in groups.items():
        unit = kind.units(order)
        for part in _by_letter(group) if len(group) > MOST else [group]:
            shown, left_out = (part, "") if everything else busiest(part)
            title = words(kind.titles[order])
            if len(part) < len(group):
                title = joined(f"{kind.titles[order]} ", symbol(Symbol.read(part[0].name).letter + "'" * order))
            panels.append(source.panel(title, unit, shown, left_out=left_out))
    return panels


def _by_letter(curves: Sequence[Curve]) -> list[list[Curve]]:
    groups: dict[str, list[Curve]] = {}
    for curve in curves:
        groups.setdefault(Symbol.read(curve.name).letter, []).append(curve)
    return list(groups.values())


def undetermined(source: PlotSource) -> tuple[str, ...]:
    """Say which reactions are not determined, and where."""
    found = source.run.undetermined
    notes = [f"Not determined: {note}." for note in found[:_NOTES]]
    notes += [f"Not determined is more of this kind: {len(found) - _NOTES} notes."] * (len(found) > _NOTES)
    if not np.all(source.determined):
        notes.append("Next to singular positions, where constraints become dependent, reactions are left out.")
    return tuple(notes)


Maker = Callable[[PlotSource, Any], Chart]
