"""Values of formulas that the package prints, by a second way: the text becomes Python over numbers of our own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import CodeType
from typing import Any

import numpy as np

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d][\w.]*'*)|(?P<sign>\*\*|<=|>=|.))"
)
_FUNCTIONS = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign")},
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "step": lambda x: np.heaviside(x, 0.5),
    "if": np.where,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
}
_CONSTANTS = {"pi": np.pi, "e": np.e}
_made: dict[str, CodeType] = {}


def value(text: str, z: Mapping[str, Any]) -> Any:
    """Return the value of a formula, `… = 0` or not, given those of its names."""
    if text not in _made:
        _made[text] = compile(_python(text.removesuffix("= 0").strip()), "formula", "eval")
    return eval(_made[text], {"__builtins__": {}, "f": _FUNCTIONS, "z": z, "number": np.longdouble})


def _python(text: str) -> str:
    parts = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[match.lastgroup or 0]
        if kind == "number":
            power = parts and parts[-1] == "**"  # whole powers stay exact
            parts.append(token if power and token.isdigit() else f"number({token!r})")
        elif kind == "name":
            called = text[match.end() :].lstrip().startswith("(") and token in _FUNCTIONS
            parts.append(
                f"f[{token!r}]" if called else f" {token} " if token in ("and", "or", "not") else f"z[{token!r}]"
            )
        else:
            parts.append("**" if token == "^" else token)
    return "".join(parts)


def mentioned(text: str) -> set[str]:
    """Return the names in a formula."""
    return {match["name"] for match in _TOKEN.finditer(text) if match["name"]}


def names(**values: Any) -> dict[str, Any]:
    """Return the constants of the language with further values."""
    return {**_CONSTANTS, **values}
