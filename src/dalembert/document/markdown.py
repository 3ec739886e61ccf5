"""The writer for what notebooks typeset wherever they are opened: Markdown with formulas in LaTeX.

Only `$$…$$` and environments that both MathJax and KaTeX know. Long formulas are shortened, with words that say how
much is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dalembert.characters import visible
from dalembert.document import nodes
from dalembert.document.html import write_notebook
from dalembert.document.latex import Latex
from dalembert.document.line_breaks import WIDE, equation, size
from dalembert.document.nodes import ROWS, is_empty, listed
from dalembert.document.shortened import MATRIX, matrix, shortened
from dalembert.document.tex import Tex
from dalembert.document.typeset import math, name, upright
from dalembert.language.building import Expr

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|$~-])")


def write_markdown(part: nodes.Section, whole: str) -> str:
    """Write a section; if something in it is shortened, say at its end where the whole is."""
    writer = _Markdown((), str)
    title = writer.strong(writer.text(part.title))
    said = "" if is_empty(part.said) else f" — {writer.text(part.said)}"
    text = "\n\n".join([f"{title}{said}", *(line.rstrip() for line in writer.parts(part.parts, 0))])
    return f"{text}\n\n*Shortened: {whole}.*" if r"\cdots" in text else text


def aligned(rows: Sequence[nodes.Equation | tuple[str, Sequence[Sequence[Expr]]]], own: Mapping[str, str]) -> str:
    """Write equations, and matrices by their names, one below the other; long ones shortened."""
    tex, writer = Tex(own), _Markdown((), str)
    lines = [
        writer.equation(row, tex)
        if isinstance(row, nodes.Equation)
        else f"{math(name(row[0]))} &= {matrix(row[1], tex)}"
        for row in rows
    ]
    return _stacked(lines) if lines else ""


def _stacked(lines: list[str]) -> str:
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


class _Markdown(Latex):
    def heading(self, title: str, level: int) -> str:
        return title

    def note(self, kind: str, text: str) -> str:
        return f"- {text}"

    def code(self, text: str) -> list[str]:
        return [f"```\n{text}\n```"]

    def listing(self, part: nodes.Listing) -> list[str]:
        title = f"{part.title}: " if part.title else ""
        if part.short:
            return [self.text((title, listed(part.shown)))]
        return [f"- {self.text(item, True)}" for item in part.shown]

    def table(self, part: nodes.Table) -> list[str]:
        return [write_notebook(part)]

    def equations(self, part: nodes.Equations) -> list[str]:
        tex = Tex(part.own)
        lines = [self.equation(row, tex) for row in part.rows[:ROWS]]
        more = [f"… and {len(part.rows) - len(lines)} more"] if len(part.rows) > len(lines) else []
        return [_stacked(lines), *more] if lines else []

    def equation(self, row: nodes.Equation, tex: Tex) -> str:
        """Write an equation, one that is wide in several lines."""
        sides = (row.left, row.right)
        left, right = (math(name(side)) if isinstance(side, str) else shortened(side, tex) for side in sides)
        beside = ", ".join(filter(None, (row.name, row.said.replace("`", ""))))  # there is no code in formulas
        long = row.left if row.right == "0" else row.right
        written = f"{left} &= {right}"
        if not isinstance(long, str) and size(written) > WIDE and r"\cdots" not in written:
            written = equation(long, "0" if long is row.left else left, tex)
        return f"{written} && {upright(beside)}" if beside else written

    def matrix(self, part: nodes.Matrix) -> list[str]:
        letters, rows = part.letters or name(part.name), part.rows
        if max(len(rows), *map(len, rows)) > MATRIX:
            return [f"$$ {letters} = \\cdots\\ \\text{{({len(rows)} × {len(rows[0])})}} $$"]
        if any(isinstance(entry, str) for row in rows for entry in row):
            return []
        said = f" \\qquad {upright(part.said)}" if part.said else ""
        return [f"$$ {letters} = {matrix(rows, Tex(part.own))}{said} $$"]

    def words(self, text: str, sentence: bool = False) -> str:
        """Write words of the user as Markdown that shows them as they are."""
        parts = text.split("`") if sentence else [text]
        return "`".join(part if k % 2 else _SPECIAL.sub(r"\\\1", visible(part)) for k, part in enumerate(parts))

    def strong(self, text: str) -> str:
        return f"**{text}**"
