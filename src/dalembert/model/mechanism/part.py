"""What the parts of a mechanism have in common: a name, and the table from which they were read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.language.printing import to_text
from dalembert.model.quantity import Quantity

_LONG = 60  # characters of a value


class Part:
    """A part of a mechanism; it prints as what was written of it."""

    name: str
    table: Mapping[str, Any]

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """What can be asked of it along a motion, by the name that follows its own: `force` of `A.force`."""
        return {}

    def __repr__(self) -> str:
        given = [f"{key} {_short(value)}" for key, value in self.table.items()]
        return f"<{type(self).__name__} {self.name}{': ' if given else ''}{', '.join(given)}>"


def _short(value: Any) -> str:
    text = _text(value)
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_text(item)}' for key, item in value.items())}}}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_text, value))})"
    return to_text(value) if hasattr(value, "free_symbols") else str(value)
