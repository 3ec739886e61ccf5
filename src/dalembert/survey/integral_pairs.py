"""Which coordinates may be a factor of which momenta in a first integral, where all with all would be too many.

What is turned moves x by −y and y by x, and Euler parameters by each other: of a mechanism in the coordinates of its
bodies, both belong to the place or to the turn of one body. Of other systems they stand together in the equations: in
the conditions of one constraint, in a force, in the mass matrix; or they do so through a third one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from dalembert.language.building import Expr
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tree import ABSOLUTE

if TYPE_CHECKING:
    from dalembert.model.system import System

Pairs = list[tuple[int, int]]


def all_pairs(momenta: Sequence[int], factors: Sequence[int]) -> Pairs:
    """Return every factor with every momentum, by the numbers of their coordinates; by factor."""
    return [(i, j) for j in factors for i in momenta]


def pairs_of(system: System, momenta: Sequence[int], factors: Sequence[int], most: int) -> tuple[Pairs, bool]:
    """Return the pairs that are looked at, at most so many, and whether others are left out that may be needed."""
    found = all_pairs(momenta, factors)
    if len(found) <= most:
        return found, False
    if isinstance(system, Mechanism) and system.by == ABSOLUTE:
        near = _together(_of_bodies(system))
        if len(kept := [(i, j) for i, j in found if j in near[i]]) <= most:
            return kept, False
    near = _together(_groups(system))
    farther = {i: {k for j in some for k in near[j]} for i, some in near.items()}
    for reached in (farther, near):
        if len(kept := [(i, j) for i, j in found if j in reached.get(i, ())]) <= most:
            return kept, True
    return [], True


def _together(groups: Iterable[Collection[int]]) -> dict[int, set[int]]:
    """Return with whom each coordinate is in a group."""
    found: dict[int, set[int]] = defaultdict(set)
    for group in groups:
        for i in group:
            found[i] |= set(group)
    return found


def _of_bodies(mechanism: Mechanism) -> list[list[int]]:
    """Return the coordinates of places and those of turns, body by body; those of the user are kept together."""
    place = {name: k for k, name in enumerate(mechanism.coordinates)}
    groups = []
    for body in mechanism.bodies.values():
        own = [place[name] for name in body.coordinates]
        groups += [own[: len(body.centre)], own[len(body.centre) :]]
    return [*groups, sorted(set(place.values()) - {k for group in groups for k in group})]


def _groups(system: System) -> list[set[int]]:
    """Return coordinates that stand together in the blocks: by constraint, by force, by entry of the mass matrix."""
    b = system.blocks
    place = {symbol: k for x in (b.q, b.v) for k, symbol in enumerate(x)}

    def inside(expr: Expr) -> set[int]:
        return {place[symbol] for symbol in expr.free_symbols if symbol in place}

    rows: dict[str, set[int]] = defaultdict(set)
    for (row, j), entry in b.A.items():
        rows[system.constraints[row].name.split(".")[0]] |= {j, *inside(entry)}
    forces = [{i, *inside(f)} for i, f in enumerate(b.f)]
    return [*rows.values(), *forces, *({i, j, *inside(entry)} for (i, j), entry in b.M.items())]
