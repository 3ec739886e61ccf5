"""Compiled code on disk: one file per model and kind, checksummed, so that LLVM never sees a damaged one.

A file begins with a line that names its kind, a line with the SHA-256 of the rest, and a line of JSON: the key in full
(a file under another name is not taken for this one), the facts that go with the code, the length of the code. Files
appear by renaming, so that readers never see half of one and the last of several writers wins.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAGIC = b"dalembert compiled code 1\n"
SUFFIX = ".kernel"
MAX_BYTES = 500_000_000  # of the whole folder; beyond it, what was not used for longest goes


@dataclass(frozen=True)
class Entry:
    """What is kept: facts as JSON holds them, and the object file."""

    facts: dict[str, Any]
    code: bytes


def folder() -> Path:
    """Return where compiled code is kept: DALEMBERT_CACHE, or the place that the system has for caches of the user."""
    if given := os.environ.get("DALEMBERT_CACHE"):
        return Path(given)
    try:
        home = Path.home()
    except RuntimeError:  # a user without one, as in some containers: nothing can be kept
        home = Path(os.devnull)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "dalembert" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "dalembert"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if os.path.isabs(given) else home / ".cache") / "dalembert"


def read(key: str) -> Entry | None:
    """Return what is kept under a key, or None: also if it is damaged, or belongs to another key."""
    path = _path(key)
    try:
        data = path.read_bytes()
        found = _unpack(data, key)
        if found is not None:
            with contextlib.suppress(OSError):
                os.utime(path)
        return found
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def write(key: str, entry: Entry) -> None:
    """Keep something under a key; where nothing can be written, nothing is kept."""
    with contextlib.suppress(OSError):
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        header = json.dumps({"key": key, "facts": entry.facts, "length": len(entry.code)}).encode() + b"\n"
        body = header + entry.code
        handle, name = tempfile.mkstemp(dir=place, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            os.replace(name, _path(key))
        except BaseException:
            os.unlink(name)
            raise
        _make_room(place)


def entries() -> list[Path]:
    """Return the files that are kept, the one used last first."""
    found = []
    with contextlib.suppress(OSError):
        for path in folder().iterdir():
            if path.suffix in (SUFFIX, ".part"):
                with contextlib.suppress(OSError):  # another process may have taken it away
                    found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


def clear() -> int:
    """Remove everything that is kept; return how many files that were."""
    count = 0
    for path in entries():
        with contextlib.suppress(OSError):
            path.unlink()
            count += 1
    return count


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


def _make_room(place: Path) -> None:
    total = 0
    for path in entries():
        with contextlib.suppress(OSError):
            total += path.stat().st_size
            if total > MAX_BYTES:
                path.unlink()
