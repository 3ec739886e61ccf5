"""Reactions by the principle of compatibility (Do Sanh 1996).

The freed system must satisfy the released condition: B r + B₀ = 0 with B = A M⁻¹ and B₀ = B f − c, and ideal
constraints do no virtual work: Dᵀ r = 0. These n equations give r as a formula of t, q and v, before any motion is
known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import symengine as se

from dalembert.algebra.elimination import factorise
from dalembert.algebra.pilot import Pilot
from dalembert.document.nodes import Section
from dalembert.forms.base import (
    Form,
    Matrix,
    Solution,
    Written,
    dense,
    multiply,
    register,
    transposed,
    transposed_product,
)
from dalembert.forms.inertia_steps import inertia_steps
from dalembert.forms.minimal import Minimal
from dalembert.forms.prepared import Rows, Scene
from dalembert.forms.spatial_scene import spatial_scene
from dalembert.forms.steps import steps_of
from dalembert.language.building import Expr

if TYPE_CHECKING:
    from dalembert.forms.board import Board


@register
class Reactions(Form):
    """Accepts every system; where M has no inverse, constraints make up for what it lacks (`Rows.definite`)."""

    name = "reactions"
    title = "Reactions by the principle of compatibility, B r + B₀ = 0, Dᵀ r = 0 (Do Sanh)"
    letters = MappingProxyType({"B_0": "B^0"})
    inverse = True
    moves = False  # they are its unknowns; the motion is that of the other forms
    asked_for = True
    paper = "Do Sanh 1996"
    printed = MappingProxyType({"M": "A", "f": "Q + G", "M_inverse": "A⁻¹", "A": "b", "c": "−b₀", "D": "Dᵀ"})

    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Find r in the span of the rows of A, where it does no virtual work, from B r + B₀ = 0."""
        rows = rows.definite()
        arithmetic, n = rows.arithmetic, rows.n
        mass = factorise(rows.M, arithmetic, pilot)
        B = [mass.solve(dense(row, n, arithmetic)) for row in rows.A]
        B_0 = []
        for row, c in zip(B, rows.c, strict=True):
            total = -c
            for b, f in zip(row, rows.f, strict=True):
                total = total + b * f
            B_0.append(total)
        products = [dict(enumerate(multiply(rows.A, row, arithmetic))) for row in B]  # B Aᵀ
        multipliers = [-value for value in factorise(products, arithmetic, pilot).solve(B_0)]
        reaction = transposed(rows.A, multipliers, n, arithmetic)
        acceleration = mass.solve([f + r for f, r in zip(rows.f, reaction, strict=True)])
        return Solution(acceleration, reaction, multipliers, {"B": B, "B_0": [[value] for value in B_0]})

    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return r − (its formula), with r_<coordinate> for the total reaction on a coordinate."""
        return [symbol - value for symbol, value in zip(self.solved_for(scene), solution.reaction, strict=True)]

    def in_steps(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Written:
        """Return r − Aᵀλ, with B = A M⁻¹ and B₀ = −b of the steps in which λ is found."""
        steps = steps_of(scene)
        equations = [x - value for x, value in zip(self.solved_for(scene), steps.total, strict=True)]
        if scene.added or spatial_scene(scene):  # M alone has no inverse, or B would have long rows by bodies
            return Written(equations, names=steps.names)
        shown: dict[str, Matrix] = {"B": steps.solved[1], "B_0": [[-b] for b in steps.needed]}
        shown["D"], names = Minimal().null_space(scene, steps.names)
        return Written(equations, shown, names=names)

    def write(self, scene: Scene, solution: Callable[[], Solution]) -> Written:
        """Write B and B₀, D of the ideality conditions, and the reactions."""
        found = solution()
        D, names = Minimal().null_space(scene, {})
        return Written(self.equations(scene, found), {**found.matrices, "D": D}, names=names)

    def steps(self, board: Board) -> list[Section]:
        """Show the inertia without Christoffel symbols, M⁻¹, B, B₀ and D, and what they say of r."""
        words = {
            "B r + B₀ = 0": "The accelerations M⁻¹(f + r) must satisfy A q̈ = c: with B = A M⁻¹ and B₀ = B f − c,",
            "Dᵀ r = 0": "Ideal constraints do no virtual work:",
        }
        return [
            *inertia_steps(board),
            Section("The inverse of the mass matrix", board.inverse()),
            Section("B = A M⁻¹ and B₀ = B f − c", [*board.shown("B", "B_0"), *board.shortened("B₀")]),
            Section("D, with A D = 0", board.shown("D")),
            *board.conditions(words),
        ]

    def conditions(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Mapping[str, list[Expr]]:
        """Return what determines r: B r + B₀ = 0 and Dᵀ r = 0."""
        return compatibility(matrices, self.solved_for(scene), "r", "B₀")

    def solved_for(self, scene: Scene) -> list[Expr]:
        """Return the symbols of the total reaction."""
        return [scene.fresh("r", q.name) for q in scene.blocks.q]


def compatibility(matrices: Mapping[str, Matrix], r: list[Expr], letter: str, zero: str) -> dict[str, list[Expr]]:
    """Return B r + B₀ = 0 and Dᵀ r = 0 row by row, with the letters that r and B₀ have."""
    found: dict[str, list[Expr]] = {}
    if {"B", "B_0"} <= matrices.keys():
        rows = zip(matrices["B"], matrices["B_0"], strict=True)
        found[f"B {letter} + {zero} = 0"] = [se.Add(*map(se.Mul, row, r), value) for row, (value,) in rows]
    if "D" in matrices:
        found[f"Dᵀ {letter} = 0"] = transposed_product(matrices["D"], r)
    return {title: rows for title, rows in found.items() if rows}
