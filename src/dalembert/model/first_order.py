"""What readers of a model know of states: their names before anything is read, and where they may stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalembert.errors import ModelError
from dalembert.language.bounds import MAX_NODES
from dalembert.language.building import Expr
from dalembert.language.late_sympy import is_coordinate
from dalembert.language.rates import size
from dalembert.language.states import inner
from dalembert.language.translate import plain_name
from dalembert.language.walk import fold

if TYPE_CHECKING:
    from dalembert.model.reading import Reader


def by_state(given: Any) -> Any:
    """Return what was given by names, where a function of time of SymPy may stand for its name."""
    if not isinstance(given, Mapping):
        return given
    return {plain_name(key) if is_coordinate(key) else key: value for key, value in given.items()}


def states_in(given: Any, symbols: dict[str, Any]) -> dict[str, None]:
    """Return the names of the states that were given, be they right or wrong; note the symbols of SymPy among them."""
    for key in given if isinstance(given, Mapping) else ():
        if is_coordinate(key):
            symbols.setdefault(plain_name(key), key)
    return {name: None for name in by_state(given) if isinstance(name, str)} if isinstance(given, Mapping) else {}


def with_meanings(expr: Expr, meanings: Mapping[Expr, Expr]) -> Expr:
    """Put in what symbols stand for: rates of states, laws of controls."""
    used = expr.free_symbols & meanings.keys()
    if not used:
        return expr
    sizes = {symbol: size(meanings[symbol]) for symbol in used}
    if fold(expr, lambda node, args: sizes.get(node, 1) + sum(args)) > MAX_NODES:
        raise ModelError(f"the expression has more than {MAX_NODES} parts once rates of states and laws are put in")
    return expr.xreplace({symbol: meanings[symbol] for symbol in used})


def refuse_states(reader: Reader, expr: Expr, key: tuple[str, ...], advice: str) -> None:
    """Report states where none can stand."""
    used = {symbol.name for symbol in expr.free_symbols}
    found = sorted(name for name in reader.states if used & {inner(name), inner(name, 1)})
    if found:
        reader.problem(f"{advice} (found {', '.join(found[:6])})", *key)
