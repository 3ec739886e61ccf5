"""Factors of integrals as a person would write them: simple fractions, or parameters in simple products."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from types import MappingProxyType

import symengine as se

from dalembert.language.building import Expr

_CLOSE = 1e-7  # relative, to what is tried: whether it holds is told elsewhere
_LARGEST = 12  # denominators of fractions
_WAYS = 8  # in which a factor is tried
_FEW = 12  # parameters of which products are looked at


def factors_near(
    value: float, parameters: Mapping[str, float], others: Mapping[Expr, float] = MappingProxyType({})
) -> list[Expr]:
    """Return what a factor may be, the simplest first; nothing if it is near no such number.

    others: expressions of parameters that it may be, with their values.

    >>> factors_near(-0.5, {})
    [-1/2]
    >>> factors_near(0.7, {"w": 0.35})[-1]
    2*w
    """
    found = [fraction] if (fraction := _fraction(value)) is not None else []
    if found and abs(found[0]) == 1:  # as of most; of the constant forces one may be meant
        same = [(found[0] * size, expr) for expr, size in others.items() if abs(abs(size) - 1) <= _CLOSE]
        return [*found, *(se.Integer(round(float(sign))) * expr for sign, expr in same)][:_WAYS]
    named = [(se.Symbol(name), number) for name, number in parameters.items() if number][:_FEW]
    products = [(symbol**power, number**power) for symbol, number in named for power in (1, 2, -1)]
    products += [(a * b, x * y) for (a, x), (b, y) in permutations(named, 2) if str(a) < str(b)]
    products += [(a / b, x / y) for (a, x), (b, y) in permutations(named, 2)]
    rests = [(_fraction(value / size, 4), product) for product, size in (*others.items(), *products) if size]
    multiples = [(rest, product) for rest, product in rests if rest is not None]
    multiples.sort(key=lambda pair: abs(pair[0]) != 1)
    return list(dict.fromkeys([*found, *(rest * product for rest, product in multiples)]))[:_WAYS]


def _fraction(value: float, largest: int = _LARGEST) -> Expr | None:
    for below in range(1, largest + 1):
        above = round(value * below) if abs(value) < 10 * largest else 0
        if above and abs(above - value * below) <= _CLOSE * abs(above):
            return se.Rational(above, below)
    return None
