"""What a further table of the model file is. How to add one is written here: one file, and no other code knows of it.

A table of your own is a class with the `name` under which Python has it as a keyword, and its place in a file if that
is another. `read` makes of what was given what the system keeps: mappings, tuples, expressions, numbers, texts. The
rest has defaults, for files and for `replace`:

    @model_table
    class Winds(ModelTable):
        name = "winds"                          # [winds] in files, System(winds={…}) and system.sections["winds"]

        def read(self, reader, given):
            given = by_name(reader, self, given)
            return {key: reader.expression(value, (*self.path, key)) for key, value in given.items()}

declare   tells the reader new names before any expression is read: states, and in `reader.calls` functions.
read      reads it and reports what is wrong, each mistake under its key: that gives it the line in the file.
forces    gives what it adds to the generalized forces, by coordinate.
merged    is what `replace` makes of it and a change.
put       puts expressions into it, where coordinates are solved for; None if the equations hold all of it, as those
          hold what adds `forces`.
write     gives its entries in a file.

What is read must be readable again: `replace` reads a variant from what the system keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import symengine as se

from dalembert.arguments import shown
from dalembert.errors import ModelError
from dalembert.language.building import Expr
from dalembert.language.tokens import NAME
from dalembert.model.changes import merge_entries

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

Write = Callable[[Any], str]
Entries = Mapping[tuple[str, ...], Mapping[str, str]]


class ModelTable:
    """A table of the model file that is read, written, merged and used as its class says.

    place: where it stands in a file, `("energy", "dissipation")` for an entry of a table that there is.
    mechanical: whether a mechanism has it too.
    early: whether it stands above energies in a file that is written, as what others use.
    """

    name: ClassVar[str]
    place: ClassVar[tuple[str, ...]] = ()
    mechanical: ClassVar[bool] = True
    early: ClassVar[bool] = False

    @property
    def path(self) -> tuple[str, ...]:
        """Where it stands in a file."""
        return self.place or (self.name,)

    def declare(self, reader: Reader, given: Any) -> None:
        """Tell the reader the names that it brings; nothing is known but coordinates and parameters."""

    def read(self, reader: Reader, given: Any) -> Any:
        """Return what the system keeps; None of nothing."""
        raise NotImplementedError

    def forces(self, reader: Reader, kept: Any) -> Mapping[str, Expr]:
        """Return what it adds to the generalized forces."""
        return {}

    def merged(self, present: Any, change: Any) -> Any:
        """Return it after a change: tables by name, None takes away; what is no table is put in place of the other."""
        if isinstance(present, Mapping) and isinstance(change, Mapping):
            return merge_entries(present, change)
        return change

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> Any:
        """Return it with its expressions changed; None if it adds forces, which the equations hold already."""
        return None if type(self).forces is not ModelTable.forces else in_expressions(kept, change)

    def write(self, kept: Any, write: Write) -> Entries:
        """Return its entries in a file, by table; `write` writes any value that a system keeps."""
        if self.place:
            return {self.place[:-1]: {self.place[-1]: write(kept)}}
        found: dict[tuple[str, ...], dict[str, str]] = {}
        for key, value in kept.items():
            if isinstance(value, Mapping):
                found[self.name, key] = {inner: write(entry) for inner, entry in value.items()}
            else:
                found.setdefault((self.name,), {})[key] = write(value)
        return found


SECTIONS: dict[str, ModelTable] = {}
S = TypeVar("S", bound=ModelTable)


def model_table(kind: type[S]) -> type[S]:
    """Register a table, for Python and for files read from then on."""
    if kind.name in SECTIONS and type(SECTIONS[kind.name]).__module__ != kind.__module__:
        raise ModelError(f"there is a table `{kind.name}` already")
    SECTIONS[kind.name] = kind()
    return kind


def by_name(reader: Reader, section: ModelTable, given: Any) -> dict[str, Any]:
    """Return entries by name; none, after a report, of what is no table."""
    if not isinstance(given, Mapping):
        reader.problem(f'expected entries by name, as in {{"a": …}}, got {type(given).__name__}', *section.path)
        return {}
    for key in given:
        if not isinstance(key, str):
            reader.problem(f"expected names in quotes, got {shown(key)}", *section.path)
    return {key: value for key, value in given.items() if isinstance(key, str)}


def tables_by_name(reader: Reader, section: ModelTable, given: Any, example: str) -> dict[str, Mapping[Any, Any]]:
    """Return tables by the names of parts of a model; what is none is left out, after a report with an example."""
    found = {}
    for name, table in by_name(reader, section, given).items():
        if not NAME.fullmatch(name):
            text = f"{name[:40]!r}: a name is letters, digits and _, and begins with no digit"
            reader.problem(text, *section.path, name)
        elif not isinstance(table, Mapping):
            reader.problem(f"expected a table, as in {example}, got {shown(table)}", *section.path, name)
        else:
            found[name] = table
    return found


def at_most(reader: Reader, section: ModelTable, entries: Mapping[str, Any], most: int, what: str) -> bool:
    """Tell whether there are not too many of something; report it if there are."""
    if len(entries) > most:
        reader.problem(f"{len(entries):,} {what}; at most {most:,} are read", *section.path)
    return len(entries) <= most


def names_in(reader: Reader, table: str) -> Collection[str]:
    """Return the names in another table; none of what is no table, which is reported where it is read."""
    given = reader.given.sections.get(table)
    return given if isinstance(given, Mapping) else ()


def kept_sections(reader: Reader, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read all tables that were given."""
    found = {}
    for name, one in SECTIONS.items():
        if given.get(name) is not None:
            kept = one.read(reader, given[name])
            if kept is not None and kept != {}:
                found[name] = kept
    return MappingProxyType(found)


def in_expressions(kept: Any, change: Callable[[Expr], Expr]) -> Any:
    """Return what a table keeps with its expressions changed."""
    if isinstance(kept, Mapping):
        return {key: in_expressions(value, change) for key, value in kept.items()}
    if isinstance(kept, tuple):
        return tuple(in_expressions(value, change) for value in kept)
    return change(kept) if isinstance(kept, se.Basic) else kept


def expressions_in(kept: Any) -> Iterator[Expr]:
    """Return the expressions in what a table keeps."""
    if isinstance(kept, (Mapping, tuple)):
        for value in kept.values() if isinstance(kept, Mapping) else kept:
            yield from expressions_in(value)
    elif isinstance(kept, se.Basic):
        yield kept
