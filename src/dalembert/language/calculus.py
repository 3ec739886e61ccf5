"""Differentiation term by term, with rules of our own for functions that SymEngine does not differentiate.

SymEngine differentiates smooth expressions fast and leaves the others undone. So every such function is first put
aside ("lifted") as an auxiliary symbol whose derivative is known, and put back at the end. Where these functions
switch, the derivative is that of one side; impulses are not represented.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import symengine as se
from symengine.lib.symengine_wrapper import FunctionSymbol

from dalembert.language.building import IF_LESS, Expr, choose
from dalembert.language.functions import function_of, operation
from dalembert.language.walk import fold, has, rebuild

SWITCHING = (se.Abs, se.sign, se.Max, se.Min, FunctionSymbol)
ZERO, ONE = se.Integer(0), se.Integer(1)


class Calculus:
    """Differentiates lifted expressions and knows on which variables each depends."""

    def __init__(self, variables: Iterable[Expr]):
        self._variables = frozenset(variables)
        self._auxiliary: dict[Expr, Expr] = {}  # function (with lifted arguments) -> its symbol
        self._functions: dict[Expr, Expr] = {}  # and back
        self._lowered: dict[Expr, Expr] = {}  # symbol -> its function, with nothing lifted in it
        self._depends: dict[Expr, frozenset[Expr]] = {}  # symbol -> the variables in its function
        self._derivatives: dict[tuple[Expr, Expr], Expr] = {}
        self._lifted: dict[Expr, Expr] = {}

    def lift(self, expr: Expr) -> Expr:
        """Replace every switching function by an auxiliary symbol, the innermost first."""
        return fold(expr, self._lift_node, self._lifted) if has(expr, SWITCHING) else expr

    def _lift_node(self, node: Expr, args: Sequence[Expr]) -> Expr:
        node = rebuild(node, args)
        return self._put_aside(node) if isinstance(node, SWITCHING) else node

    def _put_aside(self, node: Expr) -> Expr:
        if node not in self._auxiliary:
            symbol = se.Symbol(f"#{len(self._auxiliary)}")
            self._lowered[symbol], self._depends[symbol] = self.lower(node), self.depends(node)
            self._auxiliary[node], self._functions[symbol] = symbol, node
        return self._auxiliary[node]

    def lower(self, expr: Expr) -> Expr:
        """Put the switching functions back."""
        used = expr.free_symbols & self._lowered.keys() if self._lowered else ()
        return expr.xreplace({symbol: self._lowered[symbol] for symbol in used}) if used else expr

    def depends(self, expr: Expr) -> frozenset[Expr]:
        """Return the variables on which an expression depends."""
        symbols = expr.free_symbols
        inner = [self._depends[symbol] for symbol in symbols & self._depends.keys()]
        return (self._variables & symbols).union(*inner)

    def switches(self, expr: Expr) -> frozenset[Expr]:
        """Return the variables inside the switching functions of a lifted expression."""
        return frozenset().union(*[self._depends[symbol] for symbol in expr.free_symbols & self._depends.keys()])

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
        """Differentiate an auxiliary symbol after those inside it: without recursion, however deep they are nested."""
        stack = [symbol]
        while stack:
            key = (stack[-1], variable)
            if key in self._derivatives:
                stack.pop()
            elif variable not in self._depends[stack[-1]]:
                self._derivatives[key] = ZERO
            else:
                node = self._functions[stack[-1]]
                inside = node.free_symbols & self._functions.keys()
                missing = [inner for inner in inside if (inner, variable) not in self._derivatives]
                stack.extend(missing)
                if not missing:
                    self._derivatives[key] = self.lift(self._rule(node, variable))
        return self._derivatives[symbol, variable]

    def _rule(self, node: Expr, variable: Expr) -> Expr:
        args, function = node.args, function_of(node)
        if isinstance(node, (se.Max, se.Min)):
            return self._slope_of_extreme(type(node), args, variable)
        if function is None:
            raise ValueError(f"the function in `{node}` has no derivative")
        if function.slopes is None:  # chooses between two values
            yes, no = self.diff(args[2], variable), self.diff(args[3], variable)
            return choose(args[0], args[1], function.name == IF_LESS, yes, no)
        slopes = function.slopes(_call, node, *args)
        return se.Add(
            *[slope * self.diff(arg, variable) for slope, arg in zip(slopes, args, strict=True) if slope != 0]
        )

    def _slope_of_extreme(self, kind: type, args: Sequence[Expr], variable: Expr) -> Expr:
        """Choose between the slopes of two halves: a tree of choices, not a chain as deep as there are arguments."""
        if len(args) == 1:
            return self.diff(args[0], variable)
        first, second = args[: len(args) // 2], args[len(args) // 2 :]
        low, high = (first, second) if kind is se.Max else (second, first)
        slopes = [self._slope_of_extreme(kind, half, variable) for half in (second, first)]
        return choose(_extreme(kind, low), _extreme(kind, high), True, *slopes)


def _extreme(kind: type, args: Sequence[Expr]) -> Expr:
    return args[0] if len(args) == 1 else kind(*args)


def _call(name: str, *args: Expr) -> Expr:
    return operation(name).build(*args)
