"""[states]: quantities of first order, by their rates: z = "x' - z*abs(x')/G" is ż = x' − z |x'|/G.

Integral action, motors, filters, bristles. In a mechanism a rate may name its parts, `A.angle`. States may stand
wherever a velocity may, except in energies and constraints: there they would be moved by forces and reactions, which a
state knows nothing of. Where z' stands in a force, the rate is put in. `language/state_names.py` says what states are
to the rest of the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.state_names import inner, integral
from dalembert.model.first_order import by_state, names_parts, read_followed
from dalembert.model.sections.base import ModelTable, by_name, model_table, names_in

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

MAX_STATES = 1000
WHY = "the rate of a state depends on accelerations, or on rates of states; write what they are equal to"


@model_table
class States(ModelTable):
    """Rates by state."""

    name = "states"
    early = True

    def declare(self, reader: Reader, given: Any) -> None:
        """Read the rates; the names are known to the reader, as those of coordinates."""
        if len(reader.states) > MAX_STATES:
            reader.problem(f"{len(reader.states):,} states; at most {MAX_STATES:,} are read", self.name)
        for name in reader.states:
            reader.check_name(name, "state", self.name, name)
            for what, names in (
                ("a coordinate", reader.coordinates),
                ("a parameter", reader.parameters),
                ("a definition", reader.definitions),
                ("a table", names_in(reader, "tables")),
            ):
                if name in names:
                    reader.problem(f"state `{name}` is also {what}; rename one of them", self.name, name)
        rates = by_name(reader, self, by_state(given)).items()
        reader.late = {inner(name, 1): rate for name, rate in rates if names_parts(rate)}
        reader.rates = {
            se.Symbol(inner(name, 1)): reader.expression(rate, (self.name, name), reader.accelerations, WHY)
            for name, rate in rates
            if inner(name, 1) not in reader.late
        }

    def read(self, reader: Reader, given: Any) -> Mapping[str, Expr]:
        """Return the rates as they are written, after reading those that came late."""
        late, reader.late = reader.late, {}
        kept = {}
        for name in reader.states:
            rate = se.Symbol(inner(name, 1))
            if rate.name in late:
                kept[name], meant = read_followed(reader, (self.name, name), late[rate.name], WHY)
                reader.late_rates[rate] = se.Integer(0) if meant is None else meant
            else:
                kept[name] = reader.rates.get(rate, se.Integer(0))
        reader.rates |= reader.late_rates
        return MappingProxyType(kept)

    def forces(self, reader: Reader, kept: Mapping[str, Expr]) -> Mapping[str, Expr]:
        """Return the rates as forces on the coordinates whose velocities the states are."""
        return {integral(name): reader.rates[se.Symbol(inner(name, 1))] for name in kept}
