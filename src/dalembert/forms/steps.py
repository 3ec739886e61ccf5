"""Multipliers in named steps, where one formula would fill a page: W = A M⁻¹Aᵀ, b = c − A M⁻¹f, Δ = det W, λ = W⁻¹b.

A person who solves a few conditions writes down their coefficients first, then the determinant, then each multiplier;
accelerations and reactions follow in a line. The same is done here for as many conditions as have a rule of Cramer that
one can read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import symengine as se

from dalembert.algebra.elimination import factorise
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import operations, total
from dalembert.forms.base import dense, multiply
from dalembert.forms.pen import Pen
from dalembert.forms.scene import Scene
from dalembert.language.building import Expr

MAX_CONDITIONS = 3
LONG = 60  # operations of a formula, above which it is written in steps with all of its kind
_TOGETHER = 180  # of all of a kind, above which it is so too
GAIN = 0.6  # of the operations that they must have at most, names included
TRIVIAL = 2  # operations of what needs no name


def needed(formulas: Iterable[Expr], names: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return of some names those that formulas use, and those that these use."""
    found: dict[str, Expr] = {}
    open_names = {s.name for expr in formulas for s in expr.free_symbols} & names.keys()
    while open_names:
        found |= {name: names[name] for name in open_names}
        open_names = {s.name for name in open_names for s in names[name].free_symbols} & names.keys() - found.keys()
    return {name: names[name] for name in names if name in found}


def long(formulas: Iterable[Expr]) -> bool:
    """Tell whether one of some formulas is long, or all together are."""
    lengths = [operations(formula) for formula in formulas]
    return max(lengths, default=0) > LONG or sum(lengths) > _TOGETHER


def better(formulas: list[Expr], steps: list[Expr], names: dict[str, Expr]) -> bool:
    """Tell whether steps are to be shown in place of formulas."""
    return long(formulas) and total((*steps, *names.values())) + len(names) <= GAIN * total(formulas)


def steps_of(scene: Scene) -> NamedSteps:
    """Return the steps of a scene, found once."""
    return scene.memory.setdefault("steps", NamedSteps(scene))


