"""Docstrings as the pages of the site need them: entries as a list, sessions of the interpreter as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_ENTRY = re.compile(r"(?:^|(?<=\.)\s+|\n)(\w+(?:, \w+)*): (?=\S)")


class PlainDocstrings(Extension):
    """Makes Markdown of docstrings that read well as they are."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object, once it is read."""
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)


def to_markdown(text: str) -> str:
    """Return the paragraphs of a docstring as Markdown.

    >>> print(to_markdown("Sums up.\\n\\nq, v: positions,\\nby row. t: times"))
    Sums up.
    <BLANKLINE>
    - `q`, `v`: positions, by row.
    - `t`: times
    """
    return "\n\n".join(map(_paragraph, re.split(r"\n\s*\n", text)))


def _paragraph(text: str) -> str:
    if text.startswith(">>> "):
        return f"```pycon\n{text}\n```"
    if not _ENTRY.match(text):
        return text
    _, *parts = _ENTRY.split(text)
    entries = []
    for names, words in zip(parts[::2], parts[1::2], strict=True):
        listed = ", ".join(f"`{name}`" for name in names.split(", "))
        entries.append(f"- {listed}: {' '.join(words.split())}")
    return "\n".join(entries)
