"""What `system.derive(form)` gives: equations, matrices and reactions that can be read, printed and passed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from sympy.physics.vector import vlatex

from dalembert.algebra.gramschmidt import Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import MAX_TERMS, Field, TooLarge
from dalembert.errors import DerivationError, nearest, quoted
from dalembert.forms import FORMS
from dalembert.forms.base import MAX_OPERATIONS, Form, Solution, dense
from dalembert.forms.canonical import Canonical, Hamiltonian
from dalembert.forms.explicit import singular_mass
from dalembert.forms.independent import Independent
from dalembert.forms.minimal import Minimal
from dalembert.forms.multipliers import Multipliers, solve
from dalembert.forms.reactions import Reactions
from dalembert.forms.scene import Rows, Scene
from dalembert.model.calculus import ZERO
from dalembert.model.functions import Expr
from dalembert.model.printing import to_text
from dalembert.model.system import System
from dalembert.model.translate import Translator

MAX_UNKNOWNS = 60  # coordinates and multipliers; beyond this no formulas are attempted
_SHOWN = 12  # rows of a matrix, equations, constraints in plain text
_WIDE = 160  # characters of a formula in plain text

Matrix = list[list[Expr]]


class Derivation:
    """The equations of a system in one form.

    equations: the differential equations, as SymPy expressions that vanish.
    matrices: those of the form by name (`D`, `N`, `P`, `R`, `B`, …), as SymPy matrices; also as attributes.
    reactions: by constraint, the generalized reaction on each coordinate; only where it is determinate.
    shared: constraint -> those with which it shares its load, where its own reaction is not determinate.
    total_reaction: r = M q̈ − f on each coordinate.
    notes: what else must be known: where the form holds, what is redundant, what is too long to be written.
    abbreviations: names in the reactions for right sides that are too long to be written out in them.
    structure: where the matrices are too long, their values at an admissible state, those that vary marked by *.
    """

    def __init__(self, system: System, form: str = "multipliers", coordinates: Sequence[str] | None = None):
        self.system, self.form = system, form
        self.scene = Scene(system)
        self._form = _make(form, coordinates)
        reason = self._form.refuse(self.scene)
        if reason is not None:
            raise DerivationError(reason)
        self.degrees_of_freedom = len(system.coordinates) - self.scene.rank
        self.redundant = {r.name: list(r.others) for r in self.scene.redundancies}
        self.shared = shared_loads(self.scene)
        self.notes = [f"redundant: {redundancy}" for redundancy in self.scene.redundancies]
        self.expressions: list[Expr] = []
        self.entries: dict[str, Matrix] = {}
        self._reactions: dict[str, list[Expr]] = {}
        self._total: list[Expr] = []
        self.structure: dict[str, list[list[str]]] = {}
        self.state: dict[str, float] = {}
        self.abbreviations: dict[str, Expr] = {}
        self.operations = 0
        _Work(self).run()
        momenta = [p.name for p in Hamiltonian(self.scene).momenta] if form == "canonical" else []
        self._translator = Translator(system.symbols, [*system.coordinates, *momenta], system.parameters)

    # --- as SymPy ----------------------------------------------------------------------------------------------------

    @property
    def equations(self) -> list[Any]:
        """The differential equations as SymPy expressions that vanish."""
        return [self._translator.outward(expr) for expr in self.expressions]

    @property
    def matrices(self) -> dict[str, Any]:
        """The matrices of the form as SymPy matrices."""
        return {
            name: sp.Matrix([[self._translator.outward(e) for e in row] for row in m])
            for name, m in self.entries.items()
        }

    @property
    def reactions(self) -> dict[str, list[Any]]:
        """The reaction of every constraint that has a determinate one, on each coordinate."""
        return {name: [self._translator.outward(e) for e in row] for name, row in self._reactions.items()}

    @property
    def total_reaction(self) -> list[Any]:
        """The total reaction on each coordinate; empty if it is too long."""
        return [self._translator.outward(expr) for expr in self._total]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.__dict__.get("entries", {}):
            return self.matrices[name]
        known = ", ".join(self.__dict__.get("entries", {}))
        raise AttributeError(f"this derivation has no `{name}`; its matrices: {known or 'none'}")

    # --- as text -----------------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Return the derivation as plain data; formulas are text in the grammar of model files."""
        return {
            "form": self.form,
            "equations": [f"{to_text(expr)} = 0" for expr in self.expressions],
            "constraints": {c.name: f"{to_text(c.expression)} = 0" for c in self.system.constraints},
            "reactions": {name: [to_text(e) for e in row] for name, row in self._reactions.items()},
            "redundant": self.redundant,
            "degrees_of_freedom": self.degrees_of_freedom,
            "shared": self.shared,
            "total_reaction": [to_text(e) for e in self._total],
            "abbreviations": {name: to_text(e) for name, e in self.abbreviations.items()},
            "matrices": {name: [[to_text(e) for e in row] for row in m] for name, m in self.entries.items()},
            "structure": self.structure,
            "state": self.state,
            "notes": self.notes,
        }

    def __str__(self) -> str:
        lines = [f"{self.system.name or 'A system'}: {self._form.title}"]
        lines += _listing("Equations", [f"{to_text(e)} = 0" for e in self.expressions])
        lines += _listing("Constraints", [f"{c.name}: {to_text(c.expression)} = 0" for c in self.system.constraints])
        for name, matrix in self.entries.items():
            if any(matrix):
                lines += _listing(f"{name} =", ["[" + ", ".join(to_text(e) for e in row) + "]" for row in matrix])
        for name, rows in self.structure.items():
            lines += _listing(f"{name} at an admissible state (* varies)", [f"[{', '.join(row)}]" for row in rows])
        if self.state:
            lines += _listing(
                "at the state", [", ".join(f"{name} = {value:.6g}" for name, value in self.state.items())]
            )
        reactions = []
        for name, row in self._reactions.items():
            parts = [f"{q}: {to_text(e)}" for q, e in zip(self.system.coordinates, row, strict=True) if e != 0]
            reactions.append(f"{name}  {', '.join(parts) or '0'}")
        lines += _listing("Reactions, by coordinate", reactions)
        lines += _listing("where", [f"{name} = {to_text(e)}" for name, e in self.abbreviations.items()])
        lines += [f"note: {note}" for note in self.notes]
        if any("…" in line for line in lines):
            lines.append("note: shortened here; `--to json`, or `as_dict()` in Python, has all of it")
        return "\n".join(lines)

    def latex(self) -> str:
        """Return the equations, the constraints, the matrices and the reactions as LaTeX."""
        rows = [f"{vlatex(equation)} &= 0" for equation in self.equations]
        outward = self._translator.outward
        rows += [
            f"{vlatex(outward(c.expression))} &= 0 \\quad \\text{{({_escape(c.name)})}}"
            for c in self.system.constraints
        ]
        parts = ["\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"] if rows else []
        parts += [f"\\[ {_letter(name)} = {vlatex(matrix)} \\]" for name, matrix in self.matrices.items()]
        for name, row in self.reactions.items():
            parts.append(f"\\[ r_{{\\text{{{_escape(name)}}}}} = {vlatex(sp.Matrix(row))} \\]")
        parts += [f"\\[ {name} = {vlatex(outward(e))} \\]" for name, e in self.abbreviations.items()]
        parts += [f"% {note}" for note in self.notes]
        return "\n".join(parts)

    def _repr_latex_(self) -> str:
        return self.latex()


