"""Where joints end: stops of their coordinates, and ropes that go slack. They are contacts, which joints bring.

[joints.A]
min = -1.2           # of its angle or distance; the contact is called A_min
max = "phi_max"      # A_max
restitution = 0.3    # of both

[joints.rope]
slack = true         # a rope or a rod that holds only while it is tight: rope_tight
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dalembert.errors import quoted
from dalembert.language.building import Expr
from dalembert.model.mechanism.table_reader import TableReader
from dalembert.model.mechanism.vectors import norm, sub
from dalembert.model.mechanism.views import EULER

if TYPE_CHECKING:
    from dalembert.model.mechanism.joint import Joint

STOPS = ("min", "max")
TIGHT, LENGTH = "tight", "length"


def edges_of(joints: Iterable[Joint]) -> dict[str, dict[str, Any]]:
    """Return the contacts of joints by name: their gaps, and their restitution."""
    return {name: entries for joint in joints for name, entries in _edges(joint)}


def edge_names(joint: Joint) -> list[str]:
    """Return the names of the contacts of a joint."""
    return [f"{joint.name}_{key}" for key in (*STOPS, *((TIGHT,) if joint.slack else ())) if _has(joint, key)]


def _has(joint: Joint, key: str) -> bool:
    return key == TIGHT or key in joint.table


def _edges(joint: Joint) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in edge_names(joint):
        given = {key: joint.table[key] for key in ("restitution",) if key in joint.table}
        if joint.kind == "rod":
            a, b = joint.markers
            given["length"] = joint.values["length"] - norm(sub(b.place, a.place))
        yield name, {"gap": _gap(joint, name.rpartition("_")[2]), **given}


def _gap(joint: Joint, key: str) -> Expr:
    if key == TIGHT:
        return -joint.all_conditions[f"{joint.name}.{LENGTH}"]
    (value,) = (joint.coordinates[name].value for name in single(joint.coordinates))
    return value - joint.table["min"] if key == "min" else joint.table["max"] - value


def single(names: Iterable[str]) -> list[str]:
    """Return the coordinates of a joint that can have stops."""
    return [name for name in names if name not in EULER]


def read_edges(table: TableReader, kind: str, coordinates: Mapping[str, Any], conditions: Iterable[str]) -> bool:
    """Read the stops of a joint, and whether it goes slack; return this."""
    slack = table.flag("slack")
    if slack and list(conditions) != [LENGTH]:
        text = f"a joint `{kind}` does not go slack; a rope that slips on its pulleys does, and a rod"
        table.problem(f"{text}, which is a string then", "slack")
        slack = False
    given = [key for key in STOPS if table.has(key)]
    names = single(coordinates)
    if given and len(names) != 1:
        has = f"it has {quoted(names)}" if names else "it has none"
        text = f"stops are of the one coordinate of a joint, and of a joint `{kind}` {has}"
        table.problem(f"{text}; write a contact with a `gap` in [contacts]", given[0])
        given = []
    ends = [table.constant(key) for key in given]
    if len(ends) == 2:
        table.judge("max", ends, lambda a, b: "" if a < b else f"`max` must be above `min`, got {a:g} and {b:g}")
    if table.has("restitution"):
        e = table.constant("restitution")
        if not given and not slack:
            table.problem("`restitution` is one of stops: give `min` or `max`, or take it away", "restitution")
        wrong = "the restitution is between 0 and 1, got {:g}: more would gain energy at every impact"
        table.judge("restitution", [e], lambda e: "" if 0 <= e <= 1 else wrong.format(e))
    return slack
