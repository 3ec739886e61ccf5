"""Accelerations of mechanisms in space by angular velocities: fewer unknowns, and bodies whose inertia is constant.

The equations are those of `model/mechanism/turned.py`. From e and ė follow rotation matrices and ω; elimination gives
ω̇; and from it come ë = ½ Eᵀω̇ − (ė·ė) e and the multipliers of |e| = 1. What goes in and out is as in other kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import symengine as se

from dalembert.blocks.symbolic import Blocks, derive_blocks
from dalembert.forms.augment import Added
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.language.program import Program
from dalembert.model.mechanism.turned import TURNS, Turned, Turning, known, turned
from dalembert.native.builder import Builder
from dalembert.native.routine import Routine
from dalembert.native.solver import Scalar

BENT = tuple(f"e{k}''" for k in range(4))  # labels of ë where ω does not change
Radial = dict[tuple[int, int], Expr]  # the columns of A that belong to stretches


def turned_builder(builder: Builder) -> TurnedBuilder | None:
    """Return what puts the same mechanism with angular velocities on tapes, if that is possible."""
    if builder.added or builder.blocks is not builder.system.blocks:
        return None  # nothing is added to M here, and no row is nothing but rounding
    other = turned(builder.system)
    return None if other is None else TurnedBuilder(builder, other)


def split(blocks: Blocks, moves: Callable[[int], bool]) -> tuple[Blocks, Radial, dict[int, Expr]]:
    """Take stretches out of A and f, as they are no unknowns; return what belongs to them."""
    A = {(i, j): entry for (i, j), entry in blocks.A.items() if moves(j)}
    radial = {place: entry for place, entry in blocks.A.items() if place not in A}
    f = tuple(force if moves(j) else ZERO for j, force in enumerate(blocks.f))
    stretching = {j: force for j, force in enumerate(blocks.f) if not moves(j)}
    return replace(blocks, A=A, f=f), radial, stretching


def bent(e: Sequence[Any], turning: Sequence[Any], square: Sequence[Any]) -> list[Any]:
    """Return ë = ½ Eᵀω̇ + what it is where ω does not change."""
    (e0, e1, e2, e3), (a, b, c) = e, (0.5 * rate for rate in turning)
    along = (-e1 * a - e2 * b - e3 * c, e0 * a - e3 * b + e2 * c, e3 * a + e0 * b - e1 * c, e1 * b - e2 * a + e0 * c)
    return [one + other for one, other in zip(along, square, strict=True)]


class TurnedBuilder(Builder):
    """Puts the blocks of a mechanism with angular velocities on tapes."""

    def __init__(self, builder: Builder, other: Turned):
        self.system, self.inputs, self.turned = builder.system, builder.inputs, other
        self.whole_n, self.whole_s = builder.n, builder.s  # of the mechanism itself
        self.n, self.s = other.moving, len(other.rows)
        self.blocks, self._radial, self._stretching = split(derive_blocks(other), lambda j: j < other.moving)
        self._programs = {}
        self._settle()

    @cached_property
    def added(self) -> Mapping[int, Added]:
        """Nothing: inertia is not made up for."""
        return {}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.system.coordinates)}

    def _euler(self, routine: Routine, one: Turning, order: int) -> list[Scalar]:
        start = 1 + order * self.whole_n
        return [routine.tape.load("in", start + self._numbers[name]) for name in one.body.coordinates[3:]]

    def _known(self, routine: Routine, one: Turning) -> dict[str, Any]:
        return known(self._euler(routine, one, 0), self._euler(routine, one, 1))

    def evaluate(self, routine: Routine, outputs: Sequence[Expr], changes: Any = None) -> list[Scalar]:
        """Put expressions on a tape; rotation matrices and angular velocities by Euler parameters and their rates."""
        load, n, names = routine.tape.load, self.whole_n, self.turned.coordinates
        values: dict[Expr, Scalar] = dict(zip(self.inputs, routine.loads("in", len(self.inputs)), strict=True))
        for new, old in self.turned.places.items():
            values[se.Symbol(names[new])] = load("in", 1 + old)
            values[se.Symbol(names[new] + "'")] = load("in", 1 + n + old)
        for one in self.turned.turning:
            found = self._known(routine, one)
            values |= {symbol: found[label] for symbol, label in one.labels.items()}
            values |= dict(zip(one.omega, (found[turn] for turn in TURNS), strict=True))
        return Program(list(values), outputs)(list(values.values()), routine.tape)

    def found(self, routine: Routine, x: Sequence[Scalar], f: Sequence[Scalar]) -> list[Scalar]:
        """Return q̈ and λ of the mechanism by the solution."""
        out: list[Scalar] = [0.0] * (self.whole_n + self.whole_s)
        for new, old in self.turned.places.items():
            out[old] = x[new]
        for i, row in enumerate(self.turned.rows):
            out[self.whole_n + row] = -x[self.n + i]
        stretching = dict(zip(self._stretching, self.evaluate(routine, [*self._stretching.values()]), strict=True))
        radial = zip(self._radial, self.evaluate(routine, [*self._radial.values()]), strict=True)
        norms: dict[int, Scalar] = {j: -force for j, force in stretching.items()}
        for (i, j), entry in radial:
            norms[j] = norms[j] + entry * x[self.n + i]
        for one in self.turned.turning:
            seen, turns = self._known(routine, one), [x[i] for i in one.own[3:6]]
            rates = bent(self._euler(routine, one, 0), turns, [seen[label] for label in BENT])
            for name, rate in zip(one.body.coordinates[3:], rates, strict=True):
                out[self._numbers[name]] = rate
            out[self.whole_n + one.norm] = norms[one.own[6]]
        return out
