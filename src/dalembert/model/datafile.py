"""Points of a table from a file of comma-separated values beside the model.

    x,value          the names of the columns, in any order, others are ignored; without them, two columns
    0.0,0.02         numbers as in any programming language; lines that begin with # are comments

Only files in the folder of the model, or below it, are read: a model from elsewhere shall not look around.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath, PureWindowsPath

from dalembert.errors import ModelError, Problem
from dalembert.files import as_path, read

MAX_BYTES = 20_000_000
MAX_POINTS = 100_000  # of all tables of a model, which a file that is saved can hold
COLUMNS = ("x", "value")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SEPARATORS = (",", ";", "\t", None)  # the last one is any space


def read_points(name: str, folder: Path | None) -> tuple[list[float], list[float]]:
    """Return the columns x and value of a file; `folder` is that of the model, None where a program names the file."""
    path = as_path(name) if folder is None else _inside(name, folder)
    try:
        if path.exists() and not path.is_file():
            raise ModelError(f"`{_short(name)}` is no file that could be read")
        data = read(path, MAX_BYTES + 1)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        why = f"there is no file `{_short(name)}`" if missing else f"`{_short(name)}`: {error.strerror or error}"
        raise ModelError(f"{why}{'' if folder is None else ' in the folder of the model'}") from None
    if len(data) > MAX_BYTES:
        raise ModelError(f"`{_short(name)}` has more than {MAX_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ModelError(f"`{_short(name)}`, line {line}: not UTF-8 text") from None
    return _columns(text, _short(name))


def _inside(name: str, folder: Path) -> Path:
    """Return the path of a file; refuse one that leads out of the folder, by itself or by a link."""
    given = as_path(name)
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or PureWindowsPath(name).root:
        raise ModelError(f"`{_short(name)}` is not relative to the folder of the model; files elsewhere are not read")
    place = folder.resolve()
    try:
        found = (place / given).resolve()
    except (OSError, RuntimeError):  # the latter before Python 3.13
        raise ModelError(f"`{_short(name)}` is a link that leads nowhere but to itself") from None
    if not found.is_relative_to(place):
        raise ModelError(f"`{_short(name)}` leads out of the folder of the model; files elsewhere are not read")
    return found


def _columns(text: str, file: str) -> tuple[list[float], list[float]]:
    """Read the two columns."""
    separator: str | None = None
    places: tuple[int, ...] = ()
    count, columns = 0, ([], [])
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if not places:
            separator = next((sign for sign in _SEPARATORS if sign is None or sign in line), None)
        cells = [cell.strip().strip('"') for cell in line.split(separator)]
        if not places:
            places, count = _places(cells, file, number), len(cells)
            if not any(map(_NUMBER.fullmatch, cells)):  # these are names
                continue
        if len(cells) != count:
            raise _wrong(file, number, f"{len(cells)} columns, where the first line has {count}")
        for column, place in zip(columns, places, strict=True):
            column.append(_number(cells[place], file, number))
        if len(columns[0]) > MAX_POINTS:
            raise ModelError(f"{file}: more than {MAX_POINTS:,} points")
    if not columns[0]:
        raise ModelError(f"{file}: there are no numbers in it; expected the columns x and value")
    return columns


def _places(cells: list[str], file: str, line: int) -> tuple[int, ...]:
    """Return which columns are x and value, from the first line."""
    if not any(_NUMBER.fullmatch(cell) for cell in cells):
        if not all(cells.count(name) == 1 for name in COLUMNS):
            got = ", ".join(cells)[:60]
            raise _wrong(file, line, f"expected the names of the columns, x and value, or two numbers; got `{got}`")
        return tuple(cells.index(name) for name in COLUMNS)
    if len(cells) != 2:
        raise _wrong(
            file, line, f"{len(cells)} columns without names; write `x` and `value` above those that are meant"
        )
    return 0, 1


def _number(cell: str, file: str, line: int) -> float:
    if not _NUMBER.fullmatch(cell):
        advice = "; decimals have a point" if "," in cell else ""
        raise _wrong(file, line, f"expected a finite number, got `{cell[:40]}`{advice}")
    return float(cell)


def _wrong(file: str, line: int, text: str) -> ModelError:
    return ModelError(Problem(f"{file}, line {line}: {text}"))


def _short(name: str) -> str:
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in name[:80])
