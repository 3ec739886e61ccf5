"""Docstrings as the pages of the site need them: entries as a list, sessions of the interpreter as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_ENTRY = re.compile(r"(\w+(?:, \w+)*): (?=\S)")


class PlainDocstrings(Extension):
    """Makes Markdown of docstrings that read well as they are."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object, once it is read."""
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)


def to_markdown(text: str) -> str:
    """Return the paragraphs of a docstring as Markdown.

    >>> print(to_markdown("q: positions,\\nby row. v: velocities"))
    - `q`: positions,
      by row. v: velocities
    """
    return "\n\n".join(_paragraph(part) for part in re.split(r"\n\s*\n", text))


def _paragraph(text: str) -> str:
    if text.startswith(">>> "):
        return f"```pycon\n{text}\n```"
    if not _ENTRY.match(text):
        return text
    lines = []
    for line in text.split("\n"):
        entry = _ENTRY.match(line)
        if entry:
            names = ", ".join(f"`{name}`" for name in entry[1].split(", "))
            lines.append(f"- {names}: {line[entry.end() :]}")
        else:
            lines.append(f"  {line}")
    return "\n".join(lines)
