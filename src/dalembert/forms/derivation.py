"""What `system.derive(form)` gives: equations, matrices and reactions that can be read, printed and passed on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import symengine as se
import sympy as sp

from dalembert.algebra.writing.collapsing import collapsed
from dalembert.algebra.writing.numerals import figures
from dalembert.algebra.writing.pythagoras import completed
from dalembert.algebra.writing.shared_parts import in_order
from dalembert.algebra.writing.signs import settled
from dalembert.document.nodes import Section
from dalembert.document.shown import Printed
from dalembert.forms.base import Form, Matrix
from dalembert.forms.carrying import CarryingForces, carrying_forces
from dalembert.forms.contact_conditions import contacts_as_dict
from dalembert.forms.derivation_document import derivation_document
from dalembert.forms.formulas import Formulas, NamedFormulas
from dalembert.forms.prepared import Scene
from dalembert.forms.raw import Raw
from dalembert.forms.short import Short
from dalembert.forms.solved import solved
from dalembert.forms.spatial_scene import conditions_by_bodies
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr
from dalembert.language.printing import to_text
from dalembert.language.translate import Translator
from dalembert.model.system import System
from dalembert.survey.integrals import Integrals, integrals_of

if TYPE_CHECKING:
    from dalembert.forms.board import Board

_PAGE = 40  # lines that a page holds
_WIDE = 160  # characters of a line in an interactive session


@dataclass(frozen=True, eq=False, repr=False)
class Derivation(Printed):
    """The equations of a system in one form.

    equations: the differential equations, as SymPy expressions that vanish.
    matrices: those of the form by name (`D`, `N`, `P`, `R`, `B`, …), as SymPy matrices; also as attributes.
    reactions: by constraint, the generalized reaction on each coordinate; only where it is determinate.
    multipliers: by constraint, λ; in a mechanism the force or moment on the second body of the joint.
    shared: constraint -> those with which it shares its load, where its own reaction is not determinate.
    total_reaction: r = M q̈ − f on each coordinate.
    joint_forces: of a mechanism by joints or angles, λ of the joints that carry bodies, as `A.x`:
    the balance of all that hangs on a joint, in accelerations and in the λ of the joints that close loops.
    notes: what else must be known: where the form holds, what is redundant, what is too long to be written.
    abbreviations: what names in the formulas stand for: parts that are shared, and right sides that are too long.
    structure: where the matrices are too long, their values at an admissible state, those that vary marked by *.

    What ends in `expressions`, and `entries`, are the same as SymEngine has them; a number that stands below a line
    is a symbol of its digits there (`x/0.7`). operations: on the shared graph.
    """

    TYPESET = True
    WHOLE = "`.equations`, `.reactions` and `.matrices` have all of it, and `print` shows it"

    system: System
    kind: Form
    scene: Scene
    translator: Translator
    notes: list[str]
    shared: dict[str, list[str]]
    raw: Raw
    structure: dict[str, list[list[str]]]
    state: dict[str, float]
    operations: int
    is_full: bool = False

    @property
    def form(self) -> str:
        """The name of the form."""
        return self.kind.name

    @property
    def degrees_of_freedom(self) -> int:
        """How many there are, in general positions."""
        return self.system.mechanical - self.scene.rank

    @property
    def redundant(self) -> dict[str, list[str]]:
        """The constraints that follow from others, and from which."""
        return {r.name: list(r.others) for r in self.scene.redundancies}

    @property
    def title(self) -> str:
        """The name of the form, and how it is written."""
        return self.kind.title

    # --- as SymEngine ------------------------------------------------------------------------------------------------

    @cached_property
    def _formulas(self) -> Raw | Short:
        return self.raw if self.is_full else Short(self.raw, self.kind, self.scene)

    @cached_property
    def expressions(self) -> list[Expr]:
        """The differential equations as expressions that vanish."""
        return list(map(_shown, self._formulas.expressions))

    @cached_property
    def constraint_expressions(self) -> dict[str, Expr]:
        """The constraints by name, as expressions that vanish."""
        return {c.name: _shown(plain(c.expression)) for c in self.system.constraints}

    @cached_property
    def shown_constraints(self) -> dict[str, Expr]:
        """The constraints by name as they are shown: in space by rotation matrices, where they are too wide else."""
        shorter = {} if self.is_full else _figured(conditions_by_bodies(self.scene))
        return {**self.constraint_expressions, **shorter}

    @cached_property
    def entries(self) -> dict[str, Matrix]:
        """The entries of the matrices."""
        return {name: [list(map(_shown, row)) for row in rows] for name, rows in self._formulas.entries.items()}

    @cached_property
    def condition_expressions(self) -> dict[str, list[Expr]]:
        """Equations between the matrices row by row, as expressions that vanish, by how they are written."""
        return dict(self.kind.conditions(self.scene, self.entries))

    @cached_property
    def reaction_expressions(self) -> dict[str, list[Expr]]:
        """The reactions by constraint."""
        return {name: list(map(_shown, row)) for name, row in self._formulas.reaction_expressions.items()}

    @cached_property
    def multiplier_expressions(self) -> dict[str, Expr]:
        """λ by constraint."""
        return _figured(self._formulas.multiplier_expressions)

    @cached_property
    def total_expressions(self) -> list[Expr]:
        """The total reaction."""
        return list(map(_shown, self._formulas.total_expressions))

    @cached_property
    def joint_expressions(self) -> dict[str, Expr]:
        """λ of joints that carry bodies."""
        return _figured({name: settled(expr) for name, expr in self._carried.values.items()})

    @cached_property
    def _carried(self) -> CarryingForces:
        return carrying_forces(self.scene, self._formulas.abbreviation_expressions, whole=self.is_full)

    @cached_property
    def integrals(self) -> Integrals:
        """The first integrals of the system, which are the same in all forms."""
        return integrals_of(self.system)

    @cached_property
    def meaning_expressions(self) -> dict[str, Expr]:
        """What symbols of the form stand for: quasi-velocities."""
        return _figured(dict(self.kind.meanings(self.scene)))

    @cached_property
    def abbreviation_expressions(self) -> dict[str, Expr]:
        """What names stand for; among them the multipliers in forces, where they could be solved for."""
        found = self.raw.followed | self._formulas.abbreviation_expressions | self._carried.names
        return _figured(in_order(found) if self.raw.followed else found)

    @cached_property
    def solved_expressions(self) -> dict[str, Expr]:
        """What the equations determine one by one, by name: accelerations, rates of momenta, reactions; and λ."""
        scene = self.scene
        multipliers = {scene.fresh("lambda", name).name: value for name, value in self.multiplier_expressions.items()}
        found = solved(scene, self.expressions, self.kind.solved_for(scene), {})
        return {**_figured(dict(self.kind.solutions(scene))), **found, **multipliers}

    # --- as SymPy ----------------------------------------------------------------------------------------------------

    @property
    def equations(self) -> list[Any]:
        """The differential equations as SymPy expressions that vanish."""
        return Formulas(self.translator.outward(expr) for expr in self.expressions)

    @property
    def matrices(self) -> dict[str, Any]:
        """The matrices of the form as SymPy matrices."""
        outward = self.translator.outward
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
        outward = self.translator.outward
        return NamedFormulas({name: outward(expr) for name, expr in self.multiplier_expressions.items()})

    @property
    def joint_forces(self) -> dict[str, Any]:
        """λ of every joint that carries a body and has a determinate force, by condition."""
        outward = self.translator.outward
        return NamedFormulas({name: outward(expr) for name, expr in self.joint_expressions.items()})

    @property
    def total_reaction(self) -> list[Any]:
        """The total reaction on each coordinate; empty if it is too long."""
        return self._reaction(self.total_expressions)

    @property
    def abbreviations(self) -> dict[str, Any]:
        """What the names in the formulas stand for: `equation.subs(derivation.abbreviations)` puts it in."""
        known: dict[Expr, Expr] = {}
        for name, expr in self.abbreviation_expressions.items():  # each is made of those before it
            known[se.Symbol(name)] = expr.xreplace(known)
        return NamedFormulas({symbol.name: self.translator.outward(expr) for symbol, expr in known.items()})

    def _reaction(self, row: list[Expr]) -> Formulas:
        count = self.system.mechanical  # no reaction acts on a state
        names = [f"r_{name}" for name in self.system.coordinates[:count]] if row else []
        return Formulas((self.translator.outward(e) for e in row[:count]), names)

    def __getattr__(self, name: str) -> Any:
        entries = self.raw.entries if "raw" in self.__dict__ else {}
        if not name.startswith("_") and name in entries:
            return self.matrices[name]
        known = ", ".join(entries)
        raise AttributeError(f"this derivation has no `{name}`; its matrices: {known or 'none'}")

    def names_in(self, expressions: Iterable[Expr]) -> dict[str, Expr]:
        """Return what the names in some formulas stand for, and those in what they stand for."""
        formulas = self._formulas
        names = formulas.known_names if isinstance(formulas, Short) else formulas.abbreviation_expressions
        found = self.raw.followed | names | self._carried.names
        known = _figured(in_order(found) if self.raw.followed else found)
        waiting, used = list(expressions), set()
        while waiting:
            names = {symbol.name for symbol in waiting.pop().free_symbols} & known.keys() - used
            used |= names
            waiting += [known[name] for name in names]
        return {name: expr for name, expr in known.items() if name in used}

    def letters(self, name: str) -> str:
        """Return the name of a matrix in LaTeX, if it is not its own name."""
        return self.kind.letters.get(name, "")

    @property
    def steps(self) -> Board:
        """The derivation step by step, from the energies to the result, as one would write it on the board."""
        from dalembert.forms.board import Board

        return Board(self)

    def full(self) -> Derivation:
        """Return the same derivation as the algebra leaves it: longer formulas, without names for what they share.

        They hold wherever they are defined, also where the constraints do not.
        """
        return replace(self, is_full=True)

    # --- as text -----------------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Return the derivation as plain data; formulas are text in the grammar of model files."""
        count = self.system.mechanical
        return {
            "form": self.form,
            "equations": [f"{to_text(expr)} = 0" for expr in self.expressions],
            "constraints": {name: f"{to_text(e)} = 0" for name, e in self.constraint_expressions.items()},
            "reactions": {name: [to_text(e) for e in row[:count]] for name, row in self.reaction_expressions.items()},
            "redundant": self.redundant,
            "degrees_of_freedom": self.degrees_of_freedom,
            "solved": [f"{name} = {to_text(expr)}" for name, expr in self.solved_expressions.items()],
            "integrals": self.integrals.as_dict(),
            "symbols": {name: to_text(expr) for name, expr in self.meaning_expressions.items()},
            "multipliers": {name: to_text(e) for name, e in self.multiplier_expressions.items()},
            "shared": self.shared,
            "joint_forces": {name: to_text(expr) for name, expr in self.joint_expressions.items()},
            "total_reaction": [to_text(e) for e in self.total_expressions[:count]],
            "abbreviations": {name: to_text(e) for name, e in self.abbreviation_expressions.items()},
            "matrices": {name: [[to_text(e) for e in row] for row in m] for name, m in self.entries.items()},
            "conditions": {
                title: [f"{to_text(e)} = 0" for e in rows] for title, rows in self.condition_expressions.items()
            },
            "contacts": contacts_as_dict(self.system),
            "structure": self.structure,
            "state": self.state,
            "notes": self.notes,
        }

    def document(self) -> Section:
        """Return what it consists of, as it is shown: all of it."""
        return derivation_document(self)

    def _brief(self) -> Section:
        return derivation_document(self, whole=False)

    def latex(self) -> str:
        """Return the equations, the constraints, the matrices and the reactions as LaTeX, which needs amsmath."""
        from dalembert.document.latex import write_latex

        return write_latex(self.document().parts)

    def __repr__(self) -> str:
        """Return the text for an interactive session, where long formulas would hide what was typed before."""
        lines = self.text().splitlines()
        shown = [line if len(line) <= _WIDE else f"{line[:_WIDE]}…" for line in lines[:_PAGE]]
        return "\n".join(shown if shown == lines else [*shown, "(shortened; `print` shows all of it)"])


def _shown(expr: Expr) -> Expr:
    return figures(collapsed(completed(figures(expr))))  # what was put together has its numbers put together too


def _figured(named: dict[str, Expr]) -> dict[str, Expr]:
    return {name: _shown(expr) for name, expr in named.items()}
