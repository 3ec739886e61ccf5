"""[velocities]: quasi-velocities, u = "x'*cos(theta) + y'*sin(theta)": combinations of velocities, by name.

The form `quasi` has its equations in them, and they are known along every motion. `forms/quasi_velocities.py` says
what they must be for that: as many as degrees of freedom, and independent where the constraints hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.calculus import Calculus
from dalembert.language.state_names import is_integral
from dalembert.model.sections.base import ModelTable, at_most, by_name, model_table, names_in

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

MAX_VELOCITIES = 1000
_WHY = "a quasi-velocity is a combination of velocities; accelerations, states and controls are none"


@model_table
class Velocities(ModelTable):
    """Combinations of velocities, u = w(q, t)·v + w₀(q, t), by name."""

    name = "velocities"

    def read(self, reader: Reader, given: Any) -> Mapping[str, Expr]:
        """Read them, and refuse what is not linear in the velocities."""
        entries = by_name(reader, self, given)
        if not at_most(reader, self, entries, MAX_VELOCITIES, "quasi-velocities"):
            return {}
        states = [name for name in reader.velocities if is_integral(name)]
        forbidden = {*reader.accelerations, *states, *reader.laws}
        found = reader.quasi_velocities
        for name, value in entries.items():
            self._named(reader, name)
            found[name] = reader.expression(value, (self.name, name), forbidden, _WHY)
            if not reader.problems:
                self._linear(reader, name, reader.meant(found[name]))
        return MappingProxyType(found)

    def _named(self, reader: Reader, name: str) -> None:
        """Report a name that something else has."""
        reader.check_name(name, "quasi-velocity", self.name, name)
        for what, names in (
            ("a coordinate", (*reader.coordinates, *reader.aliases)),
            ("a state", reader.states),
            ("a parameter", reader.parameters),
            ("a definition", reader.definitions),
            ("a control", names_in(reader, "controls")),
            ("an output", names_in(reader, "outputs")),
        ):
            if name in names:
                reader.problem(f"quasi-velocity `{name}` is also {what}; rename one of them", self.name, name)

    def _linear(self, reader: Reader, name: str, meant: Expr) -> None:
        """Report what is no velocity, or not linear in those of coordinates."""
        v = [se.Symbol(speed) for speed in reader.velocities if not is_integral(speed)]
        calculus = Calculus(v)
        lifted = calculus.lift(meant)
        slopes = [se.expand(calculus.lower(calculus.diff(lifted, speed))) for speed in v]
        if not any(slope != 0 for slope in slopes):
            reader.problem(
                "a quasi-velocity has velocities in it, as in x'*cos(theta) + y'*sin(theta); this has none",
                self.name, name,
            )  # fmt: skip
        used = {symbol.name for slope in slopes for symbol in slope.free_symbols} & reader.velocities.keys()
        if used:
            text = "a quasi-velocity is linear in the velocities"
            reader.problem(f"{text}; here the factor of one contains {', '.join(sorted(used))}", self.name, name)
