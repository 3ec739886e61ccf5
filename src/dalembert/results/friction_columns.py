"""Friction along a motion: columns by name, what it does at the end, and its curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.arrays import Array
from dalembert.document import nodes
from dalembert.document.symbols import words
from dalembert.errors import ModelError
from dalembert.results.panels import Chart, Curve, PlotSource, chosen

if TYPE_CHECKING:
    from dalembert.results.run import Run

ASKED = ("normal", "tangent", "slip", "status")
_SHOWN = 8  # frictions of which curves are drawn unless they are named


def friction_columns(run: Run) -> dict[str, Array]:
    """Return load, force, sliding velocity and whether it sticks, of every friction, as in `guide.normal`."""
    names = [f"{name}.{key}" for name in run.system.frictions for key in ASKED]
    return run.evaluate({name: name for name in names}) if names else {}


def final_friction(run: Run) -> dict[str, dict[str, float | str]]:
    """Return the same at the end, as JSON holds it; the status is a word."""
    found = friction_columns(run.resampled(run.motion.times[-1:]))
    return {
        name: {
            **{key: float(found[f"{name}.{key}"][0]) for key in ASKED[:-1]},
            "status": "stick" if found[f"{name}.status"][0] else "slide",
        }
        for name in run.system.frictions
    }


def friction_table(run: Run) -> list[nodes.Block]:
    """Show each friction with its curve, what it does at the end, and how often it stuck and slipped."""
    names = list(run.system.frictions)
    if not names:
        return []
    values, last, rows = friction_columns(run), final_friction(run), []
    for name in names[: nodes.ROWS + 1]:
        drawn: nodes.Text = nodes.Sparkline(run.t, values[f"{name}.tangent"], name) if len(run.t) > 1 else ""
        counts = [sum(e.name == name and e.kind == kind for e in run.events) for kind in ("stick", "slip")]
        status = "sticks" if last[name]["status"] == "stick" else "slides"
        numbers = [nodes.Number(float(last[name][key])) for key in ASKED[:-1]]
        rows.append((nodes.Name(name), drawn, numbers[1], numbers[0], numbers[2], status, *map(str, counts)))
    head = ("", "", "force", "load", "sliding velocity", "at the end it", "came to stick", "slipped")
    return [nodes.Section("Friction", [nodes.Table(rows, head, total=len(names))])]


def friction(source: PlotSource, names: str | Sequence[str] | None) -> Chart:
    """Return the forces and loads of friction, its sliding velocities, and when it sticks."""
    known = list(source.system.frictions)
    if not known:
        raise ModelError('there is no friction to draw; give some, as in [friction.f] joint = "D", coefficient = 0.1')
    wanted = chosen(names, known, "friction") or known[:_SHOWN]
    values = friction_columns(source.fine)

    def curves(key: str) -> list[Curve]:
        return [Curve(f"{name}.{key}", words(f"{name}.{key}"), values[f"{name}.{key}"]) for name in wanted]

    unit = "N" if source.run._is_mechanism else ""
    speed = "m/s" if source.run._is_mechanism else ""
    panels = [
        source.panel("Forces along what slides", unit, curves("tangent")),
        source.panel("Where it sticks", "", curves("status"), strip=("sticks", "slides")),
        source.panel("Loads", unit, curves("normal")),
        source.panel("Sliding velocities", speed, curves("slip")),
    ]
    left = () if len(wanted) == len(known) or names is not None else (f"Shown are {_SHOWN} of {len(known)} frictions.",)
    return Chart("Friction", tuple(panels), (*left, *source.notes))
