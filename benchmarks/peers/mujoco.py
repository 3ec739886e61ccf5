"""MuJoCo: joint coordinates; the loops of the four-bars closed by soft constraints as stiff as the step allows.

Of its integrators, solvers and options these were the fastest at equal error: for the four-bars semi-implicit Euler
with sparse Newton and without islands, for the chain RK4.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import mujoco
import numpy as np

from peers.problems import Array, G, Problem, Run, rods, timed

CODE = "MuJoCo"
STEPS = (2e-3, 1e-3, 5e-4)
ROD = '<inertial pos="{}" mass="1" diaginertia="{}"/>'


def head(h: float, integrator: str) -> str:
    """Write the settings."""
    return (
        f'<mujoco><compiler angle="radian" inertiafromgeom="false"/><option timestep="{h}" gravity="0 0 {-G}" '
        f'integrator="{integrator}" jacobian="sparse"><flag contact="disable" island="disable"/></option><default>'
        f'<equality solref="{2 * h} 1" solimp="0.9999 0.9999 0.001 0.5 2"/></default><worldbody>'
    )


def four_bar(N: int, h: float) -> str:
    """Write uprights on the ground, each but the last with a bar on its top, and the loops."""
    parts = [head(h, "Euler")]
    for i in range(N + 1):
        parts.append(f'<body name="p{i}" pos="{i} 0 0"><joint name="p{i}" type="hinge" axis="0 1 0"/>')
        parts.append(ROD.format("0 0 .5", f"{1 / 12} {1 / 12} 1e-9"))
        if i < N:
            parts.append(f'<body name="c{i}" pos="0 0 1"><joint name="c{i}" type="hinge" axis="0 1 0"/>')
            parts.append(ROD.format(".5 0 0", f"1e-9 {1 / 12} {1 / 12}") + "</body>")
        parts.append("</body>")
    loops = "".join(f'<connect body1="c{i}" body2="p{i + 1}" anchor="1 0 0"/>' for i in range(N))
    return "".join(parts) + f"</worldbody><equality>{loops}</equality></mujoco>"


def chain(n: int, h: float) -> str:
    """Write rods, each hinged to the end of the one before."""
    hinge = '<joint type="hinge" axis="0 -1 0"/>' + ROD.format(".5 0 0", f"1e-9 {1 / 12} {1 / 12}")
    bodies = "".join(f'<body pos="{1 if i else 0} 0 0">{hinge}' for i in range(n))
    return head(h, "RK4") + bodies + "</body>" * n + "</worldbody></mujoco>"


def four_bar_velocities(model: mujoco.MjModel, N: int) -> Array:
    """Return the velocities of the start: uprights turn, bars stay level."""
    v = np.zeros(model.nv)
    for name, value in [*((f"p{i}", 1.0) for i in range(N + 1)), *((f"c{i}", -1.0) for i in range(N))]:
        v[model.joint(name).dofadr[0]] = value
    return v


def runs(problem: Problem, settings: Sequence[float] = STEPS) -> list[Run]:
    """Step at several sizes."""
    if problem.kind not in ("four-bar", "chain"):
        return []
    bars = problem.kind == "four-bar"

    def prepared(h: float) -> Run:
        before = time.thread_time()
        model = mujoco.MjModel.from_xml_string((four_bar if bars else chain)(problem.size, h))
        start = four_bar_velocities(model, problem.size) if bars else np.zeros(model.nv)
        build = time.thread_time() - before

        def go():
            data = mujoco.MjData(model)
            data.qvel[:] = start
            seconds, _ = timed(lambda: mujoco.mj_step(model, data, round(problem.until / h)))
            if not bars:
                return seconds, rods(np.cumsum(data.qpos))
            angle = data.qpos[model.joint("p0").qposadr[0]]
            return seconds, np.array([np.sin(angle) / 2, np.cos(angle) / 2])

        return Run(CODE, f"{'Euler' if bars else 'RK4'}, h = {h:g}", build, go)

    return [prepared(h) for h in settings]
