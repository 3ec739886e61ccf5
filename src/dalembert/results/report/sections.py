"""The sections of a report: what the model, its equations and its motion show of themselves, and more."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dalembert.document import nodes
from dalembert.errors import ModelError
from dalembert.language.state_names import as_written, is_integral
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.mechanism_document import tables
from dalembert.model.system_document import contacts, coordinates, energies, values
from dalembert.results.contact_columns import contact_table
from dalembert.results.measured import column_extremes
from dalembert.results.overview import alarms, choices, events, how, outputs, stabilised

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.results.certificate import Certificate
    from dalembert.results.panels import PlotSource
    from dalembert.results.run import Run
    from dalembert.survey.outcome import Check

_LINES = 150  # of a model that is printed
_VALUES = 60  # rows of a table of values
_ERRORS = "Error of each coordinate, as a second, more accurate motion shows it:"


def model(system: System) -> nodes.Section:
    """Describe the model as it was written, and give it as a file."""
    system = system.written  # without the modes of what sticks and touches
    made = tables(system) if isinstance(system, Mechanism) else [coordinates(system)]
    parts = [*made, nodes.Section("Energies and forces", energies(system)), *contacts(system), *values(system)]
    text, name = str(system), file_name(system)
    address = base64.b64encode(text.encode()).decode()
    link = f'<p class="aside"><a download="{name}" href="data:application/toml;base64,{address}">save as {name}</a></p>'
    fold = "paper" if text.count("\n") <= _LINES else "closed"
    file = nodes.Section("The model as a file", [nodes.Figure(link), nodes.Code(text)], fold=fold)
    return nodes.Section("Model", [*parts, file], key="model")


def file_name(system: System) -> str:
    """Return a name for the model's file, from its title."""
    plain = re.sub(r"[^a-z0-9]+", "-", system.name.lower()).strip("-")[:40].rstrip("-")
    return f"{plain or 'model'}.toml"


def check(found: Check) -> nodes.Section:
    """Say what the check of the model found."""
    shown = found.document()
    nothing = [] if found.problems else [nodes.Paragraph("Nothing is in the way, and there is nothing to note.")]
    said = [part for part in shown.parts if not isinstance(part, nodes.Section)]  # integrals stand with the equations
    return replace(shown, title="Check", parts=[*nothing, *said], key="check")


def motion(source: PlotSource) -> nodes.Section:
    """Say how the motion was computed and what came out."""
    run, fine, rows = source.run, source.fine, []
    n, count = len(source.system.coordinates), source.system.mechanical
    shown = [*range(count), *range(n, 2 * n)][:_VALUES]
    extremes = dict(zip(shown, column_extremes(run, shown), strict=True))
    for order, (suffix, numbers) in enumerate((("", fine.q), ("'", fine.v))):
        for k, name in enumerate(source.system.coordinates):
            if is_integral(name) and not order:
                continue
            column = numbers[:, k]
            ends = extremes.get(order * n + k) or (np.min(column), np.max(column))
            four = [nodes.Number(float(x)) for x in (column[0], column[-1], *ends)]
            rows.append((nodes.Name(as_written(name + suffix)), *four, source.quantities[name].units(order)))
    table = nodes.Table(rows, ("", "at the start", "at the end", "smallest", "largest", ""), most=_VALUES)
    fold = nodes.Section("Values at the start and at the end", [table], fold="closed")
    notes = [note for note in source.notes if not note.startswith("The motion")]
    said = [*alarms(run), how(run), *choices(run), *stabilised(run), *events(run), *outputs(run), *contact_table(run)]
    return nodes.Section("Motion", [*said, fold, nodes.Listing(notes, tone="faint")], key="motion")


def animation(run: Run) -> nodes.Section:
    """Show the motion; say what to do if nothing is known of how the system looks."""
    try:
        part: nodes.Block = nodes.Figure(run.animate().fragment(), "An animation.")
    except ModelError as error:
        part = nodes.Paragraph(f"{error}.", "faint")
    return nodes.Section("Animation", [part], key="animation")


def certificate(found: Certificate) -> nodes.Section:
    """Show what was measured, and the error of each coordinate."""
    shown = found.document()
    errors = [(nodes.Name(name), nodes.Number(error, 2)) for name, error in found.errors.items()]
    more = [nodes.Paragraph(_ERRORS), nodes.Table(errors, ("coordinate", "largest error"))] if errors else []
    return replace(shown, parts=[*shown.parts, *more])
