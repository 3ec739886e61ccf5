"""Forces that depend on multipliers, on tapes: λ = λ₀ + L φ(θ, λ), see `blocks/law.py`.

K, the matrix [[M, Aᵀ], [A, 0]], is factorised once, as without such forces. Its solutions for unit forces on the
channels, X, hold L. What the multipliers are is decided in these few numbers: by trying the branches of a law that has
few, else by Newton's steps, the best of three lengths each. Behind it the refinement goes on with the whole equations,

    x += y + X φ_λ δλ,   y = K⁻¹(right + ρ(λ) − K x),   (1 − L φ_λ) δλ = y on these multipliers,

which are Newton's steps too, so that what is left is rounding. Where there is no solution, or more than one, the result
is no number. Changes of φ are measured by Σ φ²/Mⱼⱼ beside Σ Mⱼⱼ q̈ⱼ²: a multiplier may pass zero, and then is rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from dalembert.algebra import pivoted, quasidefinite
from dalembert.algebra.tape import Tape
from dalembert.blocks.law import Law
from dalembert.language.program import Program
from dalembert.native.codegen import Repeat
from dalembert.native.law_branches import TapeBranch, Values, matrix_of, moved
from dalembert.native.routine import Routine

if TYPE_CHECKING:
    from dalembert.native.solver import Scalar, Solver

_FEW = 8  # branches that are tried each time; of more, Newton's steps find one
_STEPS, _WRITTEN_STEPS = 40, 4  # of Newton, at most: in a loop, and one after the other
_LENGTHS = (1.0, 0.5, 0.125)  # of a step that are tried, so that steps do not go round in circles
_CORRECTIONS = 8
_APART = 1e-6  # of the multipliers: what differs by more are two solutions
_LEFT = 1e-9  # of a limit: what is left of it tells no solutions apart that differ by less
_CLOSE = 1e-11  # part of the multipliers that another step would not change
_SETTLED = 1e-5  # part beyond which steps have not come to an end: next to a paradox few digits are left


Beside = tuple[Sequence["Scalar"], Sequence[Sequence["Scalar"]]]


class TapeLaw:
    """A law on a tape, with θ, λ₀ and L as nodes; `L[i][k]` is of multiplier i by channel k."""

    def __init__(self, law: Law):
        self.law, self.count = law, len(law.rows)
        inputs = [*law.places, *law.symbols]
        self._phi = Program(inputs, law.phi)
        self._slopes = Program(inputs, list(law.slopes.values()))
        self._rests = Program([*inputs, *law.further], law.rests)
        branches = law.branches if len(law.branches) <= _FEW else ()
        self._branches = [TapeBranch(law, branch) for branch in branches]

    @property
    def tries(self) -> bool:
        """Whether branches are tried."""
        return bool(self._branches)

    def phi(self, tape: Tape, theta: Sequence[Scalar], lam: Sequence[Scalar]) -> Values:
        """Return φ."""
        return self._phi([*theta, *lam], tape)

    def slopes(self, tape: Tape, theta: Sequence[Scalar], lam: Sequence[Scalar]) -> dict[tuple[int, int], Scalar]:
        """Return ∂φ/∂λ; none where it has no value, as that of a length where there is none."""
        values = self._slopes([*theta, *lam], tape)
        sure = [tape.call("if_lt", tape.call("abs", value), math.inf, value, 0.0) for value in values]
        return dict(zip(self.law.slopes, values if self.tries else sure, strict=True))

    def changed(self, tape: Tape, slopes: dict, L: Sequence[Sequence[Scalar]], y: Sequence[Scalar]) -> Values:
        """Return δλ of (1 − L φ_λ) δλ = y."""
        return pivoted.solve(matrix_of(self.count, slopes, L), y, tape.call)

    @staticmethod
    def measure(units: Sequence[Scalar], phi: Sequence[Scalar]) -> Scalar:
        """Return Σ φ²/Mⱼⱼ; units are the 1/Mⱼⱼ of the channels."""
        return sum((unit * (value * value) for unit, value in zip(units, phi, strict=True)), 0.0)

    # --- by branches -------------------------------------------------------------------------------------------------

    def picked(
        self,
        tape: Tape,
        theta: Sequence[Scalar],
        start: Sequence[Scalar],
        L: Sequence[Sequence[Scalar]],
        units: Sequence[Scalar],
        size: Scalar,
        beside: Beside,
    ) -> tuple[Values, Scalar]:
        """Return λ of the one branch that holds, and 1; 0 where there is none, or where there are several.

        size: what changes of φ are measured by. beside: λ₀ and L of further multipliers, by which it is seen whether
        what sticks is inside its limit. Of several branches those count in which all is, or least beyond it.
        """
        call = tape.call
        found: list[tuple[Scalar, Values]] = []
        for branch in self._branches:
            lam = branch.solved(tape, theta, start, L)
            found.append((branch.holds(tape, theta, lam, start), lam))
        if self.law.rests:
            rests = [self._rest(tape, theta, lam, beside) for _, lam in found]
            most: Scalar = -2.0
            for (holds, _), rest in zip(found, rests, strict=True):
                most = call("max", most, call("if_lt", 0.0, holds, rest, -2.0))
            found = [
                (call("if_le", most - _LEFT, rest, holds, 0.0), lam)
                for (holds, lam), rest in zip(found, rests, strict=True)
            ]
        first, last = self._first(call, found), self._first(call, found[::-1])
        phi, other = (self.phi(tape, theta, lam) for lam in (first, last))
        apart = self.measure(units, [x - y for x, y in zip(phi, other, strict=True)])
        some: Scalar = 0.0
        for holds, _ in found:
            some = call("max", some, holds)
        return first, call("if_le", apart, _APART**2 * (size + self.measure(units, phi)), some, 0.0)

    def _rest(self, tape: Tape, theta: Sequence[Scalar], lam: Sequence[Scalar], beside: Beside) -> Scalar:
        """Return 0 where all that sticks is inside its limit, else the least rest."""
        further = moved(*beside, self.phi(tape, theta, lam))
        least: Scalar = 0.0
        for rest in self._rests([*theta, *lam, *further], tape):
            least = tape.call("min", least, rest)
        return least

    def only(
        self, tape: Tape, theta: Sequence[Scalar], start: Sequence[Scalar], L: Sequence[Sequence[Scalar]]
    ) -> tuple[Values, Scalar]:
        """Return λ of the one branch that holds, and 1; 0 where there might be none, or several.

        Of a law that only bends, one holds for sure if the determinants of all have the sign that they have without it:
        1 − L φ_λ is multilinear in what the slopes of bends may be, so that it is regular between them too. Where
        rounding decides which it is, none is found.
        """
        call, least = tape.call, math.inf
        found: list[tuple[Scalar, Values]] = []
        for branch in self._branches:
            lam, determinant = branch.scaled(tape, theta, start, L)
            found.append((branch.holds_scaled(tape, theta, lam, determinant), [*lam, determinant]))
            least = call("min", least, determinant)
        *lam, determinant = self._first(call, found)
        is_one = call("if_lt", 0.0, least, call("if_lt", 0.0, determinant, 1.0, 0.0), 0.0)
        inverse = 1.0 / determinant
        return [value * inverse for value in lam], is_one

    @staticmethod
    def _first(call: Callable[..., Scalar], found: Sequence[tuple[Scalar, Values]]) -> Values:
        """Return λ of the first branch that holds; no numbers if none does."""
        lam: Values = [math.nan] * len(found[0][1])
        for holds, one in reversed(found):
            lam = [call("if_lt", 0.0, holds, x, y) for x, y in zip(one, lam, strict=True)]
        return lam

    # --- by Newton's steps -------------------------------------------------------------------------------------------

    def stepped(
        self,
        tape: Tape,
        theta: Sequence[Scalar],
        start: Sequence[Scalar],
        L: Sequence[Sequence[Scalar]],
        units: Sequence[Scalar],
        size: Scalar,
        lam: Sequence[Scalar],
        lengths: Sequence[float] = _LENGTHS,
    ) -> tuple[Values, Scalar, Scalar]:
        """Take one of Newton's steps; return λ, whether it has come to an end, and whether another changes nothing."""
        call = tape.call

        def left(x: Sequence[Scalar]) -> tuple[Values, Scalar]:
            off = [a - b for a, b in zip(x, moved(start, L, self.phi(tape, theta, x)), strict=True)]
            return off, sum((call("abs", value) for value in off), 0.0)

        off, _ = left(lam)
        step = self.changed(tape, self.slopes(tape, theta, lam), L, [-value for value in off])
        best = [x + d for x, d in zip(lam, step, strict=True)]
        least = left(best)[1]
        for length in lengths[1:]:
            other = [x + length * d for x, d in zip(lam, step, strict=True)]
            off = left(other)[1]
            best = [call("if_lt", off, least, b, a) for a, b in zip(best, other, strict=True)]
            least = call("min", least, off)
        phi = self.phi(tape, theta, best)
        after = self.phi(tape, theta, moved(start, L, phi))
        off, whole = self.measure(units, [x - y for x, y in zip(after, phi, strict=True)]), self.measure(units, phi)
        found, end = (call("if_le", off, part**2 * (size + whole), 1.0, 0.0) for part in (_SETTLED, _CLOSE))
        return best, found, end

    # --- written out -------------------------------------------------------------------------------------------------

    def found(
        self,
        tape: Tape,
        theta: Sequence[Scalar],
        start: Sequence[Scalar],
        L: Sequence[Sequence[Scalar]],
        units: Sequence[Scalar],
        size: Scalar,
        beside: Beside,
    ) -> tuple[Values, Scalar]:
        """Return λ on one tape, and 1; 0 where it is not found."""
        if self.tries and self.law.only_bends:
            return self.only(tape, theta, start, L)
        if self.tries:
            return self.picked(tape, theta, start, L, units, size, beside)
        lam, end = list(start), 0.0
        for _ in range(_WRITTEN_STEPS):
            lam, _, end = self.stepped(tape, theta, start, L, units, size, lam, _LENGTHS[:1])
        return lam, end


