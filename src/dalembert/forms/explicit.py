"""The explicit form: q̈ = a_u + N(c − A a_u) = P a_u + N c with N = M⁻¹Aᵀ(A M⁻¹Aᵀ)⁻¹ (Beshaw)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.elimination import factorise
from dalembert.algebra.gramschmidt import Scalar
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.writing.cost import operations
from dalembert.document.nodes import Paragraph, Section
from dalembert.forms.base import (
    Form,
    Matrix,
    Solution,
    Written,
    conditions,
    product,
    register,
    remainder,
    transposed,
)
from dalembert.forms.cramer import ByCramer
from dalembert.forms.gain_steps import gain_steps
from dalembert.forms.multipliers import accelerations
from dalembert.forms.prepared import Rows, Scene
from dalembert.forms.sheet import LONG
from dalembert.forms.steps import steps_of
from dalembert.language.building import Expr
from dalembert.language.calculus import Calculus

if TYPE_CHECKING:
    from dalembert.forms.board import Board

_ROUNDED = 1e-12  # of what is taken away from 1 or 0


@register
class Explicit(Form):
    """Accepts every system; where M has no inverse, constraints make up for what it lacks (`Rows.definite`)."""

    name = "explicit"
    title = "The explicit form, q̈ = P a_u + N c (Beshaw)"
    inverse = True
    paper = "Beshaw"
    printed = MappingProxyType(
        {"c": "B q̇ + C", "N": "H", "B": "−∂ψ/∂q", "C": "−∂ψ/∂t", "K": "K", "C_K": "C = Kψ − ∂ψ/∂t", "R_K": "R"}
    )

    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Solve with M, then with A M⁻¹Aᵀ."""
        given, found = rows, conditions(rows, pilot)
        rows = rows.definite()
        arithmetic, n, s = rows.arithmetic, rows.n, len(rows.A)
        free, Y = found.free, found.Y  # a_u, and the columns of M⁻¹Aᵀ
        inner = factorise([dict(enumerate(row)) for row in found.W], arithmetic, pilot)
        multipliers = inner.solve(found.b)
        acceleration = list(free)
        for factor, y in zip(multipliers, Y, strict=True):
            acceleration = [a + factor * value for a, value in zip(acceleration, y, strict=True)]
        # N row by row: (A M⁻¹Aᵀ) is symmetric, so each row of N solves with it
        N = [inner.solve([Y[k][i] for k in range(s)]) for i in range(n)]
        P = self._projection(N, rows)
        # Aᵀλ is shorter; rounded, it would keep what was added to M and taken away again
        reaction = (
            remainder(given, acceleration) if arithmetic.rounds else transposed(rows.A, multipliers, n, arithmetic)
        )
        matrices = {"a_u": [[a] for a in free], "N": N, "P": P}
        return Solution(acceleration, reaction, multipliers, matrices)

    @classmethod
    def _projection(cls, N: list[list[Scalar]], rows: Rows) -> list[list[Scalar]]:
        """Return E − N A; of numbers, what is only the rounding of what is taken away is zero."""
        arithmetic, n = rows.arithmetic, rows.n
        P = [
            [(arithmetic.one if i == j else arithmetic.zero) - cls._entry(N[i], rows, j) for j in range(n)]
            for i in range(n)
        ]
        if arithmetic is Numbers:
            largest = [np.max(np.abs(column), axis=0) for column in zip(*N, strict=True)]
            taken = [
                sum((x * np.abs(a[j]) for x, a in zip(largest, rows.A, strict=True) if j in a), 0.0) for j in range(n)
            ]
            P = [
                [np.where(np.abs(x) <= _ROUNDED * size, 0.0, x) for x, size in zip(row, taken, strict=True)]
                for row in P
            ]
        return P

    @staticmethod
    def _entry(row: list, rows: Rows, j: int):
        """Return one entry of N A."""
        total = rows.arithmetic.zero
        for factor, a in zip(row, rows.A, strict=True):
            if j in a:
                total = total + factor * a[j]
        return total

    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return q̈ − (P a_u + N c)."""
        return [symbol - value for symbol, value in zip(self.solved_for(scene), solution.acceleration, strict=True)]

    def steps(self, board: Board) -> list[Section]:
        """Show a_u, the equations W λ = b of the multipliers, then N, P and what Beshaw makes of c."""
        free = "Without constraints the accelerations would be a_u = M⁻¹f."
        parts = [Section("Free accelerations", [Paragraph(free), *board.shown("a_u")])]
        if board.kept:
            parts.append(Section("Multipliers: W λ = b, W = A M⁻¹Aᵀ, b = c − A a_u", board.coupling()))
            told = "N = M⁻¹AᵀW⁻¹ and P = E − N A, so that q̈ = P a_u + N c:"
            parts.append(Section("N and P", [Paragraph(told), *board.shown("N", "P")]))
            parts += self._split(board)
        return parts

    @staticmethod
    def _split(board: Board) -> list[Section]:
        """Write c in two parts, as Beshaw has it: q̈ = P a_u + S q̇ + R; then R as gains of stabilisation change it."""
        b, N = board.scene.blocks, board.derivation.entries.get("N", [])
        psi = [residual for i in board.kept if (residual := b.psi[i]) is not None]
        if len(psi) < len(board.kept) or max(map(operations, (*psi, *(e for row in N for e in row)))) > LONG:
            return gain_steps(board)
        calculus = Calculus([*b.q, *b.v, b.t])
        lifted = [calculus.lift(residual) for residual in psi]
        B = [[calculus.lower(-calculus.diff(residual, q)) for q in b.q] for residual in lifted]
        C = [[calculus.lower(-calculus.diff(residual, b.t))] for residual in lifted]
        made = [board.matrix("S", product(N, B)), board.matrix("R", product(N, C))] if any(N) else []
        whole = Section("c = B q̇ + C, S = N B, R = N C", [board.matrix("B", B), board.matrix("C", C), *made])
        return [whole, *gain_steps(board, C, N)]

    def in_steps(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Written:
        """Return q̈ − (M⁻¹f + M⁻¹Aᵀλ)."""
        steps = steps_of(scene)
        equations = [x - value for x, value in zip(self.solved_for(scene), steps.accelerations, strict=True)]
        matrices = {"a_u": [[value] for value in steps.solved[0]], **steps.matrices}
        return Written(equations, matrices, names=steps.names)

    def otherwise(self, scene: Scene) -> Written | None:
        """Return q̈ − (M⁻¹f + k y) of a single condition; where M has no inverse, q̈ of the whole matrix."""
        if scene.added:
            return Written([x - a for x, a in zip(self.solved_for(scene), accelerations(scene), strict=True)])
        if len(scene.kept) != 1:
            return None
        lines, names = ByCramer(scene).in_one_factor()
        return Written([x - line for x, line in zip(self.solved_for(scene), lines, strict=True)], names=names)

    def solved_for(self, scene: Scene) -> list[Expr]:
        """Return q̈."""
        return [se.Symbol(q.name + "''") for q in scene.blocks.q]
