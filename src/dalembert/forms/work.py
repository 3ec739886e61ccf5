"""The work of a derivation: solve on numbers, then on formulas, and write down what is short enough to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.algebra.gramschmidt import Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import MAX_TERMS, Field, TooLarge
from dalembert.errors import quoted
from dalembert.forms.base import MAX_OPERATIONS, Form, Solution, dense
from dalembert.forms.canonical import Canonical, Hamiltonian
from dalembert.forms.independent import Independent
from dalembert.forms.minimal import Minimal
from dalembert.forms.multipliers import Multipliers, solve
from dalembert.forms.reactions import Reactions
from dalembert.forms.scene import MAX_UNKNOWNS, Rows, Scene
from dalembert.model.calculus import ZERO
from dalembert.model.functions import Expr
from dalembert.model.printing import to_text

if TYPE_CHECKING:
    from dalembert.forms.derivation import Derivation


Matrix = list[list[Expr]]


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


def derive(derivation: Derivation, form: Form) -> None:
    """Fill a derivation in a form that accepts its system."""
    _Work(derivation, form).run()


class _Work:
    """Fills a derivation: equations and matrices first, reactions after; what is too long becomes a note."""

    def __init__(self, derivation: Derivation, form: Form):
        self.result, self.form, self.scene = derivation, form, derivation.scene

    def run(self) -> None:
        """Fill the derivation."""
        result, scene = self.result, self.scene
        if isinstance(self.form, Multipliers):
            result.expressions = self.form.equations(scene)
        if len(scene.blocks.q) + scene.rank > MAX_UNKNOWNS:
            self.numbers()
            return
        if scene.added and not isinstance(self.form, Multipliers | Minimal | Independent):
            names = quoted(scene.system.constraints[scene.kept[i]].name for i in scene.added)
            result.notes.append(
                f"M has no inverse: M + Σ ρ AᵢᵀAᵢ and f + Σ ρ Aᵢᵀcᵢ stand in its place and that of f, with the rows "
                f"of {names}, which changes neither q̈ nor r"
            )
        pilot = Pilot()
        values = self.form.solve(scene.arrays, pilot)
        solution = None
        if isinstance(self.form, Minimal | Canonical):  # their equations do not need what solves them
            self.count(self.form, pilot)
        else:
            solution = self.attempt(self.form, pilot)
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

    def count(self, form: Form, pilot: Pilot) -> None:
        """Count the operations of a form on the shared graph."""
        counted = self.scene.counted()
        form.solve(counted, pilot.replay())
        self.result.operations = counted.arithmetic.operations

    def attempt(self, form: Form, pilot: Pilot) -> Solution | None:
        """Solve with formulas, if their size on the shared graph allows it; with long right sides named if need be.

        None if they are too long. Reactions are asked for by several forms, and found once.
        """
        self.count(form, pilot)
        if self.result.operations > MAX_OPERATIONS:
            return None
        found = self.scene.found if isinstance(form, Reactions) else {}
        if form.name not in found:
            found[form.name] = self.formulas(form, pilot)
        solution, self.result.abbreviations = found[form.name]
        return solution

    def formulas(self, form: Form, pilot: Pilot) -> tuple[Solution | None, dict[str, Expr]]:
        """Solve with formulas, in as few abbreviations as possible; return these too."""
        scene = self.scene
        for read in (lambda: (scene.formulas, {}), scene.abbreviated, lambda: scene.abbreviated(everything=True)):
            try:
                rows, names = read()
                with rows.arithmetic.bounded():
                    return self.written(rows, form.solve(rows, pilot.replay())), names
            except TooLarge:
                continue
        return None, {}

    @staticmethod
    def written(rows: Rows, solution: Solution) -> Solution:
        """Turn the formulas of a solution into expressions, unless they are more than anybody reads."""
        write, length = rows.arithmetic.write, rows.arithmetic.length
        shown = (*(solution.multipliers or ()), *solution.acceleration, *solution.reaction)
        if sum(map(length, shown)) > MAX_TERMS:
            raise TooLarge
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
        if not chosen:
            self.result.notes.append("no coordinate is independent: the constraints determine the motion")
            return
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
        if solution is None or solution.multipliers is None:
            pilot = Pilot()
            form = Reactions()
            form.solve(scene.arrays, pilot)
            solution = self.attempt(form, pilot)
        if solution is None:
            result.notes.append("the reactions are too long to be written as formulas; they are available as numbers")
            return
        n = len(scene.blocks.q)
        for i, multiplier in zip(scene.kept, solution.multipliers or [], strict=True):
            name = scene.system.constraints[i].name
            if name not in result.shared:
                result.multiplier_expressions[name] = multiplier
                row = [scene.blocks.A.get((i, j), ZERO) for j in range(n)]
                result.reaction_expressions[name] = [self.product(entry, multiplier) for entry in row]
        result.total_expressions = solution.reaction
        if result.abbreviations:
            names = quoted(result.abbreviations)
            result.notes.append(f"{names} stand for parts of M q̈ = f + r and A q̈ = c that are too long to write out")

    def product(self, entry: Expr, multiplier: Expr) -> Expr:
        """Return one entry of a reaction, in lowest terms unless they are too many."""
        field = Field([entry, multiplier])
        try:
            return field.write(field.read(entry) * field.read(multiplier))
        except TooLarge:
            return entry * multiplier


def _kind(value: Any) -> str:
    values = np.atleast_1d(np.asarray(value, dtype=float))
    if np.all(np.abs(values) < 1e-12):
        return "0"
    return f"{values[0]:.4g}" + ("" if np.ptp(values) < 1e-12 * np.abs(values).max() else "*")
