"""Contacts along a motion: columns by name, what each does at the end, impacts, and curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalembert.arrays import Array
from dalembert.document import nodes
from dalembert.document.symbols import words
from dalembert.errors import ModelError
from dalembert.motion.events import ZENO
from dalembert.motion.impact import IMPACT
from dalembert.motion.touching import CLOSE, OPEN
from dalembert.results.panels import Chart, Curve, PlotSource, chosen

if TYPE_CHECKING:
    from dalembert.results.run import Run

COLUMNS = ("normal", "gap", "status")
RUBBING = ("tangent", "slip", "sticks")  # of those with friction
_SHOWN = 8  # contacts of which curves are drawn unless they are named


def contact_columns(run: Run) -> dict[str, Array]:
    """Return the reaction, the gap and whether it is closed, of every contact, as in `floor.normal`; and friction."""
    contacts = run.system.contacts.items()
    names = [f"{name}.{key}" for name, one in contacts for key in (*COLUMNS, *(RUBBING if one.rubbing else ()))]
    return run.evaluate({name: name for name in names}) if names else {}


def final_contacts(run: Run) -> dict[str, dict[str, float | str | None]]:
    """Return the same at the end, as JSON holds it; the status is a word, None what is not determined."""
    found = contact_columns(run.resampled(run.motion.times[-1:]))
    return {
        name: {
            **{key: _known(found[f"{name}.{key}"][0]) for key in COLUMNS[:-1]},
            **{key: _known(found[f"{name}.{key}"][0]) for key in RUBBING[:-1] if f"{name}.{key}" in found},
            "status": _status(found, name),
        }
        for name in run.system.contacts
    }


def _status(found: dict[str, Array], name: str) -> str:
    """Return the status at the end as a word."""
    if not found[f"{name}.status"][0]:
        return "open"
    if f"{name}.sticks" not in found:
        return "closed"
    return "stick" if found[f"{name}.sticks"][0] else "slide"


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def impulses(run: Run) -> list[dict[str, Any]]:
    """Return the impulses at contacts one by one, as JSON holds them."""
    return [
        {"t": impact.t, "name": name, "normal": size, "tangent": impact.tangent.get(name, 0.0)}
        for impact in run.impacts
        for name, size in impact.normal.items()
        if impact.kind == IMPACT and size != 0.0
    ]


def impacts(run: Run) -> list[dict[str, Any]]:
    """Return the impacts as JSON holds them: impulses in constraints, as multipliers are, and the energy lost."""
    return [
        {
            "t": impact.t,
            "kind": impact.kind,
            "contacts": dict(impact.normal),
            "constraints": dict(impact.constraints),
            "energy_lost": impact.lost,
            "shared": impact.shared,
        }
        for impact in run.impacts
    ]


def accumulated(run: Run) -> list[str]:
    """Say where impacts without number were passed to their limit, and with what error."""
    return [
        f"the impacts of {event.name} are without number before t = {event.t:.12g} (known but for {event.error:.1g}); "
        "the last ones, too short to be told apart, are taken as one"
        for event in run.events
        if event.kind == ZENO and event.name.split()[0] in run.system.contacts
    ]


def contact_table(run: Run) -> list[nodes.Block]:
    """Show each contact with its curve, what it does at the end, how often it closed and opened, and what was lost."""
    names = list(run.system.contacts)
    if not names:
        return []
    values, last, rows = contact_columns(run), final_contacts(run), []
    for name in names[: nodes.ROWS + 1]:
        drawn: nodes.Text = nodes.Sparkline(run.t, values[f"{name}.normal"], name) if len(run.t) > 1 else ""
        counts = [sum(e.name == name and e.kind == kind for e in run.events) for kind in (IMPACT, CLOSE, OPEN)]
        numbers = ["?" if (x := last[name][key]) is None else nodes.Number(float(x)) for key in COLUMNS[:-1]]
        largest = max((impact.normal.get(name, 0.0) for impact in run.impacts), default=0.0)
        rows.append(
            (nodes.Name(name), drawn, *numbers, str(last[name]["status"]), *map(str, counts), nodes.Number(largest))
        )
    head = ("", "", "reaction", "gap", "at the end it is", "impacts", "closed", "opened", "largest impulse")
    parts: list[nodes.Block] = [nodes.Table(rows, head, total=len(names))]
    if run.impacts:
        lost = sum(impact.lost for impact in run.impacts)
        text = ("Energy lost in ", f"{len(run.impacts):,} ", "impacts: ", nodes.Number(lost), ".")
        parts.append(nodes.Paragraph(text))
    if any(impact.shared for impact in run.impacts):
        text = "Contacts that repeat each other share impulses; the velocities are the same with any share."
        parts.append(nodes.Note(text))
    return [nodes.Section("Contacts", [*parts, *map(nodes.Note, accumulated(run))])]


def contacts(source: PlotSource, names: str | Sequence[str] | None) -> Chart:
    """Return the reactions and gaps of contacts, and when they are closed."""
    known = list(source.system.contacts)
    if not known:
        raise ModelError('there is no contact to draw; give some, as in [contacts.floor] gap = "y"')
    wanted = chosen(names, known, "contacts") or known[:_SHOWN]
    values = contact_columns(source.fine)

    count = len(wanted)

    def curves(key: str) -> list[Curve]:
        return [Curve(f"{name}.{key}", words(f"{name}.{key}"), values[f"{name}.{key}"]) for name in wanted]

    panels = [
        source.panel("Reactions", "", curves("normal")),
        source.panel("Where it is closed", "", curves("status"), strip=("closed", "open")),
        source.panel("Gaps", "", curves("gap")),
    ]
    if rubbing := [name for name in wanted if source.system.contacts[name].rubbing]:
        wanted = rubbing
        panels.insert(2, source.panel("Where it sticks", "", curves("sticks"), strip=("sticks", "slides or is open")))
        panels.insert(1, source.panel("Friction", "", curves("tangent")))
    left = () if count == len(known) or names is not None else (f"Shown are {_SHOWN} of {len(known)} contacts.",)
    return Chart("Contacts", tuple(panels), (*left, *source.notes))
