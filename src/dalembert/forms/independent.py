"""Independent coordinates: z = B q, q̈ = R z̈ + a₀, RᵀM R z̈ = Rᵀ(f − M a₀) (Valášek, Stejskal).

*Subjective* choice: the user names the coordinates z, or the pilot does; the rows of B are unit vectors. *Objective*
choice: the rows of B are the right singular vectors of A that belong to zero singular values; `objective` gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.algebra.elimination import reduce_rows
from dalembert.algebra.gramschmidt import Scalar
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rank import null_space
from dalembert.algebra.writing.cost import operations
from dalembert.algebra.writing.ledger import TRIVIAL
from dalembert.arguments import names
from dalembert.arrays import Array, Sparse
from dalembert.blocks.numeric import Values
from dalembert.document.nodes import Paragraph, Section
from dalembert.errors import nearest, quoted
from dalembert.forms.base import Form, Matrix, Solution, Written, dense, holds_where, register
from dalembert.forms.minimal import along
from dalembert.forms.nullspace import by_elimination
from dalembert.forms.prepared import Rows, Scene
from dalembert.forms.sheet import forces, ledger_of
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO

if TYPE_CHECKING:
    from dalembert.forms.board import Board


@register
class Independent(Form):
    """Accepts every system; `coordinates` are the indices of the independent ones, otherwise the pilot chooses."""

    name = "independent"
    title = "Independent coordinates, RᵀM R z̈ = Rᵀ(f − M a₀)"
    letters = MappingProxyType({"inertia": "R^T M R", "force": "R^T (f - M a_0)"})
    chooses = True
    paper = "lecture"
    printed = MappingProxyType({"f": "μ", "A": "Φ", "c": "−Φ̇ ṡ", "inertia": "M_q"})

    def __init__(self, coordinates: Sequence[str] | None = None):
        self.coordinates = None if coordinates is None else names("coordinates", coordinates)
        self._free: frozenset[int] = frozenset()
        self._chosen: tuple[int, ...] = ()

    def refuse(self, scene: Scene) -> str | None:
        """Refuse names that are no coordinates, too few or too many, and ones that are not independent."""
        if self.coordinates is None:
            return None
        count = scene.system.mechanical
        names, freedom = scene.system.coordinates[:count], count - scene.rank
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
        null = by_elimination(rows, pilot, self._free)
        solution = along(rows, null, pilot)
        solution.matrices["R"] = solution.matrices.pop("D")
        solution.matrices["a_0"] = [[value] for value in null.particular]
        solution.independent = null.independent
        return solution

    def write(self, scene: Scene, solution: Callable[[], Solution]) -> Written:
        """Write R, the inertia and the force; say which coordinates were chosen, and where they can be."""
        found = solution()
        return Written(self.equations(scene, found), found.matrices, self._notes(scene, found.independent))

    def _notes(self, scene: Scene, independent: tuple[int, ...]) -> list[str]:
        """Take down which coordinates were chosen, and say it."""
        self._chosen, names = independent, scene.system.coordinates
        count = scene.system.mechanical
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
        pilot = Pilot()
        self.determinant(scene.arrays, pilot)
        return notes + holds_where(scene, "R", lambda: self.determinant(scene.formulas, pilot.replay()))

    def in_steps(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Written:
        """Write RᵀM R z̈ − Rᵀ(f − M a₀) with names for the entries of R and a₀, the ratios and what they lack."""
        b, names, notes = scene.blocks, {}, []
        if not matrices:  # too long for the algebra: solved on a tape, with names for what is used again
            pilot = Pilot()
            by_elimination(scene.arrays, pilot, self._free)
            rows, ledger = ledger_of(scene, names)
            null = by_elimination(rows, pilot.replay(), self._free)
            columns = [ledger.write(dense(column, rows.n, rows.arithmetic), other="d") for column in null.columns]
            R_found = [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in b.q]
            matrices = {"R": R_found, "a_0": [[a] for a in ledger.write(null.particular, other="d")]}
            notes = self._notes(scene, null.independent)
        q, z = [x.name for x in b.q], [b.q[j].name for j in self._chosen]

        def named(name: str, entry: Expr) -> Expr:
            if operations(entry) <= TRIVIAL:
                return entry
            symbol = scene.fresh(*name.split(" "))
            names[symbol.name] = entry
            return symbol

        R = [[named(f"R {i}" if len(z) == 1 else f"R {i}_{j}", e) for j, e in zip(z, row, strict=True)]
             for i, row in zip(q, matrices["R"], strict=True)]  # fmt: skip
        a_0 = [named(f"a {i}", row[0]) for i, row in zip(q, matrices["a_0"], strict=True)]
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
        return Written(equations, {"inertia": inertia, "force": force, **shown}, notes, names=names)

    def steps(self, board: Board) -> list[Section]:
        """Show which coordinates are independent, B, [A; B], then R, a₀ and what remains."""
        names, zero, one = [q.name for q in board.scene.blocks.q], se.Integer(0), se.Integer(1)
        chosen = quoted(names[i] for i in self._chosen if i < board.system.mechanical)
        B = [[one if j == i else zero for j in range(board.n)] for i in self._chosen]
        told = f"The independent coordinates z = B q are {chosen}." if B else "No coordinate is independent."
        solved = "[A; B] q̇ = [−∂g/∂t; ż]: R is the last columns of [A; B]⁻¹, so that A R = 0; [A; B] a₀ = [c; 0]."
        choice = [Paragraph(told), *([board.matrix("B", B), board.matrix("Z", [*board.A, *B], "[A; B]")] if B else [])]
        return [
            Section("The choice of coordinates", choice),
            Section("q̇ = R ż + …, q̈ = R z̈ + a₀", [Paragraph(solved), *board.shown("R", "a_0")]),
            Section("RᵀM R z̈ = Rᵀ(f − M a₀)", board.shown("inertia", "force")),
        ]

    def determinant(self, rows: Rows, pilot: Pilot) -> Scalar:
        """Return the determinant of A on the dependent coordinates: the choice holds where it does not vanish."""
        return reduce_rows(rows.A, rows.c, rows.arithmetic, pilot, self._free).determinant

    @staticmethod
    def positions(scene: Scene, velocities: frozenset[int]) -> list[int]:
        """Return the n − h coordinates whose positions belong to the state, those of the velocities among them."""
        holonomic = [k for k, i in enumerate(scene.kept) if scene.blocks.g[i] is not None]
        rows, c = ([part[k] for k in holonomic] for part in (scene.arrays.A, scene.arrays.c))
        dependent = reduce_rows(rows, c, scene.arrays.arithmetic, Pilot(), velocities).pivots
        return [j for j in range(scene.arrays.n) if j not in dependent]

    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return RᵀM R z̈ − Rᵀ(f − M a₀)."""
        symbols = [se.Symbol(scene.blocks.q[j].name + "''") for j in solution.independent]
        rows = zip(solution.matrices["inertia"], solution.matrices["force"], strict=True)
        return [se.Add(*[m * z for m, z in zip(row, symbols, strict=True)]) - force[0] for row, force in rows]


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
