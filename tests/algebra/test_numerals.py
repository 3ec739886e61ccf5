"""Numbers as they were written: symbols in the algebra, figures in print."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import symengine as se

from dalembert import System
from dalembert.algebra.writing.numerals import figures, numbers, numerals
from dalembert.language.printing import to_text
from tests.everyday import formulas

x, y = se.symbols("x y")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (0.3 * x + 0.7, "0.3*x + 0.7"),
        (-2.5e-7 * x, "-2.5e-07*x"),
        (x**1.5 * 0.25, "0.25*x^1.5"),
        (x / 2 + 0.5 * y, "x/2 + 0.5*y"),
    ],
)
def test_there_and_back(given, expected):
    assert to_text(figures(numerals(given))) == expected
    assert numbers(numerals(given)) == given


def test_numbers_are_put_together_where_that_is_shorter():
    a, b, c = (numerals(se.RealDouble(value)) for value in (0.3, 0.1, 0.7))
    assert to_text(figures(a * b * x)) == "0.03*x"
    assert to_text(figures(x / c)) == "x/0.7"
    assert to_text(figures(a * x / b)) == "3*x"
    assert figures((a - 3 * b) * x) == 0  # decided by the numbers, not by floats
    assert to_text(figures(figures(1.75 * y * x / c))) == to_text(figures(numerals(1.75 * y) * x / c))


SYSTEMS = {
    "powers": {
        "coordinates": "x",
        "kinetic": "1.3*x'^2/2",
        "potential": "0.7*abs(x)^2.5",
        "forces": {"x": "-0.04*x'*abs(x')^0.5"},
        "initial": {"x": 0.8, "x'": 0.3},
    },
    "sizes": {
        "coordinates": "x y",
        "kinetic": "1e-5*x'^2/2 + 2.5e6*y'^2/2",
        "potential": "3.3e7*(x - 2e-4*y)^2/2",
        "constraints": {"c": "x = 1e-3*y^2"},
        "initial": {"y": 0.3, "y'": 0.01},
    },
    "choices": {
        "coordinates": "x",
        "kinetic": "1.5*x'^2/2",
        "forces": {"x": "if(x > 0.25, -3.5*x, 1.25*x) + min(0.3, x) + step(t - 0.5)"},
        "initial": {"x": 0.8, "x'": 0.3},
    },
    "angles": {
        "coordinates": "a b",
        "kinetic": "0.3*a'^2/2 + 0.2*b'^2/2",
        "potential": "1.7*cos(a + 0.35) + 0.9*sin(2*b - 0.35)",
        "constraints": {"c": "sin(a + 0.35) = 0.6*cos(b - 0.2)"},
        "initial": {"a": 0.2, "a'": 0.4},
    },
}


@pytest.mark.parametrize("form", ["minimal", "explicit", "independent"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_printed_holds_for_the_kernel(name, form):
    system = System(**SYSTEMS[name])
    state, kernel = system.start(), system.compile()
    found = kernel(state.t, state.q, state.v)
    z = formulas.names(t=state.t)
    for k, q in enumerate(system.coordinates):
        z |= {q: state.q[k], f"{q}'": state.v[k], f"{q}''": found.acceleration[k]}
    data = json.loads(json.dumps(system.derive(form).as_dict()))
    for symbol, text in data["abbreviations"].items():
        z[symbol] = formulas.value(text, z)
    for equation in data["equations"]:
        rows = [float(formulas.value(equation, z | {f"{q}''": 0.0 for q in system.coordinates})), 1.0]
        assert abs(formulas.value(equation, z)) <= 1e-10 * max(map(abs, rows)), equation
    for constraint, row in data["reactions"].items():
        expected = kernel.reactions(state.t, state.q, state.v)[constraint]
        assert [float(formulas.value(text, z)) for text in row] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    digits = [len(text.replace(".", "").lstrip("0")) for text in _numbers(data["equations"])]
    assert max(digits, default=0) <= 15
    assert np.isfinite(found.acceleration).all()


def _numbers(equations: list[str]) -> list[str]:
    return re.findall(r"(?<![\w.])\d+\.?\d*", " ".join(equations))
