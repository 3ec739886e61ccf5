"""A motion as a MATLAB file (version 5): a column for each name, names as MATLAB allows them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dalembert.arrays import Array

NAMES, MODEL = "column_names", "model"  # what stands beside the columns
_LONGEST = 63
_KEYWORDS = (
    *("break", "case", "catch", "classdef", "continue", "else", "elseif", "end", "for", "function", "global", "if"),
    *("otherwise", "parfor", "persistent", "return", "spmd", "switch", "try", "while"),
)


def matlab_names(names: Iterable[str]) -> list[str]:
    """Return different names that MATLAB takes: x' becomes x_d, and x'' x_dd.

    >>> matlab_names(["phi", "phi'", "phi''", "A.x", "A_x", "end", "α"])
    ['phi', 'phi_d', 'phi_dd', 'A_x', 'A_x_', 'end_', 'u3b1']
    """
    found: dict[str, None] = {}
    for name in names:
        plain = name.rstrip("'")
        plain += "_" * (plain != name) + "d" * (len(name) - len(plain))
        plain = "".join(c if c.isascii() else f"u{ord(c):x}" for c in plain)
        plain = re.sub(r"\W", "_", plain)
        plain = (plain if plain[:1].isalpha() else f"x{plain}")[:_LONGEST]
        while plain in found or plain in _KEYWORDS or plain in (NAMES, MODEL):
            plain = plain[: _LONGEST - 1] + "_" if len(plain) < _LONGEST else _next(plain)
        found[plain] = None
    return list(found)


def _next(name: str) -> str:
    """Count up at the end of a name that is as long as it may be."""
    digits = re.search(r"\d*$", name)
    number = str(int(digits.group() or 0) + 1) if digits else "1"
    return name[: _LONGEST - len(number)] + number


def to_mat(file: BinaryIO, table: dict[str, Array], model: str) -> None:
    """Write the columns, the names that they have in the model, and the model itself as text."""
    from scipy.io import savemat

    plain = matlab_names(table)
    names = np.array([[new, old] for new, old in zip(plain, table, strict=True)], dtype=object)
    columns = {new: np.asarray(values, dtype=float) for new, values in zip(plain, table.values(), strict=True)}
    savemat(file, {**columns, NAMES: names, MODEL: model}, oned_as="column", long_field_names=True, do_compression=True)


def from_mat(path: Path) -> dict[str, Array]:
    """Read the columns by the names that they have in the model."""
    from scipy.io import loadmat

    try:
        data: dict[str, Any] = loadmat(path)
    except Exception as error:  # whatever a damaged file leads the reader to
        raise ValueError(str(error)) from None
    if NAMES not in data:
        raise ValueError(f"it has no `{NAMES}`, so it was not written by dalembert")
    pairs = [(str(new.item()), str(old.item())) for new, old in data[NAMES]]
    return {old: data[new].ravel() for new, old in pairs}
