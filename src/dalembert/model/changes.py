"""Variants of models: what is given by name is merged into what is there, None takes away."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dalembert.errors import ModelError, nearest


def merge_values(part: str, present: Mapping[str, Any], change: Mapping[str, Any], known: Collection[str]) -> dict:
    """Change values by name; None takes one away, which must be there or could be."""
    for name, value in change.items():
        if value is None and name not in present and name not in known:
            raise ModelError(f"{part}: there is no `{name}` to take away; {nearest(name, [*known])}")
    return {name: value for name, value in {**present, **change}.items() if value is not None}


def merge_tables(section: str, present: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Change parts of a mechanism: entries of their tables by name; None takes a part or an entry away.

    A new part needs all its entries; so does a joint whose kind is given, as other kinds have other entries.
    """
    result = dict(present)
    for name, table in change.items():
        if table is None:
            if name not in present:
                raise ModelError(
                    f"{section}: there is no `{name}` to take away; {nearest(str(name), [*present], section)}"
                )
            del result[name]
        elif name in present and isinstance(table, Mapping) and table.get("kind") is None:
            result[name] = merge_entries(present[name], table)
        else:
            result[name] = table
    return result


def merge_entries(present: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Change the entries of a table, and of tables in it; a None that nothing is there for is left to its reader."""
    result = dict(present)
    for key, value in change.items():
        if value is None and key in present:
            del result[key]
        elif isinstance(value, Mapping) and isinstance(present.get(key), Mapping):
            result[key] = merge_entries(present[key], value)
        else:
            result[key] = value
    return result


def thawed(kept: Any) -> Any:
    """Return what a system keeps in dictionaries that can be changed, and written by `pickle`."""
    if isinstance(kept, Mapping):
        return {key: thawed(value) for key, value in kept.items()}
    return tuple(map(thawed, kept)) if type(kept) is tuple else kept
