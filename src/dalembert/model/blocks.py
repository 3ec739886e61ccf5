"""From a system to its blocks: M, f, A, c and the residuals g and ψ, as sparse symbolic entries.

Everything is derived term by term: a term of an energy or of a constraint is differentiated only by the variables
that appear in it, so the cost grows with the number of terms and not with the size of the system.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import symengine as se

from dalembert.errors import ModelError, Problem
from dalembert.model.calculus import ZERO, Calculus
from dalembert.model.constraint import Constraint
from dalembert.model.functions import TIME, Expr
from dalembert.model.independence import is_independent, without

if TYPE_CHECKING:
    from dalembert.model.system import System

Sparse = Mapping[tuple[int, int], Expr]


@dataclass(frozen=True)
class Blocks:
    """M q̈ = f + Aᵀλ and A q̈ = c, with the residuals of the constraints, in the notation of docs/theory.md.

    M and A hold their entries that are not zero, by (row, column). `g[i]` is the residual of constraint i where it is
    one of positions (else None); `psi[i]` its residual at velocity level (None for constraints on accelerations);
    `energy` is T₂ − T₀ + V (None if the system is given by matrices).
    """

    t: Expr
    q: tuple[Expr, ...]
    v: tuple[Expr, ...]
    parameters: tuple[Expr, ...]
    M: Sparse
    f: tuple[Expr, ...]
    A: Sparse
    c: tuple[Expr, ...]
    g: tuple[Expr | None, ...]
    psi: tuple[Expr | None, ...]
    energy: Expr | None

    def inertia_forms(self) -> tuple[Sparse, ...]:
        """Return Do Sanh's matrices G₀ₖ: the inertia part of fₖ is the quadratic form vᵀ G₀ₖ v (Do Sanh 1996, 2.15).

        (G₀ₖ)ᵢⱼ = ½ ∂aᵢⱼ/∂qₖ − ½ (∂aₖᵢ/∂qⱼ + ∂aₖⱼ/∂qᵢ), read off the mass matrix alone.
        """
        calculus = Calculus(self.q)
        forms: list[dict[tuple[int, int], list[Expr]]] = [defaultdict(list) for _ in self.q]
        index = {symbol: k for k, symbol in enumerate(self.q)}
        half = se.Rational(1, 2)
        for (i, j), entry in self.M.items():
            entry = calculus.lift(entry)
            for symbol in calculus.depends(entry):
                k, slope = index[symbol], half * calculus.diff(entry, symbol)
                forms[k][i, j].append(slope)
                forms[i][j, k].append(-slope)
                forms[i][k, j].append(-slope)
        return tuple(_collect(form, calculus) for form in forms)


def derive_blocks(system: System) -> Blocks:
    """Derive M, f, A, c, g, ψ from the energies or matrices and the constraints of a system."""
    try:
        return _Derivation(system).blocks()
    except RecursionError:
        raise ModelError("the expressions are nested too deep to be differentiated; split them up") from None
    except RuntimeError as error:  # of SymEngine
        raise ModelError(f"the expressions cannot be differentiated: {str(error)[:80]}") from None


class _Derivation:
    def __init__(self, system: System):
        self.system = system
        self.t = se.Symbol(TIME)
        self.q, self.v, self.a = ([se.Symbol(name + "'" * order) for name in system.coordinates] for order in (0, 1, 2))
        self.q_index = {symbol: i for i, symbol in enumerate(self.q)}
        self.v_index = {symbol: i for i, symbol in enumerate(self.v)}
        self.calculus = Calculus([*self.q, *self.v, *self.a, self.t])
        self.M: dict[tuple[int, int], list[Expr]] = defaultdict(list)
        self.f: list[list[Expr]] = [[] for _ in self.q]
        self.energy: list[Expr] = []

    def blocks(self) -> Blocks:
        system, calculus = self.system, self.calculus
        if system.kinetic is not None:
            terms = calculus.terms(calculus.lift(system.kinetic))
            for term in terms:
                self.kinetic(term)
            self.check_switches(terms)
            for term in calculus.terms(calculus.lift(system.potential or ZERO)):
                self.potential(term)
        else:
            self.matrices()
        for name, force in system.forces.items():
            self.f[system.coordinates.index(name)].append(calculus.lift(force))
        mass = _collect(self.M, calculus)
        rows = [self.constraint(constraint) for constraint in system.constraints]
        energy = calculus.lower(se.Add(*self.energy)) if system.kinetic is not None else None
        return Blocks(
            t=self.t,
            q=tuple(self.q),
            v=tuple(self.v),
            parameters=tuple(se.Symbol(name) for name in system.parameters),
            M={key: self.without_velocities(entry) for key, entry in mass.items()},
            f=tuple(calculus.lower(se.Add(*terms)) for terms in self.f),
            A={(i, j): entry for i, (row, *_) in enumerate(rows) for j, entry in row.items()},
            c=tuple(c for _, c, _, _ in rows),
            g=tuple(g for _, _, g, _ in rows),
            psi=tuple(psi for _, _, _, psi in rows),
            energy=energy,
        )

    # --- energies ----------------------------------------------------------------------------------------------------

    def kinetic(self, term: Expr) -> None:
        """Add what one term of T gives: M = ∂²T/∂v∂vᵀ, f = ∂T/∂q − (∂²T/∂v∂qᵀ) v − ∂²T/∂v∂t, energy v·∂T/∂v − T."""
        diff, depends = self.calculus.diff, self.calculus.depends(term)
        qs = [symbol for symbol in depends if symbol in self.q_index]
        vs = [symbol for symbol in depends if symbol in self.v_index]
        self.energy.append(-term)
        for v in vs:
            i, momentum = self.v_index[v], diff(term, v)
            self.energy.append(v * momentum)
            for w in vs:
                self.M[i, self.v_index[w]].append(diff(momentum, w))
            for q in qs:
                self.f[i].append(-diff(momentum, q) * self.v[self.q_index[q]])
            if self.t in depends:
                self.f[i].append(-diff(momentum, self.t))
        for q in qs:
            self.f[self.q_index[q]].append(diff(term, q))

    def potential(self, term: Expr) -> None:
        self.energy.append(term)
        for q in self.calculus.depends(term) - {self.t}:
            self.f[self.q_index[q]].append(-self.calculus.diff(term, q))

    def matrices(self) -> None:
        for i, row in enumerate(self.system.mass or ()):
            for j, entry in enumerate(row):
                if entry != 0:
                    self.M[i, j].append(entry)
        for i, entry in enumerate(self.system.force or ()):
            self.f[i].append(self.calculus.lift(entry))

    def without_velocities(self, entry: Expr) -> Expr:
        """Make sure that T was quadratic in v; velocities that cancel are removed."""
        found = entry.free_symbols & self.v_index.keys()
        if not found:
            return entry
        settled = without(entry, found) if is_independent(entry, found) else None
        if settled is None:
            names = ", ".join(sorted(symbol.name for symbol in found))
            raise _not_quadratic(f"its second derivatives still contain {names}")
        return settled

    def check_switches(self, terms: list[Expr]) -> None:
        """Make sure that no abs, if, … of velocities breaks T where M does not show it, as in v²/2 + abs(v)."""
        calculus, vs = self.calculus, self.v_index.keys()
        switching = se.Add(*[term for term in terms if calculus.switches(term) & vs])
        rest = switching  # what is left of T without the parts quadratic and linear in v
        for v in calculus.depends(switching) & vs:
            momentum = calculus.diff(switching, v)
            curved = se.Add(*[calculus.diff(momentum, w) * w for w in calculus.depends(momentum) & vs])
            rest -= v * momentum - v * curved / 2
            if not is_independent(calculus.lower(momentum - curved), vs):
                raise _not_quadratic(f"the part linear in {v} jumps")
        if not is_independent(calculus.lower(rest), vs):
            raise _not_quadratic("the part free of them jumps")

    # --- constraints -------------------------------------------------------------------------------------------------

    def constraint(self, constraint: Constraint) -> tuple[dict[int, Expr], Expr, Expr | None, Expr | None]:
        """Return a row of A as {column: entry}, c, g and ψ of one constraint."""
        terms = self.calculus.terms(self.calculus.lift(constraint.expression))
        if constraint.level == "position":
            return self.position(constraint.expression, terms)
        if constraint.level == "velocity":
            return self.velocity(constraint.expression, terms)
        return self.acceleration(constraint.expression, terms)

    def position(self, g: Expr, terms: list[Expr]):
        row: dict[int, list[Expr]] = defaultdict(list)
        psi: list[Expr] = []
        c: list[Expr] = []
        for term in terms:
            depends = self.calculus.depends(term)
            rate = []
            for q in depends - {self.t}:
                i, slope = self.q_index[q], self.calculus.diff(term, q)
                row[i].append(slope)
                rate.append(slope * self.v[i])
            if self.t in depends:
                rate.append(self.calculus.diff(term, self.t))
            psi += rate
            c += [-part for piece in rate for part in self.rate(piece)]
        return self.finish(row, c, g, psi)

    def velocity(self, psi: Expr, terms: list[Expr]):
        row: dict[int, list[Expr]] = defaultdict(list)
        c: list[Expr] = []
        for term in terms:
            for v in self.calculus.depends(term) & self.v_index.keys():
                row[self.v_index[v]].append(self.calculus.diff(term, v))
            c += [-part for part in self.rate(term)]
        return self.finish(row, c, None, [psi])

    def acceleration(self, expression: Expr, terms: list[Expr]):
        row: dict[int, list[Expr]] = defaultdict(list)
        rest = dict.fromkeys(self.a, ZERO)
        for term in terms:
            for i, a in enumerate(self.a):
                if a in term.free_symbols:
                    row[i].append(self.calculus.diff(term, a).xreplace(rest))
        return self.finish(row, [-term.xreplace(rest) for term in terms], None, None)

    def rate(self, term: Expr) -> list[Expr]:
        """Return the parts of (∂term/∂q) v + ∂term/∂t."""
        depends = self.calculus.depends(term)
        parts = [self.calculus.diff(term, q) * self.v[self.q_index[q]] for q in depends & self.q_index.keys()]
        if self.t in depends:
            parts.append(self.calculus.diff(term, self.t))
        return parts

    def finish(self, row: dict[int, list[Expr]], c: list[Expr], g: Expr | None, psi: list[Expr] | None):
        lower = self.calculus.lower
        entries = {j: lower(se.Add(*parts)) for j, parts in sorted(row.items())}
        return (
            {j: entry for j, entry in entries.items() if entry != 0},
            lower(se.Add(*c)),
            g,
            None if psi is None else lower(se.Add(*psi)),
        )


def _not_quadratic(why: str) -> ModelError:
    text = f"the kinetic energy is not quadratic in the velocities: {why}"
    return ModelError(Problem(text, key=("energy", "kinetic")))


def _collect(entries: Mapping[tuple[int, int], list[Expr]], calculus: Calculus) -> dict[tuple[int, int], Expr]:
    """Add up gathered terms; drop what is zero."""
    sums = {key: calculus.lower(se.Add(*terms)) for key, terms in sorted(entries.items())}
    return {key: entry for key, entry in sums.items() if entry != 0}
