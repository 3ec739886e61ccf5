"""Numbers of formulas as decimals, where the model is written in decimals.

The algebra computes with whole numbers: 1.7 a'' + 16.677 sin(a) has become 1700 a'' + 16677 sin(a), and a factor 7/2000
stands in front of 100 x + 981. Here sums get their natural scale back, x + 9.81, and what is left in front is written
as a decimal. Numbers without a short decimal stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

import symengine as se

from dalembert.algebra.decimals import meant
from dalembert.algebra.writing.numerals import is_ugly, whole, written
from dalembert.language.building import Expr
from dalembert.language.walk import fold, rebuild

_DIGITS = 7  # of a decimal that is shorter than its fraction
_PLAIN = (1, 2, 3, 4)  # denominators that read better than decimals
_BITS = 200  # of the whole numbers that a short decimal can have
_ZERO = 1e-9  # what rounding leaves
_REAL = (se.RealDouble, se.Rational)
_SIMPLE = 4  # a multiple that one sees
_NATURAL = 2  # times the characters of the shortest that an equation in its natural scale may have
_LARGE = 100  # from which a factor of all terms is taken for one of decimals


def in_decimals(expr: Expr) -> Expr:
    """Write the numbers of a formula as decimals."""
    return fold(expr, _node)


def without_fractions(expr: Expr) -> Expr:
    """Write all fractions that nobody would write as decimals, however long, and multiply sums by them.

    >>> x, y, z = se.symbols("x y z")
    >>> without_fractions(se.Rational(1, 400000) * (131302 * x + 6200 * y) + z / 3)
    0.328255*x + 0.0155*y + (1/3)*z
    """

    def node(node: Expr, args: list[Expr]) -> Expr:
        if isinstance(node, se.Rational) and not node.is_Integer:
            return written(Fraction(int(node.p), int(node.q)))
        node = rebuild(node, [args[0], node.args[1]] if node.is_Pow else args)  # exponents stay what they are
        sums = [arg for arg in node.args if arg.is_Add] if node.is_Mul else []
        if len(sums) != 1 or not isinstance(node.args[0], se.RealDouble) or len(node.args) > 2:
            return node
        return se.Add(*[_times_number(term, node.args[0]) for term in sums[0].args])

    return fold(expr, node)


def _times_number(term: Expr, factor: Expr) -> Expr:
    """Multiply a term by a decimal, exactly as far as a float goes."""
    front = term.args[0] if term.is_Mul and term.args[0].is_Number else term if term.is_Number else se.Integer(1)
    rest = term if front == 1 else se.Integer(1) if front == term else se.Mul(*term.args[1:])
    return written(number(front) * number(factor)) * rest


def in_fractions(expr: Expr) -> Expr:
    """Write the decimals of a formula as the fractions that they mean."""
    exact = {x: se.Rational((value := number(x)).numerator, value.denominator) for x in expr.atoms(se.RealDouble)}
    return expr.xreplace(exact) if exact else expr


def scaled(equation: Expr, row: Expr, rates: Iterable[Expr]) -> Expr:
    """Give an equation that vanishes the scale of the row from which it comes, or one in which numbers are short."""
    if not equation.is_Add:
        return equation
    for rate in rates:
        ours, theirs = equation.diff(rate), row.diff(rate)
        if ours.is_Number and theirs.is_Number and ours != 0 and theirs != 0:
            return _times(equation, number(theirs) / number(ours)) or equation
    if (ratio := _ratio(row, equation)) is not None and (found := _times(equation, ratio)) is not None:
        return found
    largest = max((abs(number(_coefficient(term))) for term in equation.args), default=Fraction(0))
    power = len(str(int(largest))) - 1
    return (_times(equation, Fraction(1, 10 ** (power - 1))) if largest >= _LARGE else None) or equation


def without_scale(equation: Expr) -> Expr:
    """Divide an equation that vanishes by a decimal of which all its numbers are multiples.

    >>> x, y, z = se.symbols("x y z")
    >>> without_scale(0.7 * x + 1.4 * y), without_scale(0.7 * x + 1.5 * y), without_scale(0.5 * x + y)
    (x + 2*y, 0.7*x + 1.5*y, 0.5*x + y)
    """
    if not equation.is_Add or not all(isinstance(_coefficient(term), se.RealDouble) for term in equation.args):
        return equation
    numbers = [number(_coefficient(term)) for term in equation.args]
    ratios = [x / min(map(abs, numbers)) for x in numbers]
    if any(x.denominator != 1 or abs(x) > _SIMPLE for x in ratios):
        return equation
    return se.Add(*[int(x) * _rest(term) for x, term in zip(ratios, equation.args, strict=True)])


def in_shorter_numbers(equation: Expr, row: Expr) -> Expr:
    """Scale an equation that vanishes, if it has long or tiny numbers: as the row is from which it comes, or shortest.

    >>> x, y = se.symbols("x y")
    >>> in_shorter_numbers(1.7e-7 * x + 3e-8 * y, 1.7 * x + 0.3 * y)
    1.7*x + 0.3*y
    """
    terms = _flat(equation)
    if len(terms) < 2 or not any(map(is_ugly, terms.values())):
        return equation
    first, *_ = fronts = list(terms.values())
    scales = [_ratio(row, equation), Fraction(1), whole(fronts)[0] / first, *(1 / abs(front) for front in fronts)]
    natural, *others = ({x: scale * k for x, k in terms.items()} if scale else None for scale in scales)
    ended = [way for way in (natural, *others) if way and all(map(_ends, way.values()))]
    if not ended:
        return equation
    best = min(ended, key=_characters)
    if natural in ended and _characters(natural) <= _NATURAL * _characters(best):
        best = natural
    return se.Add(*[written(front, decimal=True) * rest for rest, front in best.items()])


def in_natural_scale(equation: Expr, row: Expr) -> Expr:
    """Give an equation of decimals the scale of the row from which it comes, if nothing but halves or so stand between.

    >>> x, y = se.symbols("x y")
    >>> in_natural_scale(530.0 * x + y * (18.0 * x + 3.6), 265.0 * x + y * (9.0 * x + 1.8))
    265*x + y*(1.8 + 9*x)
    """
    if not equation.is_Add or not equation.atoms(se.RealDouble):
        return equation
    ratio = _ratio(row, equation)
    if ratio in (None, 1) or max(ratio.numerator, ratio.denominator) > _SIMPLE:
        return equation
    found = se.Add(*[_multiplied(term, ratio) for term in equation.args])
    return found if len(str(found)) < len(str(equation)) else equation


def _multiplied(term: Expr, by: Fraction) -> Expr:
    """Multiply a term by a number: the one in front of it, or those in a sum of which each term has one."""
    front = _coefficient(term)
    if front == 1 and term.is_Mul:
        for total in (factor for factor in term.args if factor.is_Add):
            if all(abs(_coefficient(part)) != 1 for part in total.args):
                return se.Mul(
                    se.Add(*[_multiplied(part, by) for part in total.args]), *[x for x in term.args if x != total]
                )
    return written(number(front) * by, decimal=True) * _rest(term)


def _flat(total: Expr) -> dict[Expr, Fraction]:
    """Return the numbers in front of the terms of a sum, those of sums in it too that have nothing but one in front."""
    found: dict[Expr, Fraction] = {}
    for term in total.args if total.is_Add else [total]:
        front, rest = number(_coefficient(term)), _rest(term)
        for inner, k in (_flat(rest) if rest.is_Add else {rest: Fraction(1)}).items():
            found[inner] = found.get(inner, Fraction(0)) + front * k
    return {rest: front for rest, front in found.items() if front}


def _ends(value: Fraction) -> bool:
    """Tell whether a number is a short decimal."""
    return Fraction(f"{float(value):.{_DIGITS}g}") == value


def _characters(terms: Mapping[Expr, Fraction]) -> int:
    """Count those of the numbers in front of the terms of a sum."""
    return sum(len(str(written(abs(front), decimal=True))) for front in terms.values() if abs(front) != 1)


def _ratio(one: Expr, other: Expr) -> Fraction | None:
    """Return the number by which two expressions differ, found by their values; None if there is none."""
    names = sorted({*one.free_symbols, *other.free_symbols}, key=str)
    ratios = []
    for seed in (0.37, 0.59):
        values = {name: se.RealDouble((seed * (k + 1)) % 0.83 + 0.21) for k, name in enumerate(names)}
        above, below = (expr.xreplace(values) for expr in (one, other))
        if not (isinstance(above, _REAL) and isinstance(below, _REAL)) or abs(float(below)) < _ZERO:
            return None  # also where a root has no real value
        ratios.append(float(above) / float(below))
    if abs(ratios[0] - ratios[1]) > _ZERO * abs(ratios[0]) or not ratios[0]:
        return None
    ten = Fraction(10) ** math.floor(math.log10(abs(ratios[0])))  # the ratio may be tiny, where decimals are long
    found = (Fraction(ratios[0]) / ten).limit_denominator(10**6) * ten
    return found if abs(float(found) / ratios[0] - 1) < _ZERO else None


def number(value: Expr) -> Fraction:
    """Return what a number means, exactly."""
    if isinstance(value, se.Integer):
        return Fraction(int(value))
    if isinstance(value, se.Rational):
        return Fraction(int(value.p), int(value.q))
    return meant(float(value))


def _node(node: Expr, args: list[Expr]) -> Expr:
    if isinstance(node, (se.RealDouble, se.Rational)):
        return _decimal(number(node)) or node
    if not args:
        return node
    if node.is_Pow:
        return node if args[1].is_Number and node.args[0] == args[0] else se.Pow(args[0], node.args[1])
    if node.is_Mul:
        return _product(args)
    return rebuild(node, args)


def _product(args: list[Expr]) -> Expr:
    """Write a product: sums in their natural scale, one number in front, or inside if there is nothing but a sum."""
    front, others, sums = Fraction(1), [], []
    for factor in args:
        if factor.is_Number:
            front *= number(factor)
        elif factor.is_Add:
            scale, rest = _natural(factor)
            front *= scale
            sums.append(rest)
        else:
            others.append(factor)
    if len(sums) == 1 and not others and (inside := _times(sums[0], front)) is not None:
        return inside
    written = _decimal(front)
    if written is None:  # as it was
        return se.Mul(*args)
    if isinstance(written, se.RealDouble):  # 0.01 (350 x + 17 y) is 3.5 x + 0.17 y
        for k, total in enumerate(sums):
            if any(abs(number(_coefficient(term))) >= _LARGE for term in total.args):
                inside = _times(total, front)
                if inside is not None:
                    return se.Mul(inside, *others, *sums[:k], *sums[k + 1 :])
    return se.Mul(written, *others, *sums)


def _natural(total: Expr) -> tuple[Fraction, Expr]:
    """Return a sum as a number times one in which all numbers are short decimals, the smallest of them one."""
    numbers = [abs(number(_coefficient(term))) for term in total.args]
    if not any(x >= _LARGE and x.denominator == 1 for x in numbers):
        return Fraction(1), total
    for scale in sorted(set(numbers)):
        rest = _times(total, 1 / scale)
        if rest is not None:
            return scale, rest
    return Fraction(1), total


def _times(total: Expr, factor: Fraction) -> Expr | None:
    """Multiply every term of a sum; None if a number in it has no short decimal then."""
    terms = []
    for term in total.args:
        front = _decimal(number(_coefficient(term)) * factor)
        if front is None:
            return None
        terms.append(front * _rest(term))
    return se.Add(*terms)


def _coefficient(term: Expr) -> Expr:
    if term.is_Number:
        return term
    first = term.args[0] if term.is_Mul else None
    return first if first is not None and first.is_Number else se.Integer(1)


def _rest(term: Expr) -> Expr:
    if term.is_Number:
        return se.Integer(1)
    return se.Mul(*term.args[1:]) if term.is_Mul and term.args[0].is_Number else term


def _decimal(value: Fraction) -> Expr | None:
    """Return a number that can be read: a whole one, a simple fraction, a short decimal; None if there is none."""
    if value.denominator == 1 or (value.denominator in _PLAIN and abs(value.numerator) < 10):
        return se.Rational(value.numerator, value.denominator)
    if max(abs(value.numerator), value.denominator).bit_length() > _BITS:
        return None
    text = f"{float(value):.{_DIGITS}g}"
    return se.RealDouble(float(text)) if Fraction(text) == value else None
