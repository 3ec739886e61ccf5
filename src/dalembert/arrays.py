"""Names for what is passed around between the algorithms."""

from __future__ import annotations

import ctypes
from dataclasses import fields
from typing import Any

import numpy as np

Array = np.ndarray
_addressof, _from_buffer = ctypes.addressof, ctypes.c_char.from_buffer
Sparse = Any  # a two-dimensional scipy sparse array; scipy's own types say too little of it


class Arrays:
    """A dataclass of arrays that prints short ones whole and of long ones their shape."""

    def __repr__(self) -> str:
        shown = []
        for part in fields(self):  # pyright: ignore[reportArgumentType]
            value = getattr(self, part.name)
            if value is not None:
                size = "×".join(map(str, np.shape(value)))
                few = np.size(value) <= 8
                shown.append(f"{part.name} {np.array2string(np.asarray(value), precision=6) if few else size}")
        return f"<{type(self).__name__}: {', '.join(shown)}>"


def address(array: Any) -> int:
    """Return where the entries of an array lie, for native code; 0 if there are none."""
    if not array.size:
        return 0
    try:
        return _addressof(_from_buffer(array))  # a part of the time of `array.ctypes.data`
    except TypeError:  # not to be written to, or with gaps
        return array.ctypes.data


def read_only(array: Array) -> Array:
    """Return a view of an array that cannot be written to: what was computed is not changed by what is made of it."""
    view = array.view()
    view.flags.writeable = False
    return view
