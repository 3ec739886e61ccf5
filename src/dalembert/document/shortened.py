"""Formulas in LaTeX for a page: what is too long to be taken in is shortened, and says how long it is."""

from __future__ import annotations

from typing import Any

import sympy as sp

from dalembert.document.typeset import formula
from dalembert.errors import counted

_LONG = 90  # operations of a formula that is shown whole
_WIDE = 300  # operations of a matrix
MATRIX = 10  # rows and columns of a matrix


def tex(expr: Any) -> str:
    """Return a formula as LaTeX; of a long sum some terms, of another long one how long it is."""
    if isinstance(expr, sp.MatrixBase):
        return matrix(expr)
    operations = sp.count_ops(expr)
    if operations <= _LONG:
        return formula(expr)
    kept, used = [], 0
    terms = sorted(expr.args, key=sp.count_ops) if expr.is_Add else []
    for term in terms:
        used += sp.count_ops(term) + 1
        if used > _LONG // 2:
            break
        kept.append(term)
    if not kept:
        return f"\\cdots\\ \\text{{({operations} operations)}}"
    more = counted(len(terms) - len(kept), "more term")
    return f"{formula(sp.Add(*kept))} + \\cdots\\ \\text{{({more})}}"


def matrix(value: Any) -> str:
    """Return a matrix as LaTeX; where it is too large, how large."""
    rows, columns = value.shape
    if max(rows, columns) <= MATRIX and sum(sp.count_ops(e) for e in value) <= _WIDE:
        return formula(value)
    return f"\\cdots\\ \\text{{({rows} × {columns})}}"
