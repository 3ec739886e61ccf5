"""Writes expressions in few operations, over the field of what stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.rational import Field, TooLarge
from dalembert.algebra.writing.cost import operations, total
from dalembert.algebra.writing.figures import in_decimals, scaled
from dalembert.algebra.writing.writer import Writer
from dalembert.forms.scene import MAX_UNKNOWNS, Scene
from dalembert.language.building import Expr

MAX_LENGTH = 300  # operations of one formula; longer ones stay as they are
MAX_TOTAL = 1_000  # operations of equations or of reactions; longer ones are not read as formulas, and stay as they are
_MERGED = 400  # products of terms, up to which a sum of products is multiplied out
_SHORTER = 0.95  # of the operations that an equation must have if its products are merged: rows read better


class Pen:
    """Writes some expressions in few operations; as they are, where that does not shorten.

    residuals: what vanishes where the formulas hold, as far as they may be shortened by it.
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
        self._decimal, self._rates = scene.decimal, [se.Symbol(f"{q.name}''") for q in scene.blocks.q]
        if self.long:
            return
        self.field = Field([*expressions, *residuals], momenta=momenta, apart=False)
        self._prepare(scene)
        self.field.writer = Writer(self.field, self._relations(residuals), scene.system.parameters)

    def _relations(self, residuals: Iterable[Expr]) -> list[Any]:
        """Return what vanishes on the motion as polynomials; long ones shorten nothing."""
        found = []
        for residual in residuals:
            try:
                found.append(self.field.read(residual).numerator)
            except TooLarge:
                continue
        return found

    def _prepare(self, scene: Scene) -> None:
        """Give values at the pilot's points; what has none there counts as one, which decides signs only."""
        names = {symbol.name for generator in self.field.generators for symbol in generator.free_symbols}
        more = [se.Symbol(name) for name in sorted(names - {symbol.name for symbol in scene.inputs})]
        points = np.vstack([scene.points, np.ones((len(more), scene.points.shape[1]))])
        self.field.set_points([*scene.inputs, *more], points)

    def written(self, element: Any) -> Expr:
        """Write an element of the field."""
        return self._figures(self.field.writer.value(element))

    def _figures(self, expr: Expr) -> Expr:
        return in_decimals(expr) if self._decimal else expr

    def value(self, expr: Expr) -> Expr:
        """Write a value."""
        return self._figures(self._value(expr))

    def _value(self, expr: Expr) -> Expr:
        return self._shorter(expr, lambda: self.field.writer.value(self.field.read(expr)))

    def equation(self, expr: Expr, wanted: Sequence[Expr] = ()) -> Expr:
        """Write an equation that vanishes: solved for what is wanted, else without what all terms share."""
        for left in expr.args if expr.is_Add else (expr,):
            if left in wanted:
                right = self.value(se.Add(left, -expr))
                return se.Add(left, *[-term for term in (right.args if right.is_Add else (right,))])
        found = self._shorter(expr, lambda: self.field.writer.vanishing(self.field.read(expr)))
        return in_decimals(scaled(found, expr, self._rates)) if self._decimal else found

    def product(self, pairs: Sequence[tuple[Expr, Expr]], wanted: Sequence[Expr] = ()) -> Expr:
        """Write a sum of products that vanishes: row by row, or merged if that is shorter."""
        return self._figures(self._product(pairs, wanted))

    def _product(self, pairs: Sequence[tuple[Expr, Expr]], wanted: Sequence[Expr]) -> Expr:
        apart = se.Add(*[self._value(factor) * self._value(row) for factor, row in pairs])
        if len(pairs) == 1 or self.long:
            return apart if self.long else self.equation(apart, wanted)
        try:
            read = [(self.field.read(factor), self.field.read(row)) for factor, row in pairs]
            length = self.field.length
            if sum(length(factor) * length(row) for factor, row in read) > _MERGED:
                return apart
            if wanted:
                merged = self.equation(se.Add(*[factor * row for factor, row in pairs]), wanted)
            else:
                merged = self.field.writer.vanishing(sum((x * y for x, y in read), self.field.zero))
        except TooLarge:
            return apart
        return merged if operations(merged) <= _SHORTER * operations(apart) else apart

    def _shorter(self, expr: Expr, write: Any) -> Expr:
        if self.long or operations(expr) > MAX_LENGTH:
            return expr
        try:
            return min((write(), expr), key=operations)
        except TooLarge:
            return expr
