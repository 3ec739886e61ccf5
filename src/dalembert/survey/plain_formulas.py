"""The same as `TimedFormulas` where exact formulas grow too large: as computations that nobody multiplies out.

A scalar is an expression with its values at the pilot's points, and a bound of how much of these is rounding. A sum
that is nothing but rounding at every point vanishes; else computations stand as they were made, with shared parts. So a
formula is as long as the elimination that led to it, and not as its terms, which multiply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.elimination import Reduced, reduce_rows
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import TooLarge
from dalembert.arrays import Array
from dalembert.language.building import Expr
from dalembert.language.calculus import ONE, ZERO, Calculus
from dalembert.language.program import Program
from dalembert.language.walk import fold
from dalembert.survey.eliminating import Eliminating

MAX_PARTS = 100_000  # different ones in a condition: its second derivatives have some hundred times as many
_ROUNDING = 2.0**-52
_LOST = 8.0  # times the bound up to which a sum is rounding
_CANCELS = 1e-10  # part of its terms up to which a slope is none


@dataclass(frozen=True)
class Computed:
    """An expression, its values at some points, and how much of these may be rounding."""

    expr: Expr
    values: Array
    error: Array

    def __neg__(self) -> Computed:
        return Computed(-self.expr, -self.values, self.error)

    def __add__(self, other: Computed) -> Computed:
        if self.expr == 0 or other.expr == 0:
            return other if self.expr == 0 else self
        values = self.values + other.values
        error = self.error + other.error + _ROUNDING * (np.abs(self.values) + np.abs(other.values))
        if np.all(np.abs(values) <= _LOST * error) and np.any(error > 0):  # where all is zero nothing is known of a sum
            return _constant(ZERO, values)
        return Computed(self.expr + other.expr, values, error)

    def __sub__(self, other: Computed) -> Computed:
        return self + -other

    def __mul__(self, other: Computed) -> Computed:
        values = self.values * other.values
        if self.expr == 0 or other.expr == 0:
            return _constant(ZERO, values)
        error = np.abs(self.values) * other.error + np.abs(other.values) * self.error + _ROUNDING * np.abs(values)
        return Computed(self.expr * other.expr, values, error)

    def __truediv__(self, other: Computed) -> Computed:
        if self.expr == 0:
            return self
        values = self.values / other.values
        error = (self.error + np.abs(values) * other.error) / np.abs(other.values) + _ROUNDING * np.abs(values)
        return Computed(self.expr / other.expr, values, error)


def _constant(value: Expr, like: Array) -> Computed:
    return Computed(value, np.full(like.shape, float(value)), np.zeros(like.shape))


class PlainField:
    """What is asked of the arithmetic of such scalars."""

    rounds = False

    def __init__(self, points: Array):
        self.zero, self.one = (_constant(value, points[0]) for value in (ZERO, ONE))

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Do nothing: conditions are bounded where they are written."""
        yield

    @staticmethod
    def is_zero(formula: Computed) -> bool:
        """Tell whether a formula vanishes."""
        return formula.expr == 0

    @staticmethod
    def primitive(vector: dict[int, Computed]) -> dict[int, Computed]:
        """Return what there is of a vector."""
        return {k: value for k, value in vector.items() if value.expr != 0}

    @staticmethod
    def substitute(formula: Computed, values: Mapping[Expr, Computed]) -> Expr:
        """Put formulas in the place of symbols."""
        return formula.expr.xreplace({symbol: value.expr for symbol, value in values.items()})


class PlainFormulas(Eliminating):
    """Eliminates in rows of expressions, whose inputs have values at some points: an array (inputs, points)."""

    def __init__(self, inputs: Sequence[Expr], points: Array, velocities: Sequence[Expr]):
        self.inputs, self.points, self.velocities = inputs, points, velocities
        self.field: Any = PlainField(points)
        self._known: dict[Expr, Computed] = {}

    def read(self, expr: Expr) -> Computed:
        """Turn an expression into a scalar."""
        if expr not in self._known:
            self._read([expr])
        return self._known[expr]

    def _read(self, expressions: Sequence[Expr]) -> None:
        found = Program(self.inputs, list(expressions)).arrays(list(self.points))
        for expr, values in zip(expressions, found, strict=True):
            values = np.broadcast_to(np.asarray(values, dtype=float), self.points.shape[1:])
            exact = expr == 0
            error = np.zeros(values.shape) if exact else 4 * _ROUNDING * np.abs(values)
            self._known[expr] = Computed(expr, values, error)

    @staticmethod
    def write(formula: Computed) -> Expr:
        """Turn a scalar into an expression."""
        return formula.expr

    def reduced(
        self, rows: Sequence[Mapping[int, Expr]], right: Sequence[Expr], free: frozenset[int] = frozenset()
    ) -> Reduced:
        """Reduce independent rows, never by a column that is free; raise ZeroDivisionError where that cannot be."""
        self._read([*(entry for row in rows for entry in row.values()), *right])
        pilot, known = Pilot(), self._known
        numbers = [{j: known[entry].values for j, entry in row.items()} for row in rows]
        reduce_rows(numbers, [0.0] * len(rows), Numbers, pilot, free)
        formulas = [{j: known[entry] for j, entry in row.items()} for row in rows]
        return reduce_rows(formulas, [known[x] for x in right], self.field, pilot.replay(), free)

    def vanishing(self, formula: Computed | Expr) -> Expr:
        """Write a condition, without the velocities on which it does not depend."""
        expr = formula.expr if isinstance(formula, Computed) else formula
        if (parts := _parts_of(expr)) > MAX_PARTS:
            raise TooLarge(f"a condition of {parts} parts")
        return self._without_idle(expr)

    def _without_idle(self, expr: Expr) -> Expr:
        """Put zero for velocities whose slopes cancel, at any velocities."""
        moving = [v for v in self.velocities if v in expr.free_symbols]
        if not moving:
            return expr
        calculus = Calculus(moving)
        terms = calculus.terms(calculus.lift(expr))
        slopes = [[calculus.lower(calculus.diff(term, v)) for term in terms if v in term.free_symbols] for v in moving]
        random, points = np.random.default_rng(len(terms)), self.points.copy()
        for k, symbol in enumerate(self.inputs):
            if symbol in self.velocities:
                points[k] += random.uniform(-1, 1, points.shape[1])
        values = iter(Program(self.inputs, [slope for some in slopes for slope in some]).arrays(list(points)))
        idle = []
        for v, some in zip(moving, slopes, strict=True):
            found = np.array([np.broadcast_to(next(values), points.shape[1:]) for _ in some])
            sizes = np.abs(found).sum(axis=0)
            if np.all(np.abs(found.sum(axis=0)) <= _CANCELS * sizes) and np.any(sizes > 0):
                idle.append(v)
        return expr.xreplace(dict.fromkeys(idle, ZERO)) if idle else expr


def _parts_of(expr: Expr) -> int:
    known: dict = {}
    fold(expr, lambda node, args: None, known)
    return len(known)