def sizes(law: Law, M: Mapping, x: Sequence[Scalar], right: Sequence[Scalar]) -> tuple[Values, Scalar]:
    """Return the 1/Mⱼⱼ of the channels, and Σ Mⱼⱼ q̈ⱼ² with what acts on the channels besides."""
    units = [1.0 / M.get((j, j), 1.0) for j in law.channels]
    size: Scalar = 0.0
    for (i, j), value in M.items():
        if i == j:
            size = size + value * (x[i] * x[i])
    return units, size + TapeLaw.measure(units, [right[j] for j in law.channels])


class LawSolver:
    """Makes the routines with which a solver finds multipliers in forces, once."""

    def __init__(self, solver: Solver, law: Law):
        self.solver, self.law, self.on_tape = solver, law, TapeLaw(law)
        self.n, self.s = solver.n, solver.s

    @property
    def calls(self) -> tuple[str | Repeat, ...]:
        """What solves, behind what fills the matrix, the right side and θ."""
        settle = ("settle",) if self.on_tape.tries else ("guess", Repeat(("approach",), _STEPS, "followed", self._end))
        corrections = Repeat(("correct", "advance"), _CORRECTIONS, "progress", 2)
        return "factor", "respond", "begin", "solve", *settle, "act", corrections, "verify"

    @cached_property
    def routines(self) -> tuple[Routine, ...]:
        """What these calls name, besides the routines of the solver."""
        settle = (self._settle(),) if self.on_tape.tries else (self._guess(), self._approach())
        return self._respond(), *settle, self._act(), self._correct(), self._advance(), self._verify()

    # --- places: λ, λ₀, whether λ was found, whether another step would change it ------------------------------------

    @property
    def _end(self) -> int:
        return 2 * len(self.law.rows) + 1

    def _theta(self, routine: Routine) -> list:
        return routine.loads("law", len(self.law.places))

    def _lam(self, routine: Routine) -> Values:
        return [-routine.tape.load("x", self.n + i) for i in self.law.rows]

    def _response(self, routine: Routine) -> list[list]:
        size = self.n + self.s
        places = routine.loads("response", size * len(self.law.channels))
        return [places[k * size : (k + 1) * size] for k in range(len(self.law.channels))]

    def _L(self, routine: Routine, rows: Sequence[int] | None = None) -> list[Values]:
        response = self._response(routine)
        return [[-x[self.n + i] for x in response] for i in (self.law.rows if rows is None else rows)]

    def _sizes(self, routine: Routine) -> tuple[Values, Scalar]:
        """Return the 1/Mⱼⱼ of the channels, and by what changes of φ are measured."""
        M = self.solver.builder.loaded(routine)[0]
        x, right = (routine.loads(array, self.n) for array in ("x", "right"))
        return sizes(self.law, M, x, right)

    # --- routines ----------------------------------------------------------------------------------------------------

    def _respond(self) -> Routine:
        """Make the routine X = K⁻¹ of unit forces on the channels, refined once: next to a paradox all digits count."""
        routine = Routine("respond")
        factors = self.solver.kept_factors(routine)
        for k, j in enumerate(self.law.channels):
            unit: Values = [1.0 if i == j else 0.0 for i in range(self.n + self.s)]
            x = quasidefinite.solve(factors, unit)
            more = quasidefinite.solve(factors, self.solver.left(routine, unit, x))
            found = [a + b for a, b in zip(x, more, strict=True)]
            routine.store("response", found, k * (self.n + self.s))
        return routine

    def _settle(self) -> Routine:
        """Make the routine that tries branches."""
        routine = Routine("settle")
        theta, lam, L = self._theta(routine), self._lam(routine), self._L(routine)
        further = [-routine.tape.load("x", self.n + i) for i in self.law.beside]
        beside = (further, self._L(routine, self.law.beside))
        lam, found = self.on_tape.picked(routine.tape, theta, lam, L, *self._sizes(routine), beside)
        routine.store("followed", [*lam, *[0.0] * len(lam), found, 1.0])
        return routine

    def _guess(self) -> Routine:
        """Make the routine that begins with λ as it is without such forces."""
        routine = Routine("guess")
        lam = self._lam(routine)
        routine.store("followed", [*lam, *lam, 0.0, 0.0])
        return routine

    def _approach(self) -> Routine:
        """Make the routine of one of Newton's steps."""
        routine, count = Routine("approach"), len(self.law.rows)
        known = routine.loads("followed", 2 * count)
        theta, L = self._theta(routine), self._L(routine)
        sizes = self._sizes(routine)
        lam, found, end = self.on_tape.stepped(routine.tape, theta, known[count:], L, *sizes, known[:count])
        routine.store("followed", lam)
        routine.store("followed", [found, end], 2 * count)
        return routine

    def _act(self) -> Routine:
        """Make the routine x += X φ."""
        routine = Routine("act")
        phi = self.on_tape.phi(routine.tape, self._theta(routine), routine.loads("followed", len(self.law.rows)))
        self._add(routine, routine.loads("x", self.n + self.s), phi)
        return routine

    def _add(self, routine: Routine, x: Sequence[Scalar], phi: Sequence[Scalar]) -> Values:
        """Add X φ to something, and store it in x."""
        found = list(x)
        for value, column in zip(phi, self._response(routine), strict=True):
            found = [a + value * b for a, b in zip(found, column, strict=True)]
        routine.store("x", found)
        return found

    def _correct(self) -> Routine:
        """Make the routine r = right + ρ(λ) − K x."""
        routine = self.solver.refine("correct")
        for j, value in self.forces(routine).items():
            routine.stores["r", j] = routine.stores["r", j] + value
        return routine

    def forces(self, routine: Routine) -> dict[int, Scalar]:
        """Return ρ by coordinate, with λ as it is in x."""
        return dict(zip(self.law.channels, self._forces(routine), strict=True))

    def _forces(self, routine: Routine) -> Values:
        return self.on_tape.phi(routine.tape, self._theta(routine), self._lam(routine))

    def _advance(self) -> Routine:
        """Make the routine of Newton's step of the whole equations."""
        routine = Routine("advance")
        tape = routine.tape
        y = quasidefinite.solve(self.solver.kept_factors(routine), list(routine.loads("r", self.n + self.s)))
        lam = self._lam(routine)
        slopes = self.on_tape.slopes(tape, self._theta(routine), lam)
        change = self.on_tape.changed(tape, slopes, self._L(routine), [-y[self.n + i] for i in self.law.rows])
        phi: Values = [0.0] * len(self.law.channels)
        for (k, i), slope in slopes.items():
            phi[k] = phi[k] + slope * change[i]
        step = list(y)
        for value, column in zip(phi, self._response(routine), strict=True):
            step = [a + value * b for a, b in zip(step, column, strict=True)]
        x = routine.loads("x", self.n + self.s)
        routine.store("x", [old + new for old, new in zip(x, step, strict=True)])
        self.solver.progress(routine, step)
        units, size = self._sizes(routine)
        off, whole = self.on_tape.measure(units, phi), size + self.on_tape.measure(units, self._forces(routine))
        settled, close = (tape.call("if_le", off, part**2 * whole, 1.0, 0.0) for part in (_SETTLED, _CLOSE))
        routine.store("settled", [settled])
        routine.stores["progress", 2] = tape.call("min", routine.stores["progress", 2], close)
        return routine

    def _verify(self) -> Routine:
        """Make the routine that leaves no number where λ was not found."""
        routine, count = Routine("verify"), len(self.law.rows)
        call = routine.tape.call
        fine = call("min", routine.tape.load("followed", 2 * count), routine.tape.load("settled", 0))
        x = routine.loads("x", self.n + self.s)
        routine.store("x", [call("if_lt", 0.5, fine, value, math.nan) for value in x])
        return routine
