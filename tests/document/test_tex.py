"""Formulas in LaTeX: read back and evaluated they are what they were, and they are written as by hand."""

from __future__ import annotations

from itertools import product

import pytest
import symengine as se

from dalembert import DerivationError
from dalembert.document.line_breaks import equation
from dalembert.document.tex import Tex
from dalembert.forms import FORMS
from dalembert.language.parser import parse
from dalembert.language.vocabulary import Vocabulary
from tests.conftest import GALLERY
from tests.document.reading_tex import Reader
from tests.document.test_mathml import CASES, VALUES
from tests.sampling import sampled
from tests.shared import example


def valued(expr: se.Basic, values: dict[str, float]) -> float:
    return float(
        expr.xreplace({se.Symbol(name): se.RealDouble(value) for name, value in values.items()}).n(53, real=True)
    )


def reader(values: dict[str, float]) -> Reader:
    return Reader({Tex().name(name): value for name, value in values.items()})


@pytest.mark.parametrize("expr", CASES, ids=str)
def test_what_is_written_is_what_was_meant(expr):
    expr = se.sympify(expr)
    assert reader(VALUES)(Tex().formula(expr)) == pytest.approx(valued(expr, VALUES), rel=1e-9)
    assert reader(VALUES)(equation(expr, "f", Tex()).removeprefix("f &=")) == pytest.approx(
        valued(expr, VALUES), rel=1e-9
    )


@pytest.mark.parametrize("case", sampled(product(GALLERY, FORMS), 13, 3), ids=" ".join)
def test_formulas_of_the_gallery_read_back(case, random):
    """All that is written of a form: equations, steps, constraints, reactions, in lines as they are printed."""
    name, form = case
    try:
        derivation = example(name).derive(form)
    except DerivationError as error:
        pytest.skip(str(error))
    reactions = [entry for row in derivation.reaction_expressions.values() for entry in row]
    matrices = [entry for rows in derivation.entries.values() for row in rows for entry in row]
    steps = derivation.abbreviation_expressions.values()
    expressions = [*derivation.expressions, *steps, *reactions, *matrices]
    names = sorted(
        {symbol.name for expr in expressions for symbol in expr.free_symbols if not symbol.name[0].isdigit()}
    )
    usual = {name: float(random.uniform(0.5, 1.5)) for name in names}
    small = {name: 0.3 * value for name, value in usual.items()}  # roots and arcs have real values there
    tex, readers = Tex(), [(reader(values), values) for values in (usual, small)]
    numerals = {s.name: float(s.name) for expr in expressions for s in expr.free_symbols if s.name[0].isdigit()}
    compared = 0
    for expr in expressions:
        own = {symbol.name for symbol in expr.free_symbols}
        for read, values in readers:
            given = {name: value for name, value in (values | numerals).items() if name in own}
            try:
                terms = [abs(valued(term, given)) for term in tex.terms(expr)]
                expected = valued(expr, given)
            except RuntimeError:  # no real value; of a table none at all
                continue
            written = equation(expr, "0", tex).removeprefix("&").removesuffix(" = 0")
            found = read(written)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * max(terms)), written
            compared += 1
            break
    assert compared >= 0.8 * len(expressions)


def test_they_are_written_as_by_hand():
    def written(text: str) -> str:
        return Tex().formula(
            parse(text, Vocabulary(coordinates=("x", "phi"), parameters=("m", "m_1", "mass", "length")))
        )

    assert written(
        "m*x'^2/2 + (m + m_1)*x''*cos(phi)"
    ) == r"(m + m_1) \ddot{x} \cos \phi + \frac{1}{2} m \dot{x}^{2}".replace("m_1", "m_{1}")
    assert written("x*sin(phi)^2") == r"x \sin^{2} \phi"
    assert written("sin(2*phi)/(1 + x)") == r"\frac{\sin(2 \phi)}{x + 1}"
    assert written("m*(x + 1/phi)") == r"m \left(x + \frac{1}{\phi}\right)"
    assert written("mass*length*x") == r"\mathrm{mass}\, \mathrm{length}\, x"
    assert written("abs(x)*step(phi)") == r"\left|x\right| \operatorname{step} \phi"
    assert r"\begin{cases} 1 & \text{if } x < \phi \\ x & \text{else} \end{cases}" in written("if(x < phi, 1, x)")


def test_numbers_keep_their_digits():
    x = se.Symbol("x")
    assert Tex().formula(se.RealDouble(0.1234567890123) * x) == r"0.1234567890123\, x"
    assert Tex().formula(se.Symbol("9.81") * se.Symbol("0.35") * x) in (r"0.35 \cdot 9.81\, x", r"9.81 \cdot 0.35\, x")
    assert Tex().formula(se.RealDouble(1.5e-7) * x) == r"1.5 \cdot 10^{-7}\, x"


def test_own_symbols_of_the_user():
    assert Tex({"theta_1": r"\vartheta_1"}).formula(se.Symbol("theta_1'") ** 2) == r"\dot{\vartheta}_{1}^{2}"
