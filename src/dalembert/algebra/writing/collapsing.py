"""Sums in which a term was split to share a part, 5.7 (α′ + β′) − 5.7 β′, are put together again where that is shorter.

A sum that stands for one thing elsewhere in a formula, as m₁ + m₂ or α′ + β′, is tried as an atom; what it then leaves
behind in some other place may be more than was there before.
"""

from __future__ import annotations

import symengine as se

from dalembert.algebra.writing.cost import operations
from dalembert.algebra.writing.numerals import figures, numerals
from dalembert.language.building import Expr
from dalembert.language.walk import Remembered, rebuild

_DIGITS = 10  # of a number into which others are put together
_LONG = 60  # operations of a sum that is not looked at: it was arranged as a whole


def collapsed(expr: Expr) -> Expr:
    """Put split terms together.

    >>> a, b, m = se.symbols("a b m")
    >>> collapsed(se.sin(a) * (m * (a + b) - m * b))
    a*m*sin(a)
    """
    return _collapse(expr)


def _together(node: Expr, parts: list[Expr]) -> Expr:
    node = rebuild(node, parts)
    if not node.is_Add or operations(node) > _LONG or not any(map(_is_multiple, node.args)):
        return node
    spread = se.Add(*[_spread(term) for term in node.args])
    if operations(spread) >= operations(node) or not spread.atoms(se.RealDouble) - node.atoms(se.RealDouble):
        return spread if operations(spread) < operations(node) else node
    exactly = figures(se.Add(*[_spread(numerals(term)) for term in node.args]))  # 5.7 − 5.6 would have sixteen digits
    return exactly if operations(exactly) < operations(node) and _is_readable(exactly) else node


def _is_readable(expr: Expr) -> bool:
    return all(float(f"{float(x):.{_DIGITS}g}") == float(x) for x in expr.atoms(se.RealDouble))


def _is_multiple(term: Expr) -> bool:
    """Tell whether a term is a sum times something."""
    return bool(term.is_Mul and any(factor.is_Add for factor in term.args))


def _spread(term: Expr) -> Expr:
    """Multiply a sum out, and leave all other factors as they are."""
    sums = [factor for factor in term.args if factor.is_Add] if term.is_Mul else []
    if len(sums) != 1:
        return term
    rest = se.Mul(*[factor for factor in term.args if not factor.is_Add])
    return se.Add(*[rest * part for part in sums[0].args])


_collapse = Remembered(_together)
