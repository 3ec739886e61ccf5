"""The solver that all kernels share: [[M, Aᵀ], [A, 0]] x = right by proximal elimination and refinement, on tapes.

It works on the arrays matrix, right → x of the workspace, which routines fill before and read after.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert.algebra import quasidefinite
from dalembert.algebra.tape import Node
from dalembert.native.codegen import Repeat
from dalembert.native.law_solver import LawSolver
from dalembert.native.routine import Routine, Shelf

if TYPE_CHECKING:
    from dalembert.native.builder import Builder

ENOUGH = 1e-30  # square of the part of the solution below which the next refinement does not matter
SINGULAR = 1e-10  # a pivot of M below this part of its diagonal makes M singular
VANISHED = 1e-20  # squared length of a row, in its usual one, below which it is no condition
DEPENDENT = 1e-14  # part of the size of a row that programmes ask for, below which its pivot is rounding
RESTING = 1e-28  # square of the part of the forces below which accelerations are rounding: where friction holds all
REFINEMENTS = 3  # solves on the residual, at most: they remove the proximal term, but for where rank is nearly lost
SOLUTION = (
    "factor",
    "begin",
    "solve",
    Repeat(("refine", "solve"), REFINEMENTS, "progress", 2),
)  # until nothing changes

Scalar = Node | float


class Condition:
    """The condition of a matrix, as its pivots say: the rank of A, the largest loss of a row, what is left of M."""

    def __init__(self, call: Callable[..., Scalar], rank: Scalar = 0.0, largest: Scalar = 1.0, least: Scalar = 1.0):
        self._call = call
        self.rank, self.largest, self.least = rank, largest, least

    def mass(self, pivot: Scalar, size: Scalar) -> None:
        """Take note of a pivot of M."""
        self.least = self._call("min", self.least, pivot - SINGULAR * size)

    def row(
        self,
        pivot: Scalar,
        size: Scalar,
        usual: Scalar | None = None,
        whole: Callable[[Scalar], Scalar] = lambda size: size,
        is_loose: bool = False,
        part: float = quasidefinite.LOST,
    ) -> Scalar:
        """Return the inverse of a pivot of a condition: zero for a row that vanishes, whose multiplier is then zero.

        usual: a size beside which what is left may be rounding, apart from its own. is_loose: whether the row vanishes
        at times, as that of friction which slides; the rank is not less then. part: of its size, below which what is
        left of it is likely no rank.
        """
        if not isinstance(size, Node) and size == 0:
            return 0.0  # a row without entries
        call, vanished, lost = self._call, VANISHED * size, part * size
        if usual is not None:
            vanished = call("max", vanished, VANISHED * usual)
            lost = call("max", lost, vanished)
        gone = not isinstance(pivot, Node) and not pivot > 0  # for sure, as of a row that is another one
        inverse = 0.0 if gone else call("if_lt", vanished, pivot, 1.0 / pivot, 0.0)
        counts = call("if_lt", lost, pivot, 1.0, 0.0)
        self.rank = self.rank + (call("if_lt", 0.0, size, counts, 1.0) if is_loose else counts)
        self.largest = call("max", self.largest, whole(size) * inverse)
        return inverse

    def store(self, routine: Routine) -> None:
        """Store the rank, the smallest remainder of a row, and whether M is positive."""
        positive = self._call("if_lt", 0.0, self.least, 1.0, 0.0)
        routine.store("condition", [self.rank, 1.0 / self.largest, positive])


class Solver:
    """Makes the routines that solve with the matrix of a builder, once."""

    def __init__(self, builder: Builder):
        self.builder, self.n, self.s, self.order = builder, builder.n, builder.s, builder.order

    @cached_property
    def routines(self) -> tuple[Routine, ...]:
        """What `SOLUTION` calls, and `motion`."""
        plain = self._factored[0], self._solve(), self._begin(), self.refine()
        return (*plain, *self._law.routines) if self._law else plain

    @property
    def motion(self) -> tuple[str | Repeat, ...]:
        """What solves for accelerations and multipliers, on which forces may depend."""
        return self._law.calls if self._law else SOLUTION

    @cached_property
    def _law(self) -> LawSolver | None:
        return LawSolver(self, self.builder.law) if self.builder.law is not None else None

    def factorised(self, routine: Routine, M: dict, A: dict, epsilon: Scalar) -> quasidefinite.ProximalFactors:
        """Factorise on the tape, and store the condition of the matrix."""
        condition = Condition(routine.tape.call)
        checked: set[int] = set()

        def invert(k: int, pivot: Scalar, size: Scalar) -> Scalar:
            if k >= self.n:
                is_loose = k - self.n in self.builder.loose
                lost = DEPENDENT if k - self.n in self.builder.steered else quasidefinite.LOST
                return condition.row(
                    pivot, size, whole=lambda size: self.builder.whole(routine, k, size), is_loose=is_loose, part=lost
                )
            if (number := routine.tape.number(pivot)) not in checked:
                checked.add(number)
                condition.mass(pivot, size)
            return 1.0 / pivot

        full = {**M, **{(j, i): value for (i, j), value in M.items()}}
        factors = quasidefinite.factorise(
            full, A, self.n, self.s, self.order, routine.tape, invert, epsilon, self.builder.steered
        )
        condition.store(routine)
        return factors

    @cached_property
    def _factored(self) -> tuple[Routine, Shelf]:
        """The routine matrix → L, inverse pivots, condition; and where it leaves L and the pivots."""
        routine = Routine("factor")
        factors = self.factorised(routine, *self.builder.loaded(routine), quasidefinite.EPSILON)
        return routine, self._kept(routine, factors)

    def _kept(self, routine: Routine, factors: quasidefinite.ProximalFactors) -> Shelf:
        """Leave L and the inverse pivots on a shelf."""
        columns = {(i, k): value for k in self.order for i, value in factors.columns[k].items()}
        entries = {**columns, **{(k, k): factors.inverses[k] for k in self.order}}
        shelf = Shelf("factors", routine.tape, entries)
        shelf.store(routine, entries)
        return shelf

    def kept_factors(self, routine: Routine) -> Any:
        """Take L and the inverse pivots from there."""
        factors = self._empty_factors(routine)
        for (i, k), value in self._factored[1].read(routine).items():
            if i == k:
                factors.inverses[k] = value
            else:
                factors.columns[k][i] = value
        return factors

    def _empty_factors(self, routine: Routine) -> quasidefinite.ProximalFactors:
        return quasidefinite.ProximalFactors(self.order, {k: {} for k in self.order})

    def _solve(self) -> Routine:
        """Make the routine x += K⁻¹ r."""
        routine = Routine("solve")
        step = quasidefinite.solve(self.kept_factors(routine), routine.loads("r", self.n + self.s))
        x = routine.loads("x", self.n + self.s)
        routine.store("x", [old + new for old, new in zip(x, step, strict=True)])
        self.progress(routine, step)
        return routine

    def progress(self, routine: Routine, step: list[Scalar]) -> None:
        """Tell whether the next step would matter: it is expected to be as much smaller as this one was.

        Steps are measured by Σ Mᵢᵢ xᵢ²; `progress` holds the measures of the first and of the last one, and the answer.
        """
        M = self.builder.loaded(routine)[0]
        measure: Scalar = 0.0
        for i in range(self.n):
            measure = measure + M.get((i, i), 0.0) * (step[i] * step[i])
        first, last = routine.loads("progress", 2)
        call = routine.tape.call
        done = call("if_le", measure * measure, ENOUGH * (first * last), 1.0, 0.0)
        routine.store("progress", [call("if_lt", first, 0.0, measure, first), measure, done])

    def _begin(self) -> Routine:
        """Make the routine r = right, x = 0."""
        routine = Routine("begin")
        routine.store("r", routine.loads("right", self.n + self.s))
        routine.store("x", [0.0] * (self.n + self.s))
        routine.store("progress", [-1.0, 1.0, 0.0])
        return routine

    def refine(self, name: str = "refine") -> Routine:
        """Make the routine r = right − [[M, Aᵀ], [A, 0]] x."""
        routine = Routine(name)
        x, right = (routine.loads(array, self.n + self.s) for array in ("x", "right"))
        routine.store("r", self.left(routine, right, x))
        return routine

    def left(self, routine: Routine, right: Sequence[Scalar], x: Sequence[Scalar]) -> list[Scalar]:
        """Return what a solution leaves of a right side."""
        M, A = self.builder.loaded(routine)
        r = list(right)
        for (i, j), value in M.items():
            r[i] = r[i] - value * x[j]
            if i != j:
                r[j] = r[j] - value * x[i]
        for (i, j), value in A.items():
            r[j] = r[j] - value * x[self.n + i]
            r[self.n + i] = r[self.n + i] - value * x[j]
        return r

    # --- what is read afterwards -------------------------------------------------------------------------------------

    def reaction(self, routine: Routine) -> tuple[dict[int, dict], list[Scalar], list[Node]]:
        """Return the rows of A, r = Aᵀλ and q̈ as nodes that read the workspace."""
        rows: dict[int, dict] = {i: {} for i in range(self.s)}
        r: list[Scalar] = [0.0] * self.n
        for (i, j), value in self.builder.rows(routine).items():
            rows[i][j] = value
            r[j] = r[j] - value * routine.tape.load("x", self.n + i)
        return rows, r, routine.loads("x", self.n)

    def followed(self, routine: Routine) -> dict[int, Scalar]:
        """Return ρ by coordinate as nodes that read the workspace; nothing if no force depends on multipliers."""
        return self._law.forces(routine) if self._law else {}

    def finish(self) -> Routine:
        """Make the routine that gives out q̈, λ and the condition of the matrix."""
        routine = Routine("finish")
        x = routine.loads("x", self.n + self.s)
        a = x[: self.n]
        if self.builder.loose:
            a = self.at_rest(routine, *self.builder.loaded(routine), routine.loads("right", self.n), x)
        routine.store("out", [*a, *(-value for value in x[self.n :]), *routine.loads("condition", 3)])
        return routine

    def at_rest(self, routine: Routine, M: dict, A: dict, right: Sequence[Scalar], x: Sequence[Scalar]) -> list[Scalar]:
        """Return q̈ with zero in place of what is no more than rounding of the forces that balance each other.

        What sticks may rest for ever, in steps without end, in which it would creep with what rounding leaves.
        Accelerations and forces are measured by Mᵢᵢ q̈ᵢ² and Σ fᵢ²/Mᵢᵢ.
        """
        call = routine.tape.call
        forces = [call("abs", value) for value in right]
        for (i, j), value in A.items():
            forces[j] = forces[j] + call("abs", value * x[self.n + i])
        size: Scalar = 0.0
        for i, force in enumerate(forces):
            size = size + force * force / M[i, i]
        return [call("if_le", M[i, i] * (x[i] * x[i]), RESTING * size, 0.0, x[i]) for i in range(self.n)]

    def step(self) -> Routine:
        """Make the routine that gives out the correction of a projection and, behind the residuals, the condition."""
        routine = Routine("step")
        routine.store("out", routine.loads("x", self.n))
        routine.store("out", routine.loads("condition", 3), self.n + self.s)
        return routine
