"""Model files: TOML in; `writing.py` has them out. Every mistake is answered with file, line, column and what to do."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

from dalembert.arguments import shown
from dalembert.errors import ModelError, Problem, nearest
from dalembert.files import as_path, read, write
from dalembert.language.parser import MAX_LENGTH
from dalembert.model.mechanism.assembly import sections
from dalembert.model.mechanism.elements.base import ELEMENTS, TAKEN
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tree import COORDINATES
from dalembert.model.sections import SECTIONS
from dalembert.model.settings import Settings
from dalembert.model.system import System
from dalembert.model.tomlscan import MAX_BYTES, Index, Source, quote, scan
from dalembert.model.writing import FORMAT, NO_VALUE, to_toml

MAX_PROBLEMS = 100  # reported of one file
TABLES = ("energy", "matrices", "forces", "constraints", "initial", "guess", "simulate", "draw")
PARTS = {
    "mechanism": ("dimensions", "gravity", "coordinates", "tree"),
    "energy": ("kinetic", "potential", *(one.place[1] for one in SECTIONS.values() if one.place[:1] == ("energy",))),
    "matrices": ("mass", "force"),
}


def _homes() -> dict[str, Iterable[str]]:
    """Return what stands in sections, and is often written at the top."""
    return {**PARTS, "simulate": [one.name for one in fields(Settings)]}


def further() -> dict[str, None]:
    """Return the tables of `model/sections`, each in one file there."""
    return dict.fromkeys(section.path[0] for section in SECTIONS.values() if not section.place)


def mechanical() -> tuple[str, ...]:
    """Return the tables of a mechanism."""
    return ("mechanism", *sections())


def tables() -> tuple[str, ...]:
    """Return all tables that a file may have."""
    return tuple(dict.fromkeys(("parameters", "define", *mechanical(), *TABLES[:4], *further(), *TABLES[4:])))


def top() -> tuple[str, ...]:
    """Return what may stand at the top of a file."""
    return ("format", "name", "coordinates", *tables())


def load(path: str | Path) -> System:
    """Read a system from a model file."""
    path = as_path(path)
    try:
        data = read(path, MAX_BYTES + 1)
    except OSError as error:
        reason = {
            FileNotFoundError: "there is no such file",
            IsADirectoryError: "it is a folder, not a model file",
        }
        kind = IsADirectoryError if os.path.isdir(path) else type(error)  # Windows refuses a folder otherwise
        raise ModelError(Problem(reason.get(kind, error.strerror or str(error)), file=str(path))) from None
    return _read(decoded(data, str(path)), str(path), path.parent)


def decoded(data: bytes, file: str) -> str:
    """Return the text of a model file."""
    if len(data) > MAX_BYTES:
        raise ModelError(Problem(f"model files have at most {MAX_BYTES:,} bytes; this one is larger", file=file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ModelError(Problem("not UTF-8 text; save the file in that encoding", file=file, line=line)) from None


def loads(text: str, file: str = "<text>") -> System:
    """Read a system from the text of a model file."""
    if not isinstance(text, str):
        raise ModelError(f"the text of a model file is expected, got {shown(text)}; `load` reads a file")
    return _read(text, str(file), None)


def _read(text: str, file: str, folder: Path | None) -> System:
    """Read a text; files that it names are looked for in a folder."""
    if len(text) > MAX_BYTES:
        raise ModelError(Problem(f"the text has {len(text):,} characters; at most {MAX_BYTES:,} are read", file=file))
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ModelError(Problem("half of a surrogate pair, which is no character", file=file, line=line)) from None
    index = scan(text, file)
    return _build(_parse_toml(text, file), Source(file, index.lines, folder), index)


def save(system: System, path: str | Path) -> None:
    """Write a system as a model file; the file appears whole or not at all."""
    try:
        data = to_toml(system).encode()
    except UnicodeEncodeError:
        raise ModelError(Problem("the name holds half of a surrogate pair, which is no character")) from None
    if len(data) > MAX_BYTES or max(map(len, data.split(b"\n"))) > MAX_LENGTH:
        text = f"too large for a model file: at most {MAX_BYTES:,} bytes, {MAX_LENGTH:,} in an expression, can be read"
        raise ModelError(Problem(text, file=str(path)))
    write(path, lambda file: file.write(data))


# --- reading ---------------------------------------------------------------------------------------------------------


def _parse_toml(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r"\(at line (\d+), column (\d+)\)", message)
        line, column = (int(place[1]), int(place[2])) if place else (text.count("\n") + 1, None)
        what = _explain(message.rpartition(" (at ")[0], text.split("\n")[line - 1].strip())
        raise ModelError(Problem(f"not valid TOML: {what}", file=file, line=line, column=column)) from None
    except (ValueError, RecursionError) as error:
        raise ModelError(Problem(f"not valid TOML: {str(error)[:100]}", file=file)) from None


def _explain(message: str, source: str) -> str:
    """Say what is wrong with a line that is not TOML, and guess what was meant."""
    key, equals, value = (part.strip() for part in source[:200].partition("="))
    if message.startswith(("Cannot", "Duplicate")):
        return f"{key} is there twice, or contradicts what is above it"
    if re.match(r"\w+'", key):
        return f'{message}; a key with a prime is quoted: "phi\'" = 0'
    if value.startswith("'") and value.count("'") > 2:
        return f'{message}; text with primes stands in double quotes: "x\' = 0"'
    if number := re.match(r"([-+]?\d[\d_.]*(?:e[-+]?\d+)?)\s*[A-Za-z°%µ]", value):
        return f"{message}; a number stands alone, without its unit: {key} = {number[1]}"
    if equals and value and not re.match(r"[\"'\[{]|[-+]?\d[-+\d_.:eETZ]*$", value):
        return f'{message}; expressions stand in quotes: x = "l*sin(phi)"'
    return message


def _build(data: dict[str, Any], source: Source, index: Index) -> System:
    file = source.file
    problems = [*islice(_check_shape(data), MAX_PROBLEMS)]
    system = None
    energy, matrices = _entries(data, "energy"), _entries(data, "matrices")
    parts: dict[str, Any] = {
        "name": data["name"] if isinstance(data.get("name"), str) else "",
        "coordinates": data["coordinates"] if isinstance(data.get("coordinates"), list) else [],
        "parameters": _parameters(data),
        "kinetic": energy.get("kinetic"),
        "potential": energy.get("potential"),
        "forces": _entries(data, "forces"),
        "constraints": _entries(data, "constraints"),
        "initial": _entries(data, "initial"),
        "guess": _entries(data, "guess"),
        "simulation": _entries(data, "simulate"),
        "drawing": _drawing(data) or None,
        "source": source,
    }
    is_mechanism = _is_mechanism(data)
    for name, section in SECTIONS.items():
        if section.mechanical or not is_mechanism:
            value = _at(data, section.path)
            parts[name] = _entries(data, name) if isinstance(value, dict) else value
    try:
        if is_mechanism:
            elements = {section: _section_of(data, section) for section in sections()}
            said = {key: value for key, value in _entries(data, "mechanism").items() if key in PARTS["mechanism"]}
            elements |= {"by" if key == "coordinates" else key: value for key, value in said.items()}
            system = Mechanism(**elements, **parts)
        else:
            system = System(**parts, mass=matrices.get("mass"), force=matrices.get("force"))
    except ModelError as error:
        known = {problem.key for problem in problems}
        if any(key[0] == "matrices" for key in known):
            known |= {("matrices",), ("energy",)}  # the other one, or the energy, is not what is missing
        problems += [problem for problem in error.problems if problem.key not in known]
    if problems or system is None:
        placed = [_place(problem, index, file) for problem in problems]
        placed.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
        if len(placed) > MAX_PROBLEMS:
            placed[MAX_PROBLEMS:] = [Problem(f"… and {len(placed) - MAX_PROBLEMS} more", file=file)]
        raise ModelError(placed)
    return system


def _is_mechanism(data: dict[str, Any]) -> bool:
    both = [name for name, section in SECTIONS.items() if not section.mechanical]  # [loads.*] are in models of any kind
    return any(section in data for section in mechanical() if section not in both)


# --- types: only what has the right one is handed on; SymPy would evaluate text that hides in a list ------------------


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(_is_scalar(item) for item in value)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(_is_list(item) for item in value)


def _is_gain(value: Any) -> bool:
    return _is_scalar(value) or _is_list(value) or _is_table(value)


_SCALAR = (_is_scalar, "a number or an expression in quotes")
_NAMES = (_is_table, 'a list of lists, as in [["A", "B"]]')
_ANY = (lambda value: True, "")  # known entries are listed below, others are reported by their names
_TYPES = {
    "define": (_is_text, "an expression in quotes"),
    "constraints": (_is_text, "an equation in quotes"),
    "matrices": _ANY,
    ("matrices", "mass"): (_is_table, 'a list of rows, as in [["m", 0], [0, "m"]]'),
    ("matrices", "force"): (_is_list, 'a list, as in ["-k*x", 0]'),
    ("simulate", "gains"): (
        lambda value: isinstance(value, dict) and all(map(_is_gain, value.values())),
        "a table of gains, as in { kappa = -5 } or { alpha = [5, 7], beta = [5, 7] }",
    ),
    ("simulate", "coordinates"): (
        lambda value: _is_text(value) or (isinstance(value, list) and all(map(_is_text, value))),
        'names, as in "phi" or ["x", "phi"]',
    ),
    "draw": _ANY,
    ("draw", "points"): (lambda value: isinstance(value, dict), "a section [draw.points]"),
    ("draw", "lines"): _NAMES,
    ("draw", "springs"): _NAMES,
    ("draw", "dampers"): _NAMES,
    ("draw", "circles"): (_is_table, 'a list of centres and radii, as in [["A", "r"]]'),
    "draw.points": (_is_list, 'a list of coordinates, as in ["x", "y"]'),
}


def _expected(section: str, key: str) -> tuple[Any, str]:
    own = section in ELEMENTS or section in TAKEN or section in further()  # checked where it is read, under its key
    return _TYPES.get((section, key)) or _TYPES.get(section, _ANY if own else _SCALAR)


def _section_of(data: Any, *path: str) -> dict[str, Any]:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _at(data: Any, path: tuple[str, ...]) -> Any:
    """Return what stands at a place of a file; None of nothing."""
    return _section_of(data, *path[:-1]).get(path[-1])


def _entries(data: dict[str, Any], section: str) -> dict[str, Any]:
    """Return the entries of a section that have the right type."""
    entries = _section_of(data, *section.split("."))
    return {key: value for key, value in entries.items() if _expected(section, key)[0](value)}


def _parameters(data: dict[str, Any]) -> dict[str, Any]:
    """Return values by name; None also where the type is wrong, so that the name is known elsewhere."""
    values = _entries(data, "parameters")
    return {key: values.get(key) if values.get(key) != NO_VALUE else None for key in _section_of(data, "parameters")}


def _drawing(data: dict[str, Any]) -> dict[str, Any]:
    parts = _entries(data, "draw") | {"points": _entries(data, "draw.points")}
    return {name: part for name, part in parts.items() if part not in ([], {})}


def _check_shape(data: dict[str, Any]) -> Iterable[Problem]:
    """Find stray sections, missing entries and wrong types; what is inside expressions is read later."""
    for name, value in data.items():
        if name not in top():
            what = "section" if isinstance(value, dict) else "entry"
            home = next((section for section, parts in _homes().items() if name in parts), None)
            hint = f"`{name}` stands in [{home}]" if home else nearest(name, top(), "a model file has")
            yield Problem(f"unknown {what}; {hint}", key=(name,))
        elif name in tables() and not isinstance(value, dict):
            yield Problem(f"expected a section [{name}], got {_type(value)}", key=(name,))
        elif name in PARTS:
            for part in value:
                if part not in PARTS[name]:
                    yield Problem(
                        f"unknown entry in [{name}]; {nearest(part, PARTS[name], 'it has')}", key=(name, part)
                    )
    if data.get("format") != FORMAT or isinstance(data.get("format"), bool):
        got = f"got {str(data['format'])[:40]!r}" if "format" in data else "it is missing"
        yield Problem(f"expected `format = {FORMAT}` at the top; {got}", key=("format",))
    if "name" in data and not isinstance(data["name"], str):
        yield Problem(f"the name is a text in quotes, got {_type(data['name'])}", key=("name",))
    if _is_mechanism(data) and "matrices" in data:
        yield Problem("bodies and matrices cannot be combined; add to a mechanism by energies", key=("matrices",))
    coordinates = data.get("coordinates", [] if _is_mechanism(data) else None)
    if not isinstance(coordinates, list):
        got = f"got {_type(coordinates)}" if "coordinates" in data else "it is missing"
        if coordinates in COORDINATES:
            got += f"; which coordinates a mechanism has is said in [mechanism]: coordinates = {quote(coordinates)}"
        yield Problem(f'expected a list of names, as in coordinates = ["x", "phi"]; {got}', key=("coordinates",))
    for section in (*tables(), "draw.points"):
        path = tuple(section.split("."))
        for key, value in _section_of(data, *path).items():
            fits, what = _expected(section, key)
            if not fits(value):
                other = " of something else" if isinstance(value, list) and "list" in what else ""
                text = f"expected {what}, got {_type(value)}{other}"
                if isinstance(value, dict) and section not in PARTS:
                    text += "; a key with a point or a prime is quoted"
                yield Problem(text, key=(*path, key))


def _type(value: Any) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "a section",
    }
    return names.get(type(value), "a date or time")


def _place(problem: Problem, index: Index, file: str) -> Problem:
    """Give a problem its line and column in the file."""
    key = problem.key
    while key and key not in index.lines:
        key = key[:-1]
    start = index.columns.get(problem.key)
    column = start + problem.column - 1 if start is not None and problem.column is not None else None
    return replace(problem, file=file, line=index.lines.get(key, 1), column=column)
