"""The grammar of expressions: what it means, what it refuses and with which words, and what it bounds."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import symengine as se

from dalembert.errors import ModelError
from dalembert.language.bounds import MAX_BITS, MAX_DEPTH, MAX_EXPONENT, MAX_NODES
from dalembert.language.building import choose, step
from dalembert.language.parser import (
    MAX_DIGITS,
    MAX_LENGTH,
    MAX_LEVEL,
    MAX_PROBLEMS,
    Vocabulary,
    parse,
    parse_equation,
    parse_value,
)

x, y, dx, ddx, m, t = se.symbols("x y x' x'' m t")
half, one, two = se.Rational(1, 2), se.Integer(1), se.Integer(2)


def names(**definitions) -> Vocabulary:
    return Vocabulary(("x", "y"), ("m",), definitions)


def define(*texts: str) -> Vocabulary:
    """A vocabulary with definitions a, b, … in which each text may use the ones before."""
    definitions: dict = {}
    for name, text in zip("abcdefghijklnopqrsuvwz", texts, strict=False):
        definitions[name] = parse_value(text, Vocabulary(("x", "y"), ("m",), definitions))
    return names(**definitions)


def mistakes(text: str, vocabulary: Vocabulary | None = None, rule=parse) -> list[tuple[int | None, str]]:
    with pytest.raises(ModelError) as caught:
        rule(text, vocabulary or names())
    return [(problem.column, problem.text) for problem in caught.value.problems]


# --- meaning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x + y*m", x + y * m),
        ("(x + y)*m", (x + y) * m),
        ("x - y - m", x - y - m),
        ("x - (y - m)", x - y + m),
        ("x/y/m", x / (y * m)),
        ("x/y*m", x * m / y),
        ("x/(y*m)", x / (y * m)),
        ("2*x^2", 2 * x**2),
        ("(2*x)^2", 4 * x**2),
        ("x^y^2", x ** (y**2)),
        ("(x^y)^2", x ** (2 * y)),
        ("x**y**2", x ** (y**2)),
        ("x**2^3", x**8),
        ("2^3^2", se.Integer(512)),
        ("-x^2", -(x**2)),
        ("(-x)^2", x**2),
        ("x^-2", x**-2),
        ("x^-y^2", x ** (-(y**2))),
        ("-x*y", -x * y),
        ("x*-y", -x * y),
        ("x--y", x + y),
        ("--x", x),
        ("+x", x),
        ("x-+y", x - y),
        ("1/2*x", x / 2),
        ("x^1/2", x / 2),
        ("x^(1/2)", se.sqrt(x)),
        (" \t\n( x\r\n)", x),
    ],
)
def test_precedence(text, meaning):
    assert parse(text, names()) == meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("0", se.Integer(0)),
        ("007", se.Integer(7)),
        ("1/3", one / 3),
        ("0.5", se.RealDouble(0.5)),
        (".5", se.RealDouble(0.5)),
        ("5.", se.RealDouble(5.0)),
        ("1e3", se.RealDouble(1000.0)),
        ("2.5E-3", se.RealDouble(0.0025)),
        ("1.e+2", se.RealDouble(100.0)),
        ("0^0", one),
        ("pi", se.pi),
        ("e", se.E),
        ("t", t),
        ("x", x),
        ("x'", dx),
        ("x''", ddx),
        ("x '", None),
        ("m", m),
    ],
)
def test_numbers_names_and_primes(text, meaning):
    if meaning is None:
        assert mistakes(text)
    else:
        assert parse(text, names()) == meaning


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log"])
def test_smooth_functions(name):
    assert parse(f"{name}(x*y)", names()) == getattr(se, name)(x * y)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("sqrt(x)", se.sqrt(x)),
        ("abs(x)", se.Abs(x)),
        ("sign(x)", se.sign(x)),
        ("sign(-3*x)", -se.sign(x)),
        ("sign(2.0*sign(x))", se.sign(x)),
        ("sign(log(2))", one),
        ("atan2(y, x)", se.atan2(y, x)),
        ("min(x, y, m)", se.Min(x, y, m)),
        ("max(x, 1, 2)", se.Max(x, 2)),
        ("max(x, 1, pi)", se.Max(x, se.pi)),
        ("max(max(x, 1), pi)", se.Max(x, se.pi)),
        ("min(3, pi)", se.Integer(3)),
        ("step(x)", step(x)),
        ("step(-2)", se.Integer(0)),
        ("step(1 - 1)", half),
        ("tan(x + pi/2)", -se.cos(x) / se.sin(x)),
        ("sqrt(4/x)", 2 / se.sqrt(x)),
        ("atan2(1, 2)*x", se.atan(half) * x),
        ("atan2(1, 0)", se.pi / 2),
        ("atan2(-pi, 0)", -se.pi / 2),
        ("atan2(0, -2)", se.pi),
        ("atan2(0, x)", se.atan2(0, x)),
        ("atan2(-sqrt(2), -sqrt(2))", -3 * se.pi / 4),
        ("atan2(-x, x)", -se.pi / 4 + se.pi * (1 - se.sign(x)) / 2),
        ("abs(-abs(x))", se.Abs(x)),
        ("exp(-2000)*x", se.Integer(0)),
    ],
)
def test_functions_of_the_language(text, meaning):
    assert parse(text, names()) == meaning


@pytest.mark.parametrize(
    ("condition", "meaning"),
    [
        ("x < y", choose(x, y, True, one, two)),
        ("x <= y", choose(x, y, False, one, two)),
        ("x > y", choose(y, x, True, one, two)),
        ("x >= y", choose(y, x, False, one, two)),
        ("not x < y", choose(x, y, True, two, one)),
        ("x < y and y < m", choose(x, y, True, choose(y, m, True, one, two), two)),
        ("x < y or y < m", choose(x, y, True, one, choose(y, m, True, one, two))),
        ("not (x < y or y < m)", choose(x, y, True, two, choose(y, m, True, two, one))),
        ("not x < y and y < m", choose(x, y, True, two, choose(y, m, True, one, two))),
        ("x + 1 < 2*y", choose(x + 1, 2 * y, True, one, two)),
        ("1 < 2", one),
        ("2 < 2", two),
        ("2 <= 2", one),
        ("x + 1 < x", two),
        ("pi < sqrt(10)", one),
    ],
)
def test_conditions(condition, meaning):
    assert parse(f"if({condition}, 1, 2)", names()) == meaning


def test_and_binds_tighter_than_or():
    left = parse("if(x < 0 or y < 0 and m < 0, 1, 2)", names())
    assert left == parse("if(x < 0 or (y < 0 and m < 0), 1, 2)", names())
    assert left != parse("if((x < 0 or y < 0) and m < 0, 1, 2)", names())


def test_what_is_declared_wins_over_pi_and_e():
    declared = Vocabulary(("pi",), ("e",))
    assert parse("pi''*e", declared) == se.Symbol("pi''") * se.Symbol("e")
    assert parse("pi", define("x")) == se.pi
    assert parse("e*x", define("1", "1", "1", "1", "y")) == x * y  # the fifth definition is called e


def test_definitions_are_put_in():
    vocabulary = define("x + y", "a^2")
    assert parse("2*b", vocabulary) == 2 * (x + y) ** 2


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x = m*sin(y)", x - m * se.sin(y)),
        ("x' = 0", dx),
        ("0 = x", -x),
        ("x + 1 = 1", x),
        ("if(x < 0, 1, 2) = y", choose(x, se.Integer(0), True, one, two) - y),
    ],
)
def test_equations(text, meaning):
    assert parse_equation(text, names()) == meaning


def test_names_in_other_letters():
    vocabulary = Vocabulary(("φ",), ("größe_2", "_"))
    assert parse("φ''*größe_2 + _", vocabulary) == se.Symbol("φ''") * se.Symbol("größe_2") + se.Symbol("_")


# --- mistakes --------------------------------------------------------------------------------------------------------

MISTAKES = [
    # text, column, words
    ("", 1, "the expression is empty; write at least 0"),
    (" \n", 1, "the expression is empty"),
    ("x +", 4, "the expression ends where a value is expected"),
    ("sin(", 5, "the expression ends where a value is expected"),
    ("*x", 1, "expected a value, got `*`"),
    ("x * / y", 5, "expected a value, got `/`"),
    ("x + ,", 5, "expected a value, got `,`"),
    ("and", 1, "expected a value, got `and`"),
    ("x y", 3, "an operator is missing before `y`; multiplication is written *"),
    ("2 kg", 3, "numbers have no units here: give the value in SI, without `kg`"),
    ("2x", 2, "an operator is missing before `x`; multiplication is written *"),
    ("2(x)", 2, "an operator is missing before `(`; multiplication is written *"),
    ("1e+", 2, "an operator is missing before `e`"),
    ("x if y", 3, "an operator is missing before `if`"),
    ("x!=y", 2, "unexpected `!=`"),
    ("x)", 2, "a closing parenthesis without an opening one"),
    ("x, y", 2, "a comma belongs between the arguments of a function"),
    ("(x, y)", 3, "a comma belongs between the arguments of a function"),
    ("2*(x", 3, "the parenthesis of `(` is never closed"),
    ("sin(x", 4, "the parenthesis of `sin(` is never closed"),
    ("(x = y)", 4, "`=` inside parentheses; an equation has its `=` outside"),
    ("if(x == y, 1, 2)", 6, "`=` inside parentheses"),
    ("x = y", 3, "an equation stands here; expected a value (no `=`)"),
    ("x == y", 3, "an equation stands here; expected a value (no `=`)"),
    # conditions
    ("x < y", 1, "a condition stands where a value is expected; use if(condition, a, b)"),
    ("1 + (x < y)", 4, "a condition stands where a value is expected"),
    ("sin(x < y)", 5, "a condition stands where a value is expected"),
    ("if(x < y < m, 1, 2)", 10, "a condition stands where a value is expected"),
    ("if(x < y, x < y, 1)", 11, "a condition stands where a value is expected"),
    ("-(x < y)", 2, "a condition stands where a value is expected"),
    ("not x", 1, "`not` needs a condition such as x > 0"),
    ("if(x and y < 1, 1, 2)", 6, "`and` joins conditions such as x > 0"),
    ("if(x < 1 or y, 1, 2)", 10, "`or` joins conditions such as x > 0"),
    ("if(x, 1, 2)", 1, "`if` is written if(condition, a, b), as in if(x > 0, 1, -1)"),
    ("1 + if(x < 0, 1)", 5, "`if` is written if(condition, a, b)"),
    ("if()", 1, "`if` is written if(condition, a, b)"),
    # names and functions
    ("xx + 1", 1, "unknown name `xx`; did you mean `x`?"),
    ("2*X", 3, "unknown name `X`; did you mean `x`?"),
    ("quux", 1, "unknown name `quux`; known names: x, y, m, t, pi, e, sin"),
    ("x²", 1, "unknown name `x²`; did you mean `x`?"),
    ("f(x)", 1, "unknown function `f`; did you mean `if`?"),
    ("1 + sine(x)", 5, "unknown function `sine`; did you mean `sin`"),
    ("__import__(x)", 1, "unknown function `__import__`"),
    ("sin", 1, "`sin` is a function; write `sin(…)`"),
    ("x*sin x", 3, "`sin` is a function; write `sin(…)`"),
    ("x(y)", 2, "`x` is no function; multiplication is written `x*(…)`"),
    ("x'(y)", 3, "`x'` is no function; multiplication is written `x'*(…)`"),
    ("pi(x)", 3, "`pi` is no function; multiplication is written `pi*(…)`"),
    ("sin'(x)", 1, "`sin'(` — only coordinates and definitions have time derivatives"),
    ("sin()", 1, "`sin` takes 1 argument, got 0"),
    ("1 + atan2(x)", 5, "`atan2` takes 2 arguments, got 1"),
    ("max(x)", 1, "`max` takes 2 to 100 arguments, got 1"),
    ("min(" + "x, " * 100 + "y)", 1, "`min` takes 2 to 100 arguments, got 101"),
    ("y + x'''", 5, "`x` has 3 primes; accelerations (two) are the limit"),
    ("y*m'", 3, "a prime on `m`, which is a parameter; only coordinates and definitions have time derivatives"),
    ("t'", 1, "a prime on `t`, which is the time; only coordinates and definitions have time derivatives"),
    ("pi'", 1, "a prime on `pi`, which is a constant; only coordinates and definitions have time derivatives"),
    # numbers
    ("2 + 1e400", 5, "the number 1e400 is outside the range of double precision"),
    ("1e-400", 1, "the number 1e-400 is outside the range of double precision"),
    ("9" * 309, 1, "is outside the range of double precision"),
    ("1" * 311, 1, "a number with 311 digits; at most 310 are read"),
    ("x + 0." + "1" * 400, 5, "a number with 401 digits; at most 310 are read"),
    ("1/0", 2, "division by zero"),
    ("x/(2 - 2)", 2, "division by zero"),
    ("x/0.0", 2, "division by zero"),
    ("x/(y - y)", 2, "division by zero"),
    ("x/sin(pi)", 2, "division by zero"),
    ("0^-1", 2, "division by zero"),
    ("x*0.0^(-1/2)", 6, "division by zero"),
    ("(-2)^x", 5, "the exponent varies, so the base must be positive; it is -2"),
    ("0^x'", 2, "the exponent varies, so the base must be positive; it is 0"),
    ("(-1)^(1/2)", 5, "this constant is not a finite real number"),
    ("x*sqrt(2 - 3)", 3, "this constant is not a finite real number"),
    ("log(sin(0))", 1, "this constant is not a finite real number"),
    ("log(x - x)", 1, "this constant is not a finite real number"),
    ("asin(2*x/x)", 1, "this constant is not a finite real number"),
    ("acos(if(1 < 2, pi, x))", 1, "this constant is not a finite real number"),
    ("x + exp(1000)", 5, "this constant is not a finite real number"),
    ("tan(pi/2)", 1, "this constant is not a finite real number"),
    ("1e200*1e200", 6, "this constant is not a finite real number"),
    ("x*1e200*1e200", 2, "a number arises here that is outside the range of double precision"),
    ("x + 1e308 + 1e308", 1, "a number arises here that is outside the range of double precision"),
    ("x*1e308 + x*1e308", 9, "a number arises here that is outside the range of double precision"),
    ("(pi*x)^700", 7, "a number arises here that is outside the range of double precision"),
    ("x^1001", 2, "the exponent 1001 is larger than 1000"),
    ("x^-1e5", 2, "the exponent -100000 is larger than 1000"),
    ("2^(y - y + 9^9)", 2, "the exponent 3.8742e+08 is larger than 1000"),
    ("(x^1000)^2", 9, "the exponent 2000 is larger than 1000"),
    ("(10*x)^400", 7, "the exact numbers in this expression become too long; write them as decimals"),
    ("x*10^-400", 5, "the exact numbers in this expression become too long"),
]


@pytest.mark.parametrize(("text", "column", "words"), MISTAKES, ids=[text[:40] for text, _, _ in MISTAKES])
def test_mistakes(text, column, words):
    (found,) = mistakes(text)
    assert found[0] == column
    assert words in found[1]


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("x + y", 6, "an equation needs `=`, as in `x = l*sin(phi)`; if zero is meant, add `= 0`"),
        ("x == y", 3, "write the equation with a single `=`"),
        ("x = y = m", 7, "an equation has one `=`; write two constraints instead"),
        ("x = y)", 6, "a closing parenthesis without an opening one"),
        ("x y = m", 3, "an operator is missing before `y`"),
        ("x < y = m", 1, "an inequality stands here; a constraint is an equation"),
        ("x = y < m", 4, "a condition stands where a value is expected"),
        ("= x", 1, "expected a value, got `=`"),
        ("x =", 4, "the expression ends where a value is expected"),
    ],
)
def test_mistakes_in_equations(text, column, words):
    (found,) = mistakes(text, rule=parse_equation)
    assert found[0] == column
    assert words in found[1]


def test_a_prime_on_a_definition():
    by_hand = "2*x'*y^2 + 4*x*y*y' + x''*y^2 + 4*x'*y*y' + 2*x*y'^2 + 2*x*y*y''"
    assert se.expand(parse("2*a' + a''", define("x*y^2"))) == parse(by_hand, names())
    assert parse("a'", define("t^2*x' + m")) == parse("2*t*x' + t^2*x''", names())
    assert parse("a'", define("m")) == 0


@pytest.mark.parametrize(
    ("meaning", "text", "words"),
    [
        ("x*y", "a'''", "`a` has 3 primes; two are the limit"),
        ("x'*y", "a''", "`a` depends on velocities; one prime is the limit"),
        ("x''", "a'", "`a` depends on accelerations; no prime can follow"),
    ],
)
def test_too_many_primes_on_a_definition(meaning, text, words):
    (found,) = mistakes(f"2*{text}", define(meaning))
    assert found[0] == 3 and words in found[1]


def test_rates_of_large_definitions_are_bounded():
    many = tuple(f"q{i}" for i in range(4000))
    product = parse_value("*".join(many), Vocabulary(many))
    (found,) = mistakes("a''", Vocabulary(many, definitions={"a": product}))
    assert "too large" in found[1]


def test_time_in_a_constant():
    (found,) = mistakes("2*t", Vocabulary(time=False))
    assert found == (3, "time `t` cannot be used here; expected a constant value")


def test_all_unknown_names_are_reported_at_once():
    found = mistakes("m' + foo*x''' - bar")
    assert [column for column, _ in found] == [1, 6, 10, 17]


@pytest.mark.parametrize(
    ("text", "column", "hint"),
    [
        ("x − y", 3, "write the minus sign as -"),
        ("x – y", 3, "write the minus sign as -"),
        ("x·y", 2, "write multiplication as *"),
        ("x×y", 2, "write multiplication as *"),
        ("x′", 2, "write a derivative with the plain prime '"),
        ("x’", 2, "write a derivative with the plain prime '"),
        ("[x]", 1, "use round parentheses"),
        ("x}", 2, "use round parentheses"),
        ("x.real", 2, "a point belongs into a number, such as 0.5; A.angle and the like stand in [outputs]"),
        ("x.__class__", 2, "a point belongs into a number"),
        ("x; y", 2, "one expression only"),
        ("2'", 2, "a prime stands right after the name of a coordinate, as in phi'"),
        ('__import__("os")', 12, "text has no place in an expression"),
        ("x!", 2, "conditions are written with < <= > >=, and, or, not"),
        ("x & y", 3, "write `and`"),
        ("|x|", 1, "write `or`; the absolute value is abs(x)"),
        ("x % y", 3, "there is no remainder; a hundredth is written 0.01"),
        ("lambda: x", 7, "it has no meaning in an expression"),
        ("x\\y", 2, "it has no meaning in an expression"),
        ("x\0", 2, "it has no meaning in an expression"),
        ("x\u00a0+ y", 2, "it has no meaning in an expression"),  # a space that is none
        ("x\u200b", 2, "it has no meaning in an expression"),  # nor is this, which nobody sees
        ("x\u0301", 2, "it has no meaning in an expression"),  # an accent on its own
        ("٣", 1, "it has no meaning in an expression"),  # a digit, but not one of ours
        ("\ud800", 1, "it has no meaning in an expression"),  # half a character
    ],
)
def test_characters_without_a_meaning(text, column, hint):
    (found,) = mistakes(text)
    assert found[0] == column
    assert re.match(r"unexpected character .*: ", found[1])
    assert hint in found[1]


# --- bounds ----------------------------------------------------------------------------------------------------------


def test_length():
    assert parse("x" + " " * (MAX_LENGTH - 1), names()) == x
    assert mistakes("x" + " " * MAX_LENGTH) == [
        (1, f"the expression has {MAX_LENGTH + 1} characters; at most {MAX_LENGTH} are read")
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(", ")"),
        ("-", ""),
        ("sin(", ")"),
        ("x^", ""),
        ("1 + x*(", ")"),
        ("if(x < ", ", 1, 2)"),
        ("if(not x < ", ", 1, 2)"),
    ],
)
def test_levels_of_the_text(before, after):
    many = 20_000
    (found,) = mistakes(before * many + "x" + after * many)
    assert found[1] == f"nested deeper than {MAX_LEVEL} levels"
    assert found[0] is not None and found[0] <= len(before) * (MAX_LEVEL + 1)


@pytest.mark.parametrize(("before", "after"), [("sin(", ")"), ("y^", ""), ("max(y, 1/", ")"), ("if(y < ", ", 1, 2)")])
def test_depth_of_the_result(before, after):
    inside = next(n for n in range(MAX_DEPTH, 0, -1) if _is_read(before * n + "x" + after * n))
    assert inside >= MAX_DEPTH // 2 - 1
    (found,) = mistakes(before * (inside + 1) + "x" + after * (inside + 1))
    assert found == (1, f"nested deeper than {MAX_DEPTH} levels once definitions are put in")


def _is_read(text: str) -> bool:
    try:
        parse(text, names())
    except ModelError:
        return False
    return True


def test_depth_through_definitions():
    vocabulary = define(*["x"] + [f"sin({'sin(' * 19}{name}{')' * 19})" for name in "abcd"])
    assert parse("e", vocabulary).has(x)
    (found,) = mistakes(f"{'sin(' * 30}e{')' * 30}", vocabulary)
    assert found == (1, f"nested deeper than {MAX_DEPTH} levels once definitions are put in")


def test_long_sums_through_definitions_stay_flat():
    vocabulary = Vocabulary(("x",), definitions={"a": parse_value("x", Vocabulary(("x",)))})
    for i in range(2 * MAX_DEPTH):
        vocabulary = Vocabulary(("x",), definitions={"a": parse_value(f"a - sin({i}*x)", vocabulary)})
    assert len(parse("a", vocabulary).args) == 2 * MAX_DEPTH


@pytest.mark.parametrize("step", ["{}*sin({})", "{} + cos({})", "if({} < 0, x, {})", "max({}, 2*{})", "({})^({})"])
def test_definitions_that_double_are_stopped(step):
    texts = ["x + y", *(step.format(name, name) for name in "abcdefghijklnopqrsuvw")]
    with pytest.raises(ModelError, match=f"more than {MAX_NODES} parts once definitions are put in|nested deeper"):
        define(*texts)


def test_conditions_that_double_are_stopped():
    (found,) = mistakes(f"if({' and '.join(['(x < 1 or y < 1)'] * 30)}, 1, 2)")
    assert found == (1, f"the expression has more than {MAX_NODES} parts once definitions are put in")


def test_long_conditions():
    (found,) = mistakes(f"if({' and '.join(['x < 1'] * 2000)}, 1, 2)")
    assert found[1] == f"a condition of more than {MAX_DEPTH} parts"


def test_size():
    assert parse("+".join(["x"] * MAX_NODES), names()) == MAX_NODES * x
    (found,) = mistakes("+".join(["x"] * (MAX_NODES + 10)))
    assert found[1] == f"the expression has more than {MAX_NODES} parts once definitions are put in"


def test_all_expressions_together(monkeypatch):
    monkeypatch.setattr("dalembert.language.vocabulary.MAX_WORK", 10_000)
    vocabulary = names()
    with pytest.raises(ModelError, match="all expressions together are too large"):
        for _ in range(1000):
            parse("x*y + m*x^2", vocabulary)


def test_many_mistakes_are_cut_off():
    assert len(mistakes("+".join(f"n{i}" for i in range(10_000)))) == MAX_PROBLEMS
    vocabulary = names()
    found = [mistakes(f"long_name_{i}", vocabulary)[0][1] for i in range(100)]
    assert "known names" in found[0]
    assert found[-1] == "unknown name `long_name_99`"  # searching names takes time


def test_long_words_are_cut_in_messages():
    for text in ("n" * 100_000, "n" * 100_000 + "(x)", "x " + "n" * 100_000):
        assert len(mistakes(text)[0][1]) < 300


@pytest.mark.parametrize(
    "text",
    [
        "x^(9^9^9)",
        "9^9^9^9",
        "x^2^2^2^2^2",
        "((((2*x)^999)^999)^999)^999",
        "((3/7*x)^1000 + 1)^1000*(x/3)^999",
        "(x*sqrt(2)*sqrt(3)*sqrt(5)*sqrt(7))^999",
        "(x - x + 2)^(x - x + 99999999)",
        "2^(1/3)^(1/5)^(1/7)^999",
        "x^0.5^0.5^1e300",
        "1e300^1e300^1e300",
        "exp(exp(exp(exp(9))))",
        "(1/3 + 1/5)^(-1/7)^(-1/9)^(999)",
        "*".join(f"{n}^(1/{n + 1})" for n in range(2, 2000)),
        "*".join(f"x^(1/{n})" for n in range(2, 4000)),
        "+".join(f"x/{n}" for n in range(2, 20_000)),
        "1/" * 20_000 + "x",
        "x*" + "*".join(["9" * 300] * 3000),
        "(x/" + "7" * 300 + ")^1000",
    ],
    ids=lambda text: text[:30],
)
def test_exact_numbers_stay_small(text):
    try:
        result = parse(text, names())
    except ModelError as error:
        assert re.search(r"exponent|too long|not a finite|outside the range", str(error))
    else:
        assert all(abs(int(n.p)).bit_length() <= MAX_BITS for n in result.atoms(se.Integer, se.Rational))


def test_exact_numbers_of_definitions_that_meet():
    primes = [p for p in range(10**9, 10**9 + 40_000) if all(p % d for d in range(2, 1000))]
    definitions = {f"a{p}": parse_value(f"x/{p}", names()) for p in primes}
    (found,) = mistakes("+".join(definitions), names(**definitions))
    assert found[1].startswith("the exact numbers in this expression become too long")


def test_numbers_as_long_as_they_may_be():
    assert parse("0" * (MAX_DIGITS - 1) + "7", names()) == 7
    assert parse(f"{2**MAX_BITS - 1}", names()) == 2**MAX_BITS - 1
    assert parse(f"(2*x)^{MAX_EXPONENT}", names()) == se.Integer(2) ** MAX_EXPONENT * x**MAX_EXPONENT


CRASHES = ["sign(sqrt(-x))", "sign(sqrt(-x*y))", "sign((-x)^y)", "sign(2*(-x)^(-0.5))", "atan2(sqrt(-x), sqrt(-x))"]


def test_what_ends_the_process_in_symengine():
    code = (
        "from dalembert.language.parser import Vocabulary, parse\n"
        f"for text in {CRASHES}: parse(text, Vocabulary(('x', 'y'))).xreplace({{}})"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("text", [f"atan2({y}, {x})" for y in ("0", "0.0", "-0.0", "x - x") for x in ("0", "0.0")])
def test_no_zero_has_a_direction(text):
    assert mistakes(text) == [(1, "this constant is not a finite real number")]
