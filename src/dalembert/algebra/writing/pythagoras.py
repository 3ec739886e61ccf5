"""sin² + cos² = 1 in sums that were put together as a whole: a − a sin²(φ) is a cos²(φ)."""

from __future__ import annotations

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.walk import Remembered, rebuild

_OTHER = {se.sin: se.cos, se.cos: se.sin}


def completed(expr: Expr) -> Expr:
    """Put two terms of a sum together where one is the other times −sin² or −cos².

    >>> a, b, m = se.symbols("a b m")
    >>> completed(se.sin(a) ** 2 - 1), completed(m - m * se.cos(a) ** 2 + b)
    (-cos(a)**2, b + m*sin(a)**2)
    """
    return _complete(expr)


def _node(node: Expr, parts: list[Expr]) -> Expr:
    node = rebuild(node, parts) if parts else node
    while node.is_Add and (found := _once(node)) is not None:
        node = found
    return node


def _once(node: Expr) -> Expr | None:
    terms = set(node.args)
    for term in node.args:
        for square in term.args if term.is_Mul else (term,):
            if not (square.is_Pow and square.args[1] == 2 and type(square.args[0]) in _OTHER):
                continue
            whole = -term / square
            if whole in terms:
                (angle,) = square.args[0].args
                return se.Add(*(terms - {term, whole}), whole * _OTHER[type(square.args[0])](angle) ** 2)
    return None


_complete = Remembered(_node)