@dataclass
class NamedSteps:
    """λ and what follows from it, by the names of its steps; all in t, q, v and parameters.

    names: what they stand for, in the order in which one computes.
    """

    scene: Scene
    names: dict[str, Expr] = field(default_factory=dict)

    @cached_property
    def multipliers(self) -> list[Expr]:
        """λ of each independent condition: its name, or what it is equal to if that needs none.

        TooLarge is raised where there are too many of them, here and in all that follows.
        """
        C, delta = self._inverse
        values = [se.Add(*[x * b for x, b in zip(row, self.needed, strict=True)]) / delta for row in C]
        constraints = self.scene.system.constraints
        names = [f"lambda_{constraints[i].name.replace('.', '_')}" for i in self.scene.kept]
        return [self._named(name, value) for name, value in zip(names, values, strict=True)]

    @property
    def accelerations(self) -> list[Expr]:
        """q̈ = M⁻¹f + M⁻¹Aᵀλ."""
        free, Y = self._solved
        return [
            self._tidy(a + _dot(self.multipliers, column)) for a, column in zip(free, zip(*Y, strict=True), strict=True)
        ]

    def reaction(self, k: int) -> list[Expr]:
        """Return Aᵀλ of one independent condition."""
        return [self._tidy(entry * self.multipliers[k]) for entry in self._rows[k]]

    @property
    def total(self) -> list[Expr]:
        """Aᵀλ of all."""
        return [self._tidy(_dot(self.multipliers, column)) for column in zip(*self._rows, strict=True)]

    @cached_property
    def N(self) -> list[list[Expr]]:
        """M⁻¹AᵀW⁻¹."""
        C, delta = self._inverse
        return [[self._tidy(_dot(column, row) / delta) for row in C] for column in zip(*self._solved[1], strict=True)]

    @property
    def P(self) -> list[list[Expr]]:
        """E − N A."""
        C, delta = self._inverse
        found = []
        for i, y in enumerate(zip(*self._solved[1], strict=True)):
            row = [_dot(y, inner) for inner in C]
            found.append(
                [self._tidy(int(i == j) - _dot(row, a) / delta) for j, a in enumerate(zip(*self._rows, strict=True))]
            )
        return found

    # --- the coefficients --------------------------------------------------------------------------------------------

    @cached_property
    def _pen(self) -> Pen:
        b = self.scene.blocks
        residuals = [residual for residual in (*b.g, *b.psi) if residual is not None]
        return Pen(self.scene, [*b.M.values(), *b.f, *b.A.values(), *b.c], residuals=residuals)

    @cached_property
    def _elements(self) -> tuple[list[Any], list[list[Any]], list[list[Any]], list[Any]]:
        """M⁻¹f, M⁻¹Aᵀ, A M⁻¹Aᵀ and c − A M⁻¹f as elements of the field."""
        scene, pen, b = self.scene, self._pen, self.scene.blocks
        if not 0 < len(scene.kept) <= MAX_CONDITIONS or pen.long:
            raise TooLarge
        rows = scene.rows(pen.field, [pen.field.read(e) for e in (*b.M.values(), *b.f, *b.A.values(), *b.c)])
        rows, pilot = rows.definite(), Pilot()
        factorise(scene.arrays.definite().M, scene.arrays.arithmetic, pilot)
        mass = factorise(rows.M, pen.field, pilot.replay())
        free = mass.solve(rows.f)
        Y = [mass.solve(dense(row, rows.n, pen.field)) for row in rows.A]
        W = [multiply(rows.A, y, pen.field) for y in Y]
        return free, Y, W, [c - a for c, a in zip(rows.c, multiply(rows.A, free, pen.field), strict=True)]

    @cached_property
    def _solved(self) -> tuple[list[Expr], list[list[Expr]]]:
        """M⁻¹f, and M⁻¹Aᵀ column by column."""
        free, Y, _, _ = self._elements
        write = self._pen.written
        return [write(a) for a in free], [[write(entry) for entry in y] for y in Y]

    @cached_property
    def _inverse(self) -> tuple[list[list[Expr]], Expr]:
        """W⁻¹ by Cramer's rule: the cofactors, named where there are many, and the determinant."""
        _, Y, found, _ = self._elements
        s = len(Y)
        W: dict[tuple[int, int], Expr] = {}
        for i in range(s):
            for j in range(i, s):
                value = self._shorter(found[i][j], _dot(self._rows[i], self._solved[1][j]))
                W[i, j] = W[j, i] = self._named("W" if s == 1 else f"W_{i + 1}{j + 1}", value)
        if s == 1:
            return [[se.Integer(1)]], W[0, 0]
        if s == 2:
            C = [[W[1, 1], -W[0, 1]], [-W[0, 1], W[0, 0]]]
        else:
            after = (1, 2, 0), (2, 0, 1)
            (a, b), cofactors = after, {}
            for i in range(3):
                for j in range(i, 3):
                    value = W[a[i], a[j]] * W[b[i], b[j]] - W[a[i], b[j]] * W[b[i], a[j]]
                    cofactors[i, j] = cofactors[j, i] = self._named(f"C_{i + 1}{j + 1}", value)
            C = [[cofactors[i, j] for j in range(3)] for i in range(3)]
        return C, self._named("Delta", _dot([W[0, j] for j in range(s)], C[0]))

    @cached_property
    def needed(self) -> list[Expr]:
        """The right sides c − A M⁻¹f."""
        values = []
        for i, row, element in zip(self.scene.kept, self._rows, self._elements[3], strict=True):
            values.append(self._shorter(element, self.scene.blocks.c[i] - _dot(row, self._solved[0])))
        return [self._named("b" if len(values) == 1 else f"b_{k + 1}", value) for k, value in enumerate(values)]

    @cached_property
    def _rows(self) -> list[list[Expr]]:
        b = self.scene.blocks
        return [[self._pen.value(b.A.get((i, j), se.Integer(0))) for j in range(len(b.q))] for i in self.scene.kept]

    def _shorter(self, element: Any, as_it_comes: Expr) -> Expr:
        """Write an element over a common denominator, or leave the sum as it comes."""
        return min(self._pen.written(element), as_it_comes, key=operations)

    def _named(self, name: str, value: Expr) -> Expr:
        """Give a value a name, unless it needs none."""
        if operations(value) <= TRIVIAL:
            return value
        symbol = self.scene.free_name(name, self.names)
        self.names[symbol.name] = value
        return symbol

    def _tidy(self, expr: Expr) -> Expr:
        """Write a line in which names stand."""
        return Pen(self.scene, [expr]).value(expr)


def _dot(x: Sequence[Expr], y: Sequence[Expr]) -> Expr:
    return se.Add(*[a * b for a, b in zip(x, y, strict=True)])
