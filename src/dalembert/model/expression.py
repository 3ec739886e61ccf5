"""A safe grammar for expressions in text. Text is parsed, never evaluated.

    equation  =  value "=" value
    value     =  sums, products, quotients, powers (^ or **), functions, names, numbers, parentheses
    condition =  value < <= > >= value, joined by and, or, not; only inside if(condition, a, b)

Primes after a coordinate are its time derivatives. Everything that could make later work expensive is bounded here:
length of the text, depth of nesting, size after named subexpressions are put in, exponents, digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import symengine as se

from dalembert.errors import ModelError, Problem, nearest
from dalembert.model.functions import CONSTANTS, FUNCTIONS, RESERVED, TIME, Expr, choose, number

MAX_LENGTH = 200_000  # characters of one expression
MAX_DEPTH = 100  # parentheses, functions, powers inside each other
MAX_NODES = 200_000  # numbers, names and operations, with named subexpressions put in
MAX_DIGITS = 60  # of one number
MAX_EXPONENT = 1_000  # of a power whose exponent is a number
MAX_BITS = 20_000  # of an exact number that arises

NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*)(?P<primes>'*)"
    r"|(?P<op>\*\*|<=|>=|==|!=|[-+*/^(),=<>])"
)
_HINTS = {
    "−": "write the minus sign as -",
    "–": "write the minus sign as -",
    "·": "write multiplication as *",
    "×": "write multiplication as *",
    "′": "write a derivative with the plain prime '",
    "’": "write a derivative with the plain prime '",
    "[": "use round parentheses",
    "]": "use round parentheses",
    "{": "use round parentheses",
    "}": "use round parentheses",
    ".": "a point belongs into a number, such as 0.5; names have no attributes",
    ";": "one expression only",
    "'": "a prime stands right after the name of a coordinate, as in phi'",
    '"': "text has no place in an expression",
    "!": "conditions are written with < <= > >=, and, or, not",
    "&": "write `and`",
    "|": "write `or`; the absolute value is abs(x)",
    "%": "there is no remainder; a hundredth is written 0.01",
}


class _Failure(Exception):
    """A mistake at a column (from 0) of the text."""

    def __init__(self, column: int, text: str):
        super().__init__(text)
        self.column, self.text = column, text


class _Token(NamedTuple):
    kind: str  # number, name, op, end
    text: str
    primes: int
    column: int


class _Value(NamedTuple):
    """An expression with upper bounds of its cost; `constant` if it has no symbols."""

    expr: Expr
    nodes: int = 1
    depth: int = 1
    bits: int = 1
    constant: bool = False


class _Condition(NamedTuple):
    """A comparison or a combination of two conditions, kept until `if` makes values of it."""

    kind: str  # "<", "<=", "and", "or", "not"
    left: _Value | _Condition
    right: _Value | _Condition | None
    depth: int = 1


@dataclass(frozen=True)
class Vocabulary:
    """The names that may appear in an expression, and what each means."""

    coordinates: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    definitions: Mapping[str, _Value] = field(default_factory=dict)
    time: bool = True

    def names(self) -> list[str]:
        """List every name that may be written."""
        own = [*self.coordinates, *self.parameters, *self.definitions]
        extra = [name for name in CONSTANTS if name not in own]
        return [*own, *([TIME] if self.time else []), *extra, *FUNCTIONS, "if"]


def parse(text: str, vocabulary: Vocabulary) -> Expr:
    """Parse a value.

    >>> parse("m*x'^2/2", Vocabulary(coordinates=("x",), parameters=("m",)))
    (1/2)*m*x'**2
    """
    return parse_value(text, vocabulary).expr


def parse_value(text: str, vocabulary: Vocabulary) -> _Value:
    """Parse a value together with the bounds of its cost, as definitions need them."""
    parser = _Parser(text, vocabulary)
    return parser.run(parser.value)


def parse_equation(text: str, vocabulary: Vocabulary) -> Expr:
    """Parse `left = right` and return left − right."""
    parser = _Parser(text, vocabulary)
    return parser.run(parser.equation).expr


class _Parser:
    """Precedence climbing over a list of tokens: two Python frames a level, so that depth is ours to bound."""

    # operator -> (left binding power, right binding power)
    BINARY = {
        "or": (1, 2),
        "and": (3, 4),
        "<": (6, 7),
        "<=": (6, 7),
        ">": (6, 7),
        ">=": (6, 7),
        "+": (8, 9),
        "-": (8, 9),
        "*": (10, 11),
        "/": (10, 11),
        "^": (15, 12),
        "**": (15, 12),
    }
    PREFIX = {"-": 12, "+": 12, "not": 5}
    CHAINS = {"+": ("+", "-"), "-": ("+", "-"), "*": ("*", "/"), "/": ("*", "/")}

    def __init__(self, text: str, vocabulary: Vocabulary):
        self.text, self.vocabulary = text, vocabulary
        self.coordinates = frozenset(vocabulary.coordinates)
        self.parameters = frozenset(vocabulary.parameters)
        self.problems: list[_Failure] = []
        self.tokens: list[_Token] = []
        self.position = 0
        self.level = 0

    def run(self, rule) -> _Value:
        """Apply a rule to the whole text; raise ModelError with every mistake found."""
        try:
            if len(self.text) > MAX_LENGTH:
                raise _Failure(0, f"the expression has {len(self.text)} characters; at most {MAX_LENGTH} are read")
            self.tokenise()
            if len(self.tokens) == 1:
                raise _Failure(0, "the expression is empty; write at least 0")
            result = rule()
        except _Failure as failure:
            self.problems.append(failure)
            result = _Value(se.Integer(0))
        if self.problems:
            raise ModelError(Problem(p.text, column=p.column + 1) for p in self.problems)
        return result

    def tokenise(self) -> None:
        position = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                character = self.text[position]
                hint = _HINTS.get(character, "it has no meaning in an expression")
                raise _Failure(position, f"unexpected character {character!r}: {hint}")
            kind = match.lastgroup if match.lastgroup != "primes" else "name"
            if kind != "space":
                word = match.group(kind or "")
                primes = len(match.group("primes") or "")
                if word in ("and", "or", "not"):
                    kind = "op"
                self.tokens.append(_Token(kind or "", word, primes, position))
            position = match.end()
        self.tokens.append(_Token("end", "", 0, len(self.text)))

    # --- rules ---------------------------------------------------------------------------------------------------

    def value(self) -> _Value:
        result = self.as_value(self.climb(0), 0)
        token = self.tokens[self.position]
        if token.kind == "end":
            return result
        if token.text in ("=", "=="):
            raise _Failure(token.column, "an equation stands here; expected a value (no `=`)")
        raise self.leftover(token)

    def equation(self) -> _Value:
        left = self.as_value(self.climb(0), 0)
        token = self.tokens[self.position]
        if token.kind == "end":
            raise _Failure(token.column, "an equation needs `=`, as in `x = l*sin(phi)`; if zero is meant, add `= 0`")
        if token.text == "==":
            raise _Failure(token.column, "write the equation with a single `=`")
        if token.text != "=":
            raise self.leftover(token)
        self.position += 1
        right = self.as_value(self.climb(0), token.column + 1)
        token = self.tokens[self.position]
        if token.text == "=":
            raise _Failure(token.column, "an equation has one `=`; write two constraints instead")
        if token.kind != "end":
            raise self.leftover(token)
        return self.build(token.column, "-", left, right)

    def leftover(self, token: _Token) -> _Failure:
        if token.text == ")":
            return _Failure(token.column, "a closing parenthesis without an opening one")
        if token.text == ",":
            return _Failure(token.column, "a comma belongs between the arguments of a function")
        if token.kind in ("name", "number") or token.text == "(":
            return _Failure(token.column, f"an operator is missing before `{token.text}`; multiplication is written *")
        return _Failure(token.column, f"unexpected `{token.text}`")

    def climb(self, power: int) -> _Value | _Condition:
        """Parse an operand and all binary operators that bind tighter than `power`."""
        self.level += 1
        if self.level > MAX_DEPTH:
            raise _Failure(self.tokens[self.position].column, f"nested deeper than {MAX_DEPTH} levels")
        left = self.operand()
        while True:
            token = self.tokens[self.position]
            binding = self.BINARY.get(token.text) if token.kind == "op" else None
            if binding is None or binding[0] < power:
                break
            if token.text in self.CHAINS:
                left = self.chain(token, self.as_value(left, token.column))
                continue
            self.position += 1
            left = self.combine(token, left, self.climb(binding[1]))
        self.level -= 1
        return left

    def chain(self, start: _Token, first: _Value) -> _Value:
        """Gather `a + b - c …` or `a * b / c …` and build it at once: long sums stay flat, in linear time."""
        operator, inverse = self.CHAINS[start.text]
        parts = [first]
        while (token := self.tokens[self.position]).kind == "op" and token.text in (operator, inverse):
            self.position += 1
            part = self.as_value(self.climb(self.BINARY[operator][1]), token.column + 1)
            if token.text == "-":
                part = self.build(token.column, "negate", part)
            elif token.text == "/":
                part = self.build(token.column, "/", _Value(se.Integer(1), constant=True), part)
            parts.append(part)
        return self.build(start.column, operator, *parts)

    def operand(self) -> _Value | _Condition:
        token = self.tokens[self.position]
        self.position += 1
        if token.kind == "number":
            return self.number(token)
        if token.kind == "name":
            if self.tokens[self.position].text == "(":
                return self.call(token)
            return self.name(token)
        if token.text == "(":
            inner = self.climb(0)
            self.close(token, "`(`")
            return inner
        if token.text in self.PREFIX:
            inner = self.climb(self.PREFIX[token.text])
            if token.text == "not":
                if isinstance(inner, _Value):
                    raise _Failure(token.column, "`not` needs a condition such as x > 0")
                return _Condition("not", inner, None, inner.depth + 1)
            inner = self.as_value(inner, token.column + 1)
            return inner if token.text == "+" else self.build(token.column, "negate", inner)
        if token.kind == "end":
            raise _Failure(token.column, "the expression ends where a value is expected")
        raise _Failure(token.column, f"expected a value, got `{token.text}`")

    def close(self, opening: _Token, what: str) -> None:
        token = self.tokens[self.position]
        if token.text != ")":
            if token.kind == "end":
                raise _Failure(opening.column, f"the parenthesis of {what} is never closed")
            if token.text in ("=", "=="):
                raise _Failure(token.column, "`=` inside parentheses; an equation has its `=` outside")
            raise self.leftover(token)
        self.position += 1

    def number(self, token: _Token) -> _Value:
        digits = sum(character.isdigit() for character in token.text)
        if digits > MAX_DIGITS:
            raise _Failure(token.column, f"a number with {digits} digits; at most {MAX_DIGITS} are read")
        if token.text.isdigit():
            whole = int(token.text)
            return _Value(se.Integer(whole), bits=whole.bit_length() + 1, constant=True)
        value = float(token.text)
        if math.isinf(value) or (value == 0 and re.search(r"[1-9]", token.text.lower().split("e")[0])):
            raise _Failure(token.column, f"the number {token.text} is outside the range of double precision")
        return _Value(se.RealDouble(value), constant=True)

    def name(self, token: _Token) -> _Value:
        name, primes = token.text, token.primes
        if name in self.coordinates:
            if primes > 2:
                self.problems.append(
                    _Failure(token.column, f"`{name}` has {primes} primes; accelerations (two) are the limit")
                )
            return _Value(se.Symbol(name + "'" * primes))
        known = name in self.parameters or name in self.vocabulary.definitions or name == TIME or name in CONSTANTS
        if primes and known:
            what = (
                "a parameter"
                if name in self.parameters
                else "a definition"
                if name in self.vocabulary.definitions
                else "no coordinate"
            )
            advice = "differentiate it by hand" if what == "a definition" else "only coordinates have time derivatives"
            self.problems.append(_Failure(token.column, f"a prime on `{name}`, which is {what}; {advice}"))
            return _Value(se.Symbol(name))
        if name in self.parameters:
            return _Value(se.Symbol(name))
        if name in self.vocabulary.definitions:
            return self.vocabulary.definitions[name]
        if name == TIME and self.vocabulary.time:
            return _Value(se.Symbol(TIME))
        if name in CONSTANTS:
            return _Value(CONSTANTS[name], constant=True)
        if name in RESERVED and name != TIME:
            raise _Failure(token.column, f"`{name}` is a function; write `{name}(…)`")
        if name == TIME:
            text = "time `t` cannot be used here; expected a constant value"
        else:
            text = f"unknown name `{name}`; {nearest(name, self.vocabulary.names())}"
        self.problems.append(_Failure(token.column, text))
        return _Value(se.Symbol(name))

    def call(self, token: _Token) -> _Value:
        name = token.text
        opening = self.tokens[self.position]
        if token.primes:
            raise _Failure(token.column, f"`{name}'(` — only coordinates have time derivatives")
        if name not in FUNCTIONS and name != "if":
            if name in self.vocabulary.names():
                raise _Failure(opening.column, f"`{name}` is no function; multiplication is written `{name}*(…)`")
            raise _Failure(token.column, f"unknown function `{name}`; {nearest(name, [*FUNCTIONS, 'if'], 'functions')}")
        self.position += 1
        args: list[_Value | _Condition] = []
        columns = []
        if self.tokens[self.position].text != ")":
            while True:
                columns.append(self.tokens[self.position].column)
                args.append(self.climb(0))
                if self.tokens[self.position].text != ",":
                    break
                self.position += 1
        self.close(opening, f"`{name}(`")
        if name == "if":
            if len(args) != 3 or isinstance(args[0], _Value):
                raise _Failure(token.column, "`if` is written if(condition, a, b), as in if(x > 0, 1, -1)")
            yes, no = (self.as_value(args[i], columns[i]) for i in (1, 2))
            return self.choice(token.column, args[0], yes, no)
        _, fewest, most = FUNCTIONS[name]
        if not fewest <= len(args) <= most:
            expected = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise _Failure(
                token.column, f"`{name}` takes {expected} argument{'s' * (expected != '1')}, got {len(args)}"
            )
        values = [self.as_value(arg, column) for arg, column in zip(args, columns, strict=True)]
        return self.build(token.column, name, *values)

    # --- building ------------------------------------------------------------------------------------------------

    def as_value(self, item: _Value | _Condition, column: int) -> _Value:
        if isinstance(item, _Value):
            return item
        raise _Failure(column, "a condition stands where a value is expected; use if(condition, a, b)")

    def combine(self, token: _Token, left: _Value | _Condition, right: _Value | _Condition) -> _Value | _Condition:
        operator = token.text
        if operator in ("and", "or"):
            if isinstance(left, _Value) or isinstance(right, _Value):
                raise _Failure(token.column, f"`{operator}` joins conditions such as x > 0")
            depth = 1 + max(left.depth, right.depth)
            if depth > MAX_DEPTH:
                raise _Failure(token.column, f"a condition of more than {MAX_DEPTH} parts")
            return _Condition(operator, left, right, depth)
        left, right = self.as_value(left, token.column), self.as_value(right, token.column + 1)
        if operator in ("<", "<="):
            return _Condition(operator, left, right)
        if operator in (">", ">="):
            return _Condition("<" if operator == ">" else "<=", right, left)
        return self.build(token.column, operator, left, right)

    def choice(self, column: int, condition: _Condition, yes: _Value, no: _Value) -> _Value:
        """Turn a condition into nested choices between two values."""
        kind, left, right, _ = condition
        if kind == "not" and isinstance(left, _Condition):
            return self.choice(column, left, no, yes)
        if isinstance(left, _Condition) and isinstance(right, _Condition):
            if kind == "and":
                return self.choice(column, left, self.choice(column, right, yes, no), no)
            return self.choice(column, left, yes, self.choice(column, right, yes, no))
        if not (isinstance(left, _Value) and isinstance(right, _Value)):
            raise _Failure(column, "the condition of `if` compares two values, as in x > 0")
        return self.build(column, kind, left, right, yes, no)

    def build(self, column: int, what: str, *args: _Value) -> _Value:
        """Make one node, keeping the bounds; refuse what is too large or has no real value."""
        nodes = 1 + sum(arg.nodes for arg in args)
        depth = 1 + max(arg.depth for arg in args)
        constant = all(arg.constant for arg in args)
        bits = max(arg.bits for arg in args) + sum(arg.bits for arg in args if arg.constant or what == "*")
        exprs = [arg.expr for arg in args]
        if nodes > MAX_NODES:
            raise _Failure(column, f"the expression has more than {MAX_NODES} parts once definitions are put in")
        if depth > 2 * MAX_DEPTH:
            raise _Failure(column, f"nested deeper than {2 * MAX_DEPTH} levels once definitions are put in")
        if what in ("^", "**"):
            bits = self.check_power(column, *args)
        if bits > MAX_BITS:
            raise _Failure(column, "the exact numbers in this expression become too long; write them as decimals")
        if what == "/" and exprs[1] == 0:
            raise _Failure(column, "division by zero")
        expr = self.operate(what, exprs)
        if constant and number(expr) is None:
            raise _Failure(column, "this constant is not a finite real number")
        return _Value(expr, nodes, depth, bits, constant)

    def check_power(self, column: int, base: _Value, exponent: _Value) -> int:
        """Bound the exponent, and return the bits that an exact power can need."""
        value = number(exponent.expr) if exponent.constant else None
        if value is None:
            return base.bits + exponent.bits
        if abs(value) > MAX_EXPONENT:
            raise _Failure(column, f"the exponent {value:g} is larger than {MAX_EXPONENT}")
        if value < 0 and base.expr == 0:
            raise _Failure(column, "division by zero")
        return int(base.bits * max(1.0, abs(value))) + exponent.bits

    @staticmethod
    def operate(what: str, exprs: list[Expr]) -> Expr:
        if what == "+":
            return se.Add(*exprs)
        if what == "-":
            return exprs[0] - exprs[1]
        if what == "negate":
            return -exprs[0]
        if what == "*":
            return se.Mul(*exprs)
        if what == "/":
            return exprs[0] / exprs[1]
        if what in ("^", "**"):
            return exprs[0] ** exprs[1]
        if what in ("<", "<="):
            return choose(exprs[0], exprs[1], what == "<", exprs[2], exprs[3])
        return FUNCTIONS[what][0](*exprs)
