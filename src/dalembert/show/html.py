"""The few pieces of HTML from which everything is put together; text is escaped unless it is Markup already.

Styles stand at the elements, as a notebook that is not trusted drops style sheets. There are no colours of text and
background, so that it can be read on light and dark themes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from dalembert import characters

_CELL = "text-align:left;padding:.15em .8em .15em 0;vertical-align:middle;white-space:nowrap"
_TEXT = "text-align:left;padding:.15em .8em .15em 0;vertical-align:middle;white-space:normal"
_FAINT = "opacity:.7"
GOOD, BAD, CAUTION = "#2f9e61", "#d6455d", "#c2860b"  # seen on white and on black; words say it as well
_ROUNDING = 1e-12
ROWS = 12  # of a table; the others are counted


class Markup(str):
    """Text that is HTML already."""


def escape(text: Any) -> Markup:
    """Return text as HTML."""
    return text if isinstance(text, Markup) else Markup(characters.escape(str(text)))


def words(text: str) -> Markup:
    """Return a sentence as HTML; what stands between backticks is code.

    >>> words("`a` < `b`")
    '<code>a</code> &lt; <code>b</code>'
    """
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text)))


def number(value: float, size: float = 0.0) -> Markup:
    """Return a number with the digits that are worth reading; beside others of a size, rounding errors are zero.

    >>> number(2 / 3), number(-1e-17, size=1.0)
    ('0.666667', '0')
    """
    return Markup(f"{0.0 if abs(value) <= _ROUNDING * size else value + 0.0:.6g}")


def element(tag: str, content: Any, style: str = "") -> Markup:
    """Put something between tags."""
    attribute = f' style="{style}"' if style else ""
    return Markup(f"<{tag}{attribute}>{escape(content)}</{tag}>")


def join(parts: Iterable[Any], between: str = ", ") -> Markup:
    """Join pieces of text and HTML."""
    return Markup(escape(between).join(escape(part) for part in parts))


def bold(text: Any) -> Markup:
    """Return strong text."""
    return element("b", text)


def faint(text: Any) -> Markup:
    """Return text that is less important."""
    return element("span", text, _FAINT)


def coloured(text: Any, colour: str) -> Markup:
    """Return text that says good or bad, in words and in colour."""
    return element("b", text, f"color:{colour}")


def line(*parts: Any) -> Markup:
    """Return a line of text."""
    return element("div", join(parts, ""), "margin:.2em 0")


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], total: int | None = None) -> Markup:
    """Return a table of its first rows; the others are counted. Without rows it is empty. Sentences may be wrapped."""
    rows = list(rows)
    if not rows:
        return Markup("")
    shown = rows[:ROWS]
    top = join((element("th", faint(cell), _CELL) for cell in head), "")
    body = [element("tr", join((element("td", cell, _style(cell)) for cell in row), "")) for row in shown]
    text = (element("thead", element("tr", top)) if any(head) else Markup("")) + element("tbody", join(body, ""))
    left = (len(rows) if total is None else total) - len(shown)
    more = line(faint(f"… and {left} more")) if left > 0 else Markup("")
    return Markup(element("table", Markup(text), "border-collapse:collapse;margin:.4em 0;color:inherit") + more)


def _style(cell: Any) -> str:
    return _TEXT if len(re.sub(r"<[^>]*>", "", str(cell))) > 60 else _CELL


def folded(title: Any, content: Any, is_open: bool = False) -> Markup:
    """Return something that is shown when its title is pressed."""
    attribute = " open" if is_open else ""
    return Markup(f"<details{attribute}><summary>{escape(title)}</summary>{escape(content)}</details>")


def notes(texts: Iterable[str], kind: str = "note") -> Markup:
    """Return sentences, one below the other."""
    return join((line(faint(f"{kind}: "), words(text)) for text in texts), "")


def whole(title: Any, what: Any, *parts: Any) -> Markup:
    """Return a thing with its title and, beside it, what it is."""
    head = line(bold(title), " ", what if isinstance(what, Markup) else faint(what))
    return element("div", join((head, *parts), ""), "margin:.2em 0;overflow-x:auto")
