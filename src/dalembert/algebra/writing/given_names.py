"""Names that the author of a model gave to parts: formulas keep those that make them shorter."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import symengine as se

from dalembert.algebra.writing.cost import operations, total
from dalembert.algebra.writing.shared_parts import TRIVIAL, put
from dalembert.language.building import Expr


def with_given_names(
    expressions: Sequence[Expr], meanings: Mapping[str, Expr], paid: Collection[str] = ()
) -> tuple[list[Expr], dict[str, Expr]]:
    """Return expressions in which parts have the names that were given to them, and what these stand for.

    meanings: by name, each perhaps made of those before it. paid: names that other formulas use already.

    >>> x, y, l, d = se.symbols("x y l d")
    >>> length = se.sqrt(x**2 + y**2)
    >>> with_given_names([x * (length - l) / length], {"d": length})
    ([(d - l)*x/d], {'d': sqrt(x**2 + y**2)})
    """
    work, found = list(expressions), {}
    for name, meaning in reversed(list(meanings.items())):  # the last ones first, as they are made of others
        if operations(meaning) <= TRIVIAL:
            continue
        symbol = se.Symbol(name)
        named = [_put(expr, meaning, symbol) for expr in work]
        below = {other: _put(expr, meaning, symbol) for other, expr in found.items()}
        price = 0 if name in paid else operations(meaning) + 1
        if total((*named, *below.values())) + price < total((*work, *found.values())):
            work, found = named, {**below, name: meaning}
    return work, dict(reversed(list(found.items())))


def _put(expr: Expr, meaning: Expr, symbol: Expr) -> Expr:
    """Put a name in the place of what it stands for, also where that is divided by."""
    found = put(expr, meaning, symbol)
    return put(found, 1 / meaning, 1 / symbol) if meaning.is_Mul else found
