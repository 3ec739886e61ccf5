"""A long tree as elements of a few kinds, as `kinds.py` finds them: in its coordinates and in velocities of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from dalembert.blocks.kinds import Elements, find_elements
from dalembert.language.building import Expr
from dalembert.model.facts import STRUCTURE, Survey, fact
from dalembert.model.mechanism.outward import CarriedTurning, Outward

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism


@fact(STRUCTURE)
def tree_elements(system: Mechanism) -> Elements:
    """Split the equations of a long tree, in its coordinates and in what its bodies move along, behind them."""
    outward: Outward = system.defined  # pyright: ignore[reportAssignmentType]
    n, names = len(system.coordinates), (*system.coordinates, *outward.rows)
    wide = len(outward.carried[0].template.rows)
    together = [tuple(range(n + k * wide, n + (k + 1) * wide)) for k in range(len(outward.carried))]
    labels: dict[Expr, tuple[int, str]] = {}
    for turning, own in zip(outward.turning, together, strict=False):
        labels |= {symbol: (own[0], label) for symbol, label in turning.labels.items()}
    given: Any = SimpleNamespace(
        survey=Survey(),
        coordinates=names,
        velocities=tuple(f"{name}'" for name in names),
        kinetic=system.kinetic,
        potential=system.potential,
        forces=system.forces,
        constraints=(),
        parameters=system.parameters,
        attached=_Ways(outward, together),
        labels=labels,
        together=together,
    )
    return find_elements(given)


class _Ways(dict[Expr, Any]):
    """How moves what is attached to bodies; of a body, once it is asked for."""

    def __init__(self, outward: Outward, together: Sequence[tuple[int, ...]]):
        super().__init__()
        self._bodies = {
            turning.body.name: (turning, own) for turning, own in zip(outward.turning, together, strict=False)
        }

    def get(self, key: Expr, default: Any = None) -> Any:
        """Return how a symbol moves."""
        if key not in self:
            name = key.name.rpartition(" ")[2]
            name = name if name in self._bodies else name.partition("_")[2].rstrip("'")
            turning, own = self._bodies[name]
            self |= CarriedTurning(turning.body, (*own[3:], *own[:3]), 0).ways()
        return super().get(key, default)
