"""From a system to its blocks: M, f, A, c and the residuals g and ψ, as sparse symbolic entries.

Everything is derived term by term: a term of an energy or of a constraint is differentiated only by the variables
that appear in it, so the cost grows with the number of terms and not with the size of the system.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.blocks.slopes import slopes_of
from dalembert.document.nodes import Block, Matrix, Paragraph, Section
from dalembert.document.shown import Shown
from dalembert.errors import DerivationError, ModelError, Problem, counted
from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import ONE, ZERO, Calculus
from dalembert.language.independence import is_independent, without
from dalembert.language.state_names import is_integral
from dalembert.model.constraint import Constraint
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.quantity import as_names, parted
from dalembert.model.way import Way

if TYPE_CHECKING:
    from dalembert.model.system import System

_ENTRIES = "`M[i, j]`, `f[i]`, `A[i, j]`, `c[i]` are the entries"
_SHOWN = 10  # rows and columns of a matrix that is shown
Sparse = Mapping[tuple[int, int], Expr]


@dataclass(frozen=True)
class Blocks(Shown):
    """M q̈ = f + ρ + Aᵀλ and A q̈ = c, with the residuals of the constraints, in the notation of docs/theory.md.

    M and A hold their entries that are not zero, by (row, column). `g[i]` is the residual of constraint i where it is
    one of positions (else None); `psi[i]` its residual at velocity level (None for constraints on accelerations);
    `energy` is T₂ − T₀ + V (None if the system is given by matrices). `rho[i]` are the forces on a coordinate in which
    multipliers stand; mostly there are none.
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
    rho: Mapping[int, Expr] = field(default_factory=dict)

    TYPESET, WHOLE = True, _ENTRIES

    def document(self) -> Section:
        """Show M, f, A and c."""
        n, s = len(self.q), len(self.c)
        parts: list[Block] = []
        for name, entries, rows in (("M", self.M, n), ("A", self.A, s)):
            matrix = [[entries.get((i, j), se.Integer(0)) for j in range(n)] for i in range(rows)]
            parts += [Matrix(name, matrix)] if rows and max(rows, n) <= _SHOWN else []
        rho = [as_names(self.rho.get(i, ZERO)) for i in range(n)] if self.rho else []
        for name, entries in (("f", self.f), ("rho", rho), ("c", self.c)):
            parts += [Matrix(name, [[entry] for entry in entries])] if 0 < len(entries) <= _SHOWN else []
        if max(n, s) > _SHOWN:
            parts.append(Paragraph(f"too large to be written; {_ENTRIES}"))
        what = f"{counted(n, 'coordinate')}, {counted(s, 'constraint')}"
        return Section(f"M q̈ = f + {'ρ + ' if rho else ''}Aᵀλ, A q̈ = c", parts, what)

    def __repr__(self) -> str:
        counts = f"{counted(len(self.q), 'coordinate')}, {counted(len(self.c), 'constraint')}"
        return f"<Blocks: {counts}; {len(self.M)} entries of M and {len(self.A)} of A are not zero>"

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


@fact(STRUCTURE)
def derive_blocks(system: System) -> Blocks:
    """Derive M, f, A, c, g, ψ from the energies or matrices and the constraints of a system."""
    if getattr(system, "defined", None):
        text = (
            "bodies carry each other in long rows, and in the coordinates of their joints every formula would be long"
        )
        raise DerivationError(f'{text}: they are only computed with; take coordinates = "absolute" for formulas')
    try:
        return _Derivation(system).blocks()
    except RecursionError:
        raise ModelError("the expressions are nested too deep to be differentiated; split them up") from None
    except RuntimeError as error:  # of SymEngine
        raise ModelError(f"the expressions cannot be differentiated: {str(error)[:80]}") from None


def blocks_by(system: System, kinetic: Expr) -> Blocks:
    """Derive the same blocks from the kinetic energy as it is written here."""
    return _Derivation(system, kinetic).blocks()


@fact(STRUCTURE)
def rows_of(system: System) -> RowsOfA:
    """Return the rows of A by constraint."""
    return RowsOfA(system)


