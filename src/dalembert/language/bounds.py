"""Expressions made one operation after the other, within bounds: size, depth, exponents, digits of exact numbers.

All that could make later work expensive is refused here, by what arises and not by how it was written.
"""

from __future__ import annotations

import math

import symengine as se

from dalembert.language.building import Expr, choose, number, power, ratio, total
from dalembert.language.functions import operation
from dalembert.language.time_derivatives import size
from dalembert.language.tokens import Failure
from dalembert.language.vocabulary import Value, Vocabulary
from dalembert.language.walk import fold

MAX_DEPTH = 100  # operations inside each other, with named subexpressions put in; written, one takes up to two levels
MAX_NODES = 300_000  # numbers, names and operations, with named subexpressions put in
MAX_PARTS = 5 * MAX_NODES  # the same while reading: 1/2 is one number, but five parts of text
LATER = 10  # how often an expression will be gone through again once it is read
MAX_EXPONENT = 1_000  # of a power whose exponent is a number
MAX_BITS = 1_023  # of one exact number, as far as double precision reaches
MAX_TRANSIENT = 20_000  # bits of the exact numbers that meet in one operation


class Maker:
    """Makes the operations of one expression."""

    def __init__(self, vocabulary: Vocabulary):
        self.vocabulary = vocabulary

    def build(self, column: int, what: str, *args: Value) -> Value:
        """Make one node, keeping the bounds; refuse what is too large or has no real value."""
        nodes = 1 + sum(arg.nodes for arg in args)
        if nodes > MAX_PARTS:
            raise too_large(column)
        self.spend(column, nodes)
        denominator = math.lcm(*(arg.denominator for arg in args))
        bits = denominator.bit_length()
        if what == "*":
            bits += sum(arg.bits for arg in args)
        elif what in ("^", "**"):
            bits += check_power(column, *args)
        if bits > MAX_TRANSIENT:
            raise _too_long(column)
        if what == "/" and args[0].constant and number(args[0].expr) == 0:
            raise Failure(column, "division by zero")
        expr = _operate(what, [arg.expr for arg in args])
        constant = all(arg.constant for arg in args) or _is_constant(expr, nodes)
        if constant:
            value = number(expr)
            if value is None:
                raise Failure(column, "this constant is not a finite real number")
            if value == 0 and not expr.is_Rational:  # 0.0^pi, but also -0.0
                expr = se.RealDouble(0.0) if expr.is_Number else se.Integer(0)
        bits, below = _inspect(column, expr)
        return Value(expr, nodes, bits, math.lcm(denominator, below), constant)

    def finish(self, value: Value) -> Value:
        """Measure what was read: sums can hide numbers, and only the result tells its depth and size."""

        def measure(node: Expr, args: list[tuple[int, int]]) -> tuple[int, int]:
            if node.is_Number:
                check_number(0, node)
            return 1 + max((depth for depth, _ in args), default=0), 1 + sum(size for _, size in args)

        depth, nodes = fold(value.expr, measure)
        if depth > MAX_DEPTH:
            raise Failure(0, f"nested deeper than {MAX_DEPTH} levels once definitions are put in")
        if nodes > MAX_NODES:
            raise too_large(0)
        self.spend(0, LATER * nodes)
        return value._replace(nodes=nodes)

    def measured(self, column: int, expr: Expr) -> Value:
        """Return an expression that was made otherwise, with what it costs."""
        nodes = size(expr)
        if nodes > MAX_PARTS:
            raise too_large(column)
        self.spend(column, nodes)
        bits, denominator = _inspect(column, expr)
        return Value(expr, nodes, bits, denominator, not expr.free_symbols)

    def spend(self, column: int, nodes: int) -> None:
        """Count what all expressions of a model cost together."""
        if not self.vocabulary.spend(nodes):
            raise Failure(column, "all expressions together are too large once definitions are put in")


def check_power(column: int, base: Value, exponent: Value) -> int:
    """Bound the exponent, and return the bits that an exact power can need."""
    value = number(exponent.expr) if exponent.constant else None
    origin = number(base.expr) if base.constant else None
    if value is None:
        if origin is not None and origin <= 0:  # its logarithm, which the derivative needs, is not real
            raise Failure(column, f"the exponent varies, so the base must be positive; it is {origin:g}")
        return 0
    _check_exponent(column, value)
    if value < 0 and origin == 0:
        raise Failure(column, "division by zero")
    return int(base.bits * max(1.0, abs(value)))


def _check_exponent(column: int, value: float) -> None:
    if abs(value) > MAX_EXPONENT:
        raise Failure(column, f"the exponent {value:g} is larger than {MAX_EXPONENT}")


def _inspect(column: int, expr: Expr) -> tuple[int, int]:
    """Check the numbers among the factors of an expression; return their bits and common denominator."""
    bits, denominator = 0, 1
    for factor in expr.args if expr.is_Mul else (expr,):
        for part in factor.args if factor.is_Pow else (factor,):
            if part.is_Number:
                above, below = check_number(column, part)
                bits += max(above.bit_length(), below.bit_length())
                denominator = math.lcm(denominator, below)
        if factor.is_Pow and factor.args[0] != se.E:
            _check_exponent(column, number(factor.args[1]) or 0.0)
            if not number(factor) and not factor.free_symbols:  # pi^729 in (pi*x)^729
                raise Failure(column, "a number arises here that is outside the range of double precision")
    return bits, denominator


def check_number(column: int, value: Expr) -> tuple[int, int]:
    """Return numerator and denominator of an exact number, 1 and 1 of a finite decimal; refuse any other."""
    exact = ratio(value)
    if exact is not None:
        if max(exact[0].bit_length(), exact[1].bit_length()) > MAX_BITS:
            raise _too_long(column)
        return exact
    if number(value) is None:
        raise Failure(column, "a number arises here that is outside the range of double precision")
    return 1, 1


def too_large(column: int) -> Failure:
    """Say that there is too much of it."""
    return Failure(column, f"the expression has more than {MAX_NODES} parts once definitions are put in")


def _too_long(column: int) -> Failure:
    return Failure(column, "the exact numbers in this expression become too long; write them as decimals")


def _operate(what: str, exprs: list[Expr]) -> Expr:
    if what == "+":
        return total(*exprs)
    if what == "*":
        return se.Mul(*exprs)
    if what == "negate":
        return -exprs[0]
    if what == "/":
        return power(exprs[0], se.Integer(-1))
    if what in ("^", "**"):
        return power(exprs[0], exprs[1])
    if what in ("<", "<="):
        return choose(exprs[0], exprs[1], what == "<", exprs[2], exprs[3])
    return operation(what).build(*exprs)


def _is_constant(expr: Expr, nodes: int) -> bool:
    """Tell whether all symbols have vanished, in the way that is quicker."""
    return number(expr) is not None if nodes > 100 else expr.is_Number or not expr.free_symbols
