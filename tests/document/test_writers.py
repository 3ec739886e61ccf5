"""One document in every writer: nothing is lost, nothing of the user's text is taken for more than text."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import fields, is_dataclass
from typing import get_args

import numpy as np
import pytest
import symengine as se

from dalembert import System, example
from dalembert.document import nodes
from dalembert.document.as_data import write_data
from dalembert.document.html import write_notebook, write_page
from dalembert.document.latex import write_latex
from dalembert.document.markdown import write_markdown
from dalembert.document.nodes import (
    Code,
    Equation,
    Equations,
    Figure,
    Formula,
    Listing,
    Matrix,
    Name,
    Note,
    Number,
    Paragraph,
    Section,
    Sparkline,
    Table,
    Tone,
)
from dalembert.document.text import write_text
from tests.forms.tex import problems

EVIL = "<b> & `x` $y$ \\z_1 % #"
x, y = se.symbols("x y'")
WRITERS = {
    "text": write_text,
    "lines": lambda part: write_text(part, 60),
    "colours": lambda part: write_text(part, 60, colour=True),
    "page": lambda part: str(write_page([part])),
    "notebook": write_notebook,
    "latex": lambda part: write_latex([part]),
    "markdown": lambda part: write_markdown(part, "elsewhere"),
    "data": lambda part: json.dumps(write_data(part), ensure_ascii=False),
}


def everything() -> Section:
    """One of each kind, in which every word can be found again."""
    text = (
        "of ",
        Tone("tone", "good"),
        " and ",
        Name("phi"),
        Number(2.5e-7),
        Formula(x**2),
        Sparkline(np.arange(3.0), np.arange(3.0)),
    )
    return Section(
        "Title",
        [
            Paragraph(("paragraph ", text)),
            Note("use `code` here", "warning"),
            Listing(["first item", "second item"]),
            Listing(["short", "shorter"], short=True, title="list"),
            Table([(EVIL, Number(12.5), ""), ("cell", Number(-3), "")], ("head", "value", "")),
            Section("Inner", [Equations([Equation(x + y, name="named"), Equation("q", x, said="spoken")]), Matrix("D", [[x], [y]])]),
            Code("typed"),
            Figure("<p>picture</p>", "picture"),
        ],
        said=Tone("verdict", "bad"),
    )  # fmt: skip


@pytest.mark.parametrize("writer", WRITERS)
def test_nothing_is_lost(writer):
    text = re.sub(r"\x1b\[[\d;]*m", "", WRITERS[writer](everything()))
    words = ["Title", "verdict", "paragraph", "tone", "code", "first item", "second item", "short", "shorter", "cell"]
    words += ["head", "value", "12.5", "3", "Inner", "typed", "picture", "named", "spoken", "D"]
    words.remove("D") if writer == "notebook" else None  # matrices are typeset where they are shown
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("kind", [kind.__name__ for kind in get_args(nodes.Block)])
def test_every_kind_of_node_is_tried_above_and_is_frozen(kind):
    found, waiting = set(), [everything()]
    while waiting:
        part = waiting.pop()
        found.add(type(part).__name__)
        waiting += getattr(part, "parts", [])
    assert kind in found
    made = getattr(nodes, kind)
    assert is_dataclass(made) and made.__dataclass_params__.frozen and fields(made)


@pytest.mark.parametrize("writer", ["page", "notebook"])
def test_text_of_the_user_is_no_html(writer):
    assert "<b> &" not in WRITERS[writer](everything()) and "&lt;b&gt; &amp; `x` $y$" in WRITERS[writer](everything())


def test_text_of_the_user_is_no_latex():
    text = write_latex([everything()])
    assert problems(text) == [] and r"\textasciigrave{}x\textasciigrave{} \$y\$" in text
    assert r"2.5 \cdot 10^{-7}" in text and r"\texttt{code}" in text


def test_quotation_marks_are_no_code():
    assert write_latex([Paragraph("a “word” and `code`")]) == "a ``word'' and \\texttt{code}\n"


def test_zero_is_a_number():
    part = Equations([Equation(x)])
    assert "<i>x</i> = 0" in write_notebook(part) and "<mn>0</mn>" in write_page([part])
    assert write_text(part) == "x = 0" and "x = 0" in write_latex([part])


def test_tables_in_text_are_aligned():
    rows = [("x", Number(-0.5), ""), ("phi", Number(12), ""), ("q̈", Tone("none", "bad"), "")]
    assert write_text(Table(rows[:2], ("", "value", ""))).split("\n") == ["     value", "x     -0.5", "phi     12"]
    assert write_text(Table(rows)).split("\n") == ["x    -0.5", "phi  12", "q̈    none"]  # dots take no room
    assert write_text(Table([(str(k),) for k in range(9)], most=3)).endswith("2\n… and 6 more")
    assert write_text(Table([(str(k),) for k in range(4)], most=3)).endswith("3")  # to leave out one saves nothing


@pytest.mark.parametrize("width", [30, 50, 80])
def test_lines_of_a_terminal_are_not_wider(width):
    rows = [("name", "a sentence of many words that does not fit into one line of a small terminal")]
    part = Section(
        "A title of some words", [Note("word " * 30), Table(rows), Paragraph("word " * 30)], "and more words"
    )
    text = write_text(part, width)
    assert max(len(unicodedata.normalize("NFC", line)) for line in text.split("\n")) <= width
    assert text.split() == write_text(part).split()
    assert "\n    word" in text and "\n  word" in text  # notes hang, paragraphs do not
    below = re.search(r"^  name  a", text, re.MULTILINE)
    assert below and re.search(r"^ {8}\S", text, re.MULTILINE)


def test_colours_leave_the_words():
    coloured = write_text(everything(), 60, colour=True)
    assert "\x1b[1;31mverdict\x1b[0m" in coloured and "\x1b[33mwarning\x1b[0m: use" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == write_text(everything(), 60)


def test_formulas_are_whole_unless_they_are_only_looked_at():
    long = se.Add(*[se.Symbol(f"a{k}") * se.Symbol(f"b{k}") for k in range(80)])
    part = Equations([Equation(long)] * 3)
    whole = write_text(part)
    assert whole.count("\n") == 2 and "…" not in whole
    assert write_text(part, 60, brief=(2, 3)).endswith("characters)\n… and 1 more")
    assert write_text(part, brief=(2, None)) == "\n".join([*whole.split("\n")[:2], "… and 1 more"])


@pytest.mark.parametrize("name", ["pendulum", "four-bar", "chaplygin-sleigh"])
def test_what_is_shown_can_be_written_everywhere(name):
    system = example(name)
    run = system.simulate(0.2)
    for thing in (system, system.check(), system.start(), system.constraints[0], run, run.certificate, system.blocks):
        part = thing.document()
        assert problems(write_latex([part])) == []
        for write in WRITERS.values():
            assert write(part)


def test_models_by_matrices_show_these():
    system = System("x y", mass=[["m", 0], [0, "m"]], force=["-k*x", 0], parameters={"m": 1, "k": 2})
    assert "mass matrix M" in system._repr_html_()
    assert r"\[ M = \left[\begin{array}{cc} m & 0 \\ 0 & m" in write_latex([system.document()])
    assert "[-k*x]" in write_text(system.document())


def test_a_matrix_of_numbers_may_have_more_columns_than_a_bmatrix():
    text = write_latex([Matrix("N", [["1.5*"] * 14], said="at a state")])
    assert "bmatrix" not in text and "{" + "c" * 14 + "}" in text
