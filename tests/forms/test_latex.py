"""All LaTeX that is written can be typeset, whatever a model is called and has in it."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import symengine as se
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

from dalembert import DerivationError, System, example
from dalembert.document.line_breaks import WIDE, equation, size
from dalembert.document.tex import Tex
from dalembert.document.typeset import math, name, prose
from dalembert.forms import FORMS
from dalembert.forms.article import article
from tests.conftest import GALLERY
from tests.forms.tex import problems

SAMPLE = {"pendulum": FORMS, "four-bar": ("multipliers", "reactions"), "bricard": ("minimal",), "knife-edge": FORMS}
HEAD = "\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage[T1]{fontenc}\n\\begin{document}\n"


def awkward() -> System:
    """Names that mean something to TeX, or that its fonts do not have."""
    return System(
        "_a x_1_2 lambda φ th1 角",
        kinetic="(_a'^2 + x_1_2'^2 + lambda'^2 + φ'^2 + th1'^2 + 角'^2)*mass_of_it/2 + Ω*x_1_2'*_a'",
        potential="step(φ)*é*th1 + abs(lambda)*if(th1 < 2, 1, th1)*ф + max(_a, x_1_2)",
        constraints={"f_x_crank": "x_1_2 = sin(φ)*l0", "größe_α": "th1' = 2*lambda' + 角'"},
        parameters={"mass_of_it": 2, "l0": 1, "é": 3, "Ω": 0.1, "ф": 2},
        initial={"φ": 1},
        name="Größe & 50% of_it #1 ~ ^ {x} \\ – “q” ẍ 角 ½ ² º ŉ ß ı ﬁ € æ ł $5",
    )


def by_sympy() -> System:
    """Symbols that are LaTeX already."""
    a, b = dynamicsymbols(r"\theta_1 \varphi_{in}")
    k = sp.Symbol(r"\boldsymbol{k}_a")
    kinetic = a.diff() ** 2 * k / 2 + b.diff() ** 2 / 2
    return System([a, b], kinetic=kinetic, potential=sp.cos(a - b) * k, constraints={"c": a - 2 * b}, parameters={k: 1})


OWN = {"awkward": awkward, "by sympy": by_sympy}


def texts(model: str, forms) -> dict[str, str]:
    """Return everything that is written of a model, each form as a fragment and as a document."""
    system = OWN[model]() if model in OWN else example(model)
    found = {}
    for form in forms:
        try:
            derivation = system.derive(form)
        except DerivationError:
            continue
        found[f"{form} fragment"] = f"{HEAD}{derivation.latex()}\n\\end{{document}}\n"
        found[form] = article(derivation)
    return found


def check(model: str, folder, forms=FORMS) -> None:
    for key, text in texts(model, forms).items():
        assert problems(text) == [], key
        if shutil.which("pdflatex"):
            (folder / "a.tex").write_text(text, encoding="utf-8")
            command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "a.tex"]
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300)
            said = done.stdout.decode(errors="replace")
            assert done.returncode == 0, f"{key}: {said[-1500:]}"


@pytest.mark.parametrize("model", [*OWN, *SAMPLE])
def test_it_can_be_typeset(model, tmp_path):
    check(model, tmp_path, SAMPLE.get(model, FORMS))


@pytest.mark.full
@pytest.mark.parametrize("model", GALLERY)
def test_all_of_the_gallery_can_be_typeset(model, tmp_path):
    check(model, tmp_path)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x", "x"),
        ("theta1''", r"\ddot{\theta}_{1}"),
        ("th1'", r"\dot{\mathrm{th}}_{1}"),
        ("f_x_crank", r"f_{x,\mathrm{crank}}"),
        ("lambda_A_x", r"\lambda_{A,x}"),
        ("lambda_A.x", r"\lambda_{\mathrm{A.x}}"),
        ("x_1_2", "x_{1,2}"),
        ("e0_top'", r"\dot{e}_{0,\mathrm{top}}"),
        ("_a", r"\mathrm{\_a}"),
        ("x'''", r"\dddot{x}"),
        ("φ'", r"\dot{\phi}"),
        ("q\u0308", r"\ddot{q}"),
        ("Omega", r"\Omega"),
        ("speedbar", r"\mathrm{speedbar}"),
        (r"\boldsymbol{k}_a'", r"\dot{\boldsymbol{k}}_{a}"),
    ],
)
def test_names_as_by_hand(text, written):
    assert name(text) == written
    assert problems(math(f"${name(text)}^2$")) == []


def test_accented_words_keep_their_letters():
    assert math(name("größe''")) == r"\ddot{\text{größe}}"
    assert math(name("l_Ä")) == r"l_{\text{Ä}}" and math(name("ß")) == r"\text{ß}"
    assert math(name("größe")) != math(name("grosse"))  # two quantities


def test_letters_of_other_scripts_stay_apart():
    assert math("ф + é + 角") == r"\mathrm{ef}  + \mathrm{e}  + \mathrm{89D2} "
    assert prose("ß ł e\u0301") == "ß ł é" and prose("ŉ ½").isascii()


@pytest.mark.parametrize(
    "text", ["f_x_crank", "x^2^3", "a_{1}_2", "{x", "x}", r"\left( x", r"\begin{align*} x \end{array}", "x_角"]
)
def test_what_tex_would_stop_at_is_found(text):
    assert problems(text)


@pytest.mark.parametrize("text", ["x_1 y_2^3", r"\dot{x}_{1}^{2} a_b", "{}_{0}", r"x_{a_{b}} \% 50 % x_1_2"])
def test_what_tex_reads_is_left_alone(text):
    assert problems(text) == []


def test_long_fractions_take_several_lines():
    """None is wider than TeX can measure: what a product is divided by breaks as well."""
    a, b = (se.Add(*(se.Symbol(f"{letter}{k}") * se.Symbol(f"mass{k}") for k in range(40))) for letter in "ab")
    text = equation(-se.Symbol("c") * a / b**2, "x", Tex())
    assert max(map(size, text.split("\\\\"))) < 2 * WIDE and problems(text) == []
    assert text.startswith(r"x &= -c \Bigl(") and r"\Bigr) \Big/ \Bigl(" in text.replace("\\\\\n&\\quad ", "")
    assert text.endswith(r"\Bigr)^{2}")
    assert equation(1 / b, "x", Tex()).startswith(r"x &= 1 \Big/ \Bigl(")
