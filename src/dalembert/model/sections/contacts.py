"""[contacts.*]: what may touch and part, but not pass through.

    [contacts.floor]
    gap = "y - r"             # not below zero: an expression of coordinates, time and parameters
    restitution = "e"         # between 0 and 1; 0 if it is not said
    law = "newton"            # or "poisson"

What they mean is in `model/contact.py`; here they are read and written.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dalembert.arguments import shown
from dalembert.errors import nearest, quoted
from dalembert.language.building import number
from dalembert.model.contact import IMPACT_LAWS, NEWTON, meant_contact
from dalembert.model.sections.base import ModelTable, at_most, model_table, names_in, tables_by_name

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

ENTRIES = ("gap", "restitution", "law")
RUBBING = ("slip", "friction", "tangential")
OF_BODIES = ("bodies", "points", "radius", "against")
_MOST = 200  # contacts of a model
_AWAY = "Write the model by energies, where the gap is an expression of the coordinates, or watch for it by an event"


@model_table
class ContactsTable(ModelTable):
    """Contacts by name."""

    name = "contacts"

    def read(self, reader: Reader, given: Any) -> Mapping[str, Any]:
        """Read them; which are closed is decided along a motion."""
        tables = tables_by_name(reader, self, given, '{gap = "y - r", restitution = 0.5}')
        if not at_most(reader, self, tables, _MOST, "contacts"):
            return {}
        if tables and hasattr(reader, "tree"):
            reader.problem(f"contacts of the bodies of a mechanism are not computed yet. {_AWAY}", self.name)
            return {}
        found = {}
        for name, table in tables.items():
            key = (self.name, name)
            if name in names_in(reader, "friction"):
                reader.problem(f"`{name}` is also the name of a friction; rename one of them", *key)
            elif entries := self._entries(reader, key, table):
                found[name] = MappingProxyType(entries)
        laws = sorted({one.get("law", NEWTON) for one in found.values()})
        if len(laws) > 1:
            text = f"contacts of one model share one law, as they may meet at one moment; got {quoted(laws)}"
            reader.problem(f"{text}. Give all of them the same", self.name)
        moving = tuple(reader.coordinates)
        reader.touching = {name: meant_contact(name, entries, moving) for name, entries in found.items()}
        return MappingProxyType(found)

    def _entries(self, reader: Reader, key: tuple[str, ...], table: Mapping[str, Any]) -> dict[str, Any]:
        """Read the entries of one."""
        for entry in table:
            place = (*key, str(entry))
            if entry in OF_BODIES:
                reader.problem(f"`{entry}` is one of contacts between bodies, not computed yet. {_AWAY}", *place)
            elif entry in RUBBING:
                reader.problem(f"`{entry}`: friction at contacts is not computed yet; leave it out", *place)
            elif entry not in ENTRIES:
                reader.problem(f"unknown entry; {nearest(str(entry), ENTRIES, 'a contact has')}", *place)
        if table.get("gap") is None:
            reader.problem('a contact needs its `gap`, which is not below zero, as in gap = "y - r"', *key)
            return {}
        kept: dict[str, Any] = {}
        moving = reader.velocities | reader.accelerations | reader.laws
        why = "a gap depends on coordinates, time and parameters"
        kept["gap"] = gap = reader.expression(table["gap"], (*key, "gap"), moving, why)
        if not {symbol.name for symbol in gap.free_symbols} & set(reader.own_coordinates):
            reader.problem("no coordinate stands in the gap, so that nothing could close or open it", *key, "gap")
        if table.get("restitution") is not None:
            why = "a restitution depends on parameters only"
            still = reader.coordinates | moving | {"t": None}
            e = reader.expression(table["restitution"], (*key, "restitution"), still, why)
            value = number(e)
            if value is not None and not 0 <= value <= 1:
                text = f"the restitution is between 0 and 1, got {shown(table['restitution'])}"
                reader.problem(f"{text}: more would gain energy at every impact", *key, "restitution")
            kept["restitution"] = e
        law = table.get("law")
        if law is not None:
            if not isinstance(law, str) or law not in IMPACT_LAWS:
                reader.problem(f"the law is newton or poisson, got {shown(law)}", *key, "law")
            else:
                kept["law"] = law
        return kept
