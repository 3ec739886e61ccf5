"""Files that are complete or not there at all, with the rights that any new file has; and reading that never hangs.

What is being written has no name where the system allows that (O_TMPFILE of Linux), so that nothing is left of it
whenever the process ends. Elsewhere, and for the moment in which a file takes the place of another, it has a name of
its own and is locked; what nobody holds a lock of was left by a process that was killed, and the next one removes it.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dalembert.errors import ModelError, Problem

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed
    fcntl = None

PATIENCE = 10.0  # seconds for somebody to write to a pipe that is given as a file
_UNFINISHED = re.compile(r"\.dalembert-[0-9a-f]{16}\.part")
_OLD = 3600.0  # seconds; where there are no locks, what is older was left


def check_place(path: str | Path) -> None:
    """Refuse a path to which no file can be written, before anything is computed."""
    path = as_path(path)
    try:
        folder = path.absolute().parent
        if path.is_dir():
            raise ModelError(f"{str(path)!r} is a folder, not a file to write to")
        _refuse_devices(path)
        if not folder.is_dir():
            raise ModelError(f"there is no folder {str(folder)!r} to write to")
        if not os.access(folder, os.W_OK):
            raise ModelError(f"nothing can be written into the folder {str(folder)!r}")
    except OSError as error:  # a name that is too long
        raise ModelError(f"{str(path)!r} cannot be the name of a file: {error.strerror or error}") from None
    remove_unfinished(Path(os.path.realpath(path)).parent)


def as_path(path: Any) -> Path:
    """Return what names a file as a path; refuse everything else."""
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise ModelError(f"the name of a file is text or a path; got {path!r}"[:200])
    text = os.fspath(path)
    if "\0" in text:
        raise ModelError(f"{text!r} cannot be the name of a file: it holds a null character")
    if not text:
        raise ModelError("the name of a file is empty")
    return Path(text)


def _refuse_devices(path: Path) -> None:
    """Refuse to put a file in the place of a pipe or a device."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ModelError(f"{str(path)!r} is a pipe or a device, not a file to write to")


# --- writing ---------------------------------------------------------------------------------------------------------


def write(path: str | Path, action: Callable[[Any], Any]) -> None:
    """Let an action write to a binary file that gets its name when it is complete; a link stays a link."""
    target = Path(os.path.realpath(as_path(path)))
    try:
        _refuse_devices(target)
        replace(target, action, _mode(target))
    except OSError as error:
        raise ModelError(Problem(f"cannot write: {error.strerror or error}", file=str(path))) from None


def write_text(path: str | Path, text: str) -> None:
    """Write text in UTF-8, with the same ends of lines on every platform."""
    write(path, lambda file: file.write(text.encode()))


def replace(target: Path, action: Callable[[Any], Any], mode: int) -> None:
    """Put a new file in the place of what is there, after taking away what killed processes have left beside it."""
    remove_unfinished(target.parent)
    put(target, action, mode)


def put(target: Path, action: Callable[[Any], Any], mode: int) -> None:
    """Let an action write a file, and put it in the place of what is there; OSError if that cannot be done."""
    handle, name = _begin(target.parent)
    try:
        with os.fdopen(os.dup(handle), "wb") as file:
            action(file)
        if name is None:
            os.fchmod(handle, mode)
            if _named(handle, target):
                return
            name = _new_name(target.parent)
            os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle, follow_symlinks=True)
        else:
            os.chmod(name, mode)
        if fcntl is None:
            os.close(handle)  # Windows renames no file that is open
            handle = -1
        os.replace(name, target)
    except BaseException:
        if name is not None:
            with contextlib.suppress(OSError):
                if handle >= 0 and fcntl is None:
                    os.close(handle)
                    handle = -1
                os.unlink(name)
        raise
    finally:
        if handle >= 0:
            os.close(handle)


def remove_unfinished(folder: Path) -> None:
    """Remove what processes that were killed have left in a folder."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        left = [entry.path for entry in entries if _UNFINISHED.fullmatch(entry.name)]
        for path in left:
            with contextlib.suppress(OSError):
                _remove_if_left(path)


def _begin(folder: Path) -> tuple[int, str | None]:
    """Open a new file, locked: without a name if that is possible, else with its name."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # not every system of files has it
            handle = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
            _lock(handle)
            return handle, None
    while True:
        name = _new_name(folder)
        handle = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o600)
        if _lock(handle) and (fcntl is None or os.fstat(handle).st_nlink):
            return handle, name
        os.close(handle)  # another process took it for one that was left, in the moment before it was locked


def _named(handle: int, target: Path) -> bool:
    """Give a file without a name its name, unless another has it."""
    try:
        os.link(f"/proc/self/fd/{handle}", target, src_dir_fd=handle, follow_symlinks=True)
    except FileExistsError:
        return False
    return True


def _new_name(folder: Path) -> str:
    return str(folder / f".dalembert-{secrets.token_hex(8)}.part")


def _lock(handle: int) -> bool:
    """Lock a file; say whether nobody else has. Where locks are unknown nobody has."""
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _remove_if_left(path: str) -> None:
    if fcntl is None:
        if time.time() - os.stat(path).st_mtime > _OLD:
            os.unlink(path)
        return
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(handle)


def _mode(path: Path) -> int:
    """Return the rights of the file that is there, or of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


# --- reading ---------------------------------------------------------------------------------------------------------


def read(path: str | Path, most: int) -> bytes:
    """Return the first bytes of a file, or of a pipe into which somebody writes; OSError if there is nothing to read.

    A pipe into which nobody writes is an error after some seconds, where opening it would wait for ever.
    """
    path = as_path(path)
    kind = stat.S_IFMT(path.stat().st_mode)
    if kind == stat.S_IFSOCK:
        raise OSError(0, "it is a socket, not a file")
    if kind != stat.S_IFIFO or sys.platform == "win32":
        with path.open("rb") as file:
            return file.read(most)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return b"".join(_from_pipe(handle, most))
    finally:
        os.close(handle)


def _from_pipe(handle: int, most: int) -> Iterator[bytes]:
    """Read what is written until all writers have closed the pipe."""
    import select

    poll = select.poll()
    poll.register(handle, select.POLLIN)
    waiting, patience = True, PATIENCE
    while most > 0:
        ready = poll.poll(50)
        try:
            data = os.read(handle, min(most, 1 << 20))
        except BlockingIOError:  # somebody has it open, and will write
            continue
        if data:
            waiting = False
            most -= len(data)
            yield data
        elif not waiting or any(event & select.POLLHUP for _, event in ready):
            return
        else:
            patience -= 0.05
            if patience < 0:
                raise TimeoutError(0, "it is a pipe into which nobody writes")
