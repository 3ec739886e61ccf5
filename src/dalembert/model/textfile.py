"""Model files: TOML in and out. Every mistake is answered with file, line, column and what to do."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dalembert.errors import ModelError, Problem, nearest
from dalembert.model.printing import to_text
from dalembert.model.system import Source, System
from dalembert.model.tomlscan import MAX_BYTES, Index, scan

FORMAT = 1
NO_VALUE = "?"  # a parameter without a value
TABLES = (
    "parameters",
    "define",
    "energy",
    "matrices",
    "forces",
    "constraints",
    "initial",
    "guess",
    "simulate",
    "draw",
)
PARTS = {"energy": ("kinetic", "potential"), "matrices": ("mass", "force")}
TOP = ("format", "name", "coordinates", *TABLES)


def load(path: str | Path) -> System:
    """Read a system from a model file."""
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ModelError(
                Problem(f"the file has {size:,} bytes; model files have at most {MAX_BYTES:,}", file=str(path))
            )
        data = path.read_bytes()
    except OSError as error:
        reason = {
            FileNotFoundError: "there is no such file",
            IsADirectoryError: "it is a folder, not a model file",
        }
        raise ModelError(Problem(reason.get(type(error), error.strerror or str(error)), file=str(path))) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ModelError(Problem("not UTF-8 text; save the file in that encoding", file=str(path), line=line)) from None
    return loads(text, str(path))


def loads(text: str, file: str = "<text>") -> System:
    """Read a system from the text of a model file."""
    if len(text) > MAX_BYTES:
        raise ModelError(Problem(f"the text has {len(text):,} characters; at most {MAX_BYTES:,} are read", file=file))
    text = text.replace("\r\n", "\n")
    index = scan(text, file)
    return _build(_parse_toml(text, file), index, file)


def save(system: System, path: str | Path) -> None:
    """Write a system as a model file; the file appears whole or not at all."""
    path = Path(path)
    text = to_toml(system)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise ModelError(Problem(f"cannot write: {error.strerror or error}", file=str(path))) from None


# --- reading ---------------------------------------------------------------------------------------------------------


def _parse_toml(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r"\(at line (\d+), column (\d+)\)", message)
        line, column = (int(place[1]), int(place[2])) if place else (text.count("\n") + 1, None)
        what = re.sub(r"\s*\(at [^)]*\)", "", message)
        raise ModelError(
            Problem(f"not valid TOML: {what}{_advice(text, line)}", file=file, line=line, column=column)
        ) from None
    except (ValueError, RecursionError) as error:
        raise ModelError(Problem(f"not valid TOML: {str(error)[:100]}", file=file)) from None


def _advice(text: str, line: int) -> str:
    """Guess what went wrong on a line that is not TOML."""
    lines = text.split("\n")
    source = lines[line - 1].strip() if line <= len(lines) else ""
    if re.match(r"\w+'", source):
        return '; a key with a prime is quoted: "phi\'" = 0'
    if re.match(r"[\w\"'.-]+\s*=\s*[^\"'\[{]*[^\d\s._eE+-]", source):
        return '; expressions stand in quotes: x = "l*sin(phi)"'
    if re.match(r"[\w\"'.-]+\s*=", source):
        return "; is this entry, or its section, there twice?"
    return ""


def _build(data: dict[str, Any], index: Index, file: str) -> System:
    problems = [*_check_shape(data)]
    system = None
    try:
        system = System(
            name=data["name"] if isinstance(data.get("name"), str) else "",
            coordinates=_names(data.get("coordinates")),
            define=_table(data, "define"),
            parameters=_parameters(data.get("parameters")),
            kinetic=_table(data, "energy").get("kinetic"),
            potential=_table(data, "energy").get("potential"),
            mass=_table(data, "matrices").get("mass"),
            force=_table(data, "matrices").get("force"),
            forces=_table(data, "forces"),
            constraints={k: v for k, v in _table(data, "constraints").items() if isinstance(v, str)},
            initial=_table(data, "initial"),
            guess=_table(data, "guess"),
            simulation=_table(data, "simulate"),
            drawing=_table(data, "draw") or None,
            source=Source(file, index.lines),
        )
    except ModelError as error:
        problems += error.problems
    if problems or system is None:
        placed = [_place(problem, index, file) for problem in problems]
        raise ModelError(sorted(placed, key=lambda problem: (problem.line or 0, problem.column or 0)))
    return system


def _check_shape(data: dict[str, Any]) -> Iterable[Problem]:
    """Find stray sections, missing entries and wrong types; what is inside expressions is read later."""
    for name, value in data.items():
        if name not in TOP:
            what = "section" if isinstance(value, dict) else "entry"
            yield Problem(f"unknown {what}; {nearest(name, TOP, 'a model file has')}", key=(name,))
        elif name in TABLES and not isinstance(value, dict):
            yield Problem(f"expected a section [{name}], got {_type(value)}", key=(name,))
        elif name in PARTS:
            for part in value:
                if part not in PARTS[name]:
                    yield Problem(
                        f"unknown entry in [{name}]; {nearest(part, PARTS[name], 'it has')}", key=(name, part)
                    )
    if data.get("format") != FORMAT or isinstance(data.get("format"), bool):
        got = f"got {data['format']!r}" if "format" in data else "it is missing"
        yield Problem(f"expected `format = {FORMAT}` at the top; {got}", key=("format",))
    if "name" in data and not isinstance(data["name"], str):
        yield Problem(f"the name is a text in quotes, got {_type(data['name'])}", key=("name",))
    coordinates = data.get("coordinates")
    if not isinstance(coordinates, list):
        got = f"got {_type(coordinates)}" if "coordinates" in data else "it is missing"
        yield Problem(f'expected a list of names, as in coordinates = ["x", "phi"]; {got}', key=("coordinates",))
    for name in ("parameters", "define", "energy", "forces", "constraints", "initial", "guess", "simulate"):
        for key, value in _table(data, name).items():
            wanted = (str,) if name in ("define", "constraints") else (str, int, float)
            if not isinstance(value, wanted) or isinstance(value, bool):
                expected = {"define": "an expression in quotes", "constraints": "an equation in quotes"}
                text = f"expected {expected.get(name, 'a number or an expression in quotes')}, got {_type(value)}"
                if isinstance(value, dict) and name in ("initial", "guess", "parameters", "constraints"):
                    text += "; a key with a point or a prime is quoted"
                yield Problem(text, key=(name, key))


def _table(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name, {})
    if not isinstance(value, dict):
        return {}
    if name in ("matrices", "draw"):
        return value
    return {k: v for k, v in value.items() if isinstance(v, (str, int, float)) and not isinstance(v, bool)}


def _parameters(table: Any) -> dict[str, Any]:
    """Return values by name; None also where the type is wrong, so that the name is known elsewhere."""
    table = table if isinstance(table, dict) else {}
    return {k: v if isinstance(v, (str, int, float)) and v != NO_VALUE else None for k, v in table.items()}


def _names(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


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


# --- writing ---------------------------------------------------------------------------------------------------------


def to_toml(system: System) -> str:
    """Write a system in the format of model files."""
    lines = [f"format = {FORMAT}"]
    if system.name:
        lines.append(f"name = {_quote(system.name)}")
    lines.append(f"coordinates = [{', '.join(_quote(name) for name in system.coordinates)}]")
    section = _section(lines)
    section("parameters", {k: _quote(NO_VALUE) if v is None else repr(v) for k, v in system.parameters.items()})
    energies = {"kinetic": system.kinetic, "potential": system.potential}
    section("energy", {k: _expression(v) for k, v in energies.items() if v is not None})
    if system.mass is not None and system.force is not None:
        rows = ",\n".join("    " + _array(map(_expression, row)) for row in system.mass)
        section("matrices", {"mass": f"[\n{rows},\n]", "force": _array(map(_expression, system.force))})
    section("forces", {k: _expression(v) for k, v in system.forces.items()})
    section("constraints", {c.name: _quote(f"{to_text(c.expression)} = 0") for c in system.constraints})
    section("initial", {k: _expression(v) for k, v in system.initial.items()})
    section("guess", {k: _expression(v) for k, v in system.guess.items()})
    section("simulate", {k: _quote(v) if isinstance(v, str) else repr(v) for k, v in system.simulation.items()})
    if system.drawing is not None:
        drawing = system.drawing
        parts = {
            name: _array(_array(map(_quote, item)) for item in getattr(drawing, name)) for name in ("lines", "springs")
        }
        parts["circles"] = _array(_array([_quote(centre), _expression(radius)]) for centre, radius in drawing.circles)
        section("draw", {k: v for k, v in parts.items() if v != "[]"})
        section("draw.points", {k: _array(map(_expression, place)) for k, place in drawing.points.items()})
    return "\n".join(lines) + "\n"


def _section(lines: list[str]):
    def write(name: str, entries: Mapping[str, str]) -> None:
        if entries:
            lines.extend(["", f"[{name}]"])
            lines.extend(f"{_key(key)} = {value}" for key, value in entries.items())

    return write


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quote(name)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _array(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _expression(expr: Any) -> str:
    text = to_text(expr)
    return text if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text) else _quote(text)
