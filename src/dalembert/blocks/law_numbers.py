"""Forces that depend on multipliers as numbers at a state: every solution of λ = λ₀ + L φ(θ, λ) that is found.

The slow, obvious way, with nothing in common with the native code but the law: λ₀ and L by singular values, all
branches one by one; a law that has none by Newton's method from several starts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.saddle import Saddle
from dalembert.arrays import Array
from dalembert.blocks.law import Law, law_of
from dalembert.language.program import Program
from dalembert.model.facts import STRUCTURE, fact

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric, Values
    from dalembert.model.system import System

_ROUNDING = 1e-10  # of what a condition is made of: beside it, it is met
_APART = 1e-6  # of the multipliers: what differs by more are two solutions
_STARTS, _STEPS = 12, 60
_SETTLED = 1e-9
_BALANCED = 12  # rounds in which a matrix is brought to rows and columns of size one
_VANISHES = 1e-13  # part of the terms of a sum that is rounding
_SINGULAR = 1e-14  # of such a matrix: the reciprocal condition below which it is singular


@dataclass(frozen=True)
class Balanced:
    """What is found of the multipliers in forces at one state.

    solutions: their values, one row for each solution. determinants: of 1 − L φ_λ, for each branch; of a law without
    branches at the solutions. complete: whether there can be no other solutions. values: the blocks, without ρ.
    """

    law: Law
    values: Values
    theta: Array
    start: Array
    L: Array
    solutions: Array
    determinants: Array
    complete: bool

    @property
    def acting(self) -> Values:
        """The blocks with f + ρ in place of f; no numbers where there is not one solution."""
        f = self.values.f.copy()
        lam = self.solutions[0] if len(self.solutions) == 1 else np.full(len(self.law.rows), np.nan)
        f[list(self.law.channels)] += numbers_of(self.law).phi(self.theta, lam)
        return replace(self.values, f=f)

    @property
    def critical(self) -> float:
        """The part of ρ with which a branch becomes singular, coming from none; infinite if no part does."""
        return min((_critical(self.L @ slopes) for slopes in self._slopes), default=np.inf)

    @property
    def _slopes(self) -> list[Array]:
        known = numbers_of(self.law)
        if self.law.branches:
            return [slopes for _, slopes, _ in known.branches(self.theta)]
        return [known.slopes(self.theta, lam) for lam in (*self.solutions, self.start)]


def _critical(response: Array) -> float:
    if not np.all(np.isfinite(response)):
        return np.inf
    values = np.linalg.eigvals(response)
    real = values.real[(np.abs(values.imag) <= 1e-9 * np.abs(values)) & (values.real > 0)]
    return 1.0 / float(real.max()) if real.size else np.inf


class LawNumbers:
    """Evaluates a law."""

    def __init__(self, law: Law):
        self.law = law
        self._inputs = [*law.places, *law.symbols]
        self._phi = Program(self._inputs, law.phi)
        self._slopes = Program(self._inputs, list(law.slopes.values()))

    @cached_property
    def _branches(self) -> list[tuple[Program, list[tuple[int, int]], Program]]:
        inputs = self._inputs
        return [
            (Program(inputs, [*b.offsets, *b.slopes.values()]), list(b.slopes), Program(inputs, b.sides))
            for b in self.law.branches
        ]

    def phi(self, theta: Array, lam: Array) -> Array:
        """Return φ."""
        return self._phi.floats([*theta, *lam])

    def slopes(self, theta: Array, lam: Array) -> Array:
        """Return ∂φ/∂λ; zeros where it has no value."""
        found = np.zeros((len(self.law.channels), len(self.law.rows)))
        for place, value in zip(self.law.slopes, self._slopes.floats([*theta, *lam]), strict=True):
            found[place] = value if np.isfinite(value) else 0.0
        return found

    def branches(self, theta: Array) -> list[tuple[Array, Array, Program]]:
        """Return the offsets and slopes of each branch, and what gives its conditions."""
        found, count = [], len(self.law.channels)
        for program, places, sides in self._branches:
            out = program.floats([*theta, *np.zeros(len(self.law.rows))])
            slopes = np.zeros((count, len(self.law.rows)))
            for place, value in zip(places, out[count:], strict=True):
                slopes[place] = value
            found.append((out[:count], slopes, sides))
        return found

    # --- solutions ---------------------------------------------------------------------------------------------------

    def by_branches(self, theta: Array, start: Array, L: Array) -> tuple[list[Array], list[float]]:
        """Return the solutions of all branches, and the determinant of each branch."""
        found, determinants = list[Array](), list[float]()
        one = np.eye(len(start))
        for offsets, slopes, sides in self.branches(theta):
            matrix = one - L @ slopes
            determinants.append(float(np.linalg.det(matrix)))
            try:
                lam = np.linalg.solve(matrix, start + L @ offsets)
            except np.linalg.LinAlgError:
                continue
            values = sides.floats([*theta, *lam])
            # what a condition is made of: how much it changes with the multipliers
            moved = [sides.floats([*theta, *(lam + h)]) - values for h in np.diag(np.abs(lam) + np.abs(start))]
            if np.all(values >= -_ROUNDING * np.sum(np.abs(moved), axis=0)):
                _note(found, lam, start)
        return found, determinants

    def by_newton(self, theta: Array, start: Array, L: Array) -> list[Array]:
        """Return the solutions to which Newton's method comes from several starts."""
        found = list[Array]()
        random, size = np.random.default_rng(4), max(float(np.abs(start).max(initial=0.0)), 1.0)
        for k in range(_STARTS):
            first = start if k == 0 else -start if k == 1 else random.normal(size=len(start)) * size * 4.0 ** (k % 4)
            if (lam := self._newton(theta, start, L, first)) is not None:
                _note(found, lam, start)
        return found

    def _newton(self, theta: Array, start: Array, L: Array, lam: Array) -> Array | None:
        def left(x: Array) -> Array:
            return x - start - L @ self.phi(theta, x)

        off = left(lam)
        for _ in range(_STEPS):
            size = np.abs(lam).sum() + np.abs(start).sum()
            if not np.all(np.isfinite(off)):
                return None
            if np.abs(off).sum() <= 1e-14 * size:
                break
            try:
                step = -np.linalg.solve(np.eye(len(lam)) - L @ self.slopes(theta, lam), off)
            except np.linalg.LinAlgError:
                return None
            tried = [(lam + part * step) for part in (1.0, 0.5, 0.25, 0.0625)]
            lam = min(tried, key=lambda x: np.nan_to_num(np.abs(left(x)).sum(), nan=np.inf))
            off = left(lam)
        return lam if np.abs(off).sum() <= _SETTLED * (np.abs(lam).sum() + np.abs(start).sum()) else None


