"""What is meant by a condition like (x − y)² = 0: the expression whose power, or size, it is."""

from __future__ import annotations

from collections.abc import Callable, Set

import symengine as se

from dalembert.language.building import Expr

_OPERATIONS = 400  # of an expression whose factors are looked for
_GENERATORS = 8
_DEGREE = 8


def is_kinked(expr: Expr) -> bool:
    """Tell whether an expression is a product with a root or an absolute value: these may have no finite slope."""
    return any(_is_kink(factor) for factor in _factors(expr))


def find_roots(expr: Expr, variables: Set[Expr], vanishes: Callable[[Expr], bool]) -> list[Expr] | None:
    """Return the expressions whose vanishing is meant, more than one for a sum of squares; None if none are found.

    variables: what moves in it. vanishes: tells whether an expression does so wherever the condition holds.
    """
    squares = list(dict.fromkeys(_squares(expr, variables)))
    if squares and all(map(vanishes, squares)):
        return squares
    found = _powers(expr, variables, vanishes)
    if found is None:
        found = _multiple_factor(expr, variables, vanishes)
    if found is None:
        return None
    return find_roots(found, variables, vanishes) or [found]


def _factors(expr: Expr) -> list[Expr]:
    return list(expr.args) if expr.is_Mul else [expr]


def _is_kink(factor: Expr) -> bool:
    if isinstance(factor, se.Abs):
        return True
    return factor.is_Pow and factor.args[1].is_Number and 0 < float(factor.args[1]) < 1


def _powers(expr: Expr, variables: Set[Expr], vanishes: Callable[[Expr], bool]) -> Expr | None:
    """Return the base of a factor that is a power, root or absolute value and vanishes."""
    for factor in _factors(expr):
        power = factor.is_Pow and factor.args[1].is_Number and float(factor.args[1]) > 0
        if (
            (power or isinstance(factor, se.Abs))
            and factor.args[0].free_symbols & variables
            and vanishes(factor.args[0])
        ):
            return factor.args[0]
    return None


def _squares(expr: Expr, variables: Set[Expr]) -> list[Expr]:
    """Return the bases of a sum of even powers; nothing if it is none."""
    bases = []
    for term in expr.args if expr.is_Add else ():
        moving = [factor for factor in _factors(term) if factor.free_symbols & variables]
        if len(moving) != 1 or not (
            moving[0].is_Pow and moving[0].args[1].is_Integer and int(moving[0].args[1]) % 2 == 0
        ):
            return []
        bases.append(moving[0].args[0])
    return bases


def _multiple_factor(expr: Expr, variables: Set[Expr], vanishes: Callable[[Expr], bool]) -> Expr | None:
    """Return a factor that an expression contains more than once, if it is a polynomial of its parts.

    1 − cos u is 2 sin²(u/2).
    """
    if not expr.is_Add or se.count_ops(expr) > _OPERATIONS:
        return None
    half = {cos: 1 - 2 * se.sin(cos.args[0] / 2) ** 2 for cos in expr.atoms(se.cos)}
    for changed in (expr, expr.xreplace(half)) if half else (expr,):
        for factor, times in _factor_list(changed):
            if times > 1 and factor.free_symbols & variables and vanishes(factor):
                return factor
    return None


def _factor_list(expr: Expr) -> list[tuple[Expr, int]]:
    import sympy

    exact = sympy.nsimplify(expr._sympy_(), rational=True)
    try:
        polynomial = sympy.Poly(exact)
    except sympy.PolynomialError:
        return []
    if len(polynomial.gens) > _GENERATORS or polynomial.total_degree() > _DEGREE:
        return []
    return [(se.sympify(factor.as_expr()), times) for factor, times in polynomial.factor_list()[1]]
