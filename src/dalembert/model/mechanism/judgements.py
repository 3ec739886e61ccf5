"""What was judged of the values of parameters while a mechanism was read, so that other values need no reading.

Some values decide how the equations are written, as on which side of a line a wheel rolls: these parameters are `used`,
and a mechanism with other values of them is read again. Others only must be as they should, as masses not negative:
their expressions are kept with what may be wrong with them, and other values are judged by the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import symengine as se

from dalembert.language.building import Expr, number


@dataclass(frozen=True)
class Judgement:
    """Expressions of parameters at a key of the model, and what says in words what is wrong with their values."""

    key: tuple[str, ...]
    expressions: tuple[Expr, ...]
    wrong: Callable[..., str]

    def wrong_with(self, parameters: Mapping[str, float | None]) -> str:
        """Say what is wrong with some values; nothing where one of them is not known."""
        values = [numeric(expr, parameters) for expr in self.expressions]
        return "" if any(value is None for value in values) else self.wrong(*values)

    def concerns(self, names: Iterable[str]) -> bool:
        """Tell whether it depends on some parameters."""
        return not self._parameters.isdisjoint(names)

    @cached_property
    def _parameters(self) -> set[str]:
        return {symbol.name for expr in self.expressions for symbol in expr.free_symbols}


@dataclass
class Judgements:
    """What a mechanism was read with: the names of parameters whose values were used, and the judgements."""

    used: set[str] = field(default_factory=set)
    items: list[Judgement] = field(default_factory=list)

    def hold(self, changed: Iterable[str], parameters: Mapping[str, float | None]) -> bool:
        """Tell whether nothing is to be read again, nor wrong, with other values of some parameters."""
        names = set(changed)
        if not self.used.isdisjoint(names):
            return False
        return not any(item.concerns(names) and item.wrong_with(parameters) for item in self.items)


def numeric(expr: Expr, parameters: Mapping[str, float | None]) -> float | None:
    """Return the value of an expression of parameters; None where one of them has no value."""
    if expr.is_Symbol:  # as most masses are
        return parameters.get(expr.name)
    used = {symbol: parameters.get(symbol.name) for symbol in expr.free_symbols}
    if any(value is None for value in used.values()):
        return None
    return number(expr.xreplace({symbol: se.RealDouble(value) for symbol, value in used.items()}) if used else expr)
