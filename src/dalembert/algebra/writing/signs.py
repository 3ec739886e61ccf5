"""Signs as a person sets them: a − (b − c) is a − b + c."""

from __future__ import annotations

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
