"""The words of an expression: numbers, names with primes, operators; and what to say of anything else.

A name with points in it, as `A.force`, is one word: a quantity of a part, where the vocabulary has parts.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?P<primes>'*)"
    r"|(?P<op>\*\*|<=|>=|==|!=|[-+*/^(),=<>])"
)
_HINTS = {
    "°": "angles are in radians; 40 degrees are 40*pi/180",
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
    ".": "a point belongs into a number, such as 0.5; A.angle and the like stand in [outputs] and in laws of controls",
    ";": "one expression only",
    "'": "a prime stands right after the name of a coordinate, as in phi'",
    '"': "text has no place in an expression",
    "!": "conditions are written with < <= > >=, and, or, not",
    "&": "write `and`",
    "|": "write `or`; the absolute value is abs(x)",
    "%": "there is no remainder; a hundredth is written 0.01",
}


def strange(text: str, position: int) -> Failure:
    """Say what is wrong with a character that has no meaning where it stands."""
    hint = _HINTS.get(text[position], "it has no meaning in an expression")
    return Failure(position, f"unexpected character {text[position]!r}: {hint}")


class Failure(Exception):
    """A mistake at a column (from 0) of the text."""

    def __init__(self, column: int, text: str):
        super().__init__(text)
        self.column, self.text = column, text


class Token(NamedTuple):
    """A word and where it stands."""

    kind: str  # number, name, op, end
    text: str
    primes: int
    column: int

    @property
    def name(self) -> str:
        """The word, if it is a name."""
        return self.text if self.kind == "name" else ""


def tokenise(text: str) -> list[Token]:
    """Cut a text into tokens; raise Failure at a character that has no meaning."""
    tokens = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise strange(text, position)
        kind = match.lastgroup if match.lastgroup != "primes" else "name"
        if kind != "space":
            word = match.group(kind or "")
            primes = len(match.group("primes") or "")
            if word in ("and", "or", "not"):
                kind = "op"
            tokens.append(Token(kind or "", word, primes, position))
        position = match.end()
    return [*tokens, Token("end", "", 0, len(text))]
