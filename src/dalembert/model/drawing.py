"""How a system given by energies is drawn: points named by the user, and what joins them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dalembert.model.functions import Expr


@dataclass(frozen=True)
class Drawing:
    """Points by name, each with two or three coordinates as expressions; lines, springs and circles between them.

    lines: sequences of point names, drawn as links. springs: pairs of points. circles: (centre, radius), in space
    (centre, radius, point): about the line from the centre to that point; about the vertical if there is none.
    """

    points: Mapping[str, tuple[Expr, ...]]
    lines: tuple[tuple[str, ...], ...] = ()
    springs: tuple[tuple[str, ...], ...] = ()
    circles: tuple[tuple[Any, ...], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", MappingProxyType(dict(self.points)))
