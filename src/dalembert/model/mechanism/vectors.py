"""Vectors of expressions, as tuples: what the geometry of bodies and joints is written in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import symengine as se

from dalembert.language.building import Expr, angle, number, root, total

Vector = tuple[Expr, ...]
Matrix = tuple[Vector, ...]
ZERO, ONE = se.Integer(0), se.Integer(1)
_ROUNDING = 1e-15  # of the largest that is added up: what sines, their products and a few sums leave


def zeros(n: int) -> Vector:
    """Return the zero vector."""
    return (ZERO,) * n


def add(*vectors: Sequence[Expr]) -> Vector:
    """Return a sum of vectors."""
    return tuple(_with_short_offset(total(*parts), parts) for parts in zip(*vectors, strict=True))


def sub(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """Return a − b, with the sum kept flat."""
    return tuple(difference(x, y) for x, y in zip(a, b, strict=True))


def difference(x: Expr, y: Expr) -> Expr:
    """Return x − y as one flat sum."""
    return _with_short_offset(se.Add(x, *[-term for term in (y.args if y.is_Add else (y,))]), (x, y))


def _with_short_offset(found: Expr, terms: Sequence[Expr]) -> Expr:
    """Take away the rounding error of the number in a sum: (x + 0.35) − 0.5 is x − 0.15, of which no digit is left."""
    offset = _offset(found)
    if not _is_float(offset):
        return found
    (better,) = tidy([offset], map(_offset, terms))
    if better == offset:
        return found
    return se.Add(better, *found.args[1:]) if found.is_Add else better


def _offset(x: Expr) -> Expr:
    first = x.args[0] if x.is_Add else x
    return first if first.is_Number else ZERO


def scale(factor: Expr, a: Sequence[Expr]) -> Vector:
    """Return a multiple of a vector."""
    return tuple(factor * x for x in a)


def dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    """Return the scalar product."""
    return se.Add(*[x * y for x, y in zip(a, b, strict=True)])


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """Return the vector product of two vectors in space."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def norm(a: Sequence[Expr]) -> Expr:
    """Return the length."""
    axes = [x for x in a if x != 0]
    value = number(axes[0]) if len(axes) == 1 else None
    if value is not None:
        return axes[0] if value > 0 else -axes[0]
    if len(axes) == 2 and turned_by(axes[0], axes[1]) is not None:
        return ONE
    return root(dot(a, a))


def direction_angle(x: Expr, y: Expr) -> Expr:
    """Return the angle of a direction in the plane; that of (cos α, sin α) is α, whatever turns are in it."""
    found = turned_by(x, y)
    return angle(y, x) if found is None else found


def turned_by(x: Expr, y: Expr) -> Expr | None:
    """Return α of (cos α, sin α), also of such as (−sin β, cos β), where it is β + π/2; None of what is none."""
    (a, first), (b, second) = _sign_of(x), _sign_of(y)
    if {type(first), type(second)} != {se.sin, se.cos} or first.args != second.args:
        return None
    turn, quarter = first.args[0], se.pi / 2
    if isinstance(first, se.cos):
        return b * turn if a > 0 else se.pi - b * turn
    return b * (quarter - a * turn)


def _sign_of(x: Expr) -> tuple[int, Expr]:
    return (-1, -x) if x.is_Mul and x.args[0] == -1 else (1, x)


def unit(a: Sequence[Expr]) -> Vector:
    """Return the vector of length 1 in the same direction."""
    length = norm(a)
    return tuple(a) if length == 1 else tuple(x / length for x in a)


def multiply(matrix: Sequence[Sequence[Expr]], a: Sequence[Expr]) -> Vector:
    """Return a matrix times a vector."""
    return tuple(dot(row, a) for row in matrix)


def transpose(matrix: Sequence[Sequence[Expr]]) -> Matrix:
    """Return the matrix with rows and columns exchanged."""
    return tuple(zip(*matrix, strict=True))


def flat(a: Sequence[Expr]) -> Vector:
    """Return a vector of constants with its sums multiplied out where that is shorter: l − (l + a)/2 is l/2 − a/2."""
    return tuple(min((x, se.expand(x)), key=_length) if x.is_Add or x.is_Mul else x for x in a)


def _length(x: Expr) -> int:
    """Return the number of symbols and numbers in an expression."""
    return sum(map(_length, x.args)) if x.args else 1


def settle(*vectors: Sequence[Expr]) -> Vector:
    """Add vectors of constants up, without the rounding of what cancels in them.

    What is left of l sin 0.3 cos 0.3 − l cos 0.3 sin 0.3 is zero: less than the rounding of its terms. What is small by
    itself stays.
    """
    return tuple(map(_settled, zip(*vectors, strict=True)))


def _settled(terms: Sequence[Expr]) -> Expr:
    (plain,) = flat([se.Add(*terms)])
    if not any(term.atoms(se.RealDouble) for term in terms):
        return plain
    fronts: dict[Expr, list[Expr]] = {}  # numbers, by what they stand before
    for term in terms:
        for product, front in se.expand(term).as_coefficients_dict().items():
            factors = product.args if product.is_Mul else (product,)
            what = se.Mul(*[factor for factor in factors if factor.free_symbols])
            fronts.setdefault(what, []).append(front * product / what)
    sums = {what: (se.Add(*numbers), _sum_of(numbers)) for what, numbers in fronts.items()}
    if all(rounded == better for rounded, better in sums.values()):
        return plain
    return se.Add(*[what * better for what, (_, better) in sums.items()])


def _sum_of(numbers: Sequence[Expr]) -> Expr:
    """Return a sum of numbers, also such as √2/10, without rounding errors."""
    found = se.Add(*numbers)
    value, sizes = number(found), [number(x) or 0.0 for x in numbers]
    if value is not None and abs(value) <= _ROUNDING * max(map(abs, sizes)):
        return ZERO
    return tidy([found], map(se.RealDouble, sizes))[0]


def tidy(a: Sequence[Expr], *parts: Iterable[Expr]) -> Vector:
    """Take away the rounding error of the vectors it was computed from: 0.2 − 0.045 is 0.155, 0.3 − 0.1·3 is zero."""
    if not any(map(_is_float, a)):
        return tuple(a)
    sizes = [abs(number(x) or 0.0) for vector in (a, *parts) for x in vector]
    limit = _ROUNDING * max(sizes, default=0.0)
    return tuple(_short(x, limit) if _is_float(x) else x for x in a)


def _short(x: Expr, limit: float) -> Expr:
    """Return the decimal of few digits that a number is, up to rounding errors."""
    value = float(x)
    if abs(value) <= limit:
        return ZERO
    short = float(f"{value:.12g}")
    return se.RealDouble(short) if abs(short - value) <= limit else x


def _is_float(x: Expr) -> bool:
    return x.is_Number and not x.is_Rational
