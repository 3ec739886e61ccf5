"""Differentiation term by term, with rules of our own for abs, sign, min, max, step and if.

SymEngine differentiates smooth expressions fast and leaves the others undone. So every such function is first put
aside ("lifted") as an auxiliary symbol whose derivative is known, and put back at the end. Where these functions
switch, the derivative is that of one side; impulses are not represented.
"""

from __future__ import annotations

from collections.abc import Iterable

import symengine as se
from symengine.lib.symengine_wrapper import FunctionSymbol

from dalembert.model.functions import IF_LESS, STEP, Expr, choose, sign

_SWITCHING = (se.Abs, se.sign, se.Max, se.Min, FunctionSymbol)
ZERO = se.Integer(0)


class Calculus:
    """Differentiates lifted expressions and knows on which variables each depends."""

    def __init__(self, variables: Iterable[Expr]):
        self._variables = frozenset(variables)
        self._auxiliary: dict[Expr, Expr] = {}  # function (with lifted arguments) -> its symbol
        self._functions: dict[Expr, Expr] = {}  # and back
        self._derivatives: dict[tuple[Expr, Expr], Expr] = {}

    def lift(self, expr: Expr) -> Expr:
        """Replace every switching function by an auxiliary symbol, the innermost first."""
        while switching := expr.atoms(*_SWITCHING):
            inner = [node for node in switching if not any(arg.atoms(*_SWITCHING) for arg in node.args)]
            for node in inner:
                if node not in self._auxiliary:
                    symbol = se.Symbol(f"#{len(self._auxiliary)}")
                    self._auxiliary[node], self._functions[symbol] = symbol, node
            expr = expr.xreplace({node: self._auxiliary[node] for node in inner})
        return expr

    def lower(self, expr: Expr) -> Expr:
        """Put the switching functions back."""
        while self._functions and (used := expr.free_symbols & self._functions.keys()):
            expr = expr.xreplace({symbol: self._functions[symbol] for symbol in used})
        return expr

    def depends(self, expr: Expr) -> frozenset[Expr]:
        """Return the variables on which an expression depends."""
        symbols = expr.free_symbols
        for symbol in symbols & self._functions.keys():
            symbols = symbols | self.depends(self._functions[symbol])
        return self._variables & symbols

    def diff(self, expr: Expr, variable: Expr) -> Expr:
        """Differentiate, auxiliary symbols by the chain rule."""
        result = expr.diff(variable)
        if self._functions:
            for symbol in expr.free_symbols & self._functions.keys():
                inner = self._diff_auxiliary(symbol, variable)
                if inner != 0:
                    result += expr.diff(symbol) * inner
        return result

    def terms(self, expr: Expr) -> list[Expr]:
        """Split a lifted expression into the terms of its sum; constant factors are multiplied out."""
        done, stack = [], [expr]
        while stack:
            term = stack.pop()
            if term.is_Add:
                stack.extend(term.args)
                continue
            if term.is_Mul:
                sums = [factor for factor in term.args if factor.is_Add]
                if len(sums) == 1:
                    rest = se.Mul(*[factor for factor in term.args if not factor.is_Add])
                    if not self.depends(rest):
                        stack.extend(rest * part for part in sums[0].args)
                        continue
            if term != 0:
                done.append(term)
        return done[::-1]

    def _diff_auxiliary(self, symbol: Expr, variable: Expr) -> Expr:
        key = (symbol, variable)
        if key not in self._derivatives:
            self._derivatives[key] = self.lift(self._rule(self._functions[symbol], variable))
        return self._derivatives[key]

    def _rule(self, node: Expr, variable: Expr) -> Expr:
        args = node.args
        if isinstance(node, se.Abs):
            return sign(args[0]) * self.diff(args[0], variable)
        if isinstance(node, (se.Max, se.Min)):
            best, slope = args[0], self.diff(args[0], variable)
            for arg in args[1:]:
                low, high = (best, arg) if isinstance(node, se.Max) else (arg, best)
                slope = choose(low, high, True, self.diff(arg, variable), slope)
                best = type(node)(best, arg)
            return slope
        if isinstance(node, se.sign) or node.get_name() == STEP:
            return ZERO
        yes, no = self.diff(args[2], variable), self.diff(args[3], variable)
        return choose(args[0], args[1], node.get_name() == IF_LESS, yes, no)
