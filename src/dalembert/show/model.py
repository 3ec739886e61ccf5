"""Systems, mechanisms and what is found out about them before they move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalembert.errors import counted
from dalembert.model.mechanism.tables import GROUND
from dalembert.show.html import (
    BAD,
    CAUTION,
    GOOD,
    ROWS,
    Markup,
    bold,
    coloured,
    escape,
    faint,
    join,
    line,
    notes,
    number,
    table,
    whole,
    words,
)
from dalembert.show.inline import equation, formula, name

if TYPE_CHECKING:
    from dalembert.model.constraint import Constraint
    from dalembert.model.mechanism.mechanism import Mechanism
    from dalembert.model.system import System
    from dalembert.survey.check import Check
    from dalembert.survey.mechanism.mobility import Mobility
    from dalembert.survey.start import State

_SMALL = 30  # coordinates up to which a system is checked to be shown
_COLOURS = {"error": BAD, "warning": CAUTION, "note": GOOD}


def names_of(names: Any, most: int = 24) -> Markup:
    """List names of quantities."""
    names = list(names)
    more = [faint(f"… {len(names) - most} more")] if len(names) > most else []
    return join([*(name(each) for each in names[:most]), *more])


def values_of(given: Mapping[str, Any]) -> Markup:
    """List values by name: numbers, formulas, or none."""
    shown = []
    for key, value in list(given.items())[:ROWS]:
        text = faint("no value") if value is None else _value(value)
        shown.append(Markup(f"{name(key)} = {text}"))
    if len(given) > ROWS:
        shown.append(faint(f"… {len(given) - ROWS} more"))
    return join(shown)


def _value(value: Any) -> Markup:
    is_number = isinstance(value, (int, float)) or value.is_Number
    return number(float(value)) if is_number else formula(value)


def _checked(system: System) -> Check | None:
    """Check a system that is small enough for it to be done on the way."""
    return system.check() if len(system.coordinates) <= _SMALL else None


def _facts(rows: list[tuple[str, Markup]]) -> Markup:
    return table((), [(faint(title), value) for title, value in rows if value])


# --- systems ---------------------------------------------------------------------------------------------------------


def system_html(system: System) -> str:
    """Show what a system consists of, its constraints with their classes, and its freedom."""
    found = _checked(system)
    what = [counted(len(system.coordinates), "coordinate"), counted(len(system.constraints), "constraint")]
    rows = [
        ("coordinates", names_of(system.coordinates)),
        *_energies(system),
        ("forces", values_of(system.forces)),
        *_values(system),
    ]
    return whole(
        system.name or "A system",
        ", ".join(what + _freedom(found)),
        _facts(rows),
        _constraints(system, list(system.constraints), found),
        _problems(found),
    )


def _energies(system: System) -> list[tuple[str, Markup]]:
    rows = []
    for title, letter, expr in (("kinetic energy", "T", system.kinetic), ("potential energy", "V", system.potential)):
        if expr is not None and expr != 0:
            rows.append((title, Markup(f"<i>{letter}</i> = {formula(expr, system.parameters)}")))
    if system.mass is not None:
        rows.append(("given by", Markup("mass matrix <i>M</i> and forces <i>f</i>")))
    return rows


def _values(system: System) -> list[tuple[str, Markup]]:
    return [
        ("parameters", values_of(system.parameters)),
        ("initial values", values_of(system.initial)),
    ]


def _freedom(found: Check | None) -> list[str]:
    if found is None or found.degrees_of_freedom is None:
        return []
    return [counted(found.degrees_of_freedom, "degree") + " of freedom"]


def _constraints(system: System, constraints: list[Constraint], found: Check | None) -> Markup:
    from dalembert.survey.check import describe_class

    rows = []
    for constraint in constraints[:ROWS]:
        kind = {"level": constraint.level, "linear": constraint.linear, "time": constraint.time, "integrable": None}
        if found is not None:
            kind = found.classes.get(constraint.name, kind)
        rows.append((constraint.name, equation(constraint.expression, system.parameters), describe_class(kind)))
    return table(("constraint", "", "is a condition"), rows, len(constraints))


def _problems(found: Check | None) -> Markup:
    if found is None:
        return line(faint("freedom and redundancy: "), words("`check()`"))
    return join((_problem(problem) for problem in found.problems), "")


def _problem(problem: Any) -> Markup:
    place = f" (line {problem.line})" if problem.line is not None else ""
    return line(coloured(problem.severity, _COLOURS.get(problem.severity, CAUTION)), ": ", words(problem.text + place))


# --- mechanisms ------------------------------------------------------------------------------------------------------


def mechanism_html(mechanism: Mechanism) -> str:
    """Show bodies, joints, drives and force elements of a mechanism, and its freedom."""
    found = _checked(mechanism)
    bodies = [body for body in mechanism.bodies.values() if body.name != GROUND]
    what = [
        counted(len(bodies), "body", "bodies"),
        counted(len(mechanism.joints), "joint"),
        counted(len(mechanism.coordinates), "coordinate"),
        counted(len(mechanism.constraints), "condition"),
        *_freedom(found),
    ]
    added = [c for c in mechanism.constraints if mechanism.owners[c.name][0] == "constraints"]
    return whole(
        mechanism.name or "A mechanism",
        f"{'in the plane' if mechanism.dimensions == 2 else 'in space'}: {', '.join(what)}",
        table(("body", "mass", "coordinates"), [_body(body, mechanism.parameters) for body in bodies]),
        table(("joint", "kind", "between", "conditions"), [_joint(joint) for joint in mechanism.joints.values()]),
        table(("drive", "of joint", ""), [_drive(drive) for drive in mechanism.drives.values()]),
        _facts([*_elements(mechanism), *_values(mechanism)]),
        _constraints(mechanism, added, found),
        _problems(found),
    )


def _body(body: Any, parameters: Any) -> tuple[Any, ...]:
    return body.name, formula(body.mass, parameters) if body.mass != 0 else "", names_of(body.coordinates)


def _joint(joint: Any) -> tuple[Any, ...]:
    conditions = ", ".join(key.rpartition(".")[2] for key in joint.conditions)
    return joint.name, joint.kind.replace("_", " "), " and ".join(joint.bodies), conditions


def _drive(drive: Any) -> tuple[Any, ...]:
    return drive.name, drive.joint, Markup(f"{escape(drive.kind)} = {formula(drive.motion)}")


def _elements(mechanism: Mechanism) -> list[tuple[str, Markup]]:
    return [(section, escape(", ".join(parts))) for section, parts in mechanism.elements.items()]


# --- what is found out -----------------------------------------------------------------------------------------------


def check_html(check: Check) -> str:
    """Show freedom, classes and problems."""
    from dalembert.survey.check import describe_class

    what = [counted(len(check.system.coordinates), "coordinate"), counted(len(check.system.constraints), "constraint")]
    if check.rank is not None:
        what[-1] += f" of rank {check.rank}"
    verdict = coloured("fine", GOOD) if check.ok else coloured("contradicts itself", BAD)
    rows = [(key, describe_class(kind)) for key, kind in check.classes.items()]
    return whole(
        check.system.name or "A system",
        Markup(faint("checked: ") + verdict),
        line(", ".join(what + _freedom(check))),
        table(("constraint", "is a condition"), rows),
        _problems(check),
    )


def state_html(state: State) -> str:
    """Show positions and velocities."""
    rows = [(name(key), number(q), number(v)) for key, q, v in zip(state.names, state.q, state.v, strict=True)]
    return whole(
        "State", f"at t = {state.t:g}", table(("coordinate", "position", "velocity"), rows), notes(state.notes)
    )


def mobility_html(mobility: Mobility) -> str:
    """Show how the freedom was counted, and why it is another."""
    rows = [
        ("true", bold(mobility.freedom), "from the rank of the conditions"),
        ("counted", mobility.count, f"{mobility.terms} = {mobility.count}"),
    ]
    if mobility.here != mobility.freedom:
        rows.append(("in the assembled position", mobility.here, ""))
    return whole("Mobility", mobility.freedom, table((), rows), notes(mobility.reasons, "why"))


def constraint_html(constraint: Constraint) -> str:
    """Show a constraint as an equation."""
    from dalembert.survey.check import describe_class

    kind = {"level": constraint.level, "linear": constraint.linear, "time": constraint.time, "integrable": None}
    return whole(constraint.name, describe_class(kind), line(equation(constraint.expression)))
