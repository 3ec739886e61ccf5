"""Formulas in LaTeX, in lines of a readable length: sums break between their terms, products in their longest sum."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from dalembert.document.composition import divides
from dalembert.document.tex import Tex
from dalembert.language.building import Expr

WIDE = 78  # letters of a formula on one line
_SPREAD = 2 * WIDE  # letters of the widest row of a matrix that is made to fit


def equation(expr: Expr, left: str, tex: Tex, fit: Callable[[str], str] = str, beside: int = 0) -> str:
    """Write left = expr, or expr = 0, for `align*`; leave room for as many letters beside it.

    `fit` is given what is longer than a line and cannot be broken.
    """
    wide = max(WIDE // 2, WIDE - beside - size(left))
    lines: list[str] = []
    width = 0
    for text in pieces(expr, tex, wide):
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


def matrix(
    letters: str, value: Sequence[Sequence[Expr]], tex: Tex, fit: Callable[[str], str] = str, said: str = ""
) -> list[str]:
    """Write a matrix with what is said of it; where its rows are too long to be read, its entries that are not zero."""
    entries = [[tex.formula(entry) for entry in row] for row in value]
    if max(sum(map(size, row)) + 2 * len(row) for row in entries) <= (WIDE if fit is str else _SPREAD):
        rows = " \\\\ ".join(" & ".join(row) for row in entries)
        columns = "c" * len(value[0])
        made = f"\\left[\\begin{{array}}{{{columns}}} {rows} \\end{{array}}\\right]"
        beside = f" \\qquad \\text{{{said}}}" if said else ""
        return [f"\\[ {fit(f'{letters} = {made}{beside}')} \\]"]
    places = [(i, j, entry) for i, row in enumerate(value) for j, entry in enumerate(row) if entry != 0]
    rows = [equation(entry, f"({letters})_{{{i + 1},{j + 1}}}", tex, fit) for i, j, entry in places]
    return [
        f"${letters}${f' {said}' if said else ''} has {len(value)} rows and {len(value[0])} columns. "
        "Its entries that are not zero:",
        *aligned(rows),
    ]


def pieces(expr: Expr, tex: Tex, wide: int = WIDE) -> list[str]:
    """Return a formula in pieces between which a line may end, each with its sign; long terms are broken too."""
    found: list[str] = []
    for term in tex.terms(expr):
        piece = tex.piece(term)
        inner = _inside(term, tex, wide) if size(piece.text) > wide else [piece.text]
        sign = (" - " if found else "-") if piece.negative else " + " if found else ""
        found += [sign + inner[0], *inner[1:]]
    return found


def _inside(term: Expr, tex: Tex, wide: int) -> list[str]:
    """Break a product, without its sign, inside its long sums, those that it is divided by last.

    It stays whole where it has none.
    """
    parts = [_base_and_power(factor) for factor in tex.factors(term)]
    fits = [base.is_Add and size(tex.piece(base).text) > wide // 2 for base, _ in parts]
    if not any(fits):
        return [tex.piece(term).text]
    rest = [factor for factor, long in zip(tex.factors(term), fits, strict=True) if not long]
    front = tex.product(rest).text if rest else ""
    front = f"{front} " if front not in ("", "1") else ""
    found: list[str] = []
    long_ones = [part for part, long in zip(parts, fits, strict=True) if long]
    for base, exponent in sorted(long_ones, key=lambda part: part[1] < 0):
        inner = pieces(base, tex, wide)
        before = ("" if found or front else "1") + r" \Big/ " if exponent < 0 else ""
        inner[0] = f"{before}\\Bigl({inner[0]}"
        inner[-1] += "\\Bigr)" + (f"^{{{abs(exponent)}}}" if abs(exponent) != 1 else "")
        found += inner
    return [front + found[0], *found[1:]]


def _base_and_power(factor: Expr) -> tuple[Expr, int]:
    """Take a factor apart, if its power is a whole number."""
    if factor.is_Pow and factor.args[1].is_Integer and (divides(factor) or factor.args[0].is_Add):
        return factor.args[0], int(factor.args[1])
    return factor, 1


@lru_cache(maxsize=4096)
def size(text: str) -> int:
    """Estimate how many letters wide a formula is set."""
    text = re.sub(r"\\(?:frac|left|right|operatorname|quad|d*dot|mathrm|[Bb]ig[lr]|,)", "", text)
    return len(re.sub(r"[{}^_ \\]", "", re.sub(r"\\[a-zA-Z]+", "xx", text)))
