"""What programmes take of controls that follow laws with it: `u.programme`, as a formula of the state.

It is u of K [q̈; λ; u] = [f; c; b] (`servo.py`) at any state, on the path or beside it: so what follows from the path
alone is not put into the conditions that are hidden, and nothing is a condition on the motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.algebra.rational import TooLarge
from dalembert.errors import ModelError, Problem, quoted
from dalembert.language.building import Expr
from dalembert.model.facts import STRUCTURE, Survey
from dalembert.model.feed_forward import FED_FORWARD, placeholder
from dalembert.model.quantity import multiplier
from dalembert.survey.servo_stage import ServoStage

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.survey.servo import ServoSearch


def without_laws(system: System, controls: list[str]) -> System:
    """Return a system in which some controls hold its programmes, and nothing is known of its start."""
    given = {name: dict.fromkeys(system.sections.get(name, {})) for name in ("programme", "outputs", "events")}
    changes: dict[str, Any] = {name: gone for name, gone in given.items() if gone}
    places = {name: value for name, value in system.initial.items() if name in system.coordinates}
    bare = system.replace(
        controls={name: {"law": None} for name in controls},
        initial=dict.fromkeys(system.initial),
        guess=places,
        **changes,
    )
    put = {se.Symbol(u): multiplier(p) for u, p in zip(controls, system.sections["programme"], strict=True)}
    made: Any = object.__new__(type(system))
    for part in fields(type(system)):
        object.__setattr__(made, part.name, getattr(bare, part.name))
    values = {name: value for name, value in bare.parameters.items() if name not in controls}
    forces = {name: force.xreplace(put) for name, force in bare.forces.items()}
    own = {
        "sections": MappingProxyType({**bare.sections, "programme": system.sections["programme"]}),
        "parameters": MappingProxyType(values),
        "forces": MappingProxyType(forces),
        "force": None if bare.force is None else tuple(force.xreplace(put) for force in bare.force),
        "survey": Survey(),
        "source": system.source,
    }
    for name, value in own.items():
        object.__setattr__(made, name, value)
    return made


def put_forward(system: System, controls: list[str], search: ServoSearch) -> dict[str, Any]:
    """Return the forces of a system with what its programmes take; what that is is kept as a fact."""
    search.run()
    if search.steering is None or search.stage is None:
        programmes = quoted(system.sections["programme"])
        text = f"what {programmes} would take of {quoted(controls)} is not known: they contradict constraints or each"
        raise ModelError(Problem(f"{text} other. Without laws for the controls `check` says how", key=("programme",)))
    found = dict(zip(controls, solved_controls(search.stage), strict=True))
    system.survey.known[STRUCTURE][FED_FORWARD] = MappingProxyType(found)
    put = {placeholder(name): expr for name, expr in found.items()}
    forces = MappingProxyType({name: force.xreplace(put) for name, force in system.forces.items()})
    return {"forces": forces, **_others(system, put)}


def _others(system: System, put: Mapping[Expr, Expr]) -> dict[str, Any]:
    if system.force is None:
        return {}
    return {"force": tuple(force.xreplace(put) for force in system.force)}


def solved_controls(stage: ServoStage) -> list[Expr]:
    """Solve K [q̈; λ; u] = [f; c; b] for u, exactly if that is no longer than a person would read."""
    if rubs := stage.rubs():
        text = f"what the programmes take depends on forces that follow the reaction of {quoted(rubs)}"
        advice = "leave the controls without laws, or give such forces as functions of the state"
        raise ModelError(Problem(f"{text}; {advice}", key=("programme",)))
    columns, right = stage.columns, stage.right
    rows: list[dict[int, Expr]] = [{} for _ in columns]
    for j, column in enumerate(columns):
        for i, entry in column.items():
            rows[i][j] = entry
    sides = [right[i] for i in range(len(rows))]
    first = stage.n + len(stage.held)
    while True:
        formulas = stage.formulas
        try:
            with formulas.field.bounded():
                answer = formulas.reduced(rows, sides)
                known = dict(zip(answer.pivots, answer.right, strict=True))
                return [formulas.write(known[first + k]) for k in range(len(stage.search.acting))]
        except TooLarge:
            stage.search.plain = True
            del stage.formulas
