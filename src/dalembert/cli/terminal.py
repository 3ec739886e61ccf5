"""What the terminal can show: its letters, its colours, its width."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import json
import os
import re
import shutil
import sys
import unicodedata
import warnings
from typing import TYPE_CHECKING, Any

import typer

from dalembert.characters import visible
from dalembert.document import palette

if TYPE_CHECKING:
    from dalembert.document.nodes import Block

_SPELT = {  # letters of the mathematics, where a terminal has no room for them
    "…": "...", "−": "-", "–": "-", "·": "*", "×": "x", "ᵀ": "^T", "⁻": "^-", "₀": "_0", "≤": "<=", "≥": ">=",
    "→": "->", "’": "'", "“": '"', "”": '"', "\u0307": "'", "\u0308": "''", "√": "sqrt", "½": "1/2",
    "¾": "3/4", "∂": "d",
}  # fmt: skip
_GREEK = re.compile(r"GREEK (?:SMALL|CAPITAL) LETTER (\w+)")
_LONG = re.compile(r"[^\s/\\]{200,}")


def prepare() -> None:
    """Let no letter and no closed stream end the program: what a stream cannot write is written in other letters."""
    codecs.register_error("dalembert-spell", _spell)
    warnings.formatwarning = lambda message, *_, **__: f"warning: {plain(str(message))}\n"
    for number in range(3):  # else the next file would take the place of a closed one, with all that is printed
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="dalembert-spell")


def _nowhere() -> io.TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")


def mute() -> None:
    """Write no more to a standard output that takes nothing, not even what is left when the process ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_closed_pipe(error: OSError) -> bool:
    """Tell whether the reader has seen enough, as in `dalembert examples | head -3`; Windows has no word for it."""
    return isinstance(error, BrokenPipeError) or (
        sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    )


def print_result(text: str) -> None:
    """Print what was computed; files that are yet to be written do not depend on whether somebody reads it."""
    try:
        typer.echo(text)
    except OSError as error:
        if not is_closed_pipe(error):
            typer.echo(f"standard output: {error.strerror or error}", err=True)
        mute()


def _spell(error: UnicodeError) -> tuple[str, int]:
    """Replace letters that an encoding lacks.

    >>> codecs.register_error("dalembert-spell", _spell)
    >>> "M q̈ = f + Aᵀλ".encode("ascii", "dalembert-spell")
    b"M q'' = f + A^Tlambda"
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_letter, error.object[error.start : error.end])), error.end


def _letter(letter: str) -> str:
    if letter in _SPELT:
        return _SPELT[letter]
    if greek := _GREEK.match(unicodedata.name(letter, "")):
        return greek[1].lower().replace("lamda", "lambda")
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return plain or "?"


def as_json(data: Any) -> str:
    """Write data as JSON, in letters that every reader of the standard output understands."""
    is_unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "").startswith("utf")
    return json.dumps(data, ensure_ascii=not is_unicode, indent=2)


def plain(text: str) -> str:
    """Make text of unknown origin fit for a terminal: no control characters, no word without an end.

    >>> plain("a" * 300 + " \\x1b[31m")
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… \\\\x1b[31m'
    """
    return visible(_LONG.sub(lambda word: word[0][:60] + "…", text))


def is_terminal(err: bool = False) -> bool:
    """Tell whether a person reads the stream."""
    stream = sys.stderr if err else sys.stdout
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False


def has_colours(err: bool = False) -> bool:
    """Tell whether a terminal shows colours; NO_COLOR turns them off (no-color.org)."""
    return is_terminal(err) and not os.environ.get("NO_COLOR")


def styled(words: str, tone: str, err: bool = False) -> str:
    """Colour words where a terminal shows it."""
    return palette.styled(words, tone) if has_colours(err) else words


def shown(*parts: Block, brief: tuple[int, int] | None = None) -> str:
    """Return what is printed: in lines of the terminal and in its colours; in a pipe every formula is one whole line.

    brief: where it is only looked at, how many equations are shown, and on a terminal how many lines of each.
    """
    from dalembert.document.text import write_text

    room = width() if is_terminal() else None
    few = brief and (brief[0], brief[1] if room else None)
    return "\n".join(write_text(part, room, colour=has_colours(), brief=few) for part in parts)


def width() -> int:
    """Return how many columns there are to write in, at most 100 and at least 50: 80 if there is no terminal."""
    return min(100, max(50, shutil.get_terminal_size((80, 24)).columns)) if is_terminal() else 80
