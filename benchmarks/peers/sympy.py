"""SymPy with SciPy: LagrangesMethod, lambdify with common subexpressions, dense solution by NumPy, DOP853 of SciPy.

Small problems only: the derivation takes minutes for large ones. Nothing keeps the constraints, and the four-bars leave
their branch at the first singular position; at tighter tolerances they stop there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

from peers.problems import Array, Problem, Run, timed

CODE = "SymPy, SciPy"
TOLERANCES = (1e-6, 1e-9, 1e-12)
SMALL = {"pendulum": 3, "rolling disk": 3, "four-bar 2": 1, "chain 20": 2}  # with how many of the tolerances


def right_side(problem: Problem):
    """Derive the equations from the energies and constraints; return the function of t and (q, v)."""
    system = problem.system
    values = {sp.Symbol(name): value for name, value in system.parameters.items()}
    energies = [system.sympy(e).subs(values) for e in (system.kinetic, system.potential) if e is not None]
    constraints = {True: [], False: []}
    for constraint in system.constraints:
        constraints[constraint.level == "position"].append(system.sympy(constraint.expression).subs(values))
    q = [dynamicsymbols(name) for name in system.coordinates]
    given = {"hol_coneqs": constraints[True], "nonhol_coneqs": constraints[False]}
    method = LagrangesMethod(2 * energies[0] - sum(energies), q, **{key: rows for key, rows in given.items() if rows})
    method.form_lagranges_equations()
    rates = [coordinate.diff(dynamicsymbols._t) for coordinate in q]
    plain = dict(zip([*rates, *q], sp.symbols(f"v:{len(q)}") + sp.symbols(f"q:{len(q)}"), strict=True))
    blocks = [method.mass_matrix_full.subs(plain), method.forcing_full.subs(plain)]
    evaluate = sp.lambdify([*(plain[c] for c in q), *(plain[rate] for rate in rates)], blocks, cse=True)

    def rate(_: float, y: Array) -> Array:
        matrix, right = evaluate(*y)
        return np.linalg.solve(matrix, right).ravel()[: len(y)]

    return rate


def runs(problem: Problem, settings: Sequence[float] = TOLERANCES) -> list[Run]:
    """Integrate at several tolerances, relative and absolute alike."""
    if problem.name not in SMALL:
        return []
    start = problem.system.start()
    before = time.thread_time()
    rate = right_side(problem)
    build = time.thread_time() - before
    n, y0 = len(start.q), np.concatenate([start.q, start.v])

    def prepared(tolerance: float) -> Run:
        def solve():
            return solve_ivp(rate, (0, problem.until), y0, "DOP853", rtol=tolerance, atol=tolerance)

        def go():
            seconds, found = timed(solve)
            if not found.success:
                raise RuntimeError(found.message)
            return seconds, found.y[:n, -1]

        return Run(CODE, f"{tolerance:g}", build, go)

    return [prepared(tolerance) for tolerance in settings[: SMALL[problem.name]]]