def _note(found: list[Array], lam: Array, start: Array) -> None:
    """Take down a solution that is not there yet."""
    size = np.abs(lam).sum() + np.abs(start).sum()
    if not any(np.abs(lam - other).sum() <= _APART * size for other in found):
        found.append(lam)


def numbers_of(law: Law) -> LawNumbers:
    """Return what evaluates a law."""
    known = law.__dict__.get("numbers")
    if known is None:
        known = law.__dict__["numbers"] = LawNumbers(law)
    return known


@fact(STRUCTURE)
def theta_of(system: System) -> Program:
    """Return what evaluates the parts θ of the law of a system."""
    law, b = law_of(system), system.blocks
    return Program([b.t, *b.q, *b.v, *b.parameters], () if law is None else law.parts)


def balanced(numeric: Numeric, t: float, q: Array, v: Array) -> Balanced | None:
    """Find the multipliers in the forces of a system at a state; None if there are none."""
    law = law_of(numeric.system)
    if law is None:
        return None
    values = numeric.all(t, q, v)
    theta = theta_of(numeric.system).floats([t, *q, *v, *numeric.parameters])
    rows = list(law.rows)
    if len(law.branches) == 1 and all(numeric.system.constraints[i].steered for i in rows):
        return _steered(numeric, law, values, theta)
    saddle = Saddle(values.M, values.A, smooth=True)
    start = -saddle.solve(values.f, values.c)[1][rows]
    units = np.eye(numeric.n)[list(law.channels)]
    L = np.array([-saddle.solve(unit, np.zeros(numeric.s))[1][rows] for unit in units]).T
    known = numbers_of(law)
    if law.branches:
        found, determinants = known.by_branches(theta, start, L)
    else:
        found = known.by_newton(theta, start, L)
        determinants = [float(np.linalg.det(np.eye(len(rows)) - L @ known.slopes(theta, lam))) for lam in found]
    solutions = np.array(found).reshape(-1, len(rows))
    return Balanced(law, values, theta, start, L, solutions, np.array(determinants), bool(law.branches))


