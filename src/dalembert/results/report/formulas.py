"""Formulas for a page: sums break between their terms, repeated parts get names, and what nobody would read is cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import symengine as se

from dalembert.model.functions import Expr
from dalembert.results.mathml import math, matrix, signed, size, terms, typeset

MOST = 240  # symbols and operations of a formula that is read to its end
_PART = 14  # of a part that gets a name where it is repeated
_NAMED = 8  # parts with a name


def written(expr: Expr) -> str:
    """Return an expression as HTML that breaks between terms; what is too long is cut, and said to be so."""
    if expr == 0:
        return math("<mn>0</mn>")
    every, shown, spent = terms(expr), [], 0
    for term in every:
        spent += size(term)
        if spent > MOST:
            break
        shown.append(term)
    html = " ".join(math(piece) for piece in signed(shown))
    left = len(every) - len(shown)
    if not left:
        return html
    if not shown:
        return f'<span class="cut">a formula of {size(expr)} symbols and operations</span>'
    return f'{html} {math("<mo>+</mo><mo>⋯</mo>")} <span class="cut">({left} further term{"s" * (left > 1)})</span>'


def equation(left: Expr | str, right: Expr | str, name: str = "") -> str:
    """Return a line with an equation, and its name at the end; sides that are text are MathML."""
    sides = [math(side) if isinstance(side, str) else written(side) for side in (left, right)]
    label = f'<span class="name">{escape(name)}</span>' if name else ""
    return f'<div class="formula"><div>{sides[0]} {math("<mo>=</mo>")} {sides[1]}</div>{label}</div>'


def is_readable(expressions: Iterable[Expr], most: int = MOST) -> bool:
    """Tell whether formulas are short enough to be read to their end."""
    return all(size(expr) <= most for expr in expressions)


def matrix_equation(left: str, rows: Sequence[Sequence[Expr]]) -> str:
    """Return a line `left = matrix`."""
    entries = [[typeset(entry).row for entry in row] for row in rows]
    return f'<div class="formula"><div>{math(f"{left}<mo>=</mo>{matrix(entries)}")}</div></div>'


def name_parts(expressions: Sequence[Expr], taken: Iterable[str]) -> tuple[list[Expr], dict[str, Expr]]:
    """Give names to long parts that appear more than once, the inner ones first."""
    if is_readable(expressions, MOST // 2):
        return list(expressions), {}
    uses: dict[Expr, int] = {}
    seen: set[Expr] = set()
    waiting = list(expressions)
    while waiting:
        node = waiting.pop()
        if node in seen or node.is_Number or node.is_Symbol:
            continue
        seen.add(node)
        for part in node.args:
            uses[part] = uses.get(part, 0) + 1
        waiting.extend(node.args)
    repeated = [part for part, count in uses.items() if count > 1 and size(part) >= _PART and not part.is_Mul]
    letter = next(
        letter for letter in ("u", "w", "part", "part_of") if not any(name.startswith(letter) for name in taken)
    )
    names: dict[Expr, Expr] = {}
    result, parts = list(expressions), {}
    for part in sorted(repeated, key=size)[:_NAMED]:
        inner = part.xreplace(names)
        if size(inner) < _PART // 2:
            continue
        symbol = se.Symbol(f"{letter}{len(parts) + 1}")
        parts[symbol.name] = inner
        names[part] = names[inner] = symbol
        result = [expr.xreplace({part: symbol, inner: symbol}) for expr in result]
    return result, parts
