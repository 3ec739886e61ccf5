"""Reads LaTeX as it looks and evaluates it: nothing is known of how it was made but what a reader of formulas knows."""

from __future__ import annotations

import math
import re

_TOKEN = re.compile(r"\\(?:left|right|[Bb]ig[lr]?)(?![a-zA-Z])|\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_ENDS = (None, "}", ")", "⟩", ",", "&", r"\\")  # ⟨u⟩ is |u|, whose bars look the same
FUNCTIONS = {
    "arcsin": math.asin, "arccos": math.acos, "arctan": math.atan, "max": max, "min": min, "atan2": math.atan2,
    "sgn": lambda u: (u > 0) - (u < 0), "step": lambda u: 0.5 * (1 + (u > 0) - (u < 0)), "log": math.log,
} | {name: getattr(math, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}  # fmt: skip


class Reader:
    """Evaluates formulas; values are by names as LaTeX has them."""

    def __init__(self, values: dict[str, float]):
        self.names = sorted(values, key=len, reverse=True)
        self.values = values

    def __call__(self, text: str) -> float:
        """Return the value of a formula, in one line or in several."""
        text = re.sub(r"\\(?:left|[Bb]igl)\s*\|", "⟨", re.sub(r"\\(?:right|[Bb]igr)\s*\|", "⟩", text))
        self.text = re.sub(r"\\\\\n&\\quad |\\left(?![a-z])|\\right(?![a-z])|\\[Bb]ig[lr]|\\,", " ", text)
        self.at = 0
        value = self.sum()
        assert self.next() is None, self.text[self.at :]
        return value

    def next(self) -> str | None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        found = _TOKEN.match(self.text, self.at)
        return found[0] if found else None

    def take(self, expected: str | None = None) -> str | None:
        token = self.next()
        assert expected is None or token == expected, (expected, self.text[self.at : self.at + 40])
        self.at += len(token or "")
        return token

    def group(self, first: str = "{", last: str = "}") -> float:
        self.take(first)
        value = self.sum()
        self.take(last)
        return value

    def sum(self) -> float:
        total, sign = 0.0, 1.0
        while True:
            if self.next() in ("+", "-"):
                sign = -1.0 if self.take() == "-" else 1.0
            total += sign * self.product()
            if self.next() not in ("+", "-"):
                return total

    def product(self) -> float:
        total = self.factor()
        while (token := self.next()) not in (*_ENDS, "+", "-"):
            if token == r"\cdot":
                self.take()
            elif token == r"\Big":
                self.take(r"\Big")
                self.take("/")
                return total / self.product()
            else:
                total *= self.factor()
        return total

    def factor(self) -> float:
        value = self.base()
        return value ** self.power() if self.next() == "^" else value

    def power(self) -> float:
        self.take("^")
        return self.group()

    def base(self) -> float:
        token = self.next()
        for name in self.names:  # the longest that stands here
            if self.text.startswith(name, self.at) and not (
                name[-1].isalpha() and self.text[self.at + len(name) :][:1] == "_"
            ):
                self.at += len(name)
                return self.values[name]
        self.take()
        if token == "(":
            self.at -= 1
            return self.group("(", ")")
        if token == "⟨":
            self.at -= 1
            return abs(self.group("⟨", "⟩"))
        if token == r"\frac":
            return self.group() / self.group()
        if token == r"\sqrt":
            return math.sqrt(self.group())
        if token in (r"\pi", "e"):
            return math.pi if token == r"\pi" else math.e
        if token == r"\operatorname":
            end = self.text.index("}", self.at)
            token, self.at = "\\" + self.text[self.at + 1 : end], end + 1
        if token and token[1:] in FUNCTIONS:
            power = self.power() if self.next() == "^" else 1.0
            if self.next() != "(":
                return FUNCTIONS[token[1:]](self.factor()) ** power
            self.take("(")
            values = [self.sum()]
            while self.next() == ",":
                self.take()
                values.append(self.sum())
            self.take(")")
            return FUNCTIONS[token[1:]](*values) ** power
        return float(token or "nothing")
