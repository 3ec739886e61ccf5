"""Formulas in LaTeX for a page: what is too long to be taken in is shortened, and says how long it is."""

from __future__ import annotations

from collections.abc import Sequence

import symengine as se

from dalembert.document.composition import size
from dalembert.document.tex import Tex
from dalembert.errors import counted
from dalembert.language.building import Expr

_LONG = 180  # symbols and operations of a formula that is shown whole
_WIDE = 600  # of a matrix
MATRIX = 10  # rows and columns of a matrix


def shortened(expr: Expr, tex: Tex) -> str:
    """Return a formula as LaTeX; of a long sum some terms, of another long one how long it is."""
    if (whole := size(expr)) <= _LONG:
        return tex.formula(expr)
    kept, used = [], 0
    terms = sorted(expr.args, key=size) if expr.is_Add else []
    for term in terms:
        used += size(term) + 1
        if used > _LONG // 2:
            break
        kept.append(term)
    if not kept:
        return f"\\cdots\\ \\text{{({whole} symbols and operations)}}"
    more = counted(len(terms) - len(kept), "more term")
    return f"{tex.formula(se.Add(*kept))} + \\cdots\\ \\text{{({more})}}"


def matrix(value: Sequence[Sequence[Expr]], tex: Tex) -> str:
    """Return a matrix as LaTeX; where it is too large, how large."""
    rows, columns = len(value), max(map(len, value), default=0)
    if max(rows, columns) <= MATRIX and sum(size(entry) for row in value for entry in row) <= _WIDE:
        entries = r"\\".join(" & ".join(map(tex.formula, row)) for row in value)
        return rf"\left[\begin{{matrix}}{entries}\end{{matrix}}\right]"
    return f"\\cdots\\ \\text{{({rows} × {columns})}}"
