"""What a derivation consists of, as it is shown: equations, constraints, matrices, reactions, notes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import symengine as se

from dalembert.algebra.writing.signs import settled
from dalembert.document.nodes import Block, Equation, Equations, Listing, Matrix, Note, Paragraph, Section
from dalembert.document.readable import is_readable
from dalembert.errors import quoted
from dalembert.forms.contact_conditions import contact_rows, contact_words
from dalembert.forms.multipliers import multiplier
from dalembert.forms.solved import alone
from dalembert.survey.integrals import NARROWED

if TYPE_CHECKING:
    from dalembert.forms.derivation import Derivation

_VARIES = "at an admissible state (* varies)"


def derivation_document(derivation: Derivation, whole: bool = True) -> Section:
    """Show all of it; or, where a person reads, reactions that can be read, and say which cannot."""
    described = _Description(derivation, whole)
    parts = [
        described.section("Equations", described.equations()),
        described.section("with", (Equation(name, expr) for name, expr in derivation.meaning_expressions.items())),
        described.constraints(),
        described.contacts(),
        described.matrices(),
        *described.conditions(),
        described.multipliers(),
        described.reactions(),
        described.joint_forces(),
        described.where(),
        described.integrals(),
    ]
    title = derivation.system.name or "A system"
    return Section(title, [*filter(None, parts), *map(Note, derivation.notes)], derivation.title)


class _Description:
    def __init__(self, derivation: Derivation, whole: bool):
        self.derivation, self.system, self.whole = derivation, derivation.system, whole
        self.own = derivation.translator.own
        self.rows: list[Equation] = []  # all that were written

    def section(self, title: str, rows: Iterable[Equation], what: str = "equation", *more: Block) -> Section | None:
        rows = list(rows)
        self.rows += rows
        names = (*self.system.coordinates, *self.system.parameters)
        equations: list[Block] = [Equations(rows, names, what, self.own)] if rows else []
        return Section(title, [*equations, *more]) if rows or more else None

    def equations(self) -> Iterable[Equation]:
        """Give the equations, each solved for what its form is about: x″ = …, p_x′ = …, r_x = …."""
        d = self.derivation
        for equation in d.expressions:
            side = alone(equation, d.kind.solved_for(d.scene))
            yield Equation(equation) if side is None else Equation(side[0], settled(side[1]))

    def constraints(self) -> Section | None:
        rows = [Equation(expr, name=name) for name, expr in self.derivation.shown_constraints.items()]
        return self.section("Constraints", rows, "constraint")

    def contacts(self) -> Section | None:
        """Show gaps, and say what holds where they are closed or close."""
        rows = contact_rows(self.system)
        return self.section("Contacts", rows, "contact", *contact_words(self.system)) if rows else None

    def matrices(self) -> Section | None:
        """Show the matrices, or where they are too long their values at a state."""
        d = self.derivation
        parts: list[Block] = [
            Matrix(name, rows, d.letters(name), own=self.own) for name, rows in d.entries.items() if any(rows)
        ]
        self.rows += [Equation(entry) for rows in d.entries.values() for row in rows for entry in row]
        if d.structure and not self.whole:
            parts.append(Paragraph(f"{quoted(d.structure)}: too long; `print` shows the values at a state", "faint"))
        elif self.whole:
            parts += [Matrix(name, rows, d.letters(name), _VARIES) for name, rows in d.structure.items()]
            state = [f"{name} = {value:.6g}" for name, value in d.state.items()]
            parts += [Listing(state, short=True, title="at the state")] if state else []
        return Section("Matrices", parts) if parts else None

    def conditions(self) -> list[Section | None]:
        """Show equations between the matrices, where one can read them."""
        found = self.derivation.condition_expressions.items()
        return [self.section(title, map(Equation, rows)) for title, rows in found if self.whole or is_readable(rows)]

    def multipliers(self) -> Section | None:
        """Show λ of each constraint, but for those that are said below, where reactions are made of them."""
        d, rows = self.derivation, []
        for name, expr in d.multiplier_expressions.items():
            symbol = d.scene.fresh("lambda", name).name
            if symbol not in d.abbreviation_expressions and (self.whole or is_readable([expr])):
                rows.append(Equation(symbol, expr, name))
        return self.section("Multipliers, λ", rows, "multiplier")

    def reactions(self) -> Section | None:
        """Show each reaction by coordinate; where a person reads and that is long, by its multiplier, if at all."""
        rows: list[Equation] = []
        long: list[str] = []
        for name, row in self.derivation.reaction_expressions.items():
            if self.whole or is_readable([se.Add(*row)]):
                acting = [(q, e) for q, e in zip(self.system.coordinates, row, strict=True) if e != 0]
                rows += [Equation(f"r_{q}", e, name) for q, e in acting] or [Equation("r", name=name)]
            elif found := self.fraction(name):
                rows += found
            else:
                long.append(name)
        said = Paragraph(f"Too long to be read here: {quoted(long)}; `system.reaction(…)` gives them.", "faint")
        return self.section("Reactions, r = Aᵀλ", rows, "reaction", *([said] if long else []))

    def integrals(self) -> Section | None:
        """Show what stays constant; where a person reads, what can be read."""
        found, known = self.derivation.integrals, self.derivation.abbreviation_expressions
        rows = found.rows()
        shown = [row for row in rows if self.whole or is_readable([row.right])]
        said = [Paragraph(f"{row.left} = {row.said}", "faint") for row in rows if row not in shown]
        said += [Paragraph(note, "faint") for note in found.notes if note == NARROWED and shown]
        shown += [Equation(name, value) for name, value in found.meanings().items() if name not in known]
        return self.section("First integrals", shown, "integral", *said)

    def joint_forces(self) -> Section | None:
        """Show the forces in joints that carry bodies."""
        d = self.derivation
        rows = [Equation(d.scene.fresh("lambda", name).name, e, name) for name, e in d.joint_expressions.items()]
        return self.section("Forces in joints that carry, by the balance of what hangs on them", rows, "joint force")

    def fraction(self, name: str) -> list[Equation]:
        """Write a multiplier as a fraction of two sums, each of which may be broken; nothing if it is too long."""
        above, below = self.derivation.multiplier_expressions[name].as_numer_denom()
        if below == 1 or not is_readable([above, below]):
            return []
        index = [c.name for c in self.system.constraints].index(name)
        upper, lower = se.Symbol(f"N_{name}"), se.Symbol(f"D_{name}")
        symbol = multiplier(self.derivation.scene, index).name
        return [Equation(symbol, upper / lower, name), Equation(upper.name, above), Equation(lower.name, below)]

    def where(self) -> Section | None:
        """Say what names stand for: all of them, or those that are used."""
        sides = [side for row in self.rows for side in (row.left, row.right)]
        known = self.derivation.abbreviation_expressions
        if not self.whole:
            known = self.derivation.names_in(side for side in sides if not isinstance(side, str))
        return self.section("where", [Equation(name, expr) for name, expr in known.items()])
