"""A method of Runge and Kutta is its tableau, as textbooks print it."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError, example
from dalembert.motion.methods import METHODS
from dalembert.motion.tableau import Tableau

DOPRI5 = Tableau(
    "dopri5", 5,
    stages=(
        (), (1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    weights=(35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0),
    times=(0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1),
    embedded=(5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40),
)  # fmt: skip
BOGACKI_SHAMPINE = Tableau(
    "bs32", 3,
    stages=((), (1 / 2,), (0, 3 / 4), (2 / 9, 1 / 3, 4 / 9)),
    weights=(2 / 9, 1 / 3, 4 / 9, 0),
    times=(0, 1 / 2, 3 / 4, 1),
    embedded=(7 / 24, 1 / 4, 1 / 3, 1 / 8),
)  # fmt: skip


@pytest.fixture(params=[DOPRI5, BOGACKI_SHAMPINE], ids=lambda method: method.name)
def method(request, monkeypatch):
    """Add the method for a while."""
    monkeypatch.setitem(METHODS, request.param.name, request.param)
    return request.param


@pytest.mark.parametrize("model", ["pendulum", "upright-disk", "four-bar"])
def test_adaptive(method, model):
    """The error follows the tolerance, and the certificate states it."""
    system, errors = example(model), []
    exact = system.simulate(1.0, rtol=1e-12, atol=1e-14).final()
    for rtol in (1e-5, 1e-7):
        run = system.simulate(1.0, method=method.name, rtol=rtol, atol=1e-2 * rtol)
        assert run.certificate.ok, str(run.certificate)
        found = run.final()
        errors.append(max(abs(found[name] - exact[name]) for name in system.coordinates))
    assert errors[1] < 0.1 * errors[0] and errors[1] < 1e-5


def test_order(method):
    """With a fixed step the order is that of the weights: x = √3 − 2 cos(π/6 + t) on the upright disk."""
    disk, exact = example("upright-disk"), np.sqrt(3) - 2 * np.cos(np.pi / 6 + 1)
    errors = [abs(disk.simulate(1, method=method.name, step=h).final()["x"] - exact) for h in (0.1, 0.05)]
    assert abs(np.log2(errors[0] / errors[1]) - method.order) < 0.4


def test_the_largest_step_is_taken_where_nothing_happens(method):
    run = example("upright-disk").simulate(1.0, method=method.name, rtol=1e-3, atol=1e-3)
    assert run.steps < 20


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"weights": (0.5, 0.5, 0.5)}, "3 weights|rows of stages|times"),
        ({"weights": (0.5, 0.4)}, "add up to 0.9"),
        ({"embedded": (1.0,)}, "1 embedded weights; expected 2"),
        ({"errors": ((0.1,),)}, "1 weights in an error estimate; expected 2"),
        ({"errors": ((0.1, 0.0),) * 3}, "3 error estimates; expected 1 or 2"),
        ({"stages": ((), (1.0, 1.0))}, "not explicit"),
        ({"stages": ((),)}, "1 rows of stages; expected 2"),
        ({"embedded": (1.0, 0.0), "errors": ((0.1, 0.0),)}, "give one of them"),
    ],
)
def test_wrong_lengths_are_answered(changes, words):
    parts = {"stages": ((), (1.0,)), "weights": (0.5, 0.5), "times": (0.0, 1.0)}
    with pytest.raises(ModelError, match=words):
        Tableau("heun", 2, **{**parts, **changes})
