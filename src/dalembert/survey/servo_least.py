"""More controls than programmes: of those that hold them the least, uᵀR u.

They are u = R⁻¹ Eᵀ Z μ with as many numbers μ as programmes, where Z is how accelerations answer to forces along the
rows B, [[M, Aᵀ], [A, 0]] [Z; ·] = [Bᵀ; 0]: those rows that give the accelerations, hidden conditions among them. So
there is one combination of controls for each programme, as one control, with μ for its multiplier.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.algebra.rational import TooLarge
from dalembert.errors import ModelError, Problem
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.model.facts import STRUCTURE
from dalembert.model.quantity import multiplier
from dalembert.model.sections.programme import HELD_LAWS, as_combination

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.survey.servo_stage import ServoStage

_ONE = se.Integer(1)


def combined(stage: ServoStage) -> dict[str, Any]:
    """Return the forces with the least combinations in the place of controls; what these are is kept as a fact."""
    system, controls = stage.search.system, list(stage.search.system.holding)
    try:
        try:
            shares = _shares(stage, controls)
        except TooLarge:
            if stage.search.plain:
                raise
            stage.search.plain = True  # formulas that nobody reads need not be multiplied out
            del stage.formulas
            shares = _shares(stage, controls)
    except TooLarge:
        text = "there are more controls than programmes, and their least combination is too large a formula"
        raise ModelError(Problem(f"{text}; give the others a law", key=("programme",))) from None
    except ZeroDivisionError:
        text = "there are more controls than programmes, and how they act is not the same everywhere"
        raise ModelError(Problem(f"{text}; give the others a law", key=("programme",))) from None
    names = list(system.sections["programme"])
    held = {control: {names[i]: share for (c, i), share in shares.items() if c == control} for control in controls}
    system.survey.known[STRUCTURE][HELD_LAWS] = {name: as_combination(parts) for name, parts in held.items()}
    return _with(system, {control: [x * multiplier(n) for n, x in parts.items()] for control, parts in held.items()})


def put_alone(system: System) -> dict[str, Any]:
    """Return the forces of a system whose programmes cannot hold, without what controls are until that is known."""
    return _with(system, {control: [] for control in system.holding})


def _with(system: System, parts: Mapping[str, list[Expr]]) -> dict[str, Any]:
    put = {multiplier(system.holding[control]): se.Add(ZERO, *terms) for control, terms in parts.items()}
    forces = {name: force.xreplace(put) for name, force in system.forces.items()}
    found: dict[str, Any] = {"forces": MappingProxyType(forces)}
    if system.force is not None:
        found["force"] = tuple(force.xreplace(put) for force in system.force)
    return found


def _shares(stage: ServoStage, controls: list[str]) -> Mapping[tuple[str, int], Expr]:
    """Return R⁻¹ EᵀZ by (control, programme), without denominators."""
    b, formulas, table = stage.blocks, stage.formulas, stage.search.system.sections["controls"]
    first = stage.n
    rows: list[dict[int, Expr]] = [{} for _ in range(first + len(stage.held))]
    for (i, j), entry in b.M.items():
        rows[i][j] = entry
    place = {i: first + k for k, i in enumerate(stage.held)}
    for (i, j), entry in b.A.items():
        if i in place:
            rows[place[i]][j] = rows[j][place[i]] = entry
    found: dict[tuple[str, int], Expr] = {}
    with formulas.field.bounded():
        for p, row in enumerate(stage.search.active):
            right = [b.A.get((stage.passive + row, j), ZERO) for j in range(first)] + [ZERO] * len(stage.held)
            solved = formulas.reduced(rows, right)
            answer = dict(zip(solved.pivots, solved.right, strict=True))
            share = {}
            for k, control in enumerate(controls):
                along = {j: slope for (j, c), slope in stage.E.items() if c == k}
                total = formulas.sum({j: answer[j] for j in along if j in answer}, along)
                share[k] = total / formulas.read(table[control].get("weight", _ONE))
            for k, value in formulas.field.primitive(share).items():
                found[controls[k], p] = formulas.write(value)
    return found
