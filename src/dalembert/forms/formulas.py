"""Lists and tables of formulas: those of Python in a program, typeset in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


class Formulas(list[Any]):
    """A list of SymPy expressions: equations that vanish, or the values of named quantities.

    names: what they are the values of, one for each, as the reaction `r_x` on a coordinate.
    """

    def __init__(self, values: Iterable[Any] = (), names: Sequence[str] = ()):
        super().__init__(values)
        self.names = tuple(names)

    def rows(self, beside: str = "") -> list[tuple[str, str]]:
        """Return left and right sides as LaTeX, the zeros among named values left out."""
        from dalembert.document.shortened import tex
        from dalembert.document.typeset import name as symbol

        if not self.names:
            return [(tex(value), "0" + beside) for value in self]
        named = zip(self.names, self, strict=True)
        return [(symbol(name), tex(value) + beside) for name, value in named if value != 0]

    def _repr_latex_(self) -> str | None:
        from dalembert.document.shortened import formulas_latex

        return formulas_latex(self.rows()) or None


class NamedFormulas(dict[str, Any]):
    """SymPy expressions, matrices, or lists of formulas by name."""

    def _repr_latex_(self) -> str | None:
        from dalembert.document.shortened import formulas_latex, tex
        from dalembert.document.typeset import upright

        rows = []
        for name, value in self.items():
            if isinstance(value, Formulas):
                rows += value.rows(f" && {upright(name)}")
            else:
                rows.append((upright(name), tex(value)))
        return formulas_latex(rows) or None
