"""Programs over floats, arrays and other scalars."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import symengine as se

from dalembert.language.functions import ARRAYS, FLOATS
from dalembert.language.parser import Vocabulary, parse
from dalembert.language.program import Program

x, y = se.symbols("x y")
TEXTS = [
    "x^3/y - 2*x + 0.25",
    "sin(x)^2 + cos(x)*tan(y)",
    "asin(x/9) + acos(x/9) + atan(x) + atan2(x, y)",
    "sinh(x) + cosh(y) + tanh(x*y)",
    "exp(-x) + log(y) + sqrt(x*y)",
    "x^2.5 + x^(1/3) + y^-2 + y^(-1/2) + x^20 + 2^x",
    "abs(-x) + sign(x - y) + max(x, y, 1) + min(x, y)",
    "step(x - y) + if(x < y, x, y) + if(x <= 2, 1, 2)",
    "pi*x + e",
]


@pytest.mark.parametrize("text", TEXTS)
def test_floats_and_arrays_agree_with_python(text):
    program = Program([x, y], [parse(text, Vocabulary(("x", "y")))])
    functions = {**FLOATS, "if_": lambda c, a, b: a if c else b, "pi": math.pi, "e": math.e}
    python = text.replace("^", "**").replace("if(", "if_(")
    points = [(2.0, 1.5), (0.3, 0.4), (1.0, 3.0)]
    expected = [eval(python, {"__builtins__": {}}, {**functions, "x": a, "y": b}) for a, b in points]
    assert [program.floats(point)[0] for point in points] == pytest.approx(expected, rel=1e-14)
    rows = program.arrays([np.array([a for a, _ in points]), np.array([b for _, b in points])])
    assert rows.shape == (1, 3)
    assert [*rows[0]] == pytest.approx(expected, rel=1e-14)


def test_other_scalars():
    program = Program([x, y], [x**3 / y + se.Rational(1, 4)])
    assert program([Fraction(1, 2), Fraction(3)])[0] == pytest.approx(1 / 24 + 0.25)


def test_common_subexpressions_are_shared():
    shared = se.sin(x) * y
    assert len(Program([x, y], [shared, se.exp(shared), se.cos(shared)])) == len(Program([x, y], [shared])) + 2


def test_undefined_values_are_nan_not_exceptions():
    values = Program([x, y], [1 / x, se.sqrt(y), se.log(x), x + y]).floats([0.0, -1.0])
    assert not np.any(np.isfinite(values[:3]))
    assert values[3] == -1.0


def test_no_outputs_and_constants():
    assert Program([x], []).floats([1.0]).size == 0
    assert Program([x], [se.Integer(3), x]).arrays([np.ones(4)]).tolist() == [[3.0] * 4, [1.0] * 4]


def test_unknown_symbols_and_wrong_counts():
    with pytest.raises(ValueError, match="`y` is no input"):
        Program([x], [y])
    with pytest.raises(ValueError, match="got 2 values for 1 inputs"):
        Program([x], [x])([1.0, 2.0])
    with pytest.raises(ValueError, match="cannot be evaluated"):
        Program([x], [se.Function("f")(x)])


def test_deep_expressions_need_no_recursion():
    expr = x
    for _ in range(3000):
        expr = se.sin(expr) + 1
    assert math.isfinite(Program([x], [expr]).floats([0.5])[0])


def test_arithmetics_know_the_same_functions():
    assert set(FLOATS) == set(ARRAYS)
