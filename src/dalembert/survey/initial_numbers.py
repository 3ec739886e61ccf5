"""Initial values as numbers: what was given, and what a state has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import symengine as se

from dalembert.arrays import Array
from dalembert.errors import ModelError, Problem
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.model.facts import STRUCTURE, fact

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric
    from dalembert.model.system import System


def given_values(numeric: Numeric, given: Mapping[str, Expr]) -> dict[str, float]:
    """Evaluate initial values or guesses, which may be expressions of the parameters."""
    values = evaluated(numeric, given)
    bad = [name for name, value in values.items() if not math.isfinite(value)]
    if bad:
        raise ModelError(
            Problem(f"the value of `{name}` is not a finite number", key=("initial", name)) for name in bad
        )
    return values


def evaluated(numeric: Numeric, given: Mapping[str, Expr]) -> dict[str, float]:
    """Evaluate expressions of the parameters by name, whatever comes out."""
    values = {name: float(expr) for name, expr in given.items() if isinstance(expr, (se.RealDouble, se.Integer))}
    if len(values) < len(given):
        others = {name: expr for name, expr in given.items() if name not in values}
        found = _program(numeric.system, *others.values()).floats(numeric.parameters)
        values = {name: values.get(name, 0.0) for name in given} | dict(zip(others, map(float, found), strict=True))
    return values


@fact(STRUCTURE)
def _program(system: System, *expressions: Expr) -> Program:
    """Prepare expressions of the parameters."""
    return Program([se.Symbol(name) for name in system.parameters], list(expressions))


def at_level(system: System, given: Mapping[str, Expr], level: str) -> dict[str, Expr]:
    """Return the initial values of one level."""
    return {name: value for name, value in given.items() if system.measure(name).level == level}


def measured(numeric: Numeric, names: Sequence[str], q: Array, v: Array) -> Array:
    """Return the values that quantities have in a state."""
    system = numeric.system
    inputs = [se.Symbol(name) for name in (*system.coordinates, *system.velocities, *system.parameters)]
    program = Program(inputs, [system.measure(name).value for name in names], system.defined)
    return program.floats([*q, *v, *numeric.parameters])
