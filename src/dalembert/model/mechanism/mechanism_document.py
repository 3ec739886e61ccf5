"""What a mechanism consists of, as it is shown: bodies, joints, drives and force elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.document.nodes import Block, Formula, Name, Section, Table, Text, listed
from dalembert.errors import counted
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.model.system_document import checked, constraints, contacts, problems, said, values

if TYPE_CHECKING:
    from dalembert.model.mechanism.body import Body
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.mechanism import Mechanism


def mechanism_document(mechanism: Mechanism) -> Section:
    """Show bodies, joints, drives and force elements of a mechanism, and its freedom."""
    found = checked(mechanism)
    what = [
        counted(sum(name != GROUND for name in mechanism.bodies), "body", "bodies"),
        counted(len(mechanism.joints), "joint"),
        counted(mechanism.mechanical, "coordinate"),
        *([counted(len(mechanism.states), "state")] if mechanism.states else []),
        counted(len(mechanism.constraints), "condition"),
    ]
    added = [c for c in mechanism.constraints if mechanism.owners[c.name][0] == "constraints"]
    parts = [
        *tables(mechanism),
        *values(mechanism),
        *constraints(mechanism, added, found),
        *contacts(mechanism),
        *problems(found),
    ]
    where = "in the plane" if mechanism.dimensions == 2 else "in space"
    return Section(mechanism.name or "A mechanism", parts, f"{where}: {said(what, found)}")


def tables(mechanism: Mechanism) -> list[Block]:
    """Return what it is made of, a table for each kind of part."""
    bodies = [_body(mechanism, name, body) for name, body in mechanism.bodies.items() if name != GROUND]
    joints = [
        (name, joint.kind.replace("_", " "), " – ".join(joint.bodies), _what_it_gives(mechanism, joint))
        for name, joint in mechanism.joints.items()
    ]
    others: list[tuple[Text, ...]] = [
        (name, "drive", (drive.joint, f", {drive.kind} = ", Formula(drive.motion)))
        for name, drive in mechanism.drives.items()
    ]
    others += [(name, part.word, "") for section in mechanism.elements.values() for name, part in section.items()]
    inertia = "inertia in kg m²" if mechanism.dimensions == 2 else "principal inertia in kg m²"
    made = [
        Table(bodies, ("body", "mass in kg", inertia, "coordinates")),
        Table(joints, ("joint", "kind", "bodies", "conditions" if mechanism.by == ABSOLUTE else "in the equations")),
        Table(others, ("part", "kind", "")),
    ]
    return [table for table in made if table.rows]


def _body(mechanism: Mechanism, name: str, body: Body) -> tuple[Text, ...]:
    moments = [Formula(row[k]) for k, row in enumerate(body.inertia) if row[k] != 0]
    own = [Name(q) for q in body.coordinates if q in mechanism.coordinates]
    return name, Formula(body.mass) if body.mass != 0 else "", listed(moments), listed(own)


def _what_it_gives(mechanism: Mechanism, joint: Joint) -> Text:
    """Return the conditions of a joint; where it carries a body, its coordinates."""
    branch = mechanism.tree.branch(joint.name)
    if branch is not None:
        names = (": ", listed(map(Name, branch.names.values()))) if branch.names else ()
        return ("carries ", branch.body, *names)
    conditions = ", ".join(name.rpartition(".")[2] for name in joint.conditions)
    return conditions if mechanism.by == ABSOLUTE else f"closes a loop: {conditions}"
