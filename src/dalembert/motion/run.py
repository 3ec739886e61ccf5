"""The motion of a system: equations with multipliers, an explicit method of order 8, projection after every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import DOP853

from dalembert.algebra.nearest import Nearest, reach_solution
from dalembert.algebra.saddle import positive
from dalembert.algebra.types import Array, Sparse
from dalembert.errors import SimulationError, quoted
from dalembert.forms import multipliers
from dalembert.model.numeric import Numeric
from dalembert.model.start import consistent_state
from dalembert.model.system import System

_MAX_EVALUATIONS = 200_000
_LOST = 1e-6  # of the size of an equation: a residual that is no matter of accuracy any more
_COUPLED = 1e-8  # of the largest size: what an equation counts at least, so that _LOST of it is well above rounding


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
    n, project = numeric.n, _Projection(numeric)

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
        y = project(float(solver.t), solver.y)
        solver.y, solver.f = y, rate(solver.t, y)
        times.append(float(solver.t))
        states.append(y)
        progress(float(solver.t))
    return _result(numeric, np.array(times), np.array(states))


def _where(system: System, y: Array) -> str:
    names = (*system.coordinates, *system.velocities)
    return ", ".join(f"{name} = {value:.4g}" for name, value in list(zip(names, y, strict=True))[:8])


class _Projection:
    """Moves states onto the constraints, least in the mass norm; it must succeed, or the motion is none."""

    def __init__(self, numeric: Numeric):
        self.numeric, self.everything = numeric, np.arange(numeric.n)
        self.sizes: dict[str, Array] = {}  # of the equations so far: at rest, rounding is all that is left of them

    def __call__(self, t: float, y: Array) -> Array:
        numeric, n = self.numeric, self.numeric.n
        q, v = y[:n], y[n:]
        weight = positive(numeric.mass(t, q))
        if numeric.holonomic:
            found = reach_solution(lambda x: numeric.position(t, x), q, weight, self.everything)
            self.check(found, numeric.position(t, found.x)[2], "position", numeric.holonomic, t, y)
            q = found.x
        if numeric.kinematic:
            found = reach_solution(lambda x: numeric.velocity(t, q, x), v, weight, self.everything)
            self.check(found, numeric.velocity(t, q, found.x)[2], "velocity", numeric.kinematic, t, y)
            v = found.x
        return np.concatenate([q, v])

    def check(self, found: Nearest, sizes: Array, level: str, rows: list[int], t: float, y: Array) -> None:
        self.sizes[level] = np.maximum(self.sizes.get(level, 0.0), sizes)
        sizes = _with_rounding(self.sizes[level], found.jacobian)
        left = np.abs(found.residual) / np.where(sizes > 0, sizes, 1.0)
        if found.solved or np.all(left <= _LOST):
            return
        system = self.numeric.system
        guilty = [k for k in range(len(rows)) if not left[k] <= 0.05 * np.nanmax(left)]
        names = [system.constraints[rows[k]].name for k in guilty]
        off = [f"`{name}` is off by {found.residual[k]:.3g}" for name, k in zip(names, guilty, strict=True)]
        raise SimulationError(
            f"the motion stops at t = {t:.6g}: no {level} nearby satisfies {quoted(names[:8])} ({', '.join(off[:8])}). "
            f"They contradict each other from there on, or the system is at the end of its reach: {_where(system, y)}"
        )


def _with_rounding(sizes: Array, jacobian: Sparse) -> Array:
    """Raise the sizes of equations to where rounding in the others, which hold the same coordinates, does no harm."""
    slopes = np.sqrt(jacobian.multiply(jacobian).sum(axis=1))
    return np.maximum(sizes, _COUPLED * slopes * np.max(sizes / np.where(slopes > 0, slopes, np.inf), initial=0.0))


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
