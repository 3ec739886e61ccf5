"""Reactions as they are written beside equations."""

from __future__ import annotations

from dataclasses import dataclass, field

from dalembert.language.building import Expr


@dataclass
class Reacting:
    """Reactions as they are written: by constraint, λ, all together; and what names in them stand for."""

    by_constraint: dict[str, list[Expr]]
    multipliers: dict[str, Expr]
    together: list[Expr]
    names: dict[str, Expr] = field(default_factory=dict)

    @property
    def all(self) -> list[Expr]:
        """All formulas."""
        return [*self.each, *self.multipliers.values(), *self.together]

    @property
    def each(self) -> list[Expr]:
        """What acts on each coordinate, by constraint."""
        return [entry for row in self.by_constraint.values() for entry in row]
