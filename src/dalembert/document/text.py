"""The writer for terminals and files: plain text, with a width in lines of it, coloured where that is wanted.

Formulas are written in the grammar of model files, whole, so that they can be read again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import TYPE_CHECKING, TypeAlias

from dalembert.characters import visible
from dalembert.document import nodes
from dalembert.document.nodes import is_empty, listed
from dalembert.document.palette import styled

if TYPE_CHECKING:
    from dalembert.language.building import Expr

Run: TypeAlias = tuple[str, str]  # letters, and their tone
Line: TypeAlias = list[Run]


def write_text(
    part: nodes.Block, width: int | None = None, *, colour: bool = False, brief: tuple[int, int | None] | None = None
) -> str:
    """Write something as text: without a width, a sentence and a formula is one line, however long.

    brief: where it is only looked at, how many equations are shown, and how many lines of each, or all of them.
    """
    return "\n".join(_written(line, colour) for line in _Writer(width, brief).block(part, 0))


def _written(line: Line, colour: bool) -> str:
    return "".join(styled(text, tone) if colour else text for text, tone in line).rstrip()


def _formula(expr: Expr, names: Collection[str] = ()) -> str:
    from dalembert.language.printing import to_text  # what writes formulas takes its time

    return visible(to_text(expr, names))


class _Writer:
    def __init__(self, width: int | None, brief: tuple[int, int | None] | None):
        self.width, self.brief = width, brief

    def block(self, part: nodes.Block, indent: int) -> list[Line]:
        match part:
            case nodes.Section():
                return self.section(part, indent)
            case nodes.Paragraph():
                return self.wrapped(self.runs(part.text, part.tone), indent)
            case nodes.Note():
                return self.wrapped([(part.kind, part.tone), (": ", ""), *self.runs(part.text)], indent, 2)
            case nodes.Listing():
                return self.listing(part, indent)
            case nodes.Table():
                return self.table(part, indent)
            case nodes.Equations():
                return self.equations(part, indent)
            case nodes.Matrix():
                return self.matrix(part, indent)
            case nodes.Code():
                return [[(" " * (indent + 2), ""), (visible(line), "name")] for line in part.text.splitlines()]
            case nodes.Figure():
                return self.wrapped([(part.said, "faint")], indent) if part.said else []

    def section(self, part: nodes.Section, indent: int) -> list[Line]:
        """Write the title, what belongs to it with an indent, and the sections inside of it as beside it."""
        said = [] if is_empty(part.said) else [(": ", ""), *self.runs(part.said)]
        lines = self.wrapped([*self.runs(part.title, "strong"), *said], indent, 2)
        for inner in part.parts:
            lines += self.block(inner, indent if isinstance(inner, nodes.Section) else indent + 2)
        return lines

    def listing(self, part: nodes.Listing, indent: int) -> list[Line]:
        if not part.short:
            return [line for item in part.shown for line in self.wrapped(self.runs(item, part.tone), indent)]
        title = [(f"{part.title}: ", "")] if part.title else []
        return self.wrapped([*title, *self.runs(listed(part.shown), part.tone)], indent, 2) if part.items else []

    # --- text ---------------------------------------------------------------------------------------------------------

    def runs(self, text: nodes.Text, tone: str = "") -> Line:
        match text:
            case str():
                return [(visible(text), tone)]
            case nodes.Tone():
                return self.runs(text.text, text.tone)
            case nodes.Name():
                return [(visible(text.text), tone)]
            case nodes.Number():
                return [(text.text, tone)]
            case nodes.Formula():
                return [(_formula(text.expr, text.names), tone)]
            case nodes.Sparkline():
                return []
            case _:
                return [run for piece in text for run in self.runs(piece, tone)]

    def wrapped(self, runs: Line, indent: int, hanging: int = 0) -> list[Line]:
        """Break a line between words; what follows may be indented."""
        if not runs:
            return []
        if self.width is None:
            return [_indented(runs, indent)]
        lines: list[Line] = []
        room = 0
        for space, word in _words(runs):
            size = _size(word)
            if not lines or size + len(space) > room:
                first = indent + hanging * bool(lines)
                lines.append([(" " * first, ""), *word])
                room = self.width - first - size
            else:
                lines[-1] += [(space, ""), *word]
                room -= size + len(space)
        return lines

    # --- tables and formulas ------------------------------------------------------------------------------------------

    def table(self, part: nodes.Table, indent: int) -> list[Line]:
        kept = {k: right for k, right in part.columns.items() if any(self.runs(row[k]) for row in part.rows)}
        rows = [[self.runs(row[k]) for k in kept] for row in part.shown]
        if any(part.head):
            rows.insert(0, [self.runs(part.head[k], "faint") for k in kept])
        widths = [max(_size(row[j]) for row in rows) for j in range(len(kept))]
        lines: list[Line] = []
        for row in rows:
            line: Line = []
            for j, (cell, right) in enumerate(zip(row, kept.values(), strict=True)):
                space = [(" " * (widths[j] - _size(cell)), "")]
                line += [("  " if j else "", ""), *(space + cell if right else cell + space)]
            lines += self.hanging(line, row[-1], sum(widths[:-1]) + 2 * len(widths) - 2, indent)
        return [_indented(line, indent) for line in [*lines, *_more(part.left_out)]]

    def hanging(self, line: Line, last: Line, at: int, indent: int) -> list[Line]:
        """Break the last cell of a row where it does not fit, below its beginning."""
        if self.width is None or indent + at + _size(last) <= self.width or self.width - at - indent < 20:
            return [line]
        first, *more = _Writer(self.width - indent - at, None).wrapped(last, 0)
        return [[*line[: -len(last) - 1], *first], *([(" " * at, ""), *(run for run in rest)] for rest in more)]

    def equations(self, part: nodes.Equations, indent: int) -> list[Line]:
        rows = part.rows if self.brief is None else part.rows[: self.brief[0]]
        lines = [line for row in rows for line in self.equation(row, part, indent)]
        return [*lines, *(_indented(line, indent) for line in _more(len(part.rows) - len(rows)))]

    def equation(self, row: nodes.Equation, part: nodes.Equations, indent: int) -> list[Line]:
        left, right = (side if isinstance(side, str) else _formula(side, part.names) for side in (row.left, row.right))
        name = f"{row.name}: " if row.name else ""
        front = f"{name}{left} = " if isinstance(row.left, str) else name
        formula = visible(right if isinstance(row.left, str) else f"{left} = {right}")
        said = f"    ({row.said})" if row.said else ""
        return self.formula(visible(front), formula, indent, said)

    def matrix(self, part: nodes.Matrix, indent: int) -> list[Line]:
        lines: list[Line] = [[(f"{' ' * indent}{part.name}{f' {part.said}' if part.said else ''} =", "")]]
        for row in part.rows:
            cells = [cell if isinstance(cell, str) else _formula(cell) for cell in row]
            lines += self.formula("", visible(f"[{', '.join(cells)}]"), indent + 2)
        return lines

    def formula(self, front: str, formula: str, indent: int, said: str = "") -> list[Line]:
        """Write a formula after its name; what does not fit into a line is below its beginning."""
        if self.width is None:
            return [[(f"{' ' * indent}{front}{formula}{said}", "")]]
        from dalembert.language.printing import wrap

        lines = wrap(front + formula, self.width - indent, min(len(front), self.width // 3) + 2)
        if self.brief and self.brief[1] and len(lines) > self.brief[1]:
            lines = [*lines[: self.brief[1] - 1], f"  … ({len(formula):,} characters)"]
        if said and indent + len(lines[-1]) + len(said) > self.width:
            lines.append(said)
        else:
            lines[-1] += said
        return [[(" " * indent + line, "")] for line in lines]


def _more(count: int) -> list[Line]:
    return [[(f"… and {count} more", "")]] if count > 0 else []


def _indented(line: Line, indent: int) -> Line:
    return [(" " * indent, ""), *line]


def _words(runs: Line) -> list[tuple[str, Line]]:
    """Return words, which may have several tones, and the space in front of each."""
    words: list[tuple[str, Line]] = [("", [])]
    for text, tone in runs:
        for piece in re.split(r"( +)", text):
            if piece.isspace():
                words.append((piece, []))
            elif piece:
                words[-1][1].append((piece, tone))
    return [word for word in words if word[1]]


def _size(line: Line) -> int:
    return sum(_width(text) for text, _ in line)


def _width(text: str) -> int:
    """Return how many columns letters take: marks above a letter none, letters of some scripts two."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
