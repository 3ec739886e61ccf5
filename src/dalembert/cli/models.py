"""From what stands on a command line to a model, and to the names of files."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dalembert.cli.options import COORDINATES, finite, one_of
from dalembert.errors import ModelError
from dalembert.files import check_place

if TYPE_CHECKING:
    from dalembert.model.system import System

STANDARD_INPUT = "-"


def open_model(
    name: str,
    settings: Sequence[str] | None = None,
    initial: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    functions: Sequence[str] | None = None,
    controls: Sequence[str] | None = None,
    by: str | None = None,
) -> System:
    """Load a file or a gallery model, and change what options say of it."""
    from dalembert.model.gallery import names
    from dalembert.model.textfile import MAX_BYTES, decoded, load, loads

    if not name:
        raise ModelError("MODEL is empty; give a model file or a name from `dalembert examples`")
    if name == STANDARD_INPUT:
        system = loads(decoded(_standard_input(MAX_BYTES + 1), "<input>"), "<input>")
    else:
        is_file = name.endswith(".toml") or "/" in name or "\\" in name or (_exists(name) and name not in names())
        system = load(name) if is_file else _gallery(name)
    if by is not None:
        one_of("--by", by, COORDINATES)
        if not hasattr(system, "joints"):
            raise ModelError("`--by` chooses coordinates of a mechanism; this model has no bodies and joints")
        system = system.replace(by=by)
    values = _pairs("--set", settings, "l=2")
    changes = {
        "parameters": {name: finite(f"--set {name}=", text) for name, text in values.items()},
        "initial": _pairs("--initial", initial, "phi=1"),
        "outputs": _pairs("--outputs", outputs, '"tip=x+l*sin(phi)"'),
    }
    changes = {part: given for part, given in changes.items() if given}
    system = system.replace(**changes) if changes else system
    if functions:
        from dalembert.model.sections.functions import with_functions

        system = with_functions(system, _pairs("--functions", functions, '"F=sin(3*t)"'))
    if controls:
        from dalembert.model.sections.controls import with_laws

        system, _ = with_laws(system, _pairs("--controls", controls, '"u=-k*x"'))
    return system


def _standard_input(most: int) -> bytes:
    if sys.stdin is None:
        raise ModelError("the model is to come from standard input, which is closed; give a file instead of -")
    if sys.stdin.isatty():
        typer.echo("reading the model from this terminal; Ctrl-D on a line of its own ends it", err=True)
    return sys.stdin.buffer.read(most)


def _gallery(name: str) -> System:
    """Return a model of the gallery; say what else a name could have been."""
    from dalembert.model.gallery import example, names

    base = name.partition(":")[0]
    if base not in names() and not difflib.get_close_matches(base[:60], names()):
        raise ModelError(f"no model `{name}`: there is no such file, and `dalembert examples` lists none of that name")
    return example(name)


def _exists(name: str) -> bool:
    try:
        return os.path.exists(name)
    except ValueError:  # a null character
        return False


def _pairs(option: str, given: Sequence[str] | None, example: str) -> dict[str, str]:
    changes = {}
    for pair in given or ():
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not name or not value:
            raise ModelError(f"{option} takes NAME=VALUE, as in {option} {example}; got {pair[:60]!r}")
        if changes.setdefault(name, value) != value:
            raise ModelError(
                f"{option} gives `{name[:60]}` two values, {changes[name][:60]} and {value[:60]}; give one"
            )
    return changes


def stem(model: str) -> str:
    """Return the name for files that belong to a model, fit for every system of files.

    >>> stem("n-four-bar:40"), stem("models/crane.toml")
    ('n-four-bar-40', 'crane')
    """
    name = "model" if model == STANDARD_INPUT else Path(model).name.removesuffix(".toml")
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "model"


def output(option: str, name: str | None, endings: Sequence[str]) -> Path | None:
    """Return the file to write, if one is asked for; refuse what cannot be written, before anything is computed."""
    if name is None:
        return None
    path = Path(name)
    if path.suffix.lower() not in endings:
        known = ", ".join(endings[:-1]) + " or " * (len(endings) > 1) + endings[-1]
        raise ModelError(f"`{option}` takes a file that ends in {known}; got {name[:200]!r}")
    try:
        check_place(path)
    except ModelError as error:
        raise ModelError(f"`{option}`: {error}") from None
    return path


def refuse_overwriting(path: Path, force: bool) -> None:
    """Keep a file that is there, unless it is said to be written over."""
    if path.exists() and not force:
        raise ModelError(f"{str(path)!r} is there already; `--force` writes over it, another name keeps it")
