"""Writes expressions in few operations, over the field of what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.rational import Field, TooLarge
from dalembert.algebra.writing.collapsing import collapsed
from dalembert.algebra.writing.cost import operations, total
from dalembert.algebra.writing.figures import (
    in_decimals,
    in_natural_scale,
    in_shorter_numbers,
    scaled,
    without_fractions,
    without_scale,
)
from dalembert.algebra.writing.numerals import figures, has_decimals, numbers, numerals
from dalembert.algebra.writing.pythagoras import completed
from dalembert.algebra.writing.signs import opened, spread
from dalembert.algebra.writing.writer import Writer
from dalembert.forms.prepared import MAX_UNKNOWNS, Scene
from dalembert.language.building import Expr, is_numeral

MAX_LENGTH = 300  # operations of one formula; longer ones stay as they are
MAX_TOTAL = 1_000  # operations of equations or of reactions; longer ones are not read as formulas, and stay as they are
_MERGED = 400  # products of terms, up to which a sum of products is multiplied out
_SHORTER = 0.95  # of the operations that an equation must have if its products are merged: rows read better
_FEW = 12  # operations of what can hardly be shorter if numbers are put together before it is written
_FIGURES = 4  # digits of numbers then: longer ones nobody wrote, and nobody could follow
_SMALL = 4  # whole numbers that anyone may write

Pairs = Sequence[tuple[Expr, Expr]]


class Pen:
    """Writes some expressions in few operations; as they are, where that does not shorten.

    residuals: what vanishes where the formulas hold, as far as they may be shortened by it.

    Decimals are written in one of two ways: as symbols, so that what was written stays to be seen; or put together
    before anything is arranged, where that makes the formula much shorter.
    """

    def __init__(
        self,
        scene: Scene,
        expressions: Sequence[Expr],
        momenta: Sequence[Expr] = (),
        residuals: Sequence[Expr] = (),
    ):
        large = len(scene.blocks.q) + scene.rank > MAX_UNKNOWNS  # of which nothing is read as a formula
        self.long = large or not expressions or total(expressions) > MAX_TOTAL
        self._given = scene, list(expressions), momenta, residuals

    @cached_property
    def field(self) -> Field:
        """The field in which decimals are symbols."""
        return self._field(numerals)

    def _field(self, lift: Callable[[Expr], Expr]) -> Field:
        scene, expressions, momenta, residuals = self._given
        field = Field(map(lift, (*expressions, *residuals)), momenta=momenta, apart=False)
        # values at the pilot's points; what has none there counts as one, which decides signs only
        names = {symbol.name for generator in field.generators for symbol in generator.free_symbols}
        unknown = names - {symbol.name for symbol in scene.inputs}
        more = [symbol for symbol in map(se.Symbol, sorted(unknown)) if not is_numeral(symbol)]
        points = np.vstack([scene.points, np.ones((len(more), scene.points.shape[1]))])
        field.set_points([*scene.inputs, *more], points)
        field.writer = Writer(field, _relations(field, map(lift, residuals)), scene.system.parameters)
        return field

    def read(self, expr: Expr) -> Any:
        """Return an expression as an element of the field."""
        return self.field.read(numerals(expr))

    def written(self, element: Any) -> Expr:
        """Write an element of the field."""
        found = self.field.writer.value(element)
        return self._best(lambda hand: figures(found) if hand is self._hand else hand.value(found), [found])

    # --- what is written ---------------------------------------------------------------------------------------------

    def value(self, expr: Expr) -> Expr:
        """Write a value."""
        return self._best(lambda hand: hand.value(expr), [expr])

    def together(self, expr: Expr) -> Expr:
        """Write a value however long it is, with its numbers put together first: what cancels in it is gone then."""
        field = self._field(numbers)
        return opened(without_fractions(field.writer.value(field.read(numbers(expr)))))

    def equation(self, expr: Expr, wanted: Sequence[Expr] = ()) -> Expr:
        """Write an equation that vanishes: solved for what is wanted, else without what all terms share."""
        return self._best(lambda hand: hand.equation(expr, wanted), [expr])

    def product(self, pairs: Pairs, wanted: Sequence[Expr] = ()) -> Expr:
        """Write a sum of products that vanishes: row by row, or merged if that is shorter."""
        return self._best(lambda hand: hand.product(pairs, wanted), [e for pair in pairs for e in pair])

    def _best(self, write: Callable[[_Hand], Expr], given: Sequence[Expr]) -> Expr:
        found = write(self._hand)
        length = operations(found)
        if self.long or length <= _FEW or not any(_decimals(expr) for expr in given):
            return found
        other = write(self._other_hand)
        shorter = operations(other)
        if shorter >= length or _figures_of(other) > _FIGURES or _whole(other) - _whole(found):
            return found
        return other

    @cached_property
    def _hand(self) -> _Hand:
        return _Hand(None if self.long else self.field, numerals, figures)

    @cached_property
    def _other_hand(self) -> _Hand:
        return _Hand(self._field(numbers), numbers, in_decimals, self._given[0].blocks.q)


class _Hand:
    """One of the ways in which decimals are written. lift: as the field takes them. show: as they are read.

    None as a field leaves all as it is.
    """

    def __init__(
        self,
        field: Field | None,
        lift: Callable[[Expr], Expr],
        show: Callable[[Expr], Expr],
        scaled_by: Iterable[Expr] = (),
    ):
        self._field, self._lift, self._show = field, lift, show
        self._rates = [se.Symbol(f"{q.name}''") for q in scaled_by]

    def value(self, expr: Expr) -> Expr:
        found = self._value(self._lift(expr))
        return opened(completed(self._show(found if _decimals(expr) else spread(found))))

    def _value(self, expr: Expr) -> Expr:
        return self._shorter(expr, lambda field: field.writer.value(field.read(expr)))

    def equation(self, expr: Expr, wanted: Sequence[Expr]) -> Expr:
        expr = self._lift(expr)
        for left in expr.args if expr.is_Add else (expr,):
            if left in wanted:
                right = self.value(se.Add(left, -expr))
                return se.Add(left, *[-term for term in (right.args if right.is_Add else (right,))])
        found = self._shorter(expr, lambda field: field.writer.vanishing(field.read(expr)))
        shown = completed(self._show(scaled(found, expr, self._rates) if self._rates else found))
        row = numbers(expr)
        return opened(without_scale(in_natural_scale(in_shorter_numbers(shown, row), row)))

    def product(self, pairs: Pairs, wanted: Sequence[Expr]) -> Expr:
        return opened(completed(self._show(self._product([(self._lift(a), self._lift(b)) for a, b in pairs], wanted))))

    def _product(self, pairs: Pairs, wanted: Sequence[Expr]) -> Expr:
        field = self._field
        apart = se.Add(*[self._value(factor) * self._value(row) for factor, row in pairs])
        if len(pairs) == 1 or field is None:
            return apart if field is None else self.equation(apart, wanted)
        try:
            read = [(field.read(factor), field.read(row)) for factor, row in pairs]
            if sum(field.length(factor) * field.length(row) for factor, row in read) > _MERGED:
                return apart
            if wanted:
                merged = self.equation(se.Add(*[factor * row for factor, row in pairs]), wanted)
            else:
                merged = field.writer.vanishing(sum((x * y for x, y in read), field.zero))
        except TooLarge:
            return apart
        return merged if operations(merged) <= _SHORTER * operations(apart) else apart

    def _shorter(self, expr: Expr, write: Callable[[Field], Expr]) -> Expr:
        if self._field is None or operations(expr) > MAX_LENGTH:
            return collapsed(expr)
        try:
            return min((collapsed(write(self._field)), expr), key=operations)
        except TooLarge:
            return expr


def _relations(field: Field, residuals: Iterable[Expr]) -> list[Any]:
    """Return what vanishes on the motion as polynomials; long ones shorten nothing."""
    found = []
    for residual in residuals:
        try:
            found.append(field.read(residual).numerator)
        except TooLarge:
            continue
    return found


def _decimals(expr: Expr) -> bool:
    return has_decimals(expr) or any(map(is_numeral, expr.free_symbols))


def _whole(expr: Expr) -> set[int]:
    """Return whole numbers that are not small: in a formula of decimals they come from clearing denominators."""
    return {abs(int(x)) for x in expr.atoms(se.Integer) if abs(int(x)) > _SMALL}


def _figures_of(expr: Expr) -> int:
    """Return how many digits the longest number has; zeros in front do not count."""
    texts = (part for x in expr.atoms(se.Number) for part in str(abs(x)).split("/"))
    return max((len(text.replace(".", "").lstrip("0")) for text in texts), default=1) or 1
