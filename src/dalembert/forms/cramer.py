"""Multipliers of a few conditions by the rule of Cramer: W = A M⁻¹Aᵀ, b = c − A M⁻¹f, Δ = det W, λ = W⁻¹b."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import symengine as se

from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import is_negative, operations
from dalembert.forms.base import Coupling, conditions
from dalembert.forms.sheet import NamedSteps, dot, needed
from dalembert.language.building import Expr

MAX_CONDITIONS = 3  # whose determinant one can read
_HOPELESS = 1.6  # times the operations of a sum of products, at a rough look, of what does not become shorter
_TERMS = 60  # of a coefficient; longer ones are better taken apart


class ByCramer(NamedSteps):
    """Steps with a determinant."""

    @cached_property
    def multipliers(self) -> list[Expr]:
        """λ of each independent condition."""
        C, delta = self._inverse
        values = [dot(row, self.needed) / delta for row in C]
        return [self.named(name, value) for name, value in zip(self.names_of_multipliers, values, strict=True)]

    @property
    def matrices(self) -> dict[str, list[list[Expr]]]:
        """N = M⁻¹AᵀW⁻¹ and P = E − N A."""
        return {"N": self._N, "P": self._P}

    @property
    def _N(self) -> list[list[Expr]]:
        C, delta = self._inverse
        return [[self.tidy(dot(column, row) / delta) for row in C] for column in zip(*self.solved[1], strict=True)]

    @property
    def _P(self) -> list[list[Expr]]:
        C, delta = self._inverse
        found = []
        for i, y in enumerate(zip(*self.solved[1], strict=True)):
            row = [dot(y, inner) for inner in C]
            found.append(
                [self.tidy(int(i == j) - dot(row, a) / delta) for j, a in enumerate(zip(*self.rows, strict=True))]
            )
        return found

    def in_one_factor(self) -> tuple[list[Expr], dict[str, Expr]]:
        """Return q̈ = M⁻¹f + k y of a single condition, with y free of what its entries share, and what k stands for.

        x″ = −k x, y″ = −k y − g is how a person writes a pendulum.
        """
        found, field, write = self._found, self.pen.field, self.pen.written
        (column,), ((w,),), (b,) = found.Y, found.W, found.b
        y = field.primitive(dict(enumerate(column)))
        j = next(iter(y))
        factor, sign = b / w * (column[j] / y[j]), 1
        if factor == field.zero:
            raise TooLarge("there is no reaction")
        if is_negative(write(factor)):
            factor, sign = -factor, -1
        k = self.scene.free_name("k", {*self.names, *self.scene.definitions})
        lines = [write(a) + sign * k * write(y[i]) if i in y else write(a) for i, a in enumerate(found.free)]
        names = {k.name: write(factor)}
        return lines, {**needed([*lines, *names.values()], self.names), **names}

    # --- the coefficients --------------------------------------------------------------------------------------------

    @cached_property
    def _found(self) -> Coupling:
        """What the multipliers are solved from, as elements of the field."""
        scene, pen, b = self.scene, self.pen, self.scene.blocks
        if not 0 < len(scene.kept) <= MAX_CONDITIONS or pen.long:
            raise TooLarge
        rows = scene.rows(pen.field, [pen.read(e) for e in (*b.M.values(), *self.forces, *b.A.values(), *b.c)])
        pilot = Pilot()
        conditions(scene.arrays, pilot)
        with pen.field.bounded():
            found = conditions(rows, pilot.replay())
        elements = (*found.free, *found.b, *(e for row in (*found.Y, *found.W) for e in row))
        if max(map(pen.field.length, elements)) > _TERMS:
            raise TooLarge
        return found

    @cached_property
    def solved(self) -> tuple[list[Expr], list[list[Expr]]]:
        """M⁻¹f, and M⁻¹Aᵀ column by column."""
        found, write = self._found, self.pen.written
        return [write(a) for a in found.free], [[write(entry) for entry in y] for y in found.Y]

    @cached_property
    def _inverse(self) -> tuple[list[list[Expr]], Expr]:
        """W⁻¹ by Cramer's rule: the cofactors, named where there are many, and the determinant."""
        found = self._found.W
        s = len(found)
        W: dict[tuple[int, int], Expr] = {}
        for i in range(s):
            for j in range(i, s):
                value = self._shorter(found[i][j], dot(self.rows[i], self.solved[1][j]))
                W[i, j] = W[j, i] = self.named("W" if s == 1 else f"W_{i + 1}{j + 1}", value)
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
                    cofactors[i, j] = cofactors[j, i] = self.named(f"C_{i + 1}{j + 1}", value)
            C = [[cofactors[i, j] for j in range(3)] for i in range(3)]
        return C, self.named("det_W", dot([W[0, j] for j in range(s)], C[0]))

    @cached_property
    def needed(self) -> list[Expr]:
        """The right sides b = c − A M⁻¹f."""
        values = []
        for i, row, element in zip(self.scene.kept, self.rows, self._found.b, strict=True):
            values.append(self._shorter(element, self.scene.blocks.c[i] - dot(row, self.solved[0])))
        return [self.named("b" if len(values) == 1 else f"b_{k + 1}", value) for k, value in enumerate(values)]

    def _shorter(self, element: Any, as_it_comes: Expr) -> Expr:
        """Write an element over a common denominator, or leave the sum as it comes."""
        if self.pen.field.writer.roughly(element) > _HOPELESS * operations(as_it_comes):
            return as_it_comes
        return min(self.pen.written(element), as_it_comes, key=operations)
