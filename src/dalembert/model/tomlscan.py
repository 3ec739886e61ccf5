"""A first look at a TOML text: bounds on everything that makes a TOML parser slow, and the line of every entry.

The standard parser gives no lines for values, recurses on nesting and is quadratic in long dotted keys, so the text is
scanned here first, in linear time, and handed on only if it is harmless.
"""

from __future__ import annotations

import contextlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dalembert.errors import ModelError, Problem

MAX_BYTES = 5_000_000
MAX_NESTING = 20  # of brackets
MAX_WORD = 200  # characters of a key or number outside quotes
MAX_NAME = MAX_WORD - 3  # of a name: a velocity is a key with a prime and in quotes
MAX_KEY_PARTS = 8  # of a dotted key

_TOKEN = re.compile(
    r"(?P<newline>\n)|(?P<space>[ \t\r]+)|(?P<comment>#[^\n]*)"
    r'|(?P<long>"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}|\'\'\'(?:[^\']++|\'(?!\'\'))*+\'{3,5})|(?P<open>"""|\'\'\')'
    r'|(?P<string>"(?:[^"\\\n]++|\\[^\n])*+"|\'[^\'\n]*+\')'
    r"|(?P<word>[\w+:-]+)|(?P<mark>[][{}=,.])|(?P<other>.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Source:
    """Where a model was read from: a file, the line of every entry in it, and the folder of its data, if it has one."""

    file: str
    lines: Mapping[tuple[str, ...], int]
    folder: Path | None = None


def quote(text: str) -> str:
    """Write a text as TOML does."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _unquoted(word: str) -> str:
    """Return what a string stands for; one that is no TOML as it is, to be refused later."""
    if word[0] == '"' and "\\" in word:
        with contextlib.suppress(tomllib.TOMLDecodeError):
            return tomllib.loads(f"key = {word}")["key"]
    return word[1:-1]


@dataclass
class Index:
    """Where things stand: path of an entry or section -> line, and the column at which a text value begins."""

    lines: dict[tuple[str, ...], int] = field(default_factory=dict)
    columns: dict[tuple[str, ...], int] = field(default_factory=dict)


def scan(text: str, file: str) -> Index:
    """Check the bounds and index the entries; raise ModelError at the first bound that is broken."""
    index = Index()
    line, line_start, position = 1, 0, 0
    depth = 0  # of brackets inside a value
    table: tuple[str, ...] = ()
    key: list[str] = []
    dots = 0
    state = "key"  # key, header, value

    def fail(what: str) -> ModelError:
        return ModelError(Problem(what, file=file, line=line, column=position - line_start + 1))

    def mark(path: tuple[str, ...]) -> None:
        for length in range(1, len(path) + 1):
            index.lines.setdefault(path[:length], line)

    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:  # cannot happen: `other` takes any character
            raise fail("unreadable text")
        kind, word = match.lastgroup, match.group()
        if kind == "newline":
            line, line_start, dots = line + 1, match.end(), 0
            if depth == 0:
                state, key = "key", []
        elif kind == "open" or (kind == "other" and word in "\"'"):
            if state == "key" and word == "'":
                raise fail('a key with a prime is quoted: "phi\'" = 0')
            before = text[line_start:position].rstrip()
            if state == "value" and word == "'" and before and before[-1] not in "=,[{":
                raise fail('a string is never closed; expressions stand in double quotes: kinetic = "x\'^2/2"')
            raise fail("a string is never closed; it ends with the quote it began with")
        elif kind in ("word", "string") and state != "value":
            if len(word) > MAX_WORD:
                raise fail(f"a key of {len(word)} characters; at most {MAX_WORD} are read")
            if len(key) <= MAX_KEY_PARTS:  # what is longer is no key, and must not be copied again and again
                key.append(_unquoted(word) if kind == "string" else word)
        elif kind == "word" and len(word) > MAX_WORD:
            raise fail(f"a number of {len(word)} characters; at most {MAX_WORD} are read (expressions go in quotes)")
        elif kind == "string" and depth == 0:
            path = (*table, *key)
            if path in index.lines and path not in index.columns and "\\" not in word:
                index.columns[path] = position - line_start + 2
        elif kind == "long":
            line += word.count("\n")
            if "\n" in word:
                line_start = position + word.rindex("\n") + 1
        elif kind == "mark":
            if word == ".":
                dots += 1
                if dots > MAX_KEY_PARTS and (state != "value" or depth == 0):
                    raise fail(f"a dotted key of more than {MAX_KEY_PARTS} parts")
            elif word == ",":
                dots = 0
            elif word == "=" and state == "key":
                state, dots = "value", 0
                mark((*table, *key))
            elif word == "=":
                dots = 0
            elif word == "[" and state == "key" and not key:
                state = "header"
            elif word == "]" and state == "header":
                table = tuple(key)
                mark(table)
            elif word in "[{" and state == "value":
                depth, dots = depth + 1, 0
                if depth > MAX_NESTING:
                    raise fail(f"brackets nested deeper than {MAX_NESTING} levels")
            elif word in "]}" and state == "value":
                depth, dots = max(depth - 1, 0), 0
        if dots > 10 * MAX_KEY_PARTS:
            raise fail(f"a dotted key of more than {MAX_KEY_PARTS} parts")
        position = match.end()
    return index
