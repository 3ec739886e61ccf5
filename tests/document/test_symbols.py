"""Names as mathematics."""

from __future__ import annotations

import io

import pytest
from matplotlib.figure import Figure

from dalembert.document.symbols import mathml, symbol, words


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x", "x"),
        ("x'", "ẋ"),
        ("phi''", "φ̈"),
        ("phi_crank'", "φ̇_crank"),
        ("e0_top", "e_0,top"),
        ("a1", "a_1"),
        ("Theta", "Θ"),
        ("lambda_rod_x", "λ_rod,x"),
        ("lambda_A.x", "λ_A.x"),
        ("x_phi", "x_φ"),
        ("mass", "mass"),
        ("_hidden", "_hidden"),
        ("x'''", "x'''"),
    ],
)
def test_names_are_taken_apart(name, text):
    import unicodedata

    assert unicodedata.normalize("NFC", symbol(name).text) == unicodedata.normalize("NFC", text)


def test_mathml_of_names():
    dotted = '<mover accent="true"><mi>φ</mi><mo>˙</mo></mover>'
    assert mathml("phi'") == dotted
    assert mathml("phi_crank'") == f"<msub>{dotted}<mtext>crank</mtext></msub>"
    assert mathml("m1", "<mn>2</mn>") == "<msubsup><mi>m</mi><mn>1</mn><mn>2</mn></msubsup>"


@pytest.mark.parametrize("name", ["phi_crank''", "lambda_a{b}$c", "x_50%", "x^2", "Ω_1'", "<b>", "\\frac", "x'''", "$"])
def test_whatever_a_part_is_called_matplotlib_can_write_it(name):
    figure = Figure()
    figure.text(0.1, 0.1, symbol(name).tex)
    figure.text(0.1, 0.5, words(f"{name} on {name}").tex)
    figure.savefig(io.BytesIO(), format="svg")
    assert "<b>" not in symbol(name).html
