"""The equations of motion as they are shown, kept on disk beside the compiled code: a model is derived once.

What is kept is what the writers of `document/` are given, under all that it depends on: the model with its values, for
choices of the pilot follow from them, and the package. It is read as compiled code is, from files of the user's own.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from dalembert.document import nodes
from dalembert.document.readable import is_readable
from dalembert.errors import DerivationError
from dalembert.forms.base import FORMS
from dalembert.native import cache
from dalembert.native.identity import is_lasting, model_text

if TYPE_CHECKING:
    from dalembert.forms.derivation import Derivation
    from dalembert.language.building import Expr
    from dalembert.model.system import System

_STEPPED = 12  # coordinates and multipliers, up to which the steps are part of a report
_BALANCE = "Lagrange’s equations with multipliers, M q̈ = f + Aᵀλ"


def brief_equations(system: System) -> nodes.Section:
    """Write down the equations alone, in the form in which they are shortest; its name is the key of the section."""

    def write() -> nodes.Section:
        try:
            derivation = system.derive("minimal")
        except DerivationError as error:
            if not system.defined:
                raise
            return nodes.Section("Equations of motion", [_unwritten(error)])  # of a long tree, which moves all the same
        if not derivation.expressions:  # too long; with multipliers they are shorter
            derivation = system.derive("multipliers")
        rows = [nodes.Equation(expr) for expr in derivation.expressions]
        rows += [nodes.Equation(*named) for named in derivation.names_in(derivation.expressions).items()]
        title = f"Equations of motion: {derivation.title}"
        return nodes.Section(title, [nodes.Equations(rows)], key=derivation.form)

    return _kept(system, "brief", write, "minimal", "multipliers")


def all_equations(system: System, form: str) -> nodes.Section:
    """Write down the equations of motion: with multipliers, and in the form of the motion."""

    def write() -> nodes.Section:
        from dalembert.forms.derivation_document import derivation_document

        try:
            derivation = system.derive("minimal" if FORMS[form].plain else form)
        except DerivationError as error:
            return nodes.Section("Equations", [_unwritten(error)], key="equations")
        parts = list(derivation_document(derivation, whole=False).parts)
        if derivation.expressions:
            parts[0] = replace(parts[0], title=derivation.title)
        return nodes.Section("Equations", [_with_multipliers(derivation), *parts, *_steps(derivation)], key="equations")

    return _kept(system, f"all, with steps, {form}", write, form)


def _steps(derivation: Derivation) -> list[nodes.Section]:
    """Write the steps between the model and the equations, to be opened, where one can read them."""
    if len(derivation.scene.blocks.q) + derivation.scene.rank > _STEPPED:
        return []
    parts = [part for part in derivation.steps.steps() if is_readable(_formulas(part))]
    return [nodes.Section("Step by step", parts, fold="closed")] if parts else []


def _formulas(part: nodes.Block) -> list[Expr]:
    """Return the formulas of a part."""
    match part:
        case nodes.Section():
            return [e for inner in part.parts for e in _formulas(inner)]
        case nodes.Equations():
            return [side for row in part.rows for side in (row.left, row.right) if not isinstance(side, str)]
        case nodes.Matrix():
            return [e for row in part.rows for e in row if not isinstance(e, str)]
        case _:
            return []


def _unwritten(error: DerivationError) -> nodes.Paragraph:
    return nodes.Paragraph(f"The equations are not written down: {error}")


def _with_multipliers(derivation: Derivation) -> nodes.Section:
    """Write M q̈ = f + Aᵀλ row by row."""
    import symengine as se

    from dalembert.forms.multipliers import multiplier

    scene, b = derivation.scene, derivation.scene.given
    left: list[list[Expr]] = [[] for _ in b.q]
    right: list[list[Expr]] = [[f] for f in b.f]
    for (i, j), entry in b.M.items():
        left[i].append(entry * se.Symbol(b.q[j].name + "''"))
    for (i, j), entry in b.A.items():
        if i in scene.kept:
            right[j].append(entry * multiplier(scene, i))
    rows = [nodes.Equation(se.Add(*one), se.Add(*other)) for one, other in zip(left, right, strict=True)]
    names = (*derivation.system.coordinates, *derivation.system.parameters)
    return nodes.Section(_BALANCE, [nodes.Equations(rows, names)])


def _kept(system: System, what: str, write: Callable[[], nodes.Section], *forms: str) -> nodes.Section:
    """Return what was written for the same model in some forms before; else write it, and keep it."""
    if not is_lasting(system, *(FORMS[form] for form in forms)):
        return write()
    key = f"equations, {what}\nsymengine {version('symengine')}\n{model_text(system)}\n{system}"
    if (found := cache.read(key)) is not None:
        return pickle.loads(found.code)
    section = write()
    cache.write(key, cache.Entry({}, pickle.dumps(_alone(section))))
    return section


def _alone(part: Any) -> Any:
    """Take away what pages do not show: what symbols of the user's own are called in LaTeX."""
    if isinstance(part, nodes.Section):
        parts: Sequence[nodes.Block] = [_alone(inner) for inner in part.parts]
        return replace(part, parts=parts)
    return replace(part, own={}) if isinstance(part, (nodes.Equations, nodes.Matrix)) else part
