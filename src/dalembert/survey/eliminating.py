"""What is eliminated from rows of expressions, whatever the formulas are with which it is done."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.algebra.elimination import Reduced
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO


class Eliminating(ABC):
    """Eliminates in rows of expressions. field: the arithmetic of its formulas."""

    field: Any

    @abstractmethod
    def read(self, expr: Expr) -> Any:
        """Turn an expression into a formula."""

    @abstractmethod
    def reduced(
        self, rows: Sequence[Mapping[int, Expr]], right: Sequence[Expr], free: frozenset[int] = frozenset()
    ) -> Reduced:
        """Reduce independent rows, never by a column that is free; raise ZeroDivisionError where that cannot be."""

    def null_vectors(self, rows: Sequence[Mapping[int, Expr]], free: Sequence[int]) -> list[dict[int, Any]]:
        """Return w with row·w = 0 for all rows, one for each free unknown, without denominators if there are any."""
        found = self.reduced(rows, [ZERO] * len(rows), frozenset(free))
        vectors = []
        for k in free:
            w = {k: self.field.one}
            w |= {j: -row[k] for j, row in zip(found.pivots, found.rows, strict=True) if k in row}
            vectors.append(self.field.primitive(w))
        return vectors

    def sum(self, w: Mapping[int, Any], parts: Mapping[int, Expr]) -> Any:
        """Return Σ wₖ partₖ."""
        total = self.field.zero
        for k, entry in w.items():
            if k in parts:
                total = total + entry * self.read(parts[k])
        return total
