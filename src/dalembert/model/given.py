"""What a user wrote of a system, before anything is read of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.model.drawing import Drawing
from dalembert.model.tomlscan import Source

_TABLES = ("forces", "parameters", "initial", "guess", "simulation", "symbols")  # of what is given


@dataclass(frozen=True)
class Given:
    """What the user wrote, as it came."""

    coordinates: Any
    kinetic: Any
    potential: Any
    mass: Any
    force: Any
    forces: Mapping[Any, Any]
    constraints: Any
    parameters: Mapping[Any, Any]
    initial: Mapping[Any, Any]
    guess: Mapping[Any, Any]
    simulation: Mapping[str, Any]
    drawing: Drawing | Mapping[str, Any] | None
    name: str
    symbols: Mapping[str, Any]
    sections: Mapping[str, Any] = field(default_factory=dict)  # further tables by their names
    source: Source | None = field(default=None, compare=False)

    @classmethod
    def of(cls, arguments: Mapping[str, Any], sections: Mapping[str, Any]) -> Given:
        """Take it from arguments by name; of what is not among them nothing was given, and tables are empty then."""
        said = {name: arguments.get(name) for name in cls.__dataclass_fields__ if name != "sections"}
        empty = {name: {} for name in _TABLES if said[name] is None}
        return cls(**{**said, **empty}, sections=sections)
