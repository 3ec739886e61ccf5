"""The rules for switching functions, against numbers; the smooth ones are SymEngine's."""

from __future__ import annotations

import math

import pytest
import symengine as se

from dalembert.language.calculus import Calculus
from dalembert.language.parser import Vocabulary, parse
from dalembert.language.program import Program

x, y = se.symbols("x y")
NAMES = Vocabulary(("x", "y"))
TEXTS = [
    "abs(x*y)",
    "abs(sin(x))^3*y",
    "sign(x)*x^2",
    "max(x, y)",
    "max(x^2, y, 1)*x",
    "min(x, x*y, 0.1)",
    "step(x - 1)*x^2",
    "if(x < y, x^2*y, y^3)",
    "if(x <= y and x > 0, abs(x)^3, max(x, y^2))",
    "max(abs(x), abs(y))*min(x, -y)",
    "abs(abs(x) - abs(y))",
    "sqrt(abs(x) + 1)*exp(-max(x, 0))",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("point", [(0.7, -0.4), (-1.3, 2.1), (2.2, 0.6), (1.4, 1.9)])
def test_first_and_second_derivatives(text, point):
    expr = parse(text, NAMES)
    calculus = Calculus([x, y])
    lifted = calculus.lift(expr)
    assert calculus.lower(lifted) == expr
    assert calculus.depends(lifted) == {x, y} & expr.free_symbols
    first = calculus.diff(lifted, x)
    second = calculus.lower(calculus.diff(first, y))
    value, slope = Program([x, y], [expr]), Program([x, y], [calculus.lower(first)])
    h = 1e-6
    a, b = point
    assert slope([a, b])[0] == pytest.approx((value([a + h, b])[0] - value([a - h, b])[0]) / (2 * h), abs=1e-7)
    curvature = (slope([a, b + h])[0] - slope([a, b - h])[0]) / (2 * h)
    assert Program([x, y], [second])([a, b])[0] == pytest.approx(curvature, abs=1e-7)


def test_terms():
    a = se.Symbol("a")
    calculus = Calculus([x, y])
    assert set(calculus.terms(a * (x + y) / 2 + x * y)) == {a * x / 2, a * y / 2, x * y}
    assert calculus.terms(x * (x + y)) == [x * (x + y)]
    assert calculus.terms(se.Integer(0)) == []


def test_internal_names_do_not_collide_with_symbols():
    strange = se.Symbol("#0")
    calculus = Calculus([x])
    lifted = calculus.lift(se.Abs(x))
    assert calculus.lower(lifted) == se.Abs(x)
    assert strange == lifted  # a name that no user can write


@pytest.mark.parametrize("kind", ["max", "min"])
def test_the_slope_of_many_arguments_is_that_of_the_chosen_one(kind):
    lines = [(i - 4) * x + (i * 7) % 11 for i in range(9)]
    calculus = Calculus([x])
    slope = calculus.lower(calculus.diff(calculus.lift(parse(f"{kind}({', '.join(map(str, lines))})", NAMES)), x))
    for place in (-9.3, -2.1, -0.4, 0.3, 1.7, 8.2):
        pick = {"max": max, "min": min}[kind]
        chosen = pick(lines, key=lambda line: float(line.subs({x: place})))
        assert Program([x], [slope])([place]) == [float(chosen.diff(x))]


def test_many_arguments_nested_in_each_other():
    """A chain of a hundred choices in each of four levels would be deeper than Python's stack."""
    inner = "x"
    for _ in range(4):
        inner = f"sin(max({inner}, {', '.join(f'{i}*x*y' for i in range(2, 101))}))"
    calculus = Calculus([x])
    second = calculus.diff(calculus.diff(calculus.lift(parse(inner, NAMES)), x), x)
    assert Program([x, y], [calculus.lower(second)])([0.3, -1.0])[0] == pytest.approx(_four_sines(0.3), abs=1e-3)


def _four_sines(place: float) -> float:
    """Return the second derivative of sin(sin(sin(sin(x)))) as a difference."""
    h = 1e-4

    def value(at: float) -> float:
        for _ in range(4):
            at = math.sin(at)
        return at

    return (value(place + h) - 2 * value(place) + value(place - h)) / h**2
