"""Formulas in MathML: read back and evaluated they are what they were, and they are written as by hand."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import symengine as se

from dalembert import example
from dalembert.document.mathml import MathML, formula, matrix
from dalembert.document.readable import MOST, name_parts, written
from dalembert.document.symbols import mathml
from dalembert.language.parser import parse
from dalembert.language.vocabulary import Vocabulary

terms = MathML().terms


def signed(expressions):
    return MathML().pieces(expressions)


x, y, v, a, m, lam = (se.Symbol(name) for name in ("x", "y", "x'", "x''", "m_1", "lambda_rod"))


class Reader:
    """Evaluates MathML as it looks: nothing is known of how it was made but what a reader knows of mathematics."""

    functions = {"arcsin": math.asin, "arccos": math.acos, "arctan": math.atan, "max": max, "min": min,
                 "sgn": lambda u: (u > 0) - (u < 0), "atan2": math.atan2, "log": math.log}  # fmt: skip
    functions |= {name: getattr(math, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}

    def __init__(self, values: dict[str, float]):
        self.values = {mathml(name): value for name, value in values.items()}

    def __call__(self, text: str) -> float:
        return self.row([ElementTree.fromstring(f"<mrow>{text}</mrow>")])

    def row(self, nodes: list) -> float:
        tokens: list = []
        for node in nodes:
            tokens += self.tokens(node)
        total, rest = self.sum(tokens)
        assert not rest, rest
        return total

    def tokens(self, node) -> list:
        if node.tag in ("mrow", "mspace") and not self.known(node):
            return [token for child in node for token in self.tokens(child)]
        if node.tag == "mo":
            return [node.text] if node.text not in ("\u2061", "\u2062") else []
        if node.tag == "mi" and node.text in self.functions:
            return [(self.functions[node.text], 1.0)]
        if node.tag == "msup" and node[0].text in self.functions:
            return [(self.functions[node[0].text], self.row([node[1]]))]
        return [self.value(node)]

    def known(self, node) -> bool:
        return ElementTree.tostring(node, "unicode") in self.values

    def value(self, node) -> float:
        text = ElementTree.tostring(node, "unicode")
        if text in self.values:
            return self.values[text]
        if node.tag == "mi":
            return {"π": math.pi, "e": math.e}[node.text]
        if node.tag == "mn":
            return float(node.text)
        if node.tag == "mfrac":
            return self.row([node[0]]) / self.row([node[1]])
        if node.tag == "msqrt":
            return math.sqrt(self.row(list(node)))
        if node.tag == "msup":
            return self.row([node[0]]) ** self.row([node[1]])
        if node.tag == "msubsup":
            base = f"<msub>{''.join(ElementTree.tostring(part, 'unicode') for part in node[:2])}</msub>"
            return self.values[base] ** self.row([node[2]])
        raise AssertionError(text)

    def sum(self, tokens: list) -> tuple[float, list]:
        total, sign = 0.0, 1.0
        if tokens[0] in ("−", "+"):
            sign, tokens = -1.0 if tokens[0] == "−" else 1.0, tokens[1:]
        while True:
            value, tokens = self.product(tokens)
            total += sign * value
            if not tokens or tokens[0] not in ("−", "+"):
                return total, tokens
            sign, tokens = -1.0 if tokens[0] == "−" else 1.0, tokens[1:]

    def product(self, tokens: list) -> tuple[float, list]:
        total = 1.0
        while tokens and tokens[0] not in ("−", "+", ")", ",", "|END"):
            if tokens[0] == "⋅":
                tokens = tokens[1:]
                continue
            if tokens[0] == "|" and "|" not in tokens[1:]:
                break
            value, tokens = self.factor(tokens)
            total *= value
        return total, tokens

    def factor(self, tokens: list) -> tuple[float, list]:
        first, rest = tokens[0], tokens[1:]
        if first == "(":
            value, rest = self.sum(rest)
            assert rest[0] == ")"
            return value, rest[1:]
        if first == "|":
            end = rest.index("|")
            return abs(self.sum(rest[:end])[0]), rest[end + 1 :]
        if isinstance(first, tuple):
            function, power = first
            values = []
            if rest[0] == "(":
                while rest[0] != ")":
                    value, rest = self.sum(rest[1:])
                    values.append(value)
                rest = rest[1:]
            else:
                values, rest = [rest[0]], rest[1:]
            return function(*values) ** power, rest
        return first, rest


VALUES = {"x": 0.7, "y": 1.3, "x'": -0.4, "x''": 2.1, "m_1": 0.9, "lambda_rod": -1.7}
CASES = [
    -(x + 1), -2 * (x + y), x - y, -x - y, x * (y - 1) / 2, -x * (x + 1) / (2 * v), (x + 1) ** 2 / (y - 3),
    se.sqrt(x**2 + 1) / 3, 1 / se.sqrt(x), x**-2, 2 / (3 * x), -3 * x / (7 * y * se.cos(x)), m**2 * v**2 / 2,
    se.exp(-(x**2)), se.atan2(x, y), se.Abs(x - y), 1.5e-7 * x, se.Rational(2, 3) * x, 2**x, (x * y) ** se.Rational(1, 3),
    se.sin(x) ** 2 * se.cos(2 * x + 1), se.sin(x + y) ** -2, se.asin(x / 2) * v, se.Max(x, y - 1), se.pi * x / 4,
    (x + y) * (x - y) * se.sin(x) * a, -(x - y) / (x + y), (-x) ** 3, se.sqrt(se.sqrt(x) + y) * (1 - se.cos(y)), se.log(x + 2),
    lam * m * se.cos(x) - a * m, 0 * x, x * 1.0, -0.5 * (x + y) ** 2, se.sin(-x) * y, (v**2) ** se.Rational(3, 2),
]  # fmt: skip


@pytest.mark.parametrize("expr", CASES, ids=str)
def test_what_is_written_is_what_was_meant(expr):
    expr = se.sympify(expr)
    expected = float(expr.xreplace({se.Symbol(name): se.RealDouble(value) for name, value in VALUES.items()}))
    assert Reader(VALUES)(formula(expr)) == pytest.approx(expected, rel=1e-9)
    assert Reader(VALUES)("".join(signed(terms(expr)))) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["pendulum", "slider-crank", "engine", "heavy-top", "four-bar", "andrews-squeezer"])
def test_formulas_of_the_gallery_read_back(name, random):
    """Equations with multipliers, constraints and reactions, broken into pieces as on the page."""
    system = example(name)
    derivation = system.derive("multipliers")
    expressions = [*derivation.expressions, *(c.expression for c in system.constraints), *derivation.total_expressions]
    names = sorted({symbol.name for expr in expressions for symbol in expr.free_symbols})
    values = {name: float(random.uniform(0.5, 1.5)) for name in names}
    substitution = {se.Symbol(name): se.RealDouble(value) for name, value in values.items()}
    for expr in expressions:
        if expr == 0:
            continue
        expected = float(expr.xreplace(substitution).n(53, real=True))
        pieces = [float(abs(term.xreplace(substitution).n(53, real=True))) for term in terms(expr)]
        found = Reader(values)("".join(signed(terms(expr))))
        assert found == pytest.approx(expected, abs=1e-5 * max(pieces))  # numbers are written with six digits


def test_they_are_written_as_by_hand():
    plain = re.sub(r"<[^>]*>|&[^;]*;", "", formula(m * v**2 / 2 + m * a * se.cos(x) + lam * x))
    assert plain == "m1x¨cosx+12m1x˙2+xλrod"  # accelerations first, functions last, multipliers at the end
    assert formula(se.sin(x) ** 2).startswith("<mrow><msup><mi>sin</mi>")
    assert "<mfrac>" in formula(x / y)
    assert formula(se.sqrt(x)) == "<msqrt><mi>x</mi></msqrt>"
    choice = formula(parse("if(x < y, 1, x)", Vocabulary(coordinates=("x", "y"))))
    assert "<mtable>" in choice
    assert "&lt;" in choice


def test_brackets_grow_around_what_is_tall_only():
    assert 'stretchy="false">(' in formula(2 * (x + y) * a)
    assert 'stretchy="true">(' in formula(2 * (x + 1 / y) * a)


def test_a_matrix():
    text = matrix([["<mn>1</mn>", "<mn>2</mn>"], ["<mn>3</mn>", "<mn>4</mn>"]])
    assert ElementTree.fromstring(text).findall(".//mtr")[1].findall("mtd")[0].find("mn").text == "3"


def test_sums_with_many_terms_are_in_the_order_of_numbers():
    names = [f"b{k}" for k in (10, 2, 1, 33)]
    assert [str(term) for term in terms(se.Add(*map(se.Symbol, names)))] == ["b1", "b2", "b10", "b33"]


def test_what_nobody_would_read_is_cut_and_said_to_be_so():
    long = se.Add(*[se.Symbol(f"b{k}") for k in range(100)])
    assert "(88 further terms)" in written(long)
    huge = x * se.Add(*[se.Symbol(f"b{k}") * y**k for k in range(100)])
    assert "symbols and operations" in written(huge)
    assert MOST < 500


def test_repeated_parts_get_names_and_mean_the_same():
    root = se.sqrt(x**2 + y**2 + 2 * x * y * se.cos(x - y) + m * a)
    given = [x / root + root * se.sin(y) + (root - 1) ** 2, y * root + 1 / (2 + root)]
    given = [expr + k * x**3 for k, expr in enumerate(given)]
    found, named = name_parts(given, ["x", "y", "u"])
    assert named
    assert all(name.startswith("uu") for name in named)  # as u is taken
    back = {se.Symbol(name): expr for name, expr in reversed(named.items())}
    for old, new in zip(given, found, strict=True):
        for symbol, expr in back.items():
            new = new.xreplace({symbol: expr})
        assert new == old
    assert np.mean([len(str(new)) < len(str(old)) for old, new in zip(given, found, strict=True)]) == 1


def test_a_long_fraction_may_take_several_lines():
    """What it is divided by stands in front; the sum above the bar breaks between its terms."""
    above = se.Add(*(se.Symbol(f"a{k}") * se.sin(se.Symbol(f"b{k}")) for k in range(8)))
    pieces = signed([-m * above / (x + y)])
    assert len(pieces) == 9
    assert pieces[0].startswith("<mrow><mo") and "−" in pieces[0] and "<mfrac>" in pieces[0]
    assert not any("<mfrac>" in piece for piece in pieces[1:])
