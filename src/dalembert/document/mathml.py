"""Formulas as MathML, which browsers typeset by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.document.composition import POWER, Script, divides, size
from dalembert.document.symbols import mathml
from dalembert.language.building import Expr
from dalembert.language.functions import Function

_THIN = '<mspace width="0.17em"/>'
_APPLY, _TIMES, _DOT = "<mo>&#x2061;</mo>", f"<mo>&#x2062;</mo>{_THIN}", "<mo>⋅</mo>"
_WIDE = 24  # symbols and operations of a term that may not fit into a line
_TALL = ("<mfrac", "<mtable", "<msqrt")


class MathML(Script):
    """Writes the elements of MathML."""

    plus, minus = "<mo>+</mo>", "<mo>−</mo>"

    def name(self, name: str, power: str = "") -> str:
        """Write a name, or a power of it."""
        return mathml(name, power)

    def figures(self, value: float) -> str:
        """Return six of them: a page is read."""
        return f"{value:.6g}"

    def scientific(self, mantissa: str, exponent: str) -> str:
        """Write a number times a power of ten."""
        power = f"<mrow>{self.minus if exponent[0] == '-' else ''}<mn>{exponent.lstrip('-')}</mn></mrow>"
        return f"<mn>{mantissa}</mn>{_DOT}<msup><mn>10</mn>{power}</msup>"

    def digits(self, digits: str) -> str:
        """Write a number by its digits."""
        return f"<mn>{digits}</mn>"

    def fraction(self, above: str, below: str) -> str:
        """Write a bar."""
        return f"<mfrac>{above}{below}</mfrac>"

    def root(self, inside: str) -> str:
        """Write a square root."""
        return f"<msqrt>{inside}</msqrt>"

    def raised(self, base: str, power: str) -> str:
        """Write a power."""
        return f"<msup>{base}{power}</msup>"

    def bracketed(self, inside: str) -> str:
        """Put it into brackets, which grow only around what is tall."""
        how = "true" if any(tall in inside for tall in _TALL) else "false"
        return f'<mrow><mo stretchy="{how}">(</mo>{inside}<mo stretchy="{how}">)</mo></mrow>'

    def joined(self, factors: Sequence[str]) -> str:
        """Write factors beside each other, numbers with a dot between them."""
        parts = (f"{_DOT if factor.startswith('<mn>') else _TIMES}{factor}" for factor in factors[1:])
        return self.row([factors[0], *parts])

    def row(self, parts: Sequence[str]) -> str:
        """Put signs and terms in a row."""
        return f"<mrow>{''.join(parts)}</mrow>"

    def call(self, function: Function, args: Sequence[Expr], power: str = "") -> str:
        """Write a function of arguments, or its power sin² u."""
        if function.mathml:
            return function.mathml.format(*map(self.formula, args))
        word = f"<mi>{function.shown or function.name}</mi>"
        return self.row([self.raised(word, power) if power else word, _APPLY, self._argument(args)])

    def constant(self, kind: str) -> str:
        """Write `Pi`, `Exp1`, or what else has no name in the language."""
        return f"<mi>{ {'Pi': 'π', 'Exp1': 'e'}.get(kind, kind) }</mi>"

    def _argument(self, args: Sequence[Expr]) -> str:
        """Write what a function is applied to; a single symbol needs no brackets."""
        pieces = [self.piece(arg) for arg in args]
        if len(pieces) == 1:
            inside = self.inside(pieces[0], POWER)
            return (_THIN if inside == pieces[0].text else "") + inside
        return self.bracketed("<mo>,</mo>".join(map(self.signed, pieces)))

    def pieces(self, terms: Sequence[Expr]) -> list[str]:
        """Return a sum piece by piece, each with its sign, so that a page may begin a new line between them.

        A term is one piece; a long one that is a product with a sum breaks inside that sum as well.
        """
        found: list[str] = []
        for k, term in enumerate(terms):
            piece = self.piece(term)
            sign = "−" if piece.negative else "+" if k else ""
            operator = f'<mo lspace="0" rspace="{".25em" if k else "0"}">{sign}</mo>' if sign else ""
            inner = self._broken(term) if size(term) > _WIDE else [piece.text]
            found += [f"<mrow>{operator}{inner[0]}</mrow>", *inner[1:]]
        return found

    def _broken(self, term: Expr) -> list[str]:
        """Break a product inside its longest sum, without its sign; leave it whole where there is none above the bar.

        What is divided by stands in front then, with the other factors, as a fraction of its own.
        """
        factors = self.factors(term) if term.is_Mul else []
        sums = [factor for factor in factors if factor.is_Add]
        if not sums:
            return [self.piece(term).text]
        k = factors.index(max(sums, key=size))
        divided = any(map(divides, factors))
        first, last = (factors[:k] + factors[k + 1 :], []) if divided else (factors[:k], factors[k + 1 :])
        before, after = (self.product(part).text if any(map(_shows, part)) else "" for part in (first, last))
        opening = "" if divided or not before else before + _TIMES
        pieces = self.pieces(self.terms(factors[k]))
        pieces[0] = f'<mrow>{opening}<mo stretchy="false">(</mo>{pieces[0]}</mrow>'
        pieces[-1] = f'<mrow>{pieces[-1]}<mo stretchy="false">)</mo>{_TIMES + after if after else ""}</mrow>'
        return [before, *pieces] if divided else pieces


def _shows(factor: Expr) -> bool:
    """Tell whether more than its sign is written of a factor."""
    return not factor.is_Number or abs(float(factor)) != 1


def math(html: str, *, block: bool = False) -> str:
    """Wrap MathML so that a page shows it."""
    return f'<math display="block">{html}</math>' if block else f"<math>{html}</math>"


def formula(expr: Expr) -> str:
    """Return an expression as MathML."""
    return MathML().formula(expr)


def matrix(rows: Sequence[Sequence[str]]) -> str:
    """Return a matrix of entries in MathML."""
    cells = "".join(f"<mtr>{''.join(f'<mtd>{entry}</mtd>' for entry in row)}</mtr>" for row in rows)
    return f"<mrow><mo>[</mo><mtable>{cells}</mtable><mo>]</mo></mrow>"
