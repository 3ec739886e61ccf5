"""What a form of the equations of motion is, and how to add one.

A form arranges the blocks M, f, A, c so that accelerations and reactions can be read off. To add one:

1. Write a file with a subclass of `Form`: `name`, `title`, and `solve(rows, pilot)`, the algorithm, once, over the
   scalars of `rows` (floats, arrays of pilot points, formulas): only + − × ÷, and every choice through `pilot.decide`.
   It returns a `Solution` with q̈, r and the matrices of the form.
2. Override `refuse(scene)` if the form does not accept every system, saying what to use instead.
3. Override `equations(scene, solution)`: the differential equations of the form as expressions that vanish.
4. Add it to `FORMS` in `forms/__init__.py`. The contract tests then run it against every other form on every model.

The rows of A that arrive are independent; redundant ones have been taken out, which changes neither q̈ nor r.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from dalembert.algebra.gramschmidt import Scalar, Vector
from dalembert.algebra.pilot import Pilot
from dalembert.forms.scene import Rows, Scene
from dalembert.language.building import Expr

MAX_OPERATIONS = 3_000  # on the shared graph; beyond this formulas are not attempted


@dataclass
class Solution:
    """What a form computes: q̈, r = M q̈ − f, λ of the independent rows, and its own matrices (lists of rows)."""

    acceleration: list[Scalar]
    reaction: list[Scalar]
    multipliers: list[Scalar] | None = None
    matrices: dict[str, list[list[Scalar]]] = field(default_factory=dict)
    independent: tuple[int, ...] = ()  # coordinates, for forms that choose some


class Form(ABC):
    """A form of the equations of motion."""

    name: str
    title: str

    def refuse(self, scene: Scene) -> str | None:
        """Return why this form does not accept a system and what to use instead, or None."""
        return None

    @abstractmethod
    def solve(self, rows: Rows, pilot: Pilot) -> Solution:
        """Compute accelerations and reactions over any arithmetic."""

    @abstractmethod
    def equations(self, scene: Scene, solution: Solution) -> list[Expr]:
        """Return the differential equations of this form as expressions that vanish."""


def multiply(rows: list[Vector], x: list[Scalar], arithmetic: Any) -> list[Scalar]:
    """Multiply sparse rows by a vector."""
    result = []
    for row in rows:
        total = arithmetic.zero
        for j, value in row.items():
            total = total + value * x[j]
        result.append(total)
    return result


def transposed(rows: list[Vector], y: list[Scalar], size: int, arithmetic: Any) -> list[Scalar]:
    """Multiply the transpose of sparse rows by a vector."""
    result = [arithmetic.zero] * size
    for row, factor in zip(rows, y, strict=True):
        for j, value in row.items():
            result[j] = result[j] + value * factor
    return result


def dense(vector: Vector, size: int, arithmetic: Any) -> list[Scalar]:
    """Write a sparse vector with its zeros."""
    return [vector.get(j, arithmetic.zero) for j in range(size)]
