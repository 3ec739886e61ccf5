"""The equations of a system as a LaTeX document: the model, its equations in a form, constraints, reactions, notes."""

from __future__ import annotations

from pathlib import Path

from dalembert.document.latex import write_latex
from dalembert.document.nodes import Paragraph, Section
from dalembert.document.typeset import prose
from dalembert.errors import counted
from dalembert.forms.derivation import Derivation
from dalembert.model.system import System
from dalembert.model.system_document import system_parts

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
    return {path: article(system.derive(form))}


def article(derivation: Derivation) -> str:
    """Write a derivation as a document of its own."""
    system, freedom = derivation.system, derivation.degrees_of_freedom
    columns = max([10, len(system.coordinates), *(len(row) for m in derivation.entries.values() for row in m)])
    counts = f"{counted(system.mechanical, 'coordinate')}, {counted(len(system.constraints), 'constraint')}, "
    counts += f"{counted(freedom, 'degree')} of freedom. {derivation.title}."
    parts = [Section("Model", [Paragraph(counts), *system_parts(system)]), *derivation.document().parts]
    head = _HEAD % (columns, prose(system.name or "A mechanical system", code=False))
    return f"{head}{write_latex(parts, ('section*', 'subsection*'), _fit)}\n\n\\end{{document}}\n"


def _fit(text: str) -> str:
    return f"\\fit{{{text}}}"
