"""Files that appear by renaming: complete or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dalembert.errors import ModelError


def check_place(path: Path) -> None:
    """Refuse a path to which no file can be written, before anything is computed."""
    if path.is_dir():
        raise ModelError(f"{str(path)!r} is a folder, not a file to write to")
    if not path.resolve().parent.is_dir():
        raise ModelError(f"there is no folder {str(path.resolve().parent)!r} to write to")


def write(path: Path, action: Callable[[Any], Any]) -> None:
    """Let an action write to a binary file that gets its name when it is complete."""
    try:
        handle, name = tempfile.mkstemp(dir=path.resolve().parent, suffix=".part")
    except OSError as error:
        raise ModelError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as file:
            action(file)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_text(path: Path, text: str) -> None:
    """Write text, with the line ends of every platform."""
    write(path, lambda file: file.write(text.encode()))
