"""CasADi: the same blocks integrated by IDAS, index 1, with accelerations and multipliers as algebraic unknowns.

Left out: the four-bars, where IDAS fails at the singular positions.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import casadi
import numpy as np

from dalembert.blocks.numeric import Numeric
from dalembert.language.program import Program
from peers.problems import Problem, Run, timed

CODE = "CasADi IDAS"
TOLERANCES = (1e-5, 1e-7, 1e-9, 1e-11)
FUNCTIONS = {name: getattr(casadi, name) for name in ("sin", "cos", "sqrt", "tan")}


def runs(problem: Problem, settings: Sequence[float] = TOLERANCES) -> list[Run]:
    """Integrate at several tolerances, relative and absolute alike."""
    if problem.kind == "four-bar":
        return []
    system = problem.system
    b, start = system.blocks, system.start()
    n, s = len(b.q), len(b.c)
    before = time.thread_time()
    x, z = casadi.SX.sym("x", 2 * n), casadi.SX.sym("z", n + s)
    inputs = [0.0, *(x[i] for i in range(2 * n)), *Numeric(system).parameters]
    program = Program([b.t, *b.q, *b.v, *b.parameters], [*b.M.values(), *b.A.values(), *b.f, *b.c])
    values = iter(program(inputs, FUNCTIONS))
    balance, rows = [casadi.SX(0)] * n, [casadi.SX(0)] * s
    for i, j in b.M:
        balance[i] = balance[i] + next(values) * z[j]
    for i, j in b.A:
        entry = next(values)
        balance[j] = balance[j] - entry * z[n + i]
        rows[i] = rows[i] + entry * z[j]
    residual = casadi.vertcat(*(m - next(values) for m in balance), *(r - next(values) for r in rows))
    dae = {"x": x, "z": z, "ode": casadi.vertcat(x[n:], z[:n]), "alg": residual}
    writing = time.thread_time() - before
    found = system.compile()(0.0, start.q, start.v)
    x0, z0 = np.concatenate([start.q, start.v]), np.concatenate([found.acceleration, found.multipliers])

    def prepared(tolerance: float) -> Run:
        options = {"reltol": tolerance, "abstol": tolerance, "max_num_steps": 1_000_000, "linear_solver": "csparse"}
        build, integrator = timed(lambda: casadi.integrator("I", "idas", dae, 0, problem.until, options))

        def go():
            seconds, end = timed(lambda: integrator(x0=x0, z0=z0)["xf"])
            return seconds, np.array(end).ravel()[:n]

        return Run(CODE, f"{tolerance:g}", writing + build, go)

    return [prepared(tolerance) for tolerance in settings]
