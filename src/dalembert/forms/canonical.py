"""The canonical form: q̇ = ∂H/∂p, ṗ = −∂H/∂q + Q + R, with R from B R + B⁰ = 0 and Dᵀ R = 0 (Do Sanh 1993).

p = ∂T/∂v = M v + l, with l from the part of T that is linear in v, and H = p·v − T + V as a function of q, p and t. The
constraints enter through ψ̂(q, p, t) = ψ(q, M⁻¹(p − l), t), holonomic ones through their derivatives:
B = ∂ψ̂/∂p, B⁰ = (∂ψ̂/∂q) q̇ + ∂ψ̂/∂t + B (−∂H/∂q + Q).

Where M has no inverse, the constraints make up for what it lacks: T + Σ ½ ρᵢ ψᵢ² is written in place of T, which
changes nothing where ψ = 0, neither p nor the motion nor R, and M becomes M + Σ ρᵢ AᵢᵀAᵢ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
import symengine as se
from scipy.sparse.csgraph import connected_components

from dalembert.algebra.elimination import factorise
from dalembert.algebra.gramschmidt import Vector
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import Field, TooLarge
from dalembert.forms.base import Form, Matrix, Solution, Written, register
from dalembert.forms.by_bodies import ByBodies
from dalembert.forms.prepared import Rows, Scene
from dalembert.forms.reactions import Reactions
from dalembert.forms.spatial_scene import spatial_scene
from dalembert.forms.steps import steps_of
from dalembert.forms.tidy import plain
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.model.system import System


@register
class Canonical(Form):
    """Needs energies, and constraints on positions or velocities."""

    name = "canonical"
    title = "The canonical form, q̇ = ∂H/∂p, ṗ = −∂H/∂q + Q + R (Do Sanh)"
    letters = MappingProxyType({"B_0": "B^0"})
    inverse = True
    momenta = True
    solved = False
    functions = ("H",)

    def refuse(self, scene: Scene) -> str | None:
        """Refuse systems given by matrices, and constraints on accelerations."""
        return objection(scene.system, [scene.kept[i] for i in scene.added])

    def __init__(self, coordinates: Sequence[str] | None = None):
        super().__init__(coordinates)
        self._known: Hamiltonian | None = None

    def hamiltonian(self, scene: Scene) -> Hamiltonian:
        """Return the functions of the form, found once."""
        if self._known is None or self._known.scene is not scene:
            self._known = Hamiltonian(scene)
        return self._known

    def write(self, scene: Scene, solution: Callable[[], Solution]) -> Written:
        """Write H, the conditions on the momenta and the reactions, all in q, p and t."""
        hamiltonian = self.hamiltonian(scene)
        B, B0 = hamiltonian.conditions
        matrices = {"H": [[hamiltonian.H]], "B": B, "B_0": [[value] for value in B0]}
        matrices["R"] = [[value] for value in hamiltonian.reactions]
        return Written(hamiltonian.equations(), matrices, products=hamiltonian.products())

    def parts(self, scene: Scene) -> Mapping[str, list[Expr]]:
        """Return H as the energies of what moves on its own, and the rest."""
        return {} if spatial_scene(scene) else {"H": self.hamiltonian(scene).energies}

    def symbols(self, scene: Scene) -> list[Expr]:
        """Return the momenta."""
        return self.hamiltonian(scene).momenta

    def vanishing(self, scene: Scene) -> list[Expr]:
        """Return the constraints on positions, and ψ̂ of all."""
        positions = [g for g in scene.blocks.g if g is not None]
        if spatial_scene(scene):  # which is written by names
            return positions
        return [*positions, *self.hamiltonian(scene).short_residuals]

    def in_steps(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Written:
        """Return q̇ − ∂H/∂p, and ṗ − ∂L/∂q − Q − Aᵀλ in the velocities, which the first equations give; H in both."""
        found, steps = self.hamiltonian(scene), steps_of(scene)
        if isinstance(steps, ByBodies):
            return self._by_bodies(found, steps)
        rates = [se.Symbol(f"{p.name}'") for p in found.momenta]
        reactions = steps.total if scene.kept else [ZERO] * len(rates)
        second = [rate - force - R for rate, force, R in zip(rates, found.moving_forces, reactions, strict=True)]
        shown: dict[str, Matrix] = {"H": [[found.energy]]}
        shown |= {"R": [[R] for R in reactions], "B_0": [[-b] for b in steps.needed]} if scene.kept else {}
        return Written([*found.rates, *second], shown, names=steps.names)

    @staticmethod
    def _by_bodies(found: Hamiltonian, steps: ByBodies) -> Written:
        """Return p − ∂T/∂q̇ and ṗ − ∂L/∂q − Q − Aᵀλ of a mechanism in space, with angular velocities by their names."""
        scene = found.scene
        rates = [se.Symbol(f"{p.name}'") for p in found.momenta]
        momenta, slopes = steps.momenta
        total = steps.total if scene.kept else [ZERO] * len(rates)
        first = [p - value for p, value in zip(found.momenta, momenta, strict=True)]
        second = [rate - f - r for rate, f, r in zip(rates, slopes, total, strict=True)]
        shown: dict[str, Matrix] = {"H": [[se.Add(*steps.energies, found.still)]]}
        shown |= {"R": [[r] for r in total], "B_0": [[-b] for b in steps.needed]} if scene.kept else {}
        return Written([*first[: scene.system.mechanical], *second], shown, names=steps.names)

    def solved_for(self, scene: Scene) -> list[Expr]:
        """Return q̇ and ṗ."""
        return [*scene.blocks.v, *(se.Symbol(f"{p.name}'") for p in self.symbols(scene))]

    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Find the reactions as functions of t, q, v; they are the same in the canonical variables."""
        return Reactions().solve(rows, pilot)

    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return q̇ − ∂H/∂p and ṗ + ∂H/∂q − Q − R."""
        return self.hamiltonian(scene).equations()


def objection(system: System, added: Iterable[int]) -> str | None:
    """Say why a system has no such form; `added` are the constraints that make up for what M lacks."""
    others = "use `multipliers` or `minimal`"
    if system.kinetic is None:
        return f"the form `canonical` needs energies, and this system is given by matrices; {others}"
    names = [c.name for c in system.constraints if c.level == "acceleration"]
    if names:
        what = f"`{names[0]}` is one on accelerations"
        return f"the form `canonical` takes constraints on positions and velocities; {what}; {others}"
    constraints = [system.constraints[i] for i in added]
    names = [c.name for c in constraints if c.level == "velocity" and not c.linear]  # ġ is linear, whatever g is
    if not names:
        return None
    return (
        "the form `canonical` needs an invertible mass matrix; this one would need the constraint "
        f"`{names[0]}`, which is not linear in the velocities; {others}"
    )


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
            made = (
                se.Add(l, *[entry * b.v[j] for j, entry in row.items()])
                for row, l in zip(self.mass, self.linear, strict=True)
            )
            return [p - value for p, value in zip(self.momenta, made, strict=True)][:count]

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
            Q = self.substituted(plain(system.forces.get(q.name, ZERO)))
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
        return [slope + plain(system.forces.get(q.name, ZERO)) for q, slope in zip(b.q, found, strict=True)]

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

    @cached_property
    def short_residuals(self) -> list[Expr]:
        """ψ̂ of the independent constraints; none if they are too long."""
        try:
            return self.residuals
        except TooLarge:
            return []

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
