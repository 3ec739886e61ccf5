"""The equations of a system as a LaTeX document: the model, its equations in a form, constraints, reactions, notes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sympy as sp
from sympy.physics.vector import vlatex

from dalembert.forms.derivation import Derivation
from dalembert.forms.typeset import math, prose
from dalembert.model.system import System

_WIDE = 78  # letters of a formula on one line
_HEAD = r"""\documentclass[a4paper,11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
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
    title = derivation._form.title
    equations = [_equation(equation, "0") for equation in derivation.equations]
    parts += _section("Equations of motion", [f"{prose(title[0].upper() + title[1:])}.", *_aligned(equations)])
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
    q = [f"${math(_vlatex(system._translator.symbol(name)))}$" for name in system.coordinates]
    freedom = derivation.degrees_of_freedom
    counts = f"{len(q)} coordinate{'s' * (len(q) != 1)}, {len(system.constraints)} constraints, "
    lines = [f"{counts}{freedom} degree{'s' * (freedom != 1)} of freedom. Coordinates: {', '.join(q)}."]
    if system.kinetic is not None:
        rows = [_equation(sympy(system.kinetic), "T")]
        rows += [_equation(sympy(system.potential), "V")] if system.potential is not None else []
        lines += ["Kinetic and potential energy:" if len(rows) > 1 else "Kinetic energy:", *_aligned(rows)]
    else:
        lines += ["The system is given by matrices, $M\\ddot q = f$ without constraints:"]
        lines.append(_displayed("M", sp.Matrix(sympy([list(row) for row in system.mass or ()]))))
        lines.append(_displayed("f", sp.Matrix(sympy(list(system.force or ())))))
    if system.forces:
        names = {name: math(_vlatex(system._translator.symbol(name))) for name in system.forces}
        rows = [_equation(sympy(force), f"Q_{{{names[name]}}}") for name, force in system.forces.items()]
        lines += ["Generalized forces without potential:", *_aligned(rows)]
    if system.parameters:
        symbols = [math(_vlatex(system._translator.symbol(name))) for name in system.parameters]
        values = ["not given" if value is None else f"${_number(value)}$" for value in system.parameters.values()]
        rows = [f"${symbol}$ & {value}" for symbol, value in zip(symbols, values, strict=True)]
        table = ["\\begin{longtable}{ll}", "\\toprule", "parameter & value \\\\", "\\midrule"]
        lines += [*table, *(f"{row} \\\\" for row in rows), "\\bottomrule", "\\end{longtable}"]
    return _section("Model", lines)


def _constraints(derivation: Derivation) -> list[str]:
    system = derivation.system
    rows = [
        f"{_equation(system.sympy(c.expression), '0')} && \\text{{{prose(c.name)}, on {c.level}s}}"
        for c in system.constraints
    ]
    return _aligned(rows)


def _matrices(derivation: Derivation) -> list[str]:
    lines = [_displayed(_letter(name), matrix) for name, matrix in derivation.matrices.items() if matrix]
    for name, rows in derivation.structure.items():
        entries = " \\\\ ".join(" & ".join(entry.replace("*", "\\ast") for entry in row) for row in rows)
        matrix = f"\\begin{{bmatrix}} {entries} \\end{{bmatrix}}"
        lines += [f"At an admissible state ($\\ast$ varies):\n\\[ \\fit{{{_letter(name)} = {matrix}}} \\]"]
    if derivation.state:
        values = ", ".join(f"{prose(name)} = {value:.6g}" for name, value in derivation.state.items())
        lines.append(f"The state: {values}.")
    return lines


def _reactions(derivation: Derivation) -> list[str]:
    """Write the reaction of each constraint, one row for each coordinate on which it acts."""
    system, lines = derivation.system, []
    for name, row in derivation.reactions.items():
        symbols = [math(_vlatex(system._translator.symbol(q))) for q in system.coordinates]
        rows = [_equation(r, f"r_{{{q}}}") for q, r in zip(symbols, row, strict=True) if r != 0]
        lines += [f"Of \\texttt{{{prose(name)}}}, on the coordinates:", *_aligned(rows)] if rows else []
    outward = derivation._translator.outward
    rows = [_equation(outward(e), math(_vlatex(sp.Symbol(name)))) for name, e in derivation.abbreviations.items()]
    return [*lines, *(["where", *_aligned(rows)] if rows else [])]


def _equation(expr: Any, left: str) -> str:
    """Write left = expr, or expr = 0, in lines of a readable length."""
    lines: list[str] = []
    width = 0
    for k, term in enumerate(sp.sympify(expr).as_ordered_terms()):
        text = math(_vlatex(term))
        sign = "" if k == 0 else " " if text.startswith("-") else " + "
        size = _size(text)
        text = f"\\fit{{{text}}}" if size > _WIDE else text
        if lines and width + size <= _WIDE:
            lines[-1] += sign + text
            width += size
        else:
            lines.append(sign + text)
            width = size
    if left == "0":
        return " \\\\\n&\\quad ".join([f"&{lines[0]}", *lines[1:]]) + " = 0"
    return " \\\\\n&\\quad ".join([f"{left} &= {lines[0]}", *lines[1:]])


def _aligned(rows: list[str]) -> list[str]:
    return ["\\begin{align*}\n" + " \\\\[0.4em]\n".join(rows) + "\n\\end{align*}"] if rows else []


def _displayed(name: str, matrix: Any) -> str:
    return f"\\[ \\fit{{{name} = {math(_vlatex(matrix))}}} \\]"


def _vlatex(expr: Any) -> str:
    return vlatex(expr, mat_str="matrix", mat_delim="[")


def _size(text: str) -> int:
    """Estimate how many letters wide a formula is set."""
    text = re.sub(r"\\(?:frac|left|right|operatorname|quad|dot|ddot|mathrm)\b", "", text)
    return len(re.sub(r"[{}^_ \\]", "", re.sub(r"\\[a-zA-Z]+", "xx", text)))


def _number(value: float) -> str:
    text, _, power = f"{value:.10g}".partition("e")
    return f"{text} \\cdot 10^{{{int(power)}}}" if power else text


def _letter(name: str) -> str:
    return {"inertia": "R^T M R", "force": "R^T (f - M a_0)", "B_0": "B^0"}.get(name, name)
