"""Decimals as exact numbers, and back: so that sums and products of them leave no digits that nobody wrote."""

from __future__ import annotations

from fractions import Fraction

import symengine as se

from dalembert.algebra.decimals import short_decimal
from dalembert.language.building import Expr
from dalembert.language.walk import fold, rebuild

_HALF = se.Rational(1, 2)


def exact(expr: Expr) -> Expr:
    """Return an expression with fractions for its decimals."""
    return expr.xreplace({number: _fraction(float(number)) for number in expr.atoms(se.RealDouble)})


def decimal(expr: Expr) -> Expr:
    """Return an expression with decimals for fractions that are some; halves and roots stay as they are."""
    return fold(expr, _decimal)


def _fraction(value: float) -> Expr:
    found = Fraction(short_decimal(value) or repr(value))
    return se.Rational(found.numerator, found.denominator)


def _decimal(node: Expr, parts: list[Expr]) -> Expr:
    if node.is_Number:
        return se.RealDouble(float(node)) if _is_decimal(node) else node
    if node.is_Pow and (2 * node.args[1]).is_Integer:
        return parts[0] ** node.args[1]
    return rebuild(node, parts)


def _is_decimal(number: Expr) -> bool:
    if not number.is_Rational or number.is_Integer or abs(number) == _HALF:
        return False
    left = int(number.get_num_den()[1])
    for factor in (2, 5):
        while left % factor == 0:
            left //= factor
    return left == 1
