"""A rod of fixed length and no mass between a point of each body, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.language.building import Expr
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import Conditions, pair
from dalembert.model.mechanism.vectors import dot, norm, sub
from dalembert.model.quantity import FORCE, Quantity, multiplier

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.table_reader import TableReader


def tension(joint: Joint) -> dict[str, Quantity]:
    """Return the force by which a rod or a rope pulls its ends together; it is negative where it would have to push."""

    def pull(condition: str) -> Quantity:
        return Quantity(lambda: -multiplier(condition), FORCE)

    if list(joint.conditions) == [f"{joint.name}.length"]:
        return {"tension": pull(f"{joint.name}.length")}
    start = f"{joint.name}.part"  # of a rope that does not slip on its pulleys: between any two of them
    parts = [name for name in joint.conditions if name.startswith(start)]
    return {f"tension{name.removeprefix(start)}": pull(name) for name in parts}


def read_length(table: TableReader, assembly: Assembly, markers: Sequence[Marker]) -> dict[str, Expr]:
    """Read the length of the rod; without one it is what it is in the assembled position."""
    a, b = markers
    length = table.positive("length", assembly.home(norm(sub(b.place, a.place))))
    if not table.has("length") and assembly.value(length) == 0:
        table.problem("both ends are in the same place; give a `length`, or use a joint that holds them together")
    return {"length": length}


@pair("rod", 2, places="apart", read=read_length, quantities=tension)
@pair("rod", 3, places="apart", read=read_length, quantities=tension)
def rod(a: Marker, b: Marker, length: Expr) -> Conditions:
    """The points keep their distance. The multiplier is the force by which the rod pushes them apart."""
    apart = sub(b.place, a.place)
    return {"length": (dot(apart, apart) - length**2) / (2 * length)}
