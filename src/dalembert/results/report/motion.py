"""The section on the motion: how it was computed, whether it went through, what was met, and where it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.characters import escape
from dalembert.results.curves import PlotSource
from dalembert.results.report.certificate import verdict_of
from dalembert.results.report.html import Section, fold, inline, listing, number, table
from dalembert.results.symbols import symbol
from dalembert.survey.check import Check

if TYPE_CHECKING:
    from dalembert.results.trajectory import Run

_VERBS = {"done": "went through", "stopped": "was stopped", "failed": "fails"}


def summary(run: Run, check: Check) -> str:
    """Say in one line what this is, and whether all is well."""
    freedom = check.degrees_of_freedom
    words = [f"{freedom} degree{'s' * (freedom != 1)} of freedom"] if freedom is not None else []
    words.append(f"motion until t = {run.motion.times[-1]:g}{_unit(run)}")
    verdict = f"certificate {verdict_of(run.certificate.ok)}"
    if run.status != "done":
        verdict = f'<span class="fails">✗ the motion {_VERBS[run.status]}</span> · {verdict}'
    return f'<p class="summary">{escape(" · ".join(words))} · {verdict}</p>'


def section(source: PlotSource) -> Section:
    """Say how the motion was computed and what came out."""
    run = source.run
    html = ""
    if run.message:
        verb = "The motion fails" if run.status == "failed" else "The motion was stopped"
        html += f'<p class="alarm"><b>{verb}:</b> {inline(run.message)}</p>'
    control = f"tolerances {number(run.rtol)} (relative) and {number(run.atol)} (absolute)"
    if run.step is not None:
        control = f"a step of {number(run.step)}"
    html += f"<p>{run.steps} steps of <code>{run.method}</code> with {control}; {run.evaluations} evaluations of the "
    html += f"equations in the form <code>{run.form}</code>, in {run.wall_s * 1e3:.3g} ms."
    if run.system.constraints:
        html += f" Constraints are kept by <code>{run.keep}</code>."
    html += "</p>"
    if run.note:
        html += f'<p class="aside"><b>Note:</b> {inline(run.note)}</p>'
    if run.events:
        rows = [[escape(event.name), number(event.t, 9)] for event in run.events]
        html += table(["event", f"t{' in s' * bool(source.second)}"], rows)
    notes = [note for note in source.notes if not note.startswith("The motion")]
    return Section("motion", "Motion", html + _values(source) + listing(notes, "aside"))


def _values(source: PlotSource) -> str:
    """Return a table of the coordinates: at the start, at the end, smallest and largest."""
    names, fine = source.system.coordinates, source.fine
    rows = []
    for order, (suffix, values) in enumerate((("", fine.q), ("'", fine.v))):
        for k, name in enumerate(names):
            numbers = (values[0, k], values[-1, k], np.min(values[:, k]), np.max(values[:, k]))
            unit = escape(source.quantities[name].units(order))
            rows.append([symbol(name + suffix).html, *map(number, map(float, numbers)), unit])
    head = ["", "at the start", "at the end", "smallest", "largest", ""]
    return fold("Values at the start and at the end", table(head, rows, "numbers", most=60))


def _unit(run: Run) -> str:
    from dalembert.results.quantities import time_unit

    return f" {time_unit(run.system)}".rstrip()
