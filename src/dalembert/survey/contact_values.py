"""What is wrong with contacts: values of restitution, constraints that impacts cannot keep, a start inside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.blocks.numeric import Numeric
from dalembert.errors import ModelError, Problem, quoted
from dalembert.language.building import TIME, number
from dalembert.language.printing import to_text
from dalembert.language.program import Program
from dalembert.model.contact import contacts_of
from dalembert.model.facts import PARAMETERS, START, fact
from dalembert.model.friction import depend
from dalembert.model.modes import all_holding, in_modes
from dalembert.survey.flat import find_flat_rows
from dalembert.survey.integrability import linear_constraints
from dalembert.survey.start import Level, start_of

if TYPE_CHECKING:
    from dalembert.arrays import Array
    from dalembert.model.system import System

_NOTHING = 1e-30  # a length that is none, as what is left of a pulse that is over
BEGINS = 1e-9  # of its terms: below zero by more, a motion would begin inside


@fact(PARAMETERS)
def contact_problems(system: System) -> list[Problem]:
    """Return what is wrong with the values of contacts, and with what stands beside them."""
    contacts = contacts_of(system)
    if not contacts:
        return []
    found = []
    known = {se.Symbol(name): se.RealDouble(x) for name, x in system.parameters.items() if x is not None}
    for name, contact in contacts.items():
        value = number(se.sympify(contact.restitution).xreplace(known))
        if value is not None and not 0 <= value <= 1:
            text = f"the restitution of contact `{name}` is {value:g}; it is between 0 and 1, as more would gain energy"
            found.append(Problem(text, key=("contacts", name, "restitution")))
        if contact.rubbing is not None and depend((contact.slip, contact.speed), system.coordinates, known):
            text = f"the sliding velocity of contact `{name}` is the rate of its gap: nothing slides along that"
            found.append(Problem(f"{text}; give the velocity across it", key=("contacts", name, "slip")))
    linear = linear_constraints(system)
    bent = [c.name for c, one in zip(system.constraints, linear, strict=True) if c.level == "velocity" and not one]
    if bent:
        text = f"impacts need constraints that are linear in the velocities, and {quoted(bent)} is not: its impulse has"
        found.append(
            Problem(f"{text} no direction. Take [contacts] away, or write it as one that is", key=("contacts",))
        )
    return [system.located(problem) for problem in found]


@fact(START)
def flat_gaps(system: System) -> list[Problem]:
    """Say which gaps have no gradient where they are zero, as y²: nothing is met there, and bodies pass through."""
    if not contacts_of(system) or None in system.parameters.values():
        return []
    moved = in_modes(system)
    rows = {contact.row: name for name, contact in contacts_of(system).items()}
    start, numeric = start_of(system), Numeric(moved, _numbers(moved) | _numbers(system) | all_holding(moved))
    level = Level(numeric, start.t, (), dict(zip(system.coordinates, map(float, start.q), strict=True)))
    own = [k for k, i in enumerate(numeric.holonomic) if moved.constraints[i].name in rows]
    found = []
    for row in find_flat_rows(level, np.asarray(start.q), own, is_solved=False):
        name, known = rows[row.constraint.name], {*system.coordinates, *system.parameters}
        text = f"the gap of contact `{name}` has no gradient where it is zero, so that nothing is met there"
        roots = [to_text(root, known) for root in row.roots or ()]
        advice = (
            f"give `{roots[0]}`, or its opposite" if len(roots) == 1 else "write it differently, as y instead of y^2"
        )
        found.append(
            system.located(Problem(f"{text}: {advice}, positive on the side that is free", key=("contacts", name)))
        )
    return found


def _numbers(system: System) -> dict[str, float]:
    return {name: float(value) for name, value in system.parameters.items() if value is not None}


def gaps_at(system: System, t: float, q: Array, parameters: Sequence[float]) -> Array:
    """Return the gaps of contacts with the sizes of their terms, two rows."""
    parts = [contact.terms for contact in contacts_of(system).values()]
    names = [TIME, *system.coordinates, *system.parameters]
    program = Program([se.Symbol(name) for name in names], [term for some in parts for term in some], system.defined)
    terms = np.split(program.floats([t, *q, *parameters]), np.cumsum([len(some) for some in parts])[:-1])
    return np.array([[part.sum() for part in terms], [np.abs(part).sum() for part in terms]])


def begins_inside(system: System, t: float, q: Array, parameters: Sequence[float]) -> list[Problem]:
    """Say of which contacts a motion would begin with something inside something else."""
    found = []
    if not contacts_of(system) or None in system.parameters.values():
        return found
    for name, gap, size in zip(contacts_of(system), *gaps_at(system, t, q, parameters), strict=True):
        if not gap >= -max(BEGINS * size, _NOTHING):
            text = f"the gap of contact `{name}` is {gap:.6g} at the start, and a gap is not below zero"
            text = f"{text}: give initial values with which it is zero or more"
            found.append(system.located(Problem(text, key=("contacts", name))))
    return found


def refuse_contacts(system: System, t: float, q: Array, parameters: Sequence[float]) -> None:
    """Raise ModelError where a motion with these contacts cannot begin."""
    if problems := contact_problems(system) or begins_inside(system, t, q, parameters) or flat_gaps(system):
        raise ModelError(problems)
