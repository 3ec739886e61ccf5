"""Models in decimals: their equations are in decimals, in the scale of the model."""

from __future__ import annotations

import pytest
import symengine as se

from dalembert import System
from dalembert.algebra.writing.figures import scaled

PENDULA = {"x1": "1*sin(a)", "y1": "-1*cos(a)", "x2": "x1 + 0.7*sin(b)", "y2": "y1 - 0.7*cos(b)"}
CASES = [
    (
        {"coordinates": "x", "kinetic": "1.43*x'^2/2", "forces": {"x": "-2.52*x' + 2.61*x' - 3.7*x"}},
        "multipliers",
        ["1.43*x'' - 0.09*x' + 3.7*x"],
    ),
    (
        {
            "coordinates": "a b",
            "define": PENDULA,
            "kinetic": "1.2*(x1'^2 + y1'^2)/2 + 0.5*(x2'^2 + y2'^2)/2",
            "potential": "1.2*9.81*y1 + 0.5*9.81*y2",
        },
        "multipliers",
        [
            "1.7*a'' + 0.35*(b''*cos(a - b) + b'^2*sin(a - b)) + 16.677*sin(a)",
            "0.35*(a''*cos(a - b) - a'^2*sin(a - b)) + 0.245*b'' + 3.4335*sin(b)",
        ],
    ),
    (
        {"coordinates": "x", "kinetic": "x'^2/2", "forces": {"x": "-12.5*x - 1e-7*x' + cos(2.3*t)"}},
        "explicit",
        ["x'' + 1e-07*x' + 12.5*x - cos(2.3*t)"],
    ),
    (
        {
            "coordinates": "x y phi",
            "kinetic": "1.2*(x'^2 + y'^2)/2 + 0.04*phi'^2/2",
            "potential": "1.2*9.81*y",
            "constraints": {"a": "x = 0.3*cos(phi)", "b": "y = 0.3*sin(phi)"},
            "initial": {"phi": 0.4},
        },
        "independent",
        ["0.148*phi'' + 3.5316*cos(phi)"],
    ),
    (
        {"coordinates": "x", "kinetic": "m*x'^2/2", "forces": {"x": "-k*x/3"}, "parameters": {"m": 1.5, "k": 2.5}},
        "multipliers",
        ["3*m*x'' + k*x"],
    ),
]


@pytest.mark.parametrize(("parts", "form", "expected"), CASES)
def test_as_they_were_written(parts, form, expected):
    found = System(**parts).derive(form).as_dict()["equations"]
    assert [text.removesuffix(" = 0") for text in found] == expected


def test_a_scale_is_not_looked_for_where_roots_have_no_value():
    """A rolling coin has √(1 − n²): at random values that is no real number."""
    x, y = se.symbols("x y")
    row = 1.3 * x * se.sqrt(1 - 9 * x - 9 * y) + 2.6 * y
    assert scaled(2 * row, row, ()) - 2 * row == 0


@pytest.mark.parametrize("angle", ["sqrt(2)*q", "1.4142135623731*q", "0.73*q", "1.21*q + 0.5*p"])
@pytest.mark.parametrize("form", ["multipliers", "minimal"])
def test_long_decimals_in_angles(angle, form):
    """Whole numbers of thirteen digits: what is scaled back by one part of them is not nothing."""
    kinetic = f"0.39*(1.2 + sin({angle})^2)*q'^2/2 + p'^2*(2 + cos(q))"
    system = System("q p", kinetic=kinetic, potential="-4.23*cos(q) - sin(q + p)", initial={"q": 0.3, "p": 0.2})
    state = {"q": 0.3, "p": 0.2, "q'": 0.7, "p'": -0.4}
    found = system.compile()(0.0, [0.3, 0.2], [0.7, -0.4]).acceleration
    state |= {"q''": found[0], "p''": found[1]}
    for equation in system.derive(form).expressions:
        value = equation.xreplace({symbol: state[symbol.name] for symbol in equation.free_symbols})
        assert equation != 0 and abs(float(value)) < 1e-9
