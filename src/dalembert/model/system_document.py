"""What a system consists of, as it is shown: coordinates, energies or matrices, forces, values, constraints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dalembert.document.nodes import (
    Block,
    Equation,
    Equations,
    Formula,
    Listing,
    Matrix,
    Name,
    Number,
    Paragraph,
    Section,
    Text,
    faint,
)
from dalembert.errors import counted
from dalembert.language.printing import to_text
from dalembert.language.state_names import as_written, is_integral
from dalembert.model.constraint import Constraint, describe_class
from dalembert.model.contact import Contact
from dalembert.model.quantity import as_names
from dalembert.model.sections.programme import meant_programmes, stated_forces

if TYPE_CHECKING:
    from dalembert.model.system import System

_SMALL = 30  # coordinates up to which a system is checked to be shown
_MOST = 48  # coordinates, and values, that are listed
_CHECK = "`check()` tells its freedom, and what is redundant"


def system_document(system: System) -> Section:
    """Show what a system consists of, its constraints with their classes, and its freedom."""
    found = checked(system)
    what = [counted(system.mechanical, "coordinate"), counted(len(system.constraints), "constraint")]
    what += [counted(len(system.states), "state")] if system.states else []
    parts = [
        *system_parts(system),
        *constraints(system, system.constraints, found),
        *contacts(system),
        *problems(found),
    ]
    return Section(system.name or "A system", parts, said(what, found))


def checked(system: System) -> Any:
    """Return the check of a system that is small enough for it to be done on the way, else None."""
    return system.check() if len(system.coordinates) <= _SMALL else None


def said(what: Iterable[str], found: Any) -> str:
    """Return what is counted, and the freedom if it is known."""
    return ", ".join([*what, *([found.freedom] if found and found.freedom else [])])


def problems(found: Any) -> list[Block]:
    """Return what the check found."""
    return [Paragraph(_CHECK, "faint")] if found is None else [*found.notes]


def system_parts(system: System) -> list[Block]:
    """Return all but the constraints."""
    return [coordinates(system), *energies(system), *values(system), *data(system)]


def coordinates(system: System) -> Listing:
    """Return the names of the coordinates."""
    return Listing(
        [Name(name) for name in system.coordinates[: system.mechanical]], short=True, title="coordinates", most=_MOST
    )


def energies(system: System) -> list[Block]:
    """Return energies or matrices, and the forces without potential."""
    rows: list[Equation] = []
    for letter, words, expr in (("T", "kinetic", system.kinetic), ("V", "potential", system.potential)):
        rows += [Equation(letter, expr, f"{words} energy")] if expr is not None and expr != 0 else []
    rows += [Equation("R", R, "dissipation")] if (R := system.sections.get("dissipation")) else []
    forces = {q: as_names(force) for q, force in stated_forces(system).items() if force != 0 and not is_integral(q)}
    rows += [Equation(f"Q_{q}", force, "force without potential") for q, force in forces.items()]
    rows += [Equation(f"{z}'", rate, "state") for z, rate in system.states.items()]
    rows += [Equation(name, law, "control") for name, law in system.laws.items() if name not in system.holding]
    held = " and ".join(system.holding)
    rows += [Equation(expr, name=name, said=f"programme, by {held}") for name, expr in meant_programmes(system).items()]
    names, own = (*system.coordinates, *system.parameters), system._translator.own
    parts: list[Block] = []
    if system.mass is not None:
        parts.append(Paragraph("Given by its mass matrix M and the forces f, M q̈ = f without constraints."))
        parts.append(Matrix("M", system.mass, own=own))
        parts.append(Matrix("f", [[as_names(entry)] for entry in system.force or ()], own=own))
    return [*parts, Equations(rows, names, "force", own)] if rows else parts


def values(system: System) -> list[Block]:
    """Return parameters and initial values."""
    given = {"parameters": system.parameters, "initial values": system.initial}
    return [
        Listing(
            [(Name(as_written(name)), " = ", _value(x)) for name, x in some.items()],
            short=True,
            title=title,
            most=_MOST,
        )
        for title, some in given.items()
        if some
    ]


def data(system: System) -> list[Block]:
    """Return the tables, each with its points counted."""
    found = []
    for name, kept in system.sections.get("tables", {}).items():
        kind, x = kept.get("kind", "cubic"), kept["x"]
        found.append((Name(name), f": {kind}, {len(x):,} points from ", Number(x[0], 8), " to ", Number(x[-1], 8)))
    return [Listing(found, title="tables", most=_MOST)] if found else []


def _value(value: Any) -> Text:
    if value is None:
        return faint("no value")
    is_number = isinstance(value, (int, float)) or value.is_Number
    return Number(float(value), 8) if is_number else Formula(value)


def contacts(system: System) -> list[Block]:
    """Return the gaps of contacts, with restitution and friction."""
    rows = [Equation(f"g_{name}", contact.gap, name, _of_contact(contact)) for name, contact in system.contacts.items()]
    names = (*system.coordinates, *system.parameters)
    return [Equations(rows, names, "contact", system._translator.own)] if rows else []


def _of_contact(contact: Contact) -> str:
    said = f"contact: not below zero, restitution {to_text(contact.restitution)}"
    return said if contact.rubbing is None else f"{said}, friction {to_text(contact.coefficient)}"


def constraints(system: System, some: Iterable[Constraint], found: Any = None) -> list[Block]:
    """Return constraints with what kind they are."""
    known = found.classes if found is not None else {}
    rows = [Equation(c.expression, name=c.name, said=describe_class(known.get(c.name, c.kind))) for c in some]
    names = (*system.coordinates, *system.parameters)
    return [Equations(rows, names, "constraint", system._translator.own)] if rows else []
