"""From what stands on a command line to a model, and to the names of files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.errors import ModelError
from dalembert.files import check_place

if TYPE_CHECKING:
    from dalembert.model.system import System

STANDARD_INPUT = "-"


def open_model(name: str, settings: Sequence[str] | None = None, initial: Sequence[str] | None = None) -> System:
    """Load a file or a gallery model, with parameters and initial values changed."""
    from dalembert.model.gallery import example, names
    from dalembert.model.textfile import MAX_BYTES, decoded, load, loads

    if not name:
        raise ModelError("MODEL is empty; give a model file or a name from `dalembert examples`")
    if name == STANDARD_INPUT:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        system = loads(decoded(data, "<input>"), "<input>")
    else:
        is_file = name.endswith(".toml") or "/" in name or "\\" in name or (_exists(name) and name not in names())
        system = load(name) if is_file else example(name)
    changes = {"parameters": _pairs("--set", settings, "l=2"), "initial": _pairs("--initial", initial, "phi=1")}
    changes = {part: values for part, values in changes.items() if values}
    return system.replace(**changes) if changes else system


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
        changes[name] = value
    return changes


def stem(model: str) -> str:
    """Return the name for files that belong to a model, fit for every system of files.

    >>> stem("n-four-bar:40"), stem("models/crane.toml")
    ('n-four-bar-40', 'crane')
    """
    name = "model" if model == STANDARD_INPUT else Path(model).name.removesuffix(".toml")
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "model"


def check_output(option: str, path: Path | None, endings: Sequence[str] = ()) -> None:
    """Refuse a file that cannot be written, before anything is computed."""
    if path is None:
        return
    if endings and path.suffix.lower() not in endings:
        raise ModelError(f"`{option}` writes {', '.join(endings)}; got {str(path)!r}")
    try:
        check_place(path)
    except ModelError as error:
        raise ModelError(f"`{option}`: {error}") from None
