"""Derivatives on tapes, against complex steps and central differences of the same functions."""

from __future__ import annotations

import pytest

from dalembert.native.differentiate import gradients
from dalembert.native.routine import Routine
from tests.native.interpreter import value

CASES = {
    "sums": lambda call, x, y: x * y - y / x + (-x) * 3.0,
    "circle": lambda call, x, y: call("sin", x * y) * call("cos", x) + call("tan", y),
    "inverse circle": lambda call, x, y: call("asin", x * 0.5) + call("acos", y * 0.5) + call("atan", x * y),
    "two arguments": lambda call, x, y: call("atan2", x, y) + call("pow", x, y) + call("pow", x, 2.5),
    "hyperbolic": lambda call, x, y: call("sinh", x) * call("cosh", y) + call("tanh", x * y),
    "exponential": lambda call, x, y: call("exp", x * y) + call("log", x + y) + call("sqrt", x * x + y),
    "switching": lambda call, x, y: call("abs", x - y) * call("sign", y) + call("step", x - 10.0) * x,
    "choices": lambda call, x, y: call("max", x * x, y) + call("min", x, y * y) * call("if_lt", x, y, x * y, y),
    "ties": lambda call, x, y: call("if_le", x, x * 1.0, x * x, y),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("at", [(0.3, 0.7), (0.8, 0.2), (1.4, 1.1)])
def test_slopes(name, at):
    routine = Routine("r")
    x, y = routine.loads("in", 2)
    output = CASES[name](routine.tape.call, x, y)
    (found,) = gradients(routine.tape, [output], [x, y])

    def evaluate(node, a, b):
        return value(routine.tape, node, {("in", 0): a, ("in", 1): b})

    h = 1e-6
    for k, (dx, dy) in enumerate([(h, 0), (0, h)]):
        difference = evaluate(output, at[0] + dx, at[1] + dy) - evaluate(output, at[0] - dx, at[1] - dy)
        slope = evaluate(found[k], *at) if k in found else 0.0
        assert slope == pytest.approx(difference / (2 * h), abs=1e-8)


def test_only_what_matters():
    routine = Routine("r")
    x, y, z = routine.loads("in", 3)
    rows = gradients(routine.tape, [x * 2.0, 5.0, y * z, routine.tape.call("sign", x)], [x, y])
    assert rows[0] == {0: 2.0}
    assert rows[1] == {}
    assert list(rows[2]) == [1]
    assert rows[3] == {}
