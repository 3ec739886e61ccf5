"""Lists and tables of formulas: those of Python in a program, typeset in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dalembert.document.nodes import Equation


class Formulas(list[Any]):
    """A list of SymPy expressions: equations that vanish, or the values of named quantities.

    names: what they are the values of, one for each, as the reaction `r_x` on a coordinate.
    """

    def __init__(self, values: Iterable[Any] = (), names: Sequence[str] = ()):
        super().__init__(values)
        self.names = tuple(names)

    def rows(self, beside: str = "") -> list[Equation]:
        """Return the equations, the zeros among named values left out."""
        if not self.names:
            return [Equation(value, name=beside) for value in self]
        return [Equation(name, value, beside) for name, value in zip(self.names, self, strict=True) if value != 0]

    def _repr_latex_(self) -> str | None:
        return _latex(self.rows())


class NamedFormulas(dict[str, Any]):
    """SymPy expressions, matrices, or lists of formulas by name."""

    def _repr_latex_(self) -> str | None:
        rows = []
        for name, value in self.items():
            rows += value.rows(name) if isinstance(value, Formulas) else [Equation(name, value)]
        return _latex(rows)


def _latex(rows: list[Equation]) -> str | None:
    from dalembert.document.markdown import aligned

    return aligned(rows) or None
