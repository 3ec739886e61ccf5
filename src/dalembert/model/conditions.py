"""The equations that initial values add to the start.

A value of a coordinate or velocity fixes it. A value of anything else, as of the angle of a joint, is an equation that
holds at the start only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.program import Program
from dalembert.algebra.types import Array
from dalembert.model.functions import Expr
from dalembert.model.numeric import Numeric, Residual


class Conditions:
    """The equations of initial values that are not of coordinates or velocities themselves.

    Equations on positions are differentiated by coordinates, those on velocities by velocities.
    """

    def __init__(self, numeric: Numeric, values: Mapping[str, float], level: str):
        system = numeric.system
        self.names, self._parameters = list(values), numeric.parameters
        q, v = ([se.Symbol(name) for name in names] for names in (system.coordinates, system.velocities))
        self._inputs = [*q, *v, *(se.Symbol(name) for name in system.parameters)]
        self._unknowns = q if level == "position" else v
        place = {x: j for j, x in enumerate(self._unknowns)}
        terms: list[Expr] = []
        slopes: list[Expr] = []
        self._owners: list[int] = []
        self._entries: list[tuple[int, int]] = []
        for i, (name, value) in enumerate(values.items()):
            equation = system.measure(name).equals(se.RealDouble(value))
            parts = equation.args if equation.is_Add else (equation,)
            terms += parts
            self._owners += [i] * len(parts)
            for x in sorted(equation.free_symbols & place.keys(), key=str):
                self._entries.append((i, place[x]))
                slopes.append(equation.diff(x))
        self._program = Program(self._inputs, [*terms, *slopes])
        self._level = level

    def __call__(self, x: Array, q: Array | None, rows: Sequence[int]) -> Residual:
        """Return residuals, Jacobian and sizes of the terms of some, at positions x or, at known q, velocities x."""
        n = len(self._unknowns)
        state = [*x, *np.zeros(n)] if q is None else [*q, *x]
        values = self._program.floats([*state, *self._parameters])
        terms, slopes = np.split(values, [len(self._owners)])
        count = len(self.names)
        residual = np.bincount(self._owners, terms, count) if count else np.zeros(0)
        size = np.bincount(self._owners, np.abs(terms), count) if count else np.zeros(0)
        where = np.array(self._entries, dtype=int).reshape(-1, 2).T
        J = sp.csr_array(sp.coo_array((slopes, (where[0], where[1])), shape=(count, n)))
        return residual[list(rows)], sp.csr_array(J[list(rows)]), size[list(rows)]
