"""What the kernels of a system give: accelerations, rates, energies, Jacobians, at one state or many."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.arrays import Array, Arrays, Sparse


@dataclass(frozen=True, repr=False)
class SolvedStates(Arrays):
    """Accelerations and multipliers of the equations, at one state or many; the rest is as in `Result`."""

    acceleration: Array
    multipliers: Array
    rank: Array
    conditioning: Array


@dataclass(frozen=True, repr=False)
class Result(Arrays):
    """Accelerations and reactions, at one state or many.

    reaction: r = M q̈ − f − ρ = Aᵀλ, one value for each coordinate. multipliers: λ, one for each constraint (of the form
    `multipliers`). rank: of A. conditioning: the smallest squared sine of the angle between a row of A and those before
    it. defect: the largest |A q̈ − c| in the size of its terms (of the other forms; 0 where the shared solver
    stands in for a form whose choices fail there). powers: of the constraints, λᵢ Aᵢ v.
    """

    acceleration: Array
    reaction: Array
    multipliers: Array | None = None
    rank: Array | None = None
    conditioning: Array | None = None
    defect: Array | None = None
    powers: Array | None = None


@dataclass(frozen=True, repr=False)
class CanonicalRates(Arrays):
    """q̇ and ṗ of the canonical form, and the reaction R."""

    velocity: Array
    momentum_rate: Array
    reaction: Array


@dataclass(frozen=True, repr=False)
class QuasiRates(Arrays):
    """q̇ and u̇ of the form in quasi-velocities, and the reaction r.

    u are as many as coordinates, those behind the first few zero, as `to_state` gives them; so are u̇.
    """

    velocity: Array
    rate: Array
    reaction: Array


@dataclass(frozen=True, repr=False)
class Energies(Arrays):
    """Energies and powers; `energy` is T₂ − T₀ + V, which changes by the powers and by those of the constraints.

    forces: power of the forces without potential. time: of what depends on time explicitly, −∂L/∂t. constraints: of
    each of them, λᵢ Aᵢ v.
    """

    kinetic: Array
    potential: Array
    energy: Array
    forces: Array
    time: Array
    constraints: Array


@dataclass(frozen=True)
class Jacobians:
    """Derivatives of F = M a − f − ρ − Aᵀλ and of the conditions C at one state, sparse.

    C is ψ, and A a − c where a constraint is on accelerations. F_l = −∂ρ/∂λ, so that ∂F/∂λ = F_l − Aᵀ.
    """

    F_q: Sparse
    F_v: Sparse
    C_q: Sparse
    C_v: Sparse
    M: Sparse
    A: Sparse
    F_l: Sparse
