"""Signs as a person sets them: a − (b − c) is a − b + c, and −(a − 2 b)/2 is b − a/2."""

from __future__ import annotations

import symengine as se

from dalembert.algebra.writing.cost import operations
from dalembert.language.building import Expr
from dalembert.language.walk import fold, rebuild


def opened(expr: Expr) -> Expr:
    """Return an expression without parentheses behind a minus that nothing multiplies.

    >>> import symengine as se
    >>> a, b, c = se.symbols("a b c")
    >>> opened(a - (b - c)), opened(a - 2 * (b - c))
    (a - b + c, a - 2*(b - c))
    """
    return fold(expr, _node)


def spread(expr: Expr) -> Expr:
    """Return an expression in which numbers stand inside of the sums that they multiply, where that is shorter.

    >>> import symengine as se
    >>> a, b, m = se.symbols("a b m")
    >>> spread(-(a - 2 * b) / 2), spread(m * (a + 2 * b) / 2), spread(-(a + b) / 2)
    ((-1/2)*a + b, m*((1/2)*a + b), (-1/2)*(a + b))
    """
    return fold(expr, lambda node, args: _spread(rebuild(node, args)))


def _spread(node: Expr) -> Expr:
    number, *factors = node.args if node.is_Mul else (node,)
    sums = [k for k, factor in enumerate(factors) if factor.is_Add]
    if not number.is_Number or len(sums) != 1:
        return node
    terms = factors.pop(sums[0]).args
    sign = -1 if factors and number < 0 else 1  # it stays in front of a product
    inside = se.Add(*[_spread(sign * number * term) for term in terms])
    other = se.Mul(sign, *factors, inside) if factors else inside
    return other if operations(other) < operations(node) else node


def _node(node: Expr, args: list[Expr]) -> Expr:
    if not node.is_Add:
        return rebuild(node, args) if args else node
    if not any(map(_is_turned, args)):
        return rebuild(node, args)
    terms = []
    for term in args:
        terms += [-inner for inner in term.args[1].args] if _is_turned(term) else [term]
    return type(node)(*terms)


def _is_turned(term: Expr) -> bool:
    return term.is_Mul and len(term.args) == 2 and term.args[0] == -1 and term.args[1].is_Add
