"""The minimal form: Dᵀ(M q̈ − f) = 0 with A D = 0, as many equations as degrees of freedom (Phong 1999)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import symengine as se

from dalembert.algebra.elimination import factorise
from dalembert.algebra.gramschmidt import Scalar, Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import is_negative
from dalembert.algebra.writing.numerals import figures, in_proportion
from dalembert.document.nodes import Paragraph, Section
from dalembert.forms.along_bodies import along_null_space
from dalembert.forms.base import (
    MAX_OPERATIONS,
    Form,
    Matrix,
    Solution,
    Written,
    dense,
    holds_where,
    multiply,
    register,
    remainder,
    transposed,
    transposed_product,
)
from dalembert.forms.by_bodies import by_bodies
from dalembert.forms.multipliers import balance
from dalembert.forms.nullspace import NullSpace, by_elimination, by_gram_schmidt, clear, lost_where
from dalembert.forms.orthogonal_steps import orthogonal_steps
from dalembert.forms.prepared import Rows, Scene
from dalembert.forms.sheet import forces, ledger_of
from dalembert.language.building import Expr

if TYPE_CHECKING:
    from dalembert.forms.board import Board

_TERMS = 30  # of an entry of D; more are not read as a formula, but in named steps


@register
class Minimal(Form):
    """Accepts every system; M may be singular."""

    name = "minimal"
    title = "The minimal form, Dᵀ(M q̈ − f) = 0 (Phong)"
    solved = False
    paper = "Phong 1999"
    printed = MappingProxyType({"f": "−h", "A": "G"})

    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Find D by Gram–Schmidt, then the motion along it."""
        return along(rows, by_gram_schmidt(rows, pilot), pilot)

    def write(self, scene: Scene, solution: Callable[[], Solution]) -> Written:
        """Write D by the shorter of two ways, cleared of denominators, and the equations with it."""
        columns = self.basis(scene)
        D = self.arranged(scene, columns)
        notes = holds_where(scene, "D", lambda: self.valid_where(scene, columns))
        long, names = forces(scene)
        products = self.products(scene, D, long)
        return Written([_sum(pairs) for pairs in products], {"D": D}, notes, products, names)

    def in_steps(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Written | None:
        """Write D with names for what its entries share, where it is too long; the equations are made of it anyway."""
        if matrices:
            return None
        if bodies := by_bodies(scene):
            return along_null_space(bodies)
        D, names = self._stepwise(scene, {})
        products = self.products(scene, D, forces(scene)[0])
        return Written([_sum(pairs) for pairs in products], {"D": D}, [], products, names)

    def null_space(self, scene: Scene, names: Mapping[str, Expr]) -> tuple[Matrix, dict[str, Expr]]:
        """Return D as other forms show it, and what names stand for: those that there are, and those in it."""
        try:
            return self.arranged(scene, self.basis(scene)), dict(names)
        except TooLarge:
            return self._stepwise(scene, names)

    def arranged(self, scene: Scene, columns: list[Vector]) -> Matrix:
        """Write columns of formulas as a matrix."""
        n = scene.arrays.n
        written = [_turned([scene.field.write(e) for e in dense(column, n, scene.field)]) for column in columns]
        return [list(row) for row in zip(*written, strict=True)] if written else [[] for _ in range(n)]

    @staticmethod
    def _stepwise(scene: Scene, known: Mapping[str, Expr]) -> tuple[Matrix, dict[str, Expr]]:
        pilot, names = Pilot(), dict(known)
        by_elimination(scene.arrays, pilot)
        rows, ledger = ledger_of(scene, names)
        columns = by_elimination(rows, pilot.replay()).columns
        written = [_turned(ledger.write(dense(column, rows.n, rows.arithmetic), other="d")) for column in columns]
        return [list(row) for row in zip(*written, strict=True)] if written else [[] for _ in range(rows.n)], names

    def basis(self, scene: Scene) -> list[Vector]:
        """Return D as formulas, without denominators and common factors: by the way that makes it shorter."""
        found = []
        for way in (by_gram_schmidt, by_elimination):
            pilot = Pilot()
            way(scene.arrays, pilot)
            counted = scene.counted()
            way(counted, pilot.replay())
            if counted.arithmetic.operations > MAX_OPERATIONS:
                continue
            try:
                columns = clear(way(scene.formulas, pilot.replay()).columns, scene.field)
            except TooLarge:
                continue
            lengths = [scene.field.length(v) for column in columns for v in column.values()]
            if max(lengths, default=0) <= _TERMS:
                found.append((sum(lengths), columns))
        if not found:
            raise TooLarge("a basis of the null space of A is too long")
        return min(found, key=lambda entry: entry[0])[1]

    def valid_where(self, scene: Scene, columns: list[Vector]) -> Scalar:
        """Return the formula where whose zeros D loses rank although A does not."""
        field, pilot = scene.field, Pilot()

        def numbers(vectors: list[Vector]) -> list[Vector]:
            return [{j: field.values(v) for j, v in vector.items()} for vector in vectors]

        A = [field.primitive(row) for row in scene.formulas.A]  # its denominators are no fault of D
        lost_where(replace(scene.arrays, A=numbers(A)), numbers(columns), pilot)
        return lost_where(replace(scene.formulas, A=A), columns, pilot.replay())

    def steps(self, board: Board) -> list[Section]:
        """Show Gram–Schmidt, D in its simplest form, and the ideality of the constraints."""
        r = [board.scene.fresh("r", q.name) for q in board.scene.blocks.q]
        free = balance(board.scene, forces(board.scene)[0])
        D = board.derivation.entries.get("D", [])
        count = board.system.mechanical  # no reaction acts on a state
        ideal = [e for e in (transposed_product(D, r) if any(D) else []) if not e.free_symbols & {*r[count:]}]
        balanced = zip(r[:count], board.written(free)[:count], strict=True)
        simplest = "Any columns with the same span will do; written without denominators and common factors:"
        return [
            *orthogonal_steps(board),
            Section("D, with A D = 0", [Paragraph(simplest), *board.shown("D")] if any(D) else []),
            board.equations("Reactions, r = M q̈ − f", {x.name: e for x, e in balanced}),
            board.equations("Ideal constraints, Dᵀ r = 0", ideal),
        ]

    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return Dᵀ(M q̈ − f)."""
        return [_sum(pairs) for pairs in self.products(scene, solution.matrices["D"])]

    @staticmethod
    def products(scene: Scene, D: Matrix, named: Sequence[Expr] = ()) -> list[list[tuple[Expr, Expr]]]:
        """Return each equation as entries of D beside the rows of M q̈ − f that they multiply."""
        left = balance(scene, named)
        columns = zip(*D, strict=True)
        return [[(d, row) for d, row in zip(column, left, strict=True) if d != 0 and row != 0] for column in columns]


def _turned(column: list[Expr]) -> list[Expr]:
    """Turn a column of D round, if all that is seen of it is negative; decimals show that only when put together.

    One of numbers only gets the shortest in their proportion: 20, −4, 1 for 0.012, −0.0024, 0.0006.
    """
    shown = [figures(e) for e in column]
    terms = [term for e in shown if e != 0 for term in (e.args if e.is_Add else [e])]
    if terms and all(e.is_Number for e in shown):
        column = shown = in_proportion(shown)
        terms = [e for e in shown if e != 0]
    if not terms or not all(map(is_negative, terms)):
        return column
    return [se.Add(*[-term for term in e.args]) if e.is_Add else -e for e in column]


def _sum(pairs: list[tuple[Expr, Expr]]) -> Expr:
    return se.Add(*[factor * row for factor, row in pairs])


def along(rows: Rows, null: NullSpace, pilot: Pilot) -> Solution:
    """Solve Dᵀ M D y = Dᵀ(f − M a₀); then q̈ = a₀ + D y and r = M q̈ − f."""
    arithmetic, n = rows.arithmetic, rows.n
    columns = [dense(column, n, arithmetic) for column in null.columns]
    rest = [f - m for f, m in zip(rows.f, multiply(rows.M, null.particular, arithmetic), strict=True)]
    inertia = [multiply(null.columns, multiply(rows.M, column, arithmetic), arithmetic) for column in columns]
    force = multiply(null.columns, rest, arithmetic)
    y = factorise([dict(enumerate(row)) for row in inertia], arithmetic, pilot).solve(force)
    steps = transposed(null.columns, y, n, arithmetic)
    acceleration = [a + step for a, step in zip(null.particular, steps, strict=True)]
    reaction = remainder(rows, acceleration)
    D = [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(n)]
    return Solution(
        acceleration, reaction, matrices={"D": D, "inertia": inertia, "force": [[value] for value in force]}
    )
