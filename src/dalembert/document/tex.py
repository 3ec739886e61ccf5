"""Formulas as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from dalembert.document.composition import POWER, Script
from dalembert.document.typeset import math, power, upright
from dalembert.document.typeset import name as typeset_name
from dalembert.language.building import Expr
from dalembert.language.functions import Function

_TALL = ("\\frac", "\\sqrt", "\\begin", "\\left")
_COMMANDS = {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "max", "min"}
_WORD = re.compile(r"(?:\\d*dot\{)?\\(?:mathrm|text)\{")


class Tex(Script):
    """Writes the commands of LaTeX. own: what a user's symbols are called there, by the names of the model."""

    plus, minus = " + ", "-"

    def __init__(self, own: Mapping[str, str] | None = None):
        super().__init__()
        self.own = own or {}

    def name(self, name: str, power: str = "") -> str:
        """Write a name, or a power of it."""
        plain = name.rstrip("'")
        written = math(typeset_name(self.own.get(plain, plain) + name[len(plain) :]))
        return f"{written}^{{{power}}}" if power else written

    def figures(self, value: float) -> str:
        """Return all of them: what is written is read again."""
        return repr(value)

    def scientific(self, mantissa: str, exponent: str) -> str:
        """Write a number times a power of ten."""
        return power(mantissa, exponent)

    def digits(self, digits: str) -> str:
        """Write a number by its digits."""
        return digits

    def fraction(self, above: str, below: str) -> str:
        """Write a bar."""
        return f"\\frac{{{above}}}{{{below}}}"

    def root(self, inside: str) -> str:
        """Write a square root."""
        return f"\\sqrt{{{inside}}}"

    def raised(self, base: str, power: str) -> str:
        """Write a power."""
        return f"{base}^{{{power}}}"

    def bracketed(self, inside: str) -> str:
        """Put it into brackets, which grow only around what is tall, and a little around others."""
        if any(tall in inside for tall in _TALL):
            return rf"\left({inside}\right)"
        return rf"\bigl({inside}\bigr)" if "(" in inside else f"({inside})"

    def joined(self, factors: Sequence[str]) -> str:
        """Write factors beside each other, numbers with a dot, words and decimals with a space between them."""
        text = factors[0]
        for before, factor in pairwise(factors):
            apart = _WORD.match(factor) or _WORD.match(before) or (before[:1].isdigit() and "." in before)
            text += (r" \cdot " if factor[:1].isdigit() else r"\, " if apart else " ") + factor
        return text

    def row(self, parts: Sequence[str]) -> str:
        """Put signs and terms in a row, signs between terms with spaces around them."""
        return parts[0] + "".join(" - " if part == self.minus else part for part in parts[1:])

    def call(self, function: Function, args: Sequence[Expr], power: str = "") -> str:
        """Write a function of arguments, or its power sin² u; a single name needs no brackets."""
        if function.latex:
            return function.latex.format(*map(self.formula, args))
        if function.owner:  # of the model, with primes for its derivatives
            written = function.name.partition("#")[0]
            plain = written.rstrip("'")
            return f"{self.name(plain)}{written[len(plain) :]}({', '.join(map(self.formula, args))})"
        shown = function.shown or function.name
        command = f"\\{shown}" if shown in _COMMANDS else rf"\operatorname{{{shown}}}"
        command += f"^{{{power}}}" if power else ""
        if len(args) == 1:
            piece = self.piece(args[0])
            inside = self.inside(piece, POWER)
            return f"{command} {inside}" if inside == piece.text else f"{command}{inside}"
        return command + self.bracketed(", ".join(map(self.formula, args)))

    def constant(self, kind: str) -> str:
        """Write `Pi`, `Exp1`, or what else has no name in the language."""
        return {"Pi": r"\pi", "Exp1": "e"}.get(kind) or upright(kind)
