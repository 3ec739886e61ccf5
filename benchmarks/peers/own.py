"""dalembert itself: the default form and method; building is the start, the kernels and the stepper made ready."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dalembert.results.trajectory  # noqa: F401  what `simulate` imports when it is first called
from peers.problems import Problem, Run

CODE = "dalembert"
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13)


def runs(problem: Problem, settings: Sequence[float] = TOLERANCES) -> list[Run]:
    """Simulate with the tolerance both relative and absolute."""

    def prepared(tolerance: float) -> Run:
        def simulate() -> Any:
            return problem.system.simulate(problem.until, rtol=tolerance, atol=tolerance)

        def go():
            run = simulate()
            return run.wall_s, run.q[-1]

        return Run(CODE, f"{tolerance:g}", simulate().build_s, go)

    return [prepared(tolerance) for tolerance in settings]
