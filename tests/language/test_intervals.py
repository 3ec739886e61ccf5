"""Interval arithmetic encloses what floating point computes; roots are isolated, and none is lost."""

import math

import numpy as np
import pytest
import symengine as se

from dalembert.language.functions import INTERVALS
from dalembert.language.intervals import Interval, zones
from dalembert.language.parser import parse
from dalembert.language.program import Program
from dalembert.language.vocabulary import Vocabulary

X = se.Symbol("x")
WORDS = Vocabulary(("x",), ())
EXPRESSIONS = [
    "x^2 - 3*x", "x^3", "1/x", "1/(x^2 + 1)", "sin(3*x)", "cos(x)^2", "tan(x)", "asin(x/5)", "acos(x/5)", "atan(x)",
    "atan2(x, 1 - x)", "sinh(x)", "cosh(x)", "tanh(5*x)", "exp(-x^2)", "log(x)", "sqrt(x)", "abs(x - 1)", "sign(x)",
    "max(x, 1, -x)", "min(x, x^2)", "x^2.5", "x^17", "x^18", "2^x", "step(x - 1)", "if(x < 1, x, 3)", "x*if(x <= 0, -1, x)",
]  # fmt: skip


def enclosed(text, low, high):
    return Program([X], [parse(text, WORDS)])([Interval(low, high)], INTERVALS)[0]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_values_are_enclosed(text):
    random = np.random.default_rng(1)
    centre = random.uniform(-4, 4, 300)
    width = 10.0 ** random.uniform(-12, 1, 300)
    low, high = centre - width, centre + width
    with np.errstate(all="ignore"):
        found = enclosed(text, low, high)
    program = Program([X], [parse(text, WORDS)])
    for part in (0.0, 0.1, 0.37, 0.5, 0.93, 1.0):
        values = program.arrays([np.clip(low + part * (high - low), low, high)])[0]
        there = np.isfinite(values)
        assert np.all((found.low <= values) & (values <= found.high) | ~there)


def test_bounds_are_tight():
    found = enclosed("sin(x)", np.array([0.1, 1.0, 0.0]), np.array([0.2, 2.0, 7.0]))
    assert np.allclose(found.low, [math.sin(0.1), math.sin(1.0), -1])
    assert np.allclose(found.high, [math.sin(0.2), 1, 1])
    squared = enclosed("x^2", np.array([-1.0]), np.array([2.0]))
    assert squared.low == 0.0
    assert squared.high == pytest.approx(4)


def test_what_has_no_value():
    with np.errstate(all="ignore"):
        assert np.isnan(enclosed("sqrt(x)", np.array([-2.0]), np.array([-1.0])).low)
        assert np.isnan(enclosed("log(x) + x", np.array([-2.0]), np.array([-1.0])).high)
        half = enclosed("sqrt(x)", np.array([-1.0]), np.array([4.0]))
    assert half.low == 0.0
    assert half.high == pytest.approx(2.0)


def roots(text, low=0.0, high=10.0, **limits):
    program = Program([X], [parse(text, WORDS)])
    found, _, enough = zones(lambda box: program([box], INTERVALS), low, high, **limits)
    return found if enough else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x - 5.3", [5.3]),
        ("abs(x - 5.3) - 0.001", [5.299, 5.301]),
        ("abs(x - 5.3) - 1e-9", [5.3 - 1e-9, 5.3 + 1e-9]),
        ("sin(x)", [0, math.pi, 2 * math.pi, 3 * math.pi]),
        ("max(x - 1, 0)", [1.0]),  # zero before, but that is no switch
        ("step(x - 1) - 0.3", [1.0]),
        ("1/(x - 3)", [3.0]),  # the sign changes there
        ("(x - 2)^2", [2.0]),  # touches
        ("sqrt(x - 2) - 1", [3.0]),
        ("exp(x) + 1", []),
        ("log(-1 - x)", []),
    ],
)
def test_roots_are_isolated(text, expected):
    found = roots(text)
    assert np.allclose(found.mean(axis=1), expected, atol=1e-15, rtol=1e-15)
    assert np.all(found[:, 1] - found[:, 0] <= 1e-14 * np.maximum(1e-6, np.abs(found[:, 1])) + 1e-14)


def test_many_roots():
    found = roots("sin(100*x)")
    assert len(found) == 319
    assert np.allclose(found.mean(axis=1), np.arange(319) * math.pi / 100, rtol=1e-14)
    assert roots("sin(1e6*x)") is None
    assert roots("x^2 - 2*x + 1") is None  # not told from zero around its double root
