"""Formulas of what is hidden in programmes: left null vectors of K, and conditions without u.

Which entries are eliminated by which is decided on the pilot's places; then the same is done with formulas.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import symengine as se
from scipy.linalg import qr

from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.elimination import reduce_rows
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import Field
from dalembert.algebra.writing.numerals import numbers, numerals
from dalembert.arrays import Array
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.language.walk import fold, rebuild
from dalembert.survey.eliminating import Eliminating

_SINGULAR = 1e-9  # of a balanced matrix: singular values below are zero
_ROUNDS = 12  # in which a matrix is balanced


class TimedFormulas(Eliminating):
    """Eliminates in rows of expressions, whose inputs have values at some points: an array (inputs, points).

    inputs: the time first. What depends on the time alone, such as a path and its derivatives, is taken as it is, by a
    symbol: so it stays as it is written, and elimination takes no longer with long paths.
    """

    def __init__(self, inputs: Sequence[Expr], points: Array, moving: Collection[Expr], expressions: Sequence[Expr]):
        self.inputs, self.points, self._moving, self._t = inputs, points, frozenset(moving), inputs[0]
        self._symbols: dict[Expr, Expr] = {}  # by what they stand for
        given = [self._apart(expr) for expr in expressions]
        self.field: Any = Field([*given, *inputs, *self._symbols.values()])
        values = Program(inputs, list(self._symbols)).arrays(list(points)) if self._symbols else []
        known = np.vstack([points, *[np.broadcast_to(x, points.shape[1:]) for x in values]])
        self.field.set_points([*inputs, *self._symbols.values()], known)

    def _apart(self, expr: Expr) -> Expr:
        """Put symbols in the place of what depends on the time alone."""

        def place(part: Expr) -> Expr:
            if -part in self._symbols:
                return -self._symbols[-part]
            return self._symbols.setdefault(part, se.Symbol(f"of time {len(self._symbols)}"))

        def is_timed(part: Expr) -> bool:
            return self._t in part.free_symbols and not part.free_symbols & self._moving

        def combine(node: Expr, parts: list[Expr]) -> Expr:
            if not node.args or is_timed(node):
                return node
            if not (node.is_Add or node.is_Mul):
                return rebuild(node, [place(p) if is_timed(p) else p for p in parts])
            timed = [part for part in node.args if is_timed(part)]
            others = [p for part, p in zip(node.args, parts, strict=True) if not is_timed(part)]
            return node.func(*others, *([place(node.func(*timed))] if timed else []))

        expr = numerals(expr)  # digits of decimals would multiply
        found = fold(expr, combine)
        return place(found) if is_timed(found) else found

    def read(self, expr: Expr) -> Any:
        """Turn an expression, one of those that were given, into a formula."""
        return self.field.read(self._apart(expr))

    def write(self, formula: Any) -> Expr:
        """Turn a formula into an expression."""
        return numbers(self.field.write(formula).xreplace({symbol: expr for expr, symbol in self._symbols.items()}))

    def reduced(self, rows: Sequence[Mapping[int, Expr]], right: Sequence[Expr], free: frozenset[int] = frozenset()):
        """Reduce independent rows, never by a column that is free; raise ZeroDivisionError where that cannot be."""
        program = Program(self.inputs, [entry for row in rows for entry in row.values()])
        values = iter(program.arrays(list(self.points)))
        pilot, read = Pilot(), self.read
        reduce_rows([{j: next(values) for j in row} for row in rows], [0.0] * len(rows), Numbers, pilot, free)
        formulas = [{j: read(entry) for j, entry in row.items()} for row in rows]
        return reduce_rows(formulas, [read(x) for x in right], self.field, pilot.replay(), free)

    def vanishing(self, formula: Any) -> Expr:
        """Write what vanishes where a formula does, and nowhere has no value."""
        plain = formula.denominator.is_constant()
        return self.write(formula if plain else self.field.quotient(formula.numerator, self.field.unit))


def balanced_entries(A: Array) -> Array:
    """Return a matrix whose rows and columns have entries of size one."""
    A = A.copy()
    for _ in range(_ROUNDS):
        for axis in (0, 1):
            size = np.sqrt(np.max(np.abs(A), axis=axis, keepdims=True, initial=0.0))
            A /= np.where(size > 0, size, 1.0)
    return A


def rank_of(A: Array) -> int:
    """Return the rank of a matrix, whatever the units of rows and columns."""
    if 0 in A.shape:
        return 0
    values = np.linalg.svd(balanced_entries(A), compute_uv=False)
    return int(np.sum(values > _SINGULAR * values[0]))


def independent_columns(A: Array) -> list[int]:
    """Return as many columns as the rank, which are independent."""
    order: Any = qr(balanced_entries(A), mode="r", pivoting=True)
    return sorted(order[1][: rank_of(A)].tolist())
