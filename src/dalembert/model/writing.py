"""Model files out: a system as the text of one, with everything that was written and nothing that follows from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from dalembert.language.printing import to_text
from dalembert.language.state_names import as_written
from dalembert.model.drawing import Drawing
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.model.sections import SECTIONS
from dalembert.model.system import System
from dalembert.model.tomlscan import MAX_WORD, quote

FORMAT = 1
NO_VALUE = "?"  # a parameter without a value


def to_toml(system: System) -> str:
    """Write a system in the format of model files."""
    system = system.written
    names = {*system.coordinates, *system.parameters}
    write = partial(_expression, names=names)
    lines = [f"format = {FORMAT}"]
    if system.name:
        lines.append(f"name = {quote(system.name)}")
    own = system.own
    if own.coordinates or not isinstance(system, Mechanism):
        lines.append(f"coordinates = [{', '.join(quote(name) for name in own.coordinates)}]")
    entries: dict[tuple[str, ...], Mapping[str, str]] = {}
    section = entries.__setitem__
    section(("parameters",), {k: quote(NO_VALUE) if v is None else repr(v) for k, v in system.parameters.items()})
    _further(system, entries, write, early=True)
    if isinstance(system, Mechanism):
        said = {"dimensions": str(system.dimensions), "gravity": _value(system.gravity, write)}
        said |= {} if system.by == ABSOLUTE else {"coordinates": quote(system.by)}
        said |= {"tree": _value(system.tree.wanted, write)} if system.tree.wanted else {}
        section(("mechanism",), said)
        for kind, tables in system.tables.items():
            for name, table in tables.items():
                section((kind, name), {key: _value(value, write) for key, value in table.items()})
    energies = {"kinetic": own.kinetic, "potential": own.potential}
    section(("energy",), {k: write(v) for k, v in energies.items() if v is not None})
    if own.mass is not None and own.force is not None:
        rows = ",\n".join("    " + _array(map(write, row)) for row in own.mass)
        section(("matrices",), {"mass": f"[\n{rows},\n]", "force": _array(map(write, own.force))})
    section(("forces",), {k: write(v) for k, v in own.forces.items()})
    section(("constraints",), {c.name: quote(f"{to_text(c.expression, names)} = 0") for c in own.constraints})
    _further(system, entries, write, early=False)
    section(("initial",), {as_written(k): write(v) for k, v in own.initial.items()})
    section(("guess",), {k: write(v) for k, v in own.guess.items()})
    section(("simulate",), {k: _value(v, _setting) for k, v in own.simulation.items()})
    drawing = own.drawing
    if isinstance(drawing, Drawing):
        parts = {
            name: _array(_array(map(quote, item)) for item in getattr(drawing, name))
            for name in ("lines", "springs", "dampers")
        }
        parts["circles"] = _array(
            _array([quote(centre), write(radius), *map(quote, axis)]) for centre, radius, *axis in drawing.circles
        )
        section(("draw",), {k: v for k, v in parts.items() if v != "[]"})
        section(("draw", "points"), {k: _array(map(write, place)) for k, place in drawing.points.items()})
    for path, written in entries.items():
        if written or len(path) > 1:
            lines += ["", f"[{'.'.join(map(_key, path))}]"]
            lines += [f"{_key(key)} = {value}" for key, value in written.items()]
    return "\n".join(lines) + "\n"


def _further(system: System, entries: dict[tuple[str, ...], Mapping[str, str]], write: Any, early: bool) -> None:
    """Add the entries of further tables."""
    for name, kept in system.sections.items():
        if SECTIONS[name].early == early:
            for path, written in SECTIONS[name].write(kept, lambda value: _value(value, write)).items():
                entries[path] = {**entries.get(path, {}), **written}


def _value(value: Any, write: Callable[[Any], str]) -> str:
    """Write a value of a table of a mechanism: text, truth, number or expression, list, table."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(key)} = {_value(item, write)}' for key, item in value.items())}}}"
    return _array(_value(item, write) for item in value) if isinstance(value, tuple) else write(value)


def _setting(value: Any) -> str:
    """Write what a setting is made of: a number, or an expression of SymPy as text."""
    return repr(value) if isinstance(value, (int, float)) else quote(str(value).replace("**", "^"))


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quote(name)


def _array(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _expression(expr: Any, names: Collection[str]) -> str:
    text = to_text(expr, names)
    is_number = re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text) and len(text) <= MAX_WORD
    return text if is_number else quote(text)
