"""Words for what numbers say of a mechanism: conditions and coordinates by the joints and bodies they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import quoted
from dalembert.survey.configurations import Configuration
from dalembert.survey.mechanism.remedy import Remedies
from dalembert.survey.redundancy import Redundancy

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism
    from dalembert.survey.mechanism.mobility import Mobility

PART = 1e-3  # of the largest: what counts
SHOWN = 6


def list_bodies(mechanism: Mechanism, directions: Array) -> str:
    """Name the bodies, and the coordinates of the user, that move in some directions (columns)."""
    sizes = np.abs(directions).max(axis=1, initial=0.0)
    index = {name: i for i, name in enumerate(mechanism.coordinates)}
    groups: dict[str, list[int]] = {
        body.name: [index[name] for name in body.coordinates] for body in mechanism.bodies.values() if body.coordinates
    }
    groups |= {name: [index[name]] for name in mechanism.own.coordinates if name in index}
    largest = sizes.max(initial=0.0)
    return shown_names([name for name, places in groups.items() if sizes[places].max() > PART * largest])


def list_parts(mechanism: Mechanism, conditions: Sequence[str], weights: Array, without: str = "") -> str:
    """Name the joints, drives and own constraints that have a part in a combination of conditions, in a sentence."""
    return shown_names(parts_of(mechanism, conditions, weights, without))


def parts_of(mechanism: Mechanism, conditions: Sequence[str], weights: Array, without: str = "") -> list[str]:
    """Return the names of joints, drives and own constraints that have a part in a combination of conditions."""
    owner = mechanism.owners
    sizes: dict[str, float] = {}
    for condition, weight in zip(conditions, np.abs(weights), strict=True):
        what, name = owner[condition]
        if what not in ("bodies", without):
            sizes[name] = max(sizes.get(name, 0.0), float(weight))
    largest = max(sizes.values(), default=0.0)
    return [name for name, size in sizes.items() if size > PART * largest]


def repeated_conditions(
    mechanism: Mechanism,
    redundancies: Sequence[Redundancy],
    numeric: Numeric,
    places: Sequence[Configuration],
    mobility: Mobility,
) -> list[tuple[str, tuple[str, ...]]]:
    """Say which joints repeat conditions of others, and what to do: texts with the keys of what they speak of.

    The first of the places is the assembled position.
    """
    owner = mechanism.owners
    rows: dict[tuple[str, str], list[int]] = {}
    for i, constraint in enumerate(mechanism.constraints):
        rows.setdefault(owner[constraint.name], []).append(i)
    groups: dict[tuple[str, str], list[Redundancy]] = {}
    for redundancy in redundancies:
        groups.setdefault(owner[redundancy.name], []).append(redundancy)
    texts = []
    for part, found in groups.items():
        if part[0] not in ("joints", "drives"):
            texts += [(f"redundant: {redundancy}", ("constraints", redundancy.name)) for redundancy in found]
            continue
        used = {owner[other] for redundancy in found for other in redundancy.others} - {part}
        others = [other for other in rows if other in used and other[0] != "bodies"]
        involved = {other[1]: rows[other] for other in rows if other in (*others, part) or other[0] == "bodies"}
        texts.append((_repetition(mechanism, part, others, found, involved, numeric, places, mobility), part))
    return texts


def _repetition(
    mechanism: Mechanism,
    part: tuple[str, str],
    others: Sequence[tuple[str, str]],
    found: Sequence[Redundancy],
    rows: Mapping[str, Sequence[int]],
    numeric: Numeric,
    places: Sequence[Configuration],
    mobility: Mobility,
) -> str:
    what, name = part
    names = [other for _, other in others]
    of, count = len(rows[name]), len(found)
    title = f"{what[:-1]} `{name}`"
    if what == "joints":
        title += f" ({'planar' if mechanism.dimensions == 2 else 'spatial'} {mechanism.joints[name].kind})"
    which = (
        "its condition" if of == 1 else f"all of its {of} conditions" if of == count else f"{count} of {of} conditions"
    )
    values = dict.fromkeys(value for redundancy in found for value in redundancy.values)
    text = f"{title} repeats {which}, which {shown_names(names)} already {'impose' if len(names) > 1 else 'imposes'}"
    text += f" (only for the present values of {quoted(values)})" if values else ""
    if mobility.freedom < mobility.here and not mobility.freedom:  # what is held by being stretched needs all of it
        return f"{text}, but only in this position, where its forces are not determined: place the parts otherwise"
    stays = "the motion stays as it is" if mobility.freedom else "nothing moves then either, and forces are determined"
    if count == of:
        return f"{text}: remove it; {stays}"
    ways = Remedies(mechanism, numeric, places, rows).find(name, names, count) if what == "joints" else []
    if not ways:
        return f"{text}: replace joints of this loop by ones that leave {count} more freedoms"
    shown = ", or ".join(" and ".join(map(str, way)) for way in ways)
    return f"{text}: replace {shown}; {stays}"


def shown_names(names: Sequence[str]) -> str:
    """List names in a sentence, not more than a few."""
    shown = quoted(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
