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

_NOTHING = 1e-15  # what is left of numbers that cancel
_BITS = 100  # with which numbers are put together
_SIMPLE = 10_000  # numerator times denominator of a fraction whose root one writes


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
    if isinstance(node, se.RealDouble):
        found = _plain(float(node))
        return node if found is None else found
    node = rebuild(node, parts)
    return _without_functions(node) if node.is_Add or node.is_Mul or isinstance(node, se.Function) else node


def _without_functions(node: Expr) -> Expr:
    """Put numbers of a sum or product together that functions make: 1 − 2 sin²(atan(3)/2) is √10/10.

    Such ones come from the assembled position; what is no plain number then, as sin(0.3), stays as it is written.
    """
    args = node.args if node.is_Add or node.is_Mul else (node,)
    fixed = [arg for arg in args if not arg.free_symbols]
    if not any(arg.atoms(se.Function) for arg in fixed):
        return node
    if node.is_Mul:
        fixed = [arg for arg in fixed if not arg.is_Number]
    whole = node.func(*fixed) if len(args) > 1 else node
    found = _meant(float(whole.n(_BITS, real=True)))
    if found is None:
        return node
    return node.func(found, *[arg for arg in args if arg not in fixed]) if len(args) > 1 else found


def _is_root_of_square(node: Expr) -> bool:
    base, power = node.args
    return (2 * power).is_Integer and not power.is_Integer and base.is_Pow and base.args[1] == 2


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


def _meant(value: float) -> Expr | None:
    """Return a plain number, zero if it is rounding, or the root of a simple fraction; None if it is neither."""
    if abs(value) < _NOTHING:
        return se.Integer(0)
    if (found := _plain(value)) is not None:
        return found
    square = simple_fraction(value * value)
    if square is None or square.numerator * square.denominator > _SIMPLE:
        return None
    root = se.sqrt(se.Rational(square.numerator, square.denominator))
    return root if value > 0 else -root


def _plain(value: float) -> Expr | None:
    if value == int(value) and abs(value) < 1e9:
        return se.Integer(int(value))
    if text := short_decimal(value):
        return se.RealDouble(float(text))
    fraction = simple_fraction(value)
    return None if fraction is None else se.Rational(fraction.numerator, fraction.denominator)
