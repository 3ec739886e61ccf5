"""[contacts.*]: what may touch and part, but not pass through.

    [contacts.floor]
    gap = "y - r"             # not below zero: an expression of coordinates, time and parameters
    restitution = "e"         # between 0 and 1; 0 if it is not said
    law = "newton"            # or "poisson"
    slip = "x' + r*phi'"      # with friction: the velocity with which it slides
    friction = "mu"           # its coefficient
    tangential = 0.0          # the part of the sliding velocity that an impact turns round

Between the bodies of a mechanism `bodies`, `points`, `radius` and `against` stand in place of the gap and the sliding
velocity, see `model/mechanism/touch.py`. What they mean is in `model/contact.py`; here they are read and written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from dalembert.arguments import shown
from dalembert.errors import nearest, quoted
from dalembert.language.building import Expr, number
from dalembert.model.contact import IMPACT_LAWS, NEWTON, POISSON, meant_contact
from dalembert.model.friction import is_linear
from dalembert.model.mechanism.touch import ENTRIES as OF_BODIES
from dalembert.model.mechanism.touch import read_touch
from dalembert.model.sections.base import ModelTable, at_most, model_table, names_in, tables_by_name

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.reading import Reader

ENTRIES = ("gap", "restitution", "law", "slip", "friction", "tangential")
_MOST = 200  # contacts of a model


@model_table
class ContactsTable(ModelTable):
    """Contacts by name."""

    name = "contacts"

    def read(self, reader: Reader, given: Any) -> Mapping[str, Any]:
        """Read them; which are closed is decided along a motion."""
        tables = tables_by_name(reader, self, given, '{gap = "y - r", restitution = 0.5}')
        if not at_most(reader, self, tables, _MOST, "contacts"):
            return {}
        found = {}
        for name, table in tables.items():
            key = (self.name, name)
            if name in names_in(reader, "friction"):
                reader.problem(f"`{name}` is also the name of a friction; rename one of them", *key)
            elif name in reader.touching:
                joint = name.rpartition("_")[0]
                text = f"`{name}` is the contact of joint `{joint}` at its end; give this one another name"
                reader.problem(text, *key)
            elif any(name in parts for parts in reader.kinds):
                text = f"`{name}` is the name of another part already, and `{name}.normal` could mean either"
                reader.problem(f"{text}; give the contact a name of its own, as in [contacts.{name}_contact]", *key)
            elif entries := self._entries(reader, key, table):
                found[name] = MappingProxyType(entries)
        laws = sorted({one.get("law", NEWTON) for one in found.values()})
        if len(laws) > 1:
            text = f"contacts of one model share one law, as they may meet at one moment; got {quoted(laws)}"
            reader.problem(f"{text}. Give all of them the same", self.name)
        moving = tuple(reader.coordinates)
        bodies = getattr(reader, "bodies", {})
        meant = {name: meant_contact(name, entries, moving, bodies) for name, entries in found.items()}
        reader.touching = {**reader.touching, **meant}
        return MappingProxyType(found)

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> None:
        """Leave it to `plain_contacts`, which knows what bodies mean."""

    def _entries(self, reader: Reader, key: tuple[str, ...], table: Mapping[str, Any]) -> dict[str, Any]:
        """Read the entries of one."""
        is_mechanism = hasattr(reader, "tree")
        allowed = (*OF_BODIES, *ENTRIES) if is_mechanism else ENTRIES
        for entry in table:
            place = (*key, str(entry))
            if entry in OF_BODIES and not is_mechanism:
                text = f"`{entry}` is one of contacts between the bodies of a mechanism, and there are none here"
                reader.problem(f"{text}; give the `gap`, an expression of the coordinates", *place)
            elif entry not in allowed:
                reader.problem(f"unknown entry; {nearest(str(entry), allowed, 'a contact has')}", *place)
        kept: dict[str, Any] = {}
        moving = reader.velocities | reader.accelerations | reader.laws
        of_bodies = {entry: table[entry] for entry in OF_BODIES if table.get(entry) is not None}
        if of_bodies and is_mechanism:
            if twice := [entry for entry in ("gap", "slip") if table.get(entry) is not None]:
                text = f"`{twice[0]}` and `{next(iter(of_bodies))}` say the same thing twice; give one of them"
                reader.problem(text, *key, twice[0])
            touch = read_touch(cast("Assembly", reader), key, of_bodies)
            if touch is None:
                return {}
            kept |= touch
        elif table.get("gap") is None:
            what = "`bodies`" if is_mechanism else "`gap`, which is not below zero"
            example = 'bodies = ["ground", "wheel"]' if is_mechanism else 'gap = "y - r"'
            reader.problem(f"a contact needs its {what}, as in {example}", *key)
            return {}
        elif isinstance(table["gap"], str) and any(sign in table["gap"] for sign in "<>="):
            text = "a gap is what is not below zero, and no condition: write `y` for `y >= 0`, `l - y` for `y <= l`"
            reader.problem(f"{text}; got {shown(table['gap'])}", *key, "gap")
            return {}
        else:
            why = "a gap depends on coordinates, time and parameters"
            told = len(reader.problems)
            kept["gap"] = gap = reader.expression(table["gap"], (*key, "gap"), moving, why)
            known = len(reader.problems) == told
            if known and not {symbol.name for symbol in gap.free_symbols} & set(reader.coordinates):
                reader.problem("no coordinate stands in the gap, so that nothing could close or open it", *key, "gap")
        still = reader.coordinates | moving | {"t": None}
        for entry, what in (("restitution", "restitution"), ("tangential", "tangential restitution")):
            if table.get(entry) is not None:
                kept[entry] = e = reader.expression(
                    table[entry], (*key, entry), still, f"a {what} depends on parameters only"
                )
                value = number(e)
                if value is not None and not 0 <= value <= 1:
                    text = f"the {what} is between 0 and 1, got {shown(table[entry])}"
                    reader.problem(f"{text}: more would gain energy at every impact", *key, entry)
        self._rubbing(reader, key, table, kept)
        law = table.get("law")
        if law is not None:
            if not isinstance(law, str) or law not in IMPACT_LAWS:
                reader.problem(f"the law is newton or poisson, got {shown(law)}", *key, "law")
            else:
                kept["law"] = law
        return kept

    def _rubbing(self, reader: Reader, key: tuple[str, ...], table: Mapping[str, Any], kept: dict[str, Any]) -> None:
        """Read what slides, and the coefficient of friction."""
        given = [entry for entry in ("slip", "friction", "tangential") if table.get(entry) is not None]
        if not given:
            return
        for entry, what in (("slip", "the velocity with which it slides"), ("friction", "the coefficient of friction")):
            if entry not in given and not (entry == "slip" and "bodies" in kept):
                reader.problem(f"`{entry}` is missing beside `{given[0]}`: {what}", *key)
        if "slip" in given and isinstance(table["slip"], (list, tuple)):
            text = "contacts slide along one line; sliding in a plane is not computed yet. Give one velocity"
            reader.problem(text, *key, "slip")
        elif "slip" in given:
            why = "a sliding velocity depends on coordinates, velocities, time and parameters"
            slip = reader.expression(table["slip"], (*key, "slip"), reader.accelerations | reader.laws, why)
            if not is_linear(slip, tuple(reader.coordinates)):
                text = "`slip` is no velocity: it must be linear in the velocities, and depend on one of them"
                reader.problem(text, *key, "slip")
            kept["slip"] = slip
        if "friction" in given:
            why = "a coefficient of friction depends on coordinates, time and parameters"
            moving = reader.velocities | reader.accelerations | reader.laws
            kept["friction"] = mu = reader.expression(table["friction"], (*key, "friction"), moving, why)
            if (value := number(mu)) is not None and value < 0:
                text = f"the coefficient of friction is not below 0, got {shown(table['friction'])}"
                reader.problem(text, *key, "friction")
        if "friction" in given and "bodies" in kept and getattr(reader, "dimensions", 2) == 3:
            text = "bodies in space slide in a plane, whose friction at contacts is not computed yet; leave it out"
            reader.problem(text, *key, "friction")
        if table.get("law") == POISSON and "tangential" in given:
            text = "with Poisson's law friction has no tangential restitution here"
            reader.problem(f"{text}; leave it out, or take the law newton", *key, "tangential")
