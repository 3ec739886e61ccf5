"""The equations that initial values add to the start.

A value of a coordinate or velocity fixes it. A value of anything else, as of the angle of a joint, is an equation that
holds at the start only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, Residual
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.survey.given import measured

_FAR = 0.25  # radians, or this part of the size of the mechanism: how far a value is moved at a time,
_STEPS = 64  # and how often at most


class Conditions:
    """The equations of initial values that are not of coordinates or velocities themselves.

    Equations on positions are differentiated by coordinates, those on velocities by velocities.
    """

    def __init__(self, numeric: Numeric, values: Mapping[str, float], level: str):
        system = numeric.system
        self.names, self.values, self._numeric = list(values), np.array(list(values.values())), numeric
        q, v = ([se.Symbol(name) for name in names] for names in (system.coordinates, system.velocities))
        wanted = [se.Symbol(f"{name}?") for name in values]
        inputs = [*q, *v, *(se.Symbol(name) for name in system.parameters), *wanted]
        place = {x: j for j, x in enumerate(q if level == "position" else v)}
        self._measures = [system.measure(name) for name in values]
        terms: list[Expr] = []
        slopes: list[Expr] = []
        self._owners: list[int] = []
        self._entries: list[tuple[int, int]] = []
        for i, measure in enumerate(self._measures):
            equation = measure.equals(wanted[i])
            parts = equation.args if equation.is_Add else (equation,)
            terms += parts
            self._owners += [i] * len(parts)
            for x in sorted(equation.free_symbols & place.keys(), key=str):
                self._entries.append((i, place[x]))
                slopes.append(equation.diff(x))
        self._program = Program(inputs, [*terms, *slopes])

    def __call__(self, x: Array, q: Array | None, rows: Sequence[int], values: Array | None = None) -> Residual:
        """Return residuals, Jacobian and sizes of the terms of some, at positions x or, at known q, velocities x.

        values: in place of those that are given.
        """
        count, n = len(self.names), len(x)
        state = [*x, *np.zeros(n)] if q is None else [*q, *x]
        wanted = self.values if values is None else values
        out = self._program.floats([*state, *self._numeric.parameters, *wanted])
        terms, slopes = np.split(out, [len(self._owners)])
        residual = np.bincount(self._owners, terms, count) if count else np.zeros(0)
        size = np.bincount(self._owners, np.abs(terms), count) if count else np.zeros(0)
        where = np.array(self._entries, dtype=int).reshape(-1, 2).T
        J = sp.csr_array(sp.coo_array((slopes, (where[0], where[1])), shape=(count, n)))
        return residual[list(rows)], sp.csr_array(J[list(rows)]), size[list(rows)]

    def path(self, q: Array) -> list[Array]:
        """Return values on the way from those of a position to the ones that are given.

        A mechanism that is led along them comes to the given ones as in motion, and is not put together otherwise.
        """
        if not self.names:
            return []
        here = measured(self._numeric, self.names, q, np.zeros(len(q)))
        way = self.values - here
        cyclic = np.array([measure.cyclic for measure in self._measures])
        way -= np.where(cyclic, 2 * np.pi * np.round(way / (2 * np.pi)), 0.0)
        slopes = abs(self(q, None, range(len(self.names)))[1]) @ np.where(
            self._numeric.units > 0, self._numeric.units, 1.0
        )
        far = np.max(np.abs(way) / np.where(slopes > 0, slopes, 1.0))
        steps = min(_STEPS, int(np.ceil(far / _FAR))) if np.isfinite(far) else 0
        return [here + k / steps * way for k in range(1, steps)]
