"""Initial values: what they are given of, and what the user gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dalembert.language.building import Expr


def begin_of(simulation: Mapping[str, Any]) -> float:
    """Return the time of the initial state, from what a model says of its motion."""
    return float(simulation.get("begin", 0.0))


@dataclass(frozen=True)
class Measure:
    """A quantity of which an initial value can be given.

    level: "position" or "velocity". value: as an expression. equals: what vanishes where it has a value. cyclic:
    whether that is the same a full turn further.
    """

    level: str
    value: Expr
    equals: Callable[[Expr], Expr]
    cyclic: bool = False


@dataclass(frozen=True)
class InitialValue:
    """What the user gave in one go: one value in [initial], or the spin of a body with its components.

    label: how to call it. key: its entry in a model file. values: by the names of the quantities.
    """

    label: str
    key: tuple[str, ...]
    values: Mapping[str, float]

    def text(self, values: Iterable[float] | None = None) -> str:
        """Write it with its values, or with others."""
        shown = [f"{value + 0.0:.12g}" for value in (self.values.values() if values is None else values)]
        return f"{self.label} = {shown[0]}" if len(shown) == 1 else f"{self.label} = [{', '.join(shown)}]"
