"""Gains of stabilisation as they are given: one value for all constraints, one for each, or a matrix.

Entries are numbers, or expressions of t and parameters. κ belongs to constraints on velocities, ψ̇ = κ ψ; α and β to
those on positions, g̈ = −2α ġ − β² g.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.arguments import shown
from dalembert.errors import ModelError, counted
from dalembert.language.building import TIME, Expr, number
from dalembert.language.late_sympy import is_sympy
from dalembert.language.parser import parse
from dalembert.language.translate import Translator
from dalembert.language.vocabulary import Vocabulary

if TYPE_CHECKING:
    from dalembert.model.system import System

GAINS_OF = {"velocity": ("kappa",), "position": ("alpha", "beta")}
_LEVELS = {name: level for level, names in GAINS_OF.items() for name in names}


def rows_of(system: System) -> dict[str, list[int]]:
    """Return the numbers of the constraints that have gains, by level."""
    return {level: [i for i, c in enumerate(system.constraints) if c.level == level] for level in GAINS_OF}


def gain_matrices(system: System, given: Mapping[str, Any]) -> dict[str, list[list[Expr]]]:
    """Return every gain as a matrix; refuse what has the wrong shape, is missing, or belongs to nothing."""
    rows = rows_of(system)
    for name in given:
        if not rows[_LEVELS[name]]:
            other = [n for level, names in GAINS_OF.items() if rows[level] for n in names]
            good = f"; this one takes {' and '.join(f'`{n}`' for n in other)}" if other else ""
            what = "positions" if _LEVELS[name] == "position" else "velocities"
            raise ModelError(f"`{name}` is a gain of constraints on {what}, and the model has none{good}")
    matrices: dict[str, list[list[Expr]]] = {}
    for level, names in GAINS_OF.items():
        if missing := [name for name in names if rows[level] and name not in given]:
            what = "positions" if level == "position" else "velocities"
            raise ModelError(f"constraints on {what} need the gain `{missing[0]}` too; give it, or leave `gains` out")
        for name in names if rows[level] else ():
            matrices[name] = _matrix(system, name, given[name], len(rows[level]))
    return matrices


def _matrix(system: System, name: str, given: Any, size: int) -> list[list[Expr]]:
    """Return a gain as a matrix: of one for all, of one for each constraint, or of all entries."""
    zero = se.Integer(0)
    if not isinstance(given, tuple):
        value = _expression(system, name, given)
        return [[value if i == j else zero for j in range(size)] for i in range(size)]
    if len(given) != size or any(isinstance(row, tuple) and len(row) != size for row in given):
        what = "velocities" if _LEVELS[name] == "velocity" else "positions"
        lengths = [str(len(row)) if isinstance(row, tuple) else "1" for row in given]
        is_matrix = any(isinstance(row, tuple) for row in given)
        got = f"rows of {', '.join(lengths)}" if is_matrix else counted(len(given), "value")
        raise ModelError(
            f"`{name}` has {got}, and there {'is' if size == 1 else 'are'} {counted(size, 'constraint')} on {what}: "
            f"give one value for all, a list of {size}, or {size} rows of {size}"
        )
    if any(isinstance(row, tuple) for row in given):
        if not all(isinstance(row, tuple) for row in given):
            raise ModelError(f"`{name}` mixes rows and single values; give a list of numbers, or one of rows")
        return [[_expression(system, name, entry) for entry in row] for row in given]
    values = [_expression(system, name, entry) for entry in given]
    return [[value if i == j else zero for j in range(size)] for i, value in enumerate(values)]


def _expression(system: System, name: str, given: Any) -> Expr:
    """Read an entry: a number, or an expression of t and parameters."""
    vocabulary = Vocabulary((), tuple(system.parameters), calls=system.calls)
    try:
        if isinstance(given, str):
            expr = parse(given, vocabulary)
        elif isinstance(given, (int, float, se.Basic)):
            expr = se.sympify(given)
        elif is_sympy(given):
            expr = Translator(system.symbols, system.coordinates, system.parameters, system.calls).inward(given)
        else:
            raise ModelError(f"expected a number, or an expression of t and parameters; got {shown(given)}")
    except ModelError as error:
        raise ModelError(f"the gain `{name}`: {error.problems[0].text}") from None
    known = {TIME, *system.parameters}
    if strange := sorted(symbol.name for symbol in expr.free_symbols if symbol.name not in known):
        raise ModelError(f"the gain `{name}` may depend on t and parameters, not on `{strange[0]}`")
    if not expr.free_symbols and number(expr) is None:
        raise ModelError(f"the gain `{name}` must be finite, got {given}")
    return expr
