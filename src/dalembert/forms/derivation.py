"""What `system.derive(form)` gives: equations, matrices and reactions that can be read, printed and passed on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.physics.vector import vlatex

from dalembert.arguments import choice
from dalembert.errors import DerivationError, quoted
from dalembert.forms import FORMS
from dalembert.forms.base import Form
from dalembert.forms.canonical import Hamiltonian
from dalembert.forms.formulas import Formulas, NamedFormulas
from dalembert.forms.independent import Independent
from dalembert.forms.scene import Scene
from dalembert.forms.work import Matrix, derive, shared_loads
from dalembert.model.functions import Expr
from dalembert.model.printing import to_text
from dalembert.model.system import System
from dalembert.model.translate import Translator

_SHOWN = 12  # rows of a matrix, equations, constraints in plain text
_WIDE = 160  # characters of a formula in plain text


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
        self.scene = Scene(system)
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
        lines = [f"{self.system.name or 'A system'}: {self.title}"]
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
        for name, row in self.reaction_expressions.items():
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

    __repr__ = __str__

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
