"""The rank that native code counts is that of singular values, whatever rows depend on."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import System
from dalembert.algebra.rank import rank, unit_rows
from dalembert.blocks.numeric import Numeric
from dalembert.native import constraint_rank as native
from tests.contracts.test_native import four_bar
from tests.native.test_rolled import roll
from tests.shared import example


def repeated(base: System, factor: float, share: float) -> System:
    """Add rows that others repeat in other units, and rows that are combinations of two and of many."""
    rows = {c.name: c.expression for c in base.constraints}
    own = list(rows.values())
    more = {
        "again": factor * own[1],
        "both": own[0] - share * own[-1],
        "further": (own[1] + own[2]) / factor,
        "all": sum((((-1) ** k * share**0.5) * row for k, row in enumerate(own)), own[0]),
    }
    return base.replace(constraints={**rows, **more})


def expected(system: System, rows: np.ndarray) -> list[int]:
    numeric, n = Numeric(system), len(system.coordinates)
    return [rank(unit_rows(numeric.all(row[0], row[1 : 1 + n], row[1 + n : 1 + 2 * n]).A)) for row in rows]


def states(N: int, system: System) -> np.ndarray:
    """Return the parallelogram at ordinary, nearly singular and singular positions."""
    values = list(system.parameters.values())
    found = [four_bar(N, phi, 1.3) for phi in (1.0, 0.1, 1e-2, 0.0, np.pi)]
    return np.array([[0.0, *q, *v, *values] for q, v, _ in found])


@pytest.mark.parametrize(("factor", "share"), [(1e-4, 300.0), (1e4, 300.0), (1.0, 1.0), (1e4, 0.01)])
def test_repeated_and_combined_rows(factor, share):
    N = 3
    system = repeated(example(f"n-four-bar:{N}"), factor, share)
    rows, n, kernel = states(N, system), 3 * (2 * N + 1), system.compile()
    assert expected(system, rows) == [6 * N + 2] * 3 + [5 * N + 2] * 2
    found = kernel(0.0, rows[:, 1 : 1 + n], rows[:, 1 + n : 1 + 2 * n])
    assert found.rank.tolist() == expected(system, rows)
    assert kernel(0.0, rows[3, 1 : 1 + n], rows[3, 1 + n : 1 + 2 * n]).rank == 5 * N + 2


def test_rolled_code_counts_the_same():
    N = 3
    system = repeated(example(f"n-four-bar:{N}"), 1e-4, 30.0)
    rows, rolled = states(N, system), roll(system, "pivots")

    class Kernels:
        s = len(system.constraints)

        @staticmethod
        def run(group: str, name: str, inputs: np.ndarray) -> np.ndarray:
            return rolled.run(name, inputs)

    assert native.count(Kernels, rows).tolist() == expected(system, rows)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("model", "lost"), [("bricard", 1), ("four-bar-spatial", 3)])
def test_loops_of_bodies(model, lost):
    """A condition repeated around a loop is a combination of all its joints, with factors of any size."""
    run = example(model).simulate(1.0, method="rk4", step=0.01)
    t, n = run.motion.times, run.motion.kernels.n
    q, v = run.motion.states[:, :n], run.motion.states[:, n:]
    assert set(run.motion.kernels(t, q, v).rank) == {len(run.system.constraints) - lost}
