"""Lagrange's equations with multipliers: [[M, Aᵀ], [A, 0]] [q̈; −λ] = [f; c]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import symengine as se

from dalembert.algebra.elimination import factorise
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.saddle import Saddle
from dalembert.arrays import Array
from dalembert.blocks.numeric import Values
from dalembert.document.nodes import Section
from dalembert.forms.base import Form, Matrix, Solution, Written, register, transposed
from dalembert.forms.prepared import Rows, Scene
from dalembert.forms.sheet import forces
from dalembert.language.building import Expr

if TYPE_CHECKING:
    from dalembert.forms.board import Board

_BLOCK = 12  # rows of the block matrix that is written


@register
class Multipliers(Form):
    """Accepts every system; M may be singular."""

    name = "multipliers"
    title = "Lagrange's equations with multipliers, M q̈ = f + Aᵀλ"
    plain = True
    solved = False
    shared = True
    paper = "lecture"
    printed = MappingProxyType({"f": "μ", "A": "Φ", "c": "−Φ̇ ṡ"})

    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Factorise the whole matrix symmetrically."""
        n, arithmetic = rows.n, rows.arithmetic
        solution = factorise(rows.saddle(), arithmetic, pilot).solve([*rows.f, *rows.c])
        multipliers = [-value for value in solution[n:]]
        return Solution(solution[:n], transposed(rows.A, multipliers, n, arithmetic), multipliers)

    def write(self, scene: Scene, solution: Callable[[], Solution]) -> Written:
        """Write the blocks themselves: there is nothing to be solved."""
        return Written(self.equations(scene))

    def in_steps(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Written | None:
        """Write the equations of Newton and Euler, body by body, of a mechanism in space; else with names in f."""
        from dalembert.forms.by_bodies import by_bodies

        if found := by_bodies(scene):
            equations, names = found.equations
        else:
            long, names = forces(scene)
            equations = self._rows(scene, long)
        return Written(equations, names=names)

    def steps(self, board: Board) -> list[Section]:
        """Show the block matrix of the mixed equations, with its unknowns and its right side."""
        M, A, b = board.M, board.A, board.scene.blocks
        if not A or board.n + len(A) > _BLOCK:
            return []
        rows = [[*row, *column] for row, column in zip(M, zip(*A, strict=True), strict=True)]
        rows += [[*row, *([se.Integer(0)] * len(A))] for row in A]
        unknown = [*(se.Symbol(f"{q.name}''") for q in b.q), *(-multiplier(board.scene, i) for i in board.kept)]
        parts = [
            board.matrix("S", rows, "the block matrix [[M, Aᵀ], [A, 0]]"),
            board.matrix("u", [[x] for x in unknown], "its unknowns [q̈; −λ]"),
            board.matrix("h", [[x] for x in (*board.forces, *board.c)], "its right side [f; c]"),
        ]
        return [Section("The mixed equations, S u = h", parts)]

    def equations(self, scene: Scene, solution: Solution | None = None) -> list[Expr]:
        """Return M q̈ − f − Aᵀλ."""
        return self._rows(scene)

    @staticmethod
    def _rows(scene: Scene, named: Sequence[Expr] = ()) -> list[Expr]:
        b = scene.blocks
        left = balance(scene, named)
        parts: list[list[Expr]] = [[expr] for expr in left]
        for (i, j), entry in b.A.items():
            if i in scene.kept:
                parts[j].append(-entry * multiplier(scene, i))
        return [se.Add(*terms) for terms in parts]


def accelerations(scene: Scene) -> list[Expr]:
    """Return q̈ as formulas, of the whole matrix [[M, Aᵀ], [A, 0]], or raise TooLarge."""
    pilot, form, rows = Pilot(), Multipliers(), scene.formulas
    form.solve(scene.arrays, pilot)
    with rows.arithmetic.bounded():
        return [rows.arithmetic.write(value) for value in form.solve(rows, pilot.replay()).acceleration]


def multiplier(scene: Scene, i: int) -> Expr:
    """Return the symbol of the multiplier of a constraint."""
    return scene.fresh("lambda", scene.system.constraints[i].name)


def balance(scene: Scene, forces: Sequence[Expr] = ()) -> list[Expr]:
    """Return M q̈ − f, one expression per coordinate; `forces` may have names in the place of entries of f."""
    b = scene.blocks
    parts: list[list[Expr]] = [[-term for term in (f.args if f.is_Add else (f,))] for f in forces or b.f]
    for (i, j), entry in b.M.items():
        parts[i].append(entry * se.Symbol(b.q[j].name + "''"))
    return [se.Add(*terms) for terms in parts]


def solve(values: Values) -> tuple[Array, Array]:
    """Return q̈ and λ as numbers, fast; where constraints are redundant, λ is the one of least norm."""
    acceleration, minus = Saddle(values.M, values.A, smooth=True).solve(values.f, values.c)
    return acceleration, -minus
