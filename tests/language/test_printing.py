"""Expressions as text: what is printed reads as the same expression, and has the same value."""

from __future__ import annotations

import itertools
import math
import re

import mpmath
import pytest
import symengine as se
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dalembert import System, loads
from dalembert.errors import ModelError
from dalembert.language.bounds import MAX_DEPTH
from dalembert.language.parser import Vocabulary, parse, parse_value
from dalembert.language.printing import to_text
from dalembert.language.program import Program
from dalembert.language.walk import fold

COORDINATES, PARAMETERS = ("x", "phi"), ("m", "k_1")
SYMBOLS = ("x", "x'", "phi", "phi''", "m", "k_1", "t")
quick = settings(deadline=None, max_examples=400)


def names() -> Vocabulary:
    return Vocabulary(COORDINATES, PARAMETERS)


# --- random expressions, as text with every parenthesis --------------------------------------------------------------

SMOOTH = ["sin", "cos", "tan", "asin", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"]
EXPONENTS = ["2", "3", "-1", "-2", "1/2", "-1/2", "3/2", "-3/2", "1/3", "0.5", "-2.5", "7"]
PATTERNS = ["({})+({})", "({})-({})", "({})*({})", "({})/({})", "-({})"]
PATTERNS += [f"({{}})^({exponent})" for exponent in EXPONENTS] + [f"{name}({{}})" for name in SMOOTH]
CONDITIONS = ["{} < {}", "{} >= {}", "{} <= {} and {} > {}", "{} < {} or not {} <= {}"]
SWITCHING = ["({})**({})", "atan2({}, {})", "min({}, {})", "max({}, {}, {})", "abs({})", "sign({})", "step({})"]
SWITCHING += [f"if({condition}, {{}}, {{}})" for condition in CONDITIONS]
atoms = st.one_of(st.sampled_from([*SYMBOLS, "pi", "e"]), st.integers(0, 40).map(str), st.floats(1e-5, 1e5).map(repr))


@st.composite
def texts(draw, patterns: list[str], depth: int) -> str:
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(atoms)
    pattern = draw(st.sampled_from(patterns))
    return pattern.format(*(draw(texts(patterns, depth - 1)) for _ in range(pattern.count("{}"))))


def read(text: str) -> se.Basic:
    """Parse a random text; those that divide by zero and the like are of no interest."""
    try:
        return parse(text, names())
    except ModelError:
        assume(False)
        raise


@quick
@given(texts(PATTERNS + SWITCHING, 4))
def test_what_is_printed_reads_as_the_same_expression(text):
    expr = read(text)
    assert parse(to_text(expr), names()) == expr


@quick
@given(texts(PATTERNS, 4), st.lists(st.floats(0.1, 3.0), min_size=len(SYMBOLS), max_size=len(SYMBOLS)))
def test_what_is_printed_has_the_same_value(text, point):
    expr = read(text)
    expected = evaluate(text, point)
    slack = sum(abs(evaluate(text, point, moved) - expected) for moved in (1e-13, -3e-13))
    assume(math.isfinite(slack) and slack < 1e-3 * (1 + abs(expected)))
    assert evaluate(to_text(expr), point) == pytest.approx(expected, rel=1e-9, abs=10 * slack + 1e-12)
    program = Program([se.Symbol(name) for name in SYMBOLS], [expr])
    assert program.floats(point)[0] == pytest.approx(expected, rel=1e-9, abs=10 * slack + 1e-12)


def evaluate(text: str, point: list[float], moved: float = 0.0) -> float:
    """Evaluate text by the rules of Python, which are those of the grammar once ^ is **, with many digits.

    `moved` shifts all numbers a little, each by an amount of its own, to tell what rounding can do to the value.
    """
    shifts = itertools.cycle([1, -2, 3, -1, 2, -3, 5])

    def number(value: float | str) -> mpmath.mpf:
        return mpmath.mpf(value) * (1 + moved * next(shifts))

    def guarded(function):
        def call(u):
            if abs(u) > 600 or not isinstance(u, mpmath.mpf):
                raise OverflowError
            return function(u) * (1 + moved * next(shifts))

        return call

    values = {name.replace("'", "_"): number(value) for name, value in zip(SYMBOLS, point, strict=True)}
    functions = {name: guarded(getattr(mpmath, name)) for name in SMOOTH} | {"log": mpmath.log, "sqrt": mpmath.sqrt}
    python = re.sub(r"([A-Za-z]\w*)('*)", lambda match: match[1] + "_" * len(match[2]), text.replace("^", "**"))
    python = re.sub(r"(?<![\w.])\d[\d.]*(e[-+]?\d+)?", lambda match: f"number({match[0]!r})", python)
    with mpmath.workdps(40):
        try:
            value = eval(python, {"number": number, "pi": +mpmath.pi, "e": +mpmath.e} | functions | values)
        except (OverflowError, ZeroDivisionError, ValueError):
            return math.nan
        return float(value) if isinstance(value, mpmath.mpf) and abs(value) < 1e12 else math.nan


# --- how it looks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("m*x'^2/2", "m*x'^2/2"),
        ("-m*x", "-m*x"),
        ("x - m", "x - m"),
        ("-m + x", "x - m"),
        ("-m - x", "-m - x"),
        ("2 + x", "x + 2"),
        ("1 - x", "1 - x"),
        ("-(x + m)", "-(m + x)"),
        ("2*(x + m)", "2*(m + x)"),
        ("x*(m + 1)^2", "x*(m + 1)^2"),
        ("sin(x)*m", "m*sin(x)"),
        ("x/m", "x/m"),
        ("x/m/phi", "x/(m*phi)"),
        ("1/x", "1/x"),
        ("1/x^2", "1/x^2"),
        ("1/(x + 1)", "1/(x + 1)"),
        ("x^(-1/2)", "1/sqrt(x)"),
        ("x^(3/2)", "x^(3/2)"),
        ("x^(-3/2)", "1/x^(3/2)"),
        ("x^phi^m", "x^(phi^m)"),
        ("(-x)^0.5", "(-x)^0.5"),
        ("x^(-m)", "x^(-m)"),
        ("(1/3)^x", "(1/3)^x"),
        ("e^x", "exp(x)"),
        ("e", "exp(1)"),
        ("x*e^(-x)", "x*exp(-x)"),
        ("2/3*x", "2*x/3"),
        ("-x/3", "-x/3"),
        ("1e-7*x", "1e-07*x"),
        ("-2.5*x", "-2.5*x"),
        ("abs(x) + max(x, 1)", "abs(x) + max(1, x)"),
        ("if(x > 0 and m <= 1, x, 2)", "if(0 < x, if(m <= 1, x, 2), 2)"),
        ("step(x)", "step(x)"),
    ],
)
def test_how_it_looks(text, printed):
    assert to_text(parse(text, names())) == printed


