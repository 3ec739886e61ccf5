"""Motions and what is computed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import DalembertError, counted
from dalembert.show.curve import curve, spark
from dalembert.show.html import (
    BAD,
    CAUTION,
    GOOD,
    ROWS,
    Markup,
    coloured,
    faint,
    folded,
    line,
    notes,
    number,
    table,
    whole,
    words,
)
from dalembert.show.inline import name

if TYPE_CHECKING:
    from dalembert.results.certificate import Certificate
    from dalembert.results.joints import JointForce
    from dalembert.results.trajectory import Run
    from dalembert.survey.mechanism.kinematics import Kinematics
    from dalembert.survey.mechanism.transmission import Transmission

_LARGE = 200  # coordinates from which the certificate is not made on the way
_STATUS = {"done": GOOD, "stopped": CAUTION, "failed": BAD}
_UNITS = {"force": "N", "moment": "N m"}


def run_html(run: Run) -> str:
    """Show what was computed, every coordinate as a small curve with its first and last value, and the certificate."""
    facts, system = run.motion.facts, run.system
    status = coloured(facts["status"], _STATUS.get(facts["status"], CAUTION))
    how = [counted(facts["steps"], "step"), f"method {facts['method']}", f"form {facts['form']}"]
    if system.constraints:
        how.append(f"constraints {_kept(facts['keep'])}")
    last, sizes = run.final(), (_size(run.q), _size(run.v))
    rows = []
    for q in system.coordinates[:ROWS] if len(run.t) else ():
        values = number(run[q][0], sizes[0]), number(last[q], sizes[0]), number(last[q + "'"], sizes[1])
        rows.append((name(q), spark(run.t, run[q], q), *values))
    head = ("coordinate", "", "first", "last", "velocity at the end")
    return whole(
        system.name or "A motion",
        Markup(faint(f"motion until t = {run.motion.times[-1]:.6g}: ") + status),
        line(words(facts["message"])) if facts["status"] != "done" and facts["message"] else "",
        line(faint(", ".join(how))),
        line(words(f"note: {run.note}")) if run.note else "",
        table(head, rows, len(system.coordinates)),
        _events(run),
        _certificate_of(run),
    )


def _size(values: Array) -> float:
    """Return the largest number; beside it others are seen to be zero."""
    return float(np.nanmax(np.abs(values), initial=0.0))


def _kept(keep: str) -> str:
    return {"project": "projected", "stabilise": "stabilised", "none": "not kept"}.get(keep, "kept by the method")


def _events(run: Run) -> Markup:
    rows = [(event.name, number(event.t)) for event in run.events]
    return table(("event", "t"), rows)


def _certificate_of(run: Run) -> Markup:
    if len(run.system.coordinates) > _LARGE:
        return line(faint("how well it holds: "), words("`run.certificate`"))
    try:
        certificate = run.certificate
    except DalembertError as error:
        return line(faint("no certificate: "), words(str(error)))
    return folded(Markup(f"Certificate: {_verdict(certificate)}"), _items(certificate), not certificate.ok)


def certificate_html(certificate: Certificate) -> str:
    """Show what was measured and whether it keeps its limit."""
    return whole("Certificate", _verdict(certificate), _items(certificate))


def _verdict(certificate: Certificate) -> Markup:
    return coloured("pass", GOOD) if certificate.ok else coloured(certificate.reason, BAD)


def _items(certificate: Certificate) -> Markup:
    rows = []
    for item in certificate.items:
        verdict = "" if item.limit is None else coloured(item.verdict, GOOD if item.ok else BAD)
        value = "–" if item.value is None else f"{item.value:.1e}"
        rows.append((item.text, value, "" if item.limit is None else f"{item.limit:.1e}", verdict))
    text = table(("measured", "largest", "limit", ""), rows, len(rows))
    return Markup(text + notes(certificate.notes))


# --- mechanisms ------------------------------------------------------------------------------------------------------


def joint_force_html(force: JointForce) -> str:
    """Show every component: over time as a small curve with its least and largest value, at one state its value."""
    rows, along = [], np.ndim(force.t) > 0
    size = max(_size(force.force), _size(force.moment))
    for key, values in force.components.items():
        unit = _UNITS[key.partition(" ")[0]]
        if not np.any(np.isfinite(values)):
            rows.append((key, *([""] * (2 if along else 0)), faint("not determined")))
        elif along:
            some = "" if np.all(np.isfinite(values)) else faint("not always determined")
            span = f"{_span(values, size)} {unit}"
            rows.append((key, spark(force.t, values, key), span, some))
        else:
            rows.append((key, f"{number(float(values), size)} {unit}"))
    what = f"on {force.on}, in axes of the {force.axes}"
    if along and len(force.t):
        what += f", t = {force.t[0]:g} … {force.t[-1]:g}"
    return whole(", ".join(force.names), what, table((), rows), notes(force.notes))


def kinematics_html(motion: Kinematics) -> str:
    """Show every coordinate as a small curve, with its span and that of its velocity."""
    rows = []
    for q in motion.mechanism.coordinates[:ROWS]:
        spans = _span(motion[q], _size(motion.q)), _span(motion[q + "'"], _size(motion.v))
        rows.append((name(q), spark(motion.t, motion[q], q), *spans))
    what = f"kinematics at {counted(len(motion.t), 'time')}, t = {motion.t[0]:g} … {motion.t[-1]:g}"
    head = ("coordinate", "", "position", "velocity")
    return whole(motion.mechanism.name or "A mechanism", what, table(head, rows, len(motion.mechanism.coordinates)))


def _span(values: Array, size: float) -> str:
    low, high = (number(float(value), size) for value in (np.nanmin(values), np.nanmax(values)))
    return low if low == high else f"{low} … {high}"


def transmission_html(transmission: Transmission) -> str:
    """Show output against input, with the special positions marked."""
    first, *_ = str(transmission).split("\n")
    marks = [(point.input, point.output) for point in transmission.special]
    title = f"{transmission.names[1]} against {transmission.names[0]}"
    drawn = curve(transmission.input, transmission.output, title, 340, 150, marks=marks, margin=44)
    rows = [(point.kind, number(point.input), number(point.output)) for point in transmission.special]
    angle = ""
    if transmission.mu_range is not None:
        low, high = np.degrees(transmission.mu_range)
        angle = line(f"transmission angle from {low:.4g} to {high:.4g} degrees")
    return whole(
        transmission.mechanism.name or "A mechanism",
        f"transmission from {transmission.names[0]} to {transmission.names[1]}",
        line(first),
        drawn,
        table(("special position", "input", "output"), rows),
        angle,
    )
