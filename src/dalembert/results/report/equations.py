"""The section on equations: with multipliers, in the form of the motion, and the reactions as formulas."""

from __future__ import annotations

import symengine as se

from dalembert.characters import escape
from dalembert.errors import DerivationError, quoted
from dalembert.forms.derivation import Derivation
from dalembert.forms.multipliers import multiplier
from dalembert.language.building import Expr
from dalembert.model.system import System
from dalembert.results.mathml import math
from dalembert.results.report.formulas import equation, is_readable, matrix_equation, more, name_parts, where
from dalembert.results.report.html import Section, listing, paragraph
from dalembert.results.symbols import mathml

_ROWS = 9  # equations that are written down
_ENTRIES = 40  # of a matrix
_ZERO = "<mn>0</mn>"
_FORCE = "<msup><mi>A</mi><mi>T</mi></msup><mi>λ</mi>"
_LOAD = f"<mi>r</mi><mo>=</mo>{_FORCE}"
_BALANCE = "<mi>M</mi>" + mathml("q''") + f"<mo>=</mo><mi>f</mi><mo>+</mo>{_FORCE}"


def section(system: System, form: str) -> Section:
    """Write down the equations of motion."""
    try:
        derivation = system.derive("minimal" if form == "multipliers" else form)
    except DerivationError as error:
        return Section("equations", "Equations", paragraph(f"The equations are not written down: {error}"))
    parts = [_with_multipliers(derivation), _constraints(system), _form(derivation), _reactions(derivation)]
    return Section("equations", "Equations", "\n".join(filter(None, parts)))


def _with_multipliers(derivation: Derivation) -> str:
    """Write M q̈ = f + Aᵀλ row by row."""
    scene, b = derivation.scene, derivation.scene.blocks
    n = len(b.q)
    left: list[list[Expr]] = [[] for _ in range(n)]
    right: list[list[Expr]] = [[f] for f in b.f]
    for (i, j), entry in b.M.items():
        if i < _ROWS:
            left[i].append(entry * se.Symbol(b.q[j].name + "''"))
    for (i, j), entry in b.A.items():
        if i in scene.kept and j < _ROWS:
            right[j].append(entry * multiplier(scene, i))
    sides = [se.Add(*side) for side in (*left[:_ROWS], *right[:_ROWS])]
    sides, named = name_parts(sides, _names(derivation.system))
    half = len(sides) // 2
    lines = [equation(sides[i], sides[half + i]) for i in range(half)]
    title = f"Lagrange’s equations with multipliers, {math(_BALANCE)}"
    return f"<h3>{title}</h3>" + "".join(lines) + more(n - half, "equation") + where(named)


def _constraints(system: System) -> str:
    if not system.constraints:
        return ""
    lines = [equation(c.expression, _ZERO, c.name) for c in system.constraints[:_ROWS]]
    return "<h3>Constraints</h3>" + "".join(lines) + more(len(system.constraints) - len(lines), "constraint")


def _form(derivation: Derivation) -> str:
    """Write the equations of the form, and its matrices where they are small."""
    if not derivation.expressions:
        return f"<h3>{derivation.title}</h3>" + listing(derivation.notes)
    expressions, named = name_parts(derivation.expressions[:_ROWS], _names(derivation.system))
    html = f"<h3>{derivation.title}</h3>"
    html += "".join(equation(expr, _ZERO) for expr in expressions)
    html += more(len(derivation.expressions) - len(expressions), "equation") + where(named)
    for name, rows in derivation.entries.items():
        entries = [entry for row in rows for entry in row]
        if entries and len(entries) <= _ENTRIES and is_readable([se.Add(*entries)]):
            html += matrix_equation(mathml(name), rows)
    return html + listing(derivation.notes, "aside")


def _reactions(derivation: Derivation) -> str:
    """Write the reactions that can be read, by coordinate or, where that is long, by multiplier; count the others."""
    html, long = "", []
    for name, row in list(derivation.reaction_expressions.items())[:_ROWS]:
        if is_readable([se.Add(*row)]):
            html += _by_coordinate(derivation.system, name, row)
        elif lines := _fraction(derivation, name):
            html += lines
        else:
            long.append(name)
    if not html:
        return ""
    used = {name: expr for name, expr in derivation.abbreviations.items() if mathml(name) in html}
    right, named = name_parts(list(used.values()), (*_names(derivation.system), *used))
    parts = where(dict(zip(used, right, strict=True)) | named)
    html += more(len(derivation.reaction_expressions) - _ROWS, "constraint") + parts
    if long:
        html += paragraph(f"Too long to be read here: {quoted(long)}; `system.reaction(…)` gives them.", "aside")
    return f"<h3>Reactions as formulas, {math(_LOAD)}</h3>{html}"


def _by_coordinate(system: System, name: str, row: list[Expr]) -> str:
    lines = [
        equation(f"<msub><mi>r</mi>{mathml(q)}</msub>", entry, name)
        for q, entry in zip(system.coordinates, row, strict=True)
        if entry != 0
    ]
    return "".join(lines) or equation("<mi>r</mi>", _ZERO, name)


def _fraction(derivation: Derivation, name: str) -> str:
    """Write a multiplier as a fraction of two sums, each of which may take several lines; nothing if it is too long."""
    above, below = derivation.multiplier_expressions[name].as_numer_denom()
    if below == 1 or not is_readable([above, below]):
        return ""
    symbol = mathml(multiplier(derivation.scene, _index(derivation.system, name)).name)
    upper, lower = "<msub><mi>N</mi><mtext>{}</mtext></msub>", "<msub><mi>D</mi><mtext>{}</mtext></msub>"
    upper, lower = (side.format(escape(name)) for side in (upper, lower))
    lines = equation(symbol, f"<mfrac>{upper}{lower}</mfrac>", name)
    return lines + equation(upper, above) + equation(lower, below)


def _index(system: System, name: str) -> int:
    return next(i for i, constraint in enumerate(system.constraints) if constraint.name == name)


def _names(system: System) -> tuple[str, ...]:
    return (*system.coordinates, *system.parameters)