def test_negative_numbers_under_a_power_keep_their_parentheses():
    for number in (-2, se.Rational(-1, 2), -0.5, -0.0):
        assert to_text(se.sympify(number) ** se.Symbol("x")).startswith("(-")


@pytest.mark.parametrize(
    "node", [se.I, se.zoo, se.nan, se.oo, se.cot(se.Symbol("x")), se.Function("f")(se.Symbol("x")), 1 + se.I]
)
def test_what_has_no_place_in_the_grammar(node):
    with pytest.raises(ValueError, match="no way to write"):
        to_text(node * se.Symbol("y") + 1 if node.is_Function else node)


# --- depth and size --------------------------------------------------------------------------------------------------

NESTINGS = [
    ("sin(", ")"),
    ("x^", ""),
    ("1/(1 + ", ")"),
    ("(1 + ", ")^(-2)"),
    ("(1 - ", ")^(-m/2)"),
    ("x - m*(", " + 1)"),
    ("-exp(-(x + ", "))"),
    ("if(x < ", ", 1, 2)"),
    ("if(x < 1 and not m < 1, ", ", x)"),
    ("max(x, 1/sqrt(", "))"),
    ("sqrt(2 + ", ")"),
    ("1/sin(", ")"),
]


@pytest.mark.parametrize(("before", "after"), NESTINGS)
def test_whatever_may_be_read_may_be_printed_and_read_again(before, after):
    """However deep: printing takes more levels than the text had, but never more than are read."""
    read_at_all = 0
    for levels in range(1, 2 * MAX_DEPTH, 3):
        try:
            expr = parse(before * levels + "x" + after * levels, names())
        except ModelError:
            break
        read_at_all = levels
        assert parse(to_text(expr), names()) == expr
    assert read_at_all > 20


def test_definitions_are_printed_in_full_and_read_again():
    definitions: dict = {}
    vocabulary = Vocabulary(COORDINATES, PARAMETERS, definitions)
    definitions["a"] = parse_value("x + m*sin(phi)/2", vocabulary)
    for first, second in ["ab", "bc", "cd", "df", "fg", "gh"]:
        definitions[second] = parse_value(f"{first}*sin({first})^2/(1 + {first}^2)", vocabulary)
    expr = parse("h", vocabulary)
    assert parse(to_text(expr), names()) == expr


def test_shared_parts_are_visited_once():
    expr = se.Symbol("x")
    for _ in range(60):
        expr = se.sin(expr) * se.cos(expr) + expr**2
    visited = []
    fold(expr, lambda node, args: visited.append(node))
    assert len(visited) < 400


def test_pi_is_written_out_where_a_name_of_the_model_is_pi():
    for name in ("x", "pi"):
        system = System(
            name, kinetic=f"acos(-1)*{name}'^2/2", potential="pi", parameters={} if name == "pi" else {"pi": 5}
        )
        assert loads(str(system)) == system
        assert "acos(-1)" in str(system)
    assert to_text(se.pi * se.Symbol("pi'")) == "pi'*acos(-1)"
    assert to_text(2 * se.pi) == "2*pi"
