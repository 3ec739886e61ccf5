"""Quasi-velocities u = W v + w₀: those that a model gives, or found ones; and the velocities v = D u + b of them.

With the constraints A v + ψ₀ = 0 they determine the velocities: [A; W] v = [−ψ₀; u − w₀], and the accelerations by the
same matrix, [A; W] q̈ = [c; u̇ − ẇ], where ẇ is the rate of W v + w₀ at constant v. So A D = 0 and W D = 1, and
Ḋu + ḃ, the acceleration at u̇ = 0, needs no derivative of D.

Found are velocities of coordinates, if they determine the others everywhere; or else those of a short D that holds
everywhere: where a column has a coordinate of its own, which no other moves, u is its velocity; what is left has
u = (DᵀD)⁻¹Dᵀv, as the speed of a sleigh along its blade. Where there is no such D, they are velocities of coordinates
all the same; then a motion is computed as in the form `independent`, which chooses others where these go bad.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.elimination import factorise, reduce_rows
from dalembert.algebra.gramschmidt import Scalar, Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import Field, TooLarge
from dalembert.algebra.writing.cost import total
from dalembert.arrays import Array
from dalembert.errors import quoted
from dalembert.forms.base import dense, multiply
from dalembert.forms.minimal import Minimal
from dalembert.forms.nullspace import NullSpace, by_elimination
from dalembert.forms.prepared import MAX_UNKNOWNS, Rows, Scene
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr
from dalembert.language.calculus import ONE, ZERO, Calculus
from dalembert.language.program import Program

_SHORT = 20  # operations of a row of W that is found; of longer ones velocities of coordinates are better


@dataclass(frozen=True, eq=False)
class QuasiVelocities:
    """Rows of W and entries of w₀, as expressions of q and t; the last are the states, which are velocities already.

    symbols: u. given: whether the model says what they are.
    """

    scene: Scene
    symbols: list[Expr]
    W: list[Vector]
    w_0: list[Expr]
    given: bool

    @property
    def count(self) -> int:
        """How many there are beside the states."""
        return len(self.symbols) - len(self.scene.blocks.q) + self.scene.system.mechanical

    @property
    def plain(self) -> bool:
        """Whether all are velocities of coordinates."""
        rows = self.W[: self.count]
        return all(list(row.values()) == [1] for row in rows) and all(w == 0 for w in self.w_0)

    @property
    def rates(self) -> list[Expr]:
        """The symbols of u̇."""
        return [se.Symbol(f"{u.name}'") for u in self.symbols]

    @cached_property
    def meanings(self) -> dict[str, Expr]:
        """What they are in velocities, by name."""
        v, parts = self.scene.blocks.v, zip(self.symbols[: self.count], self.W, self.w_0, strict=False)
        return {u.name: se.Add(*[w * v[j] for j, w in row.items()], rest) for u, row, rest in parts}

    @cached_property
    def turning(self) -> list[Expr]:
        """ẇ, the rates of W v + w₀ at constant v."""
        b = self.scene.blocks
        calculus, found = Calculus([*b.q, b.t]), []
        for row, rest in zip(self.W, self.w_0, strict=True):
            lifted = calculus.lift(se.Add(*[w * b.v[j] for j, w in row.items()], rest))
            slopes = [calculus.diff(lifted, q) * v for q, v in zip(b.q, b.v, strict=True)]
            found.append(calculus.lower(se.Add(*slopes, calculus.diff(lifted, b.t))))
        return found

    @property
    def resting(self) -> list[Expr]:
        """ψ₀ of the independent constraints: what they ask for at rest."""
        b = self.scene.blocks
        still = dict.fromkeys(b.v, ZERO)
        return [(b.psi[i] or ZERO).xreplace(still) for i in self.scene.kept]

    @property
    def expressions(self) -> list[Expr]:
        """What a stack needs beside the blocks, in the order in which `stacked` takes it: W, w₀, ẇ, ψ₀."""
        return [*(w for row in self.W for w in row.values()), *self.w_0, *self.turning, *self.resting]

    def stacked(self, rows: Rows, values: Sequence[Scalar]) -> Stack:
        """Put W below A, over any arithmetic; `values` are those of `expressions`."""
        rest = iter(values)
        W = [{j: next(rest) for j in row} for row in self.W]
        parts = [[next(rest) for _ in range(size)] for size in (len(W), len(W), len(rows.A))]
        return Stack(rows, W, *parts)

    @cached_property
    def numbers(self) -> Stack:
        """The stack at the pilot's points; without the initial state, if u do not determine v just there."""
        scene, points = self.scene, self.scene.points
        whole = self._at(points)
        try:
            whole.velocities(Pilot())
        except ZeroDivisionError:
            start = scene.point(scene.numeric, scene.start)
            if np.array_equal(points[: len(start), 0], start) and points.shape[1] > 1:
                return self._at(points[:, 1:])
        return whole

    def _at(self, points: Any) -> Stack:
        scene, b = self.scene, self.scene.blocks
        blocks = [*b.M.values(), *b.f, *b.A.values(), *b.c]
        values = list(Program(scene.inputs, [*blocks, *self.expressions]).arrays(list(points)))
        return self.stacked(scene.rows(Numbers, values[: len(blocks)]), values[len(blocks) :])

    @cached_property
    def formulas(self) -> tuple[Field, Stack]:
        """The stack as formulas, without M and f; TooLarge is raised where they are too long."""
        scene, b = self.scene, self.scene.blocks
        field = Field([*b.A.values(), *b.c, *self.expressions])
        field.set_points(scene.inputs, scene.points)
        A = {place: field.read(entry) for place, entry in b.A.items()}
        rows: list[Vector] = [{j: entry for (k, j), entry in A.items() if k == i} for i in scene.kept]
        c = [field.read(b.c[i]) for i in scene.kept]
        values = [field.read(expr) for expr in self.expressions]
        return field, self.stacked(Rows(field, [], [field.zero] * len(b.q), rows, c), values)

    @cached_property
    def pilot(self) -> Pilot:
        """What chose the order in which the stack is solved."""
        pilot = Pilot()
        self.numbers.velocities(pilot)
        return pilot

    def determined(self, times: Array, q: Array, parameters: Array, units: Array) -> tuple[Array, Array]:
        """Return of [A; W] at some states the least singular value in the largest, and the sign of its determinant.

        Columns are in units of the velocities, and then rows of length one: 0 where u leave velocities open.
        """
        count, n = q.shape
        columns = np.concatenate(
            [times[:, None], q, np.zeros((count, n)), np.broadcast_to(parameters, (count, len(parameters)))], axis=1
        )
        matrices = np.zeros((count, n, n))
        for (i, j), value in zip(self._places, self._entries.arrays(list(columns.T)), strict=True):
            matrices[:, i, j] = value * (units[j] if units[j] > 0 else 1.0)
        matrices[~np.all(np.isfinite(matrices), axis=(1, 2))] = 0.0
        lengths = np.linalg.norm(matrices, axis=2, keepdims=True)
        matrices = matrices / np.where(lengths > 0, lengths, 1.0)
        sizes = np.linalg.svd(matrices, compute_uv=False)
        return sizes[:, -1] / np.maximum(sizes[:, 0], 1e-300), np.linalg.slogdet(matrices)[0]

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """Where [A; W] has entries."""
        b, kept = self.scene.blocks, self.scene.kept
        places = [(k, j) for k, i in enumerate(kept) for (l, j) in b.A if l == i]
        return places + [(len(kept) + k, j) for k, row in enumerate(self.W) for j in row]

    @cached_property
    def _entries(self) -> Program:
        """The entries of [A; W]."""
        b, kept = self.scene.blocks, self.scene.kept
        rows = [{j: entry for (l, j), entry in b.A.items() if l == i} for i in kept]
        return self.scene.numeric.program([[*rows, *self.W][i][j] for i, j in self._places])

    def objection(self) -> str | None:
        """Say why these are not velocities in which equations can be written; None if they are."""
        scene = self.scene
        freedom, names = scene.system.mechanical - scene.rank, quoted(self.meanings)
        if self.given and self.count != freedom:
            return (
                f"the form `quasi` needs as many quasi-velocities as there are degrees of freedom, here {freedom}; "
                f"[velocities] has {self.count}: {names}"
            )
        try:
            self.numbers.velocities(Pilot())
        except ZeroDivisionError:
            return (
                f"{names} are not independent where the constraints hold: they leave velocities open that these allow; "
                "choose others in [velocities], or leave them out and they are found"
            )
        return None


