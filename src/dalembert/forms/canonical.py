"""The canonical form: q̇ = ∂H/∂p, ṗ = −∂H/∂q + Q + R, with R from B R + B⁰ = 0 and Dᵀ R = 0 (Do Sanh 1993).

p = ∂T/∂v = M v + l, with l from the part of T that is linear in v, and H = p·v − T + V as a function of q, p and t. The
constraints enter through ψ̂(q, p, t) = ψ(q, M⁻¹(p − l), t), holonomic ones through their derivatives:
B = ∂ψ̂/∂p, B⁰ = (∂ψ̂/∂q) q̇ + ∂ψ̂/∂t + B (−∂H/∂q + Q).

Where M has no inverse, the constraints make up for what it lacks: T + Σ ½ ρᵢ ψᵢ² is written in place of T, which
changes nothing where ψ = 0, neither p nor the motion nor R, and M becomes M + Σ ρᵢ AᵢᵀAᵢ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

import symengine as se

from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rational import TooLarge
from dalembert.algebra.writing.cost import total
from dalembert.document.nodes import Section
from dalembert.forms.base import Form, Matrix, Solution, Written, register
from dalembert.forms.by_bodies import ByBodies
from dalembert.forms.hamiltonian import Hamiltonian
from dalembert.forms.minimal import Minimal
from dalembert.forms.multipliers import multiplier
from dalembert.forms.pen import MAX_LENGTH
from dalembert.forms.prepared import Rows, Scene
from dalembert.forms.reactions import Reactions, compatibility
from dalembert.forms.spatial_scene import spatial_scene
from dalembert.forms.steps import steps_of
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.model.system import System

if TYPE_CHECKING:
    from dalembert.forms.board import Board

_MANY = 100  # coordinates, beyond which H is not freed of velocities


@register
class Canonical(Form):
    """Needs energies, and constraints on positions or velocities."""

    name = "canonical"
    title = "The canonical form, q̇ = ∂H/∂p, ṗ = −∂H/∂q + Q + R (Do Sanh)"
    letters = MappingProxyType({"M_inverse": "M^{-1}", "psi": r"\hat\psi", "B_0": "B^0"})
    inverse = True
    beside = "p"
    conversion = "momenta"
    solved = False
    functions = ("H", "M_inverse", "psi")
    paper = "Do Sanh 1993"
    printed = MappingProxyType({"M": "A*", "M_inverse": "A", "A": "b", "D": "Dᵀ", "B_0": "B⁰"})

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
        matrices = {"H": [[hamiltonian.H]], "M_inverse": hamiltonian.inverse}
        matrices |= {"psi": [[value] for value in hamiltonian.residuals]} if scene.kept else {}
        matrices |= {"B": B, "B_0": [[value] for value in B0], **hamiltonian.directions}
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
        with suppress(TooLarge):
            shown |= (
                {"M_inverse": found.inverse} if total(e for row in found.inverse for e in row) <= MAX_LENGTH else {}
            )
        names = steps.names
        if scene.kept:
            shown["psi"] = [[value] for value in found.readable_residuals]
            shown |= {} if scene.added else {"B": steps.solved[1]}
            shown["B_0"] = [[-b] for b in steps.needed]
            shown["D"], names = Minimal().null_space(scene, steps.names)
            shown["R"] = [[R] for R in reactions]
        return Written([*found.rates, *second], shown, names=names)

    def large(self, scene: Scene) -> Written:
        """Return p − M q̇ − l and ṗ − ∂L/∂q − Q − Aᵀλ, and H."""
        found, b, count = self.hamiltonian(scene), scene.blocks, scene.system.mechanical
        acting: list[list[Expr]] = [[] for _ in b.q]
        for (i, j), entry in b.A.items():
            if i in scene.kept:
                acting[j].append(entry * multiplier(scene, i))
        rates = [se.Symbol(f"{p.name}'") for p in found.momenta]
        second = [rate - force - se.Add(*r) for rate, force, r in zip(rates, found.moving_forces, acting, strict=True)]
        H = found.energy  # of many coordinates, at v = ∂H/∂p
        with suppress(TooLarge):
            H = found.H if count <= _MANY else H
        return Written([*found.definitions[:count], *second], {"H": [[H]]})

    def steps(self, board: Board) -> list[Section]:
        """Show M⁻¹ and H, the constraints in the momenta, B, B⁰ and D, what they say of R, and R."""
        words = {
            "B R + B⁰ = 0": "Along the motion ψ̂ stays zero: with B = ∂ψ̂/∂p and B⁰ = ψ̂_q q̇ + ψ̂_t + B(−∂H/∂q + Q),",
            "Dᵀ R = 0": "Ideal constraints do no virtual work:",
        }
        return [
            Section("From velocities to momenta, q̇ = M⁻¹(p − l)", board.shown("M_inverse")),
            Section("H = p·q̇ − T + V", board.shown("H")),
            Section("The constraints in the momenta, ψ̂(q, p, t) = 0", board.shown("psi")),
            Section("B = ∂ψ̂/∂p and B⁰", [*board.shown("B", "B_0"), *board.shortened("B⁰")]),
            Section("D, with A D = 0", board.shown("D")),
            *board.conditions(words),
            Section("So R is", board.shown("R") if board.kept else []),
        ]

    def conditions(self, scene: Scene, matrices: Mapping[str, Matrix]) -> Mapping[str, list[Expr]]:
        """Return what determines R: B R + B⁰ = 0 and Dᵀ R = 0."""
        return compatibility(matrices, [scene.fresh("R", q.name) for q in scene.blocks.q], "R", "B⁰")

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
