"""[outputs]: expressions by name that are known along every motion; each may use those above it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.errors import ModelError
from dalembert.language.bounds import MAX_NODES
from dalembert.language.building import Expr
from dalembert.language.walk import fold
from dalembert.model.observed import Observed, asks_for
from dalembert.model.sections.base import ModelTable, at_most, by_name, model_table, names_in

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

MAX_OUTPUTS = 10_000


@model_table
class Outputs(ModelTable):
    """Expressions of t, q, v, q̈, parameters, multipliers and quantities of parts, kept with the names in them."""

    name = "outputs"

    def read(self, reader: Reader, given: Any) -> Mapping[str, Expr]:
        """Read them, each with those before it."""
        entries = by_name(reader, self, given)
        if not at_most(reader, self, entries, MAX_OUTPUTS, "outputs"):
            return {}
        found = reader.outputs
        observed = Observed(reader.scope(found, entries))
        weights: dict[str, int] = {}
        for name, value in entries.items():
            key = (*self.path, name)
            if not self.named(reader, observed, name):
                continue
            expr = reader.attempt(key, lambda value=value: _read(observed, value))
            # a mistake is reported once, not with every use of the name as well
            found[name] = se.Integer(0) if expr is None else expr
            weights[name] = fold(
                found[name],
                lambda node, args: weights.get(node.name.rstrip("'"), 1) if node.is_Symbol else 1 + sum(args),
            )
            if weights[name] > MAX_NODES:
                reader.problem(f"the output has more than {MAX_NODES} parts once those above it are put in", *key)
                found[name], weights[name] = se.Integer(0), 1
        return MappingProxyType(found)

    def named(self, reader: Reader, observed: Observed, name: str) -> bool:
        """Tell whether a name can be that of an output; report if not."""
        key = (*self.path, name)
        before = len(reader.problems)
        reader.check_name(name, "output", *key)
        for what, names in (
            ("a coordinate", reader.coordinates),
            ("a state", reader.states),
            ("a parameter", reader.parameters),
            ("a definition", reader.definitions),
            ("a control", names_in(reader, "controls")),
            ("the multiplier of a constraint", observed.multipliers),
        ):
            if name in names:
                reader.problem(f"output `{name}` is also {what}; rename it", *key)
        return len(reader.problems) == before

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> Any:
        """Leave out what asks for parts and multipliers, which a system in other coordinates does not have."""
        plain: dict[str, Expr] = {}
        for name, expr in kept.items():
            if not asks_for(expr, kept.keys() - plain.keys()):
                plain[name] = expr
        return {name: change(expr) for name, expr in plain.items()} or None


def _read(observed: Observed, value: Any) -> Expr:
    """Read an expression or a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return observed.read(value)
    return observed.read(str(value)) if value == value and abs(value) != float("inf") else _refuse(value)


def _refuse(value: float) -> Expr:
    raise ModelError(f"expected an expression or a finite number, got {value}")