@dataclass(frozen=True)
class Stack:
    """[A; W] over one arithmetic, with the right sides of velocities and accelerations."""

    rows: Rows
    W: list[Vector]
    w_0: list[Scalar]
    turning: list[Scalar]
    resting: list[Scalar]

    def velocities(self, pilot: Pilot) -> NullSpace:
        """Return D and b; raise ZeroDivisionError where u do not determine them."""
        return self._solved([*(-x for x in self.resting), *(-x for x in self.w_0)], pilot)

    def accelerations(self, pilot: Pilot) -> NullSpace:
        """Return D and Ḋu + ḃ."""
        return self._solved([*self.rows.c, *(-x for x in self.turning)], pilot)

    def _solved(self, right: list[Scalar], pilot: Pilot) -> NullSpace:
        """Solve for v, with u as further columns that are free: each column of D belongs to one of them."""
        n = self.rows.n
        found = by_elimination(self._joined(right), pilot, frozenset(range(n, n + len(self.W))))
        columns = [{j: value for j, value in column.items() if j < n} for column in found.columns]
        return NullSpace(columns, found.particular[:n])

    def _joined(self, right: list[Scalar]) -> Rows:
        n, arithmetic = self.rows.n, self.rows.arithmetic
        below = [{**row, n + k: -arithmetic.one} for k, row in enumerate(self.W)]
        return Rows(arithmetic, [], [arithmetic.zero] * (n + len(self.W)), [*self.rows.A, *below], right)

    def determinant(self, pilot: Pilot) -> Scalar:
        """Return that of [A; W], up to its sign: u determine v where it does not vanish."""
        n, zero = self.rows.n, self.rows.arithmetic.zero
        joined = self._joined([zero] * n)
        free = frozenset(range(n, n + len(self.W)))
        return reduce_rows(joined.A, joined.c, joined.arithmetic, pilot, free).determinant


