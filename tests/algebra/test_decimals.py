"""Numbers that came out of products and sums of decimals are shown as a person wrote them."""

from fractions import Fraction

import pytest

from dalembert import System
from dalembert.algebra.decimals import meant, short_decimal, simple_fraction


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.7 * 9.80665, "6.864655"),
        (1.1 * 9.81, "10.791"),
        (0.2 - 0.045, "0.155"),
        (0.35 * 1.3, "0.455"),
        (0.7 / 12, "7/120"),
        (1 / 15000, "1/15000"),
        (2 / 3, "2/3"),
        (1e-9 * 0.1, "1e-10"),
        (-0.1 - 0.2, "-0.3"),
    ],
)
def test_what_is_meant(value, exact):
    assert meant(value) == Fraction(exact)


def test_what_is_no_simple_number_stays():
    value = 0.8660254037844386
    assert short_decimal(value) is None and simple_fraction(value) is None
    assert float(meant(value)) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("form", ["multipliers", "minimal", "independent", "explicit", "canonical"])
def test_formulas_have_no_digits_that_nobody_wrote(form):
    system = System("x", kinetic="0.1*x'^2/2 + 0.2*x'^2/2", potential="0.1*3*x^2 + 0.7*0.1*x")
    text = str(system.derive(form))
    assert "0000" not in text and "9999" not in text, text
