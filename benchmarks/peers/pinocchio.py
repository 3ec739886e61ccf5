"""Pinocchio: the chain in joint coordinates, its articulated-body algorithm stepped by RK4 from Python."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from peers.problems import G, Problem, Run, rods, timed

CODE = "Pinocchio"
STEPS = (2e-3, 1e-3, 5e-4)


def runs(problem: Problem, settings: Sequence[float] = STEPS) -> list[Run]:
    """Step the chain."""
    if problem.kind != "chain":
        return []
    n = problem.size
    before = time.thread_time()
    model, parent = pin.Model(), 0
    inertia = pin.Inertia(1.0, np.array([0.5, 0, 0]), np.diag([0.0, 1 / 12, 1 / 12]))
    for i in range(n):
        placement = pin.SE3(np.eye(3), np.array([1.0 if i else 0.0, 0, 0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, f"joint{i}")
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    model.gravity.linear = np.array([0, -G, 0])
    data, tau = model.createData(), np.zeros(n)
    build = time.thread_time() - before

    def stepped(h: float) -> np.ndarray:
        q, v = np.zeros(n), np.zeros(n)
        for _ in range(round(problem.until / h)):
            a1 = pin.aba(model, data, q, v, tau).copy()
            a2 = pin.aba(model, data, q + h / 2 * v, v + h / 2 * a1, tau).copy()
            a3 = pin.aba(model, data, q + h / 2 * v + h * h / 4 * a1, v + h / 2 * a2, tau).copy()
            a4 = pin.aba(model, data, q + h * v + h * h / 2 * a2, v + h * a3, tau)
            q, v = q + h * v + h * h / 6 * (a1 + a2 + a3), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return q

    def prepared(h: float) -> Run:
        def go():
            seconds, q = timed(lambda: stepped(h))
            return seconds, rods(np.cumsum(q))

        return Run(CODE, f"RK4, h = {h:g}", build, go)

    return [prepared(h) for h in settings]
