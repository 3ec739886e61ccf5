"""Decimals as exact numbers, and back: so that sums and products of them leave no digits that nobody wrote."""

from __future__ import annotations

from collections.abc import Mapping
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


def tidied(expr: Expr) -> Expr:
    """Return an expression in which decimals that cancel are gone; what a user wrote exactly, as atan(3/4), stays."""
    return _tidied(expr, {}) if expr.atoms(se.RealDouble) else expr


def put_exactly(values: Mapping[Expr, Expr], expr: Expr) -> Expr:
    """Return an expression with others in the place of symbols, and without decimals that cancel then.

    >>> x, y = se.symbols("x y")
    >>> put_exactly({x: y + 0.5}, (x - 0.35) ** 2 - 0.0225), put_exactly({x: 0.5 + 0 * y}, (x - 0.35) ** 2 - 0.0225 + y)
    (-0.0225 + (0.15 + y)**2, y)
    """
    if not (expr.atoms(se.RealDouble) and any(value.atoms(se.Number) for value in values.values())):
        return expr.xreplace(values)
    return _tidied(expr, values)


def _tidied(expr: Expr, values: Mapping[Expr, Expr]) -> Expr:
    parts = (expr, *values.values())
    constants = {node for part in parts for node in part.atoms(se.Function) if not node.free_symbols}
    names = {node: se.Dummy() for node in constants}
    exactly = {symbol: exact(value.xreplace(names)) for symbol, value in values.items()}
    found = decimal(exact(expr.xreplace(names)).xreplace(exactly))
    return found.xreplace({name: node for node, name in names.items()})


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
