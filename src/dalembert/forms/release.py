"""Released conditions: the freed system, and the reactions as formulas (Do Sanh 1996, the principle of compatibility).

A joint, or one of its conditions, is released: the system gets the coordinates in which it could then move, the
released conditions are written as constraints between them, and r follows from B r + B₀ = 0, Dᵀ r = 0. All other
conditions that can be solved for a coordinate are solved, so that the formulas have few coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from dalembert.arguments import names as names_of
from dalembert.document.nodes import Block, Equation, Equations, Listing, Name, Paragraph, Section
from dalembert.document.shown import Printed
from dalembert.errors import DerivationError, ModelError, quoted
from dalembert.forms.board import Board
from dalembert.forms.derivation import Derivation
from dalembert.forms.formulas import NamedFormulas
from dalembert.forms.multipliers import multiplier
from dalembert.language.building import Expr
from dalembert.language.printing import to_text
from dalembert.model.system import System


class Release(Printed):
    """Conditions of a system that were released.

    conditions: their names. system: the freed system in few coordinates, with these conditions as constraints.
    reaction: by condition, the generalized reaction on each coordinate of the freed system, as SymPy.
    multipliers: by condition, λ: of a joint, the force or the moment on its second body.
    abbreviations: names in the formulas for what is too long to be written out in them.
    names: by condition, the symbol of its λ in formulas, as lambda_A_x; no two are the same.

    >>> block = System(coordinates="x y", kinetic="m*(x'^2 + y'^2)/2", potential="m*g*y",
    ...                constraints={"wall": "x = 0", "floor": "y = 0"}, parameters={"m": 1, "g": 9})
    >>> released = block.release("floor")
    >>> released.system.coordinates, released.reaction["floor"]
    (('y',), [g*m])
    """

    TYPESET = True

    def __init__(self, system: System, names: Iterable[str], words: dict[str, str] | None = None):
        self.conditions = tuple(dict.fromkeys(names_of("names", names)))
        if not self.conditions:
            raise ModelError("name the constraint, joint or condition that is to be released")
        self.conditions = tuple(dict.fromkeys(part for name in self.conditions for part in _parts(system, name)))
        self.original = system
        self.system = system.reduced(keep=self.conditions)
        self._words = words or {}

    @property
    def steps(self) -> Board:
        """The derivation of the reactions step by step."""
        return self.derivation.steps

    @property
    def freed(self) -> System:
        """The freed system without the released conditions: how it moves when they are gone."""
        return self.system.without(*self.conditions)

    @cached_property
    def derivation(self) -> Derivation:
        """The derivation of the formulas, by compatibility; by multipliers where a coordinate has no inertia."""
        try:
            return self.system.derive("reactions")
        except DerivationError:
            return self.system.derive("multipliers")

    @property
    def names(self) -> dict[str, str]:
        """The symbol of λ of every released condition."""
        return {name: self.derivation.scene.fresh("lambda", name).name for name in self.conditions}

    @property
    def reaction(self) -> dict[str, list[Any]]:
        """The generalized reaction of every released condition, on each coordinate of the freed system."""
        return NamedFormulas({name: self.derivation.reactions[self._written(name)] for name in self.conditions})

    @property
    def multipliers(self) -> dict[str, Any]:
        """λ of every released condition."""
        return NamedFormulas({name: self.derivation.multipliers[self._written(name)] for name in self.conditions})

    @property
    def expressions(self) -> dict[str, Expr]:
        """λ of every released condition, as the program computes with it."""
        return {name: self.derivation.multiplier_expressions[self._written(name)] for name in self.conditions}

    @property
    def abbreviations(self) -> dict[str, Any]:
        """Names in the formulas, with what they stand for."""
        known = self.derivation.names_in(self.derivation.multiplier_expressions.values())
        return NamedFormulas({name: self.system.sympy(e) for name, e in known.items()})

    def _written(self, name: str) -> str:
        """Return the name of a condition whose reaction is a formula; say why if it is none."""
        if name in self.derivation.shared:
            others = quoted(self.derivation.shared[name])
            text = f"it shares its load with {others}" if others else "it has no gradient where it holds"
            raise DerivationError(f"the reaction of `{name}` is not determinate: {text}")
        if name not in self.derivation.reaction_expressions:
            text = f"the reaction of `{name}` is too long to be written as a formula"
            raise DerivationError(f"{text}; `simulate` gives it as numbers")
        return name

    def as_dict(self) -> dict[str, Any]:
        """Return the derivation of the freed system as plain data, with what was released.

        released: by condition, λ with its symbol, what it is in words, and the reaction by coordinate; or why not.
        """
        found: dict[str, Any] = {}
        for name in self.conditions:
            entry: dict[str, Any] = {"symbol": self.names[name], "words": self._said(name)}
            try:
                row = self.derivation.reaction_expressions[self._written(name)]
                entry["multiplier"] = to_text(self.expressions[name])
                entry["reaction"] = [to_text(e) for e in row[: self.system.mechanical]]
            except DerivationError as error:
                entry["undetermined"] = str(error)
            found[name] = entry
        return {
            "released": found,
            "coordinates": list(self.system.coordinates[: self.system.mechanical]),
            **self.derivation.as_dict(),
        }

    def latex(self) -> str:
        """Return it as LaTeX, which needs amsmath."""
        from dalembert.document.latex import write_latex

        return write_latex(self.document().parts)

    def document(self) -> Section:
        """Show the freed system and the reactions of what was released."""
        system = self.system
        names, own = (*system.coordinates, *system.parameters), system._translator.own
        conditions = self.derivation.constraint_expressions
        rows = [Equation(expr, name=name, said=self._state_of(name)) for name, expr in conditions.items()]
        found: list[Block] = []
        for name in self.conditions:
            try:
                found.append(Equations(self._rows(self._written(name)), names, own=own))
            except DerivationError as error:
                found.append(Paragraph(str(error)))
        names_in = self.derivation.names_in(self.derivation.multiplier_expressions.values())
        where = [Equation(name, expr) for name, expr in names_in.items()]
        parts: list[Block] = [
            Listing([Name(q) for q in system.coordinates[: system.mechanical]], short=True, title="coordinates"),
            Section("Constraints", [Equations(rows, names, "constraint", own)]),
            Section("Reactions, r = Aᵀλ", found),
        ]
        parts += [Section("where", [Equations(where, names, own=own)])] if where else []
        return Section(f"{self.original.name or 'A system'}, released", parts, ", ".join(self.conditions))

    def _state_of(self, name: str) -> str:
        return "released" if name in self.conditions else "kept"

    def _rows(self, name: str) -> list[Equation]:
        """Write λ, and how it acts on each coordinate."""
        index = [c.name for c in self.system.constraints].index(name)
        symbol = multiplier(self.derivation.scene, index)
        row = {j: entry for (i, j), entry in self.system.blocks.A.items() if i == index}
        acting = [Equation(f"r_{self.system.coordinates[j]}", entry * symbol, name) for j, entry in row.items()]
        return [Equation(symbol.name, self.expressions[name], name, self._said(name)), *acting]

    def _said(self, name: str) -> str:
        """Say what λ of a condition is, where that is known."""
        return self._words.get(name, "").removeprefix(": ").replace("`", "")

    def __repr__(self) -> str:
        return f"<Release of {', '.join(self.conditions)}: {self.system.mechanical} coordinates>"


def _parts(system: System, name: str) -> list[str]:
    """Return the condition of a name, or all whose names begin with it: `A.x` and `A.y` of `A`."""
    names = [constraint.name for constraint in system.constraints]
    found = [other for other in names if other.startswith(f"{name}.")]
    return found if found and name not in names else [system.constraint(name).name]
