"""The routines of a system on tapes.

Accelerations and both projections have the same matrix: each evaluates its right side, then they share `factor`,
`solve` and `refine`, which work on the arrays matrix, right → x of the workspace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import symengine as se

from dalembert.algebra import quasidefinite
from dalembert.algebra.tape import Node, Tape
from dalembert.blocks.numeric import pilot_numeric_of
from dalembert.blocks.symbolic import Blocks
from dalembert.forms.augment import augmentation
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.language.program import Program
from dalembert.model.system import System
from dalembert.native.differentiate import gradients
from dalembert.native.routine import Routine, Shelf

ENOUGH = 1e-30  # square of the part of the solution below which the next refinement does not matter
SINGULAR = 1e-10  # a pivot of M below this part of its diagonal makes M singular
VANISHED = 1e-20  # squared length of a row, in its usual one, below which it is no condition

Scalar = Node | float


class Builder:
    """Puts the blocks of a system on tapes."""

    def __init__(self, system: System):
        self.system, self.blocks = system, without_noise(system)
        b = self.blocks
        self.n, self.s = len(b.q), len(b.c)
        self.inputs = [b.t, *b.q, *b.v, *b.parameters]
        self.added = augmentation(system)
        self._programs: dict[tuple[Expr, ...], Program] = {}
        M, A, _ = self.matrices(Routine(""))
        entries = [*M, *((self.n + i, j) for i, j in A)]
        self.order = quasidefinite.elimination_order(entries, self.n, self.s)

    # --- evaluation --------------------------------------------------------------------------------------------------

    def evaluate(self, routine: Routine, outputs: Sequence[Expr], changes: dict[Expr, Scalar] | None = None):
        """Put expressions of t, q, v and the parameters on a tape; some symbols may stand for other nodes."""
        values: list[Scalar] = list(routine.loads("in", len(self.inputs)))
        for k, symbol in enumerate(self.inputs):
            if changes and symbol in changes:
                values[k] = changes[symbol]
        key = tuple(outputs)
        if key not in self._programs:  # several kernels begin with the same matrices
            self._programs[key] = Program(self.inputs, outputs)
        return self._programs[key](values, routine.tape)

    def matrices(self, routine: Routine, changes: dict[Expr, Scalar] | None = None):
        """Return M (with what is added), A and ρ as nodes."""
        b = self.blocks
        values = iter(self.evaluate(routine, [*b.M.values(), *b.A.values()], changes))
        M = {place: next(values) for place in b.M}
        M = {(i, j): value for (i, j), value in M.items() if i >= j}  # the lower triangle
        A = {place: next(values) for place in b.A}
        inertia = {i: M.get((i, i), 0.0) for i in range(self.n)}
        rho = {}
        for i, (factor, everywhere) in self.added.items():
            row = {j: value for (k, j), value in A.items() if k == i}
            total = sum(inertia.values() if everywhere else (inertia[j] for j in row), 0.0)
            rho[i] = factor * total if isinstance(total, Node) or total > 0 else factor
            for j, a in row.items():
                for k, other in row.items():
                    if j >= k:
                        M[j, k] = M.get((j, k), 0.0) + rho[i] * (a * other)
        return M, A, rho

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
        else:
            residuals = b.g if right == "positions" else b.psi
            f: list[Scalar] = [0.0] * self.n
            c = [-value for value in self.evaluate(routine, [ZERO if r is None else r for r in residuals])]
            routine.store("out", distances(routine.tape, A, c), self.n)
        if offset:
            c = [value + routine.tape.load("in", len(self.inputs) + i) for i, value in enumerate(c)]
        routine.store("right", [*self.augmented(f, c, A, rho), *c])
        return routine

    def placed(self, routine: Routine, changes: dict[Expr, Scalar] | None = None) -> tuple[dict, dict]:
        """Let a routine fill the matrix; return A and ρ."""
        M, A, rho = self.matrices(routine, changes)
        self.matrix = Shelf("matrix", routine, {**M, **{(self.n + i, j): value for (i, j), value in A.items()}})
        return A, rho

    @staticmethod
    def augmented(
        f: list[Scalar], c: list[Scalar] | dict[int, Scalar], A: dict, rho: dict[int, Scalar]
    ) -> list[Scalar]:
        """Return f + Σ ρᵢ Aᵢᵀcᵢ."""
        for (i, j), a in A.items():
            if i in rho:
                f[j] = f[j] + rho[i] * (a * c[i])
        return f

    # --- the canonical variables -------------------------------------------------------------------------------------

    @cached_property
    def lagrangian(self) -> tuple[list[Expr], list[Expr]]:
        """l, the momenta at rest, and ∂L/∂q + Q."""
        system, b = self.system, self.blocks
        calculus = Calculus([*b.q, *b.v, b.t])
        momenta: dict[Expr, list[Expr]] = {v: [] for v in b.v}
        slopes: dict[Expr, list[Expr]] = {q: [system.forces.get(q.name, ZERO)] for q in b.q}
        still = dict.fromkeys(b.v, ZERO)
        for sign, energy in ((1, system.kinetic), (-1, system.potential)):
            for term in calculus.terms(calculus.lift(energy)) if energy is not None else ():
                for symbol in calculus.depends(term):
                    slope = calculus.lower(calculus.diff(term, symbol))
                    if symbol in slopes:
                        slopes[symbol].append(sign * slope)
                    elif symbol in momenta:
                        momenta[symbol].append(slope.xreplace(still))
        return [sum(momenta[v], ZERO) for v in b.v], [sum(slopes[q], ZERO) for q in b.q]

    def velocities(self, routine: Routine) -> dict[Expr, Scalar]:
        """Solve p = M v + l for v on the tape; the momenta stand where kernels otherwise read velocities."""
        n, (M, A, rho) = self.n, self.matrices(routine)
        full = {**M, **{(j, i): value for (i, j), value in M.items()}}
        order = quasidefinite.elimination_order(M, n, 0)
        factors = quasidefinite.factorise(full, {}, n, 0, order, routine.tape, lambda k, pivot, size: 1.0 / pivot)
        rest = [routine.tape.load("in", 1 + n + j) - l for j, l in enumerate(self.resting(routine, A, rho))]
        return dict(zip(self.blocks.v, quasidefinite.solve(factors, rest), strict=True))

    def resting(self, routine: Routine, A: dict, rho: dict[int, Scalar]) -> list[Scalar]:
        """Return l, the momenta at rest, with those of T + Σ ½ ρᵢ ψᵢ² where constraints make up for what M lacks."""
        still = dict.fromkeys(self.blocks.v, ZERO)
        rest = {i: (self.blocks.psi[i] or ZERO).xreplace(still) for i in rho}
        linear = self.evaluate(routine, [*self.lagrangian[0], *rest.values()])
        psi = dict(zip(rest, linear[self.n :], strict=True))
        return self.augmented(list(linear[: self.n]), psi, A, rho)

    # --- the shared solver -------------------------------------------------------------------------------------------

    def loaded(self, routine: Routine) -> tuple[dict, dict]:
        """Return M and A as nodes that read the workspace."""
        entries = self.matrix.read(routine)
        M = {place: value for place, value in entries.items() if place[0] < self.n}
        return M, {(i - self.n, j): value for (i, j), value in entries.items() if i >= self.n}

    def factorised(self, routine: Routine, M: dict, A: dict, epsilon: Scalar) -> quasidefinite.ProximalFactors:
        """Factorise on the tape, and store the condition of the matrix: rank, smallest remainder of a row, M positive.

        A row that vanishes gets the inverse pivot zero, so that its multiplier is zero.
        """
        call = routine.tape.call
        rank: Scalar = 0.0
        largest: Scalar = 1.0
        least: Scalar = 1.0
        checked: set[int] = set()

        def invert(k: int, pivot: Scalar, size: Scalar) -> Scalar:
            nonlocal rank, largest, least
            if k < self.n:
                if (number := routine.tape.number(pivot)) not in checked:
                    checked.add(number)
                    least = call("min", least, pivot - SINGULAR * size)
                return 1.0 / pivot
            if not isinstance(size, Node) and size == 0:
                return 0.0  # a row without entries
            inverse = call("if_lt", VANISHED * size, pivot, 1.0 / pivot, 0.0)
            rank = rank + call("if_lt", quasidefinite.LOST * size, pivot, 1.0, 0.0)
            largest = call("max", largest, self.whole(routine, k, size) * inverse)
            return inverse

        full = {**M, **{(j, i): value for (i, j), value in M.items()}}
        factors = quasidefinite.factorise(full, A, self.n, self.s, self.order, routine.tape, invert, epsilon)
        routine.store("condition", [rank, 1.0 / largest, call("if_lt", 0.0, least, 1.0, 0.0)])
        return factors

    def whole(self, routine: Routine, k: int, size: Scalar) -> Scalar:
        """Return what the remainder of a row is compared with: its size."""
        return size

    def factor(self) -> Routine:
        """Make the routine matrix → L, inverse pivots, condition."""
        routine = Routine("factor")
        factors = self.factorised(routine, *self.loaded(routine), quasidefinite.EPSILON)
        columns = {(i, k): value for k in self.order for i, value in factors.columns[k].items()}
        self.factors = Shelf("factors", routine, {**columns, **{(k, k): factors.inverses[k] for k in self.order}})
        return routine

    def solve(self) -> Routine:
        """Make the routine x += K⁻¹ r."""
        routine = Routine("solve")
        factors = quasidefinite.ProximalFactors(self.order, {k: {} for k in self.order})
        for (i, k), value in self.factors.read(routine).items():
            if i == k:
                factors.inverses[k] = value
            else:
                factors.columns[k][i] = value
        step = quasidefinite.solve(factors, routine.loads("r", self.n + self.s))
        x = routine.loads("x", self.n + self.s)
        routine.store("x", [old + new for old, new in zip(x, step, strict=True)])
        self.progress(routine, step)
        return routine

    def progress(self, routine: Routine, step: list[Scalar]) -> None:
        """Tell whether the next step would matter: it is expected to be as much smaller as this one was.

        Steps are measured by Σ Mᵢᵢ xᵢ²; `progress` holds the measures of the first and of the last one, and the answer.
        """
        M = self.loaded(routine)[0]
        measure: Scalar = 0.0
        for i in range(self.n):
            measure = measure + M.get((i, i), 0.0) * (step[i] * step[i])
        first, last = routine.loads("progress", 2)
        call = routine.tape.call
        done = call("if_le", measure * measure, ENOUGH * (first * last), 1.0, 0.0)
        routine.store("progress", [call("if_lt", first, 0.0, measure, first), measure, done])

    def begin(self) -> Routine:
        """Make the routine r = right, x = 0."""
        routine = Routine("begin")
        routine.store("r", routine.loads("right", self.n + self.s))
        routine.store("x", [0.0] * (self.n + self.s))
        routine.store("progress", [-1.0, 1.0, 0.0])
        return routine

    def refine(self) -> Routine:
        """Make the routine r = right − [[M, Aᵀ], [A, 0]] x."""
        routine = Routine("refine")
        M, A = self.loaded(routine)
        x = routine.loads("x", self.n + self.s)
        r: list[Scalar] = list(routine.loads("right", self.n + self.s))
        for (i, j), value in M.items():
            r[i] = r[i] - value * x[j]
            if i != j:
                r[j] = r[j] - value * x[i]
        for (i, j), value in A.items():
            r[j] = r[j] - value * x[self.n + i]
            r[self.n + i] = r[self.n + i] - value * x[j]
        routine.store("r", r)
        return routine

    def reaction(self, routine: Routine) -> tuple[dict[int, dict], list[Scalar], list[Node]]:
        """Return the rows of A, r = Aᵀλ and q̈ as nodes that read the workspace."""
        rows: dict[int, dict] = {i: {} for i in range(self.s)}
        r: list[Scalar] = [0.0] * self.n
        for (i, j), value in self.loaded(routine)[1].items():
            rows[i][j] = value
            r[j] = r[j] - value * routine.tape.load("x", self.n + i)
        return rows, r, routine.loads("x", self.n)

    # --- results -----------------------------------------------------------------------------------------------------

    def finish(self) -> Routine:
        """Make the routine that gives out q̈, λ and the condition of the matrix."""
        routine = Routine("finish")
        x = routine.loads("x", self.n + self.s)
        routine.store("out", [*x[: self.n], *(-value for value in x[self.n :]), *routine.loads("condition", 3)])
        return routine

    def step(self) -> Routine:
        """Make the routine that gives out the correction of a projection and, behind the residuals, the condition."""
        routine = Routine("step")
        routine.store("out", routine.loads("x", self.n))
        routine.store("out", routine.loads("condition", 3), self.n + self.s)
        return routine

    def reactions(self) -> Routine:
        """Make the routine that gives out, behind `finish`, Aᵢⱼ λᵢ entry by entry of A, and the powers λᵢ Aᵢ v."""
        routine = Routine("reactions")
        _, A = self.loaded(routine)
        v = [routine.tape.load("in", 1 + self.n + j) for j in range(self.n)]
        parts = {(i, j): -(value * routine.tape.load("x", self.n + i)) for (i, j), value in A.items()}
        powers: list[Scalar] = [0.0] * self.s
        for (i, j), part in parts.items():
            powers[i] = powers[i] + part * v[j]
        routine.store("out", [*parts.values(), *powers], self.n + self.s + 3)
        return routine

    def residuals(self) -> Routine:
        """Make the routine that gives out g and ψ; zero where a constraint has none."""
        routine, b = Routine("residuals"), self.blocks
        outputs = [ZERO if r is None else r for r in (*b.g, *b.psi)]
        routine.store("out", self.evaluate(routine, outputs))
        return routine

    def energies(self) -> Routine:
        """Make the routine that gives out T, V, T₂ − T₀ + V and the powers of forces and of explicit time."""
        routine = Routine("energies")
        routine.store("out", self.evaluate(routine, energy_outputs(self.system, self.blocks)))
        return routine

    def direct(self) -> Routine:
        """Make the routine of plain elimination in one piece: no proximal term, for rows that are independent."""
        routine, b = Routine("direct"), self.blocks
        M, A, rho = self.matrices(routine)
        f, c = list(self.evaluate(routine, b.f)), list(self.evaluate(routine, b.c))
        factors = self.factorised(routine, M, A, 0.0)
        x = quasidefinite.solve(factors, [*self.augmented(f, c, A, rho), *c])
        routine.store("out", [*x[: self.n], *(-value for value in x[self.n :])])
        condition = [routine.stores.pop(("condition", k)) for k in range(3)]
        routine.store("out", condition, self.n + self.s)
        return routine

    def balance(self, routine: Routine) -> tuple[dict, dict, list[Scalar], list[Scalar]]:
        """Return M, A, F = M a − f − Aᵀλ and the conditions C, with a and λ behind the other inputs.

        C is ψ, and A a − c where a constraint is on accelerations.
        """
        b, tape, start = self.blocks, routine.tape, len(self.inputs)
        psi = [ZERO if r is None else r for r in b.psi]
        values = iter(self.evaluate(routine, [*b.M.values(), *b.A.values(), *b.f, *psi, *b.c]))
        M, A = {place: next(values) for place in b.M}, {place: next(values) for place in b.A}
        F: list[Scalar] = [-next(values) for _ in b.f]
        C: list[Scalar] = [next(values) for _ in psi]
        a, multipliers = (
            [tape.load("in", start + k) for k in part] for part in (range(self.n), range(self.n, self.n + self.s))
        )
        for i, c in enumerate(values):
            if b.psi[i] is None:
                C[i] = -c
        for (i, j), value in M.items():
            F[i] = F[i] + value * a[j]
        for (i, j), value in A.items():
            F[j] = F[j] - value * multipliers[i]
            if b.psi[i] is None:
                C[i] = C[i] + value * a[j]
        return M, A, F, C

    def balanced(self) -> Routine:
        """Make the routine that gives out F and C."""
        routine = Routine("balance")
        _, _, F, C = self.balance(routine)
        routine.store("out", [*F, *C])
        return routine

    def jacobian(self) -> Routine:
        """Make the routine of the sparse Jacobians of F and C.

        It gives out the entries of ∂F/∂q, ∂F/∂v, ∂C/∂q, ∂C/∂v, M and A; `patterns` says where they stand.
        """
        routine = Routine("jacobian")
        M, A, F, C = self.balance(routine)
        n, tape = self.n, routine.tape
        slopes = gradients(tape, [*F, *C], [tape.load("in", 1 + j) for j in range(2 * n)])
        parts = {name: {} for name in ("F_q", "F_v", "C_q", "C_v")} | {"M": M, "A": A}
        for i, row in enumerate(slopes):
            for k, value in row.items():
                parts[("F" if i < n else "C") + ("_q" if k < n else "_v")][i if i < n else i - n, k % n] = value
        self.patterns = {name: sorted(entries) for name, entries in parts.items()}
        routine.store("out", [parts[name][place] for name, places in self.patterns.items() for place in places])
        return routine


class DependentBuilder(Builder):
    """Solves constraints for some coordinates and lets the others be.

    Behind the other inputs stand factors of the columns of A, one for those that depend and zero for the others, and of
    its rows, one for those that are asked to hold: the choice is an input too.
    """

    def __init__(self, system: System):
        super().__init__(system)
        self.added = {}
        M, A, _ = self.matrices(Routine(""))
        self.order = quasidefinite.elimination_order([*M, *((self.n + i, j) for i, j in A)], self.n, self.s)

    def matrices(self, routine: Routine, changes: dict[Expr, Scalar] | None = None):
        """Return A with its factors, and ones for M: as many rows as columns that depend have one solution."""
        _, A, _ = super().matrices(routine, changes)
        columns, rows = (
            [routine.tape.load("in", start + k) for k in range(size)]
            for start, size in ((len(self.inputs), self.n), (len(self.inputs) + self.n, self.s))
        )
        sizes: list[Scalar] = [0.0] * self.s
        for (i, _), value in A.items():
            sizes[i] = sizes[i] + value * value
        routine.store("whole", sizes)
        A = {(i, j): value * columns[j] * rows[i] for (i, j), value in A.items()}
        return {(j, j): 1.0 for j in range(self.n)}, A, {}

    def whole(self, routine: Routine, k: int, size: Scalar) -> Scalar:
        """Return the size of a row in all coordinates, of which little may be left in those that depend."""
        return routine.tape.load("whole", k - self.n)


def distances(tape: Tape, A: Mapping[tuple[int, int], Scalar], residuals: Sequence[Scalar]) -> list[Scalar]:
    """Return residuals in the lengths of their rows: as distances in the coordinates, whatever their units."""
    squares: list[Scalar] = [0.0] * len(residuals)
    for (i, _), a in A.items():
        squares[i] = squares[i] + a * a
    found = []
    for residual, square in zip(residuals, squares, strict=True):
        size = tape.call("abs", residual)
        if isinstance(square, Node) or square > 0:
            size = tape.call("if_lt", 0.0, square, size / tape.call("sqrt", square), size)
        found.append(size)
    return found


def energy_outputs(system: Any, b: Blocks) -> list[Expr]:
    """Return T, V, T₂ − T₀ + V and the powers of forces and of explicit time."""
    calculus = Calculus([b.t])
    rates = []
    for sign, energy in ((-1, system.kinetic), (1, system.potential)):
        terms = calculus.terms(calculus.lift(energy)) if energy is not None else []
        rates += [sign * calculus.lower(calculus.diff(term, b.t)) for term in terms]
    velocity = {q.name: v for q, v in zip(b.q, b.v, strict=True)}
    power = se.Add(*[force * velocity[name] for name, force in system.forces.items()])
    return [system.kinetic or ZERO, system.potential or ZERO, b.energy or ZERO, power, se.Add(*rates)]


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
