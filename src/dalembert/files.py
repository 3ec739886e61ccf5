"""Files that appear by renaming: complete or not at all, with the rights that any new file has."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dalembert.errors import ModelError, Problem


def check_place(path: str | Path) -> None:
    """Refuse a path to which no file can be written, before anything is computed."""
    path = Path(path)
    if "\0" in str(path):
        raise ModelError(f"{str(path)!r} cannot be the name of a file: it holds a null character")
    try:
        folder = path.absolute().parent
        if path.is_dir():
            raise ModelError(f"{str(path)!r} is a folder, not a file to write to")
        if not folder.is_dir():
            raise ModelError(f"there is no folder {str(folder)!r} to write to")
        if not os.access(folder, os.W_OK):
            raise ModelError(f"nothing can be written into the folder {str(folder)!r}")
    except OSError as error:  # a name that is too long
        raise ModelError(f"{str(path)!r} cannot be the name of a file: {error.strerror or error}") from None


def write(path: str | Path, action: Callable[[Any], Any]) -> None:
    """Let an action write to a binary file that gets its name when it is complete; a link stays a link."""
    target = Path(os.path.realpath(path))
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".writing-", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                action(file)
            os.chmod(name, _mode(target))
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise ModelError(Problem(f"cannot write: {error.strerror or error}", file=str(path))) from None


def write_text(path: str | Path, text: str) -> None:
    """Write text in UTF-8, with the same ends of lines on every platform."""
    write(path, lambda file: file.write(text.encode()))


def _mode(path: Path) -> int:
    """Return the rights of the file that is there, or of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
