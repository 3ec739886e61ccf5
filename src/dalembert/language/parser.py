"""A safe grammar for expressions in text. Text is parsed, never evaluated.

    equation  =  value "=" value
    value     =  sums, products, quotients, powers (^ or **), functions, names, numbers, parentheses
    condition =  value < <= > >= value, joined by and, or, not; only inside if(condition, a, b)

Primes after a coordinate or a definition are its time derivatives; after a function of the model's own, as `road'(x)`,
they are those by its argument. Where a vocabulary has parts, `A.force` is a quantity of one.
Everything that could make later work expensive is bounded here: length of the text, depth of nesting, size after named
subexpressions are put in, exponents, digits. Depth, size and numbers are measured on the result, not on the text, so
that what was read can be written and read again.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import symengine as se

from dalembert.errors import ModelError, Problem, nearest
from dalembert.language.bounds import MAX_BITS, MAX_DEPTH, MAX_NODES, Maker, too_large
from dalembert.language.building import CONSTANTS, Expr
from dalembert.language.functions import ALIASES, FUNCTIONS, is_reserved
from dalembert.language.state_names import inner
from dalembert.language.time_derivatives import MOST_PRIMES, order, rate
from dalembert.language.tokens import Failure, Token, strange, tokenise
from dalembert.language.vocabulary import Value, Vocabulary

MAX_LENGTH = 1_000_000  # characters of one expression
MAX_LEVEL = 220  # parentheses, functions, powers inside each other, as they are written
MAX_DIGITS = 310  # of one number
MAX_PROBLEMS = 20  # reported of one expression
_UNITS = frozenset(["mm", "cm", "m", "km", "g", "kg", "s", "ms", "min", "N", "kN", "Nm", "J", "W", "kW", "rad", "deg"])


class _Condition(NamedTuple):
    """A comparison or a combination of two conditions, kept until `if` makes values of it."""

    kind: str  # "<", "<=", "and", "or", "not"
    left: Value | _Condition
    right: Value | _Condition | None
    depth: int = 1


def parse(text: str, vocabulary: Vocabulary) -> Expr:
    """Parse a value.

    >>> parse("m*x'^2/2", Vocabulary(coordinates=("x",), parameters=("m",)))
    (1/2)*m*x'**2
    """
    return parse_value(text, vocabulary).expr


def parse_value(text: str, vocabulary: Vocabulary) -> Value:
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
        self.make = Maker(vocabulary)
        self.problems: list[Failure] = []
        self.tokens: list[Token] = []
        self.position = 0
        self.level = 0

    def run(self, rule) -> Value:
        """Apply a rule to the whole text; raise ModelError with every mistake found."""
        try:
            if len(self.text) > MAX_LENGTH:
                raise Failure(0, f"the expression has {len(self.text)} characters; at most {MAX_LENGTH} are read")
            self.tokens = tokenise(self.text)
            if self.vocabulary.parts is None and (dotted := next((t for t in self.tokens if "." in t.name), None)):
                raise strange(self.text, dotted.column + dotted.text.index("."))
            if len(self.tokens) == 1:
                raise Failure(0, "the expression is empty; write at least 0")
            result = self.make.finish(rule())
        except Failure as failure:
            self.problems.append(failure)
            result = Value(se.Integer(0))
        if self.problems:
            raise ModelError(Problem(p.text, column=p.column + 1) for p in self.problems)
        return result

    def report(self, column: int, text: str) -> None:
        """Note a mistake and read on, unless there are many of them."""
        failure = Failure(column, text)
        if len(self.problems) + 1 >= MAX_PROBLEMS:
            raise failure
        self.problems.append(failure)

    # --- rules ---------------------------------------------------------------------------------------------------

    def value(self) -> Value:
        result = self.as_value(self.climb(0), 0)
        token = self.tokens[self.position]
        if token.kind == "end":
            return result
        if token.text in ("=", "=="):
            raise Failure(token.column, "an equation stands here; expected a value (no `=`)")
        raise self.leftover(token)

    def equation(self) -> Value:
        left = self.climb(0)
        if isinstance(left, _Condition):
            raise Failure(0, "an inequality stands here; a constraint is an equation, as in `x = l*sin(phi)`")
        token = self.tokens[self.position]
        if token.kind == "end":
            raise Failure(token.column, "an equation needs `=`, as in `x = l*sin(phi)`; if zero is meant, add `= 0`")
        if token.text == "==":
            raise Failure(token.column, "write the equation with a single `=`")
        if token.text != "=":
            raise self.leftover(token)
        self.position += 1
        right = self.as_value(self.climb(0), token.column + 1)
        token = self.tokens[self.position]
        if token.text == "=":
            raise Failure(token.column, "an equation has one `=`; write two constraints instead")
        if token.kind != "end":
            raise self.leftover(token)
        return self.make.build(token.column, "+", left, self.make.build(token.column, "negate", right))

    def leftover(self, token: Token) -> Failure:
        if token.text == ")":
            return Failure(token.column, "a closing parenthesis without an opening one")
        if token.text == ",":
            return Failure(
                token.column, "a comma belongs between the arguments of a function; decimals have a point: 1.5"
            )
        if token.text in _UNITS and self.vocabulary.kind(token.text) is None:
            return Failure(token.column, f"numbers have no units here: give the value in SI, without `{token.text}`")
        if token.kind in ("name", "number") or token.text == "(":
            return Failure(
                token.column, f"an operator is missing before `{cut(token.text)}`; multiplication is written *"
            )
        return Failure(token.column, f"unexpected `{token.text}`")

    def climb(self, power: int) -> Value | _Condition:
        """Parse an operand and all binary operators that bind tighter than `power`."""
        self.level += 1
        if self.level > MAX_LEVEL:
            raise Failure(self.tokens[self.position].column, f"nested deeper than {MAX_LEVEL} levels")
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

    def chain(self, start: Token, first: Value) -> Value:
        """Gather `a + b - c …` or `a * b / c …` and build it at once: long sums stay flat, in linear time."""
        operator, inverse = self.CHAINS[start.text]
        parts = [first]
        while (token := self.tokens[self.position]).kind == "op" and token.text in (operator, inverse):
            self.position += 1
            part = self.as_value(self.climb(self.BINARY[operator][1]), token.column + 1)
            if token.text == "-":
                part = self.make.build(token.column, "negate", part)
            elif token.text == "/":
                part = self.make.build(token.column, "/", part)
            parts.append(part)
            if len(parts) > MAX_NODES:
                raise too_large(token.column)
        return self.make.build(start.column, operator, *parts)

    def operand(self) -> Value | _Condition:
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
                if isinstance(inner, Value):
                    raise Failure(token.column, "`not` needs a condition such as x > 0")
                return _Condition("not", inner, None, inner.depth + 1)
            inner = self.as_value(inner, token.column + 1)
            return inner if token.text == "+" else self.make.build(token.column, "negate", inner)
        if token.kind == "end":
            raise Failure(token.column, "the expression ends where a value is expected")
        raise Failure(token.column, f"expected a value, got `{token.text}`")

    def close(self, opening: Token, what: str) -> None:
        token = self.tokens[self.position]
        if token.text != ")":
            if token.kind == "end":
                raise Failure(opening.column, f"the parenthesis of {what} is never closed")
            if token.text in ("=", "=="):
                raise Failure(token.column, "`=` inside parentheses; an equation has its `=` outside")
            raise self.leftover(token)
        self.position += 1

    def number(self, token: Token) -> Value:
        digits = sum(character.isdigit() for character in token.text)
        if digits > MAX_DIGITS:
            raise Failure(token.column, f"a number with {digits} digits; at most {MAX_DIGITS} are read")
        if token.text.isdigit():
            whole = int(token.text)
            if whole.bit_length() <= MAX_BITS:
                return Value(se.Integer(whole), bits=whole.bit_length(), constant=True)
            value = math.inf
        else:
            value = float(token.text)
        if math.isinf(value) or (value == 0 and re.search(r"[1-9]", token.text.lower().split("e")[0])):
            raise Failure(token.column, f"the number {cut(token.text)} is outside the range of double precision")
        return Value(se.RealDouble(value), constant=True)

    def name(self, token: Token) -> Value:
        name, primes = token.text, token.primes
        if self.vocabulary.parts and self.vocabulary.parts.knows(name):
            if wrong := self.vocabulary.parts.wrong(name, primes):
                self.report(token.column, wrong)
            return Value(se.Symbol(name + "'" * primes))
        kind = self.vocabulary.kind(name)
        if kind == "a coordinate":
            if primes > 2:
                self.report(token.column, f"`{name}` has {primes} primes; accelerations (two) are the limit")
            return Value(se.Symbol(name + "'" * primes))
        if kind == "a state":
            if primes > 1:
                self.report(token.column, f"`{name}` has {primes} primes; the rate of a state (one) is the limit")
            return Value(se.Symbol(inner(name, primes)))
        if primes and kind == "a definition":
            return self.rate(token)
        if primes and kind is not None:
            advice = "only coordinates and definitions have time derivatives"
            self.report(token.column, f"a prime on `{name}`, which is {kind}; {advice}")
        elif kind == "a definition":
            return self.vocabulary.definitions[name]
        elif kind == "a constant":
            return Value(CONSTANTS[name], constant=True)
        elif kind == "the time" and not self.vocabulary.time:
            self.report(token.column, "time `t` cannot be used here; expected a constant value")
        elif kind is None and (is_reserved(name) or name in self.vocabulary.calls):
            raise Failure(token.column, f"`{name}` is a function; write `{name}(…)`")
        elif kind is None:
            self.report(token.column, f"unknown name `{cut(name)}`{self.vocabulary.hint(name)}")
        return Value(se.Symbol(name))

    def rate(self, token: Token) -> Value:
        """Return a time derivative of a definition."""
        name, known, coordinates = token.text, self.vocabulary.rates, self.vocabulary.coordinates
        value = self.vocabulary.definitions[name]
        if held := sorted({symbol.name for symbol in value.expr.free_symbols}.intersection(self.vocabulary.controls)):
            self.report(token.column, f"`{name}'` is not known, as `{name}` depends on control `{held[0]}`")
            return value
        most = MOST_PRIMES - order(value.expr, known_names := frozenset(coordinates))
        if token.primes > most:
            wrong = (f"has {token.primes} primes", "depends on velocities", "depends on accelerations")
            limit = ("no prime can follow", "one prime is the limit", "two are the limit")[most]
            text = f"`{name}` {wrong[MOST_PRIMES - most]}; {limit}, as a model ends with accelerations"
            self.report(token.column, text)
            return value
        for primes in range(1, token.primes + 1):
            if (name, primes) not in known:
                expr = rate(value.expr, known_names, lambda cost: self.make.spend(token.column, cost))
                known[name, primes] = self.make.measured(token.column, expr)
            value = known[name, primes]
        return value

    def call(self, token: Token) -> Value:
        name = token.text
        opening = self.tokens[self.position]
        own = self.vocabulary.calls.get(name)
        if "." in name:
            raise Failure(opening.column, f"`{cut(name)}` is no function; multiplication is written *")
        if own is None and name not in FUNCTIONS and name != "if":
            if self.vocabulary.kind(name) is not None:
                written = name + "'" * token.primes
                raise Failure(opening.column, f"`{written}` is no function; multiplication is written `{written}*(…)`")
            known = ALIASES.get(name.lower())
            advice = (
                f"write `{known}`" if known else nearest(name, [*self.vocabulary.calls, *FUNCTIONS, "if"], "functions")
            )
            raise Failure(token.column, f"unknown function `{cut(name)}`; {advice}")
        if token.primes and own is None:
            raise Failure(token.column, f"`{name}'(` — only coordinates and definitions have time derivatives")
        self.position += 1
        args: list[Value | _Condition] = []
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
            if len(args) != 3 or isinstance(args[0], Value):
                raise Failure(token.column, "`if` is written if(condition, a, b), as in if(x > 0, 1, -1)")
            yes, no = (self.as_value(args[i], columns[i]) for i in (1, 2))
            return self.choice(token.column, args[0], yes, no)
        row = own[min(token.primes, len(own) - 1)] if own else FUNCTIONS[name]
        fewest, most = row.arguments
        if not fewest <= len(args) <= most:
            expected = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise Failure(token.column, f"`{name}` takes {expected} argument{'s' * (expected != '1')}, got {len(args)}")
        values = [self.as_value(arg, column) for arg, column in zip(args, columns, strict=True)]
        if own and token.primes >= len(own):
            if row.sources is None:
                raise Failure(token.column, f"`{name}` has {token.primes} primes; {len(own) - 1} are the limit")
            return Value(se.Integer(0), constant=True)  # of straight pieces there is no second derivative
        return self.make.build(token.column, row.name, *values)

    # --- building ------------------------------------------------------------------------------------------------

    def as_value(self, item: Value | _Condition, column: int) -> Value:
        if isinstance(item, Value):
            return item
        raise Failure(column, "a condition stands where a value is expected; use if(condition, a, b)")

    def combine(self, token: Token, left: Value | _Condition, right: Value | _Condition) -> Value | _Condition:
        operator = token.text
        if operator in ("and", "or"):
            if isinstance(left, Value) or isinstance(right, Value):
                raise Failure(token.column, f"`{operator}` joins conditions such as x > 0")
            depth = 1 + max(left.depth, right.depth)
            if depth > MAX_DEPTH:  # each part becomes a choice inside the one before
                raise Failure(token.column, f"a condition of more than {MAX_DEPTH} parts")
            return _Condition(operator, left, right, depth)
        left, right = self.as_value(left, token.column), self.as_value(right, token.column + 1)
        if operator in ("<", "<="):
            return _Condition(operator, left, right)
        if operator in (">", ">="):
            return _Condition("<" if operator == ">" else "<=", right, left)
        return self.make.build(token.column, operator, left, right)

    def choice(self, column: int, condition: _Condition, yes: Value, no: Value) -> Value:
        """Turn a condition into nested choices between two values."""
        kind, left, right, _ = condition
        if kind == "not" and isinstance(left, _Condition):
            return self.choice(column, left, no, yes)
        if isinstance(left, _Condition) and isinstance(right, _Condition):
            if kind == "and":
                return self.choice(column, left, self.choice(column, right, yes, no), no)
            return self.choice(column, left, yes, self.choice(column, right, yes, no))
        if not (isinstance(left, Value) and isinstance(right, Value)):
            raise Failure(column, "the condition of `if` compares two values, as in x > 0")
        return self.make.build(column, kind, left, right, yes, no)


def cut(text: str) -> str:
    """Shorten what a message quotes."""
    return text if len(text) <= 60 else f"{text[:60]}…"
