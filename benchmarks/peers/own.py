"""dalembert itself: the default form and method; building is the start, the kernels and the stepper made ready.

Like the other codes it is prepared once; what is timed are the steps, taken again from the same start.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import dalembert.results.run  # noqa: F401  what `simulate` imports when it is first called
from dalembert.model.settings import Settings
from dalembert.motion.loop import compute
from peers.problems import Problem, Run, timed

CODE = "dalembert"
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13)
ALL = 1_000_000_000  # more steps than any motion has


def runs(problem: Problem, settings: Sequence[float] = TOLERANCES) -> list[Run]:
    """Simulate with the tolerance both relative and absolute."""

    def prepared(tolerance: float) -> Run:
        first = compute(problem.system, Settings(until=problem.until, rtol=tolerance, atol=tolerance))
        start, n = (float(first.times[0]), first.states[0].copy()), len(problem.system.coordinates)

        def go():
            engine = first.engine
            engine.begin(start, problem.until, (tolerance, tolerance), None, np.zeros(0))
            seconds, _ = timed(lambda: engine.advance(ALL))
            return seconds, engine.y[:n].copy()

        return Run(CODE, f"{tolerance:g}", first.facts["build_s"], go)

    return [prepared(tolerance) for tolerance in settings]
