"""The work of a derivation: solve on numbers, then on formulas, and write down what is short enough to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import MAX_TERMS, TooLarge
from dalembert.arguments import choice
from dalembert.blocks.law_numbers import acting
from dalembert.errors import DerivationError, quoted
from dalembert.forms import FORMS
from dalembert.forms.base import MAX_OPERATIONS, Form, Solution
from dalembert.forms.derivation import Derivation
from dalembert.forms.multipliers import Multipliers, solve
from dalembert.forms.prepared import MAX_UNKNOWNS, Rows, Scene, scene_of
from dalembert.forms.raw import Raw
from dalembert.forms.reactions import Reactions
from dalembert.forms.sheet import needed
from dalembert.forms.solved_multipliers import SolvedMultipliers, solved_multipliers
from dalembert.forms.spatial_scene import spatial_scene
from dalembert.forms.steps import steps_of
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.language.translate import Translator
from dalembert.model.constraint import refuse_steered
from dalembert.model.facts import START, STRUCTURE, fact
from dalembert.model.quantity import MULTIPLIER
from dalembert.model.quantity import multiplier as multiplier_of
from dalembert.model.sections.programme import HELD_LAWS
from dalembert.model.system import System
from dalembert.survey.paradox import refuse_undetermined


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


def derive(system: System, name: str = "multipliers", coordinates: str | Sequence[str] | None = None) -> Derivation:
    """Derive the equations of a system in a form; `coordinates` are the independent ones for that of this name."""
    choice(name, list(FORMS), "form", "forms", DerivationError)
    form = FORMS[name](coordinates)
    refuse_undetermined(system)
    scene = scene_of(system).page()
    if reason := form.refuse(scene):
        raise DerivationError(reason)
    draft = _Draft([f"redundant: {redundancy}" for redundancy in scene.redundancies], shared_loads(scene))
    _Work(draft, form, scene).run()
    names = [*system.coordinates, *(symbol.name for symbol in form.symbols(scene))]
    return Derivation(
        system, form, scene, Translator(system.symbols, names, system.parameters, system.calls), **vars(draft)
    )


@fact(START)
def derivation(system: System, form: str) -> Derivation:
    """Return the equations in a form, with independent coordinates of its own choice."""
    return derive(system, form)


def reaction(system: System, name: str) -> list[Any]:
    """Return the reaction of one constraint as formulas; raise DerivationError where it has none of its own."""
    refuse_steered(system.constraint(name))
    derivation = system.derive()
    if name in derivation.shared:
        others = quoted(derivation.shared[name])
        raise DerivationError(f"the reaction of `{name}` is not determinate: it shares the load with {others}")
    if name not in derivation.reactions:
        raise DerivationError(f"the reaction of `{name}` is too long to be written as a formula")
    return derivation.reactions[name]


@dataclass
class _Draft:
    """What a derivation is made of, while it is being written."""

    notes: list[str]
    shared: dict[str, list[str]]
    raw: Raw = field(default_factory=Raw)
    structure: dict[str, list[list[str]]] = field(default_factory=dict)
    state: dict[str, float] = field(default_factory=dict)
    operations: int = 0


class _Work:
    """Fills a draft: equations and matrices first, reactions after; what is too long becomes a note."""

    def __init__(self, draft: _Draft, form: Form, scene: Scene):
        self.result, self.form, self.scene = draft, form, scene

    def run(self) -> None:
        """Fill the draft."""
        result, scene = self.result, self.scene
        if len(scene.blocks.q) + scene.rank > MAX_UNKNOWNS:
            self.fill_large()
            self.numbers()
            return
        if scene.added and self.form.inverse:
            where = spatial_scene(scene) or scene  # the rows among which it is written
            rows = [where.kept[i] for i in where.added]
            names = quoted(scene.system.constraints[i].name for i in rows)
            result.notes.append(
                f"M has no inverse: M + Σ ρ AᵢᵀAᵢ and f + Σ ρ Aᵢᵀcᵢ stand in its place and that of f, with the rows "
                f"of {names}, which changes neither q̈ nor r"
            )
        pilot = Pilot()
        values = self.form.solve(scene.arrays, pilot)
        solution = None
        if self.form.solved and not self.by_bodies:
            solution = self.attempt(self.form, pilot)
        else:  # its equations do not need what solves them
            self.count(self.form, pilot)
        if not self.fill(solution):
            self.structure(values)
        self.numbers_for(values)
        self.reactions()

    @cached_property
    def by_bodies(self) -> bool:
        """Whether it is written body by body."""
        return spatial_scene(self.scene) is not None

    def fill(self, solution: Solution | None) -> bool:
        """Write equations and matrices as expressions, in named steps if they are too long; tell whether that is so."""

        def solved() -> Solution:
            if solution is None:
                raise TooLarge
            return solution

        written = None
        ways = [lambda: self.form.write(self.scene, solved), lambda: self.form.in_steps(self.scene, {})]
        for write in reversed(ways) if self.by_bodies and not self.form.plain else ways:
            with suppress(TooLarge):
                written = written or write()
        if written is None:
            return False
        raw = self.result.raw
        raw.expressions, raw.products, raw.entries = written.equations, written.products, written.matrices
        raw.abbreviation_expressions = needed(
            [*written.equations, *(e for rows in written.matrices.values() for row in rows for e in row)], written.names
        )
        self.result.notes += written.notes
        return True

    def fill_large(self) -> None:
        """Write what can be written however many unknowns there are."""
        if self.form.plain:
            self.fill(None)
        elif written := self.form.large(self.scene):
            self.result.raw.expressions, self.result.raw.entries = written.equations, written.matrices

    def numbers(self) -> None:
        """Answer for a large system: the size of the problem, and numbers at an admissible state."""
        scene, result = self.scene, self.result
        n, unknowns = len(scene.blocks.q), len(scene.blocks.q) + scene.rank
        place = scene.places[0]
        values = acting(scene.numeric, place.t, place.q, place.v)
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
        """Solve with formulas, if their size on the shared graph allows it; None if they are too long.

        What several forms ask for is found once.
        """
        self.count(form, pilot)
        if self.result.operations > MAX_OPERATIONS:
            return None
        known = self.scene.memory if form.asked_for else {}
        if form.name not in known:
            known[form.name] = self.formulas(form, pilot)
        return known[form.name]

    def formulas(self, form: Form, pilot: Pilot) -> Solution | None:
        """Solve with formulas; None if they are too long."""
        try:
            rows = self.scene.formulas
            with rows.arithmetic.bounded():
                return self.written(rows, form.solve(rows, pilot.replay()))
        except TooLarge:
            return None

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

    def structure(self, values: Solution) -> None:
        """Say how large the formulas would be, where no steps are known that make them short."""
        size = f"{self.result.operations} operations"
        self.result.notes.append(f"the formulas of this form are too long to be written ({size})")

    def numbers_for(self, values: Solution) -> None:
        """Give the values of matrices that are not written, and say which of their entries vary."""
        missing = {name: m for name, m in values.matrices.items() if any(m) and name not in self.result.raw.entries}
        if not missing or not (self.form.solved or not self.result.raw.expressions):
            return
        self.place()
        for name, matrix in missing.items():
            largest = max(float(np.abs(np.asarray(entry, dtype=float)).max()) for row in matrix for entry in row)
            self.result.structure[name] = [[_kind(entry, 1e-12 * largest) for entry in row] for row in matrix]

    def reactions(self) -> None:
        """Write the reaction of every constraint that has one of its own, and the total."""
        scene, result = self.scene, self.result
        for name, others in result.shared.items():
            why = f"it shares the load with {quoted(others)}" if others else "it has no gradient where it holds"
            result.notes.append(f"the reaction of `{name}` is not determinate: {why}")
        if not scene.kept:
            return
        found = self.acting()
        n = len(scene.blocks.q)
        followed = self.followed(found)
        for i, multiplier in zip(scene.kept, found.multipliers, strict=True):
            name = scene.system.constraints[i].name
            if i in followed:
                symbol = followed[i][0]
                result.raw.multiplier_expressions[name] = followed[i][1]
                result.raw.reaction_expressions[name] = [scene.blocks.A.get((i, j), ZERO) * symbol for j in range(n)]
            elif name not in result.shared:
                result.raw.multiplier_expressions[name] = found.names.get(str(multiplier), multiplier)
                row = [scene.blocks.A.get((i, j), ZERO) for j in range(n)]
                result.raw.reaction_expressions[name] = [entry * multiplier for entry in row]
            if scene.system.constraints[i].steered:  # what its controls do is in the forces
                result.raw.reaction_expressions.pop(name, None)
        result.raw.total_expressions = found.together
        result.raw.beside(found.names, scene.free_name)

    def followed(self, found: Reacted) -> dict[int, tuple[Expr, Expr]]:
        """Solve for the multipliers in forces, or note their equations; return symbol and value by constraint."""
        scene, result = self.scene, self.result
        if not scene.followed:
            return {}
        symbols = {i: scene.followed.get(multiplier_of(scene.system.constraints[i].name)) for i in scene.kept}
        right = {symbols[i]: F for i, F in zip(scene.kept, found.multipliers, strict=True) if symbols[i] is not None}
        whole = [*right.values(), *needed(right.values(), found.names).values()]
        if any(expr.free_symbols & right.keys() for expr in whole):
            solved = solved_multipliers(scene, right, readable=not found.names)
        else:  # the forces in which they stand do not act on them
            solved = SolvedMultipliers({x: found.names.get(str(F), F) for x, F in right.items()}, [])
        result.raw.followed = {symbol.name: value for symbol, value in solved.values.items()}
        result.raw.followed |= self.shared_controls()
        result.notes += solved.notes
        known = solved.right | solved.values
        return {i: (symbol, known[symbol]) for i, symbol in symbols.items() if symbol is not None}

    def shared_controls(self) -> dict[str, Expr]:
        """Return the controls that hold programmes together, more than these: what each is of their multipliers."""
        scene, system = self.scene, self.scene.system
        laws: Mapping[str, Expr] = system.written.survey.known[STRUCTURE].get(HELD_LAWS, {})
        programmes = system.sections.get("programme", {})
        names = {se.Symbol(MULTIPLIER + name): scene.fresh("lambda", name) for name in programmes}
        return {scene.free_name(name).name: scene.named(law).xreplace(names) for name, law in laws.items()}

    def acting(self) -> Reacted:
        """Find the multipliers and the total reaction: as formulas, or in named steps where they are too long."""
        scene, pilot, operations = self.scene, Pilot(), self.result.operations
        form = Multipliers() if scene.added else Reactions()  # where M has no inverse, what makes up for it lengthens
        form.solve(scene.arrays, pilot)
        solution = None if self.by_bodies else self.attempt(form, pilot)
        self.result.operations = operations
        if solution is not None:
            return Reacted(solution.multipliers or [], solution.reaction)
        steps = steps_of(scene)
        multipliers, together = steps.multipliers, steps.total
        return Reacted(multipliers, together, needed([*multipliers, *together], steps.names))


@dataclass
class Reacted:
    """What acts along constraints: λ of the independent ones, r, and what names in them stand for."""

    multipliers: list[Expr]
    together: list[Expr]
    names: dict[str, Expr] = field(default_factory=dict)


def _kind(value: Any, rounding: float) -> str:
    """Write the first of the values of an entry, with a star if they vary."""
    values = np.atleast_1d(np.asarray(value, dtype=float))
    values[np.abs(values) <= rounding] = 0.0
    return f"{values[0]:.4g}" + ("" if np.ptp(values) <= 1e-12 * np.abs(values).max() else "*")
