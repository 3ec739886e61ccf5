"""Long trees on tapes: bodies are eliminated leaves first, which is the recursion of articulated bodies.

The equations are those of `blocks/followed.py`: in coordinates and velocities of bodies, which follow link by link. A
body is *folded* onto the one that carries it, V = X V_before + S q̇ in every equation that knows V; then the coordinates
of its joint are pivots. Rows of loops go along with the bodies that they touch, up to where they meet. No entry of the
mass matrix in the coordinates of the tree is ever computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from dalembert.algebra import quasidefinite
from dalembert.algebra.folding import ArticulatedFactors, Slopes, elimination_steps, fold, substituted
from dalembert.blocks.followed import ROUNDING, linked_blocks
from dalembert.blocks.symbolic import Blocks
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.native.builder import Builder
from dalembert.native.routine import Routine, Shelf
from dalembert.native.solver import ENOUGH, Condition, Scalar, Solver


class ArticulatedBuilder(Builder):
    """Puts the equations of a long tree on tapes.

    Numbers are those of the coordinates, of the multipliers, and of what bodies move along, in this order.
    """

    def __init__(self, system: Any):
        self.system, self.linked = system, linked_blocks(system)
        self.blocks = self.linked.own
        self.n, self.s = self.linked.n, len(self.blocks.c)
        self.inputs = self.linked.inputs
        number = {name: self._number(j) for name, j in self.linked.index.items()}
        self.links = [{number[row]: [] for row in link.rows} for link in self.linked.links]
        for rows, link in zip(self.links, self.linked.links, strict=True):
            for row, column in link.slopes:
                rows[number[row]].append(number[column])
        self._numbers, self._programs = number, {}
        self._settle()

    def _number(self, j: int) -> int:
        return j if j < self.n else j + self.s

    def _settle(self) -> None:
        """Find the order of elimination, and places for the matrix."""
        scratch = Routine("")
        M, A, _ = self.matrices(scratch)
        self.steps = elimination_steps([*M, *((self.n + i, j) for i, j in A)], self.n, self.s, self.links)
        self.order = [k for is_link, k in self.steps if not is_link]
        self.matrix = Shelf("matrix", scratch.tape, self._stacked(M, A) | self._kept(self.slopes(scratch)))

    @staticmethod
    def _kept(slopes: Slopes) -> dict:
        return {("slope", i, j): value for i, row in slopes.items() for j, value in row.items()}

    @cached_property
    def quick(self) -> Builder:
        """Itself."""
        return self

    @cached_property
    def solver(self) -> ArticulatedSolver:
        """The routines that solve with the matrix of the workspace."""
        return ArticulatedSolver(self)

    @property
    def written(self) -> Blocks:
        """The blocks in which energies and forces are written."""
        return self.linked.blocks

    # --- what is on a tape -------------------------------------------------------------------------------------------

    @cached_property
    def _slopes(self) -> list[Expr]:
        return [slope for link in self.linked.links for slope in link.slopes.values()]

    def slopes(self, routine: Routine) -> Slopes:
        """Return X and S of all links."""
        values, number = iter(self.evaluate(routine, self._slopes)), self._numbers
        found: Slopes = {number[row]: {} for link in self.linked.links for row in link.rows}
        for link in self.linked.links:
            for row, column in link.slopes:
                found[number[row]][number[column]] = next(values)
        return found

    @cached_property
    def _entries(self) -> tuple[list[Expr], list[Expr]]:
        b = self.linked.blocks
        return [entry for (i, j), entry in b.M.items() if i >= j], list(b.A.values())

    def matrices(self, routine: Routine, changes: dict[Expr, Scalar] | None = None):
        """Return M (with what is added), A and ρ as nodes, in coordinates and velocities of bodies."""
        b, (masses, entries) = self.linked.blocks, self._entries
        places = [(self._number(i), self._number(j)) for i, j in b.M if i >= j]
        M = dict(zip(places, self.evaluate(routine, masses, changes), strict=True))
        places = [(i, self._number(j)) for i, j in b.A]
        A = dict(zip(places, self.evaluate(routine, entries, changes), strict=True))
        return M, A, self.add_rows(M, A)

    def bent(self, routine: Routine, slopes: Slopes) -> dict[int, Scalar]:
        """Return β, the accelerations of bodies where the joints have none."""
        return self.outward(slopes, {}, self._biases(routine))

    def _biases(self, routine: Routine) -> dict[int, Scalar]:
        """Return b of all links, by row."""
        biases = [bias for link in self.linked.links for bias in link.bias.values()]
        names = [self._numbers[row] for link in self.linked.links for row in link.bias]
        return dict(zip(names, self.evaluate(routine, biases), strict=True))

    def outward(self, slopes: Slopes, x: Mapping[int, Scalar], own: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """Return velocities of bodies by those of the coordinates, or other vectors of their kind."""
        found = dict(x)
        for rows in self.links:
            for row, columns in rows.items():
                total = own.get(row, 0.0)
                for column in columns:
                    total = total + slopes[row][column] * found.get(column, 0.0)
                found[row] = total
        return found

    def inward(self, slopes: Slopes, forces: dict[int, Scalar]) -> dict[int, Scalar]:
        """Return forces on the coordinates by those on coordinates and bodies."""
        for rows in reversed(self.links):
            for row, columns in rows.items():
                force = forces.pop(row, 0.0)
                for column in columns if force != 0 else ():
                    forces[column] = forces.get(column, 0.0) + slopes[row][column] * force
        return forces

    def rows_of(self, slopes: Slopes, A: dict) -> dict:
        """Return the entries of A in the coordinates alone."""
        rows: list[dict[int, Scalar]] = [{} for _ in range(self.s)]
        for (i, j), value in A.items():
            rows[i][j] = value
        found = [self.inward(slopes, row) for row in rows]
        return {(i, j): found[i].get(j, 0.0) for i, j in self.linked.pattern}

    def _told(self, routine: Routine, slopes: Slopes, A: dict) -> dict:
        """Return the entries of A in the coordinates alone, zero where nothing is left of them but rounding."""
        call, sizes = routine.tape.call, self._sizes_of(routine, slopes, A)
        rows = self.rows_of(slopes, A)
        return {place: call("if_lt", ROUNDING * sizes[place], call("abs", x), x, 0.0) for place, x in rows.items()}

    def _sizes_of(self, routine: Routine, slopes: Slopes, A: dict) -> dict:
        """Return what entries of A in the coordinates alone are made of: lengths of vectors, which turning leaves."""

        def length(values: list[Scalar]) -> Scalar:
            return routine.tape.call("sqrt", sum((value * value for value in values), 0.0))

        home = {row: k for k, rows in enumerate(self.links) for row in rows}
        lengths: list[dict[int, Scalar]] = []  # of the columns of each link
        for rows in self.links:
            columns = dict.fromkeys(column for some in rows.values() for column in some)
            lengths.append({c: length([slopes[row][c] for row, some in rows.items() if c in some]) for c in columns})
        entries: list[dict[int, Scalar]] = [{} for _ in range(self.s)]
        for (i, j), value in A.items():
            entries[i][j] = value
        found: dict[tuple[int, int], Scalar] = {}
        for i, row in enumerate(entries):
            size: dict[int, Scalar] = {}  # by link
            own = {j: routine.tape.call("abs", value) for j, value in row.items() if j not in home}
            for k, rows in enumerate(self.links):
                if some := [row[j] for j in rows if j in row]:
                    size[k] = length(some)
            for k in reversed(range(len(self.links))):
                if k not in size:
                    continue
                largest: dict[int, Scalar] = {}
                for column, slope in lengths[k].items():
                    part = size[k] * slope
                    if column not in home:
                        own[column] = own.get(column, 0.0) + part
                        continue
                    before = home[column]
                    largest[before] = routine.tape.call("max", largest.get(before, 0.0), part)
                for before, part in largest.items():
                    size[before] = size.get(before, 0.0) + part
            found |= {(i, j): value for j, value in own.items()}
        return found

    def conditions(self, routine: Routine, changes: dict[Expr, Scalar] | None = None) -> dict:
        """Return A in the coordinates alone, as nodes."""
        return self.rows_of(self.slopes(routine), self.matrices(routine, changes)[1])

    def rows(self, routine: Routine) -> dict:
        """Return the entries of A in the coordinates alone, as nodes that read the workspace."""
        return self.rows_of(self.kept_slopes(routine), self.loaded(routine)[1])

    def right(self, routine: Routine, M: dict, A: dict, rho: dict, slopes: Slopes) -> tuple[dict, list[Scalar]]:
        """Return f − M β, on coordinates and bodies, and c − A β."""
        b, beta = self.linked.blocks, self.bent(routine, slopes)
        f = {self._number(j): value for j, value in enumerate(self.evaluate(routine, b.f))}
        c = list(self.evaluate(routine, b.c))
        for (i, j), a in A.items():
            if i in rho:
                f[j] = f[j] + rho[i] * (a * c[i])
        for (i, j), value in M.items():
            f[i] = f[i] - value * beta.get(j, 0.0)
            if i != j:
                f[j] = f[j] - value * beta.get(i, 0.0)
        for (i, j), value in A.items():
            c[i] = c[i] - value * beta.get(j, 0.0)
        return f, c

    # --- routines ----------------------------------------------------------------------------------------------------

    def filled(
        self, routine: Routine, right: str, changes: dict[Expr, Scalar] | None = None, offset: bool = False
    ) -> Routine:
        """Let a routine fill the matrix and a right side."""
        M, A, rho = self.matrices(routine)
        slopes = self.slopes(routine)
        self.matrix.store(routine, self._stacked(M, A) | self._kept(slopes))
        further = [routine.tape.load("in", len(self.inputs) + i) if offset else 0.0 for i in range(self.s)]
        if right == "forces":
            f, c = self.right(routine, M, A, rho, slopes)
            c = [value + more for value, more in zip(c, further, strict=True)]
            for (i, j), a in A.items():
                if i in rho and offset:
                    f[j] = f[j] + rho[i] * (a * further[i])
        else:
            residuals = self.blocks.g if right == "positions" else self.blocks.psi
            c = [-value for value in self.evaluate(routine, [ZERO if r is None else r for r in residuals])]
            routine.store("out", self.left(routine, self._told(routine, slopes, A), c), self.n)
            f = {}
            for (i, j), a in A.items():
                if i in rho:
                    f[j] = f.get(j, 0.0) + rho[i] * (a * c[i])
        f = self.inward(slopes, f)
        routine.store("right", [*(f.get(j, 0.0) for j in range(self.n)), *c])
        return routine

    def balance(self, routine: Routine) -> tuple[dict | None, dict, list[Scalar], list[Scalar]]:
        """Return nothing for M, A in the coordinates alone, F and C: accelerations outwards, forces inwards."""
        b, tape, start = self.linked.blocks, routine.tape, len(self.inputs)
        masses, entries = self._entries
        M = dict(zip([(i, j) for i, j in b.M if i >= j], self.evaluate(routine, masses), strict=True))
        A = dict(zip(b.A, self.evaluate(routine, entries), strict=True))
        slopes, number = self.slopes(routine), self._number
        V = self.outward(slopes, {j: tape.load("in", start + j) for j in range(self.n)}, self._biases(routine))
        forces = {number(j): -value for j, value in enumerate(self.evaluate(routine, b.f))}
        for (i, j), value in M.items():
            forces[number(i)] = forces[number(i)] + value * V[number(j)]
            if i != j:
                forces[number(j)] = forces[number(j)] + value * V[number(i)]
        psi = self.evaluate(routine, [ZERO if r is None else r for r in b.psi])
        C = [-c if r is None else p for r, p, c in zip(b.psi, psi, self.evaluate(routine, b.c), strict=True)]
        for (i, j), value in A.items():
            forces[number(j)] = forces[number(j)] - value * tape.load("in", start + self.n + i)
            if b.psi[i] is None:
                C[i] = C[i] + value * V[number(j)]
        F = self.inward(slopes, forces)
        rows = self.rows_of(slopes, {(i, number(j)): value for (i, j), value in A.items()})
        return None, rows, [F.get(j, 0.0) for j in range(self.n)], C

    def loaded(self, routine: Routine) -> tuple[dict, dict]:
        """Return M and A as nodes that read the workspace."""
        entries = {place: value for place, value in self.matrix.read(routine).items() if len(place) == 2}
        A = {(i - self.n, j): value for (i, j), value in entries.items() if self.n <= i < self.n + self.s}
        return {(i, j): x for (i, j), x in entries.items() if not self.n <= i < self.n + self.s}, A

    def kept_slopes(self, routine: Routine) -> Slopes:
        """Return X and S as nodes that read the workspace."""
        found: Slopes = {row: {} for rows in self.links for row in rows}
        for place, value in self.matrix.read(routine).items():
            if len(place) == 3:
                found[place[1]][place[2]] = value
        return found

    def solved(self, routine: Routine) -> list[Scalar]:
        """Return q̈ and λ by plain elimination; what is known of the matrix is stored."""
        M, A, rho = self.matrices(routine)
        slopes = self.slopes(routine)
        f, c = self.right(routine, M, A, rho, slopes)
        factors = self.solver.factorised(routine, M, A, 0.0)
        x = substituted(self.steps, self.links, factors, {**f, **{self.n + i: value for i, value in enumerate(c)}})
        return [*(x[j] for j in range(self.n)), *(-x[self.n + i] for i in range(self.s))]


class ArticulatedSolver(Solver):
    """Makes the routines that solve with the matrix of a long tree."""

    builder: ArticulatedBuilder

    def factorised(
        self, routine: Routine, M: dict, A: dict, epsilon: Scalar, slopes: Slopes | None = None
    ) -> ArticulatedFactors:
        """Factorise on the tape, and store the condition of the matrix, as in other systems."""
        builder, call, n, s = self.builder, routine.tape.call, self.n, self.s
        slopes = builder.slopes(routine) if slopes is None else slopes
        condition = Condition(call)
        rows: dict[int, dict[int, Scalar]] = {i: {} for i in (*range(n + s), *slopes)}
        for (i, j), value in M.items():
            rows[i][j] = rows[j][i] = value
        alone: dict[int, Scalar] = {}  # the sizes that rows would have if nothing held the bodies
        for (i, j), value in A.items():
            rows[n + i][j] = rows[j][n + i] = value
            if j >= n + s and (j, j) in M:
                alone[n + i] = alone.get(n + i, 0.0) + (value * value) / M[j, j]
        sizes: dict[int, Scalar] = {}
        factors = ArticulatedFactors(builder.order, slopes=slopes)
        terms: dict[int, Scalar] = {}  # what the diagonals of M are made of

        def invert(k: int, pivot: Scalar, size: Scalar) -> Scalar:
            if k >= n:
                return condition.row(pivot, size, alone.get(k, 0.0))
            condition.mass(pivot, size)
            return 1.0 / pivot

        remaining = set(rows)
        for is_link, k in builder.steps:
            if is_link:
                fold(rows, builder.links[k], slopes, terms, call)
                remaining -= builder.links[k].keys()
                continue
            remaining.discard(k)
            factors.inverses[k], factors.columns[k] = quasidefinite.eliminate(
                k, rows, sizes, remaining, lambda i: n <= i < n + s, terms.get(k, rows[k].get(k, 0.0)),
                routine.tape, invert, epsilon,
            )  # fmt: skip
            for i in factors.columns[k]:
                del rows[i][k]  # what is folded later must not look at what is done
        condition.store(routine)
        return factors

    @cached_property
    def _factored(self) -> tuple[Routine, Shelf]:
        routine, builder = Routine("factor"), self.builder
        slopes = builder.kept_slopes(routine)
        factors = self.factorised(routine, *builder.loaded(routine), quasidefinite.EPSILON, slopes)
        return routine, self._kept(routine, factors)

    def _empty_factors(self, routine: Routine) -> ArticulatedFactors:
        slopes = self.builder.kept_slopes(routine)
        return ArticulatedFactors(self.order, {k: {} for k in self.order}, slopes=slopes)

    def _solve(self) -> Routine:
        """Make the routine x += K⁻¹ r."""
        routine, builder, size = Routine("solve"), self.builder, self.n + self.s
        factors = self.kept_factors(routine)
        step = substituted(builder.steps, builder.links, factors, dict(enumerate(routine.loads("r", size))))
        x = routine.loads("x", size)
        routine.store("x", [old + step[i] for i, old in enumerate(x)])
        measure: Scalar = 0.0
        for (i, j), value in builder.loaded(routine)[0].items():
            if i == j:
                measure = measure + value * (step[i] * step[i])
        first, last = routine.loads("progress", 2)
        call = routine.tape.call
        done = call("if_le", measure * measure, ENOUGH * (first * last), 1.0, 0.0)
        routine.store("progress", [call("if_lt", first, 0.0, measure, first), measure, done])
        return routine

    def refine(self, name: str = "refine") -> Routine:
        """Make the routine r = right − [[M, Aᵀ], [A, 0]] x."""
        routine, builder, n = Routine(name), self.builder, self.n
        (M, A), slopes = builder.loaded(routine), builder.kept_slopes(routine)
        x = routine.loads("x", n + self.s)
        V = builder.outward(slopes, dict(enumerate(x[:n])), {})
        r: list[Scalar] = list(routine.loads("right", n + self.s))
        forces: dict[int, Scalar] = {}
        for (i, j), value in M.items():
            forces[i] = forces.get(i, 0.0) + value * V[j]
            if i != j:
                forces[j] = forces.get(j, 0.0) + value * V[i]
        for (i, j), value in A.items():
            forces[j] = forces.get(j, 0.0) + value * x[n + i]
            r[n + i] = r[n + i] - value * V[j]
        for j, force in builder.inward(slopes, forces).items():
            r[j] = r[j] - force
        routine.store("r", r)
        return routine
