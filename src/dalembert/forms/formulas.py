"""Lists and tables of formulas: those of Python in a program, typeset in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from dalembert.document.nodes import Equation
from dalembert.errors import ModelError
from dalembert.language.late_sympy import is_coordinate, sp
from dalembert.language.translate import Translator, plain_name


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
    """Typeset equations between expressions of SymPy; what none of a model could be is left to Python."""
    from dalembert.document.markdown import aligned

    values = [side for row in rows for side in (row.left, row.right) if not isinstance(side, str)]
    moving = {call for value in values for call in value.atoms(sp.Function) if is_coordinate(call)}
    symbols = {plain_name(call): call for call in moving}
    try:
        translator = Translator(symbols, symbols)
        found = [_inward(row, translator) for row in rows]
    except ModelError:
        return None
    return aligned(found, translator.own) or None


def _inward(row: Equation, translator: Translator) -> Equation | tuple[str, list[list[Any]]]:
    if isinstance(row.right, sp.MatrixBase):
        return str(row.left), [[translator.inward(entry) for entry in row.right.row(i)] for i in range(row.right.rows)]
    left, right = (side if isinstance(side, str) else translator.inward(side) for side in (row.left, row.right))
    return replace(row, left=left, right=right)
