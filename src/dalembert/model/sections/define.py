"""[define]: named parts of expressions, in order. They are put in where their names stand; a prime is a rate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.arguments import shown
from dalembert.errors import ModelError
from dalembert.language.building import Expr
from dalembert.language.parser import parse_value
from dalembert.language.vocabulary import Value, Vocabulary
from dalembert.model.sections.base import ModelTable, by_name, model_table

if TYPE_CHECKING:
    from dalembert.model.reading import Reader


@model_table
class Define(ModelTable):
    """Named subexpressions, kept as they were written: x1 = "l*sin(a)", and then x1, x1', x1''."""

    name = "define"
    early = True

    def declare(self, reader: Reader, given: Any) -> None:
        """Read them, each with those before it."""
        entries = by_name(reader, self, given)
        for name, text in entries.items():
            key = ("define", name)
            reader.check_name(name, "definition", *key)
            if name in reader.coordinates or name in reader.parameters:
                reader.problem(f"definition `{name}` is also a coordinate or a parameter; rename it", *key)
                continue
            if not isinstance(text, (str, int, float)):
                reader.problem(f"expected an expression as text, got {shown(text)}", *key)
                continue
            below = list(entries)[list(entries).index(name) + 1 :]
            value = reader.attempt(key, lambda text=str(text), below=below: _with_those_before(text, reader, below))
            # a mistake is reported once, not with every use of the name as well; and what uses it shall move
            reader.definitions[name] = value or Value(se.Symbol(next(iter(reader.coordinates))))

    def read(self, reader: Reader, given: Any) -> Mapping[str, str]:
        """Keep the texts."""
        items = given.items() if isinstance(given, Mapping) else ()
        return MappingProxyType({name: str(text) for name, text in items if name in reader.definitions})

    def merged(self, present: Any, change: Any) -> Any:
        """Add definitions; those that are there are in the equations, which `redefined` in `variants.py` reads anew."""
        present = present or {}
        for name, text in change.items() if isinstance(change, Mapping) else ():
            if name in present and text != present[name]:
                advice = "give the energies, forces and constraints anew, with another name"
                raise ModelError(f"definition `{name}` is in the equations as it was; {advice}")
        return {**present, **change} if isinstance(change, Mapping) else change

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> None:
        """Leave it: the expressions hold what was meant."""


def _with_those_before(text: str, reader: Reader, below: Iterable[str]) -> Value:
    """Parse a definition; one that stands below is not unknown, it stands in the wrong place."""
    try:
        return parse_value(text, reader.vocabulary)
    except ModelError as error:
        unknown = {f"unknown name `{name}`": name for name in below}
        known = [unknown.get(problem.text.split(";")[0]) for problem in error.problems]
        raise ModelError(
            replace(problem, text=f"`{name}` stands below: a definition knows those above it; put `{name}` before it")
            if name
            else problem
            for problem, name in zip(error.problems, known, strict=True)
        ) from None


def definitions_of(sections: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, Value]:
    """Return what the definitions of a system stand for, to read further expressions with."""
    found: dict[str, Value] = {}
    with_them = replace(vocabulary, definitions=found)
    for name, text in sections.get("define", {}).items():
        found[name] = parse_value(text, with_them)
    return found
