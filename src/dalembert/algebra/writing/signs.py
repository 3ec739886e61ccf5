"""Signs as a person sets them: a − (b − c) is a − b + c, −(a − 2 b)/2 is b − a/2, −m (a − b) is m (b − a)."""

from __future__ import annotations

import symengine as se

from dalembert.algebra.writing.cost import is_negative, operations, rank
from dalembert.language.building import Expr
from dalembert.language.walk import Remembered, fold, rebuild


def opened(expr: Expr) -> Expr:
    """Return an expression without parentheses behind a minus that nothing multiplies.

    >>> import symengine as se
    >>> a, b, c = se.symbols("a b c")
    >>> opened(a - (b - c)), opened(a - 2 * (b - c))
    (a - b + c, a - 2*(b - c))
    """
    return fold(expr, _node)


def settled(expr: Expr) -> Expr:
    """Return an expression in which accelerations in parentheses are positive, and a minus is in front only if it must.

    >>> import symengine as se
    >>> a, b, m, x = se.symbols("a b m x''")
    >>> settled(-m * (a - b)), settled(b - m * (a - x)), settled(-m * (a + b))
    (m*(-a + b), b + m*(-a + x''), -m*(a + b))
    """
    return _alone(_settling(expr))


def facing(expr: Expr) -> Expr:
    """Return an equation that vanishes in the sign in which most of its accelerations are positive, and settled.

    >>> import symengine as se
    >>> a, b, m, x = se.symbols("a b m x''")
    >>> facing(a + b - m * x), facing(a + m * (b - x))
    (-a - b + m*x'', -a + m*(-b + x''))
    """
    found = settled(expr)
    fastest = [term for term in found.args if any(rank(symbol) == 2 for symbol in term.free_symbols)]
    if not found.is_Add or 2 * sum(map(is_negative, fastest)) <= len(fastest):
        return found
    return negative(found)


def aligned(expr: Expr) -> Expr:
    """Return an expression in which a sum and its negative are written as one sum, with a minus in front.

    >>> import symengine as se
    >>> a, b, m = se.symbols("a b m")
    >>> aligned(m * (b - a)), aligned((b - a) ** 2), aligned(1 / (b - a))
    (-m*(a - b), (a - b)**2, -1/(a - b))
    """
    return fold(expr, _aligned)


def spread(expr: Expr) -> Expr:
    """Return an expression in which numbers stand inside of the sums that they multiply, where that is shorter.

    >>> import symengine as se
    >>> a, b, m = se.symbols("a b m")
    >>> spread(-(a - 2 * b) / 2), spread(m * (a + 2 * b) / 2), spread(-(a + b) / 2)
    ((-1/2)*a + b, m*((1/2)*a + b), (-1/2)*(a + b))
    """
    return fold(expr, lambda node, args: _spread(rebuild(node, args)))


def _spread(node: Expr) -> Expr:
    number, *factors = node.args if node.is_Mul else (node,)
    sums = [k for k, factor in enumerate(factors) if factor.is_Add]
    if not number.is_Number or len(sums) != 1:
        return node
    terms = factors.pop(sums[0]).args
    sign = -1 if factors and number < 0 else 1  # it stays in front of a product
    inside = se.Add(*[_spread(sign * number * term) for term in terms])
    other = se.Mul(sign, *factors, inside) if factors else inside
    return other if operations(other) < operations(node) else node


def _node(node: Expr, args: list[Expr]) -> Expr:
    if not node.is_Add:
        return rebuild(node, args) if args else node
    if not any(map(_is_turned, args)):
        return rebuild(node, args)
    terms = []
    for term in args:
        terms += [-inner for inner in term.args[1].args] if _is_turned(term) else [term]
    return type(node)(*terms)


def _is_turned(term: Expr) -> bool:
    return term.is_Mul and len(term.args) == 2 and term.args[0] == -1 and term.args[1].is_Add


def _settled(node: Expr, args: list[Expr]) -> Expr:
    if node.is_Add:
        plain, turned = rebuild(node, args), se.Add(*_without_minus(list(map(_facing, args))))
        return turned if operations(turned) <= operations(plain) else plain
    if not args or node.is_Mul:
        return rebuild(node, args) if args else node
    return rebuild(node, list(map(_alone, args)))


_settling = Remembered(_settled)


def _without_minus(terms: list[Expr]) -> list[Expr]:
    """Write one of the terms of a sum without a minus, if all have one."""
    if all(map(is_negative, terms)):
        for k, term in enumerate(terms):
            if not is_negative(other := _alone(term)):
                return [*terms[:k], other, *terms[k + 1 :]]
    return terms


def _aligned(node: Expr, args: list[Expr]) -> Expr:
    if node.is_Pow and args[0].is_Add and node.args[1].is_Integer and _is_turned_round(args[0]):
        return negative(args[0]) ** node.args[1] * (-1) ** (int(node.args[1]) % 2)
    node = rebuild(node, args) if args else node
    if not node.is_Mul:
        return node
    return _turned(node, [k for k, part in enumerate(node.args) if part.is_Add and _is_turned_round(part)])


def _is_turned_round(expr: Expr) -> bool:
    """Tell whether the term that is first by its letters has a minus."""
    return is_negative(min(expr.args, key=lambda term: str(-term if is_negative(term) else term)))


def negative(expr: Expr) -> Expr:
    """Return the negative of an expression, of a sum term by term."""
    return se.Add(*[-term for term in (expr.args if expr.is_Add else (expr,))])


def _facing(term: Expr) -> Expr:
    """Turn the sums in a product of which most accelerations are negative, or else most terms."""
    return _turned(term, [k for k, part in enumerate(term.args) if part.is_Add and _is_against(part)])


def _is_against(expr: Expr) -> bool:
    fastest = [term for term in expr.args if any(rank(symbol) == 2 for symbol in term.free_symbols)] or expr.args
    return 2 * sum(map(is_negative, fastest)) > len(fastest)


def _alone(expr: Expr) -> Expr:
    """Put a minus in front of a product inside of one of its sums, if that has positive terms then."""
    if _is_turned(expr):
        return se.Add(*map(_facing, negative(expr.args[1]).args))
    below = [k for k, part in enumerate(expr.args) if part.is_Add and all(map(is_negative, part.args))]
    expr = _turned(expr, below)
    if not is_negative(expr) or not expr.is_Mul:
        return expr
    mixed = [k for k, part in enumerate(expr.args) if part.is_Add and any(map(is_negative, part.args))]
    return _turned(expr, sorted(mixed, key=lambda k: not _is_against(expr.args[k]))[:1])


def _turned(expr: Expr, places: list[int]) -> Expr:
    """Change the signs of some factors, and that of the product as often."""
    if not expr.is_Mul or not places:
        return expr
    parts = list(expr.args)
    for k in places:
        parts[k] = negative(parts[k])
    return se.Mul((-1) ** len(places), *parts)
