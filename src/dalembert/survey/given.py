"""Initial values as numbers: what was given, and what a state has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.errors import ModelError, Problem
from dalembert.language.building import Expr
from dalembert.language.program import Program

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric
    from dalembert.model.system import System


def given_values(numeric: Numeric, given: Mapping[str, Expr]) -> dict[str, float]:
    """Evaluate initial values or guesses, which may be expressions of the parameters."""
    symbols = [se.Symbol(name) for name in numeric.system.parameters]
    program = Program(symbols, list(given.values()))
    values = dict(zip(given, program.floats(numeric.parameters), strict=True))
    bad = [name for name, value in values.items() if not np.isfinite(value)]
    if bad:
        raise ModelError(
            Problem(f"the value of `{name}` is not a finite number", key=("initial", name)) for name in bad
        )
    return values


def at_level(system: System, given: Mapping[str, Expr], level: str) -> dict[str, Expr]:
    """Return the initial values of one level."""
    return {name: value for name, value in given.items() if system.measure(name).level == level}


def measured(numeric: Numeric, names: Sequence[str], q: Array, v: Array) -> Array:
    """Return the values that quantities have in a state."""
    system = numeric.system
    inputs = [se.Symbol(name) for name in (*system.coordinates, *system.velocities, *system.parameters)]
    program = Program(inputs, [system.measure(name).value for name in names])
    return program.floats([*q, *v, *numeric.parameters])
