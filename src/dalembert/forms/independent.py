"""Independent coordinates: z = B q, q̈ = R z̈ + a₀, RᵀM R z̈ = Rᵀ(f − M a₀) (Valášek, Stejskal).

*Subjective* choice: the user names the coordinates z, or the pilot does; the rows of B are unit vectors. *Objective*
choice, `coordinates="objective"`: the rows of B are the right singular vectors of A at the start that belong to zero
singular values. In formulas they are rounded to two decimals: any constant B near them serves as well. With a basis D
of the null space of A, R = D (B D)⁻¹.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.algebra.elimination import reduce_rows
from dalembert.algebra.gramschmidt import Scalar
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rank import null_space
from dalembert.algebra.writing.cost import operations
from dalembert.algebra.writing.ledger import TRIVIAL
from dalembert.algebra.writing.numerals import numerals
from dalembert.arguments import names
from dalembert.arrays import Array, Sparse
from dalembert.blocks.numeric import Values
from dalembert.document.nodes import Block, Paragraph, Section
from dalembert.errors import nearest, quoted
from dalembert.forms.along_bodies import along_coordinates
from dalembert.forms.base import Form, Matrix, Solution, Written, dense, holds_where, register, transposed
from dalembert.forms.by_bodies import by_bodies
from dalembert.forms.minimal import along
from dalembert.forms.nullspace import NullSpace, by_elimination
from dalembert.forms.prepared import Rows, Scene, power_of_ten
from dalembert.forms.sheet import forces, ledger_of
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO

if TYPE_CHECKING:
    from dalembert.forms.board import Board

OBJECTIVE = "objective"  # in place of names: the choice by singular values
_DECIMALS = 2  # of B in formulas


@register
class Independent(Form):
    """Accepts every system; `coordinates` names the independent ones, otherwise the pilot chooses."""

    name = "independent"
    title = "Independent coordinates, RᵀM R z̈ = Rᵀ(f − M a₀)"
    letters = MappingProxyType({"V_T": "V^T", "inertia": "R^T M R", "force": "R^T (f - M a_0)"})
    chooses = True
    paper = "lecture"
    printed = MappingProxyType({"f": "μ", "A": "Φ", "c": "−Φ̇ ṡ", "inertia": "M_q"})

    def __init__(self, coordinates: str | Sequence[str] | None = None):
        if isinstance(coordinates, str):  # with spaces, as systems take them
            coordinates = coordinates.replace(",", " ").split()
        self.coordinates = None if coordinates is None else names("coordinates", coordinates)
        self._free: frozenset[int] = frozenset()
        self._chosen: tuple[int, ...] = ()
        self._B: list[list[int]] = []  # of the objective choice, in parts of a power of ten,
        self._singular: dict[str, Array] = {}  # and A = U S Vᵀ, where it was made

    def refuse(self, scene: Scene) -> str | None:
        """Refuse names that are no coordinates, too few or too many, and ones that are not independent."""
        if self.coordinates is None:
            return None
        count = scene.system.mechanical
        names, freedom = scene.system.coordinates[:count], count - scene.rank
        if self.coordinates == (OBJECTIVE,) and OBJECTIVE not in names:
            self._B, self._singular = _rounded(scene)
            return None
        for name in self.coordinates:
            if name not in names:
                return f"`{name}` is no coordinate; {nearest(name, names)}"
        got = len(set(self.coordinates))
        if got != freedom:
            return f"this system has {freedom} independent coordinates; {got} were named: {quoted(self.coordinates)}"
        states = range(count, len(scene.system.coordinates))
        self._free = frozenset([*(names.index(name) for name in self.coordinates), *states])
        try:
            by_elimination(scene.arrays, Pilot(), self._free)
        except ZeroDivisionError:
            return f"{quoted(self.coordinates)} cannot be varied independently here; name others, or let them be chosen"
        return None

    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Solve A for the dependent accelerations, then for the independent ones."""
        null = self._null(rows, pilot)
        solution = along(rows, null, pilot)
        solution.matrices["R"] = solution.matrices.pop("D")
        solution.matrices["a_0"] = [[value] for value in null.particular]
        if self._B:
            solution.matrices["B"] = self._constants(rows.arithmetic)
        solution.independent = null.independent
        return solution

    def _null(self, rows: Rows, pilot: Pilot) -> NullSpace:
        """Return R, and a₀ with B a₀ = 0; the columns of R move one independent coordinate by one each."""
        null = by_elimination(rows, pilot, self._free)
        if not self._B:
            return null
        arithmetic, B = rows.arithmetic, self._constants(rows.arithmetic)
        D = [dense(column, rows.n, arithmetic) for column in null.columns]
        BD = self._along(B, D)
        columns: list[list[Scalar]] = []
        for k in range(len(D)):
            unit = [arithmetic.one if i == k else arithmetic.zero for i in range(len(D))]
            x = _solved(BD, unit, arithmetic, pilot)
            columns.append(transposed([dict(enumerate(d)) for d in D], x, rows.n, arithmetic))
        particular = list(null.particular)
        for column, row in zip(columns, B, strict=True):
            moved = sum((b * a for b, a in zip(row, null.particular, strict=True)), start=arithmetic.zero)
            particular = [a - moved * r for a, r in zip(particular, column, strict=True)]
        return NullSpace([dict(enumerate(column)) for column in columns], particular)

    def _constants(self, arithmetic: Any) -> list[list[Scalar]]:
        """Return B in any arithmetic."""
        parts = power_of_ten(_DECIMALS, arithmetic)
        return [[_whole(k, arithmetic) / parts for k in row] for row in self._B]

    @staticmethod
    def _along(B: list[list[Scalar]], D: list[list[Scalar]]) -> list[list[Scalar]]:
        return [[_product(row, column) for column in D] for row in B]

    def _names(self, scene: Scene) -> list[str]:
        """Return how the independent coordinates are called."""
        if self._B:
            return [scene.fresh("z", str(k + 1)).name for k in range(len(self._B))]
        return [scene.blocks.q[j].name for j in self._chosen]

    def symbols(self, scene: Scene) -> list[Expr]:
        """Return z of the objective choice, which are no coordinates of the system."""
        return [se.Symbol(name) for name in self._names(scene)] if self._B else []

    def write(self, scene: Scene, solution: Callable[[], Solution]) -> Written:
        """Write R, the inertia and the force; say which coordinates were chosen, and where they can be."""
        found = solution()
        return Written(self.equations(scene, found), found.matrices, self._notes(scene, found.independent))

    def _notes(self, scene: Scene, independent: tuple[int, ...]) -> list[str]:
        """Take down which coordinates were chosen, and say it."""
        self._chosen, names = independent, scene.system.coordinates
        count = scene.system.mechanical
        if self._B:
            return [*self._sums(scene), *self._where(scene)]
        chosen = [i for i in independent if i < count]
        if not chosen:
            return ["no coordinate is independent: the constraints determine the motion"]
        notes = [f"independent coordinates: {quoted(names[i] for i in chosen)}"]
        positions = [i for i in self.positions(scene, frozenset(independent)) if i < count]
        if len(positions) > len(chosen):  # with nonholonomic constraints there are more positions than velocities
            notes.append(
                f"the state is {len(positions)} positions, {quoted(names[i] for i in positions)}, "
                f"and {len(chosen)} velocities, those of {quoted(names[i] for i in chosen)}"
            )
        return notes + self._where(scene)

    def _where(self, scene: Scene) -> list[str]:
        pilot = Pilot()
        self.determinant(scene.arrays, pilot)
        return holds_where(scene, "R", lambda: self.determinant(scene.formulas, pilot.replay()))

    def _sums(self, scene: Scene) -> list[str]:
        """Say what z is."""
        q, notes = scene.system.coordinates, []
        for name, row in zip(self._names(scene), self._B, strict=True):
            parts = {j: abs(k) / 10**_DECIMALS for j, k in enumerate(row) if k}
            sizes = {j: "" if size == 1 else f"{size:g} " for j, size in parts.items()}
            terms = [f"{'-' if row[j] < 0 else '+'} {size}{q[j]}" for j, size in sizes.items()]
            text = " ".join(terms).removeprefix("+ ")
            notes.append(f"{name} = {'-' + text[2:] if text.startswith('- ') else text}")
        chosen = "objective choice: B has the right singular vectors of A at the start that belong to zero, rounded"
        return [f"{chosen}; z = B q: {'; '.join(notes)}"]

    def in_steps(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Written:
        """Write RᵀM R z̈ − Rᵀ(f − M a₀) with names for the entries of R and a₀, the ratios and what they lack."""
        if not self._B and (bodies := by_bodies(scene)):
            chosen = by_elimination(scene.arrays, Pilot(), self._free).independent
            return replace(along_coordinates(bodies, chosen), notes=self._notes(scene, chosen))
        b, names, notes = scene.blocks, {}, []
        if not matrices:  # too long for the algebra: solved on a tape, with names for what is used again
            pilot = Pilot()
            self._null(scene.arrays, pilot)
            rows, ledger = ledger_of(scene, names)
            null = self._null(rows, pilot.replay())
            columns = [ledger.write(dense(column, rows.n, rows.arithmetic), other="d") for column in null.columns]
            R_found = [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in b.q]
            matrices = {"R": R_found, "a_0": [[a] for a in ledger.write(null.particular, other="d")]}
            notes = self._notes(scene, null.independent)
        q, z = [x.name for x in b.q], self._names(scene)

        def named(name: str, entry: Expr) -> Expr:
            if operations(entry) <= TRIVIAL:
                return entry
            symbol = scene.fresh(*name.split(" "))
            names[symbol.name] = entry
            return symbol

        R = [[named(f"R {i}" if len(z) == 1 else f"R {i}_{j}", e) for j, e in zip(z, row, strict=True)]
             for i, row in zip(q, matrices["R"], strict=True)]  # fmt: skip
        a_0 = [named(f"a0 {i}", row[0]) for i, row in zip(q, matrices["a_0"], strict=True)]
        long, given = forces(scene)
        names |= given
        rest = list(long)
        moved = [[ZERO] * len(z) for _ in q]
        for (i, k), entry in b.M.items():
            rest[i] -= entry * a_0[k]
            moved[i] = [x + entry * R[k][j] for j, x in enumerate(moved[i])]
        columns = list(zip(*R, strict=True))
        inertia = [[se.Add(*map(se.Mul, left, right)) for right in zip(*moved, strict=True)] for left in columns]
        force = [[se.Add(*map(se.Mul, left, rest))] for left in columns]
        rates = [se.Symbol(f"{name}''") for name in z]
        equations = [se.Add(*map(se.Mul, row, rates), -right[0]) for row, right in zip(inertia, force, strict=True)]
        shown = {"R": R, "a_0": [[a] for a in a_0]} if notes else {}
        if notes and self._B:
            shown["B"] = self._written_B()
        return Written(equations, {"inertia": inertia, "force": force, **shown}, notes, names=names)

    def _written_B(self) -> Matrix:
        """Return B of the objective choice, as it is written; nothing of coordinates that are chosen."""
        return [[_decimal(k / 10**_DECIMALS) for k in row] for row in self._B]

    def steps(self, board: Board) -> list[Section]:
        """Show which coordinates are independent, B, [A; B], then R, a₀ and what remains."""
        one, zero = se.Integer(1), se.Integer(0)
        chosen = quoted(self._names(board.scene)[: board.system.mechanical])
        B = self._written_B() or [[one if j == i else zero for j in range(board.n)] for i in self._chosen]
        told = f"The independent coordinates z = B q are {chosen}." if B else "No coordinate is independent."
        solved = "[A; B] q̇ = [−∂g/∂t; ż]: R is the last columns of [A; B]⁻¹, so that A R = 0; [A; B] a₀ = [c; 0]."
        choice = [Paragraph(told), *([board.matrix("B", B), board.matrix("Z", [*board.A, *B], "[A; B]")] if B else [])]
        return [
            Section("Singular values, A(q₀) = U S Vᵀ", self._decomposed(board)),
            Section("The choice of coordinates", choice),
            Section("q̇ = R ż + …, q̈ = R z̈ + a₀", [Paragraph(solved), *board.shown("R", "a_0")]),
            Section("RᵀM R z̈ = Rᵀ(f − M a₀)", board.shown("inertia", "force")),
        ]

    def _decomposed(self, board: Board) -> list[Block]:
        """Show U, S and Vᵀ of the objective choice."""
        if not self._singular:
            return []
        told = (
            "At the start, with the independent rows of A. The last rows of Vᵀ belong to the singular value zero: "
            "they are B, which is rounded to two decimals."
        )
        shown = {name: [[_decimal(float(x)) for x in row] for row in rows] for name, rows in self._singular.items()}
        return [Paragraph(told), *(board.matrix(name, rows) for name, rows in shown.items())]

    def determinant(self, rows: Rows, pilot: Pilot) -> Scalar:
        """Return the determinant of A on the dependent coordinates: the choice holds where it does not vanish."""
        found = reduce_rows(rows.A, rows.c, rows.arithmetic, pilot, self._free).determinant
        if not self._B:
            return found
        D = [dense(column, rows.n, rows.arithmetic) for column in by_elimination(rows, pilot).columns]
        BD = [dict(enumerate(row)) for row in self._along(self._constants(rows.arithmetic), D)]
        zeros = [rows.arithmetic.zero] * len(BD)
        return found * reduce_rows(BD, zeros, rows.arithmetic, pilot).determinant

    @staticmethod
    def positions(scene: Scene, velocities: frozenset[int]) -> list[int]:
        """Return the n − h coordinates whose positions belong to the state, those of the velocities among them."""
        holonomic = [k for k, i in enumerate(scene.kept) if scene.blocks.g[i] is not None]
        rows, c = ([part[k] for k in holonomic] for part in (scene.arrays.A, scene.arrays.c))
        dependent = reduce_rows(rows, c, scene.arrays.arithmetic, Pilot(), velocities).pivots
        return [j for j in range(scene.arrays.n) if j not in dependent]

    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return RᵀM R z̈ − Rᵀ(f − M a₀)."""
        self._chosen = solution.independent
        symbols = [se.Symbol(f"{name}''") for name in self._names(scene)]
        rows = zip(solution.matrices["inertia"], solution.matrices["force"], strict=True)
        return [se.Add(*[m * z for m, z in zip(row, symbols, strict=True)]) - force[0] for row, force in rows]


def _rounded(scene: Scene) -> tuple[list[list[int]], dict[str, Array]]:
    """Return B at the start, or where A has its rank if not there, in parts of a power of ten; and U, S, Vᵀ of A."""
    count, n = scene.system.mechanical, len(scene.system.coordinates)
    places = (scene.numeric.all(place.t, place.q, place.v).A for place in (scene.start, *scene.places))
    matrices = [A[scene.kept][:, :count] for A in places]
    A = next((A for A in matrices if len(objective(A)) == count - scene.rank), matrices[0])
    B = objective(A)
    B = np.array([row if row[int(np.argmax(np.abs(row)))] > 0 else -row for row in B])  # the largest entry is positive
    U, S, V = np.linalg.svd(A.toarray(), full_matrices=False)
    singular = {"U": U, "S": np.hstack([np.diag(S), np.zeros((len(S), len(B)))]), "V_T": np.vstack([V, B])}
    found = [[round(float(b) * 10**_DECIMALS) for b in row] + [0] * (n - count) for row in B]
    return found + [[10**_DECIMALS * (j == i) for j in range(n)] for i in range(count, n)], singular if len(S) else {}


def _decimal(value: float) -> Expr:
    """Return a number with three decimals, as it is shown."""
    return numerals(se.RealDouble(round(value, 3) + 0.0)) if round(value, 3) % 1 else se.Integer(round(value))


def _whole(k: int, arithmetic: Any) -> Scalar:
    """Return a whole number in any arithmetic, by doubling."""
    total, part = arithmetic.zero, arithmetic.one
    for digit in reversed(f"{abs(k):b}"):
        total = total + part if digit == "1" else total
        part = part + part
    return total if k >= 0 else arithmetic.zero - total


def _product(one: list[Scalar], other: list[Scalar]) -> Scalar:
    total = one[0] * other[0]
    for a, b in zip(one[1:], other[1:], strict=True):
        total = total + a * b
    return total


def _solved(matrix: list[list[Scalar]], right: list[Scalar], arithmetic: Any, pilot: Pilot) -> list[Scalar]:
    """Solve a square system over any arithmetic."""
    reduced = reduce_rows([dict(enumerate(row)) for row in matrix], right, arithmetic, pilot)
    x = [arithmetic.zero] * len(right)
    for k, value in zip(reduced.pivots, reduced.right, strict=True):
        x[k] = value
    return x


def objective(A: Sparse) -> Array:
    """Return B of the objective choice, m×n: the right singular vectors of A with singular value zero."""
    return null_space(A).T


def solve_with(values: Values, B: Array) -> tuple[Array, Array, float]:
    """Return q̈, r and the condition number of [A; B] for any constant B, dense, redundant rows of A allowed."""
    A, M = values.A.toarray(), values.M.toarray()
    stacked = np.vstack([A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-300), B])
    inverse = np.linalg.pinv(stacked, rcond=1e-10)
    R = inverse[:, len(A) :]
    a0 = inverse[:, : len(A)] @ (values.c / np.maximum(np.linalg.norm(A, axis=1), 1e-300))
    acceleration = R @ np.linalg.solve(R.T @ M @ R, R.T @ (values.f - M @ a0)) + a0
    singular = np.linalg.svd(stacked, compute_uv=False)[: A.shape[1]]
    return acceleration, M @ acceleration - values.f, float(singular[0] / singular[-1])
