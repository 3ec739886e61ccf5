"""Systems in modes: one set of equations in which something slides or sticks, is open or closed.

What switches is a parameter: conditions that hold only in some modes are multiplied by one that is 1 there, else 0.
So equations are derived and compiled once, and a motion goes from one mode to the other without leaving them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from dalembert.language.building import Expr
from dalembert.model.constraint import Constraint
from dalembert.model.contact import Contact, contacts_of
from dalembert.model.facts import START, STRUCTURE, Survey, fact
from dalembert.model.friction import forces_without, frictions_of, with_frictions

if TYPE_CHECKING:
    from dalembert.model.stated import Stated

Kind = TypeVar("Kind", bound="Stated")


@dataclass(frozen=True)
class ModeParts:
    """What is other in a system with modes; the survey of its structure is that of all its variants."""

    forces: Mapping[str, Expr]
    constraints: tuple[Constraint, ...]
    values: Mapping[str, float]
    survey: Survey


@fact(STRUCTURE)
def mode_parts(system: Stated) -> ModeParts | None:
    """Put modes in place of signs, and conditions for contacts; None of a system that needs neither."""
    plain = {name: friction for name, friction in frictions_of(system).items() if friction.smooth is None}
    contacts = contacts_of(system)
    if not plain and not contacts:
        return None
    moded = {name: replace(friction, modes=True) for name, friction in plain.items()}
    ideal = forces_without(system.forces, plain.values())
    moded |= {name: rubbing for name, one in contacts.items() if (rubbing := one.rubbing) is not None}
    coordinates = frozenset(system.coordinates)
    rows = [
        Constraint.read(row, friction.stick * slip, coordinates)
        for friction in moded.values()
        for row, slip in zip(friction.rows, friction.slips, strict=True)
    ]
    rows += [Constraint.read(one.row, one.condition, coordinates) for one in contacts.values()]
    values = {key: value for one in (*moded.values(), *contacts.values()) for key, value in one.mode_values.items()}
    survey = Survey()
    work: Any = frictions_of
    survey.known[STRUCTURE][work.__wrapped__,] = {**frictions_of(system), **moded}  # found already
    work = contacts_of
    survey.known[STRUCTURE][work.__wrapped__,] = contacts
    return ModeParts(with_frictions(ideal, list(moded.values())), tuple(rows), values, survey)


@fact(START)
def in_modes(system: Kind) -> Kind:
    """Return a system as it moves: with modes in place of the signs of sliding velocities, and conditions to stick by.

    Contacts are conditions that hold while they are closed. It is written and derived as the system that it was made
    of, `written`. One without contacts, and without friction that can stick, is returned itself.
    """
    parts = mode_parts(system) if system.written is system else None
    if parts is None:
        return system
    made: Any = object.__new__(type(system))
    for part in fields(type(system)):
        object.__setattr__(made, part.name, getattr(system, part.name))
    object.__setattr__(made, "forces", parts.forces)
    object.__setattr__(made, "constraints", (*system.constraints, *parts.constraints))
    object.__setattr__(made, "parameters", MappingProxyType({**system.parameters, **parts.values}))
    object.__setattr__(made, "survey", Survey(parts.survey, (STRUCTURE,)))
    object.__setattr__(made, "original", system)
    return made


def all_holding(system: Stated) -> dict[str, float]:
    """Return the modes in which all conditions hold: choices among them are made there."""
    moded = [friction for friction in frictions_of(system).values() if friction.modes]
    held = {key: value for one in moded for key, value in ((one.stick.name, 1.0), (one.slide.name, 0.0))}
    return held | {one.closed.name: 1.0 for one in _contacts(system)}


def mode_inputs(system: Stated) -> list[tuple[int, int]]:
    """Return the inputs of kernels, t, q, v and parameters, that say what holds, with the number of its conditions."""
    first, names = 1 + 2 * len(system.coordinates), list(system.parameters)
    moded = [friction for friction in frictions_of(system).values() if friction.modes]
    found = [(first + names.index(friction.stick.name), len(friction.rows)) for friction in moded]
    return found + [(first + names.index(one.closed.name), 1) for one in _contacts(system)]


def loose_rows(system: Stated) -> frozenset[str]:
    """Return the names of the conditions that are gone in some modes."""
    names = {row for friction in frictions_of(system).values() if friction.modes for row in friction.rows}
    return frozenset(names | {one.row for one in _contacts(system)})


def _contacts(system: Stated) -> Iterable[Contact]:
    """Return the contacts of a system that has conditions for them."""
    return contacts_of(system).values() if getattr(system, "written", system) is not system else ()
