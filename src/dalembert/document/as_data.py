"""The writer for programs: what is shown as plain data, formulas as text in the grammar of model files."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from dalembert.document import nodes
from dalembert.document.text import write_text

if TYPE_CHECKING:
    from dalembert.language.building import Expr


def write_data(part: nodes.Block) -> dict[str, Any]:
    """Write a part as JSON holds it: titles and words as text, sections with their parts in them.

    >>> write_data(nodes.Section("A", [nodes.Paragraph("b")]))
    {'title': 'A', 'parts': [{'text': 'b'}]}
    """
    match part:
        case nodes.Section():
            said = {"said": _text(part.said)} if not nodes.is_empty(part.said) else {}
            return {"title": _text(part.title), **said, "parts": [write_data(inner) for inner in part.parts]}
        case nodes.Equations():
            return {"equations": [_equation(row, part.names) for row in part.rows]}
        case nodes.Matrix():
            rows = [[entry if isinstance(entry, str) else _formula(entry) for entry in row] for row in part.rows]
            return {"matrix": part.name, "rows": rows, **({"said": part.said} if part.said else {})}
        case nodes.Listing():
            return {"items": [_text(item) for item in part.items], **({"title": part.title} if part.title else {})}
        case nodes.Table():
            return {"head": [*map(_text, part.head)], "rows": [[*map(_text, row)] for row in part.rows]}
        case nodes.Code():
            return {"code": part.text}
        case nodes.Figure():
            return {"text": part.said}
        case nodes.Note():
            return {"text": _text(part.text), "kind": part.kind}
        case _:
            return {"text": _text(part.text)}


def _equation(row: nodes.Equation, names: Collection[str]) -> dict[str, str]:
    left, right = (side if isinstance(side, str) else _formula(side, names) for side in (row.left, row.right))
    more = {key: value for key, value in (("name", row.name), ("said", row.said)) if value}
    return {"left": left, "right": right, **more}


def _formula(expr: Expr, names: Collection[str] = ()) -> str:
    from dalembert.language.printing import to_text  # what writes formulas takes its time

    return to_text(expr, names)


def _text(text: nodes.Text) -> str:
    return write_text(nodes.Paragraph(text))
