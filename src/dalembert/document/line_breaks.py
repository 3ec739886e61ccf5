"""Formulas in LaTeX, in lines of a readable length: sums break between their terms, products in their longest sum."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import sympy as sp

from dalembert.document.typeset import formula, math

WIDE = 78  # letters of a formula on one line
_SPREAD = 2 * WIDE  # letters of the widest row of a matrix that is made to fit


def equation(expr: Any, left: str, fit: Callable[[str], str] = str, beside: int = 0) -> str:
    """Write left = expr, or expr = 0, for `align*`; leave room for as many letters beside it.

    `fit` is given what is longer than a line and cannot be broken.
    """
    wide = max(WIDE // 2, WIDE - beside - size(left))
    lines: list[str] = []
    width = 0
    for text in pieces(sp.sympify(expr, strict=True), wide):  # strict: text is never evaluated
        length = size(text)
        text = fit(text) if length > wide else text
        if lines and width + length <= wide:
            lines[-1] += text
            width += length
        else:
            lines.append(text)
            width = length
    if left == "0":
        return " \\\\\n&\\quad ".join([f"&{lines[0]}", *lines[1:]]) + " = 0"
    return " \\\\\n&\\quad ".join([f"{left} &= {lines[0]}", *lines[1:]])


def aligned(rows: list[str]) -> list[str]:
    """Write equations one below the other."""
    return ["\\begin{align*}\n" + " \\\\[0.4em]\n".join(rows) + "\n\\end{align*}"] if rows else []


def matrix(letters: str, value: Any, fit: Callable[[str], str] = str) -> list[str]:
    """Write a matrix; where its rows are too long to be read, its entries that are not zero."""
    entries = [[math(formula(entry)) for entry in value.row(i)] for i in range(value.rows)]
    if max(sum(map(size, row)) + 2 * len(row) for row in entries) <= (WIDE if fit is str else _SPREAD):
        rows = " \\\\ ".join(" & ".join(row) for row in entries)
        columns = "c" * value.cols
        made = f"\\left[\\begin{{array}}{{{columns}}} {rows} \\end{{array}}\\right]"
        return [f"\\[ {fit(f'{letters} = {made}')} \\]"]
    places = [(i, j) for i in range(value.rows) for j in range(value.cols) if value[i, j] != 0]
    rows = [equation(value[i, j], f"({letters})_{{{i + 1},{j + 1}}}", fit) for i, j in places]
    return [
        f"${letters}$ has {value.rows} rows and {value.cols} columns. Its entries that are not zero:",
        *aligned(rows),
    ]


def pieces(expr: Any, wide: int = WIDE) -> list[str]:
    """Return a formula in pieces between which a line may end, each with its sign; long terms are broken too."""
    found: list[str] = []
    for k, term in enumerate(expr.as_ordered_terms()):
        text = math(formula(term))
        inner = _inside(term, wide) if size(text) > wide else [text]
        sign = "" if k == 0 else " " if inner[0].startswith("-") else " + "
        found += [sign + inner[0], *inner[1:]]
    return found


def _inside(term: Any, wide: int) -> list[str]:
    """Break a product inside its long sums, those that it is divided by last; leave it whole where it has none."""
    parts = [factor.as_base_exp() for factor in sp.Mul.make_args(term)]
    fits = [base.is_Add and power.is_Integer and size(formula(base)) > wide // 2 for base, power in parts]
    if not any(fits):
        return [math(formula(term))]
    rest = sp.Mul(*(base**power for (base, power), long in zip(parts, fits, strict=True) if not long))
    front = "" if rest == 1 else "- " if rest == -1 else math(formula(rest)) + " "
    found: list[str] = []
    long_ones = [part for part, long in zip(parts, fits, strict=True) if long]
    for base, power in sorted(long_ones, key=lambda part: bool(part[1] < 0)):
        inner = pieces(base, wide)
        before = ("" if found or front.strip(" -") else "1") + r" \Big/ " if power < 0 else ""
        inner[0] = f"{before}\\Bigl({inner[0]}"
        inner[-1] += "\\Bigr)" + (f"^{{{abs(power)}}}" if abs(power) != 1 else "")
        found += inner
    return [front + found[0], *found[1:]]


def size(text: str) -> int:
    """Estimate how many letters wide a formula is set."""
    text = re.sub(r"\\(?:frac|left|right|operatorname|quad|d*dot|mathrm|Big[lr])\b", "", text)
    return len(re.sub(r"[{}^_ \\]", "", re.sub(r"\\[a-zA-Z]+", "xx", text)))