class RowsOfA:
    """The rows of A by constraint, as {coordinate: entry}; each is derived when it is first asked for."""

    def __init__(self, system: System):
        self._derivation, self._known = _Derivation(system), {}
        self._constraints = {constraint.name: constraint for constraint in system.constraints}

    def __getitem__(self, name: str) -> dict[str, Expr]:
        if name not in self._known:
            row = self._derivation.constraint(self._constraints[name])[0]
            self._known[name] = {self._derivation.system.coordinates[j]: entry for j, entry in row.items()}
        return self._known[name]


class _Derivation:
    def __init__(self, system: System, kinetic: Expr | None = None):
        self.system, self.T = system, kinetic if kinetic is not None else system.kinetic
        self.t = se.Symbol(TIME)
        self.q, self.v, self.a = ([se.Symbol(name + "'" * order) for name in system.coordinates] for order in (0, 1, 2))
        self.v_index = {symbol: i for i, symbol in enumerate(self.v)}
        self.a_index = {symbol: i for i, symbol in enumerate(self.a)}
        self.ways: dict[Expr, Way] = {
            **{q: Way({i: ONE}, v) for i, (q, v) in enumerate(zip(self.q, self.v, strict=True))},
            **getattr(system, "attached", {}),
        }
        self.calculus = Calculus([*self.ways, *self.v, *self.a, self.t])
        self.M: dict[tuple[int, int], list[Expr]] = defaultdict(list)
        self.f: list[list[Expr]] = [[] for _ in self.q]
        self.rho: dict[int, list[Expr]] = defaultdict(list)
        self.energy: list[Expr] = []
        self.bent: list[Expr] = []  # terms of T that are not seen to be quadratic, but may be so together

    def blocks(self) -> Blocks:
        system, calculus = self.system, self.calculus
        if self.T is not None:
            for term in calculus.terms(calculus.lift(self.T)):
                self.kinetic(term)
            for part in self.connected(self.bent, self.v_index):
                for term in self.straight_kinetic(part):
                    self.kinetic(term)
            for term in calculus.terms(calculus.lift(system.potential or ZERO)):
                self.potential(term)
        else:
            self.matrices()
        for i, name in enumerate(system.coordinates):
            if is_integral(name):
                self.M[i, i].append(ONE)  # which is no energy
        for name, force in system.forces.items():
            self.force(system.coordinates.index(name), force)
        rows = [self.constraint(constraint) for constraint in system.constraints]
        energy = calculus.lower(se.Add(*self.energy)) if system.kinetic is not None else None
        return Blocks(
            t=self.t,
            q=tuple(self.q),
            v=tuple(self.v),
            parameters=tuple(se.Symbol(name) for name in system.parameters),
            M=_collect(self.M, calculus),
            f=tuple(calculus.lower(se.Add(*terms)) for terms in self.f),
            A={(i, j): entry for i, (row, *_) in enumerate(rows) for j, entry in row.items()},
            c=tuple(c for _, c, _, _ in rows),
            g=tuple(g for _, _, g, _ in rows),
            psi=tuple(psi for _, _, _, psi in rows),
            energy=energy,
            rho={i: se.Add(*terms) for i, terms in sorted(self.rho.items())},
        )

    def force(self, i: int, force: Expr) -> None:
        """Add a force on a coordinate: to ρ the terms in which multipliers stand, to f the others."""
        force, followed = parted(force)
        self.f[i].append(self.calculus.lift(force))
        if followed:
            self.rho[i] += followed

    # --- energies ----------------------------------------------------------------------------------------------------

    def kinetic(self, term: Expr) -> None:
        """Add what one term of T gives: M = ∂²T/∂v∂vᵀ, f = ∂T/∂q − (∂²T/∂v∂qᵀ) v − ∂²T/∂v∂t, energy v·∂T/∂v − T."""
        depends = self.calculus.depends(term)
        qs = [symbol for symbol in depends if symbol in self.ways]
        vs = [symbol for symbol in depends if symbol in self.v_index]
        slopes = slopes_of(self.calculus, term, self.v_index.keys())
        momenta = {v: slopes.by(v) for v in vs}
        inertia = {(v, w): slopes.by_both(v, w) for v in vs for w in vs}
        if slopes.may_bend and (
            any(map(self.velocities, inertia.values())) or self.calculus.switches(term) & self.v_index.keys()
        ):
            self.bent.append(term)
            return
        self.energy.append(-term)
        for (v, w), entry in inertia.items():
            self.M[self.v_index[v], self.v_index[w]].append(entry)
        for v, momentum in momenta.items():
            i = self.v_index[v]
            self.energy.append(v * momentum)
            for q in qs:
                self.f[i].append(-slopes.by_both(v, q) * self.ways[q].rate)
            if self.t in depends:
                self.f[i].append(-slopes.by_both(v, self.t))
        for q in qs:
            self.along(q, slopes.by(q), self.f)

    def velocities(self, expr: Expr) -> frozenset[Expr]:
        return self.calculus.depends(expr) & self.v_index.keys()

    def straight_kinetic(self, T: Expr) -> list[Expr]:
        """Write T as vᵀMv/2 + p·v + T₀ with velocities nowhere else; refuse it if it is not quadratic.

        Neither if nor abs may break it where M does not show it, as in v²/2 + abs(v).
        """
        settle, diff = self.settle_kinetic, self.calculus.diff
        vs = sorted(self.velocities(T), key=str)
        terms = []
        for v in vs:
            row = [settle(diff(diff(T, v), w), "second derivatives") * w for w in vs]
            momentum = se.Add(*row)
            linear = settle(diff(T, v) - momentum, f"part linear in {v}")
            terms += [v * part / 2 for part in row] + [v * linear]
        return self.calculus.terms(se.Add(*terms, settle(se.Add(T, *[-term for term in terms]), "constant part")))

    def settle_kinetic(self, part: Expr, what: str) -> Expr:
        part = self.calculus.lower(part)
        settled = without(part, self.v_index.keys()) if is_independent(part, self.v_index.keys()) else None
        if settled is None:
            names = ", ".join(sorted(symbol.name for symbol in part.free_symbols & self.v_index.keys()))
            verb = "still contain" if what.endswith("s") else "still contains"
            text = f"the kinetic energy is not quadratic in the velocities: its {what} {verb} {names}"
            raise ModelError(Problem(text, key=("energy", "kinetic")))
        return self.calculus.lift(settled)

    def potential(self, term: Expr) -> None:
        self.energy.append(term)
        for q in self.calculus.depends(term) - {self.t}:
            self.along(q, -self.calculus.diff(term, q), self.f)

    def along(self, q: Expr, slope: Expr, into: Any) -> None:
        """Add a slope by one variable to those by the coordinates with which it changes."""
        for i, part in self.ways[q].directions.items():
            into[i].append(slope if part is ONE else slope * part)

    def matrices(self) -> None:
        for i, row in enumerate(self.system.mass or ()):
            for j, entry in enumerate(row):
                if entry != 0:
                    self.M[i, j].append(entry)
        for i, entry in enumerate(self.system.force or ()):
            self.force(i, entry)

    # --- constraints -------------------------------------------------------------------------------------------------

    def constraint(self, constraint: Constraint) -> tuple[dict[int, Expr], Expr, Expr | None, Expr | None]:
        """Return a row of A as {column: entry}, c, g and ψ of one constraint."""
        terms = self.calculus.terms(self.calculus.lift(constraint.expression))
        if constraint.level == "position":
            return self.position(constraint.expression, terms)
        if constraint.level == "velocity":
            return self.velocity(constraint, terms)
        return self.acceleration(constraint, terms)

    def position(self, g: Expr, terms: list[Expr]):
        row: dict[int, list[Expr]] = defaultdict(list)
        psi: list[Expr] = []
        c: list[Expr] = []
        for term in terms:
            depends = self.calculus.depends(term)
            rate = []
            for q in depends - {self.t}:
                slope = self.calculus.diff(term, q)
                self.along(q, slope, row)
                rate.append(slope * self.ways[q].rate)
            if self.t in depends:
                rate.append(self.calculus.diff(term, self.t))
            psi += rate
            c += [-part for piece in rate for part in self.rate(piece)]
        return self.finish(row, c, g, psi)

    def velocity(self, constraint: Constraint, terms: list[Expr]):
        psi = [constraint.expression]
        if constraint.linear:
            terms, changed = self.straight_constraint(constraint, terms, self.v_index)
            psi = terms if changed else psi
        row: dict[int, list[Expr]] = defaultdict(list)
        c: list[Expr] = []
        for term in terms:
            for v in self.calculus.depends(term) & self.v_index.keys():
                row[self.v_index[v]].append(self.calculus.diff(term, v))
            c += [-part for part in self.rate(term)]
        return self.finish(row, c, None, psi)

    def acceleration(self, constraint: Constraint, terms: list[Expr]):
        row: dict[int, list[Expr]] = defaultdict(list)
        c: list[Expr] = []
        for term in self.straight_constraint(constraint, terms, self.a_index)[0]:
            used = self.calculus.depends(term) & self.a_index.keys()
            for a in used:
                row[self.a_index[a]].append(self.calculus.diff(term, a))
            c.append(-term.xreplace(dict.fromkeys(used, ZERO)) if used else -term)
        return self.finish(row, c, None, None)

    def straight_constraint(
        self, constraint: Constraint, terms: list[Expr], index: Mapping[Expr, int]
    ) -> tuple[list[Expr], bool]:
        """Write a linear constraint so that its slopes are free of the variables; tell whether that changed it.

        Terms such as (v² − w²)/(v − w), linear only in value, would have no value where v = w.
        """
        plain, bent = [], []
        for term in terms:
            used = self.calculus.depends(term) & index.keys()
            is_bent = any(self.calculus.depends(self.calculus.diff(term, x)) & index.keys() for x in used)
            (bent if is_bent else plain).append(term)
        for part in self.connected(bent, index):
            plain += self.straight_part(constraint, part, index)
        return plain, bool(bent)

    def straight_part(self, constraint: Constraint, whole: Expr, index: Mapping[Expr, int]) -> list[Expr]:
        slopes = {x: self.calculus.diff(whole, x) for x in self.calculus.depends(whole) & index.keys()}
        offset = se.Add(whole, *[-slope * x for x, slope in slopes.items()])
        parts = {ONE: offset} | slopes
        settled = {x: without(self.calculus.lower(part), index.keys()) for x, part in parts.items()}
        if any(part is None for part in settled.values()):
            names = ", ".join(sorted(x.name for x in slopes))
            text = f"{names} cancel, but no value in their place gives a number; write the equation without them"
            raise ModelError(Problem(text, key=("constraints", constraint.name)))
        new = [x * self.calculus.lift(part) for x, part in settled.items() if part is not None]
        return self.calculus.terms(se.Add(*new))

    def connected(self, terms: list[Expr], index: Mapping[Expr, int]) -> list[Expr]:
        """Add up the terms that share variables, in which they may cancel; others stay apart, for speed."""
        root = {}

        def find(x: Expr) -> Expr:
            while root.setdefault(x, x) != x:
                root[x] = x = root[root[x]]
            return x

        firsts = []
        for term in terms:
            first, *others = sorted(self.calculus.depends(term) & index.keys(), key=str)
            firsts.append(first)
            for other in others:
                root[find(other)] = find(first)
        sums: dict[Expr, list[Expr]] = defaultdict(list)
        for first, term in zip(firsts, terms, strict=True):
            sums[find(first)].append(term)
        return [se.Add(*part) for part in sums.values()]

    def rate(self, term: Expr) -> list[Expr]:
        """Return the parts of (∂term/∂q) v + ∂term/∂t."""
        depends = self.calculus.depends(term)
        parts = [self.calculus.diff(term, q) * self.ways[q].rate for q in depends & self.ways.keys()]
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


def _collect(entries: Mapping[tuple[int, int], list[Expr]], calculus: Calculus) -> dict[tuple[int, int], Expr]:
    """Add up gathered terms; drop what is zero."""
    sums = {key: calculus.lower(se.Add(*terms)) for key, terms in sorted(entries.items())}
    return {key: entry for key, entry in sums.items() if entry != 0}
