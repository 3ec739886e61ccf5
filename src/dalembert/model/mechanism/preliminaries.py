"""What was given of a mechanism, looked at before anything of it is read: names of parts, dimensions, coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dalembert.errors import Problem, quoted
from dalembert.language.late_sympy import is_coordinate
from dalembert.language.tokens import NAME
from dalembert.model.given import Given
from dalembert.model.mechanism.table_reader import GROUND


def read_dimensions(tables: Mapping[str, Any], problems: list[Problem]) -> int:
    """Return 2 or 3."""
    given = tables.get("dimensions")
    if given is None or (isinstance(given, (int, float)) and given in (2, 3) and not isinstance(given, bool)):
        return int(given or 2)
    problems.append(Problem(f"expected 2 or 3, got {str(given)[:40]}", key=("mechanism", "dimensions")))
    return 2


def tables_by_name(tables: Mapping[str, Any], section: str, problems: list[Problem]) -> dict[str, Any]:
    """Return the tables of a section; none, after a report, of what has no names."""
    given = tables.get(section)
    if given is None or isinstance(given, Mapping):
        strange = [name for name in given or {} if not isinstance(name, str)]
        problems += [Problem(f"a part is named by a text, got {str(name)[:40]}", key=(section,)) for name in strange]
        return {name: table for name, table in (given or {}).items() if isinstance(name, str)}
    text = f'expected tables by name, as in {{"A": {{…}}}}, got {type(given).__name__}'
    problems.append(Problem(text, key=(section,)))
    return {}


def is_body_name(name: str, problems: list[Problem]) -> bool:
    """Tell whether it is the name of a body that moves."""
    if NAME.fullmatch(name) and len(name) < 100:
        return name != GROUND
    text = f"{name[:40]!r}: a name is letters, digits and _, and does not begin with a digit"
    problems.append(Problem(text, key=("bodies", name)))
    return False


def names_of_own(given: Any) -> list[Any]:
    """Return the coordinates that are added to those of the parts."""
    if isinstance(given, str):
        return given.replace(",", " ").split()
    return [given] if is_coordinate(given) else list(given)


def nothing_moves(bodies: Sequence[str], driven: Sequence[str]) -> str:
    """Say why there are no coordinates."""
    if not bodies:
        return "a mechanism needs at least one body besides the ground"
    if driven:
        return f"drives take the place of all coordinates ({quoted(driven[:4])}); leave `eliminate` out of one of them"
    text = "all bodies are fixed to the ground by rigid joints, so that there are no coordinates of joints"
    return f'{text}; take coordinates = "absolute" for the forces in them'


def free_names(
    tables: Mapping[str, Any], known: Iterable[str], coordinates: Iterable[Any], own: Iterable[Any], given: Given
) -> tuple[str, ...]:
    """Return names of places and of coordinates of joints that expressions may use besides the coordinates.

    Names that the user gave to something else are his.
    """
    named = [name for table in tables["joints"].values() if isinstance(table, Mapping) for name in _named(table)]
    parts = (given.sections.get(part) for part in ("define", "states", "tables", "functions", "controls"))
    taken = {
        *map(str, coordinates),
        *map(str, own),
        *map(str, given.parameters if isinstance(given.parameters, Mapping) else ()),
    }
    taken |= {str(name) for part in parts if isinstance(part, Mapping) for name in part}
    return tuple(name for name in dict.fromkeys((*known, *named)) if name not in taken and NAME.fullmatch(name))


def _named(table: Mapping[str, Any]) -> list[str]:
    """Return the names that a user gave to coordinates of a joint."""
    given = table.get("coordinates")
    names = [table.get("coordinate"), *(given.values() if isinstance(given, Mapping) else ())]
    return [name for name in names if isinstance(name, str)]
