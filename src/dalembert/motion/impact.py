"""Impacts: what velocities jump to where contacts close with a speed, all of them at once and through joints.

With the rows w of ∂g/∂q of those that take part, A of the constraints, and γ = ġ = w·v + …:

    M (v⁺ − v⁻) = Aᵀ Λ_A + Wᵀ Λ,   A v⁺ = A v⁻
    Newton      0 ≤ γ⁺ + e γ⁻ ⊥ Λ ≥ 0
    Poisson     0 ≤ γᶜ ⊥ Λᶜ ≥ 0 of the compression, then 0 ≤ γ⁺ ⊥ Λ − (1 + e) Λᶜ ≥ 0

So v⁺ is the same for every choice of impulses where contacts share them. Energy: ½ Σ Λ (γ⁺ + γ⁻) is what is left of
it, never above zero, apart from the work of supports that move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.complementarity import complementary
from dalembert.algebra.either import dense
from dalembert.algebra.rank import is_positive
from dalembert.algebra.saddle import Saddle, positive
from dalembert.arrays import Array
from dalembert.errors import SimulationError, quoted
from dalembert.model.contact import POISSON

if TYPE_CHECKING:
    from dalembert.blocks.numeric import Numeric, Values

IMPACT = "impact"  # a kind of event
_DEFINITE = 1e-12  # pivots of M, in its diagonal, from which it is a norm
_SHARED = 1e-10  # of the largest: singular values of what contacts share


@dataclass(frozen=True)
class Impact:
    """An impact that happened; or, of the `kind` "zeno", what the rest of those without number does at once.

    That is less than nothing: it takes away the speed with which the last one comes off, and the reaction of rest does
    what they would have done until the limit.

    normal: impulses by contact. constraints: impulses by constraint, as multipliers are. before, after: rates of the
    gaps. lost: kinetic energy. given: ½ Σ Λ (γ⁺ + γ⁻), what the contacts give to what moves. shared: whether contacts
    share impulses, so that another share were as good. tangent: impulses along what slides.
    """

    t: float
    kind: str
    normal: Mapping[str, float]
    constraints: Mapping[str, float]
    before: Mapping[str, float]
    after: Mapping[str, float]
    lost: float
    given: float
    shared: bool = False
    tangent: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<{self.kind} of {', '.join(self.normal)} at t = {self.t:.6g}>"


class Blow:
    """What impulses do at a position: the response of velocities to those of some contacts, held by the constraints.

    rows: those of the gaps among all constraints, then those of the sliding velocities; ideal: those of the constraints
    that hold.
    """

    def __init__(self, numeric: Numeric, t: float, q: Array, v: Array, rows: list[int], ideal: list[int]):
        values = numeric.all(t, q, v)
        self.M = dense(values.M)
        weight = self.M if is_positive(self.M, _DEFINITE) else positive(self.M)
        A = dense(values.A)
        self.W = A[rows]
        solver = Saddle(weight, A[ideal])
        found = [solver.solve(w, np.zeros(len(ideal))) for w in self.W]
        self.response = np.array([d for d, _ in found]).reshape(len(rows), len(v))
        self.held = -np.array([mu for _, mu in found]).reshape(len(rows), len(ideal))
        self.G = self.W @ self.response.T

    def impulses(self, speeds: Array, restitution: Array, law: str) -> Array | None:
        """Return the impulses of contacts that meet with some rates of the gaps; None where none are possible."""
        if law != POISSON:
            return complementary(self.G, speeds + restitution * speeds)
        pressed = complementary(self.G, speeds)
        if pressed is None:
            return None
        least = (1.0 + restitution) * pressed
        more = complementary(self.G, speeds + self.G @ least)
        return None if more is None else least + more

    @property
    def shares(self) -> bool:
        """Whether impulses can be shared in more than one way."""
        lengths = np.sqrt(np.maximum(np.diag(self.G), 0.0))
        scaled = self.G / np.where(lengths > 0, lengths, 1.0) / np.where(lengths > 0, lengths, 1.0)[:, None]
        return len(self.G) > 1 and float(np.linalg.eigvalsh(scaled)[0]) < _SHARED

    def energy(self, before: Array, after: Array) -> float:
        """Return the kinetic energy that is lost."""
        return float((before - after) @ self.M @ (before + after)) / 2


def free_accelerations(values: Values) -> Array:
    """Return the sizes of accelerations that forces would make of each coordinate by itself; 0 of one without mass."""
    masses = np.abs(values.M.diagonal())
    found = np.abs(values.f) / np.where(masses > 0, masses, np.inf)
    return np.where(np.isfinite(found), found, 0.0)


def holding_forces(A: Array, masses: Array, accelerations: Array) -> Array:
    """Return the forces that would change the rates of gaps, with the rows A, by some accelerations of theirs."""
    some = masses > 0
    return accelerations / np.maximum((A[:, some] ** 2 / masses[some]).sum(axis=1), np.finfo(float).tiny)


def no_impulses(names: list[str], t: float) -> SimulationError:
    """Say that an impact has no solution."""
    text = f"no impulses that press let {quoted(names)} come apart or to rest at t = {t:.9g}"
    return SimulationError(f"{text}: the constraints force the gaps to close. Look at what holds the parts there")
