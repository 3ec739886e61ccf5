"""Small pieces of HTML; all that comes from the model is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dalembert.characters import escape

MORE = 12  # rows of a table before the rest is left out


@dataclass(frozen=True)
class Section:
    """A part of the page: what it is called in addresses, its heading, its content."""

    name: str
    title: str
    html: str

    def __str__(self) -> str:
        return f'<section id="{self.name}">\n<h2>{escape(self.title)}</h2>\n{self.html}\n</section>'


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text; names in `backquotes` are set apart."""
    return f"<p{_class(kind)}>{inline(text)}</p>"


def inline(text: str) -> str:
    """Escape text; what is in backquotes becomes code."""
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{part}</code>" if k % 2 else part for k, part in enumerate(parts))


def listing(items: Iterable[str], kind: str = "") -> str:
    """Return a list of plain texts."""
    rows = "".join(f"<li>{inline(item)}</li>" for item in items)
    return f"<ul{_class(kind)}>{rows}</ul>" if rows else ""


def table(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "", most: int | None = MORE) -> str:
    """Return a table; its cells are HTML already. Rows beyond the most are counted."""
    shown = rows if most is None or len(rows) <= most + 1 else rows[:most]
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in shown)
    top = f"<thead><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr></thead>" if any(head) else ""
    more = f'<p class="more">… and {len(rows) - len(shown)} more</p>' if len(shown) < len(rows) else ""
    return f'<div class="wide"><table{_class(kind)}>{top}<tbody>{body}</tbody></table></div>{more}'


def fold(title: str, html: str, on_paper: bool = False) -> str:
    """Return something that is opened by a click, and for paper if that is asked for."""
    return f"<details{' data-print' if on_paper else ''}><summary>{inline(title)}</summary>{html}</details>"


def code(text: str) -> str:
    """Return text as it is typed."""
    return f"<pre><code>{escape(text)}</code></pre>"


def number(value: float, digits: int = 6) -> str:
    """Write a number for a reader: 1.5 · 10⁻⁷."""
    mantissa, _, exponent = f"{value:.{digits}g}".replace("-", "−").partition("e")
    if not exponent:
        return mantissa
    sign, power = "−" if exponent[0] == "−" else "", exponent.lstrip("+−0")
    factor = {"1": "", "−1": "−"}.get(mantissa, f"{mantissa}&#8239;·&#8239;")
    return f"{factor}10<sup>{sign}{power}</sup>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
