"""heyoka: Taylor's method on the same unreduced equations, M q̈ = f + Aᵀλ and A q̈ = c eliminated as expressions.

Nothing keeps the constraints; where the equations are regular, the small errors of the method do. Left out: the
four-bars, where the elimination divides by zero at the singular positions. Compiled code is not taken from its cache.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import SimpleNamespace

import heyoka as hy
import numpy as np

from dalembert.algebra import quasidefinite
from dalembert.blocks.numeric import Numeric
from dalembert.language.program import Program
from peers.problems import Problem, Run, timed

CODE = "heyoka"
TOLERANCES = (1e-6, 1e-9, 1e-12)
FUNCTIONS = {name: getattr(hy, name) for name in ("sin", "cos", "sqrt", "tan")}
LARGE = 30  # states beyond which code without loops takes minutes to compile
ARITHMETIC = SimpleNamespace(zero=hy.expression(0.0), one=hy.expression(1.0))

hy.llvm_state.set_diskcache_enabled(False)
hy.llvm_state.set_memcache_limit(0)


def equations(problem: Problem) -> list[tuple]:
    """Return q̇ = v and v̇ = q̈(q, v), with q̈ by elimination from the blocks."""
    b = problem.system.blocks
    n, s = len(b.q), len(b.c)
    q, v = ([hy.expression(f"{letter}{i}") for i in range(n)] for letter in "qv")
    program = Program([b.t, *b.q, *b.v, *b.parameters], [*b.M.values(), *b.A.values(), *b.f, *b.c])
    values = program([hy.time, *q, *v, *Numeric(problem.system).parameters], FUNCTIONS)
    entries = iter(hy.expression(value) if isinstance(value, float) else value for value in values)
    M, A = {place: next(entries) for place in b.M}, {place: next(entries) for place in b.A}
    order = quasidefinite.elimination_order([*M, *((n + i, j) for i, j in A)], n, s)
    factors = quasidefinite.factorise(M, A, n, s, order, ARITHMETIC, lambda _k, pivot, _size: 1.0 / pivot, 0.0)
    acceleration = quasidefinite.solve(factors, list(entries))[:n]
    return list(zip([*q, *v], [*v, *acceleration], strict=True))


def runs(problem: Problem, settings: Sequence[float] = TOLERANCES) -> list[Run]:
    """Integrate at several tolerances."""
    if problem.kind == "four-bar":
        return []
    start = problem.system.start()
    y0 = np.concatenate([start.q, start.v])
    compact = len(y0) > LARGE
    if problem.name == "chain 100":
        settings = settings[:2]  # each is compiled for half a minute

    def prepared(tolerance: float) -> Run:
        before = time.thread_time()
        taylor = hy.taylor_adaptive(equations(problem), y0, tol=tolerance, compact_mode=compact)
        build = time.thread_time() - before

        def go():
            taylor.time, taylor.state[:] = 0.0, y0
            seconds, _ = timed(lambda: taylor.propagate_until(problem.until))
            return seconds, taylor.state[: len(start.q)].copy()

        return Run(CODE, f"{tolerance:g}", build, go)

    return [prepared(tolerance) for tolerance in settings]
