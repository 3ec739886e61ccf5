"""Formulas as MathML, which browsers typeset by themselves.

They are written as by hand: numbers and parameters first, then coordinates and their derivatives, then functions;
fractions with a bar, roots, sin² φ; sums begin with the highest derivatives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import symengine as se

from dalembert.document.symbols import mathml
from dalembert.language.building import Expr, ratio
from dalembert.language.functions import function_of
from dalembert.language.printing import to_text
from dalembert.language.walk import fold

_SUM, _PRODUCT, _CALL, _POWER, _ATOM = range(5)  # how tightly the outermost operation binds
_THIN = '<mspace width="0.17em"/>'
_APPLY, _TIMES = "<mo>&#x2061;</mo>", f"<mo>&#x2062;</mo>{_THIN}"
_WIDE = 24  # symbols and operations of a term that may not fit into a line
_TALL = ("<mfrac", "<mtable", "<msqrt")
_PLUS, _MINUS, _ONE = "<mo>+</mo>", "<mo>−</mo>", "<mn>1</mn>"
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Piece:
    """A typeset expression: without its sign, how tightly it binds, and whether it is negative."""

    html: str
    binding: int = _ATOM
    negative: bool = False

    @property
    def row(self) -> str:
        """The whole, with its sign."""
        return f"<mrow>{_MINUS}{self.html}</mrow>" if self.negative else self.html

    def inside(self, binding: int) -> str:
        """Return it as part of an operation, in brackets where it binds no tighter."""
        return self.html if self.binding > binding and not self.negative else bracketed(self.row)


def math(html: str, *, block: bool = False) -> str:
    """Wrap MathML so that a page shows it."""
    return f'<math display="block">{html}</math>' if block else f"<math>{html}</math>"


def formula(expr: Expr) -> str:
    """Return an expression as MathML."""
    return typeset(expr).row


def signed(terms: Sequence[Expr]) -> list[str]:
    """Return a sum piece by piece, each with its sign, so that a page may begin a new line between them.

    A term is one piece; a long one that is a product with a sum breaks inside that sum as well.
    """
    found = []
    for k, term in enumerate(terms):
        piece = typeset(term)
        sign = "−" if piece.negative else "+" if k else ""
        operator = f'<mo lspace="0" rspace="{".25em" if k else "0"}">{sign}</mo>' if sign else ""
        inner = _broken(term) if size(term) > _WIDE else [piece.html]
        found += [f"<mrow>{operator}{inner[0]}</mrow>", *inner[1:]]
    return found


def _broken(term: Expr) -> list[str]:
    """Break a product inside its longest sum, without its sign; leave it whole where there is none above the bar.

    What is divided by stands in front then, with the other factors, as a fraction of its own.
    """
    factors = sorted(term.args if term.is_Mul else (), key=_place_of_factor)
    sums = [factor for factor in factors if factor.is_Add]
    if not sums:
        return [typeset(term).html]
    long = max(sums, key=size)
    k = factors.index(long)
    divided = any(map(_divides, factors))
    first, last = (factors[:k] + factors[k + 1 :], []) if divided else (factors[:k], factors[k + 1 :])
    before, after = (_product(se.Mul(*part)).html if part else "" for part in (first, last))
    before = "" if before == _ONE or divided else before + _TIMES
    pieces = signed(terms(long))
    pieces[0] = f'<mrow>{before}<mo stretchy="false">(</mo>{pieces[0]}</mrow>'
    pieces[-1] = f'<mrow>{pieces[-1]}<mo stretchy="false">)</mo>{_TIMES + after if after else ""}</mrow>'
    return [_product(se.Mul(*first)).html, *pieces] if divided else pieces


def _sum(terms: Sequence[Expr]) -> str:
    pieces = [typeset(term) for term in terms]
    signs = [_MINUS if piece.negative else _PLUS if k else "" for k, piece in enumerate(pieces)]
    return f"<mrow>{''.join(sign + piece.html for sign, piece in zip(signs, pieces, strict=True))}</mrow>"


def terms(expr: Expr) -> list[Expr]:
    """Return the terms of a sum as they are written: those with accelerations first, then velocities, then the rest."""
    found = sorted(expr.args if expr.is_Add else (expr,), key=_place_of_term)
    first = next((k for k, term in enumerate(found) if not typeset(term).negative), 0)
    return [found[first], *found[:first], *found[first + 1 :]]


def matrix(rows: Sequence[Sequence[str]]) -> str:
    """Return a matrix of entries in MathML."""
    cells = "".join(f"<mtr>{''.join(f'<mtd>{entry}</mtd>' for entry in row)}</mtr>" for row in rows)
    return f"<mrow><mo>[</mo><mtable>{cells}</mtable><mo>]</mo></mrow>"


def bracketed(html: str) -> str:
    """Put MathML into brackets, which grow only around what is tall."""
    how = "true" if any(tall in html for tall in _TALL) else "false"
    return f'<mrow><mo stretchy="{how}">(</mo>{html}<mo stretchy="{how}">)</mo></mrow>'


def size(expr: Expr) -> int:
    """Count the symbols and operations of an expression as it is written out."""
    return fold(expr, lambda _, sizes: 1 + sum(sizes))


def typeset(expr: Expr) -> Piece:
    """Typeset an expression."""
    if expr.is_Symbol:
        return Piece(mathml(expr.name))
    if expr.is_Number:
        return _number(expr)
    if expr.is_Add:
        return Piece(_sum(terms(expr)), _SUM)
    if expr.is_Mul:
        return _product(expr)
    if expr.is_Pow:
        return _product(expr) if _divides(expr) else _power(*expr.args)
    return _call(expr)


# --- numbers, products, powers ----------------------------------------------------------------------------------------


def _number(expr: Expr) -> Piece:
    exact = None if type(expr).__name__ == "RealDouble" else ratio(expr)
    if exact is not None:
        above, below = f"<mn>{abs(exact[0])}</mn>", f"<mn>{exact[1]}</mn>"
        if exact[1] == 1:
            return Piece(above, negative=exact[0] < 0)
        return Piece(f"<mfrac>{above}{below}</mfrac>", _PRODUCT, exact[0] < 0)
    value = float(expr)
    mantissa, _, exponent = f"{abs(value):.6g}".partition("e")
    if not exponent:
        return Piece(f"<mn>{mantissa}</mn>", negative=value < 0)
    power = f"<mrow>{_MINUS if exponent[0] == '-' else ''}<mn>{exponent.lstrip('+-0')}</mn></mrow>"
    return Piece(f"<mn>{mantissa}</mn><mo>⋅</mo><msup><mn>10</mn>{power}</msup>", _PRODUCT, value < 0)


def _product(expr: Expr) -> Piece:
    """Write a product: its number, what is multiplied, and below a bar what is divided by."""
    factors = sorted(expr.args if expr.is_Mul else (expr,), key=_place_of_factor)
    numbers = [_number(factor) for factor in factors if factor.is_Number]
    exact = [ratio(factor) for factor in factors if factor.is_Number and type(factor).__name__ != "RealDouble"]
    above = [typeset(factor) for factor in factors if not factor.is_Number and not _divides(factor)]
    below = [_power(factor.args[0], -factor.args[1]) for factor in factors if _divides(factor)]
    negative = any(number.negative for number in numbers)
    if below and exact and exact[0] is not None:  # the number is divided as well
        top, bottom = abs(exact[0][0]), exact[0][1]
        above = [Piece(f"<mn>{top}</mn>")] * (top != 1) + above
        below = [Piece(f"<mn>{bottom}</mn>")] * (bottom != 1) + below
    else:
        above = [Piece(number.html, number.binding) for number in numbers if number.html != _ONE] + above
    if not below:
        return Piece(above[0].inside(_SUM) if len(above) == 1 else _multiplied(above), _PRODUCT, negative)
    return Piece(f"<mfrac>{_multiplied(above)}{_multiplied(below)}</mfrac>", _PRODUCT, negative)


def _multiplied(factors: Sequence[Piece]) -> str:
    if len(factors) < 2:
        return factors[0].row if factors else _ONE
    return f"<mrow>{_TIMES.join(factor.inside(_SUM) for factor in factors)}</mrow>"


def _divides(expr: Expr) -> bool:
    """Tell whether a factor stands below the bar."""
    return bool(expr.is_Pow and expr.args[1].is_Number and float(expr.args[1]) < 0 and expr.args[0] != se.E)


def _power(base: Expr, exponent: Expr) -> Piece:
    if exponent == 1:
        return typeset(base)
    if base == se.E:
        return Piece(f"<msup><mi>e</mi>{formula(exponent)}</msup>", _POWER)
    if exponent == se.Rational(1, 2):
        return Piece(f"<msqrt>{formula(base)}</msqrt>")
    if base.is_Symbol:
        return Piece(mathml(base.name, formula(exponent)), _POWER)
    function = function_of(base)
    if function and function.raised and exponent.is_Integer:
        return Piece(
            f"<mrow><msup><mi>{function.name}</mi>{formula(exponent)}</msup>{_argument(base.args)}</mrow>", _CALL
        )
    return Piece(f"<msup>{typeset(base).inside(_POWER)}{formula(exponent)}</msup>", _POWER)


# --- functions --------------------------------------------------------------------------------------------------------


def _call(expr: Expr) -> Piece:
    kind = type(expr).__name__
    if kind in ("Pi", "Exp1"):
        return Piece("<mi>π</mi>" if kind == "Pi" else "<mi>e</mi>")
    function = function_of(expr)
    if function is not None and function.mathml:
        return Piece(function.mathml.format(*map(formula, expr.args)))
    shown = (function.shown or function.name) if function else kind
    return Piece(f"<mrow><mi>{shown}</mi>{_argument(expr.args)}</mrow>", _CALL)


def _argument(args: Sequence[Expr]) -> str:
    """Write what a function is applied to; a single symbol needs no brackets."""
    pieces = [typeset(arg) for arg in args]
    if len(pieces) == 1:
        inside = pieces[0].inside(_POWER)
        return _APPLY + (_THIN if inside == pieces[0].html else "") + inside
    return _APPLY + bracketed("<mo>,</mo>".join(piece.row for piece in pieces))


# --- order ------------------------------------------------------------------------------------------------------------


def _place_of_factor(expr: Expr) -> tuple[int, str]:
    """Order factors: numbers, names, derivatives, sums, functions."""
    inner = expr.args[0] if expr.is_Pow else expr
    if expr.is_Number:
        return 0, ""
    if inner.is_Symbol:
        dots = len(inner.name) - len(inner.name.rstrip("'"))
        return 1 + dots + 3 * inner.name.startswith("lambda_"), to_text(expr)
    return 7 if inner.is_Add else 8, to_text(expr)


def _place_of_term(expr: Expr) -> tuple[bool, int, str]:
    """Order terms: by their highest derivative; multipliers and numbers come last."""
    names = [symbol.name for symbol in expr.free_symbols]
    dots = max((len(name) - len(name.rstrip("'")) for name in names), default=-1)
    text = _DIGITS.sub(lambda found: found[0].zfill(8), to_text(expr))  # b2 before b10
    return any(name.startswith("lambda_") for name in names), -dots, text.lstrip("-")
