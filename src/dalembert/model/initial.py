"""Initial values: what they are given of, and what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.algebra.program import Program
from dalembert.algebra.types import Array
from dalembert.errors import ModelError, Problem
from dalembert.model.functions import Expr

if TYPE_CHECKING:
    from dalembert.model.numeric import Numeric
    from dalembert.model.system import System


@dataclass(frozen=True)
class Measure:
    """A quantity of which an initial value can be given.

    level: "position" or "velocity". value: as an expression. equals: what vanishes where it has a value. cyclic:
    whether that is the same a full turn further.
    """

    level: str
    value: Expr
    equals: Callable[[Expr], Expr]
    cyclic: bool = False


@dataclass(frozen=True)
class InitialValue:
    """What the user gave in one go: one value in [initial], or the spin of a body with its components.

    label: how to call it. key: its entry in a model file. values: by the names of the quantities.
    """

    label: str
    key: tuple[str, ...]
    values: Mapping[str, float]

    def text(self, values: Iterable[float] | None = None) -> str:
        """Write it with its values, or with others."""
        shown = [f"{value + 0.0:.12g}" for value in (self.values.values() if values is None else values)]
        return f"{self.label} = {shown[0]}" if len(shown) == 1 else f"{self.label} = [{', '.join(shown)}]"


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