def _make(form: str, coordinates: Sequence[str] | None) -> Form:
    if form not in FORMS:
        raise DerivationError(f"no form `{form}`; {nearest(form, list(FORMS), 'forms')}")
    if coordinates is not None and form != "independent":
        raise DerivationError(f"coordinates are named for the form `independent`, not for `{form}`")
    return Independent(coordinates) if form == "independent" else FORMS[form]()


def shared_loads(scene: Scene) -> dict[str, list[str]]:
    """Find the constraints whose own reaction is not determinate: those that take part in a redundancy.

    The reaction of constraint i is determinate exactly if wᵢ = 0 for every w with wᵀA = 0.
    """
    groups: list[set[str]] = []  # circles that meet are one group: a load can be passed on from each to each
    for redundancy in scene.redundancies:
        circle = {redundancy.name, *redundancy.others}
        meeting = [group for group in groups if group & circle]
        groups = [group for group in groups if not group & circle] + [circle.union(*meeting)]
    shared = {name: group - {name} for group in groups for name in group}
    order = [c.name for c in scene.system.constraints]
    return {
        name: sorted(others, key=order.index)
        for name, others in sorted(shared.items(), key=lambda kv: order.index(kv[0]))
    }


def reaction(system: System, name: str) -> list[Any]:
    """Return the reaction of one constraint as formulas; raise DerivationError where it has none of its own."""
    system.constraint(name)
    derivation = Derivation(system, "multipliers")
    if name in derivation.shared:
        others = quoted(derivation.shared[name])
        raise DerivationError(f"the reaction of `{name}` is not determinate: it shares the load with {others}")
    if name not in derivation.reactions:
        raise DerivationError(f"the reaction of `{name}` is too long to be written as a formula")
    return derivation.reactions[name]


