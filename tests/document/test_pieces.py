"""The pieces from which pages are put together: formulas in a line, small curves, tables, numbers."""

from __future__ import annotations

import base64
import re
import unicodedata
from xml.etree import ElementTree

import numpy as np
import pytest
import symengine as se

from dalembert.document.curve import drawn
from dalembert.document.html import number, write_notebook, write_page
from dalembert.document.nodes import Formula, Name, Number, Paragraph, Sparkline, Table, Tone, rounded
from dalembert.document.typeset import math, prose
from dalembert.forms import FORMS
from dalembert.language.parser import parse
from dalembert.language.vocabulary import Vocabulary


def line(text) -> str:
    """Return what a notebook gets of a piece of text."""
    return re.sub(r"^<p[^>]*>|</p>$", "", write_notebook(Paragraph(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", "<i>x</i>"),
        ("phi'", "<i>φ̇</i>"),
        ("phi_crank''", "<i>φ̈</i><sub>crank</sub>"),
        ("q12", "<i>q</i><sub>12</sub>"),
        ("m1_a_b", "<i>m</i><sub>1,a,b</sub>"),
        ("_x", "_x"),
        ("lambda", "<i>λ</i>"),
        ("rate_1", "rate<sub>1</sub>"),
        ("rate'", "ṙate"),
    ],
)
def test_names_as_by_hand(text, expected):
    assert line(Name(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x - l*sin(phi)", "<i>x</i> − <i>l</i>\u2009sin\u2009<i>φ</i>"),
        ("-x - y", "−<i>x</i> − <i>y</i>"),
        ("x^2/2", "(1/2)\u2009<i>x</i><sup>2</sup>"),
        ("m*(x + y)/(2*l)", "<i>m</i>\u2009(<i>x</i> + <i>y</i>)/(2\u2009<i>l</i>)"),
        ("(x + y)/l", "(<i>x</i> + <i>y</i>)/<i>l</i>"),
        ("(x + y)^(1/3)", "(<i>x</i> + <i>y</i>)<sup>1/3</sup>"),
        ("x^sin(y) + 1", "<i>x</i><sup>sin\u2009<i>y</i></sup> + 1"),
        ("sqrt(x)", "√(<i>x</i>)"),
        ("max(x, 2)", "max(2, <i>x</i>)"),
        ("(x/y)^2", "<i>x</i><sup>2</sup>/<i>y</i><sup>2</sup>"),
    ],
)
def test_formulas_in_a_line(text, expected):
    names = {symbol: se.Symbol(symbol) for symbol in ("x", "y", "l", "m", "phi")}
    assert line(Formula(parse(text, Vocabulary((), tuple(names))))) == expected


def test_long_formulas_are_cut_between_terms():
    x = se.Symbol("x")
    long = se.Add(*[se.sin(k * x) for k in range(1, 40)])
    shown = re.sub(r"<[^>]*>", "", line(Formula(long)))
    assert shown.endswith("further terms)") and shown.count("(") == shown.count(")")
    assert "a formula of" in line(Formula(se.sin(long) * x))


def picture(markup: str) -> ElementTree.Element:
    found = re.search(r"base64,([^\"]+)", markup)
    assert found
    return ElementTree.fromstring(base64.b64decode(found[1]).decode())


def test_small_curves_are_pictures():
    t = np.linspace(0, 10, 5000)
    values = np.sin(t)
    values[2500] = 7.0  # a peak that thinning must not lose
    markup = drawn(Sparkline(t, values, 'a "title" <'))
    (line,) = picture(markup).iter("{http://www.w3.org/2000/svg}polyline")
    points = np.array([[float(x) for x in pair.split(",")] for pair in line.get("points", "").split()])
    assert len(points) < 300
    assert points[:, 1].min() == 3.0  # the peak, at the upper edge
    assert points[np.argmin(points[:, 1]), 0] == pytest.approx(75, abs=1)
    assert points[:, 0].min() == 3 and points[:, 0].max() == 147
    assert "<" not in markup[1:-1]


def test_curves_have_gaps_where_nothing_is_known():
    t = np.arange(10.0)
    values = t.copy()
    values[4] = np.nan
    lines = list(picture(drawn(Sparkline(t, values, marks=[(1.0, 1.0)]))).iter("{http://www.w3.org/2000/svg}polyline"))
    assert [len(line.get("points", "").split()) for line in lines] == [4, 5]
    assert drawn(Sparkline(t, t * np.nan)) == "" and drawn(Sparkline(t[:1], t[:1])) == ""


def test_rounding_errors_are_not_drawn():
    svg = picture(drawn(Sparkline(np.arange(50.0), 1e-15 * np.sin(np.arange(50.0)))))
    (line,) = svg.iter("{http://www.w3.org/2000/svg}polyline")
    heights = [float(pair.split(",")[1]) for pair in line.get("points", "").split()]
    assert max(heights) - min(heights) < 0.2


@pytest.mark.parametrize("writer", [write_notebook, lambda part: write_page([part])])
def test_tables_count_what_they_leave_out(writer):
    assert "… and 8 more" in writer(Table([(str(k),) for k in range(20)], ("a",)))
    assert writer(Table([], ("a",))) == ""
    assert "&lt;b&gt;" in writer(Table([("<b>",)])) and "<b>x</b>" in writer(Table([(Tone("x", "strong"),)]))
    assert "`a`" in writer(Table([("`a`",)]))  # a name of the user


@pytest.mark.parametrize("writer", [write_notebook, lambda part: write_page([part])])
def test_sentences_have_code(writer):
    assert ">use <code>a&lt;b</code></p>" in writer(Paragraph("use `a<b`"))
    assert ">one ` alone</p>" in writer(Paragraph("one ` alone"))


def test_numbers():
    assert [Number(x).text for x in (-0.0, 1 / 3, 1e-15)] == ["0", "0.333333", "1e-15"]
    assert (rounded(1e-15, 1.0).text, rounded(-1e-15, 0.0).text) == ("0", "-1e-15")
    shown = [number(Number(x)) for x in (1e-7, -1e12, -2.5e-7, 0.1)]
    assert shown == ["10<sup>−7</sup>", "−10<sup>12</sup>", "−2.5&#8239;·&#8239;10<sup>−7</sup>", "0.1"]


def test_dots_are_written_of_every_letter():
    """Unicode has one character for some letters with a dot, and none for others."""
    assert prose("M(Ḋu + ḃ), ẋ, ẍ, q̇, φ̈") == (
        r"M($\dot{D}$u + $\dot{b}$), $\dot{x}$, $\ddot{x}$, $\dot{q}$, $\ddot{\phi}$"
    )
    assert math("Ḋu + ė") == r"\dot{D} u + \dot{e} "
    assert prose("Łódź, naïve, ż") == "Łódź, naïve, ż"


def test_titles_of_all_forms_keep_their_dots():
    for form in FORMS.values():
        written, dots = prose(form.title), unicodedata.normalize("NFD", form.title)
        assert written.count(r"\dot") == dots.count("\u0307") and written.count(r"\ddot") == dots.count("\u0308")
