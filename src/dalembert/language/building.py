"""How expressions are made: what SymEngine does not have, and where it needs care.

Every expression inside dalembert is a SymEngine expression over plain symbols: `x`, `x'`, `x''` for a coordinate
and its derivatives, `t`, and the parameters. SymEngine has no step function and no choice between two values;
these are function symbols of ours, `step(u)` and `if_lt(a, b, u, v)` / `if_le(a, b, u, v)` for "u if a < b, else v".
"""

from __future__ import annotations

import math
from typing import Any

import symengine as se

Expr = Any  # a SymEngine expression; its Python wrapper carries no types

STEP, IF_LESS, IF_LESS_EQUAL = "step", "if_lt", "if_le"


def is_numeral(symbol: Expr) -> bool:
    """Tell whether a symbol is a number, written as a symbol of this name; names do not begin with a digit."""
    return symbol.name[:1].isdigit()


def step(u: Expr) -> Expr:
    """Return 0 below zero, 1 above, ½ at zero (so that step(u) = (1 + sign(u))/2 everywhere)."""
    value = number(u)
    if value is None:
        return se.Function(STEP)(u)
    return se.Integer(1) if value > 0 else se.Integer(0) if value < 0 else se.Rational(1, 2)


def choose(left: Expr, right: Expr, strict: bool, yes: Expr, no: Expr) -> Expr:
    """Return `yes` where left < right (or left <= right), else `no`."""
    if yes == no:
        return yes
    value = number(left - right)
    if value is None:
        return se.Function(IF_LESS if strict else IF_LESS_EQUAL)(left, right, yes, no)
    return yes if value < 0 or (value == 0 and not strict) else no


def sign(u: Expr) -> Expr:
    """Return −1, 0 or 1.

    SymEngine leaves sign(log(2)) as it is, and ends the process at sign(sqrt(-x)), also where it arises later by
    substitution; so constants are evaluated here, and broken powers are left to `step`.
    """
    value = number(u)
    if value is not None:
        return se.Integer((value > 0) - (value < 0))
    if u.is_Mul and u.args[0].is_Number:
        return sign(u.args[0]) * sign(se.Mul(*u.args[1:]))
    for factor in u.args if u.is_Mul else (u,):
        if factor.is_Pow and not factor.args[1].is_Integer and factor.args[0] != se.E:
            return 2 * step(u) - 1
    return se.sign(u)


def angle(y: Expr, x: Expr) -> Expr:
    """Return atan2(y, x); where y/x is constant, SymEngine would write it with a sign that can end the process."""
    if number(x) == 0:
        height = number(y)
        if height == 0:
            return se.nan  # of 0.0 as of 0, where SymEngine has three answers
        return sign(y) * se.pi / 2 if height else se.atan2(y, x)
    slope = number(y / x)
    if slope is None or (slope == 0 and number(x) is None):
        return se.atan2(y, x)
    turn = 1 if slope <= 0 else -1
    return total(se.atan(y / x), turn * se.pi * total(se.Integer(1), -sign(x)) / 2)


def absolute(u: Expr) -> Expr:
    """Return the absolute value; SymEngine makes abs(abs(x)) of abs(-abs(x))."""
    result = se.Abs(u)
    return se.Abs(*result.args) if isinstance(result, se.Abs) else result


def tangent(u: Expr) -> Expr:
    """Return the tangent; SymEngine makes a cotangent of tan(x + pi/2), which has no place in the language."""
    result = se.tan(u)
    core = result.args[-1] if result.is_Mul else result
    return se.sin(u) / se.cos(u) if isinstance(core, se.cot) else result


def total(*terms: Expr) -> Expr:
    """Return a sum, flat and without 0.0.

    SymEngine keeps the 0.0 in x + y + 2.0 - 2 without showing it, and makes abs(x + (y + 1)), a sum in a sum, of
    abs(-x - (y + 1)).
    """
    result = se.Add(*terms)
    offsets = [term.args[0] if term.is_Add else term for term in terms]
    loose = any(offset.is_Number and not offset.is_Rational for offset in offsets)
    while result.is_Add and any(_is_negated_sum(term) for term in result.args):
        result, loose = se.Add(*map(_flat, result.args)), True
    return se.Add(*result.args) if loose and result.is_Add else result


def power(base: Expr, exponent: Expr) -> Expr:
    """Return a power, simplified as SymEngine does it with parts of it.

    It takes 2 out of (4/x)^(1/2) but leaves (1/x)^(1/2), and makes 1 - (a + 1) of the exponent in x/x^(a + 1).
    """
    result = base**exponent
    factors = result.args if result.is_Mul else (result,)
    return se.Mul(*[f.args[0] ** _flat(f.args[1]) if f.is_Pow else f for f in factors])


def _is_negated_sum(term: Expr) -> bool:
    return term.is_Mul and len(term.args) == 2 and term.args[1].is_Add and term.args[0] == -1


def _flat(term: Expr) -> Expr:
    return se.Add(*[-part for part in term.args[1].args]) if _is_negated_sum(term) else term


def exponential(u: Expr) -> Expr:
    """Return e^u."""
    return power(se.E, u)


def root(u: Expr) -> Expr:
    """Return the square root."""
    return power(u, se.Rational(1, 2))


def maximum(*args: Expr) -> Expr:
    """Return the largest of the arguments."""
    return _extreme(se.Max, max, args)


def minimum(*args: Expr) -> Expr:
    """Return the smallest of the arguments."""
    return _extreme(se.Min, min, args)


def _extreme(function: Any, pick: Any, args: tuple[Expr, ...]) -> Expr:
    """Apply Max or Min to one constant at most: SymEngine compares numbers, but not 1 and pi."""
    flat = [part for arg in args for part in (arg.args if isinstance(arg, function) else (arg,))]
    values = [(number(part), part) for part in flat]
    rest = [part for value, part in values if value is None]
    constants = [(value, part) for value, part in values if value is not None]
    if constants:
        rest.append(pick(constants, key=lambda pair: pair[0])[1])
    return function(*rest)


CONSTANTS = {"pi": se.pi, "e": se.E}
TIME = "t"


def number(expr: Expr) -> float | None:
    """Return the value of a constant expression, or None if it has symbols or no finite real value."""
    try:
        value = float(expr) if expr.is_Number else float(expr.n(53, real=True))
    except RuntimeError:  # a symbol, a function symbol of ours, or not a real number
        return None
    return value if math.isfinite(value) else None


def ratio(value: Expr) -> tuple[int, int] | None:
    """Return numerator and denominator of an exact number, None for any other."""
    return (int(value.p), int(value.q)) if value.is_Rational else None
