"""How long a formula is: the operations that a reader sees."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.language.building import Expr
from dalembert.language.walk import Remembered


def operations(expr: Expr) -> int:
    """Count the operations of an expression as it is printed: + − × ÷, powers, functions, a minus in front.

    >>> import symengine as se
    >>> x, y, m = se.symbols("x y m")
    >>> operations(-m * x * (x - y) ** 2 / (x + y)), operations(m * se.sin(2 * x))
    (7, 3)
    """
    return _length(expr)


def width(expr: Expr) -> int:
    """Return about how many characters an expression takes in a line."""
    return _width(expr)


def total(expressions: Iterable[Expr]) -> int:
    """Count the operations of several expressions."""
    return sum(operations(expr) for expr in expressions)


def shortest(expressions: Iterable[Expr]) -> Expr:
    """Return the expression of fewest operations; among equals no fractions in fractions, few names, a short text."""
    found, least = [], None
    for expr in expressions:
        count = operations(expr)
        if least is None or count < least:
            found, least = [expr], count
        elif count == least:
            found.append(expr)
    return found[0] if len(found) == 1 else min(found, key=_reading)


def _reading(expr: Expr) -> tuple[bool, int, int, str]:
    text = str(expr)
    return _stacked(expr), len(expr.free_symbols), len(text), text


def _stacked(expr: Expr) -> bool:
    """Tell whether a fraction stands above the bar of another: (J/m + sin² φ)/J."""
    return _kind(expr) == _STACKED


_NONE, _FRACTION, _STACKED = range(3)


def _has_fractions(node: Expr, below: list[int]) -> int:
    found = max(below, default=_NONE)
    if found == _STACKED:
        return found
    divides = [part.is_Pow and part.args[1].is_Number and part.args[1] < 0 for part in node.args if not node.is_Number]
    if node.is_Mul and any(divides):
        sums = (kind for part, kind in zip(node.args, below, strict=True) if part.is_Add)
        return _STACKED if _FRACTION in sums else _FRACTION
    return _FRACTION if any(divides) else found


def _count(node: Expr, below: list[int]) -> int:
    if node.is_Symbol or not node.args:
        return 1 if node.is_Number and node < 0 else 0
    if node.is_Number:
        return (1 if node < 0 else 0) + (0 if node.is_Integer else 1)
    if node.is_Add:
        negative = [is_negative(term) for term in node.args]
        inside = sum(count - minus for count, minus in zip(below, negative, strict=True))
        return inside + len(node.args) - 1 + all(negative)
    if node.is_Mul:
        return _product(node, below)
    if node.is_Pow:
        exponent = node.args[1]
        if exponent == -1:
            return below[0] + 1
        if exponent.is_Number and exponent < 0:
            return below[0] + 2
        return below[0] + 1 + (below[1] if not exponent.is_Integer else 0)
    return sum(below) + len(node.args)


def _characters(node: Expr, below: list[int]) -> int:
    if node.is_Symbol or node.is_Number or not node.args:
        return len(str(node))
    if node.is_Pow:
        return below[0] + 2
    if node.is_Mul:
        return sum(below) + len(below) - 1 + 2 * sum(part.is_Add for part in node.args)
    return sum(below) + 3 * (len(below) - 1) + (0 if node.is_Add else 6)


def _product(node: Expr, below: list[int]) -> int:
    above, under, inside = 0, 0, 0
    for factor, count in zip(node.args, below, strict=True):
        if factor.is_Number:
            size: Expr = abs(factor)
            above += 0 if _numerator(size) == 1 else 1
            under += 1 if size.is_Rational and not size.is_Integer else 0
        elif factor.is_Pow and factor.args[1].is_Number and factor.args[1] < 0:
            under += 1
            inside += count - 1
        else:
            above += 1
            inside += count
    products = max(above - 1, 0) + max(under - 1, 0)
    return inside + products + (under > 0) + is_negative(node)


def _numerator(size: Expr) -> Expr:
    return size.get_num_den()[0] if size.is_Rational else size


def is_negative(term: Expr) -> bool:
    """Tell whether a term is printed with a minus."""
    if term.is_Number:
        return bool(term < 0)
    return bool(term.is_Mul and term.args[0].is_Number and term.args[0] < 0)


def rank(expr: Expr) -> int:
    """Return by what terms are collected first: accelerations, then velocities, then the rest."""
    if not expr.is_Symbol:
        return 0
    return min(len(expr.name) - len(expr.name.rstrip("'")), 2)


_length, _kind, _width = map(Remembered, (_count, _has_fractions, _characters))
