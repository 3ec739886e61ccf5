"""[energy] dissipation: Rayleigh's function R(q, v, t), of which the forces without potential are Q = −∂R/∂v."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.language.state_names import is_integral
from dalembert.model.sections.base import ModelTable, model_table

if TYPE_CHECKING:
    from dalembert.model.reading import Reader


@model_table
class Dissipation(ModelTable):
    """Rayleigh's dissipation function; where it is quadratic in v, half of the power that is lost."""

    name = "dissipation"
    place = ("energy", "dissipation")

    def read(self, reader: Reader, given: Any) -> Expr | None:
        """Read R; it says something only where it depends on velocities."""
        if reader.given.mass is not None:
            reader.problem("a model by matrices has no energies; write these forces into `force`", *self.place)
            return None
        why = "the dissipation function depends on accelerations or controls; write such forces into `forces`"
        R = reader.expression(given, self.place, reader.accelerations | reader.laws, why)
        if R != 0 and not any(symbol.name in _speeds(reader) for symbol in R.free_symbols):
            text = "the dissipation function has no velocities in it, so that no force follows from it"
            reader.problem(f"{text}; write one, as in d*x'^2/2", *self.place)
        return R

    def forces(self, reader: Reader, kept: Expr) -> Mapping[str, Expr]:
        """Return −∂R/∂v, term by term."""
        calculus = Calculus([se.Symbol(name) for name in _speeds(reader)])
        found: dict[str, list[Expr]] = {}
        for term in calculus.terms(calculus.lift(kept)):
            for v in sorted(calculus.depends(term), key=str):
                found.setdefault(v.name[:-1], []).append(-calculus.diff(term, v))
        return {name: calculus.lower(se.Add(ZERO, *terms)) for name, terms in found.items()}

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> None:
        """Leave it to the forces, which hold all of it."""


def _speeds(reader: Reader) -> list[str]:
    """Return the velocities; states are none, and no force acts on them."""
    return [name for name in reader.velocities if not is_integral(name)]
