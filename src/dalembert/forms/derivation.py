"""What `system.derive(form)` gives: equations, matrices and reactions that can be read, printed and passed on."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp

from dalembert.arguments import choice
from dalembert.characters import visible
from dalembert.errors import DerivationError, quoted
from dalembert.forms import FORMS
from dalembert.forms.base import Form
from dalembert.forms.canonical import Hamiltonian
from dalembert.forms.formulas import Formulas, NamedFormulas
from dalembert.forms.independent import Independent
from dalembert.forms.lines import aligned, equation, matrix
from dalembert.forms.scene import scene_of
from dalembert.forms.typeset import math, prose
from dalembert.forms.typeset import name as symbol
from dalembert.forms.work import Matrix, derive, shared_loads
from dalembert.model.functions import Expr
from dalembert.model.printing import to_text, wrap
from dalembert.model.system import System
from dalembert.model.translate import Translator

_PAGE = 40  # lines that a page holds
_WIDE = 160  # characters of a line in an interactive session


class Derivation:
    """The equations of a system in one form.

    equations: the differential equations, as SymPy expressions that vanish.
    matrices: those of the form by name (`D`, `N`, `P`, `R`, `B`, …), as SymPy matrices; also as attributes.
    reactions: by constraint, the generalized reaction on each coordinate; only where it is determinate.
    multipliers: by constraint, λ; in a mechanism the force or moment on the second body of the joint.
    shared: constraint -> those with which it shares its load, where its own reaction is not determinate.
    total_reaction: r = M q̈ − f on each coordinate.
    notes: what else must be known: where the form holds, what is redundant, what is too long to be written.
    abbreviations: names in the reactions for right sides that are too long to be written out in them.
    structure: where the matrices are too long, their values at an admissible state, those that vary marked by *.
    """

    def __init__(self, system: System, form: str = "multipliers", coordinates: Sequence[str] | None = None):
        self.system, self.form = system, form
        self._form = _make(form, coordinates)
        self.scene = scene_of(system)
        reason = self._form.refuse(self.scene)
        if reason is not None:
            raise DerivationError(reason)
        self.degrees_of_freedom = len(system.coordinates) - self.scene.rank
        self.redundant = {r.name: list(r.others) for r in self.scene.redundancies}
        self.shared = shared_loads(self.scene)
        self.notes = [f"redundant: {redundancy}" for redundancy in self.scene.redundancies]
        self.expressions: list[Expr] = []
        self.entries: dict[str, Matrix] = {}
        self.reaction_expressions: dict[str, list[Expr]] = {}
        self.multiplier_expressions: dict[str, Expr] = {}
        self.total_expressions: list[Expr] = []
        self.structure: dict[str, list[list[str]]] = {}
        self.state: dict[str, float] = {}
        self.abbreviations: dict[str, Expr] = {}
        self.operations = 0
        derive(self, self._form)
        momenta = [p.name for p in Hamiltonian(self.scene).momenta] if form == "canonical" else []
        self._translator = Translator(system.symbols, [*system.coordinates, *momenta], system.parameters)

    @property
    def title(self) -> str:
        """The name of the form, and how it is written."""
        return self._form.title

    # --- as SymPy ----------------------------------------------------------------------------------------------------

    @property
    def equations(self) -> list[Any]:
        """The differential equations as SymPy expressions that vanish."""
        return Formulas(self._translator.outward(expr) for expr in self.expressions)

    @property
    def matrices(self) -> dict[str, Any]:
        """The matrices of the form as SymPy matrices."""
        outward = self._translator.outward
        return NamedFormulas(
            {name: sp.Matrix([[outward(e) for e in row] for row in m]) for name, m in self.entries.items()}
        )

    @property
    def reactions(self) -> dict[str, list[Any]]:
        """The reaction of every constraint that has a determinate one, on each coordinate."""
        return NamedFormulas({name: self._reaction(row) for name, row in self.reaction_expressions.items()})

    @property
    def multipliers(self) -> dict[str, Any]:
        """λ of every constraint that has a determinate reaction."""
        outward = self._translator.outward
        return NamedFormulas({name: outward(expr) for name, expr in self.multiplier_expressions.items()})

    @property
    def total_reaction(self) -> list[Any]:
        """The total reaction on each coordinate; empty if it is too long."""
        return self._reaction(self.total_expressions)

    def _reaction(self, row: list[Expr]) -> Formulas:
        names = [f"r_{name}" for name in self.system.coordinates] if row else []
        return Formulas((self._translator.outward(e) for e in row), names)

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
            "reactions": {name: [to_text(e) for e in row] for name, row in self.reaction_expressions.items()},
            "redundant": self.redundant,
            "degrees_of_freedom": self.degrees_of_freedom,
            "shared": self.shared,
            "total_reaction": [to_text(e) for e in self.total_expressions],
            "abbreviations": {name: to_text(e) for name, e in self.abbreviations.items()},
            "matrices": {name: [[to_text(e) for e in row] for row in m] for name, m in self.entries.items()},
            "structure": self.structure,
            "state": self.state,
            "notes": self.notes,
        }

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int | None = None) -> str:
        """Return all of it, in the grammar of model files; with a width, formulas take as many lines as they need."""

        def words(text: str) -> list[str]:
            return [text] if width is None else textwrap.wrap(text, width, subsequent_indent="  ")

        lines = words(f"{visible(self.system.name) or 'A system'}: {self.title}")

        def listing(title: str, rows: Iterable[tuple[str, str]]) -> None:
            found = [line for name, row in rows for line in _indented(name, row, width)]
            lines.extend([title, *found] if found else [])

        listing("Equations", (("", f"{to_text(e)} = 0") for e in self.expressions))
        listing("Constraints", ((f"{c.name}: ", f"{to_text(c.expression)} = 0") for c in self.system.constraints))
        for name, entries in self.entries.items():
            rows = ["[" + ", ".join(to_text(e) for e in row) + "]" for row in entries] if any(entries) else []
            listing(f"{name} =", (("", row) for row in rows))
        for name, entries in self.structure.items():
            rows = [f"[{', '.join(row)}]" for row in entries]
            listing(f"{name} at an admissible state (* varies)", (("", row) for row in rows))
        state = ", ".join(f"{name} = {value:.6g}" for name, value in self.state.items())
        listing("at the state", [("", state)] if state else [])
        reactions = []
        for name, row in self.reaction_expressions.items():
            acting = [(f"{q}: ", to_text(e)) for q, e in zip(self.system.coordinates, row, strict=True) if e != 0]
            if width is None or not acting:
                reactions.append((f"{name}  ", ", ".join(map("".join, acting)) or "0"))
            else:
                names = [name, *[" " * len(name)] * (len(acting) - 1)]
                reactions += [(f"{before}  {q}", text) for before, (q, text) in zip(names, acting, strict=True)]
        listing("Reactions, by coordinate", reactions)
        listing("where", ((f"{name} = ", to_text(e)) for name, e in self.abbreviations.items()))
        for note in self.notes:
            lines += words(f"note: {note}")
        return "\n".join(lines)

    def latex(self) -> str:
        """Return the equations, the constraints, the matrices and the reactions as LaTeX, which needs amsmath."""
        outward = self._translator.outward
        rows = [equation(e, "0") for e in self.equations]
        for c in self.system.constraints:
            written = equation(outward(c.expression), "0", beside=len(c.name) + 4)
            rows.append(f"{written} \\quad \\text{{({prose(c.name)})}}")
        parts = aligned(rows)
        for name, value in self.matrices.items():
            parts += matrix(name, value) if value else []
        for name, row in self.reactions.items():
            parts += matrix(f"r_{name}", sp.Matrix(row))
        parts += aligned([equation(outward(e), math(symbol(name))) for name, e in self.abbreviations.items()])
        parts += [f"% {' '.join(note.split())}" for note in self.notes]
        text = "\n".join(parts)
        return text if text.count("\n") < _PAGE else f"\\allowdisplaybreaks\n{text}"

    def __repr__(self) -> str:
        """Return the text for an interactive session, where long formulas would hide what was typed before."""
        lines = str(self).splitlines()
        shown = [line if len(line) <= _WIDE else f"{line[:_WIDE]}…" for line in lines[:_PAGE]]
        return "\n".join(shown if shown == lines else [*shown, "(shortened; `print` shows all of it)"])

    def _repr_markdown_(self) -> str:
        from dalembert.show.equations import derivation_markdown

        return derivation_markdown(self)


def _make(form: str, coordinates: Sequence[str] | None) -> Form:
    choice(form, list(FORMS), "form", "forms", DerivationError)
    if coordinates is not None and form != "independent":
        raise DerivationError(f"coordinates are named for the form `independent`, not for `{form}`")
    return Independent(coordinates) if form == "independent" else FORMS[form]()


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


def _indented(name: str, formula: str, width: int | None) -> list[str]:
    """Return a formula after its name; what does not fit into a line is below its beginning."""
    if width is None:
        return [f"  {name}{formula}"]
    return [f"  {line}" for line in wrap(name + formula, width - 2, min(len(name), width // 3) + 2)]
