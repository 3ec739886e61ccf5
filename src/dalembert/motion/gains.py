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

from dalembert.arrays import Array
from dalembert.language.building import TIME, Expr, number
from dalembert.language.printing import to_text
from dalembert.language.program import Program
from dalembert.model.given_gains import GAINS_OF, gain_matrices, rows_of
from dalembert.model.system import System
from dalembert.native.groups.offsets import Offsets

if TYPE_CHECKING:
    from dalembert.native.kernels import Kernels

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
    rows, matrices = rows_of(system), gain_matrices(system, given)
    scalar = {
        level: all(not isinstance(given[name], tuple) for name in names if name in matrices)
        for level, names in GAINS_OF.items()
    }
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
