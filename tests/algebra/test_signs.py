"""Signs of sums, also below a line."""

from __future__ import annotations

import symengine as se

from dalembert import System
from dalembert.algebra.writing.signs import aligned


def test_a_sum_turned_round_below_a_line_has_no_stray_factor():
    a, b, x = se.symbols("a b x")
    assert str(aligned(x / (b - a))) == "-x/(a - b)"
    coupled = System("x y", kinetic="(m1*x'^2 + m2*y'^2)/2 + c*x'*y'*cos(x)", parameters={"m1": 1, "m2": 2, "c": 0.5})
    assert "1.0" not in str(coupled.derive("canonical"))


def test_a_number_may_merge_with_the_sign_of_a_sum():
    a, b, x = se.symbols("a b x")
    assert aligned(-x * (a - b) / (b - a) ** 3 * (b + a)) == x * (a + b) / (a - b) ** 2
    assert aligned(-(b - a) / (b - x)) == (a - b) / (b - x)
