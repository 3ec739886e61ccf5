"""[functions]: functions without a formula, which derivations carry; a motion gives them one.

[functions]
F = ["t"]                                   # written F(t), its derivatives F'(t), F''(t)
W = ["x", "t"]                              # of several: W(x, t), W_x(x, t), W_x_t(x, t)
G = {of = ["t"], value = "sin(3*t)"}        # with a formula after all, which is put in where it is called
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dalembert.arguments import shown, table
from dalembert.errors import ModelError, Problem, nearest
from dalembert.language.building import TIME, Expr
from dalembert.language.functions import Function
from dalembert.language.late_sympy import is_sympy
from dalembert.language.parser import parse_value
from dalembert.language.state_names import is_integral
from dalembert.language.table_functions import calls_in, is_open
from dalembert.language.unknowns import known, unknown
from dalembert.language.vocabulary import Vocabulary
from dalembert.model.reading_equations import expressions
from dalembert.model.sections.base import Entries, ModelTable, Write, at_most, by_name, expressions_in, model_table

if TYPE_CHECKING:
    from dalembert.model.reading import Reader
    from dalembert.model.stated import Stated
    from dalembert.model.system import System

MAX_ARGUMENTS = 3
MAX_FUNCTIONS = 1_000


@model_table
class Functions(ModelTable):
    """Functions of time and of coordinates, by name: what they depend on, and a formula if they have one."""

    name = "functions"
    early = True

    def declare(self, reader: Reader, given: Any) -> None:
        """Read them, and make them and their derivatives known."""
        entries = by_name(reader, self, given)
        if not at_most(reader, self, entries, MAX_FUNCTIONS, "functions"):
            return
        for name, value in entries.items():
            key = (self.name, name)
            before = len(reader.problems)
            reader.check_name(name, "function", *key)
            of = self.arguments(reader, key, value.get("of") if isinstance(value, Mapping) else value)
            kept: dict[str, Any] = {"of": of or (TIME,)}
            if isinstance(value, Mapping):
                for entry in value:
                    if entry not in ("of", "value"):
                        reader.problem(f"unknown entry; {nearest(str(entry), ['of', 'value'])}", *key, str(entry))
                if value.get("value") is not None and of:
                    kept["value"] = _body(reader, (*key, "value"), of, value["value"])
            found = calls_of(name, kept)
            for written in found:
                if written in reader.coordinates or written in reader.parameters:
                    reader.problem(f"function `{written}` is also a coordinate or a parameter; rename it", *key)
            if len(reader.problems) == before:
                reader.own_functions[name] = MappingProxyType(kept)
            reader.calls |= found  # a mistake is reported once, not with every use of the name as well

    def arguments(self, reader: Reader, key: tuple[str, ...], given: Any) -> tuple[str, ...]:
        """Read what a function depends on; nothing, after a report, of what is wrong."""
        names = (given,) if isinstance(given, str) else given
        if not isinstance(names, (list, tuple)) or not 1 <= len(names) <= MAX_ARGUMENTS:
            reader.problem(f'expected what it depends on, as in ["t"], at most three; got {shown(given)}', *key)
            return ()
        known = [TIME, *(name for name in reader.coordinates if not is_integral(name))]
        for name in names:
            if not isinstance(name, str) or name not in known:
                hint = reader.hint(str(name), known)
                reader.problem(f"a function depends on t and coordinates, got {shown(name)}{hint}", *key)
                return ()
        if len(set(names)) < len(names):
            reader.problem("it depends on the same twice", *key)
            return ()
        return tuple(names)

    def read(self, reader: Reader, given: Any) -> Mapping[str, Any]:
        """Return what was read at the beginning."""
        return MappingProxyType(dict(reader.own_functions))

    def merged(self, present: Any, change: Any) -> Any:
        """Change functions by name: a formula for one that was open; None takes one away."""
        if not isinstance(change, Mapping):
            return change
        found = dict(present or {})
        for name, value in change.items():
            if name in found and value is None:
                del found[name]
            elif name in found and not isinstance(value, (list, tuple, Mapping)):
                if "value" in found[name]:
                    advice = "give it to the system in which it is open"
                    raise ModelError(f"function `{name}` has a value, which is in the equations as it is; {advice}")
                found[name] = {**found[name], "value": value}
            else:
                found[name] = value
        return found

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> Any:
        """Keep it: its arguments are its own."""
        return kept

    def write(self, kept: Any, write: Write) -> Entries:
        """Return its entries."""
        return {(self.name,): {name: write(one if "value" in one else one["of"]) for name, one in kept.items()}}


def calls_of(name: str, kept: Mapping[str, Any]) -> dict[str, tuple[Function, ...]]:
    """Return the rows of a function that was read, and of its derivatives."""
    return known(name, kept["of"], kept["value"]) if "value" in kept else unknown(name, kept["of"])


def _body(reader: Reader, key: tuple[str, ...], of: tuple[str, ...], value: Any) -> Expr:
    """Read a formula: an expression of the arguments, of parameters and of tables."""
    parameters = tuple(dict.fromkeys((*reader.parameters, *(name for name in of if name != TIME))))
    vocabulary = Vocabulary((), parameters, time=TIME in of, calls=reader.calls)

    def translate(given: Any) -> Expr:
        if isinstance(given, str):
            return parse_value(given, vocabulary).expr
        expr = reader.translator.inward(given) if is_sympy(given) else reader.translate(given)
        for symbol in sorted(expr.free_symbols, key=str):
            if symbol.name not in (*of, *reader.parameters, *reader.translator.parameters):
                raise ModelError(f"`{symbol.name}` is not among what it depends on: {', '.join(of)} and parameters")
        return reader.examine(expr)

    return reader.expression(value, key, translate=translate)


def left_open(system: Stated) -> list[str]:
    """Return the functions without a value on which equations, outputs or events depend."""
    if not system.sections.get("functions"):
        return []
    used = [
        *expressions(system),
        *expressions_in({k: system.sections.get(k, {}) for k in ("controls", "outputs", "events")}),
    ]
    found = {name for name, _ in calls_in(used) if is_open(name, system.calls)}
    return [name for name, kept in system.sections["functions"].items() if found & calls_of(name, kept).keys()]


def refuse_open(system: Stated) -> None:
    """Raise ModelError if there is a function without a value."""
    if names := left_open(system):
        raise ModelError(
            system.located(
                Problem(
                    f'function `{name}` has no value; give one, as in functions={{"{name}": "sin(3*t)"}}, '
                    f'or in a file {name} = {{of = [{_quoted(system, name)}], value = "sin(3*t)"}}',
                    key=("functions", name),
                )
            )
            for name in names
        )


def with_functions(system: System, given: Any) -> System:
    """Return a system with values of its functions: expressions, or tables with `x` and `value`."""
    functions, tables = {}, {}
    present = system.sections.get("functions", {})
    for name, value in table("functions", given).items():
        if name not in present:
            raise ModelError(f"no function `{str(name)[:60]}`; {nearest(str(name), list(present), 'functions')}")
        if isinstance(value, Mapping):
            if len(present[name]["of"]) > 1:
                raise ModelError(f"`{name}` depends on {', '.join(present[name]['of'])}; a table has one argument")
            functions[name], tables[name] = None, value
        else:
            functions[name] = value
    return system.replace(functions=functions, **({"tables": tables} if tables else {})) if functions else system


def _quoted(system: Stated, name: str) -> str:
    return ", ".join(f'"{argument}"' for argument in system.sections["functions"][name]["of"])
