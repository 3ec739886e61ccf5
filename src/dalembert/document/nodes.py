"""The kinds of things of which everything that is shown consists. Writers beside this file know how each one looks.

Text is a string, one of the small nodes (Tone, Name, Number, Formula, Sparkline), or a tuple of these. In a
paragraph, a note or a list, `backticks` set names apart as code; in titles and tables a string is shown as it is, as
the user's own words stand there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from dalembert.arrays import Array
    from dalembert.language.building import Expr

ROWS = 12  # of a table; the others are counted
_TINY = 1e-9  # below it, a few digits tell what there is to know


# --- text -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tone:
    """Text that is "strong", "faint", "good", "caution", "bad", or a "name" to type."""

    text: Text
    tone: str


@dataclass(frozen=True)
class Name:
    """The name of a quantity, written as by hand where that can be: `phi_crank'` is a φ with index and dot."""

    text: str


@dataclass(frozen=True)
class Number:
    """A number with the digits that are worth reading."""

    value: float
    digits: int = 6

    @property
    def text(self) -> str:
        """The number in plain letters.

        >>> Number(2 / 3).text, Number(1.8349e-33).text, Number(-0.0).text
        ('0.666667', '1.83e-33', '0')
        """
        digits = min(self.digits, 3) if 0 < abs(self.value) < _TINY else self.digits
        return f"{self.value + 0.0:.{digits}g}"

    @property
    def parts(self) -> tuple[str, str]:
        """The number as it is multiplied by a power of ten, and that power; empty if there is none.

        >>> Number(-2.5e-7).parts, Number(0.5).parts
        (('−2.5', '−7'), ('0.5', ''))
        """
        mantissa, _, exponent = self.text.replace("-", "−").partition("e")
        return mantissa, exponent and ("−" if exponent[0] == "−" else "") + exponent.lstrip("+−0")


@dataclass(frozen=True)
class Formula:
    """An expression in a line of text; `names` are those of the model, which win over constants."""

    expr: Expr
    names: Collection[str] = ()


@dataclass(frozen=True, eq=False)
class Sparkline:
    """A small curve beside numbers, with points that are marked; with axes, their ends are written."""

    x: Array
    y: Array
    title: str = ""
    marks: Sequence[tuple[float, float]] = ()
    axes: bool = False


Text: TypeAlias = "str | Tone | Name | Number | Formula | Sparkline | tuple[Text, ...]"


# --- blocks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; its tone is "", "faint" for what is said aside, or "bad" for what must not be overlooked."""

    text: Text
    tone: str = ""


@dataclass(frozen=True)
class Note:
    """A sentence that is an error, a warning, a note, or a reason."""

    text: Text
    kind: str = "note"

    @property
    def tone(self) -> str:
        """How much it matters."""
        return {"error": "bad", "warning": "caution"}.get(self.kind, "faint")


@dataclass(frozen=True)
class Listing:
    """Some texts: sentences one below the other, or short ones beside each other; beyond the most they are counted."""

    items: Sequence[Text]
    short: bool = False
    tone: str = ""
    title: str = ""
    most: int | None = None

    @property
    def shown(self) -> list[Text]:
        """The items that are shown, and how many are not."""
        if self.most is None or len(self.items) <= self.most + 1:
            return list(self.items)
        return [*self.items[: self.most], Tone(f"… and {len(self.items) - self.most} more", "faint")]


@dataclass(frozen=True)
class Table:
    """Rows of cells. Beyond the most, rows are counted; `total` counts those that were not even made."""

    rows: Sequence[Sequence[Text]]
    head: Sequence[Text] = ()
    most: int | None = ROWS
    total: int = 0

    @property
    def shown(self) -> Sequence[Sequence[Text]]:
        """The rows that are shown; to leave out a single one would save nothing."""
        return self.rows if self.most is None or len(self.rows) <= self.most + 1 else self.rows[: self.most]

    @property
    def columns(self) -> dict[int, bool]:
        """The columns in which there is something, and whether it is numbers, which stand at the right."""
        found = {}
        for k in range(max(map(len, self.rows), default=0)):
            if cells := [row[k] for row in self.rows if not is_empty(row[k])]:
                found[k] = all(map(is_number, cells))
        return found

    @property
    def left_out(self) -> int:
        """How many are not."""
        return max(self.total, len(self.rows)) - len(self.shown)


@dataclass(frozen=True)
class Equation:
    """An equation; a side that is a text is the name of a quantity. It has a name at its side, and words on it."""

    left: Expr | str
    right: Expr | str = "0"
    name: str = ""
    said: str = ""


@dataclass(frozen=True)
class Equations:
    """Equations one below the other.

    names: those of the model. own: what LaTeX has for some of them, where users brought symbols of their own.
    """

    rows: Sequence[Equation]
    names: Collection[str] = ()
    what: str = "equation"
    own: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Matrix:
    """A matrix of expressions, or of numbers in words, by its name; `letters` are its name in LaTeX."""

    name: str
    rows: Sequence[Sequence[Expr | str]]
    letters: str = ""
    said: str = ""
    own: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Code:
    """Text as it is typed."""

    text: str


@dataclass(frozen=True)
class Figure:
    """A picture as HTML, and in words where there are no pictures."""

    html: str
    said: str = ""


@dataclass(frozen=True)
class Section:
    """A part with its title, what is said beside it, and its content.

    key: its name in addresses. fold: "closed" or "open" where a page can open and close it, "paper": also printed.
    """

    title: Text
    parts: Sequence[Block]
    said: Text = ""
    key: str = ""
    fold: str = ""


Block: TypeAlias = Paragraph | Note | Listing | Table | Equations | Matrix | Code | Figure | Section


# --- to make them with ------------------------------------------------------------------------------------------------


def faint(text: Text) -> Tone:
    """Return text that is less important."""
    return Tone(text, "faint")


def judged(text: Text, ok: bool | None) -> Tone:
    """Return text that says good or bad, in words and in colour."""
    return Tone(text, "good" if ok else "bad")


def listed(parts: Iterable[Text], most: int | None = None, between: str = ", ") -> Text:
    """Return texts in a row; beyond the most they are counted.

    >>> listed(["a", "b", "c"], 2)
    ('a', ', ', 'b', ' … and 1 more')
    """
    parts = list(parts)
    shown = parts if most is None else parts[:most]
    row = [piece for part in shown for piece in (between, part)][1:]
    return (*row, *([f" … and {len(parts) - len(shown)} more"] if len(shown) < len(parts) else []))


def rounded(value: float, size: float) -> Number:
    """Return a number; beside others of a size, rounding errors are zero."""
    return Number(0.0 if abs(value) <= 1e-12 * size else float(value))


def span(values: Array, size: float) -> Text:
    """Return the least and the largest value; beside others of a size, rounding errors are zero."""
    known = [float(value) for value in values if value == value]
    low, high = rounded(min(known), size), rounded(max(known), size)
    return low if low.text == high.text else (low, " … ", high)


def is_empty(text: Text) -> bool:
    """Tell whether there is nothing to show."""
    return text in ("", ())


def flat(text: Text) -> Iterable[Text]:
    """Return the pieces of a text, one after the other."""
    return (piece for part in text for piece in flat(part)) if isinstance(text, tuple) else (text,)


def is_number(cell: Text) -> bool:
    """Tell whether a cell holds a number, or several without words; these stand at the right of their column."""
    pieces = list(flat(cell))
    words = [p.text if isinstance(p, Tone) else p for p in pieces if not isinstance(p, Number)]
    numbers = len(words) < len(pieces)
    return numbers and all(isinstance(word, str) and not any(map(str.isalpha, word)) for word in words)
