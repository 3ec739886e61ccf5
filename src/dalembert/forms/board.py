"""A derivation step by step, as a lecturer writes it on the board: from T and V to the result, with every matrix.

What all forms begin with stands here: energies, momenta, M and f, the constraints with A and c. Each form adds steps of
its own (`Form.steps`), with the letters of its paper for the matrices (`Form.printed`). It ends with the derivation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.algebra.elimination import factorise
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import total
from dalembert.algebra.writing.numerals import figures
from dalembert.document.nodes import Block, Equation, Equations, Matrix, Note, Paragraph, Section
from dalembert.document.shown import Printed
from dalembert.forms.base import conditions, dense
from dalembert.forms.derivation_document import derivation_document
from dalembert.forms.pen import MAX_TOTAL, Pen
from dalembert.forms.sheet import forces
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.model.momenta import momentum
from dalembert.model.system_document import energies

if TYPE_CHECKING:
    from dalembert.forms.derivation import Derivation

_WIDE = 12  # columns of a matrix; of wider ones the entries that are not zero are listed


class Board(Printed):
    """The steps of a derivation; `print` shows them, a notebook typesets them.

    >>> from dalembert import System
    >>> block = System(coordinates="x", kinetic="m*x'^2/2", potential="k*x^2/2", parameters={"m": 1, "k": 4})
    >>> print(block.derive().steps)
    A system, step by step: Lagrange's equations with multipliers, M q̈ = f + Aᵀλ
    Energies
      kinetic energy: T = m*x'^2/2
      potential energy: V = k*x^2/2
    Momenta, p = ∂T/∂v
      p_x = m*x'
    M = ∂²T/∂v∂vᵀ, and f: all that is neither M q̈ nor a reaction
      M =
        [m]
      f (lecture: μ) =
        [-k*x]
    Equations
      m*x'' + k*x = 0
    First integrals
      energy = (m*x'^2 + k*x^2)/2    (the energy T + V)
    """

    TYPESET = True

    def __init__(self, derivation: Derivation):
        self.derivation, self.scene, self.system = derivation, derivation.scene, derivation.system
        self.own = derivation.translator.own
        self.names = (*self.system.coordinates, *self.system.parameters)
        self.n, self.kept = len(self.scene.blocks.q), self.scene.kept

    def document(self) -> Section:
        """Return the steps."""
        d = self.derivation
        before = {"Constraints", "Matrices", *d.condition_expressions}
        result = [part for part in self._result.parts if not (isinstance(part, Section) and part.title in before)]
        title = f"{self.system.name or 'A system'}, step by step"
        return Section(title, [*self.steps(), *result], d.title)

    def steps(self) -> list[Section]:
        """Return the steps up to the result, which is not among them."""
        parts = [*self._given(), self._inertia(), *self._constraints(), *self.derivation.kind.steps(self)]
        return [part for part in parts if part.parts]

    def as_dict(self) -> list[dict[str, Any]]:
        """Return the steps as plain data: titles, words, equations and matrices; formulas are text."""
        from dalembert.document.as_data import write_data

        return [write_data(part) for part in self.document().parts]

    def latex(self) -> str:
        """Return the steps as LaTeX, which needs amsmath."""
        from dalembert.document.latex import write_latex

        return write_latex(self.document().parts)

    @cached_property
    def _result(self) -> Section:
        return derivation_document(self.derivation)

    # --- what all forms begin with -----------------------------------------------------------------------------------

    def _given(self) -> list[Section]:
        T, count = self.system.kinetic, self.system.mechanical
        found = [Section("Energies", energies(self.system))]
        if T is not None:
            moving = self.system.coordinates[:count]
            rows = {self.scene.fresh("p", q).name: self.written([plain(momentum(T, q))])[0] for q in moving}
            found.append(self.equations("Momenta, p = ∂T/∂v", rows))
        return found

    def _inertia(self) -> Section:
        names = forces(self.scene)[1]
        parts = [self.matrix("M", self.M), self.matrix("f", [[entry] for entry in self.forces])]
        where = Equations([Equation(name, figures(e)) for name, e in names.items()], self.names, own=self.own)
        title = "M = ∂²T/∂v∂vᵀ, and f: all that is neither M q̈ nor a reaction"
        if self.system.kinetic is None:
            title = "M and f, as they are given"
        return Section(title, [*parts, *([Paragraph("where", "faint"), where] if names else [])])

    def _constraints(self) -> list[Section]:
        """Write each constraint, its derivative by which it is one on velocities, and the rows A and c."""
        b, system = self.scene.blocks, self.system
        if not system.constraints:
            return []
        rows, words = [], {"position": "on positions", "velocity": "on velocities", "acceleration": "on accelerations"}
        for k, constraint in enumerate(system.constraints):
            rows.append(
                Equation(figures(plain(constraint.expression)), name=constraint.name, said=words[constraint.level])
            )
            psi = b.psi[k]
            if constraint.level == "position" and psi is not None:
                rows.append(Equation(self.written([psi])[0], name=constraint.name, said="its derivative"))
        parts: list[Block] = [Equations(rows, self.names, "constraint", self.own)]
        parts += [Note(f"redundant: {redundancy}") for redundancy in self.scene.redundancies]
        parts += [self.matrix("A", self.A), self.matrix("c", [[entry] for entry in self.c])]
        return [Section("Constraints, A q̈ = c", parts)]

    @property
    def M(self) -> list[list[Expr]]:
        """The mass matrix."""
        return [[self.scene.blocks.M.get((i, j), ZERO) for j in range(self.n)] for i in range(self.n)]

    @property
    def forces(self) -> list[Expr]:
        """The forces f, long ones by their names."""
        return forces(self.scene)[0]

    @property
    def A(self) -> list[list[Expr]]:
        """The rows of the constraints that are not redundant."""
        return [[self.scene.blocks.A.get((i, j), ZERO) for j in range(self.n)] for i in self.kept]

    @property
    def c(self) -> list[Expr]:
        """The right sides of the constraints that are not redundant."""
        return [self.scene.blocks.c[i] for i in self.kept]

    # --- to write with -----------------------------------------------------------------------------------------------

    def written(self, formulas: Sequence[Expr]) -> list[Expr]:
        """Write formulas in few operations, without use of the constraints."""
        pen = Pen(self.scene, list(formulas))
        return [figures(pen.value(e)) for e in formulas]

    def matrix(self, name: str, rows: Sequence[Sequence[Expr]], said: str = "", letters: str = "") -> Block:
        """Show a matrix with its letter in the paper; of a wide one what is not zero."""
        kind = self.derivation.kind
        printed = kind.printed.get(name, "")
        words = ", ".join(filter(None, (said, f"{kind.paper}: {printed}" if printed else "")))
        flat = iter(self.written([entry for row in rows for entry in row]))
        found = [[next(flat) for _ in row] for row in rows]
        if max(map(len, found), default=0) <= _WIDE:
            return Matrix(name, found, letters or kind.letters.get(name, ""), f"({words})" if words else "", self.own)
        entries = [
            Equation(f"{name}_{i + 1}_{j + 1}", e) for i, row in enumerate(found) for j, e in enumerate(row) if e != 0
        ]
        return Section(f"{name}, what of it is not zero", [Equations(entries, self.names, own=self.own)], words)

    def equations(self, title: str, rows: Mapping[str, Expr] | Iterable[Expr], words: str = "") -> Section:
        """Show equations by what stands on their left, or ones that vanish."""
        made = [Equation(*pair) for pair in rows.items()] if isinstance(rows, Mapping) else [*map(Equation, rows)]
        said = [Paragraph(words)] if words else []
        return Section(title, [*said, Equations(made, self.names, own=self.own)] if made else [])

    def shown(self, *names: str) -> list[Block]:
        """Show some of the matrices of the form, those that there are."""
        entries = self.derivation.entries
        return [self.as_it_is(name, entries[name]) for name in names if any(entries.get(name, ()))]

    def shortened(self, of: str) -> list[Block]:
        """Say that the constraints were used to write something in few operations."""
        words = f"{of}, as it is where the constraints hold; `full` gives it in general."
        return [] if self.derivation.is_full or not self.kept else [Paragraph(words, "faint")]

    def as_it_is(self, name: str, rows: Sequence[Sequence[Expr]]) -> Matrix:
        """Show a matrix that is written already, with its letter in the paper."""
        kind = self.derivation.kind
        printed = kind.printed.get(name, "")
        return Matrix(name, rows, kind.letters.get(name, ""), f"({kind.paper}: {printed})" if printed else "", self.own)

    def inverse(self) -> list[Block]:
        """Show M⁻¹; nothing if it is too long."""
        scene, field, pilot = self.scene, self.scene.field, Pilot()
        factorise(scene.arrays.definite().M, scene.arrays.arithmetic, pilot)
        try:
            with field.bounded():
                mass = factorise(scene.formulas.definite().M, field, pilot.replay())
                columns = [mass.solve(dense({i: field.one}, self.n, field)) for i in range(self.n)]
        except TooLarge:
            return []
        found = [[field.write(e) for e in column] for column in columns]  # it is symmetric
        return [self.matrix("M_inverse", found, letters="M^{-1}")] if self._is_short(found) else []

    def coupling(self) -> list[Block]:
        """Show W and b of the multipliers; nothing if they are too long."""
        scene, write, pilot = self.scene, self.scene.field.write, Pilot()
        conditions(scene.arrays, pilot)
        try:
            with scene.field.bounded():
                found = conditions(scene.formulas, pilot.replay())
        except TooLarge:
            return []
        W, b = [[write(e) for e in row] for row in found.W], [[write(e)] for e in found.b]
        return [self.matrix("W", W), self.matrix("b", b)] if self._is_short([*W, *b]) else []

    @staticmethod
    def _is_short(rows: Sequence[Sequence[Expr]]) -> bool:
        return total(e for row in rows for e in row) <= MAX_TOTAL

    def conditions(self, words: Mapping[str, str]) -> list[Section]:
        """Show the equations between the matrices of the form, with words on each."""
        found = self.derivation.condition_expressions
        return [self.equations(title, rows, words.get(title, "")) for title, rows in found.items()]
