"""Jumps of velocities: some get values of their own, the others change as an ideal blow changes them.

Named velocities get their values, E v⁺ = w, by impulses μ along their coordinates; constraints hold afterwards,
ψ(v⁺) = 0, by impulses Λ along their rows; nothing else acts in no time but impulses P that are given:

    M (v⁺ − v⁻) = Aᵀ Λ + Eᵀ μ + P

So v⁺ is, of all velocities that the constraints and the given values allow, the one nearest to v⁻ in the mass norm.
Without masses between them the others do not change but for the constraints.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dalembert.algebra.complementarity import complementary
from dalembert.algebra.either import dense
from dalembert.algebra.rank import is_positive
from dalembert.algebra.saddle import Saddle, positive
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import SimulationError, quoted
from dalembert.language.state_names import as_written

_NEWTON = 30
_DEFINITE = 1e-12  # pivots of M, in its diagonal, from which it is a norm
_PASSED = 1e-9  # of the speeds: with which a contact is passed
_LEFT = 1e-9  # of the sizes of the terms: residual that no step removes


def velocities_after(
    numeric: Numeric, t: float, q: Array, v: Array, wanted: Mapping[int, float], pushes: Mapping[int, float]
) -> Array:
    """Return the velocities after a jump; raise SimulationError if the constraints do not allow the wanted ones.

    pushes: impulses by coordinate.
    """
    weight, pushed = dense(numeric.mass(t, q)), np.zeros(len(v))
    pushed[list(pushes)] = list(pushes.values())
    if not is_positive(weight, _DEFINITE):
        if light := [i for i in pushes if not weight[i, i] > 0 and pushes[i]]:
            text = f"an impulse acts on `{numeric.system.coordinates[light[0]]}`, which has no mass"
            raise SimulationError(f"{text}: give it one, or let the impulse act on what moves with it")
        weight = positive(weight)  # what has no mass moves least
    named, values = np.array(list(wanted), dtype=int), np.array(list(wanted.values()), dtype=float)
    E = np.eye(len(v))[named]
    after, fastest = v.copy(), max(np.abs(v).max(initial=0.0), np.abs(values).max(initial=0.0))
    for _ in range(_NEWTON):
        residual, J, _ = numeric.velocity(t, q, after)
        off = np.concatenate([residual, after[named] - values])
        # the nearest to v⁻, not to the last iterate: of constraints that are not linear the rows change on the way
        step = Saddle(weight, np.vstack([dense(J), E])).solve(weight @ (v - after) + pushed, -off)[0]
        after = after + step
        if np.abs(step).max(initial=0.0) <= 1e-14 * max(np.abs(after).max(initial=0.0), fastest):
            break
    if not np.all(np.isfinite(after)):
        raise SimulationError("no finite velocities follow from the jump")
    residual, J, terms = numeric.velocity(t, q, after)
    off = np.concatenate([residual, after[named] - values])
    fastest = max(np.abs(after).max(initial=0.0), fastest)
    size = np.concatenate([terms + np.abs(dense(J)).sum(axis=1) * fastest, np.full(len(named), fastest)])
    bad = np.abs(off) > _LEFT * size
    if np.any(bad):
        names = [numeric.system.constraints[i].name for i in numeric.kinematic]
        guilty = [name for name, wrong in zip(names, bad, strict=False) if wrong] or names or ["the mass matrix"]
        velocities = quoted(as_written(numeric.system.velocities[i]) for i in named)
        raise SimulationError(
            f"the constraints do not allow the new velocities of {velocities}: {quoted(guilty[:6])} "
            f"would be violated by {np.abs(off).max():.3g}; give values that they "
            "allow, or name fewer velocities, and the others follow"
        )
    return after


def pressed_back(
    numeric: Numeric, t: float, q: Array, v: Array, rows: list[int], ideal: list[int], named: list[int], speeds: Array
) -> Array:
    """Return velocities after a jump with what contacts do, which press and do not pull: 0 ≤ γ ⊥ Λ ≥ 0.

    rows: those of their gaps, of which the rates are `speeds`. If no impulses keep the named velocities and the gaps,
    nothing presses: what goes into a contact is left to an impact.
    """
    values = numeric.all(t, q, v)
    M, A = dense(values.M), dense(values.A)
    weight = M if is_positive(M, _DEFINITE) else positive(M)
    held = np.vstack([A[ideal], np.eye(len(v))[named]])
    solver = Saddle(weight, held)
    response = np.array([solver.solve(A[row], np.zeros(len(held)))[0] for row in rows])
    G = A[rows] @ response.T
    impulses = complementary(G, speeds)
    if impulses is None or np.any(speeds + G @ impulses < -_PASSED * np.abs(speeds).max()):
        return v
    return v + impulses @ response
