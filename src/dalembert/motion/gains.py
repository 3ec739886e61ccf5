"""Gains of stabilisation as a user gives them: numbers, functions of time, for each constraint or as matrices.

On velocities ψ̇ = K ψ with K = κ; on positions g̈ = −2α ġ − β² g. So P ψ + G g is added to c, with P = κ and G = 0 in the
rows of velocities, P = −2α and G = −β² in those of positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.arguments import shown
from dalembert.arrays import Array
from dalembert.errors import ModelError, counted
from dalembert.language.building import TIME, Expr, number
from dalembert.language.late_sympy import is_sympy
from dalembert.language.parser import parse
from dalembert.language.printing import to_text
from dalembert.language.program import Program
from dalembert.language.translate import Translator
from dalembert.language.vocabulary import Vocabulary
from dalembert.model.system import System
from dalembert.native.groups.offsets import Offsets

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

_LEVELS = {"kappa": "velocity", "alpha": "position", "beta": "position"}
_NEEDED = {"velocity": ("kappa",), "position": ("alpha", "beta")}
Entries = dict[tuple[int, int], Expr]


@dataclass(frozen=True, eq=False)
class GivenGains:
    """What is added to c, P ψ + G g: the entries of P and G by rows and columns, as expressions of t and parameters.

    scalar: by level, whether K is one number, or one function, for all of its constraints.
    """

    system: System
    psi: Entries
    g: Entries
    scalar: Mapping[str, bool]
    words: str

    @cached_property
    def constant(self) -> bool:
        """Whether time is not in them."""
        time = se.Symbol(TIME)
        return not any(time in expr.free_symbols for expr in (*self.psi.values(), *self.g.values()))

    @cached_property
    def _program(self) -> Program:
        inputs = [se.Symbol(TIME), *map(se.Symbol, self.system.parameters)]
        return Program(inputs, [*self.psi.values(), *self.g.values()])

    def prepare(self, kernels: Kernels) -> tuple[str, Array]:
        """Compile what they add to c; return the group of its kernel, and the numbers that it is given."""
        numbers: dict[float, int] = {}

        def gain(expr: Expr) -> Expr | int:
            value = number(expr)
            return expr if value is None else numbers.setdefault(value, len(numbers))

        psi, g = ({key: gain(expr) for key, expr in part.items()} for part in (self.psi, self.g))
        return kernels.add(Offsets(psi, g, len(numbers))), np.array(list(numbers), dtype=float)

    def at(self, rows: list[int], times: Array, parameters: Array) -> tuple[Array, Array]:
        """Return P and G of some constraints at some times; one matrix for each of them."""
        values = self._program.arrays([times, *(np.full(len(times), value) for value in parameters)]).T
        P, G = np.zeros((2, len(times), len(rows), len(rows)))
        place = {row: k for k, row in enumerate(rows)}
        entries = [(P, *key) for key in self.psi] + [(G, *key) for key in self.g]
        for (matrix, i, j), column in zip(entries, values.T, strict=True):
            if i in place and j in place:
                matrix[:, place[i], place[j]] = column
        return P, G


def read_gains(system: System, given: Mapping[str, Any]) -> GivenGains:
    """Read gains with the names of a system; refuse what has the wrong shape, is missing, or belongs to nothing."""
    rows = {level: [i for i, c in enumerate(system.constraints) if c.level == level] for level in _NEEDED}
    for name in given:
        if not rows[_LEVELS[name]]:
            other = [n for level, names in _NEEDED.items() if rows[level] for n in names]
            good = f"; this one takes {' and '.join(f'`{n}`' for n in other)}" if other else ""
            what = "positions" if _LEVELS[name] == "position" else "velocities"
            raise ModelError(f"`{name}` is a gain of constraints on {what}, and the model has none{good}")
    matrices: dict[str, list[list[Expr]]] = {}
    scalar = dict.fromkeys(_NEEDED, True)
    for level, names in _NEEDED.items():
        if missing := [name for name in names if rows[level] and name not in given]:
            what = "positions" if level == "position" else "velocities"
            raise ModelError(f"constraints on {what} need the gain `{missing[0]}` too; give it, or leave `gains` out")
        for name in names if rows[level] else ():
            matrices[name] = _matrix(system, name, given[name], len(rows[level]))
            scalar[level] &= not isinstance(given[name], tuple)
    psi, g = {}, {}
    if rows["velocity"]:
        psi |= _placed(rows["velocity"], matrices["kappa"], lambda value: value)
    if rows["position"]:
        beta = matrices["beta"]
        square = [[se.Add(*map(se.Mul, row, column)) for column in zip(*beta, strict=True)] for row in beta]
        psi |= _placed(rows["position"], matrices["alpha"], lambda value: -2 * value)
        g |= _placed(rows["position"], square, lambda value: -value)
    return GivenGains(system, psi, g, scalar, _words(matrices, given))


def _placed(rows: list[int], matrix: list[list[Expr]], change: Callable[[Expr], Expr]) -> Entries:
    """Put a matrix into the rows and columns of its constraints, without zeros."""
    return {
        (i, j): change(entry)
        for i, row in zip(rows, matrix, strict=True)
        for j, entry in zip(rows, row, strict=True)
        if entry != 0
    }


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


def _words(matrices: Mapping[str, list[list[Expr]]], given: Mapping[str, Any]) -> str:
    """Write gains as they are read."""
    parts = []
    for name, rows in matrices.items():
        value = given[name]
        if not isinstance(value, tuple):
            text = to_text(rows[0][0])
        elif isinstance(value[0], tuple):
            text = "[" + ", ".join("[" + ", ".join(map(to_text, row)) + "]" for row in rows) + "]"
        else:
            text = "[" + ", ".join(to_text(row[i]) for i, row in enumerate(rows)) + "]"
        parts.append(f"{name} = {text}")
    return ", ".join(parts)
