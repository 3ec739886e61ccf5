"""[tables.*]: data that expressions use as functions, road(x).

    [tables.road]
    x = [0, 1, 2]                   # increasing
    value = [0, 0.1, 0]
    file = "road.csv"               # instead of both: columns x and value, beside the model
    kind = "cubic"                  # or "linear", "natural"
    beyond = "stop"                 # or "constant", "linear"

What the curves are is in `language/curves.py`. Beyond its ends a table has no value: a motion ends there, with words,
unless `beyond` says that it goes on, constant or straight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import shown
from dalembert.errors import ModelError, nearest
from dalembert.language.building import Expr
from dalembert.language.curves import CONSTANT, CUBIC, LINEAR, NATURAL, STOP, STRAIGHT, Interpolant
from dalembert.language.functions import Function
from dalembert.language.table_functions import table
from dalembert.model.datafile import COLUMNS, MAX_POINTS, read_points
from dalembert.model.sections.base import Entries, ModelTable, Write, by_name, model_table

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

ENTRIES = {
    "kind": (CUBIC, LINEAR, NATURAL),
    "beyond": (STOP, CONSTANT, STRAIGHT),
}  # the first is meant where there is none
_IN_A_LINE = 10  # numbers


@model_table
class Tables(ModelTable):
    """Curves through points, by name."""

    name = "tables"
    early = True

    def declare(self, reader: Reader, given: Any) -> None:
        """Read them, and make them known as functions."""
        points = 0
        for name, entries in by_name(reader, self, given).items():
            key = (self.name, name)
            reader.check_name(name, "table", *key)
            if name in reader.coordinates or name in reader.parameters:
                reader.problem(f"table `{name}` is also a coordinate or a parameter; rename it", *key)
                continue
            found = self.read_table(reader, key, entries)
            points += len(found["x"]) if found else 0
            if points > MAX_POINTS:
                reader.problem(f"the tables have more than {MAX_POINTS:,} points in all", *key)
                found = {}
            # a mistake is reported once, not with every use of the name as well
            kept = found or {"x": (0.0, 1.0), "value": (0.0, 0.0)}
            reader.own_tables[name] = MappingProxyType(kept)
            reader.calls[name] = operations(name, kept)

    def read(self, reader: Reader, given: Any) -> Mapping[str, Any]:
        """Return what was read at the beginning."""
        return MappingProxyType(dict(reader.own_tables))

    def read_table(self, reader: Reader, key: tuple[str, ...], entries: Any) -> dict[str, Any]:
        """Read one table; nothing, after a report, of what is wrong."""
        if not isinstance(entries, Mapping):
            reader.problem(f"expected a table, as in {{x = [0, 1, 2], value = [0, 1, 0]}}, got {shown(entries)}", *key)
            return {}
        before = len(reader.problems)
        for entry in entries:
            if entry not in (*COLUMNS, "file", *ENTRIES):
                known = nearest(str(entry), [*COLUMNS, "file", *ENTRIES], "a table has")
                reader.problem(f"unknown entry; {known}", *key, str(entry))
        columns = self.read_columns(reader, key, entries)
        found: dict[str, Any] = dict(zip(COLUMNS, columns, strict=False))
        for entry, known in ENTRIES.items():
            value = entries.get(entry, known[0])
            if not isinstance(value, str) or value not in known:
                reader.problem(f"expected {', '.join(known)}, got {shown(value)}", *key, entry)
            elif value != known[0]:
                found[entry] = value
        if len(reader.problems) == before and (wrong := wrong_with(found)):
            reader.problem(wrong, *key, "file" if "file" in entries else "x")
        return found if len(reader.problems) == before else {}

    def read_columns(self, reader: Reader, key: tuple[str, ...], entries: Mapping[str, Any]) -> list[tuple[float, ...]]:
        """Return x and value, of lists or of a file."""
        if entries.get("file") is not None:
            if any(entries.get(name) is not None for name in COLUMNS):
                reader.problem(
                    "points are given by `x` and `value`, or by a `file`; take one of them away", *key, "file"
                )
                return []
            return reader.attempt((*key, "file"), lambda: from_file(reader, entries["file"])) or []
        missing = [name for name in COLUMNS if entries.get(name) is None]
        if missing:
            reader.problem(f"`{missing[0]}` is missing; a table has `x` and `value`, or a `file`", *key)
            return []
        columns = [reader.attempt((*key, name), lambda name=name: _numbers(entries[name])) for name in COLUMNS]
        return [column for column in columns if column is not None]

    def merged(self, present: Any, change: Any) -> Any:
        """Change entries of tables; a file that a program names here is read at once."""
        if isinstance(change, Mapping):
            change = {name: _with_points(entries) for name, entries in change.items()}
        return super().merged(present, change)

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> Any:
        """Keep it: there are no expressions in it."""
        return kept

    def write(self, kept: Any, write: Write) -> Entries:
        """Return its entries, with the points in lines of a few numbers."""
        return {
            (self.name, name): {k: write(v) if isinstance(v, str) else _lines(v) for k, v in entries.items()}
            for name, entries in kept.items()
        }


def operations(name: str, kept: Mapping[str, Any]) -> tuple[Function, ...]:
    """Return the functions of a table that was read: it and its derivatives."""
    return table(name, curve_of(kept))


def curve_of(kept: Mapping[str, Any]) -> Interpolant:
    """Return the curve of a table that was read."""
    return Interpolant(kept["x"], kept["value"], kept.get("kind", CUBIC), kept.get("beyond", STOP))


def from_file(reader: Reader, name: Any) -> list[tuple[float, ...]]:
    """Read the points of a file that a model names, in its folder."""
    if not isinstance(name, str):
        raise ModelError(f'the name of a file is a text, as in file = "road.csv"; got {shown(name)}')
    source = reader.given.source
    if source is not None and source.folder is None:
        raise ModelError("a text has no folder in which files could be; give `x` and `value`, or load a file")
    return [tuple(column) for column in read_points(name, None if source is None else source.folder)]


def _with_points(entries: Any) -> Any:
    """Put the points of a file in its place."""
    if not isinstance(entries, Mapping) or not isinstance(entries.get("file"), str):
        return entries
    points = dict(zip(COLUMNS, read_points(entries["file"], None), strict=True))
    return {key: value for key, value in entries.items() if key != "file"} | points


def _numbers(values: Any) -> tuple[float, ...]:
    """Return a list of numbers."""
    values = values.tolist() if hasattr(values, "tolist") else list(values) if isinstance(values, range) else values
    if not isinstance(values, (list, tuple)):
        raise ModelError(f"expected a list of numbers, as in [0, 1, 2], got {shown(values)}")
    if len(values) > MAX_POINTS:
        raise ModelError(f"{len(values):,} points; at most {MAX_POINTS:,} are read")
    for k, value in enumerate(values, 1):
        plain = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300
        if not plain or not math.isfinite(value):
            raise ModelError(f"expected finite numbers, got {shown(value)} at place {k}")
    return tuple(float(value) for value in values)


def wrong_with(found: Mapping[str, Any], places: str = "places") -> str:
    """Say what is wrong with points; nothing if they make a curve."""
    x, value = found["x"], found["value"]
    if len(x) != len(value):
        return f"{len(x)} {places} and {len(value)} values; there is one value for each"
    if len(x) < 2:
        return f"a table needs two points at least, got {len(x)}"
    for k in range(1, len(x)):
        if not x[k] > x[k - 1]:
            return f"the {places} must increase: {x[k]:g} follows {x[k - 1]:g} at place {k + 1}"
    if not np.all(np.isfinite(curve_of(found).pieces)):
        return "the points are too close together, or the values too large: slopes between them have no finite value"
    return ""


def _lines(values: tuple[float, ...]) -> str:
    """Write numbers, a few in each line."""
    texts = list(map(repr, values))
    if len(texts) <= _IN_A_LINE:
        return f"[{', '.join(texts)}]"
    rows = [", ".join(texts[k : k + _IN_A_LINE]) for k in range(0, len(texts), _IN_A_LINE)]
    return "[\n" + "".join(f"    {row},\n" for row in rows) + "]"
