"""Formulas for a page: sums break between their terms, repeated parts get names, and what nobody would read is cut."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import symengine as se

from dalembert.document.composition import size
from dalembert.document.mathml import MathML, math
from dalembert.language.building import Expr
from dalembert.language.printing import to_text

MOST = 240  # symbols and operations of a formula that is read to its end
_TERMS = 24  # of a sum
_SHORT = 60  # of formulas in which no parts need names
_PART = 14  # of a part that gets a name where it is repeated
_NAMED = 8  # parts with a name


def written(expr: Expr, most: int = MOST) -> str:
    """Return an expression as HTML that breaks between terms; what is too long is cut, and said to be so."""
    if expr == 0:
        return math("<mn>0</mn>")
    script = MathML()
    every, shown, spent = script.terms(expr), [], 0
    for term in every if len(every) <= _TERMS else every[: _TERMS // 2]:
        spent += size(term)
        if spent > most:
            break
        shown.append(term)
    html = " ".join(math(piece) for piece in script.pieces(shown))
    left = len(every) - len(shown)
    if not left:
        return html
    if not shown:
        return f'<span class="cut">a formula of {size(expr)} symbols and operations</span>'
    further = f"({left} further term{'s' * (left > 1)})"
    return f'{html} <math><mo lspace="0">+</mo><mo>⋯</mo></math> <span class="cut">{further}</span>'


def is_readable(expressions: Iterable[Expr], most: int = MOST) -> bool:
    """Tell whether formulas are short enough to be read to their end."""
    return all(size(expr) <= most for expr in expressions)


def name_parts(expressions: Sequence[Expr], taken: Collection[str]) -> tuple[list[Expr], dict[str, Expr]]:
    """Give names to long parts that appear more than once, the inner ones first."""
    if is_readable(expressions, _SHORT):
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
    letter = "u"
    while any(name.startswith(letter) for name in taken):
        letter += "u"
    names: dict[Expr, Expr] = {}
    result, parts = list(expressions), {}
    for part in sorted(repeated, key=lambda part: (size(part), to_text(part)))[:_NAMED]:
        inner = part.xreplace(names)
        if size(inner) < _PART // 2:
            continue
        symbol = se.Symbol(f"{letter}{len(parts) + 1}")
        parts[symbol.name] = inner
        names[part] = names[inner] = symbol
        result = [expr.xreplace({part: symbol, inner: symbol}) for expr in result]
    return result, parts
