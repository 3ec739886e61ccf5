"""SymPy expressions of a problem over the plain symbols of a system: coordinates, their rates, time, parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import symengine as se
from sympy.core.function import AppliedUndef

from dalembert.errors import ModelError, Problem
from dalembert.language.building import TIME, Expr
from dalembert.language.translate import Translator, plain_name

T = se.Symbol(TIME)


class Reading(Translator):
    """Translates a problem; functions of time that are neither coordinates nor speeds are kept for a second look.

    `inputs` are values of such functions: numbers, or expressions of time.
    """

    def __init__(self, coordinates: Iterable[Any], speeds: Iterable[Any], inputs: Mapping[Any, Any]):
        self.moving = [plain_name(symbol) for symbol in coordinates]
        functions = {plain_name(symbol): symbol for symbol in (*coordinates, *speeds, *inputs)}
        super().__init__(functions, functions)
        self.unknown: dict[str, Any] = {}
        self.speeds: dict[Expr, Expr] = {}  # what stands for a speed, once that is known
        self.constants = [plain_name(symbol) for symbol, value in inputs.items() if _is_number(value)]
        for symbol, value in inputs.items():
            if not _is_number(value):
                self.speeds[se.Symbol(plain_name(symbol))] = self.inward(value)

    def _coordinate(self, function: Any) -> str:
        name = plain_name(function)
        if function not in self.names and isinstance(function, AppliedUndef):
            self.unknown[name] = function
            return name
        return super()._coordinate(function)

    def __call__(self, expr: Any) -> Expr:
        """Translate, with what is known of the speeds put in."""
        found = self.inward(expr)
        changes = {symbol: value for symbol, value in self.speeds.items() if symbol in found.free_symbols}
        for symbol, value in self.speeds.items():
            rate = se.Symbol(symbol.name + "'")
            if rate in found.free_symbols:
                changes[rate] = self.rate(value)
        return found.subs(changes) if changes else found

    def rate(self, expr: Expr) -> Expr:
        """Differentiate by time."""
        parts = [expr.diff(T)]
        for name in self.moving:
            for order in ("", "'"):
                symbol = se.Symbol(name + order)
                if symbol in expr.free_symbols:
                    parts.append(expr.diff(symbol) * se.Symbol(symbol.name + "'"))
        return se.Add(*parts)

    def check(self, expressions: Iterable[Expr]) -> None:
        """Refuse functions of time of which nothing is known, where they matter."""
        used = {symbol.name for expr in expressions for symbol in expr.free_symbols}
        known = {*self.moving, *(name + "'" for name in self.moving), *(name + "''" for name in self.moving)}
        rates = [name for name in used - known if name.endswith("'")]
        missing = sorted({name.rstrip("'") for name in {*rates, *(used & self.unknown.keys())}})
        if missing:
            advice = "give it in `parameters`: a number, or an expression of time"
            raise ModelError(
                Problem(f"`{name}` is a function of time, but neither a coordinate nor a speed; {advice}")
                for name in missing
            )


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, (int, float)) or bool(getattr(value, "is_number", False))
