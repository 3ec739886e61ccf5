"""What is shown of a motion: how it was computed, the state and the forces at its end, its certificate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import symengine as se

from dalembert.document import nodes
from dalembert.document.nodes import faint, listed, rounded
from dalembert.errors import DalembertError, quoted
from dalembert.forms import FORMS
from dalembert.motion.events import EVENT
from dalembert.results.contact_columns import contact_table
from dalembert.results.friction_columns import friction_table
from dalembert.results.plain import final_joints
from dalembert.results.quantities import quantities, time_unit, unit_of

if TYPE_CHECKING:
    from dalembert.results.run import Run

_CHOICES = 6  # changes of independent coordinates that are shown
_OUTPUTS = 20  # outputs that are shown
_LARGE = 200  # coordinates from which the certificate is not made on the way
_VERBS = {"stopped": "was stopped", "failed": "fails"}
_SHARE = faint("  (not determinate: the share of least norm)")


def run_document(run: Run) -> nodes.Section:
    """Show a motion where it is looked at: with what went wrong, and its certificate at hand."""
    shown = outcome(run)
    parts = [*alarms(run), *shown.parts, *_certificate(run)]
    status = (
        "" if run.status == "done" else (" ", nodes.Tone(run.status, "caution" if run.status == "stopped" else "bad"))
    )
    return nodes.Section(run.system.name or "A motion", parts, (faint(f"motion until {until(run)}"), status))


def outcome(run: Run) -> nodes.Section:
    """Say how the motion was computed, and the state and the forces at its end."""
    found = [table for table in (_joints(run) or _reactions(run),) if table is not None]
    said = [how(run), *choices(run), *stabilised(run), *events(run), *outputs(run), *friction_table(run)]
    said += contact_table(run)
    return nodes.Section(f"Motion until {until(run)}", [*said, _state(run), *found])


def until(run: Run) -> str:
    """Return the time at which it ends."""
    return f"t = {run.motion.times[-1]:.6g} {time_unit(run.system)}".rstrip()


def verb(run: Run) -> str:
    """Say what became of a motion that did not go through."""
    return f"the motion {_VERBS[run.status]}"


def alarms(run: Run) -> list[nodes.Block]:
    """Say why the motion ended before its time, and what else is to be said of its way."""
    parts: list[nodes.Block] = []
    if run.message and run.status != "done":
        words = verb(run)
        parts.append(nodes.Paragraph((nodes.Tone(f"{words[0].upper()}{words[1:]}: ", "strong"), run.message), "bad"))
    return [*parts, *map(nodes.Note, (*([run.note] if run.note else []), *run.cautions))]


def how(run: Run) -> nodes.Block:
    """Say how it was computed."""
    control: nodes.Text = (
        "tolerances ",
        nodes.Number(run.rtol),
        " (relative) and ",
        nodes.Number(run.atol),
        " (absolute)",
    )
    if run.step is not None:
        control = ("a step of ", nodes.Number(run.step))
    words = f", {run.evaluations:,} evaluations, in {run.wall_s * 1e3:.3g} ms after {run.build_s:.2g} s of preparation"
    is_kept = run.system.written.constraints and not run.choices  # nothing is off there
    words += f"; form `{run.form}`" + (f", constraints kept by `{run.keep}`" if is_kept else "")
    return nodes.Paragraph((f"{run.steps:,} steps of `{run.method}` with ", control, f"{words}."))


def choices(run: Run) -> list[nodes.Block]:
    """Say which coordinates, or their velocities, were independent, and when others were chosen."""
    found = [(t, words) for t, words in run.choices if words]
    if not found:
        return []
    first, others = found[0][1], [new for old, new in pairwise(found) if new[1] != old[1]]
    what = (
        "Quasi-velocities, those of" if FORMS[run.form.partition(",")[0]].beside == "u" else "Independent coordinates:"
    )
    text = f"{what} {quoted(first)}"
    text += "".join(f"; from t = {t:.4g} on {quoted(words)}" for t, words in others[:_CHOICES])
    if len(others) > _CHOICES:
        text += f"; and {len(others) - _CHOICES} more changes until t = {others[-1][0]:.4g}"
    return [nodes.Paragraph(f"{text}.")]


def stabilised(run: Run) -> list[nodes.Block]:
    """Say what was stated of the residuals of stabilised constraints, and what came out."""
    return [] if run.stabilisation is None else [run.stabilisation.document()]


def events(run: Run) -> list[nodes.Block]:
    """Say what was watched for and happened."""
    rows = [(event.name, event.kind, nodes.Number(event.t, 9)) for event in run.events]
    time = f"t in {unit}" if (unit := time_unit(run.system)) else "t"
    if all(event.kind == EVENT for event in run.events):
        return [nodes.Table([(name, at) for name, _, at in rows], ("event", time))] if rows else []
    return [nodes.Table(rows, ("event", "", time))]


def outputs(run: Run) -> list[nodes.Block]:
    """Show controls and outputs as small curves, with values at the end, extremes, between the steps too, and RMS."""
    rows, names = [], (*run.control_names, *run.system.outputs)
    for name in names[:_OUTPUTS]:
        values = run[name]
        low, high = run.minimum(name), run.maximum(name)
        drawn: nodes.Text = nodes.Sparkline(run.t, values, name) if len(run.t) > 1 else ""
        numbers = [nodes.Number(float(x)) for x in (values[-1], low, low.t, high, high.t, run.rms(name))]
        rows.append((nodes.Name(name), drawn, *numbers, unit_of(run.system, se.Symbol(name))))
    if not rows:
        return []
    head = ("", "", "at the end", "smallest", "at t", "largest", "at t", "RMS", "")
    title = "Controls and outputs" if run.control_names and run.system.outputs else "Outputs"
    title = "Controls" if not run.system.outputs else title
    return [nodes.Section(title, [nodes.Table(rows, head, total=len(names))])]


def _state(run: Run) -> nodes.Section:
    """Show every coordinate as a small curve, with its value and its velocity at the end."""
    system, final, kinds = run.system, run.final(), quantities(run.system)
    coordinates = system.coordinates[: system.mechanical]
    sizes = [max(abs(final[q + prime]) for q in coordinates) for prime in ("", "'")]
    rows = []
    for q in coordinates[: nodes.ROWS + 1]:
        value, velocity = rounded(final[q], sizes[0]), rounded(final[q + "'"], sizes[1])
        drawn: nodes.Text = nodes.Sparkline(run.t, run[q], q) if len(run.t) > 1 else ""
        rows.append((nodes.Name(q), drawn, value, kinds[q].units(0), velocity, kinds[q].units(1)))
    table = nodes.Table(rows, ("", "", "value", "", "velocity", ""), total=len(coordinates))
    return nodes.Section("State at the end", [table, *_states(run)])


def _states(run: Run) -> list[nodes.Block]:
    """Show every state of first order as a small curve, with its value and its rate at the end."""
    known = run.system.states
    rows = []
    for z in list(known)[: nodes.ROWS + 1]:
        drawn: nodes.Text = nodes.Sparkline(run.t, run[z], z) if len(run.t) > 1 else ""
        rows.append((nodes.Name(z), drawn, nodes.Number(float(run[z][-1])), nodes.Number(float(run[z + "'"][-1]))))
    return [nodes.Table(rows, ("", "", "value", "rate"), total=len(known))] if rows else []


def _reactions(run: Run) -> nodes.Section | None:
    """Show the reactions of constraints at the end."""
    shared = {run.system.constraints[i].name for group in run.shares.groups() for i in group}
    rows = []
    for name, reaction in run.final_reactions().items():
        acting = [(f"{q}: ", nodes.Number(r)) for q, r in zip(run.system.coordinates, reaction, strict=True) if r != 0]
        rows.append((name, (listed(acting) if acting else "0", _SHARE if name in shared else "")))
    return nodes.Section("Reactions at the end, by coordinate", [nodes.Table(rows)]) if rows else None


def _joints(run: Run) -> nodes.Section | None:
    """Show the forces in the joints of a mechanism at the end."""
    found = final_joints(run, nodes.ROWS + 1)  # each takes its time, and the others are counted only
    if not found:
        return None
    known = [x for part in found.values() for x in (*part["force"], *part["moment"]) if x is not None]
    size = max(map(abs, known), default=0.0)

    def shown(values: Sequence[float | None]) -> nodes.Text:
        row = listed("?" if x is None else rounded(x, size) for x in values)
        return ("(", row, ")") if len(values) > 1 else row

    rows = [(name, part["on"], shown(part["force"]), shown(part["moment"])) for name, part in found.items()]
    title = "Forces in the joints at the end, in world axes"
    if len(known) < sum(len(part["force"]) + len(part["moment"]) for part in found.values()):
        title += " (?: not determined)"
    total = len(run.joints.mechanism.joints) + len(run.joints.mechanism.drives)
    return nodes.Section(title, [nodes.Table(rows, ("joint", "on", "force, N", "moment, N m"), total=total)])


def _certificate(run: Run) -> list[nodes.Block]:
    if len(run.system.coordinates) > _LARGE:
        return [nodes.Paragraph("How well it holds: `run.certificate`", "faint")]
    try:
        found = run.certificate
    except DalembertError as error:
        return [nodes.Paragraph(f"No certificate: {error}", "faint")]
    return [nodes.Section("Certificate", found.document().parts, found.verdict, fold="closed" if found.ok else "open")]
