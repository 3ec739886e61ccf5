"""A derivation in few operations: the same equations, matrices and reactions, as a person would write them.

Angles meet (sin(α + β)), terms are collected and factored, squares completed, the constraints used where they shorten,
and what several equations share gets a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.algebra.rational import Field, TooLarge
from dalembert.algebra.writing.cost import operations
from dalembert.algebra.writing.names import shared_parts
from dalembert.algebra.writing.writer import Writer
from dalembert.language.building import CONSTANTS, Expr
from dalembert.language.functions import FUNCTIONS

if TYPE_CHECKING:
    from dalembert.forms.derivation import Derivation

MAX_LENGTH = 300  # operations of one formula; longer ones stay as they are
MAX_TOTAL = 2_000  # operations of a derivation; a longer one is not read as formulas, and stays as it is

_LONG = f"too long to be written in few operations: more than {MAX_TOTAL} altogether"


def shortened(derivation: Derivation) -> Derivation:
    """Return a derivation whose formulas are written in few operations; where that does not shorten, as they were."""
    if sum(map(operations, formulas(derivation))) > MAX_TOTAL:
        return replace(derivation, notes=[*derivation.notes, _LONG])
    return _Shortening(derivation).result()


def formulas(derivation: Derivation) -> Iterable[Expr]:
    """Give all formulas of a derivation."""
    yield from derivation.expressions
    for rows in derivation.entries.values():
        for row in rows:
            yield from row
    for row in derivation.reaction_expressions.values():
        yield from row
    yield from derivation.multiplier_expressions.values()


class _Shortening:
    def __init__(self, derivation: Derivation):
        self.derivation, self.scene = derivation, derivation.scene
        b = self.scene.blocks
        residuals = [r for r in (*b.g, *b.psi) if r is not None]
        self.momenta = derivation.kind.symbols(self.scene)
        self.field = Field([*formulas(derivation), *residuals], momenta=self.momenta, apart=False)
        self._prepare()
        moving = [residual for residual in residuals if not (self.momenta and residual in b.psi)]
        self.field.writer = Writer(self.field, self._relations(moving), derivation.system.parameters)

    def _relations(self, residuals: Iterable[Expr]) -> list[Any]:
        """Return what vanishes on the motion as polynomials; long ones shorten nothing."""
        found = []
        for residual in residuals:
            try:
                found.append(self.field.read(residual).numerator)
            except TooLarge:
                continue
        return found

    def _prepare(self) -> None:
        """Give values at the pilot's points; what has none there counts as one, which decides signs only."""
        scene = self.scene
        names = {symbol.name for generator in self.field.generators for symbol in generator.free_symbols}
        more = [se.Symbol(name) for name in sorted(names - {symbol.name for symbol in scene.inputs})]
        points = np.vstack([scene.points, np.ones((len(more), scene.points.shape[1]))])
        self.field.set_points([*scene.inputs, *more], points)

    def result(self) -> Derivation:
        d, system = self.derivation, self.derivation.system
        equations = [self.equation(expr) for expr in d.expressions]
        names: dict[str, Expr] = {}
        if not d.kind.plain:  # rows of blocks read best as they are
            taken = {*system.coordinates, *system.parameters, *d.abbreviation_expressions, *FUNCTIONS, *CONSTANTS}
            taken |= {symbol.name for expr in equations for symbol in expr.free_symbols}
            equations, names = shared_parts(equations, taken, system.parameters)
        return replace(
            d,
            expressions=equations,
            entries={name: [self.values(row) for row in rows] for name, rows in d.entries.items()},
            reaction_expressions={name: self.values(row) for name, row in d.reaction_expressions.items()},
            multiplier_expressions={name: self.value(e) for name, e in d.multiplier_expressions.items()},
            abbreviation_expressions={**d.abbreviation_expressions, **names},
        )

    def values(self, row: Sequence[Expr]) -> list[Expr]:
        return [self.value(entry) for entry in row]

    def value(self, expr: Expr) -> Expr:
        """Write a value."""
        if operations(expr) > MAX_LENGTH:
            return expr
        try:
            return min((self.field.writer.value(self.field.read(expr)), expr), key=operations)
        except TooLarge:
            return expr

    def equation(self, expr: Expr) -> Expr:
        """Write an equation that vanishes: solved for what it was solved for, else without what all terms share."""
        if operations(expr) > MAX_LENGTH:
            return expr
        left = self.solved_for(expr)
        if left is not None:
            right = self.value(se.Add(left, -expr))
            return se.Add(left, *[-term for term in (right.args if right.is_Add else (right,))])
        try:
            return min((self.field.writer.vanishing(self.field.read(expr)), expr), key=operations)
        except TooLarge:
            return expr

    def solved_for(self, expr: Expr) -> Expr | None:
        """Return the symbol for which an equation is solved: the only rate or reaction, alone."""
        d = self.derivation
        if d.form == "explicit":
            wanted = [se.Symbol(f"{q.name}''") for q in self.scene.blocks.q]
        elif d.form == "reactions":
            wanted = [self.scene.fresh("r", q.name) for q in self.scene.blocks.q]
        elif self.momenta:
            wanted = [*self.scene.blocks.v, *(se.Symbol(f"{p.name}'") for p in self.momenta)]
        else:
            return None
        for term in expr.args if expr.is_Add else (expr,):
            if term in wanted:
                return term
        return None
