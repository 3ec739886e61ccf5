"""Formulas: exact, in lowest terms, modulo sin² + cos² = 1."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.algebra import rational
from dalembert.algebra.rational import MAX_TERMS, Field, TooLarge
from dalembert.language.parser import Vocabulary, parse
from dalembert.language.program import Program

NAMES = Vocabulary(("x", "y"), ("a", "b"))
X = [se.Symbol(name) for name in "xyab"]


def text_of(text: str) -> str:
    expr = parse(text, NAMES)
    field = Field([expr])
    return str(field.write(field.read(expr)))


@pytest.mark.parametrize(
    ("given_text", "written"),
    [
        ("sin(x)^2 + cos(x)^2", "1"),
        ("a*sin(x)^2 + a*cos(x)^2 - a", "0"),
        ("(x^2 - y^2)/(x - y)", "x + y"),
        ("(1 - cos(x)^2)/sin(x)", "sin(x)"),
        ("sqrt(x^2 + y^2)^4/(x^2 + y^2)", "x**2 + y**2"),
        ("tan(x)*cos(x)", "sin(x)"),
        ("0.5*x + 0.25*x", "(3/4)*x"),
        ("1/(1/x + 1/y)", "x*y/(x + y)"),
        ("exp(x)*exp(x)/exp(x)", "exp(x)"),
        ("sin(x + y)^2 + cos(x + y)^2", "1"),
        ("2/3", "2/3"),
    ],
)
def test_lowest_terms(given_text, written):
    assert text_of(given_text) == written


LEAVES = ["x", "y", "a", "2", "3/7", "sin(x)", "cos(x)", "cos(x + y)", "sqrt(1 + a^2)", "exp(y)", "tan(b)"]
EXPRESSIONS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(
        lambda t: f"({t[0]}){t[1]}({t[2]})"
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS)
def test_values_are_kept(text):
    from dalembert import ModelError

    try:
        expr = parse(text, NAMES)
        field = Field([expr])
        written = field.write(field.read(expr))
    except (ModelError, ZeroDivisionError):  # a division by something that vanishes
        return
    points = list(np.random.default_rng(0).uniform(0.3, 1.2, (4, 5)))
    before, after = Program(X, [expr]).arrays(points), Program(X, [written]).arrays(points)
    scale = np.abs(before[np.isfinite(before)]).max(initial=1.0)
    assert np.nanmax(np.abs(before - after), initial=0) <= 1e-7 * scale


def test_primitive_vectors():
    s, c, a = se.sin(X[0]), se.cos(X[0]), X[2]
    field = Field([s, c, a])
    for vector, expected in [
        ([s**2, s * c], ["sin(x)", "cos(x)"]),
        ([-a / 2, a / 3], ["3", "-2"]),
        ([c / (1 + a), 0, s / (1 + a)], ["cos(x)", "0", "sin(x)"]),
    ]:
        result = field.primitive({i: field.read(e) for i, e in enumerate(vector)})
        assert [str(field.write(result[i])) if i in result else "0" for i in range(len(vector))] == expected


def test_pilot_values_and_manifold_zeros():
    x, y = X[:2]
    field = Field([x, y])
    field.set_points([x, y], np.array([[0.6, 0.8], [0.8, 0.6]]))  # on the unit circle
    circle = field.read(x**2 + y**2 - 1)
    assert not field.is_zero(circle)
    assert field.negligible(circle, field.one)
    assert field.weight(field.read(x)) == pytest.approx(0.6)


def test_growth_is_bounded():
    symbols = [se.Symbol(f"z{i}") for i in range(20)]
    field = Field(symbols)
    big = field.read(se.Add(*symbols))
    with pytest.raises(TooLarge, match=f"more than {MAX_TERMS} terms"):
        _ = big * big * big * big


def test_division_by_zero():
    field = Field([se.sin(X[0])])
    with pytest.raises(ZeroDivisionError):
        _ = field.one / field.read(se.sin(X[0]) ** 2 + se.cos(X[0]) ** 2 - 1)


def test_work_is_bounded(monkeypatch):
    """Formulas that would take long are given up, and the field goes on to work."""
    monkeypatch.setattr(rational, "MAX_WORK", 50)
    a, b, c = se.symbols("a b c")
    field = Field([a, b, c])
    one, other = field.read((a + b + c) ** 3 / (a - b)), field.read((a + c) ** 4 / (b - c))
    with pytest.raises(TooLarge, match="more than 50 products of terms"), field.bounded():
        _ = one + other
    assert field.is_zero((one + other) - one - other)


def test_what_denominators_share_is_not_multiplied():
    """A sum over (x + y)²(x + z) and (x + y)²(y + z) has the small common denominator at once."""
    x, y, z = se.symbols("x y z")
    field = Field([x, y, z])
    seen = []
    product = field.product
    field.product = lambda one, other: seen.append(product(one, other)) or seen[-1]
    shared = field.one / field.read((x + y) ** 6)
    total = shared / field.read(x + z) + shared / field.read(y + z)
    assert max(map(len, seen)) <= 4 * len(field.read((x + y) ** 6).numerator)
    values = {x: 0.3, y: 0.7, z: 1.9}
    assert float(field.write(total).xreplace(values)) == pytest.approx((1 / 2.2 + 1 / 2.6) / 1.0)
