"""What readers of a model know of states: their names before anything is read, and where they may stand.

The rate of a state may follow parts of a mechanism, `A.angle`, which are read after those that use the state: such a
rate comes late. Until then z' stands for itself, and `put_rates` puts it in where all has been read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.errors import ModelError
from dalembert.language.bounds import MAX_NODES
from dalembert.language.building import Expr
from dalembert.language.late_sympy import is_coordinate
from dalembert.language.state_names import inner
from dalembert.language.time_derivatives import size
from dalembert.language.translate import plain_name
from dalembert.language.walk import fold
from dalembert.model.momenta import IN_EQUATIONS
from dalembert.model.observed import Observed
from dalembert.model.quantity import MULTIPLIER, as_names

if TYPE_CHECKING:
    from dalembert.model.reading import Reader


_PART = re.compile(rf"[^\W\d]\w*\.[^\W\d]|\b{MULTIPLIER}\w")


def by_state(given: Any) -> Any:
    """Return what was given by names, where a function of time of SymPy may stand for its name."""
    if not isinstance(given, Mapping):
        return given
    written = {key: as_names(value) if isinstance(value, se.Basic) else value for key, value in given.items()}
    return {plain_name(key) if is_coordinate(key) else key: value for key, value in written.items()}


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


def names_parts(given: Any) -> bool:
    """Tell whether quantities of parts or multipliers are named, as in `A.angle` and `lambda_rod`."""
    if isinstance(given, str):
        return _PART.search(given) is not None
    names = [symbol.name for symbol in given.free_symbols] if isinstance(given, se.Basic) else []
    return any("." in name or name.startswith(MULTIPLIER) for name in names)


def read_followed(reader: Reader, key: tuple[str, ...], given: Any, why: str) -> tuple[Expr, Expr | None]:
    """Read what may follow parts, multipliers and controls: as it is written, and what that stands for.

    That is None after a report.
    """
    observed = Observed(replace(reader.scope({}, reader.laws), energies=IN_EQUATIONS))

    def translate(value: Any) -> Expr:
        plain = isinstance(value, (int, float)) and not isinstance(value, bool)
        return reader.translate(value) if plain else observed.read(value)

    written = reader.expression(given, key, translate=translate)
    meant = reader.attempt(key, lambda: observed.resolved(written))
    if meant is None:
        return written, None
    return written, reader.expression(meant, key, reader.accelerations, why, lambda expr: expr)


def put_rates(reader: Reader, fields: dict[str, Any]) -> None:
    """Put rates that came late in where they stand: in forces, in matrices, in laws of controls."""
    late = reader.late_rates
    if not late:
        return
    forces = fields["forces"].items()
    found = {c: reader.attempt(("states",), lambda f=f: with_meanings(f, late)) for c, f in forces}
    fields["forces"] = MappingProxyType({c: f for c, f in found.items() if f is not None})
    if fields["force"] is not None:
        fields["force"] = tuple(with_meanings(entry, late) for entry in fields["force"])
        fields["mass"] = tuple(tuple(with_meanings(entry, late) for entry in row) for row in fields["mass"])
    for name, law in list(reader.meanings.items()):
        meant = reader.attempt(("controls",), lambda law=law: with_meanings(law, late))
        reader.meanings |= {} if meant is None else {name: meant}


def refuse_states(reader: Reader, expr: Expr, key: tuple[str, ...], advice: str) -> None:
    """Report states where none can stand."""
    used = {symbol.name for symbol in expr.free_symbols}
    found = sorted(name for name in reader.states if used & {inner(name), inner(name, 1)})
    if found:
        reader.problem(f"{advice} (found {', '.join(found[:6])})", *key)
