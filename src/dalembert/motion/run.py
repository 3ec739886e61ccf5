"""The motion of a system: equations with multipliers, an explicit method of order 8, projection after every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import DOP853

from dalembert.algebra.nearest import reach_solution
from dalembert.algebra.saddle import positive
from dalembert.algebra.types import Array
from dalembert.errors import SimulationError
from dalembert.forms import multipliers
from dalembert.model.numeric import Numeric
from dalembert.model.start import consistent_state
from dalembert.model.system import System

_MAX_EVALUATIONS = 200_000


@dataclass(frozen=True)
class Run:
    """A computed motion: the states at the steps, and what is known of them at the end."""

    system: System
    t: Array
    q: Array
    v: Array
    reactions: dict[str, Array]
    multipliers: dict[str, float]
    residual: dict[str, float]
    energy: Array | None

    def __getitem__(self, name: str) -> Array:
        if name in self.system.coordinates:
            return self.q[:, self.system.coordinates.index(name)]
        return self.v[:, self.system.velocities.index(name)]


def simulate(
    system: System,
    until: float,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    progress: Callable[[float], None] = lambda t: None,
) -> Run:
    """Compute the motion from the consistent initial state until the given time."""
    numeric = Numeric(system)
    state = consistent_state(system, numeric)
    n = numeric.n

    def rate(t: float, y: Array) -> Array:
        values = numeric.all(t, y[:n], y[n:])
        if not values.finite():
            raise SimulationError(f"the equations have no finite value at t = {t:.6g}: {_where(system, y)}")
        return np.concatenate([y[n:], multipliers.solve(values)[0]])

    y = np.concatenate([state.q, state.v])
    times, states = [0.0], [y]
    solver = DOP853(rate, 0.0, y, until, rtol=rtol, atol=atol)
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed" or solver.nfev > _MAX_EVALUATIONS:
            reason = message or f"more than {_MAX_EVALUATIONS} evaluations of the equations were needed"
            raise SimulationError(f"the motion stops at t = {solver.t:.6g}: {reason}")
        y = _project(numeric, solver.t, solver.y)
        solver.y, solver.f = y, rate(solver.t, y)
        times.append(float(solver.t))
        states.append(y)
        progress(float(solver.t))
    return _result(numeric, np.array(times), np.array(states))


def _where(system: System, y: Array) -> str:
    names = (*system.coordinates, *system.velocities)
    return ", ".join(f"{name} = {value:.4g}" for name, value in list(zip(names, y, strict=True))[:8])


def _project(numeric: Numeric, t: float, y: Array) -> Array:
    """Move a state onto the constraints, least in the mass norm."""
    n = numeric.n
    everything, weight = np.arange(n), positive(numeric.mass(t, y[:n]))
    q = reach_solution(lambda x: numeric.position(t, x), y[:n], weight, everything).x if numeric.holonomic else y[:n]
    if not numeric.kinematic:
        return y
    v = reach_solution(lambda x: numeric.velocity(t, q, x), y[n:], weight, everything).x
    return np.concatenate([q, v])


def _result(numeric: Numeric, t: Array, y: Array) -> Run:
    system, n = numeric.system, numeric.n
    q, v = y[:, :n], y[:, n:]
    values = numeric.all(t[-1], q[-1], v[-1])
    _, lam = multipliers.solve(values)
    names = [constraint.name for constraint in system.constraints]
    A = values.A.toarray()
    position = [np.abs(numeric.position(*place)[0]).max(initial=0.0) for place in zip(t, q, strict=True)]
    velocity = [np.abs(numeric.velocity(*place)[0]).max(initial=0.0) for place in zip(t, q, v, strict=True)]
    energy = None
    if numeric.blocks.energy is not None:
        program = numeric.program([numeric.blocks.energy])
        energy = np.array([numeric.evaluate(program, *place)[0] for place in zip(t, q, v, strict=True)])
    return Run(
        system,
        t,
        q,
        v,
        reactions={name: A[i] * lam[i] for i, name in enumerate(names)},
        multipliers={name: float(lam[i]) for i, name in enumerate(names)},
        residual={"position": float(max(position)), "velocity": float(max(velocity))},
        energy=energy,
    )
