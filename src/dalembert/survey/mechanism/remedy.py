"""What to do about a joint that repeats conditions: pairs with fewer conditions that leave the motion as it is.

Every proposal is tried by numbers, in general positions: the other pair must hold there, its conditions must be fewer
by as many as were repeated, and all together must span the same space as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs import PAIRS, Pair
from dalembert.model.mechanism.placement import Placement
from dalembert.model.mechanism.vectors import transpose
from dalembert.survey.configurations import Configuration, column_sizes
from dalembert.survey.mechanism.rows import JointRows, rank, unit_rows

if TYPE_CHECKING:
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.mechanism import Mechanism

KNOWN = ("spherical", "cylindrical", "universal", "revolute", "prismatic", "slot")  # built more often than others
TRIED = 60  # replacements of each number of joints
READ_NOTHING = next(field.default for field in fields(Pair) if field.name == "read")


@dataclass(frozen=True)
class Replacement:
    """Another pair in place of a joint, with an axis in the world in the first of the places if it has one."""

    joint: str
    kind: str
    axis: tuple[float, ...] | None
    matrices: tuple[Array, ...]  # its conditions, at each place

    def __str__(self) -> str:
        text = f"`{self.joint}` by a {self.kind} pair"
        if self.axis is None:
            return text
        return f"{text} (axis [{', '.join(f'{round(x, 6) + 0.0:g}' for x in self.axis)}])"


class Remedies:
    """Looks for replacements of joints; `rows` are the conditions of everything that takes part, by the part's name."""

    def __init__(
        self,
        mechanism: Mechanism,
        numeric: Numeric,
        places: Sequence[Configuration],
        rows: Mapping[str, Sequence[int]],
    ):
        self.mechanism, self.numeric, self.places, self.rows = mechanism, numeric, places, rows
        self.columns = column_sizes(numeric, places)
        self.matrices = [numeric.all(place.t, place.q, place.v).A.toarray() * self.columns for place in places]

    def find(self, joint: str, others: Sequence[str], repeated: int) -> list[tuple[Replacement, ...]]:
        """Return what takes away as many conditions as are repeated: one joint replaced, or several.

        This joint alone, another one alone, two of them, and three if nothing less is found.
        """
        made = {name: self.replacements(name) for name in (joint, *reversed(others))}
        ways: list[tuple[Replacement, ...]] = []
        for names, most in (([joint], 1), (list(reversed(others)), 1), (list(made), 2), (list(made), 3)):
            if most == 3 and ways:
                break
            sets = (way[::-1] for some in combinations(names, most) for way in product(*(made[name] for name in some)))
            fitting = (way for way in sets if sum(map(self.freed, way)) == repeated)
            found = next((way for way in islice(fitting, TRIED) if self.works(way)), None)
            if found and not (most == 1 and ways):
                ways.append(found)
        return ways

    def freed(self, replacement: Replacement) -> int:
        """Count the conditions that a replacement saves."""
        return len(self.rows[replacement.joint]) - len(replacement.matrices[0])

    def works(self, replacements: Sequence[Replacement]) -> bool:
        """Tell whether the conditions span the same space as before."""
        replaced = {replacement.joint for replacement in replacements}
        before = [i for rows in self.rows.values() for i in rows]
        kept = [i for name, rows in self.rows.items() if name not in replaced for i in rows]
        for k, A in enumerate(self.matrices):
            old = unit_rows(A[before])
            new = unit_rows(np.vstack([A[kept], *(replacement.matrices[k] for replacement in replacements)]))
            if not rank(new) == rank(old) == rank(np.vstack([old, new])):
                return False
        return True

    def replacements(self, name: str) -> list[Replacement]:
        """Return the pairs with fewer conditions that hold between the bodies of a joint wherever they are."""
        joint = self.mechanism.joints.get(name)
        made = [self.replacement(joint, *candidate) for candidate in candidates(joint)] if joint else []
        fewer = [one for one in made if one is not None and self.freed(one) > 0]
        return sorted(fewer, key=lambda one: KNOWN.index(one.kind) if one.kind in KNOWN else len(KNOWN))

    def replacement(
        self, joint: Joint, pair: Pair, markers: Sequence[Marker], values: dict[str, Any]
    ) -> Replacement | None:
        """Evaluate another pair at the places; None if it does not hold there."""
        rows = JointRows(self.numeric, list(pair.equations(*markers, **values).values()))
        found = [rows.at(place.q) for place in self.places]
        for (residuals, A), place in zip(found, self.places, strict=True):
            if np.any(np.abs(residuals) > 1e-7 * (np.abs(A) @ np.maximum(np.abs(place.q), 1e-3))):
                return None
        axis = world_axis(self.numeric, pair, markers, self.places[0].q)
        return Replacement(joint.name, pair.kind, axis, tuple(A * self.columns for _, A in found))


def world_axis(numeric: Numeric, pair: Pair, markers: Sequence[Marker], q: Array) -> tuple[float, ...] | None:
    """Return the axis of a pair in the world; None if it has none."""
    if pair.axis is None:
        return None
    direction = markers[0].z if pair.dimensions == 3 else markers[0].x
    return tuple(numeric.evaluate(numeric.program(direction), 0.0, q).tolist())


def candidates(joint: Joint) -> Iterator[tuple[Pair, Sequence[Marker], dict[str, Any]]]:
    """Return pairs that could stand between the markers of a joint, along any of their axes."""
    for pair in PAIRS[joint.pair.dimensions].values():
        if pair.kind == "universal":
            arm = transpose(joint.markers[1].placement.R)[0]
            yield pair, joint.markers, {"arm": arm}
        elif pair.read is READ_NOTHING and not pair.values:
            for markers in [joint.markers] if pair.axis is None else along_axes(joint.markers):
                yield pair, markers, {}


def along_axes(markers: Sequence[Marker]) -> Iterator[Sequence[Marker]]:
    """Return the markers as they are, and turned so that their other axes come first."""
    n = len(markers[0].placement.at)
    for k in range(n):
        yield [replace(marker, placement=_turned(marker.placement, k)) for marker in markers]


def _turned(placement: Placement, k: int) -> Placement:
    if k == 0:
        return placement
    if len(placement.at) == 2:
        (a, b), (c, d) = placement.R
        return Placement(placement.at, ((b, -a), (d, -c)), (placement.turn[0] + se.pi / 2,))
    axes = transpose(placement.R)
    return Placement(placement.at, transpose([axes[(k + i) % 3] for i in range(3)]), placement.turn)
