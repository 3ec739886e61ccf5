"""A group of kernels is one class: what is on its tapes, and the names by which it is called."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import example
from dalembert.native.builder import Builder
from dalembert.native.groups import GROUPS, Group, register
from dalembert.native.module import Module
from dalembert.native.routine import Routine


class Rates(Group):
    """A v, the rates of the constraints but for what depends on time."""

    name = "constraint rates"

    def straight(self, builder: Builder) -> Module:
        """Put it on a tape."""
        module, routine = Module(), Routine("rates")
        v = routine.loads("in", len(builder.inputs))[1 + builder.n :]
        rates: list = [0.0] * builder.s
        for (i, j), value in builder.matrices(routine)[1].items():
            rates[i] = rates[i] + value * v[j]
        routine.store("out", rates)
        module.add(routine)
        module.kernel("rates", ["rates"], len(builder.inputs))
        return module


@pytest.fixture
def added():
    """Add the group for a while."""
    register(Rates)
    yield
    del GROUPS[Rates.name]


@pytest.mark.parametrize("model", ["pendulum", "four-bar", "knife-edge"])
def test_group(added, model, random):
    system = example(model)
    kernels, start = system.compile(), system.start()
    v = random.normal(size=kernels.n)
    found = kernels.evaluate("constraint rates", "rates", 0.0, start.q, v)
    assert found == pytest.approx(kernels.residuals(0.0, start.q, v)[1], abs=1e-12)
    other = system.replace(parameters={name: 1.1 * (value or 0) for name, value in system.parameters.items()})
    again = other.compile().evaluate("constraint rates", "rates", 0.0, start.q, v)
    assert np.all(np.isfinite(again))
