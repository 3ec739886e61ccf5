"""The formulas of a derivation in few operations: the same equations, matrices and reactions, as a person writes them.

Angles meet (sin(α + β)), terms are collected and factored, squares completed, the constraints used where they shorten,
and what several equations share gets a name. So equations hold where the constraints do: on the motion. The rows of
M q̈ = f + Aᵀλ are only arranged, and hold everywhere.

Each part is written when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.rational import Field, TooLarge
from dalembert.algebra.writing.cost import operations, total
from dalembert.algebra.writing.names import in_order, shared_parts
from dalembert.algebra.writing.writer import Writer
from dalembert.forms.base import Form, Matrix
from dalembert.forms.raw import Raw
from dalembert.forms.scene import Scene
from dalembert.language.building import CONSTANTS, Expr
from dalembert.language.functions import FUNCTIONS

MAX_LENGTH = 300  # operations of one formula; longer ones stay as they are
MAX_TOTAL = 1_000  # operations of equations or of reactions; longer ones are not read as formulas, and stay as they are
_MERGED = 400  # products of terms, up to which a sum of products is multiplied out
_SHORTER = 0.95  # of the operations that an equation must have if its products are merged: rows read better


class Short:
    """What `Raw` has, in few operations."""

    def __init__(self, raw: Raw, form: Form, scene: Scene):
        self._raw, self._form, self._scene = raw, form, scene

    # --- equations and matrices --------------------------------------------------------------------------------------

    @property
    def expressions(self) -> list[Expr]:
        """The equations."""
        return self._equations[0]

    @cached_property
    def entries(self) -> dict[str, Matrix]:
        """The matrices by name."""
        raw, functions = self._raw.entries, self._form.functions
        pen = self._pen(e for name, rows in raw.items() if name not in functions for row in rows for e in row)
        found = {}
        for name, rows in raw.items():
            mine = Pen(self._scene, [e for row in rows for e in row]) if name in functions else pen
            found[name] = [[mine.value(entry) for entry in row] for row in rows]
        return found

    @cached_property
    def _equations(self) -> tuple[list[Expr], dict[str, Expr]]:
        """The equations, and what names in them and in reactions stand for; rows of blocks read best as they are."""
        raw = self._raw
        known, pen = raw.abbreviation_expressions, self._pen(raw.abbreviation_expressions.values())
        named = [pen.value(expr) for expr in known.values()]
        equations = self._rows() if self._form.plain else self._combined()
        open_to_names = [*([] if self._form.plain else equations), *named]
        written, names = shared_parts(open_to_names, self._taken(open_to_names), self._scene.system.parameters)
        rest = len(written) - len(named)
        names |= zip(known, written[rest:], strict=True)
        return (equations if self._form.plain else written[:rest]), in_order(names)

    def _rows(self) -> list[Expr]:
        """Write each row of the blocks by itself."""
        rows = self._raw.expressions
        if total(rows) > MAX_TOTAL:
            return rows
        return [Pen(self._scene, [row]).equation(row, self._wanted) for row in rows]

    @property
    def _wanted(self) -> list[Expr]:
        """What equations are solved for: that of a state for its rate, in every form."""
        scene = self._scene
        states = [se.Symbol(f"{q.name}''") for q in scene.blocks.q[scene.system.mechanical :]]
        return [*self._form.solved_for(scene), *states]

    def _combined(self) -> list[Expr]:
        """Write equations that are made of several rows."""
        raw = self._raw
        pen = self._pen(raw.expressions, (e for pairs in raw.products for pair in pairs for e in pair))
        if raw.products:
            return [pen.product(pairs, self._wanted) for pairs in raw.products]
        return [pen.equation(expr, self._wanted) for expr in raw.expressions]

    # --- reactions ---------------------------------------------------------------------------------------------------

    @cached_property
    def reaction_expressions(self) -> dict[str, list[Expr]]:
        """The reactions by constraint."""
        return {name: self._values(row) for name, row in self._raw.reaction_expressions.items()}

    @cached_property
    def multiplier_expressions(self) -> dict[str, Expr]:
        """λ by constraint."""
        raw = self._raw.multiplier_expressions
        return dict(zip(raw, self._values(raw.values()), strict=True))

    @cached_property
    def total_expressions(self) -> list[Expr]:
        """The total reaction."""
        return self._values(self._raw.total_expressions)

    @property
    def abbreviation_expressions(self) -> dict[str, Expr]:
        """What names stand for."""
        return self._equations[1]

    @cached_property
    def _reacting(self) -> Pen:
        raw = self._raw
        rows = raw.reaction_expressions.values()
        return self._pen([e for row in rows for e in row], raw.multiplier_expressions.values(), raw.total_expressions)

    def _values(self, row: Iterable[Expr]) -> list[Expr]:
        return [self._reacting.value(entry) for entry in row]

    # --- what all need -----------------------------------------------------------------------------------------------

    def _pen(self, *groups: Iterable[Expr]) -> Pen:
        form, scene = self._form, self._scene
        return Pen(scene, [e for group in groups for e in group], form.symbols(scene), form.vanishing(scene))

    def _taken(self, equations: Sequence[Expr]) -> set[str]:
        system = self._scene.system
        taken = {*system.coordinates, *system.parameters, *self._raw.abbreviation_expressions, *FUNCTIONS, *CONSTANTS}
        return taken | {symbol.name for expr in equations for symbol in expr.free_symbols}


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
        self._long = total(expressions) > MAX_TOTAL
        if self._long:
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

    def value(self, expr: Expr) -> Expr:
        """Write a value."""
        return self._shorter(expr, lambda: self.field.writer.value(self.field.read(expr)))

    def equation(self, expr: Expr, wanted: Sequence[Expr] = ()) -> Expr:
        """Write an equation that vanishes: solved for what is wanted, else without what all terms share."""
        for left in expr.args if expr.is_Add else (expr,):
            if left in wanted:
                right = self.value(se.Add(left, -expr))
                return se.Add(left, *[-term for term in (right.args if right.is_Add else (right,))])
        return self._shorter(expr, lambda: self.field.writer.vanishing(self.field.read(expr)))

    def product(self, pairs: Sequence[tuple[Expr, Expr]], wanted: Sequence[Expr] = ()) -> Expr:
        """Write a sum of products that vanishes: row by row, or merged if that is shorter."""
        apart = se.Add(*[self.value(factor) * self.value(row) for factor, row in pairs])
        if len(pairs) == 1 or self._long:
            return apart if self._long else self.equation(apart, wanted)
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
        if self._long or operations(expr) > MAX_LENGTH:
            return expr
        try:
            return min((write(), expr), key=operations)
        except TooLarge:
            return expr
