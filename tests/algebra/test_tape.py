"""Tapes: sharing, folding, structural zeros; every function as the floats have it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.algebra.tape import Node, Tape, TapeFull
from dalembert.language.functions import FLOATS
from tests.native.interpreter import value


@pytest.fixture
def tape() -> Tape:
    return Tape()


def test_equal_operations_are_one(tape):
    x, y = tape.load("in", 0), tape.load("in", 1)
    assert repr(x * y) == repr(y * x)
    assert repr(x + y) == repr(y + x)
    _ = (x * y) + (y * x)
    assert tape.operations == 3  # the product and two sums


def test_zeros_and_ones_are_never_recorded(tape):
    x = tape.load("in", 0)
    assert x * 0.0 == 0.0
    assert x - x == 0.0
    for same in (x + 0.0, 0.0 + x, x * 1.0, 1.0 * x, x / 1.0, x - 0.0, 0.0 - (0.0 - x), 1.0 / (1.0 / x)):
        assert repr(same) == repr(x)
    assert x / x == 1.0
    assert tape.operations == 2  # the minus and the inverse on the way


def test_signs_and_constants_are_gathered(tape):
    x, y = tape.load("in", 0), tape.load("in", 1)
    assert repr((-x) * y) == repr(-(x * y))
    assert repr(x + (-y)) == repr(x - y)
    assert repr(-(x - y)) == repr(y - x)
    assert repr(2.0 * (3.0 * x)) == repr(6.0 * x)
    assert repr(tape.call("cos", -x)) == repr(tape.call("cos", x))
    assert repr(tape.call("sin", -x)) == repr(-tape.call("sin", x))


def test_constants_are_computed_now(tape):
    assert tape.call("sin", 1.0) == math.sin(1.0)
    assert math.isnan(tape.call("sqrt", -1.0))
    assert tape.operations == 0


def test_integers_and_node_numbers_are_not_confused(tape):
    x, y = tape.load("in", 0), tape.load("in", 1)
    assert value(tape, x * 1.5 + y * 1.0, {("in", 0): 2.0, ("in", 1): 5.0}) == 8.0


def test_a_limit_is_kept():
    tape = Tape(limit=5)
    x = tape.load("in", 0)
    with pytest.raises(TapeFull):
        for _ in range(10):
            x = x * x


NUMBERS = st.floats(-3, 3).filter(lambda x: x == 0 or abs(x) > 1e-3)


def expressions():
    """Random expressions as functions of a scalar type: run on floats and on nodes."""
    leaves = st.one_of(st.sampled_from(["x", "y"]), NUMBERS)
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(st.sampled_from("+-*/"), inner, inner),
            st.tuples(st.just("neg"), inner),
            st.tuples(st.sampled_from(["sin", "cos", "abs", "sign", "tanh", "step"]), inner),
            st.tuples(st.sampled_from(["max", "min"]), inner, inner),
            st.tuples(st.sampled_from(["if_lt", "if_le"]), inner, inner, inner, inner),
        ),
        max_leaves=12,
    )


def run(tree, leaves, functions):
    if isinstance(tree, str):
        return leaves[tree]
    if isinstance(tree, float):
        return tree
    name, *args = tree
    values = [run(arg, leaves, functions) for arg in args]
    if name == "neg":
        return -values[0]
    if name in "+-*/":
        a, b = values
        return a + b if name == "+" else a - b if name == "-" else a * b if name == "*" else a / b
    return functions[name](*values)


@given(expressions(), NUMBERS, NUMBERS)
def test_a_tape_means_what_the_floats_mean(tree, x, y):
    try:
        expected = run(tree, {"x": x, "y": y}, FLOATS)
    except ZeroDivisionError:
        return
    tape = Tape()
    node = run(tree, {"x": tape.load("in", 0), "y": tape.load("in", 1)}, tape)
    found = value(tape, node, {("in", 0): x, ("in", 1): y}) if isinstance(node, Node) else node
    if math.isfinite(found) and abs(expected) < 1e6:
        jumps = any(word in str(tree) for word in ("sign", "step", "if_"))
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9) or jumps
