"""Compiled code on disk: one file per model and kind, checksummed, so that LLVM never sees a damaged one.

Equations that were written down lie beside it (`results/kept_formulas.py`), as bytes like code.

A file begins with a line that names its kind, a line with the SHA-256 of the rest, and a line of JSON: the key in full
(a file under another name is not taken for this one), the facts that go with the code, the length of the code. Files
appear by renaming, so that readers never see half of one and the last of several writers wins.

What is kept is run, so it must be the user's own: a folder or file that belongs to somebody else, or that others can
write to, is not used. What stands in the place of a file, a pipe or a link, is not followed, and nothing waits for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import stat
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from dalembert.files import put, remove_unfinished

MAGIC = b"dalembert compiled code 1\n"
SUFFIX = ".kernel"
MAX_BYTES = 500_000_000  # of the whole folder; beyond it, what was not used for longest goes
_unseen = math.inf  # bytes that this process has written since it looked through the folder


@dataclass(frozen=True)
class Entry:
    """What is kept: facts as JSON holds them, and the object file."""

    facts: dict[str, Any]
    code: bytes


def folder() -> Path:
    """Return where compiled code is kept: DALEMBERT_CACHE, or the place that the system has for caches of the user."""
    if given := os.environ.get("DALEMBERT_CACHE"):
        return Path(given)
    found = user_cache_path("dalembert", appauthor=False)
    return found if found.is_absolute() else Path(os.devnull)  # a user without a home, as in some containers


def read(key: str) -> Entry | None:
    """Return what is kept under a key, or None: also if it is damaged, of another key, or not the user's own."""
    path = _path(key)
    try:
        place = _open_folder(path.parent)
        try:
            data = _read_file(path, place)
        finally:
            if place is not None:
                os.close(place)
        found = None if data is None else _unpack(data, key)
        if found is not None:
            with contextlib.suppress(OSError):
                os.utime(path)
        return found
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def write(key: str, entry: Entry) -> None:
    """Keep something under a key; where nothing can be written, nothing is kept."""
    global _unseen
    path = _path(key)
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if refusal(path.parent):
            return
        header = json.dumps({"key": key, "facts": entry.facts, "length": len(entry.code)}).encode() + b"\n"
        body = header + entry.code
        content = MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body
        put(path, lambda file: file.write(content), 0o600)
        _unseen += len(content)
        if _unseen > MAX_BYTES / 20:  # not every time: there may be thousands of files
            _unseen = 0
            remove_unfinished(path.parent)
            _make_room()


def refusal(place: Path) -> str:
    """Say why nothing is kept in a folder that is there, or nothing."""
    try:
        return _distrust(os.stat(place))
    except OSError:
        return ""


def _open_folder(place: Path) -> int | None:
    """Open the folder, so that no other can take its place; None on Windows, where each user has a place of his own."""
    if sys.platform == "win32":
        return None
    handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    if why := _distrust(os.fstat(handle)):
        os.close(handle)
        _warn(f"compiled code is not kept, as the folder {place} {why}")
        raise PermissionError(why)
    return handle


def _read_file(path: Path, place: int | None) -> bytes | None:
    """Read a file of the folder, if it is one, and the user's own."""
    if place is None:
        return path.read_bytes()
    handle = os.open(path.name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=place)
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            return None
        if why := _distrust(facts):
            _warn(f"the compiled code in {path} is not used, as it {why}")
            return None
        return file.read()


def _distrust(facts: os.stat_result) -> str:
    """Say why code from a file or folder is not run, or nothing; the administrator is trusted, who can do all."""
    if sys.platform == "win32":
        return ""
    if facts.st_uid not in (os.geteuid(), 0):
        return "belongs to another user; remove it, or name a folder of your own in DALEMBERT_CACHE"
    if facts.st_mode & 0o022:
        return "can be changed by other users; take that right from them: chmod -R go-w"
    return ""


@cache
def _warn(text: str) -> None:
    """Say something once."""
    warnings.warn(text, stacklevel=2)


def entries() -> list[Path]:
    """Return the files that are kept, the one used last first."""
    return [path for _, path in _kept()]


def _kept() -> list[tuple[os.stat_result, Path]]:
    found = []
    with contextlib.suppress(OSError), os.scandir(folder()) as files:
        for file in files:
            if file.name.endswith((SUFFIX, ".part")):
                with contextlib.suppress(OSError):  # another process may have taken it away
                    found.append((file.stat(follow_symlinks=False), Path(file)))
    return sorted(found, key=lambda kept: (kept[0].st_mtime, kept[1]), reverse=True)


def clear() -> int:
    """Remove everything that is kept; return how many files that were."""
    removed = 0
    for path in entries():
        with contextlib.suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def _path(key: str) -> Path:
    return folder() / (hashlib.sha256(key.encode()).hexdigest()[:40] + SUFFIX)


def _unpack(data: bytes, key: str) -> Entry | None:
    if not data.startswith(MAGIC):
        return None
    checksum, body = data[len(MAGIC) :].split(b"\n", 1)
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        return None
    header, code = body.split(b"\n", 1)
    content = json.loads(header)
    if content["key"] != key or content["length"] != len(code):
        return None
    return Entry(content["facts"], code)


def _make_room() -> None:
    total = 0
    for facts, path in _kept():
        total += facts.st_size
        if total > MAX_BYTES:
            with contextlib.suppress(OSError):
                path.unlink()
