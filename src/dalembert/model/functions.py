"""The functions of the model language: how each is built, and what a user may call it.

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


def step(u: Expr) -> Expr:
    """Return 0 below zero, 1 above, ½ at zero (so that step(u) = (1 + sign(u))/2 everywhere)."""
    value = number(u)
    if value is None:
        return se.Function(STEP)(u)
    return se.Integer(1) if value > 0 else se.Integer(0) if value < 0 else se.Rational(1, 2)


def choose(left: Expr, right: Expr, strict: bool, yes: Expr, no: Expr) -> Expr:
    """Return `yes` where left < right (or left <= right), else `no`."""
    value = number(left - right)
    if value is None:
        return se.Function(IF_LESS if strict else IF_LESS_EQUAL)(left, right, yes, no)
    return yes if value < 0 or (value == 0 and not strict) else no


def maximum(*args: Expr) -> Expr:
    """Return the largest of the arguments."""
    return se.Max(*args)


def minimum(*args: Expr) -> Expr:
    """Return the smallest of the arguments."""
    return se.Min(*args)


# name in the language -> (builder, smallest and largest number of arguments)
FUNCTIONS: dict[str, tuple[Any, int, int]] = {
    "sin": (se.sin, 1, 1),
    "cos": (se.cos, 1, 1),
    "tan": (se.tan, 1, 1),
    "asin": (se.asin, 1, 1),
    "acos": (se.acos, 1, 1),
    "atan": (se.atan, 1, 1),
    "atan2": (se.atan2, 2, 2),
    "sinh": (se.sinh, 1, 1),
    "cosh": (se.cosh, 1, 1),
    "tanh": (se.tanh, 1, 1),
    "exp": (se.exp, 1, 1),
    "log": (se.log, 1, 1),
    "sqrt": (se.sqrt, 1, 1),
    "abs": (se.Abs, 1, 1),
    "sign": (se.sign, 1, 1),
    "min": (minimum, 2, 100),
    "max": (maximum, 2, 100),
    "step": (step, 1, 1),
}
CONSTANTS = {"pi": se.pi, "e": se.E}
TIME = "t"
RESERVED = frozenset(FUNCTIONS) | {TIME, "if", "and", "or", "not"}


def number(expr: Expr) -> float | None:
    """Return the value of a constant expression, or None if it has symbols or no finite real value."""
    if expr.is_Number:
        value = expr
    elif expr.free_symbols:
        return None
    else:
        try:
            value = expr.n(53)
        except (RuntimeError, ValueError):  # SymEngine cannot evaluate it (a function symbol of ours, say)
            return None
    try:
        value = complex(value)
    except (RuntimeError, TypeError, ValueError, OverflowError):
        return None
    return value.real if value.imag == 0 and math.isfinite(value.real) else None
