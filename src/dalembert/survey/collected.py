"""Functions of time as sums: Σ coefficient · part, each part of the time alone once, coefficients in lowest terms.

What follows from the time alone is put into the next conditions, and differentiated there. Left as it was made, it
would grow threefold with each of these steps; as a sum it has no more terms than there are derivatives of paths.
"""

from __future__ import annotations

import symengine as se

from dalembert.algebra.rational import Field, TooLarge
from dalembert.algebra.writing.numerals import numbers, numerals
from dalembert.language.building import Expr
from dalembert.language.calculus import ONE


def collected(expr: Expr, t: Expr) -> Expr:
    """Write a function of time and parameters as a sum."""
    parts: dict[Expr, list[Expr]] = {}
    stack = [(ONE, expr)]
    while stack:
        factor, node = stack.pop()
        if node.is_Add:
            stack += [(factor, part) for part in node.args]
            continue
        factors = node.args if node.is_Mul else (node,)
        timed = [part for part in factors if t in part.free_symbols]
        factor = se.Mul(factor, *[part for part in factors if t not in part.free_symbols])
        if len(timed) == 1 and timed[0].is_Add:
            stack.append((factor, timed[0]))
        else:
            parts.setdefault(se.Mul(*timed), []).append(factor)
    return se.Add(*[part * _in_lowest_terms(se.Add(*factors)) for part, factors in parts.items()])


def _in_lowest_terms(factor: Expr) -> Expr:
    if not factor.free_symbols:
        return factor
    exact = numerals(factor)
    field = Field([exact])
    try:
        with field.bounded():
            return numbers(field.write(field.read(exact)))
    except TooLarge:
        return factor
