"""The equations that initial values add to the start.

A value of a coordinate or velocity fixes it. A value of anything else, as of the angle of a joint, is an equation that
holds at the start only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.blocks.followed import linked_blocks
from dalembert.blocks.numeric import Numeric, Residual
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.model.facts import STRUCTURE, fact
from dalembert.survey.initial_numbers import measured

if TYPE_CHECKING:
    from dalembert.model.system import System

_FAR = 0.25  # radians, or this part of the size of the mechanism: how far a value is moved at a time,
_STEPS = 64  # and how often at most


class _Equations:
    """The equations of some quantities as a program, whatever their values are."""

    def __init__(self, system: System, names: Sequence[str], level: str):
        q, v = ([se.Symbol(name) for name in names] for names in (system.coordinates, system.velocities))
        wanted = [se.Symbol(f"{name}?") for name in names]
        inputs = [*q, *v, *(se.Symbol(name) for name in system.parameters), *wanted]
        ways = _ways(system, level)
        self.measures = [system.measure(name) for name in names]
        terms: list[Expr] = []
        slopes: list[Expr] = []
        owners: list[int] = []
        entries: list[tuple[int, int]] = []
        for i, measure in enumerate(self.measures):
            equation = system.meant(measure.equals(wanted[i])) if system.defined else measure.equals(wanted[i])
            parts = equation.args if equation.is_Add else (equation,)
            terms += parts
            owners += [i] * len(parts)
            for x in sorted(equation.free_symbols & ways.keys(), key=str):
                slope = equation.diff(x)
                for j, part in ways[x].items():
                    entries.append((i, j))
                    slopes.append(slope if part == 1 else slope * part)
        moving = set(v)
        self.straight = (
            level == "velocity" and not system.defined and not any(slope.free_symbols & moving for slope in slopes)
        )
        self.owners = np.array(owners, dtype=int)
        self.places = tuple(np.array(entries, dtype=int).reshape(-1, 2).T)
        self.columns = len(linked_blocks(system).index) if system.defined else len(q)
        self.program = Program(inputs, [*terms, *slopes], system.defined)


def _ways(system: System, level: str) -> dict[Expr, Mapping[int, Any]]:
    """Return with which coordinates positions or velocities change, and how: with themselves, or as bodies do."""
    prime = "" if level == "position" else "'"
    names = linked_blocks(system).index if system.defined else {name: j for j, name in enumerate(system.coordinates)}
    ways: dict[Expr, Mapping[int, Any]] = {se.Symbol(name + prime): {j: 1} for name, j in names.items()}
    if system.defined and level == "position":
        ways |= {symbol: way.directions for symbol, way in linked_blocks(system).attached.items()}
    return ways


@fact(STRUCTURE)
def equations_of(system: System, level: str, *names: str) -> _Equations:
    """Return the equations of some quantities: positions are differentiated by coordinates, velocities by theirs."""
    return _Equations(system, names, level)


class Conditions:
    """The equations of initial values that are not of coordinates or velocities themselves."""

    def __init__(self, numeric: Numeric, values: Mapping[str, float], level: str):
        self.names, self.values, self._numeric = list(values), np.array(list(values.values())), numeric
        self._equations = equations_of(numeric.system, level, *values)
        self._at: tuple[Array, Array] | None = None  # for which positions coefficients are known

    def __call__(self, x: Array, q: Array | None, rows: Sequence[int], values: Array | None = None) -> Residual:
        """Return residuals, Jacobian (dense) and sizes of the terms of some, at positions x or velocities x at q.

        values: in place of those that are given.
        """
        if self.straight and q is not None and values is None:
            table = self.table(q)
            terms = np.hstack([table[:, -1:], table[:, :-1] * x])
            residual, J, size = np.cumsum(terms, axis=1)[:, -1], table[:, :-1], np.cumsum(np.abs(terms), axis=1)[:, -1]
        else:
            residual, J, size = self._evaluate(x, q, self.values if values is None else values)
        if len(rows) == len(self.names):
            return residual, J, size
        return residual[list(rows)], J[list(rows)], size[list(rows)]

    @property
    def straight(self) -> bool:
        """Whether they are equations of velocities, and linear in them, as those of spins."""
        return self._equations.straight

    def table(self, q: Array) -> Array:
        """Return the coefficients of straight ones at a position, and behind them what is left without velocities."""
        if self._at is None or self._at[0] is not q:
            residual, J, _ = self._evaluate(np.zeros(len(q)), q, self.values)
            self._at = q, np.hstack([J, residual[:, None]])
        return self._at[1]

    def _evaluate(self, x: Array, q: Array | None, wanted: Array) -> Residual:
        known, count, n = self._equations, len(self.names), len(x)
        state = [*x.tolist(), *[0.0] * n] if q is None else [*q.tolist(), *x.tolist()]
        out = known.program.floats([*state, *self._numeric.parameters, *wanted.tolist()])
        terms, slopes = out[: len(known.owners)], out[len(known.owners) :]
        residual = np.bincount(known.owners, terms, count) if count else np.zeros(0)
        size = np.bincount(known.owners, np.abs(terms), count) if count else np.zeros(0)
        J = np.zeros((count, known.columns))
        np.add.at(J, known.places, slopes)
        if known.columns > n:
            J = J @ self._numeric.directions(x if q is None else q)
        return residual, J, size

    def path(self, q: Array) -> list[Array]:
        """Return values on the way from those of a position to the ones that are given.

        A mechanism that is led along them comes to the given ones as in motion, and is not put together otherwise.
        """
        if not self.names:
            return []
        here = measured(self._numeric, self.names, q, np.zeros(len(q)))
        way = self.values - here
        cyclic = np.array([measure.cyclic for measure in self._equations.measures])
        way -= np.where(cyclic, 2 * np.pi * np.round(way / (2 * np.pi)), 0.0)
        slopes = abs(self(q, None, range(len(self.names)))[1]) @ np.where(
            self._numeric.units > 0, self._numeric.units, 1.0
        )
        far = np.max(np.abs(way) / np.where(slopes > 0, slopes, 1.0))
        steps = min(_STEPS, int(np.ceil(far / _FAR))) if np.isfinite(far) else 0
        return [here + k / steps * way for k in range(1, steps)]