def quasi_velocities(scene: Scene) -> QuasiVelocities:
    """Return the quasi-velocities of a scene, those of the model or found ones; found once."""
    if "quasi-velocities" not in scene.memory:
        system, b = scene.system, scene.blocks
        given = system.quasi_velocities
        symbols, W, w_0 = _given(scene, given) if given else _found(scene)
        states = range(system.mechanical, len(b.q))
        symbols, w_0 = [*symbols, *(b.v[j] for j in states)], [*w_0, *(ZERO for _ in states)]
        W = [*W, *({j: ONE} for j in states)]
        scene.memory["quasi-velocities"] = QuasiVelocities(scene, symbols, W, w_0, bool(given))
    return scene.memory["quasi-velocities"]


def _given(scene: Scene, given: Any) -> tuple[list[Expr], list[Vector], list[Expr]]:
    """Read W and w₀ off what the model says."""
    v = scene.blocks.v
    calculus, still = Calculus(v), dict.fromkeys(v, ZERO)
    W, w_0 = [], []
    for expr in given.values():
        expr = plain(scene.system.meant(expr))
        lifted = calculus.lift(expr)
        slopes = [se.expand(calculus.lower(calculus.diff(lifted, speed))) for speed in v]
        W.append({j: slope for j, slope in enumerate(slopes) if slope != 0})
        w_0.append(expr.xreplace(still))
    return [se.Symbol(name) for name in given], W, w_0


def _found(scene: Scene) -> tuple[list[Expr], list[Vector], list[Expr]]:
    """Choose them: velocities of coordinates; if these fail somewhere, those of a short D that does not."""
    q, count = scene.blocks.q, scene.system.mechanical
    pilot = Pilot()
    W: list[Vector] = [{j: ONE} for j in by_elimination(scene.arrays, pilot).independent if j < count]
    if len(q) + scene.rank <= MAX_UNKNOWNS:
        with suppress(TooLarge), scene.field.bounded():
            rows = scene.formulas
            determinant = reduce_rows(rows.A, rows.c, rows.arithmetic, pilot.replay()).determinant
            parameters = frozenset(scene.system.parameters)
            if scene.field.zeros(determinant, parameters):
                D = Minimal().basis(scene)
                other = _left_inverse(scene, [d for d in D if min(d) < count])
                short = max((total(row.values()) for row in other), default=0) <= _SHORT
                if short and not scene.field.zeros(Minimal().valid_where(scene, D), parameters):
                    W = other
    symbols, number = [], 0
    for row in W:
        (j, w), *others = row.items()
        if others or w != 1:
            number += 1
            symbols.append(scene.free_name(f"u_{number}"))
        else:
            symbols.append(scene.fresh("u", q[j].name))
    return symbols, W, [ZERO] * len(W)


def _left_inverse(scene: Scene, D: list[Vector]) -> list[Vector]:
    """Return the rows of a short W with W D = 1, as expressions."""
    field, n = scene.field, len(scene.blocks.q)
    own: dict[int, int] = {}  # columns of D by the coordinate that no other column moves
    for k, column in enumerate(D):
        alone = [
            j for j, value in column.items()
            if (value - field.one).numerator.is_zero() and not any(j in other for other in D if other is not column)
        ]  # fmt: skip
        if alone:
            own[k] = min(alone)
    rest = [k for k in range(len(D)) if k not in own]
    columns = [dense(D[k], n, field) for k in rest]
    W: list[Vector] = [{own[k]: ONE} if k in own else {} for k in range(len(D))]
    if not rest:
        return W
    gram = [multiply([D[k] for k in rest], column, field) for column in columns]
    pilot = Pilot()
    factorise([{i: field.values(g) for i, g in enumerate(row)} for row in gram], Numbers, pilot)
    factors = factorise([dict(enumerate(row)) for row in gram], field, pilot.replay())
    for i, k in enumerate(rest):
        weights = factors.solve([field.one if i == other else field.zero for other in range(len(rest))])
        row: Vector = {}
        for weight, column in zip(weights, columns, strict=True):
            for j, value in enumerate(column):
                row[j] = row.get(j, field.zero) + weight * value
        for other, j in own.items():  # what moves a coordinate of its own is none of this one
            for entry, value in D[other].items():
                if entry != j:
                    row[j] = row[j] - row[entry] * value
        W[k] = {j: field.write(value) for j, value in row.items() if not field.is_zero(value)}
    return W
