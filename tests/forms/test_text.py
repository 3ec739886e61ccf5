"""Derivations as text: whole in files and pipes, in lines of its width on a terminal; nothing is ever left out."""

from __future__ import annotations

import re

import pytest

from dalembert import example
from dalembert.cli import terminal
from dalembert.language.printing import to_text, wrap
from tests.cli.conftest import command

__all__ = ["command"]


@pytest.fixture(scope="module")
def long():
    return example("four-bar").derive("explicit")


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_a_formula_is_a_whole_line(long):
    name, text = max(
        ((n, to_text(e)) for n, e in long.abbreviation_expressions.items()), key=lambda entry: len(entry[1])
    )
    assert len(text) > 120
    assert f"  {name} = {text}" in str(long).splitlines() and "…" not in str(long)
    shown = str(long)
    for row in long.reaction_expressions.values():
        assert all(to_text(entry) in shown for entry in row if entry != 0)


def test_rows_are_not_counted_but_written():
    derivation = example("chain:10").derive("multipliers")
    lines = str(derivation).splitlines()
    start, end = lines.index("Equations"), lines.index("Constraints")
    assert end - start - 1 == len(derivation.expressions) == 30
    assert sum(line.startswith("  ") and ": " in line for line in lines[end:]) >= len(derivation.system.constraints)


def test_a_session_is_told_where_the_rest_is(long):
    shown = repr(long).splitlines()
    assert shown[-1] == "(shortened; `print` shows all of it)" and max(map(len, shown)) <= 161
    short = example("pendulum").derive("minimal")
    assert repr(short) == str(short)


@pytest.mark.parametrize("width", [50, 80, 100])
def test_with_a_width_it_is_the_same_in_more_lines(long, width):
    text = long.text(width)
    assert max(len(re.sub("[\u0307\u0308]", "", line)) for line in text.splitlines()) <= width
    assert squeezed(text) == squeezed(str(long))


def test_what_follows_stands_below_the_formula(long):
    lines = long.text(70).splitlines()
    name = max(long.abbreviation_expressions, key=lambda name: len(to_text(long.abbreviation_expressions[name])))
    first = next(k for k, line in enumerate(lines) if line.startswith(f"  {name} = "))
    assert lines[first + 1].startswith(" " * len(f"  {name} = "))
    assert lines[first + 1].lstrip()[0] in "+-*/="  # a line begins with an operator


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("a + b", 20, ["a + b"]),
        ("a*cos(x + y) - b*sin(x) = 0", 16, ["a*cos(x + y)", "    - b*sin(x)", "    = 0"]),
        ("alpha*beta*gamma*delta", 12, ["alpha*beta", "    *gamma", "    *delta"]),
        ("[first, second, third]", 12, ["[first,", "    second,", "    third]"]),
        ("averyverylongname + b", 10, ["averyverylongname", "    + b"]),
        ("averyverylongname", 10, ["averyverylongname"]),
        ("", 10, [""]),
    ],
)
def test_lines_end_at_operators(text, width, lines):
    assert wrap(text, width) == lines


def test_a_pipe_gets_all_of_it(command, long):
    out = command("derive", "four-bar", "--form", "explicit")[1]
    assert out == f"{long}\n"


def test_a_terminal_gets_lines_of_its_width(command, monkeypatch, long):
    monkeypatch.setattr(terminal, "is_terminal", lambda err=False: True)
    monkeypatch.setattr(terminal, "width", lambda: 72)
    monkeypatch.setenv("NO_COLOR", "1")
    out = command("derive", "four-bar", "--form", "explicit")[1]
    assert out == f"{long.text(72)}\n"
