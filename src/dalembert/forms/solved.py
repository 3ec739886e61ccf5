"""Equations solved for what they determine: x'' = …, p_x' = …, λ = …, where a line is enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import symengine as se

from dalembert.algebra.writing.signs import settled
from dalembert.forms.pen import Pen
from dalembert.forms.prepared import Scene
from dalembert.language.building import Expr


def solved(
    scene: Scene, equations: Sequence[Expr], wanted: Sequence[Expr], known: Mapping[str, Expr]
) -> dict[str, Expr]:
    """Return by name what equations that vanish determine one by one.

    wanted: what they are solved for; else the one rate in an equation, if there is no other. known: what is so already.
    """
    rates = [*(se.Symbol(f"{q.name}''") for q in scene.blocks.q), *wanted]
    found: dict[str, Expr] = {}
    for equation in equations:
        if found_here := alone(equation, wanted) or _only(scene, equation, rates):
            found[found_here[0].name] = settled(found_here[1])
    return found | dict(known)


def alone(equation: Expr, wanted: Sequence[Expr]) -> tuple[Expr, Expr] | None:
    """Return a term that is wanted, and minus the others."""
    for term in equation.args if equation.is_Add else (equation,):
        if term in wanted:
            rest = equation - term
            return term, se.Add(*[-part for part in (rest.args if rest.is_Add else (rest,))])
    return None


def _only(scene: Scene, equation: Expr, rates: Sequence[Expr]) -> tuple[Expr, Expr] | None:
    """Solve for the only rate in an equation, if that is linear in it."""
    here = [rate for rate in rates if rate in equation.free_symbols]
    if len(here) != 1:
        return None
    factor = equation.diff(here[0])
    if here[0] in factor.free_symbols or factor == 0:
        return None
    value = -equation.xreplace({here[0]: se.Integer(0)}) / factor
    return here[0], Pen(scene, [value]).value(value)
