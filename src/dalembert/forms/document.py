"""The equations of a system as a LaTeX document: the model, its equations in a form, constraints, reactions, notes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sympy as sp

from dalembert.forms.derivation import Derivation
from dalembert.forms.lines import aligned, equation, matrix
from dalembert.forms.typeset import formula, math, name, prose
from dalembert.model.system import System

_HEAD = r"""\documentclass[a4paper,11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[margin=25mm]{geometry}
\usepackage{amsmath,amssymb,graphicx,booktabs,longtable}
\allowdisplaybreaks
\setcounter{MaxMatrixCols}{%d}
%% as wide as the line at most
\newcommand{\fit}[1]{\resizebox{\ifdim\width>0.88\linewidth 0.88\linewidth\else\width\fi}{!}{$\displaystyle #1$}}
\title{%s}
\author{}
\date{}

\begin{document}
\maketitle
"""


def files(system: System, path: Path, form: str) -> dict[Path, str]:
    """Return the document."""
    return {path: document(system.derive(form))}


def document(derivation: Derivation) -> str:
    """Write a derivation as a document of its own."""
    system = derivation.system
    columns = max([10, len(system.coordinates), *(len(row) for m in derivation.entries.values() for row in m)])
    parts = [_HEAD % (columns, prose(system.name or "A mechanical system")), *_model(derivation)]
    parts += _section("Constraints", _constraints(derivation))
    title = derivation.title
    equations = [_equation(equation, "0") for equation in derivation.equations]
    parts += _section("Equations of motion", [f"{prose(title[0].upper() + title[1:])}.", *aligned(equations)])
    parts += _section("Matrices", _matrices(derivation))
    parts += _section("Reactions", _reactions(derivation))
    notes = [f"\\item {prose(note[0].upper() + note[1:])}." for note in derivation.notes]
    parts += _section("Notes", ["\\begin{itemize}", *notes, "\\end{itemize}"] if notes else [])
    return "\n".join([*parts, "\n\\end{document}"]) + "\n"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    lines = list(lines)
    return [f"\n\\section*{{{title}}}", *lines] if lines else []


def _model(derivation: Derivation) -> list[str]:
    """Write coordinates, energies or matrices, forces and parameters."""
    system, sympy = derivation.system, derivation.system.sympy
    q = [f"${_symbol(system, q)}$" for q in system.coordinates]
    freedom = derivation.degrees_of_freedom
    counts = f"{len(q)} coordinate{'s' * (len(q) != 1)}, {len(system.constraints)} constraints, "
    lines = [f"{counts}{freedom} degree{'s' * (freedom != 1)} of freedom. Coordinates: {', '.join(q)}."]
    if system.kinetic is not None:
        rows = [_equation(sympy(system.kinetic), "T")]
        rows += [_equation(sympy(system.potential), "V")] if system.potential is not None else []
        lines += ["Kinetic and potential energy:" if len(rows) > 1 else "Kinetic energy:", *aligned(rows)]
    else:
        lines += ["The system is given by matrices, $M\\ddot q = f$ without constraints:"]
        lines += matrix("M", sp.Matrix(sympy([list(row) for row in system.mass or ()])), _fit)
        lines += matrix("f", sp.Matrix(sympy(list(system.force or ()))), _fit)
    if system.forces:
        rows = [_equation(sympy(force), f"Q_{{{_symbol(system, q)}}}") for q, force in system.forces.items()]
        lines += ["Generalized forces without potential:", *aligned(rows)]
    if system.parameters:
        symbols = [_symbol(system, key) for key in system.parameters]
        values = ["not given" if value is None else f"${_number(value)}$" for value in system.parameters.values()]
        rows = [f"${symbol}$ & {value}" for symbol, value in zip(symbols, values, strict=True)]
        table = ["\\begin{longtable}{ll}", "\\toprule", "parameter & value \\\\", "\\midrule"]
        lines += [*table, *(f"{row} \\\\" for row in rows), "\\bottomrule", "\\end{longtable}"]
    return _section("Model", lines)


def _constraints(derivation: Derivation) -> list[str]:
    rows = []
    for c in derivation.system.constraints:
        label = f"{c.name}, on {c.level}s"
        written = equation(derivation.system.sympy(c.expression), "0", _fit, len(label) + 4)
        rows.append(f"{written} && \\text{{{prose(label)}}}")
    return aligned(rows)


def _matrices(derivation: Derivation) -> list[str]:
    lines = [
        line
        for key, value in derivation.matrices.items()
        if value
        for line in matrix(derivation.letters(key), value, _fit)
    ]
    for key, rows in derivation.structure.items():
        entries = " \\\\ ".join(" & ".join(map(_entry, row)) for row in rows)
        made = f"\\begin{{bmatrix}} {entries} \\end{{bmatrix}}"
        lines += [f"At an admissible state ($\\ast$ varies):\n\\[ {_fit(f'{derivation.letters(key)} = {made}')} \\]"]
    if derivation.state:
        values = ", ".join(f"{prose(key)} = {value:.6g}" for key, value in derivation.state.items())
        lines.append(f"The state: {values}.")
    return lines


def _reactions(derivation: Derivation) -> list[str]:
    """Write the reaction of each constraint, one row for each coordinate on which it acts."""
    system, lines = derivation.system, []
    symbols = [_symbol(system, q) for q in system.coordinates]
    for key, row in derivation.reactions.items():
        rows = [_equation(r, f"r_{{{q}}}") for q, r in zip(symbols, row, strict=True) if r != 0]
        lines += [f"Of \\texttt{{{prose(key)}}}, on the coordinates:", *aligned(rows)] if rows else []
    outward = derivation.translator.outward
    rows = [_equation(outward(e), math(name(key))) for key, e in derivation.abbreviations.items()]
    return [*lines, *(["where", *aligned(rows)] if rows else [])]


def _equation(expr: Any, left: str) -> str:
    return equation(expr, left, _fit)


def _fit(text: str) -> str:
    return f"\\fit{{{text}}}"


def _symbol(system: System, text: str) -> str:
    return math(formula(system._translator.symbol(text)))


def _entry(text: str) -> str:
    """Write an entry of a structure: a number, with * where it varies."""
    number, star = text.rstrip("*"), "*" in text
    return (_number(float(number)) if number else "") + "\\ast" * star


def _number(value: float) -> str:
    text, _, power = f"{value:.10g}".partition("e")
    return f"{text} \\cdot 10^{{{int(power)}}}" if power else text
