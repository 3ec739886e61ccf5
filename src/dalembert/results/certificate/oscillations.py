"""Fast oscillations that an implicit method damps away, although nothing in the equations does.

Differences that large forces push back at once are no errors of a step (`steps`); springs without dampers push them to
and fro instead. So where such differences were left out of account, the state is put against the modes of the equations
m ẍ + c ẋ + k x = 0,  linearised on what the constraints allow: z' = s z. What is slow has small derivatives, so that
the third one of the state, (q‴, v‴), shows the amplitudes  z = l·(q‴, v‴)/s³  of what is fast. A mode that turns
further in the step than it can follow, |Im s| h > 3, and that nothing damps meanwhile, −Re s h < 1, is lost in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points

if TYPE_CHECKING:
    from dalembert.results.run import Run

TEXT = "fast oscillations that nothing damps but the method, squared, in the largest velocities"
LIMIT = 1e-3  # as for the energy
_LOOKED, _LEAST = 60, 3  # steps, those in which most was left out of account; in large systems fewer
_ENTRIES = 150_000  # of matrices, all together, beyond which there are fewer
_TURNS, _DAMPED = 3.0, 1.0  # in a step
_ASIDE = 1e-2  # of the time in which the fastest of the modes turns by one


def oscillations(run: Run, sizes: Scales) -> list[Item]:
    """Measure what steps have damped away; nothing where none of them left anything out of account."""
    pushed = run.motion.memory.get("pushed back", {})
    if not pushed:
        return []
    t, q, v, values = points(run)
    values = np.broadcast_to(values, (len(t), values.shape[-1]))
    looked = min(max(_ENTRIES // q.shape[1] ** 2, _LEAST), _LOOKED)
    lost = [_lost(run, sizes, (float(t[k]), q[k], v[k], values[k]), float(t[k + 1] - t[k])) for k in [*pushed][:looked]]
    return [Item("oscillations", max(lost), LIMIT, TEXT)]


def _lost(run: Run, sizes: Scales, state: tuple[float, Array, Array, Array], h: float) -> float:
    """Return the velocities of undamped modes that a step from this state cannot follow, squared."""
    from scipy.linalg import eig, null_space  # takes its time to import

    t, q, v, values = state
    kernels, units = run.motion.kernels, np.where(sizes.velocities > 0, sizes.velocities, 1.0)
    found = kernels.accelerations(t, q, v, values)
    jacobians = kernels.jacobians(t, q, v, found.acceleration, found.multipliers, values)
    M, F_q, F_v, A = (part.toarray() for part in (jacobians.M, jacobians.F_q, jacobians.F_v, jacobians.A))
    D = null_space(A * units) if len(A) else np.eye(len(q))
    m, c, k = (D.T @ (units[:, None] * part * units) @ D for part in (M, F_v, F_q))
    n = len(m)
    identity, none = np.eye(n), np.zeros((n, n))
    try:
        inner = -np.linalg.solve(m, np.hstack([k, c]))
    except np.linalg.LinAlgError:  # parts without mass follow at once
        return 0.0
    if not np.isfinite(inner).all():
        return 0.0
    modes: Any = eig(np.vstack([np.hstack([none, identity]), inner]), left=True)
    s, left, right = modes
    fast = (np.abs(s.imag) * h > _TURNS) & (-s.real * h < _DAMPED)
    if not fast.any():
        return 0.0
    jerk, snap = _derivatives(run, state, found.acceleration, _ASIDE / np.abs(s[fast]).max())
    third = np.concatenate([D.T @ (jerk / units), D.T @ (snap / units)])
    z = (left.conj().T @ third)[fast] / np.einsum("ij,ij->j", left.conj(), right)[fast] / s[fast] ** 3
    velocities = np.abs(D @ right[n:, fast] * z)  # in the sizes of the coordinates; two conjugate modes are one wave
    return float(np.square(velocities.sum(axis=1)).max(initial=0.0))


def _derivatives(run: Run, state: tuple[float, Array, Array, Array], a: Array, tau: float) -> tuple[Array, Array]:
    """Return q‴ and q⁗ along the motion, by differences over ±τ."""
    t, q, v, values = state

    def at(away: float, jerk: Array) -> Array:
        place = q + away * (v + away * (a / 2 + away * jerk / 6))
        speed = v + away * (a + away * jerk / 2)
        return run.motion.kernels.accelerations(t + away, place, speed, values).acceleration

    none = np.zeros_like(a)
    jerk = (at(tau, none) - at(-tau, none)) / (2 * tau)
    return jerk, (at(tau, jerk) - 2 * a + at(-tau, jerk)) / tau**2
