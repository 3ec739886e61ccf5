"""Whether expressions vanish identically, told by their values in many digits at random points."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import mpmath

from dalembert.language.building import Expr
from dalembert.language.functions import FLOATS
from dalembert.language.program import Program

_DIGITS = 50
_ZERO = 1e-30  # in the size of values around one
_POINTS = 2


class _ManyDigits:
    """Supplies functions in many digits, where there are such."""

    def __getitem__(self, name: str) -> Any:
        return getattr(mpmath, {"pow": "power"}.get(name, name), FLOATS[name])


def values_at_random(expressions: Sequence[Expr]) -> list[list[Any]]:
    """Return the values of expressions at a few points, one list for each point; symbols are around one."""
    symbols = sorted(set().union(*(expr.free_symbols for expr in expressions)), key=str)
    program = Program(symbols, expressions)
    generator = random.Random(11)
    found = []
    with mpmath.workdps(_DIGITS):
        for _ in range(_POINTS):
            point = [mpmath.mpf(generator.uniform(0.3, 1.3)) for _ in symbols]
            found.append([mpmath.mpmathify(value) for value in program(point, _ManyDigits())])
    return found


def all_vanish(expressions: Sequence[Expr]) -> bool:
    """Tell whether all of them are zero wherever they have a value."""
    left = [expr for expr in expressions if expr != 0]
    if not left:
        return True
    try:
        return all(abs(value) < _ZERO for row in values_at_random(left) for value in row)
    except (ArithmeticError, ValueError, TypeError):  # no value there: not known to vanish
        return False


def proportional(first: Expr, second: Expr) -> bool:
    """Tell whether an expression is a constant times another."""
    try:
        (a, b), (c, d) = values_at_random([first, second])
    except (ArithmeticError, ValueError, TypeError):
        return False
    return b != 0 and d != 0 and abs(a / b - c / d) < _ZERO
