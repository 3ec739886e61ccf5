"""Read what the equations come from: energies or matrices, forces, constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dalembert.language.building import Expr
from dalembert.language.state_names import is_integral
from dalembert.language.tokens import NAME
from dalembert.model.constraint import Constraint
from dalembert.model.first_order import refuse_states
from dalembert.model.tomlscan import MAX_NAME

if TYPE_CHECKING:
    from dalembert.model.given import Given
    from dalembert.model.reading import Reader
    from dalembert.model.stated import Stated


def expressions(system: Stated) -> Iterator[Expr]:
    """Return all that the equations of a system are made of."""
    yield from (part for part in (system.kinetic, system.potential) if part is not None)
    if system.kinetic is None:
        yield from (entry for row in system.mass or () for entry in row)
        yield from system.force or ()
    yield from system.forces.values()
    yield from (constraint.expression for constraint in system.constraints)


def read_energy(reader: Reader, value: Any, name: str) -> Expr | None:
    """Read the kinetic or the potential energy."""
    if value is None:
        return None
    key, why = ("energy", name), f"the {name} energy depends on accelerations"
    forbidden = {name: None for name in reader.accelerations if not is_integral(name)}
    if name == "potential":
        why = "the potential energy depends on velocities or accelerations; put such forces into `forces`"
        forbidden |= {name: None for name in reader.velocities if not is_integral(name)}
    energy = reader.expression(value, key, forbidden, why)
    refuse_states(reader, energy, key, "a state has no energy; write the forces that depend on it into `forces`")
    return energy


def read_matrices(reader: Reader, given: Given) -> dict[str, Any]:
    """Read the mass matrix and the force, given instead of energies."""
    n = len(reader.coordinates) - len(reader.states)
    if given.mass is None and given.force is None:
        if given.kinetic is None:
            reader.problem("no inertia: give the kinetic energy, or the matrices `mass` and `force`", "energy")
        return {"mass": None, "force": None}
    if given.kinetic is not None or given.potential is not None:
        reader.problem("energies and matrices are both given; use one of them", "matrices")
    if given.mass is None or given.force is None:
        missing = "mass" if given.mass is None else "force"
        reader.problem(f"`mass` and `force` go together; `{missing}` is missing", "matrices")
        return {"mass": None, "force": None}
    rows, force = _as_list(given.mass), _as_list(given.force)
    force = [entry[0] if isinstance(entry, (list, tuple)) and len(entry) == 1 else entry for entry in force]
    key = ("matrices", "mass")
    if len(rows) != n or any(not isinstance(row, (list, tuple)) or len(row) != n for row in rows):
        reader.problem(f"the mass matrix must have {n} rows of {n} entries, one per coordinate", *key)
        rows = []
    if len(force) != n:
        reader.problem(f"the force needs {n} entries, one per coordinate; got {len(force)}", "matrices", "force")
    why = "the mass matrix depends on accelerations; it may depend on coordinates, velocities and time"
    mass = tuple(tuple(reader.expression(entry, key, reader.accelerations, why) for entry in row) for row in rows)
    why = "a force depends on accelerations; bring them to the mass matrix"
    key = ("matrices", "force")
    return {
        "mass": mass,
        "force": tuple(reader.acting.read(entry, key, why) for entry in force),
    }


def read_forces(reader: Reader, given: Mapping[Any, Any]) -> Mapping[str, Expr]:
    """Read forces by coordinate."""
    result, known = {}, [name for name in (*reader.coordinates, *reader.aliases) if not is_integral(name)]
    for key, value in dict(given).items():
        name = reader.name_of(key, "forces")
        if name not in known:
            reader.problem(f"a force on `{name}`, which is no coordinate{reader.hint(name, known)}", "forces", name)
        result[name] = reader.acting.read(value, ("forces", name))
    return MappingProxyType(result)


def read_constraints(reader: Reader, given: Any) -> tuple[Constraint, ...]:
    """Read constraints by name, or a list of them."""
    if isinstance(given, Mapping):
        items = list(given.items())
    else:
        items = [(c.name, c.expression) if isinstance(c, Constraint) else (f"c{i}", c) for i, c in enumerate(given, 1)]
    result = []
    coordinates = frozenset((*reader.coordinates, *reader.aliases))
    for name, value in items:
        name, key = str(name), ("constraints", str(name))
        if len(name) > MAX_NAME:
            text = f"a name of {len(name)} characters; at most {MAX_NAME} are read"
            reader.problem(f"constraint `{name[:40]}…`: {text}", "constraints")
        elif not all(NAME.fullmatch(part) for part in name.split(".")):
            reader.problem(f"constraint {name!r}: a name is letters, digits and _, parts joined by points", *key)
        expression = reader.attempt(key, lambda value=value: reader.translate(value, equation=True))
        if expression is not None:
            advice = "a state in a constraint, which would move it; let a force follow the state instead"
            refuse_states(reader, expression, key, advice)
            read = reader.attempt(key, lambda n=name, e=expression: Constraint.read(n, e, coordinates))
            result.append(read)
    return tuple(constraint for constraint in result if constraint is not None)


def _as_list(value: Any) -> list[Any]:
    value = value.tolist() if hasattr(value, "tolist") else value
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []
