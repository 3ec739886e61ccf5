"""The blocks of a system on tapes.

Accelerations and both projections have the same matrix: each evaluates its right side, then they share the solver of
`solver.py`, which works on the arrays matrix, right → x of the workspace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import symengine as se

from dalembert.algebra import quasidefinite
from dalembert.algebra.tape import Node, Tape
from dalembert.blocks.law import Law, reduced_law
from dalembert.blocks.numeric import pilot_numeric_of
from dalembert.blocks.symbolic import Blocks
from dalembert.forms.augment import Added, augmentation
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.language.program import Program
from dalembert.model.friction import frictions_of
from dalembert.model.modes import loose_rows
from dalembert.model.system import System
from dalembert.native.canonical_variables import Momenta
from dalembert.native.law_solver import TapeLaw, sizes
from dalembert.native.routine import Routine, Shelf
from dalembert.native.solver import Scalar, Solver


class Builder:
    """Puts the blocks of a system on tapes.

    order: in which unknowns are eliminated. matrix: where M, the lower triangle, and A below it lie in the workspace.
    solver, momenta: what solves with them, and goes between velocities and momenta.
    """

    def __init__(self, system: System):
        self.system, self.blocks = system, without_noise(system)
        b = self.blocks
        self.n, self.s = len(b.q), len(b.c)
        self.inputs = [b.t, *b.q, *b.v, *b.parameters]
        self._programs: dict[tuple[int, ...], tuple[Sequence[Expr], Program]] = {}
        self._settle()

    def _settle(self) -> None:
        """Find the order of elimination, and places for the matrix."""
        scratch = Routine("")
        M, A, _ = self.matrices(scratch)
        self.order = quasidefinite.elimination_order([*M, *((self.n + i, j) for i, j in A)], self.n, self.s)
        self.matrix = Shelf("matrix", scratch.tape, self._stacked(M, A))

    @cached_property
    def added(self) -> Mapping[int, Added]:
        """What constraints add to M where it lacks something, by their numbers."""
        return augmentation(self.system)

    @cached_property
    def law(self) -> Law | None:
        """How forces depend on multipliers, if they do."""
        rests = [friction.rest for friction in frictions_of(self.system).values() if friction.modes]
        return reduced_law(self.blocks, [constraint.name for constraint in self.system.constraints], rests)

    @cached_property
    def solver(self) -> Solver:
        """The routines that solve with the matrix of the workspace."""
        return Solver(self)

    @cached_property
    def momenta(self) -> Momenta:
        """The canonical variables."""
        return Momenta(self)

    @cached_property
    def quick(self) -> Builder:
        """What puts plain elimination on tapes: itself, or of bodies in space with angular velocities."""
        from dalembert.native.angular_velocities import turned_builder

        return self if self.law or self.loose else turned_builder(self) or self

    @cached_property
    def loose(self) -> frozenset[int]:
        """The conditions that are gone while something slides, or is open."""
        system, names = self.system, loose_rows(self.system)
        return frozenset(i for i, constraint in enumerate(system.constraints) if constraint.name in names)

    @cached_property
    def steered(self) -> frozenset[int]:
        """The conditions of programmes, which were found to be independent: they need no proximal term."""
        return frozenset(i for i, constraint in enumerate(self.system.constraints) if constraint.steered)

    def found(self, routine: Routine, x: Sequence[Scalar], f: Sequence[Scalar]) -> list[Scalar]:
        """Return q̈ and λ by the solution and the forces."""
        return [*x[: self.n], *(-value for value in x[self.n :])]

    def _stacked(self, M: dict, A: dict) -> dict:
        return {**M, **{(self.n + i, j): value for (i, j), value in A.items()}}

    def evaluate(self, routine: Routine, outputs: Sequence[Expr], changes: dict[Expr, Scalar] | None = None):
        """Put expressions of t, q, v and the parameters on a tape; some symbols may stand for other nodes."""
        values: list[Scalar] = list(routine.loads("in", len(self.inputs)))
        for k, symbol in enumerate(self.inputs):
            if changes and symbol in changes:
                values[k] = changes[symbol]
        # several kernels begin with the same matrices; equal expressions may have their terms in another order, and
        # which of them comes first must not decide how the other is rounded, so that they are told apart as objects
        key = tuple(map(id, outputs))
        if key not in self._programs:
            self._programs[key] = (outputs, Program(self.inputs, outputs, self.system.defined))
        return self._programs[key][1](values, routine.tape)

    def matrices(self, routine: Routine, changes: dict[Expr, Scalar] | None = None):
        """Return M (with what is added), A and ρ as nodes."""
        b = self.blocks
        values = iter(self.evaluate(routine, [*b.M.values(), *b.A.values()], changes))
        M = {place: next(values) for place in b.M}
        M = {(i, j): value for (i, j), value in M.items() if i >= j}  # the lower triangle
        A = {place: next(values) for place in b.A}
        return M, A, self.add_rows(M, A)

    def conditions(self, routine: Routine, changes: dict[Expr, Scalar] | None = None) -> dict:
        """Return A as nodes."""
        b = self.blocks
        return dict(zip(b.A, self.evaluate(routine, list(b.A.values()), changes), strict=True))

    def add_rows(self, M: dict, A: dict) -> dict[int, Scalar]:
        """Add to M what constraints make up for, ρᵢ AᵢᵀAᵢ; return ρ."""
        inertia = {i: value for (i, j), value in M.items() if i == j}
        rho = {}
        for i, (factor, everywhere) in self.added.items():
            row = {j: value for (k, j), value in A.items() if k == i}
            own = [inertia[j] for j in row if j in inertia]
            total = sum(inertia.values() if everywhere or not own else own, 0.0)
            rho[i] = factor * total if isinstance(total, Node) or total > 0 else factor
            for j, a in row.items():
                for k, other in row.items():
                    if j >= k:
                        M[j, k] = M.get((j, k), 0.0) + rho[i] * (a * other)
        return rho

    def solved(self, routine: Routine) -> list[Scalar]:
        """Return q̈ and λ by plain elimination; what is known of the matrix is stored."""
        M, A, rho = self.matrices(routine)
        f, c = list(self.evaluate(routine, self.blocks.f)), list(self.evaluate(routine, self.blocks.c))
        factors = self.solver.factorised(routine, M, A, 0.0)
        right = self.augmented(f, c, A, rho)[: self.n]
        x = quasidefinite.solve(factors, [*right, *c])
        if self.law is not None:
            x = self._followed(routine, factors, x, self.law, sizes(self.law, M, x, right))
        if self.loose:
            x[: self.n] = self.solver.at_rest(routine, M, A, right, x)
        return self.found(routine, x, f)

    def _followed(
        self,
        routine: Routine,
        factors: quasidefinite.ProximalFactors,
        x: list[Scalar],
        law: Law,
        size: tuple[list[Scalar], Scalar],
    ) -> list[Scalar]:
        """Return the solution with forces that depend on it; where none is found, the matrix is as if singular."""
        tape, n = routine.tape, self.n
        theta = self.evaluate(routine, law.parts)
        law, forces, units = self._pushing(tape, law, theta, size[0])
        response = [quasidefinite.solve(factors, force) for force in forces]
        start, beside = (
            ([-x[n + i] for i in rows], [[-column[n + i] for column in response] for i in rows])
            for rows in (law.rows, law.beside)
        )
        on_tape = TapeLaw(law)
        lam, found = on_tape.found(tape, theta, *start, units, size[1], beside)
        for value, column in zip(on_tape.phi(tape, theta, lam), response, strict=True):
            x = [a + value * b for a, b in zip(x, column, strict=True)]
        routine.stores["condition", 1] = tape.call("if_lt", 0.5, found, routine.stores["condition", 1], 0.0)
        return x

    def _pushing(
        self, tape: Tape, law: Law, theta: Sequence[Scalar], units: Sequence[Scalar]
    ) -> tuple[Law, list[list[Scalar]], Sequence[Scalar]]:
        """Return a law, the forces that its values are multiples of, along directions if these are fewer, and units."""
        gathered, directions = law.gathered
        if not len(gathered.phi) < len(law.channels):
            return law, [[1.0 if i == j else 0.0 for i in range(self.n + self.s)] for j in law.channels], units
        forces: list[list[Scalar]] = [[0.0] * (self.n + self.s) for _ in gathered.phi]
        sizes: list[Scalar] = [0.0] * len(gathered.phi)
        values = Program(law.places, list(directions.values()))(theta, tape)
        for (k, kind), value in zip(directions, values, strict=True):
            forces[kind][law.channels[k]] = value
            sizes[kind] = sizes[kind] + value * value * units[k]
        return gathered, forces, sizes

    def stage(self, name: str, right: str) -> Routine:
        """Make a routine that fills the matrix and a right side: `forces` f, c; `positions` 0, −g; `rates` 0, −ψ."""
        return self.filled(Routine(name), right)

    def filled(
        self, routine: Routine, right: str, changes: dict[Expr, Scalar] | None = None, offset: bool = False
    ) -> Routine:
        """Let a routine fill the matrix and a right side; some symbols may stand for other nodes.

        With an offset, c is increased by further inputs, one for each constraint.
        """
        b = self.blocks
        A, rho = self.placed(routine, changes)
        if right == "forces":
            f, c = list(self.evaluate(routine, b.f, changes)), list(self.evaluate(routine, b.c, changes))
            if self.law is not None:
                routine.store("law", self.evaluate(routine, self.law.parts, changes))
        else:
            residuals = b.g if right == "positions" else b.psi
            f: list[Scalar] = [0.0] * self.n
            c = [-value for value in self.evaluate(routine, [ZERO if r is None else r for r in residuals])]
            routine.store("out", self.left(routine, A, c), self.n)
        if offset:
            c = [value + routine.tape.load("in", len(self.inputs) + i) for i, value in enumerate(c)]
        routine.store("right", [*self.augmented(f, c, A, rho), *c])
        return routine

    def balance(self, routine: Routine) -> tuple[dict | None, dict, list[Scalar], list[Scalar]]:
        """Return M, A, F = M a − f − ρ − Aᵀλ and the conditions C, with a and λ behind the other inputs.

        C is ψ, and A a − c where a constraint is on accelerations. Without M, it is ∂F/∂a.
        """
        b, tape, start = self.blocks, routine.tape, len(self.inputs)
        psi = [ZERO if r is None else r for r in b.psi]
        values = iter(self.evaluate(routine, [*b.M.values(), *b.A.values(), *b.f, *psi, *b.c]))
        M, A = {place: next(values) for place in b.M}, {place: next(values) for place in b.A}
        F: list[Scalar] = [-next(values) for _ in b.f]
        C: list[Scalar] = [next(values) for _ in psi]
        a = [tape.load("in", start + k) for k in range(self.n)]
        multipliers = [tape.load("in", start + self.n + k) for k in range(self.s)]
        for i, c in enumerate(values):
            if b.psi[i] is None:
                C[i] = -c
        for (i, j), value in M.items():
            F[i] = F[i] + value * a[j]
        for (i, j), value in A.items():
            F[j] = F[j] - value * multipliers[i]
            if b.psi[i] is None:
                C[i] = C[i] + value * a[j]
        if self.law is not None:
            theta, lam = self.evaluate(routine, self.law.parts), [multipliers[i] for i in self.law.rows]
            for i, force in zip(self.law.channels, TapeLaw(self.law).phi(tape, theta, lam), strict=True):
                F[i] = F[i] - force
        return M, A, F, C

    def followed(self, routine: Routine) -> dict[tuple[int, int], Scalar]:
        """Return −∂ρ/∂λ by coordinate and constraint, with a and λ behind the other inputs."""
        if (law := self.law) is None:
            return {}
        start = len(self.inputs) + self.n
        lam = [routine.tape.load("in", start + i) for i in law.rows]
        slopes = TapeLaw(law).slopes(routine.tape, self.evaluate(routine, law.parts), lam)
        return {(law.channels[k], law.rows[i]): -slope for (k, i), slope in slopes.items()}

    def placed(self, routine: Routine, changes: dict[Expr, Scalar] | None = None) -> tuple[dict, dict]:
        """Let a routine fill the matrix; return A and ρ."""
        M, A, rho = self.matrices(routine, changes)
        self.matrix.store(routine, self._stacked(M, A))
        return A, rho

    def loaded(self, routine: Routine) -> tuple[dict, dict]:
        """Return M and A as nodes that read the workspace."""
        entries = self.matrix.read(routine)
        M = {place: value for place, value in entries.items() if place[0] < self.n}
        return M, {(i - self.n, j): value for (i, j), value in entries.items() if i >= self.n}

    def rows(self, routine: Routine) -> dict:
        """Return the entries of A, by row and coordinate, as nodes that read the workspace."""
        return self.loaded(routine)[1]

    @property
    def written(self) -> Blocks:
        """The blocks in which energies and forces are written."""
        return self.blocks

    def left(self, routine: Routine, A: dict, residuals: Sequence[Scalar]) -> list[Scalar]:
        """Return what residuals are as distances."""
        return distances(routine.tape, A, residuals)

    def whole(self, routine: Routine, k: int, size: Scalar) -> Scalar:
        """Return what the remainder of a row is compared with: its size."""
        return size

    @staticmethod
    def augmented(
        f: list[Scalar], c: list[Scalar] | dict[int, Scalar], A: dict, rho: dict[int, Scalar]
    ) -> list[Scalar]:
        """Return f + Σ ρᵢ Aᵢᵀcᵢ."""
        for (i, j), a in A.items():
            if i in rho:
                f[j] = f[j] + rho[i] * (a * c[i])
        return f


def distances(tape: Tape, A: Mapping[tuple[int, int], Scalar], residuals: Sequence[Scalar]) -> list[Scalar]:
    """Return residuals in the lengths of their rows: as distances in the coordinates, whatever their units."""
    squares: list[Scalar] = [0.0] * len(residuals)
    for (i, _), a in A.items():
        squares[i] = squares[i] + a * a
    return by_lengths(tape, squares, residuals)


def by_lengths(tape: Tape, squares: Sequence[Scalar], residuals: Sequence[Scalar]) -> list[Scalar]:
    """Return residuals in the lengths of their rows, of which the squares are given."""
    found = []
    for residual, square in zip(residuals, squares, strict=True):
        size = tape.call("abs", residual)
        if isinstance(square, Node) or square > 0:
            size = tape.call("if_lt", 0.0, square, size / tape.call("sqrt", square), size)
        found.append(size)
    return found


def without_noise(system: System) -> Blocks:
    """Return the blocks with zeros where a constraint is always true and its row nothing but rounding."""
    b = system.blocks
    plain = {i for (i, _), entry in b.A.items() if not entry.is_Add and not entry.atoms(se.Add)}
    if len(plain) == len(b.c):
        return b
    zero = pilot_numeric_of(system).vanishing
    empty = {i for i in range(len(b.c)) if all(z for (k, _), z in zip(b.A, zero.A, strict=True) if k == i)} - plain
    if not empty:
        return b

    def kept(values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(ZERO if i in empty and value is not None else value for i, value in enumerate(values))

    A = {place: entry for place, entry in b.A.items() if place[0] not in empty}
    return replace(b, A=A, c=kept(b.c), g=kept(b.g), psi=kept(b.psi))