def _steered(numeric: Numeric, law: Law, values: Values, theta: Array) -> Balanced:
    """Find the controls that hold programmes, and what makes up for rounding beside them.

    They act in the place of what ideal reactions of these rows would be, so that these need not be known: with forces E
    in all, P λ = c − A q̈₀ where q̈₀ and the columns of Z are accelerations without them and by them, and P = A Z.
    """
    rows = list(law.rows)
    passive = [i for i in range(numeric.s) if i not in rows]
    ((offsets, slopes, _),) = numbers_of(law).branches(theta)
    f, E, A = values.f.copy(), values.A[rows].toarray().T, values.A[rows].toarray()
    f[list(law.channels)] += offsets
    E[list(law.channels)] += slopes
    still = np.zeros(len(passive))
    try:
        saddle = Saddle(values.M, values.A[passive], smooth=True)
        free = saddle.solve(f, values.c[passive])[0]
        by = np.array([saddle.solve(force, still)[0] for force in E.T]).T
    except np.linalg.LinAlgError:  # something has no inertia, which is not the fault of controls
        none = np.full(len(rows), np.nan)
        return Balanced(law, values, theta, none, np.zeros((len(rows), len(law.channels))), none[None], none[:1], True)
    P, asked = A @ by, values.c[rows] - A @ free
    P[np.abs(P) <= _VANISHES * (np.abs(A) @ np.abs(by))] = 0.0
    lam, determinant = _solved(P, asked)
    found = np.zeros((0, len(rows))) if lam is None else lam[None]
    start, L = 0.0 * (asked + P.sum(axis=1)), np.zeros((len(rows), len(law.channels)))  # no numbers if these are none
    return Balanced(law, values, theta, start, L, found, np.array([determinant]), True)


def _solved(P: Array, right: Array) -> tuple[Array | None, float]:
    """Solve P x = right in rows and columns of size one; None, and zero, where P is singular to rounding."""
    if not (np.all(np.isfinite(P)) and np.all(np.isfinite(right))):
        return None, 0.0
    if not (np.any(P, axis=0).all() and np.any(P, axis=1).all()):
        return None, 0.0
    scaled, sizes = P.copy(), [np.ones(len(P)), np.ones(len(P))]
    for k in range(2 * _BALANCED):
        axis = 1 - k % 2
        most = np.sqrt(np.abs(scaled).max(axis=axis, initial=0.0))
        most[most == 0] = 1.0
        sizes[1 - axis] *= most
        scaled = scaled / np.expand_dims(most, axis)
    if not np.linalg.cond(scaled) < 1 / _SINGULAR:
        return None, 0.0
    return np.linalg.solve(scaled, right / sizes[0]) / sizes[1], float(np.linalg.det(scaled))


def acting(numeric: Numeric, t: float, q: Array, v: Array) -> Values:
    """Return the blocks at a state with f + ρ in place of f."""
    found = balanced(numeric, t, q, v)
    return numeric.all(t, q, v) if found is None else found.acting


def with_law(numeric: Numeric, values: Values, t: float, q: Array, v: Array, multipliers: Array) -> Values:
    """Return blocks with f + ρ in place of f, for multipliers that are given."""
    law = law_of(numeric.system)
    if law is None:
        return values
    theta = theta_of(numeric.system).floats([t, *q, *v, *numeric.parameters])
    f = values.f.copy()
    f[list(law.channels)] += numbers_of(law).phi(theta, multipliers[list(law.rows)])
    return replace(values, f=f)
