"""Lines that are too wide to be read are cut: the largest of their parts that fit a line get names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import symengine as se

from dalembert.algebra.writing.cost import operations, width
from dalembert.algebra.writing.shared_parts import TRIVIAL, put
from dalembert.language.building import Expr
from dalembert.language.walk import fold, operands, rebuild

WIDEST = 250  # characters of a line
_HUGE = 4_000  # of one that is cut from the bottom, in one go
_PART = 200  # of a part that gets a name,
_LEAST = 30  # which has at least so many


def cut(expr: Expr, named: Callable[[Expr], Expr]) -> Expr:
    """Return an expression that fits a line, with names for parts that were too much; each is given to `named`."""
    if width(expr) > _HUGE:
        expr = fold(expr, lambda node, args: _fitted(rebuild(node, args), named))
    while width(expr) > WIDEST:
        part = _largest(expr)
        if part is not None:
            expr = put(expr, part, named(part))
        elif expr.is_Add:
            expr = _halved(expr, named)
        else:
            break
    return expr


def _fitted(node: Expr, named: Callable[[Expr], Expr]) -> Expr:
    """Return a node whose operands fit a line, with names for the widest of them until it fits itself."""
    while width(node) > WIDEST and operands(node):
        widest = max(operands(node), key=lambda part: (width(part), str(part)))
        if operations(widest) <= TRIVIAL or width(widest) < _LEAST:
            return _halved(node, named) if node.is_Add else node
        node = rebuild(node, [named(part) if part == widest else part for part in node.args])
    return node


def _largest(expr: Expr) -> Expr | None:
    """Return the part that takes most room, of those that are not too wide themselves."""
    seen: Counter[Expr] = Counter()
    stack = list(operands(expr))
    while stack:
        node = stack.pop()
        if node.is_Add or node.is_Mul:
            seen[node] += 1
        stack += operands(node)
    fitting = [node for node in seen if _LEAST <= width(node) <= _PART and operations(node) > TRIVIAL]
    best = max(fitting, key=lambda node: (seen[node] * width(node), str(node)), default=None)
    # single terms of a sum are rather put together
    return None if best is None or (expr.is_Add and best in expr.args and seen[best] == 1 and _is_flat(best)) else best


def _is_flat(node: Expr) -> bool:
    return node.is_Mul and not any(part.is_Add for part in node.args)


def _halved(expr: Expr, named: Callable[[Expr], Expr]) -> Expr:
    """Name the first terms of a sum that together fit a line."""
    room, first = _PART, []
    terms = list(expr.args)
    while terms and room > width(terms[0]):
        room -= width(terms[0]) + 3
        first.append(terms.pop(0))
    if len(first) < 2 or not terms:
        halves = list(expr.args[: len(expr.args) // 2]), list(expr.args[len(expr.args) // 2 :])
        first, terms = sorted(halves, key=lambda half: -sum(map(width, half)))  # a lone name would get another one
    return se.Add(named(se.Add(*first)), *terms)