class _Work:
    """Fills a derivation: equations and matrices first, reactions after; what is too long becomes a note."""

    def __init__(self, derivation: Derivation):
        self.result, self.form, self.scene = derivation, derivation._form, derivation.scene

    def run(self) -> None:
        result, scene = self.result, self.scene
        if isinstance(self.form, Multipliers):
            result.expressions = self.form.equations(scene)
        if len(scene.blocks.q) + scene.rank > MAX_UNKNOWNS:
            self.numbers()
            return
        pilot = Pilot()
        try:
            values = self.form.solve(scene.arrays, pilot)
        except ZeroDivisionError:
            raise DerivationError(
                "the accelerations are not determined: the mass matrix must be positive semidefinite, and definite "
                "for all motions that the constraints allow; `check` names the coordinates that lack inertia"
            ) from None
        try:
            solution = self.attempt(self.form, pilot)
        except TooLarge:
            solution = None
        try:
            self.fill(solution)
        except TooLarge:
            self.structure(values)
        self.reactions(solution)

    def numbers(self) -> None:
        """Answer for a large system: the size of the problem, and numbers at an admissible state."""
        scene, result = self.scene, self.result
        n, unknowns = len(scene.blocks.q), len(scene.blocks.q) + scene.rank
        place = scene.places[0]
        values = scene.numeric.all(place.t, place.q, place.v)
        acceleration, _ = solve(values)
        reaction = values.M @ acceleration - values.f
        filled = (len(scene.blocks.M) + 2 * len(scene.blocks.A)) / unknowns**2
        result.notes.append(
            f"with {unknowns} unknowns (coordinates and multipliers; the limit is {MAX_UNKNOWNS}) no formulas are "
            f"attempted beyond the blocks; {filled:.1%} of the entries of [[M, Aᵀ], [A, 0]] are not zero"
        )
        self.place()
        columns = {"q̈": acceleration, "r": reaction}
        result.structure = {name: [[f"{column[i]:.6g}"] for i in range(n)] for name, column in columns.items()}

    def place(self) -> None:
        """Say at which admissible state numbers are given."""
        place, names = self.scene.places[0], self.scene.system.coordinates
        self.result.state = {"t": place.t, **dict(zip(names, map(float, place.q), strict=True))}
        self.result.state |= {f"{name}'": float(v) for name, v in zip(names, place.v, strict=True)}

    def attempt(self, form: Form, pilot: Pilot) -> Solution:
        """Solve with formulas, if their size on the shared graph allows it; with long right sides named if need be."""
        counted = self.scene.counted()
        form.solve(counted, pilot.replay())
        self.result.operations = counted.arithmetic.operations
        if self.result.operations > MAX_OPERATIONS:
            raise TooLarge
        try:
            return self.written(self.scene.formulas, form.solve(self.scene.formulas, pilot.replay()))
        except TooLarge:
            if not self.scene.abbreviations:
                raise
        solution = self.written(self.scene.abbreviated, form.solve(self.scene.abbreviated, pilot.replay()))
        self.result.abbreviations = self.scene.abbreviations
        return solution

    @staticmethod
    def written(rows: Rows, solution: Solution) -> Solution:
        """Turn the formulas of a solution into expressions."""
        write = rows.arithmetic.write
        multipliers = None if solution.multipliers is None else [write(value) for value in solution.multipliers]
        matrices = {name: [[write(e) for e in row] for row in m] for name, m in solution.matrices.items()}
        acceleration, reaction = ([write(e) for e in part] for part in (solution.acceleration, solution.reaction))
        return Solution(acceleration, reaction, multipliers, matrices, solution.independent)

    def fill(self, solution: Solution | None) -> None:
        """Write equations and matrices as expressions."""
        result, form, scene = self.result, self.form, self.scene
        if isinstance(form, Minimal):
            self.minimal(form)
        elif isinstance(form, Canonical):
            self.canonical()
        elif not isinstance(form, Multipliers):
            if solution is None:
                raise TooLarge
            result.entries = solution.matrices
            result.expressions = form.equations(scene, solution)
            if isinstance(form, Independent):
                self.chosen(form, solution)

    def minimal(self, form: Minimal) -> None:
        scene, result = self.scene, self.result
        columns = form.basis(scene)
        D = self.columns(columns)
        result.entries = {"D": D}
        result.expressions = form.equations(scene, Solution([], [], matrices={"D": D}))
        self.holds_where(scene.field.zeros(form.valid_where(scene, columns), self.constants()), "D")

    def columns(self, columns: list[Vector]) -> Matrix:
        n, field = len(self.scene.blocks.q), self.scene.field
        written = [[field.write(e) for e in dense(column, n, field)] for column in columns]
        return [list(row) for row in zip(*written, strict=True)] if written else [[] for _ in range(n)]

    def canonical(self) -> None:
        hamiltonian, result = Hamiltonian(self.scene), self.result
        B, B0 = hamiltonian.conditions
        result.entries = {"H": [[hamiltonian.H]], "B": B, "B_0": [[value] for value in B0]}
        result.entries["R"] = [[value] for value in hamiltonian.reactions]
        result.expressions = hamiltonian.equations()

    def chosen(self, form: Independent, written: Solution) -> None:
        names = self.scene.system.coordinates
        chosen = written.independent
        self.result.notes.append(f"independent coordinates: {quoted(names[i] for i in chosen)}")
        positions = form.positions(self.scene, frozenset(chosen))
        if len(positions) > len(chosen):  # with nonholonomic constraints there are more positions than velocities
            self.result.notes.append(
                f"the state is {len(positions)} positions, {quoted(names[i] for i in positions)}, "
                f"and {len(chosen)} velocities, those of {quoted(names[i] for i in chosen)}"
            )
        pilot = Pilot()
        form.determinant(self.scene.arrays, pilot)
        self.holds_where(
            self.scene.field.zeros(form.determinant(self.scene.formulas, pilot.replay()), self.constants()), "R"
        )

    def constants(self) -> frozenset[str]:
        return frozenset(self.scene.system.parameters)

    def holds_where(self, factors: list[Expr], name: str) -> None:
        if factors:
            text = " and ".join(f"{to_text(factor)} ≠ 0" for factor in factors)
            self.result.notes.append(f"{name} holds where {text}")

    def structure(self, values: Solution) -> None:
        """Say how large the formulas would be, which entries vanish or are constant, and what their values are."""
        operations = self.result.operations
        size = f"{operations} operations, the limit is {MAX_OPERATIONS}"
        if operations <= MAX_OPERATIONS:
            size = f"{operations} operations, but more than {MAX_TERMS} terms in one polynomial"
        self.result.notes.append(f"the formulas of this form are too long to be written ({size})")
        self.place()
        for name, matrix in values.matrices.items():
            if any(matrix):
                self.result.structure[name] = [[_kind(entry) for entry in row] for row in matrix]

    def reactions(self, solution: Solution | None) -> None:
        """Write the reaction of every constraint that has one of its own, and the total."""
        scene, result = self.scene, self.result
        for name, others in result.shared.items():
            why = f"it shares the load with {quoted(others)}" if others else "it has no gradient where it holds"
            result.notes.append(f"the reaction of `{name}` is not determinate: {why}")
        if not scene.kept:
            return
        try:
            if solution is None or solution.multipliers is None:
                form = Multipliers() if singular_mass(scene, "") else Reactions()
                pilot = Pilot()
                form.solve(scene.arrays, pilot)
                solution = self.attempt(form, pilot)
        except TooLarge:
            result.notes.append("the reactions are too long to be written as formulas; they are available as numbers")
            return
        n = len(scene.blocks.q)
        for i, multiplier in zip(scene.kept, solution.multipliers or [], strict=True):
            name = scene.system.constraints[i].name
            if name not in result.shared:
                row = [scene.blocks.A.get((i, j), ZERO) for j in range(n)]
                result._reactions[name] = [self.product(entry, multiplier) for entry in row]
        result._total = solution.reaction
        if result.abbreviations:
            names = quoted(result.abbreviations)
            result.notes.append(
                f"{names} stand for right sides of M q̈ = f + r and A q̈ = c that are too long to write out"
            )

    def product(self, entry: Expr, multiplier: Expr) -> Expr:
        """Return one entry of a reaction in lowest terms."""
        field = Field([entry, multiplier])
        return field.write(field.read(entry) * field.read(multiplier))


def _kind(value: Any) -> str:
    values = np.atleast_1d(np.asarray(value, dtype=float))
    if np.all(np.abs(values) < 1e-12):
        return "0"
    return f"{values[0]:.4g}" + ("" if np.ptp(values) < 1e-12 * np.abs(values).max() else "*")


def _listing(title: str, rows: list[str]) -> list[str]:
    if not rows:
        return []
    shown = [row if len(row) <= _WIDE else row[: _WIDE - 1] + "…" for row in rows[:_SHOWN]]
    more = [f"  … and {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else []
    return [title, *(f"  {row}" for row in shown), *more]


def _escape(name: str) -> str:
    return name.replace("_", "\\_")


def _letter(name: str) -> str:
    return {"inertia": "R^T M R", "force": "R^T (f - M a_0)", "B_0": "B^0"}.get(name, name)
