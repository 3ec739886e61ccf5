"""The functions of the canonical form: H, the constraints in the momenta, and what determines the reactions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import symengine as se
from scipy.sparse.csgraph import connected_components

from dalembert.algebra.elimination import factorise
from dalembert.algebra.gramschmidt import Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import Field, TooLarge
from dalembert.algebra.writing.cost import total
from dalembert.forms.base import Matrix
from dalembert.forms.minimal import Minimal
from dalembert.forms.pen import MAX_TOTAL
from dalembert.forms.prepared import Scene
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus


@dataclass(frozen=True)
class Hamiltonian:
    """The functions of the canonical form, as formulas of t, q, p; momenta are called p_<coordinate>."""

    scene: Scene

    @property
    def momenta(self) -> list[Expr]:
        """The symbols p."""
        return [self.scene.fresh("p", q.name) for q in self.scene.blocks.q]

    @cached_property
    def added(self) -> list[tuple[int, Expr]]:
        """The constraints that make up for what M lacks, with their ρ."""
        return [(self.scene.kept[i], se.Integer(10) ** power) for i, power in self.scene.added.items()]

    @cached_property
    def linear(self) -> list[Expr]:
        """The part l of p = M v + l."""
        b = self.scene.blocks
        calculus = Calculus([*b.q, *b.v, b.t])
        kinetic = calculus.lift(plain(self.scene.system.kinetic))
        still = dict.fromkeys(b.v, ZERO)
        linear = [calculus.lower(calculus.diff(kinetic, v).xreplace(still)) for v in b.v]
        for i, rho in self.added:
            psi = (b.psi[i] or ZERO).xreplace(still)
            linear = [l + rho * b.A.get((i, j), ZERO) * psi for j, l in enumerate(linear)]
        return linear

    @cached_property
    def mass(self) -> list[Vector]:
        """The rows of M, or of M + Σ ρᵢ AᵢᵀAᵢ."""
        b = self.scene.blocks
        rows: list[Vector] = [{} for _ in b.q]
        for (i, j), entry in b.M.items():
            rows[i][j] = entry
        for i, rho in self.added:
            row = {j: entry for (k, j), entry in b.A.items() if k == i}
            for j, a in row.items():
                for k, other in row.items():
                    rows[j][k] = rows[j].get(k, ZERO) + rho * a * other
        return rows

    @cached_property
    def velocities(self) -> list[Expr]:
        """v = M⁻¹(p − l) as expressions of q, p, t."""
        scene = self.scene
        pilot = Pilot()
        factorise(scene.arrays.definite().M, scene.arrays.arithmetic, pilot)
        field = Field([*(entry for row in self.mass for entry in row.values()), *self.linear], self.momenta)
        rows = [{j: field.read(entry) for j, entry in row.items()} for row in self.mass]
        right = [field.read(p - l) for p, l in zip(self.momenta, self.linear, strict=True)]
        return [field.write(v) for v in factorise(rows, field, pilot.replay()).solve(right)]

    @property
    def rates(self) -> list[Expr]:
        """q̇ − M⁻¹(p − l), or p − M q̇ − l where that is too long; a state has no momentum."""
        b, count = self.scene.blocks, self.scene.system.mechanical
        try:
            return [v - value for v, value in zip(b.v, self.velocities, strict=True)][:count]
        except TooLarge:
            return self.definitions[:count]

    @property
    def definitions(self) -> list[Expr]:
        """p − M q̇ − l."""
        v, rows = self.scene.blocks.v, zip(self.momenta, self.mass, self.linear, strict=True)
        return [p - se.Add(l, *[entry * v[j] for j, entry in row.items()]) for p, row, l in rows]

    @cached_property
    def inverse(self) -> Matrix:
        """M⁻¹, or that of M + Σ ρᵢ AᵢᵀAᵢ: the slopes of the velocities."""
        calculus = Calculus(self.momenta)
        return [[self.simplified(calculus.diff(v, p)) for p in self.momenta] for v in self.velocities]

    @cached_property
    def directions(self) -> dict[str, Matrix]:
        """D with A D = 0; where A depends on velocities, so does D, and momenta stand for them."""
        if not self.scene.kept:
            return {}
        D = Minimal().arranged(self.scene, Minimal().basis(self.scene))
        return {"D": [[self.substituted(entry) for entry in row] for row in D]}

    @property
    def energy(self) -> Expr:
        """H = ½(p − l)·v − T₀ + V, at v = ∂H/∂p."""
        moving = [(p - l) * v / 2 for p, l, v in zip(self.momenta, self.linear, self.scene.blocks.v, strict=True)]
        return se.Add(*moving[: self.scene.system.mechanical], self.still)

    def substituted(self, expr: Expr) -> Expr:
        """Write an expression of q, v, t in q, p, t."""
        return expr.xreplace(dict(zip(self.scene.blocks.v, self.velocities, strict=True)))

    def simplified(self, expr: Expr) -> Expr:
        """Write an expression of q, p, t in lowest terms."""
        for apart in (False, True):
            field = Field([expr], self.momenta, apart=apart)
            try:
                return field.write(field.read(expr))
            except TooLarge:
                if apart:
                    raise
        return expr

    @cached_property
    def H(self) -> Expr:
        """H = ½(p − l)ᵀM⁻¹(p − l) − T₀ + V; M and v would bring the determinant in twice, of which one cancels."""
        moving = [(p - l) * v / 2 for p, l, v in zip(self.momenta, self.linear, self.velocities, strict=True)]
        count = self.scene.system.mechanical  # states have no energy
        return self.simplified(se.Add(*moving[:count], self.still))

    @property
    def energies(self) -> list[Expr]:
        """The parts of H: ½(p − l)ᵀM⁻¹(p − l) of each block of M, and V − T₀."""
        pattern = np.array([[j in row for j in range(len(self.mass))] for row in self.mass])
        groups: dict[int, list[Expr]] = {}
        for k, group in enumerate(connected_components(pattern)[1][: self.scene.system.mechanical]):
            groups.setdefault(int(group), []).append((self.momenta[k] - self.linear[k]) * self.velocities[k] / 2)
        return [*(self.simplified(se.Add(*terms)) for terms in groups.values()), self.still]

    @cached_property
    def forces(self) -> list[Expr]:
        """−∂H/∂q + Q."""
        b, system = self.scene.blocks, self.scene.system
        calculus = Calculus([*b.q, *self.momenta, b.t])
        H = calculus.lift(self.H)
        result = []
        for q in b.q:
            Q = self.substituted(plain(self.scene.named(system.forces.get(q.name, ZERO))))
            result.append(self.simplified(Q - calculus.lower(calculus.diff(H, q))))
        return result

    @cached_property
    def moving_forces(self) -> list[Expr]:
        """∂L/∂q + Q as functions of q, v, t, which are −∂H/∂q + Q at v = ∂H/∂p."""
        b, system = self.scene.blocks, self.scene.system
        calculus, half = Calculus([*b.q, *b.v, b.t]), se.Rational(1, 2)
        L = [half * entry * b.v[i] * b.v[j] for i, row in enumerate(self.mass) for j, entry in row.items()]
        L += [l * v for l, v in zip(self.linear, b.v, strict=True)]
        lagrangian = calculus.lift(se.Add(*L, -self.still))
        found = [calculus.lower(calculus.diff(lagrangian, q)) for q in b.q]
        return [
            slope + plain(self.scene.named(system.forces.get(q.name, ZERO)))
            for q, slope in zip(b.q, found, strict=True)
        ]

    @property
    def still(self) -> Expr:
        """H where p = l: V − T₀, without what was added to T."""
        b = self.scene.blocks
        still = dict.fromkeys(b.v, ZERO)
        rest = [-rho / 2 * (b.psi[i] or ZERO).xreplace(still) ** 2 for i, rho in self.added]
        return se.Add((b.energy or ZERO).xreplace(still), *rest)

    @cached_property
    def residuals(self) -> list[Expr]:
        """ψ̂(q, p, t) of the independent constraints."""
        return [self.simplified(self.substituted(self.scene.blocks.psi[i])) for i in self.scene.kept]

    @property
    def short_residuals(self) -> list[Expr]:
        """ψ̂ of the independent constraints; none if they are too long."""
        try:
            return self.residuals
        except TooLarge:
            return []

    @property
    def readable_residuals(self) -> list[Expr]:
        """ψ̂ of the independent constraints; where that is long, ψ at v = ∂H/∂p."""
        found = self.short_residuals
        return (
            [self.scene.blocks.psi[i] or ZERO for i in self.scene.kept]
            if total(found) > MAX_TOTAL or not found
            else found
        )

    @cached_property
    def conditions(self) -> tuple[list[list[Expr]], list[Expr]]:
        """B = ∂ψ̂/∂p and B⁰, for the independent constraints."""
        b = self.scene.blocks
        calculus = Calculus([*b.q, *self.momenta, b.t])
        B, B0 = [], []
        for residual in self.residuals:
            psi = calculus.lift(residual)
            row = [self.simplified(calculus.lower(calculus.diff(psi, p))) for p in self.momenta]
            rate = [calculus.diff(psi, q) * v for q, v in zip(b.q, self.velocities, strict=True)]
            along = [entry * force for entry, force in zip(row, self.forces, strict=True)]
            B.append(row)
            B0.append(self.simplified(calculus.lower(se.Add(*rate, calculus.diff(psi, b.t))) + se.Add(*along)))
        return B, B0

    @cached_property
    def reactions(self) -> list[Expr]:
        """R(q, p, t): in the span of the rows of A, so that it does no virtual work, with B R + B⁰ = 0."""
        scene, b = self.scene, self.scene.blocks
        n, kept = len(b.q), scene.kept
        if not kept:
            return [ZERO] * n
        B, B0 = self.conditions
        A = [[self.substituted(b.A.get((i, j), ZERO)) for j in range(n)] for i in kept]
        field = Field([entry for row in (*A, *B, B0) for entry in row], self.momenta)
        rows = [[field.read(entry) for entry in row] for row in A]
        products = []
        for row in B:
            entries = [field.read(entry) for entry in row]
            products.append(
                {k: sum((x * y for x, y in zip(entries, a, strict=True)), field.zero) for k, a in enumerate(rows)}
            )
        right = [-field.read(value) for value in B0]
        multipliers = factorise(products, field, self._order()).solve(right)
        return [
            field.write(sum((row[j] * mu for row, mu in zip(rows, multipliers, strict=True)), field.zero))
            for j in range(n)
        ]

    def _order(self) -> Pilot:
        """Return the order in which A M⁻¹Aᵀ is eliminated: it is positive definite, any order will do."""
        return Pilot([(k,) for k in range(len(self.scene.kept))])

    def equations(self) -> list[Expr]:
        """Return q̇ − ∂H/∂p and ṗ + ∂H/∂q − Q − R."""
        return [se.Add(*[sign * part for sign, part in pairs]) for pairs in self.products()]

    def products(self) -> list[list[tuple[Expr, Expr]]]:
        """Return the equations in parts, each with its sign: velocities, forces and reactions."""
        one, rates = se.Integer(1), [se.Symbol(f"{p.name}'") for p in self.momenta]
        count = self.scene.system.mechanical  # the velocity of a state is its own momentum
        first = [[(one, v), (-one, value)] for v, value in zip(self.scene.blocks.v, self.velocities, strict=True)]
        parts = zip(rates, self.forces, self.reactions, strict=True)
        return first[:count] + [[(one, rate), (-one, force), (-one, R)] for rate, force, R in parts]
