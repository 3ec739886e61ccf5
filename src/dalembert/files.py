"""Files that appear whole or not at all, with the rights that any new file has."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from dalembert.errors import ModelError, Problem


def write_whole(path: str | Path, content: bytes | Callable[[BinaryIO], Any]) -> None:
    """Write bytes, or what a function writes, beside the file and rename it; a link stays a link."""
    target = Path(os.path.realpath(path))
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".writing-", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                if callable(content):
                    content(file)
                else:
                    file.write(content)
            os.chmod(name, _mode(target))
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise ModelError(Problem(f"cannot write: {error.strerror or error}", file=str(path))) from None


def _mode(path: Path) -> int:
    """Return the rights of the file that is there, or of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
