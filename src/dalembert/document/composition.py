"""How a formula is set by hand, in whatever script: what stands first, above and below a bar, in brackets.

Numbers and parameters come first, then coordinates and their derivatives, then functions; fractions have a bar, roots
and sin² φ their signs; sums begin with the highest derivatives. A script (`mathml.py`, `tex.py`) says how a name, a
bar, a root, a bracket is written.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import symengine as se

from dalembert.language.building import Expr, is_numeral, ratio
from dalembert.language.functions import Function, function_of
from dalembert.language.printing import (
    is_constant_sum,
    is_inertia,
    is_lone,
    order_text,
    rank_of_name,
    rates_in,
    without_number,
)
from dalembert.language.walk import fold

SUM, PRODUCT, CALL, POWER, ATOM = range(5)  # how tightly the outermost operation binds
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Piece:
    """A typeset expression: without its sign, how tightly it binds, and whether it is negative."""

    text: str
    binding: int = ATOM
    negative: bool = False


class Script(ABC):
    """Sets expressions; each is worked out once, however often it appears."""

    plus: str
    minus: str

    def __init__(self) -> None:
        self._pieces: dict[Expr, Piece] = {}
        self._texts: dict[Expr, tuple[str, int]] = {}
        self._terms: dict[Expr, list[Expr]] = {}

    # --- what a script says -------------------------------------------------------------------------------------------

    @abstractmethod
    def name(self, name: str, power: str = "") -> str:
        """Write a name, or a power of it."""

    @abstractmethod
    def figures(self, value: float) -> str:
        """Return the figures of a number that are shown, as `6.02e23`."""

    @abstractmethod
    def scientific(self, mantissa: str, exponent: str) -> str:
        """Write a number times a power of ten."""

    @abstractmethod
    def digits(self, digits: str) -> str:
        """Write a number by its digits."""

    @abstractmethod
    def fraction(self, above: str, below: str) -> str:
        """Write a bar."""

    @abstractmethod
    def root(self, inside: str) -> str:
        """Write a square root."""

    @abstractmethod
    def raised(self, base: str, power: str) -> str:
        """Write a power."""

    @abstractmethod
    def bracketed(self, inside: str) -> str:
        """Put it into brackets, which grow only around what is tall."""

    @abstractmethod
    def joined(self, factors: Sequence[str]) -> str:
        """Write factors beside each other."""

    @abstractmethod
    def row(self, parts: Sequence[str]) -> str:
        """Put signs and terms in a row."""

    @abstractmethod
    def call(self, function: Function, args: Sequence[Expr], power: str = "") -> str:
        """Write a function of arguments, or its power sin² u."""

    @abstractmethod
    def constant(self, kind: str) -> str:
        """Write `Pi`, `Exp1`, or what else has no name in the language."""

    # --- what all scripts share ---------------------------------------------------------------------------------------

    def formula(self, expr: Expr) -> str:
        """Write an expression with its sign."""
        return self.signed(self.piece(expr))

    def signed(self, piece: Piece) -> str:
        """Write a piece with its sign."""
        return self.row([self.minus, piece.text]) if piece.negative else piece.text

    def inside(self, piece: Piece, binding: int) -> str:
        """Return it as part of an operation, in brackets where it binds no tighter."""
        return piece.text if piece.binding > binding and not piece.negative else self.bracketed(self.signed(piece))

    def piece(self, expr: Expr) -> Piece:
        """Typeset an expression."""
        if (found := self._pieces.get(expr)) is None:
            fold(expr, lambda node, _: self._piece(node), self._pieces)  # the inner ones first, however deep
            found = self._pieces[expr]
        return found

    def terms(self, expr: Expr) -> list[Expr]:
        """Return the terms of a sum as they are written: with accelerations first, then velocities, then the rest."""
        if expr not in self._terms:
            found = sorted(expr.args if expr.is_Add else (expr,), key=self._place_of_term)
            first = next((k for k, term in enumerate(found) if not self.piece(term).negative), 0)
            self._terms[expr] = [found[first], *found[:first], *found[first + 1 :]]
        return self._terms[expr]

    def factors(self, expr: Expr) -> list[Expr]:
        """Return the factors of a product as they are written."""
        return sorted(expr.args if expr.is_Mul else (expr,), key=self._place_of_factor)

    def _piece(self, expr: Expr) -> Piece:
        if expr.is_Symbol:
            return self._decimal(expr.name) if is_numeral(expr) else Piece(self.name(expr.name))
        if expr.is_Number:
            return self._number(expr)
        if expr.is_Add:
            return Piece(self._sum(self.terms(expr)), SUM)
        if expr.is_Mul:
            return self.product(self.factors(expr))
        if expr.is_Pow:
            return self.product([expr]) if divides(expr) else self.power(*expr.args)
        function = function_of(expr)
        if function is None:
            return Piece(self.constant(type(expr).__name__))
        return Piece(self.call(function, expr.args), CALL)

    def _sum(self, terms: Sequence[Expr]) -> str:
        parts: list[str] = []
        for piece in map(self.piece, terms):
            parts += [self.minus] if piece.negative else [self.plus] if parts else []
            parts.append(piece.text)
        return self.row(parts)

    def _number(self, expr: Expr) -> Piece:
        exact = _exact(expr)
        if exact is None:
            value = float(expr)
            piece = self._decimal(self.figures(abs(value)))
            return Piece(piece.text, piece.binding, value < 0)
        above, below = self.digits(str(abs(exact[0]))), self.digits(str(exact[1]))
        if exact[1] == 1:
            return Piece(above, negative=exact[0] < 0)
        return Piece(self.fraction(above, below), PRODUCT, exact[0] < 0)

    def _decimal(self, figures: str) -> Piece:
        mantissa, _, exponent = figures.partition("e")
        if not exponent:
            return Piece(self.digits(mantissa))
        return Piece(self.scientific(mantissa, str(int(exponent))), PRODUCT)

    def product(self, factors: Sequence[Expr]) -> Piece:
        """Write a product: its number, what is multiplied, and below a bar what is divided by."""
        number = next((factor for factor in factors if factor.is_Number), None)
        above = [self.piece(factor) for factor in factors if not factor.is_Number and not divides(factor)]
        below = [self.power(factor.args[0], -factor.args[1]) for factor in factors if divides(factor)]
        if number is not None:
            exact = _exact(number)
            if below and exact is not None:  # the number is divided as well
                top, bottom = abs(exact[0]), exact[1]
                above = [Piece(self.digits(str(top)))] * (top != 1) + above
                below = [Piece(self.digits(str(bottom)))] * (bottom != 1) + below
            elif abs(float(number)) != 1:
                piece = self._number(number)
                above = [Piece(piece.text, piece.binding), *above]
        negative = number is not None and float(number) < 0
        if below:
            return Piece(self.fraction(self._multiplied(above), self._multiplied(below)), PRODUCT, negative)
        text = self.inside(above[0], SUM) if len(above) == 1 else self._multiplied(above)
        return Piece(text, PRODUCT, negative)

    def _multiplied(self, factors: Sequence[Piece]) -> str:
        if len(factors) < 2:
            return self.signed(factors[0]) if factors else self.digits("1")
        return self.joined([self.inside(factor, SUM) for factor in factors])

    def power(self, base: Expr, exponent: Expr) -> Piece:
        """Write a power, a root."""
        if exponent == 1:
            return self.piece(base)
        if base == se.E:
            return Piece(self.raised(self.constant("Exp1"), self.formula(exponent)), POWER)
        if exponent == se.Rational(1, 2):
            return Piece(self.root(self.formula(base)))
        if base.is_Symbol and not is_numeral(base):
            return Piece(self.name(base.name, self.formula(exponent)), POWER)
        function = function_of(base)
        if function and function.raised and exponent.is_Integer:
            return Piece(self.call(function, base.args, self.formula(exponent)), CALL)
        return Piece(self.raised(self.inside(self.piece(base), POWER), self.formula(exponent)), POWER)

    # --- order --------------------------------------------------------------------------------------------------------

    def _place_of_factor(self, expr: Expr) -> tuple[float, str]:
        """Order factors: numbers, names, time, sums of names such as m1 + m2, derivatives, sums, functions."""
        inner = expr.args[0] if expr.is_Pow else expr
        if expr.is_Number or (inner.is_Symbol and is_numeral(inner)):
            return 0, ""
        if inner.is_Symbol:
            if inner.name == "t":
                return 1.5, ""
            if rates := rates_in(inner.name):
                return 3 + rates, self._text(expr)
            return 1 + (3 if inner.name.startswith("lambda_") else rank_of_name(inner.name)), self._text(expr)
        if is_constant_sum(inner) and inner.is_Add:
            return 1.05 if is_inertia(inner) else 2, self._text(expr)
        return 8 if inner.is_Add else 9, self._text(expr)

    def _place_of_term(self, expr: Expr) -> tuple[bool, int, bool, str]:
        """Order terms: by their highest derivative, lone names before products; multipliers and numbers come last."""
        names = [symbol.name for symbol in expr.free_symbols]
        rates = max(map(rates_in, names), default=-1)
        text = _DIGITS.sub(lambda found: found[0].zfill(8), without_number(self._text(expr)))  # b2 before b10
        return any(name.startswith("lambda_") for name in names), -rates, not is_lone(text), text

    def _text(self, expr: Expr) -> str:
        return order_text(expr, self._texts)


def divides(expr: Expr) -> bool:
    """Tell whether a factor stands below the bar."""
    return bool(expr.is_Pow and expr.args[1].is_Number and float(expr.args[1]) < 0 and expr.args[0] != se.E)


def size(expr: Expr) -> int:
    """Count the symbols and operations of an expression as it is written out."""
    return fold(expr, lambda _, sizes: 1 + sum(sizes))


def _exact(number: Expr) -> tuple[int, int] | None:
    return None if type(number).__name__ == "RealDouble" else ratio(number)
