"""Blocks as they are shown: their numbers as a person wrote them. Kernels keep the floats that they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import symengine as se

from dalembert.algebra.decimals import short_decimal, simple_fraction
from dalembert.algebra.writing.numerals import numbers, numerals
from dalembert.blocks.symbolic import Blocks
from dalembert.language.building import Expr
from dalembert.language.walk import Remembered, fold, rebuild


def tidy(blocks: Blocks) -> Blocks:
    """Return the blocks with digits taken away that are only rounding."""
    return _each(blocks, _tidy)


def with_numerals(blocks: Blocks) -> Blocks:
    """Return the blocks with symbols in the place of their decimals."""
    return _each(blocks, numerals)


def with_numbers(blocks: Blocks) -> Blocks:
    """Return the blocks with decimals in the place of symbols that are some."""
    return _each(blocks, numbers)


def plain(expr: Expr) -> Expr:
    """Return an expression with symbols in the place of its decimals, as those of the blocks are."""
    return numerals(_tidy(expr))


def _each(blocks: Blocks, change: Callable[[Expr], Expr]) -> Blocks:
    def several(expressions: Iterable[Expr | None]) -> tuple:
        return tuple(None if expr is None else change(expr) for expr in expressions)

    return replace(
        blocks,
        M={place: change(entry) for place, entry in blocks.M.items()},
        f=several(blocks.f),
        A={place: change(entry) for place, entry in blocks.A.items()},
        c=several(blocks.c),
        g=several(blocks.g),
        psi=several(blocks.psi),
        energy=several([blocks.energy])[0],
    )


def _tidy(expr: Expr) -> Expr:
    expr = _with_plain_numbers(expr)
    return fold(expr, _without_roots) if _has_roots_of_squares(expr) else expr


def _number(node: Expr, parts: list[Expr]) -> Expr:
    found = _plain(float(node)) if isinstance(node, se.RealDouble) else None
    return rebuild(node, parts) if found is None else found


def _is_root_of_square(node: Expr) -> bool:
    base, power = node.args
    return abs(power) == se.Rational(1, 2) and base.is_Pow and base.args[1] == 2


_with_plain_numbers = Remembered(_number)
_has_roots_of_squares = Remembered(lambda node, parts: any(parts) or bool(node.is_Pow and _is_root_of_square(node)))


def _without_roots(node: Expr, parts: list[Expr]) -> Expr:
    """Write √u² as |u| and u/|u| as the sign of u: the length of a spring along a guide is a distance."""
    node = rebuild(node, parts)
    if node.is_Pow and _is_root_of_square(node):
        return se.Abs(node.args[0].args[0]) ** (2 * node.args[1])
    if not node.is_Mul:
        return node
    factors = list(node.args)
    for factor in node.args:
        if factor.is_Pow and factor.args[1] == -1 and isinstance(factor.args[0], se.Abs):
            inside = factor.args[0].args[0]
            for k, other in enumerate(factors):
                if (times := _multiple(other, inside)) is not None:
                    factors[k] = times * se.sign(inside)
                    factors.remove(factor)
                    break
    return se.Mul(*factors)


def _multiple(expr: Expr, of: Expr) -> Expr | None:
    """Return the number by which one expression is another, if it is such a one."""
    first, other = expr.as_coefficients_dict(), of.as_coefficients_dict()
    if expr.is_Number or first.keys() != other.keys() or 0 in other.values():
        return None
    ratios = [float(first[term]) / float(other[term]) for term in first]
    if any(abs(ratio / ratios[0] - 1) > 1e-14 for ratio in ratios):
        return None
    whole = _plain(ratios[0])
    return se.RealDouble(ratios[0]) if whole is None else whole


def _plain(value: float) -> Expr | None:
    if value == int(value) and abs(value) < 1e9:
        return se.Integer(int(value))
    if text := short_decimal(value):
        return se.RealDouble(float(text))
    fraction = simple_fraction(value)
    return None if fraction is None else se.Rational(fraction.numerator, fraction.denominator)
