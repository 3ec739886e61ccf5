"""Blocks as they are shown: digits that are only rounding are taken away, lengths along a line are distances."""

from __future__ import annotations

import pytest
import symengine as se

from dalembert import System
from dalembert.forms.tidy import plain

d, x = se.symbols("d x")
u = d + se.RealDouble(0.08)


@pytest.mark.parametrize(
    "expr",
    [
        350 * u * (se.sqrt(u**2) - 0.3) / se.sqrt(u**2),
        -x * u / se.sqrt(u**2),
        1 / se.sqrt(u**2),
        se.sqrt(x**2 + d**2) * se.sqrt((2 * x - d) ** 2),
    ],
    ids=str,
)
@pytest.mark.parametrize("place", [(0.3, -1.1), (-0.7, 0.4)])
def test_roots_of_squares_are_distances(expr, place):
    shown = plain(expr)
    assert not any(p.args[0].is_Pow for p in shown.atoms(se.Pow))
    values = {d: se.RealDouble(place[0]), x: se.RealDouble(place[1]), se.Symbol("0.08"): 0.08, se.Symbol("0.3"): 0.3}
    assert float(shown.xreplace(values)) == pytest.approx(float(expr.xreplace(values)), rel=1e-14)


def test_a_spring_along_a_line():
    spring = System("x", kinetic="1.2*x'^2/2", potential="350*(sqrt((x - 0.5)^2) - 0.3)^2/2")
    text = str(spring.derive().equations[0])
    assert "sqrt" not in text and "sign(0.5 - x(t))" in text
