"""Blocks as they are shown: their numbers as a person wrote them. Kernels keep the floats that they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import symengine as se

from dalembert.algebra.decimals import short_decimal, simple_fraction
from dalembert.algebra.writing.numerals import numbers, numerals
from dalembert.blocks.symbolic import Blocks
from dalembert.language.building import Expr


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
    plain = {number: _plain(float(number)) for number in expr.atoms(se.RealDouble)}
    return expr.xreplace({number: value for number, value in plain.items() if value is not None})


def _plain(value: float) -> Expr | None:
    if value == int(value) and abs(value) < 1e9:
        return se.Integer(int(value))
    if text := short_decimal(value):
        return se.RealDouble(float(text))
    fraction = simple_fraction(value)
    return None if fraction is None else se.Rational(fraction.numerator, fraction.denominator)
