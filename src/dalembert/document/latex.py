"""The writer for LaTeX: formulas whole, in lines of a readable length. It needs amsmath, for tables also booktabs and
longtable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import symengine as se

from dalembert.characters import visible
from dalembert.document import nodes
from dalembert.document.line_breaks import aligned, equation, matrix
from dalembert.document.nodes import is_empty, listed
from dalembert.document.tex import Tex
from dalembert.document.typeset import math, name, power, prose

_PAGE = 40  # lines that a page holds
_SENTENCE = 60  # letters of a cell that may be broken


def write_latex(
    parts: Iterable[nodes.Block], headings: Sequence[str] = ("paragraph",), fit: Callable[[str], str] = str
) -> str:
    """Write nodes one below the other; `fit` is given formulas that are wider than a line and cannot be broken."""
    text = "\n".join(Latex(headings, fit).parts(parts, 0)).lstrip("\n")
    return text if text.count("\n") < _PAGE else f"\\allowdisplaybreaks\n{text}"


class Latex:
    """Writes nodes as lines of LaTeX."""

    def __init__(self, headings: Sequence[str], fit: Callable[[str], str]):
        self.headings, self.fit = headings, fit

    def parts(self, parts: Iterable[nodes.Block], level: int) -> list[str]:
        """Write nodes one below the other."""
        return [line for part in parts for line in self.block(part, level)]

    def block(self, part: nodes.Block, level: int) -> list[str]:
        """Write a node; a section has a heading of its level."""
        match part:
            case nodes.Section():
                title = self.text(part.title) + ("" if is_empty(part.said) else f": {self.text(part.said)}")
                return [self.heading(title, level), *self.parts(part.parts, level + 1)]
            case nodes.Paragraph():
                return [f"{self.text(part.text, True)}\n"]
            case nodes.Note():
                return [self.note(part.kind, self.text(part.text, True))]
            case nodes.Listing():
                return self.listing(part)
            case nodes.Table():
                return self.table(part)
            case nodes.Equations():
                return self.equations(part)
            case nodes.Matrix():
                return self.matrix(part)
            case nodes.Code():
                return self.code(visible(part.text))
            case nodes.Figure():
                return [self.words(part.said)] if part.said else []

    def heading(self, title: str, level: int) -> str:
        """Write the title of a section."""
        return f"\n\\{self.headings[min(level, len(self.headings) - 1)]}{{{title}}}"

    def note(self, kind: str, text: str) -> str:
        """Write a sentence after what kind it is of."""
        return f"\\emph{{{kind.capitalize()}:}} {text}.\n"

    def code(self, text: str) -> list[str]:
        """Write text as it is typed."""
        return ["\\begin{verbatim}", text, "\\end{verbatim}"]

    def equations(self, part: nodes.Equations) -> list[str]:
        """Write equations one below the other."""
        tex = Tex(part.own)
        return aligned([self.equation(row, tex) for row in part.rows])

    def listing(self, part: nodes.Listing) -> list[str]:
        """Write sentences one below the other, short texts in a row."""
        title = f"{part.title}: " if part.title else ""
        if part.short:
            return [f"{prose(title)}{self.text(listed(part.items))}.\n"] if part.items else []
        items = [f"\\item {self.text(item, True)}" for item in part.items]
        return [*filter(None, [title]), "\\begin{itemize}", *items, "\\end{itemize}"] if items else []

    def table(self, part: nodes.Table) -> list[str]:
        """Write a table over as many pages as it needs."""
        kept, kinds = part.columns, ""
        for k, is_right in kept.items():
            long = any(isinstance(row[k], str) and len(str(row[k])) > _SENTENCE for row in part.rows)
            kinds += "p{0.6\\linewidth}" if long else "r" if is_right else "l"
        rows = [" & ".join(self.text(row[k]) for k in kept) + r" \\" for row in part.rows]
        if any(part.head):
            rows.insert(0, " & ".join(self.text(part.head[k]) for k in kept) + r" \\ \midrule")
        left = part.total - len(part.rows)
        more = [prose(f"… and {left} more")] if left > 0 else []
        begin = [f"\\begin{{longtable}}{{{kinds}}}", r"\toprule"]
        return [*begin, *rows, r"\bottomrule", r"\end{longtable}", *more]

    def equation(self, row: nodes.Equation, tex: Tex) -> str:
        """Write left = right; what belongs to it stands at the right."""
        beside = ", ".join(filter(None, (row.name, row.said)))
        room = len(beside) + 4 if beside else 0
        if not isinstance(row.left, str) and row.right == "0":
            written = equation(row.left, "0", tex, self.fit, room)
        else:
            left = math(name(row.left)) if isinstance(row.left, str) else tex.formula(row.left)
            right = se.Symbol(row.right) if isinstance(row.right, str) else row.right
            written = equation(right, left, tex, self.fit, room)
        said = ", ".join(filter(None, (prose(row.name, code=False), prose(row.said))))
        return f"{written} && \\text{{{said}}}" if beside else written

    def matrix(self, part: nodes.Matrix) -> list[str]:
        """Write a matrix of formulas, or one of numbers of which some vary."""
        letters = part.letters or name(part.name)
        if not any(isinstance(entry, str) for row in part.rows for entry in row):
            return matrix(letters, part.rows, Tex(part.own), self.fit, prose(part.said))
        entries = " \\\\ ".join(" & ".join(_entry(str(entry)) for entry in row) for row in part.rows)
        columns = "c" * max(map(len, part.rows))  # a bmatrix has ten at most
        made = self.fit(f"{letters} = \\left[\\begin{{array}}{{{columns}}} {entries} \\end{{array}}\\right]")
        return [f"{prose(part.said)}:\n\\[ {made} \\]"]

    def text(self, text: nodes.Text, sentence: bool = False) -> str:
        """Write text; in a sentence, what stands between backticks is code."""
        match text:
            case str():
                return self.words(text, sentence)
            case nodes.Tone():
                inner = self.text(text.text, sentence)
                return self.strong(inner) if text.tone in ("strong", "good", "caution", "bad") else inner
            case nodes.Name():
                return f"${math(name(text.text))}$"
            case nodes.Number():
                return f"${power(*text.parts)}$"
            case nodes.Formula():
                return f"${Tex().formula(text.expr)}$"
            case nodes.Sparkline():
                return ""
            case _:
                return "".join(self.text(piece, sentence) for piece in text)

    def words(self, text: str, sentence: bool = False) -> str:
        """Write words."""
        return prose(text, code=sentence)

    def strong(self, text: str) -> str:
        """Write what is important."""
        return f"\\textbf{{{text}}}"


def _entry(text: str) -> str:
    """Write an entry of a structure: a number, with * where it varies."""
    number, star = text.rstrip("*"), "*" in text
    return (power(*nodes.Number(float(number), 10).parts) if number else "") + "\\ast" * star
