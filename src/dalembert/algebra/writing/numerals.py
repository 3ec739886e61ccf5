"""Numbers that a person wrote are symbols until the last moment: 0.35 is a symbol whose name is its text.

The algebra of formulas multiplies whole numbers: with decimals in it, 1.3 a'' + 0.35 sin(a) would come back as
26 a'' + 7 sin(a), and longer ones as numbers of thirty digits. As symbols they stay what they are, as parameters do,
and only what is printed puts them together: 1.3*0.35 becomes 0.455, (0.12 + 0.15925) becomes 0.27925, and a quotient
that has no short decimal stays one, x/0.27925.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm, prod
from typing import Any

import symengine as se

from dalembert.algebra.decimals import meant, short_decimal
from dalembert.language.building import Expr, is_numeral
from dalembert.language.walk import Remembered, rebuild

_DIGITS = 7  # of a quotient that is shorter than what it is made of
_MOST = 15  # digits that a float keeps
_PLAIN = (1, 2, 3, 4, 6, 8, 12)  # denominators that read better than decimals
_LONG = 7  # characters of a number, beyond which one looks for shorter ones
_TINY = Fraction(1, 1000)
_BITS = 4_000  # of numbers that are put together exactly
_ROUNDED = Fraction(1, 10**14)  # of the largest number in a sum: what fifteen digits leave open


def numerals(expr: Expr) -> Expr:
    """Return an expression with symbols in the place of its decimals; exponents stay numbers.

    >>> numerals(0.35 * se.Symbol("x") ** 1.5)
    x**1.5*0.35
    """
    return _with_symbols(expr) if has_decimals(expr) else expr


def has_decimals(expr: Expr) -> bool:
    """Tell whether there are decimals in an expression, exponents too."""
    return _has_decimals(expr)


def _lifted(node: Expr, parts: list[Expr]) -> Expr:
    if type(node).__name__ == "RealDouble":
        value = float(node)
        symbol = se.Symbol(short_decimal(abs(value)) or repr(abs(value)))
        return -symbol if value < 0 else symbol
    if node.is_Pow:
        exponent = node.args[1]
        return parts[0] ** (exponent if exponent.is_Number else parts[1])
    return rebuild(node, parts)


def numbers(expr: Expr) -> Expr:
    """Return an expression with decimals in the place of symbols that are some."""
    found = {x: se.RealDouble(float(x.name)) for x in expr.free_symbols if is_numeral(x)}
    return expr.xreplace(found) if found else expr


def figures(expr: Expr) -> Expr:
    """Return an expression with numbers in the place of their symbols, put together where that is shorter.

    >>> x, a, b = se.symbols("x 0.3 0.7")
    >>> figures(a * b * x + (a + b) * x**2), figures(x / b)
    (0.21*x + x**2, x/0.7)
    """
    is_given = any(map(is_numeral, expr.free_symbols)) or any(map(_is_unrounded, expr.atoms(se.RealDouble)))
    return _shown(_with_figures(expr)) if is_given else expr


def _is_unrounded(value: Expr) -> bool:
    """Tell whether a float has more digits than a person would write, as 0.1·0.1 has."""
    return float(f"{float(value):.{_MOST}g}") != float(value)


# A pure number is a Fraction on the way up, all else an expression.


class _Decimal(Fraction):
    """A number that was written as a decimal, and is to be one in print.

    below: what it was divided by; 1/1.7, which does not end, is printed so.
    """

    below = Fraction(1)


def _figure(node: Expr, parts: list[Any]) -> Any:
    if node.is_Number:
        return _exact(node)
    if node.is_Symbol:
        return _Decimal(node.name) if is_numeral(node) else node
    if node.is_Add:
        return _sum(parts)
    if node.is_Mul:
        return _product(node, parts)
    if node.is_Pow:
        return _power(parts[0], node.args[1], parts[1])
    return rebuild(node, [_shown(part) for part in parts])


def _exact(node: Expr) -> Any:
    if isinstance(node, se.Integer):
        return Fraction(int(node))
    if isinstance(node, se.Rational):
        return Fraction(int(node.p), int(node.q))
    return _Decimal(meant(float(node))) if isinstance(node, se.RealDouble) else node


def _shown(part: Any) -> Expr:
    if not isinstance(part, _Decimal):
        return written(part) if isinstance(part, Fraction) else part
    above, below = part * part.below, _text(part.below)
    if part.below == 1 or below is None or _is_decimal(part) or not _is_decimal(above):
        return written(part, decimal=True)
    if is_ugly(above) or is_ugly(part.below):  # 1.4e-06/2.17e-07 is 200/31
        whole_numbers = Fraction(part.numerator), Fraction(part.denominator)
        above, under = min((above, part.below), whole_numbers, key=lambda way: sum(map(_characters, way)))
        below = _text(under) or below
    return written(above, decimal=True) / se.Symbol(below)


def _together(value: Fraction, parts: list[Any]) -> Fraction:
    """Return a number that is made of others as a decimal, if one of them is one."""
    decimals = [part for part in parts if isinstance(part, _Decimal)]
    return _quotient(value, prod((part.below for part in decimals), start=Fraction(1))) if decimals else value


def _quotient(value: Fraction, below: Fraction) -> _Decimal:
    found = _Decimal(value)
    found.below = below
    return found


def _sum(parts: list[Any]) -> Any:
    """Add up; what stands in several terms before the same thing is put together exactly, not in floats."""
    number = _added([part for part in parts if isinstance(part, Fraction)])
    others = [part for part in parts if not isinstance(part, Fraction)]
    if not others:
        return number
    return se.Add(*_merged(others), _shown(number)) if number else se.Add(*_merged(others))


def _merged(terms: list[Expr]) -> list[Expr]:
    fronts: dict[Expr, list[Fraction]] = {}
    for term in terms:
        front, rest = _front(term)
        fronts.setdefault(term if front is None else rest, []).append(Fraction(1) if front is None else front)
    if len(fronts) == len(terms):
        return terms
    return [_shown(_added(numbers)) * rest for rest, numbers in fronts.items()]


def _added(parts: list[Fraction]) -> Fraction:
    """Add numbers up; what is left of some that cancel is zero, if it is the rounding of one that has all digits."""
    value = sum(parts, Fraction(0))
    if value and any(map(_has_all_digits, parts)):
        value = _as_meant(value, _ROUNDED * max(map(abs, parts)))
    return _together(value, parts)


def _as_meant(value: Fraction, rounding: Fraction) -> Fraction:
    """Return the number of few digits that one is up to its rounding, if there is one: 0.141… · 0.00707… is 0.001."""
    if abs(value) < rounding:
        return Fraction(0)
    short = Fraction(f"{float(value):.{_DIGITS}g}")
    return short if abs(short - value) <= rounding else value


def _has_all_digits(value: Fraction) -> bool:
    return Fraction(f"{float(value):.{_MOST - 1}g}") != value


def _power(base: Any, exponent: Expr, shown: Any) -> Any:
    if isinstance(base, Fraction) and isinstance(exponent, se.Integer):
        power = int(exponent)
        if power >= 0 or base:
            size = max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(power)
            value = base**power if size < _BITS else meant(float(base) ** power)
            if isinstance(base, _Decimal) and power < 0 and size < _BITS:
                return _quotient(value, abs(base**-power))
            return _together(value, [base])
    if isinstance(base, Fraction) and exponent.is_Number and base > 0:
        return meant(float(base) ** float(exponent))
    if isinstance(exponent, se.Integer) and not isinstance(base, Fraction) and base.is_Mul:
        front, rest = _front(base)  # (0.1 x)² is 0.01 x², and not what floats make of it
        if isinstance(front, Fraction) and rest != base:
            return _shown(_power(front, exponent, None)) * rest**exponent
    return _shown(base) ** (exponent if exponent.is_Number else _shown(shown))


def _front(expr: Expr) -> tuple[Any, Expr]:
    """Return the number in front of a product, exactly, and the rest; None where it is not a real number."""
    if not (expr.is_Mul and expr.args[0].is_Number):
        return Fraction(1), expr
    exact = _exact(expr.args[0])
    return exact if isinstance(exact, Fraction) else None, se.Mul(*expr.args[1:])


def _product(node: Expr, parts: list[Any]) -> Any:
    """Put the numbers of a product together: one in front, and one below where their quotient has no short decimal."""
    above, below, others, fronts = [], [], [], []
    for factor, part in zip(node.args, parts, strict=True):
        if not isinstance(part, Fraction):
            front, rest = _front(part)
            others.append(part if front is None else rest)
            fronts.append(Fraction(1) if front is None else front)
        elif factor.is_Pow and factor.args[1].is_Number and factor.args[1] < 0 and part:
            below.append(1 / part)
        else:
            above.append(Fraction(part.numerator))
            below.append(Fraction(part.denominator))
            if _is_decimal(part):
                above[-1], below[-1] = part, Fraction(1)
    above += fronts
    top, bottom = prod(above, start=Fraction(1)), prod(below, start=Fraction(1))
    numbers = [*(part for part in parts if isinstance(part, Fraction)), *fronts]
    value = top / bottom
    if any(map(_has_all_digits, numbers)) and (short := _as_meant(value, _ROUNDED * abs(value))) != value:
        value, top, bottom = short, short, Fraction(1)
    value = _together(value, numbers)
    if not others:
        return value
    if len(others) == 1 and others[0].is_Add and (inside := _inside(value, others[0])) is not None:
        return inside
    if bottom != 1:
        for k, total in enumerate(others):
            if total.is_Add and (inside := _divided(value, total)) is not None:
                return se.Mul(inside, *others[:k], *others[k + 1 :])
        for k, total in enumerate(others):
            if total.is_Add and (quotient := _in_shorter_numbers(top, bottom, total)) is not None:
                return se.Mul(*quotient, *others[:k], *others[k + 1 :])
    if bottom == 1 or _is_short(value) or (value.denominator in _PLAIN and not isinstance(value, _Decimal)):
        return se.Mul(_shown(value), *others)
    if bottom < 0:
        top, bottom = -top, -bottom
    if abs(top.numerator) == 1 and top.denominator in (2, 4):  # 0.5/0.07 is 1/0.14
        top, bottom = Fraction(top.numerator), bottom * top.denominator
    below_it = _text(bottom)
    if below_it is None:
        return se.Mul(_shown(value), *others)
    return se.Mul(_shown(_together(top, parts)), 1 / se.Symbol(below_it), *others)


def _inside(value: Fraction, total: Expr) -> Expr | None:
    """Multiply a sum by ±1, or by a number if its terms have decimals in front: 2 (1.75 x + 6 y) is 3.5 x + 12 y."""
    if abs(value) == 1:
        return se.Add(*[term * int(value) for term in total.args])
    fronts = [term.args[0] if term.is_Mul else term for term in total.args]
    if value.denominator > 2 or not all(isinstance(front, se.RealDouble) for front in fronts):
        return None
    products = [value * _exact(front) for front in fronts]
    if not all(map(_is_short, products)):
        return None
    rests = [se.Mul(*term.args[1:]) if term.is_Mul else se.Integer(1) for term in total.args]
    return se.Add(*[written(front, decimal=True) * rest for front, rest in zip(products, rests, strict=True)])


def _divided(value: Fraction, total: Expr) -> Expr | None:
    """Multiply the numbers of a sum by a quotient, if they are short then: (3.5 x − 70 y)/70 is 0.05 x − y."""
    terms = list(map(_front, total.args))
    if any(front is None or abs(front) == 1 for front, _ in terms):
        return None
    products = [value * front for front, _ in terms]
    if not all(map(_is_short, products)):
        return None
    return se.Add(*[written(front, decimal=True) * rest for front, (_, rest) in zip(products, terms, strict=True)])


def _in_shorter_numbers(top: Fraction, bottom: Fraction, total: Expr) -> list[Expr] | None:
    """Return a quotient of long or tiny numbers as factors in which they are short, exactly; None if there are none.

    1.2e-06 (0.00024 w + 0.0006 F)/2.18736e-07 is 12 (2 w + 5 F)/4557.
    """
    fronts, rests = zip(*map(_front, total.args), strict=True)
    if None in fronts or not any(map(is_ugly, (top, bottom, *fronts))):
        return None
    content, *_ = primitive = whole(fronts)
    ratio = top / bottom * (fronts[0] / content if content else 1)
    above, below = ratio.numerator, Fraction(ratio.denominator)
    inside = [above * x for x in primitive]
    found = [(Fraction(above), primitive, below)]
    found += [(Fraction(1), [x / 10**k for x in inside], below / 10**k) for k in range(len(str(below)))]

    def size(way: tuple[Fraction, Sequence[Fraction], Fraction]) -> int:
        front, terms, below = way
        return sum(map(_characters, (front, *terms, below)))

    best = min((way for way in found if all(map(_is_short, (way[0], *way[1], way[2])))), key=size, default=None)
    if best is None or size(best) >= size((top, fronts, bottom)):
        return None
    front, terms, below = best
    sum_of_them = se.Add(*[written(x, decimal=True) * rest for x, rest in zip(terms, rests, strict=True)])
    under = [] if below == 1 else [1 / se.Symbol(str(written(below, decimal=True)))]
    return [written(front), sum_of_them, *under]


def whole(numbers: Sequence[Fraction]) -> list[Fraction]:
    """Return numbers as whole ones without a common factor, in the same proportion; all zero if they are.

    >>> [int(x) for x in whole([Fraction("0.012"), Fraction("-0.0024"), Fraction("0.0006")])]
    [20, -4, 1]
    """
    below = lcm(*[x.denominator for x in numbers])
    common = gcd(*[int(x * below) for x in numbers]) or 1
    return [x * below / common for x in numbers]


def in_proportion(values: Sequence[Expr]) -> list[Expr]:
    """Return numbers in the same proportion that are shortest: whole ones, or with one of them one.

    >>> in_proportion([se.RealDouble(0.012), se.RealDouble(-0.0024)]), in_proportion([se.RealDouble(0.35)])
    ([5, -1], [1])
    """
    exact = [_exact(value) for value in values]
    if not any(exact) or not all(isinstance(value, Fraction) for value in exact):
        return list(values)
    ways = [exact, whole(exact), *([x / abs(unit) for x in exact] for unit in exact if unit)]
    short = [way for way in ways if all(map(_is_short, way))]
    best = min(short, key=lambda way: sum(map(_characters, way)), default=None)
    return list(values) if best is None else [numerals(written(x, decimal=True)) for x in best]


def _characters(value: Fraction) -> int:
    """Count those of a number as it is printed; a one is not printed."""
    return len(str(written(abs(value), decimal=True))) if abs(value) != 1 else 0


def is_ugly(value: Fraction) -> bool:
    """Tell whether nobody would write a number: 2.18736e-07."""
    return abs(value) < _TINY or _characters(value) > _LONG


def _is_decimal(value: Fraction) -> bool:
    """Tell whether a number ends as a decimal."""
    rest = value.denominator
    for factor in (2, 5):
        while rest % factor == 0:
            rest //= factor
    return rest == 1


def _is_short(value: Fraction) -> bool:
    return Fraction(f"{float(value):.{_DIGITS}g}") == value


def _text(value: Fraction) -> str | None:
    """Return a number as a symbol is called; None if it is none that can be read."""
    if value.denominator == 1 and value < 10**_MOST:
        return str(value.numerator)
    text = repr(float(f"{float(value):.{_MOST}g}"))
    return text if abs(Fraction(text) - value) <= abs(value) * Fraction(1, 10**14) else None


def written(value: Fraction, decimal: bool = False) -> Expr:
    """Return a number as it is printed: a whole one or a simple fraction, else a decimal; or a decimal if it is short.

    >>> written(Fraction(1, 4)), written(Fraction(1, 4), decimal=True), written(Fraction(27925, 100000))
    (1/4, 0.25, 0.27925)
    """
    if decimal and value.denominator != 1 and _is_short(value):
        return se.RealDouble(float(value))
    if value.denominator in _PLAIN and abs(value.numerator) < 10**_MOST:
        better = _is_short(value) and value.denominator > 4
        if not better and (value.denominator == 1 or abs(value.numerator) < 10 or not _is_short(value)):
            return se.Rational(value.numerator, value.denominator)
    return se.RealDouble(float(f"{float(value):.{_MOST}g}"))


_with_symbols, _with_figures = Remembered(_lifted), Remembered(_figure)
_has_decimals = Remembered(lambda node, parts: any(parts) or isinstance(node, se.RealDouble))
