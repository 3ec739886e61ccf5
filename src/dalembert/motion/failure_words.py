"""Why a motion cannot go on, in words: by the status that its stepper returned."""

from __future__ import annotations

import numpy as np

from dalembert.errors import quoted
from dalembert.language.state_names import as_written, is_integral
from dalembert.model.system import System
from dalembert.motion import codes
from dalembert.motion.diagnosis import beyond, creeps, names_beside, without_solution
from dalembert.motion.engine import Engine


def failure(status: int, engine: Engine, system: System) -> str:
    """Say why a motion cannot go on, and what may help."""
    where = place(engine, system)
    if status in (codes.NOT_FINITE, codes.STEP_TOO_SMALL) and (reason := without_solution(engine, system)):
        return reason
    if status == codes.NOT_FINITE and engine.count.bad == codes.SINGULAR_MASS:
        return f"the mass matrix is not positive definite after {where}"
    if status == codes.NOT_FINITE and engine.count.bad >= 0:
        name = as_written((*system.velocities, *(v + "'" for v in system.velocities))[int(engine.count.bad)])
        return f"the equations have no finite value for {name} after {where}{beyond(engine, system)}"
    if engine.named and status in (codes.NOT_PROJECTED, codes.NOT_FINITE, codes.STEP_TOO_SMALL, codes.CREEPS):
        return (
            f"the coordinates {quoted(engine.named)}, which are named, no longer determine the others after {where}: "
            "they turn back there. Name others, or leave them to be chosen: they are chosen anew where they fail"
        )
    dependent = "there the constraints become dependent, as where the bars of a linkage lie in one line, and"
    if status == codes.STEP_TOO_SMALL and creeps(engine, system):
        return f"the step becomes too small at {where}: {dependent} {_creeping(engine)}"
    if status == codes.STEP_TOO_SMALL:
        return (
            f"the step becomes too small at {where}; the motion cannot be continued with this accuracy: there is a "
            "singularity or a jump in the equations, or the tolerance is below rounding"
        )
    if status == codes.CHATTER and creeps(engine, system):
        return (
            f"the motion comes to a singular position, a dead point, at {where}: {dependent} the motion may go "
            "on in more than one way, or in none. Let an event or a stop end it before"
        )
    if status == codes.CHATTER:
        return (
            f"the forces jump back and forth from step to step after {where}: a law such as sign(v) has no value that "
            "holds a body at rest. Replace sign(v) by tanh(v/e), with a small speed e, and take method `radau`"
        )
    if status == codes.CREEPS:
        return f"thousands of steps come next to nowhere after {where}: {dependent} {_creeping(engine)}"
    if status == codes.NOT_SOLVED:
        return (
            f"the equations of the step after {where} cannot be solved: it is too long for the fastest forces. Take a "
            "smaller step, or, where springs are that hard, method `radau`, which chooses its steps; if neither helps, "
            "the system is at the end of its reach"
        )
    reasons = "They contradict each other from there on, or the system is at the end of its reach"
    if engine.fixed:
        reasons = f"The step is too large: take a smaller one. If that does not help: {reasons[0].lower()}{reasons[1:]}"
    return f"{_unsatisfied(engine, system)} after {where}. {reasons}"


def place(engine: Engine, system: System) -> str:
    """Say where a motion is: its time and the first values of its state."""
    names = (*system.coordinates, *names_beside(engine, system))
    here = [(as_written(name), value) for name, value in zip(names, engine.y, strict=False)]
    shown = ", ".join(f"{name} = {value:.4g}" for name, value in here[:8] if not is_integral(name))
    return f"t = {engine.clock.t:.6g}: {shown}"


def _creeping(engine: Engine) -> str:
    """Say what does not get past a singular position, and what to take instead."""
    if engine.implicit:
        return "implicit methods do not get past. Take method `dop853`"
    if engine.kernels.chooses:
        return "chosen coordinates do not get past at this tolerance. Take the form `multipliers`"
    return "rounding is larger there than this tolerance. Take a larger one"


def _unsatisfied(engine: Engine, system: System) -> str:
    """Name the constraints that no state nearby satisfies."""
    kernels, n = engine.kernels, engine.n
    t, q, v, rest = np.split(engine.given, [1, 1 + n, 1 + 2 * n])
    g, psi = kernels.residuals(t[0], q, v, rest[: len(system.parameters)])
    worst = np.maximum(np.abs(g), np.abs(psi))
    guilty = [i for i in range(len(worst)) if not worst[i] <= 0.05 * np.nanmax(worst)]
    names = [system.constraints[i].name for i in guilty]
    off = [f"`{name}` is off by {max(g[i], psi[i], key=abs):.3g}" for name, i in zip(names, guilty, strict=True)]
    return f"no state nearby satisfies {quoted(names[:8])} ({', '.join(off[:8])})"
