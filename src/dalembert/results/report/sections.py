"""The sections of a report: what the model, its equations and its motion show of themselves, and more."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.document.nodes import (
    Block,
    Code,
    Equation,
    Equations,
    Figure,
    Listing,
    Name,
    Number,
    Paragraph,
    Section,
    Table,
)
from dalembert.errors import DerivationError, ModelError
from dalembert.forms.description import derivation_document
from dalembert.forms.multipliers import multiplier
from dalembert.model.description import coordinates, energies, values
from dalembert.model.mechanism.description import tables
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.results.overview import alarms, events, how

if TYPE_CHECKING:
    from dalembert.forms.derivation import Derivation
    from dalembert.language.building import Expr
    from dalembert.model.system import System
    from dalembert.results.certificate import Certificate
    from dalembert.results.curves import PlotSource
    from dalembert.results.trajectory import Run
    from dalembert.survey.check import Check

_LINES = 150  # of a model that is printed
_VALUES = 60  # rows of a table of values
_BALANCE = "Lagrange’s equations with multipliers, M q̈ = f + Aᵀλ"
_ERRORS = "Error of each coordinate, as a second, more accurate motion shows it:"


def model(system: System) -> Section:
    """Describe the model, and give it as a file."""
    made = tables(system) if isinstance(system, Mechanism) else [coordinates(system)]
    parts = [*made, Section("Energies and forces", energies(system)), *values(system)]
    text, name = str(system), file_name(system)
    address = base64.b64encode(text.encode()).decode()
    link = f'<p class="aside"><a download="{name}" href="data:application/toml;base64,{address}">save as {name}</a></p>'
    fold = "paper" if text.count("\n") <= _LINES else "closed"
    file = Section("The model as a file", [Figure(link), Code(text)], fold=fold)
    return Section("Model", [*parts, file], key="model")


def file_name(system: System) -> str:
    """Return a name for the model's file, from its title."""
    plain = re.sub(r"[^a-z0-9]+", "-", system.name.lower()).strip("-")[:40].rstrip("-")
    return f"{plain or 'model'}.toml"


def check(found: Check) -> Section:
    """Say what the check of the model found."""
    shown = found.document()
    nothing = [] if found.problems else [Paragraph("Nothing is in the way, and there is nothing to note.")]
    return replace(shown, title="Check", parts=[*nothing, *shown.parts], key="check")


def equations(system: System, form: str) -> Section:
    """Write down the equations of motion: with multipliers, and in the form of the motion."""
    try:
        derivation = system.derive("minimal" if form == "multipliers" else form)
    except DerivationError as error:
        return Section("Equations", [Paragraph(f"The equations are not written down: {error}")], key="equations")
    parts = list(derivation_document(derivation, whole=False).parts)
    if derivation.expressions:
        parts[0] = replace(parts[0], title=derivation.title)
    return Section("Equations", [_with_multipliers(derivation), *parts], key="equations")


def _with_multipliers(derivation: Derivation) -> Section:
    """Write M q̈ = f + Aᵀλ row by row."""
    scene, b = derivation.scene, derivation.scene.blocks
    left: list[list[Expr]] = [[] for _ in b.q]
    right: list[list[Expr]] = [[f] for f in b.f]
    for (i, j), entry in b.M.items():
        left[i].append(entry * se.Symbol(b.q[j].name + "''"))
    for (i, j), entry in b.A.items():
        if i in scene.kept:
            right[j].append(entry * multiplier(scene, i))
    rows = [Equation(se.Add(*one), se.Add(*other)) for one, other in zip(left, right, strict=True)]
    names = (*derivation.system.coordinates, *derivation.system.parameters)
    return Section(_BALANCE, [Equations(rows, names)])


def motion(source: PlotSource) -> Section:
    """Say how the motion was computed and what came out."""
    run, fine, rows = source.run, source.fine, []
    for order, (suffix, numbers) in enumerate((("", fine.q), ("'", fine.v))):
        for k, name in enumerate(source.system.coordinates):
            column = numbers[:, k]
            four = [Number(float(x)) for x in (column[0], column[-1], np.min(column), np.max(column))]
            rows.append((Name(name + suffix), *four, source.quantities[name].units(order)))
    table = Table(rows, ("", "at the start", "at the end", "smallest", "largest", ""), most=_VALUES)
    fold = Section("Values at the start and at the end", [table], fold="closed")
    notes = [note for note in source.notes if not note.startswith("The motion")]
    return Section("Motion", [*alarms(run), how(run), *events(run), fold, Listing(notes, tone="faint")], key="motion")


def animation(run: Run) -> Section:
    """Show the motion; say what to do if nothing is known of how the system looks."""
    try:
        part: Block = Figure(run.animate().fragment(), "An animation.")
    except ModelError as error:
        part = Paragraph(f"{error}.", "faint")
    return Section("Animation", [part], key="animation")


def certificate(found: Certificate) -> Section:
    """Show what was measured, and the error of each coordinate."""
    shown = found.document()
    errors = [(Name(name), Number(error, 2)) for name, error in found.errors.items()]
    more = [Paragraph(_ERRORS), Table(errors, ("coordinate", "largest error"))] if errors else []
    return replace(shown, parts=[*shown.parts, *more])
