"""SymPy, loaded when it is first used: many a model is read and moved without it, in less time than loading takes."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy as sp
else:

    class _Later:
        """Stands for a module until something of it is asked for."""

        def __getattr__(self, name: str) -> Any:
            value = getattr(importlib.import_module("sympy"), name)
            setattr(self, name, value)
            return value

    sp = _Later()


def is_sympy(value: Any) -> bool:
    """Tell whether something is of SymPy; nothing is, where nobody has loaded it."""
    return "sympy" in sys.modules and isinstance(value, sp.Basic)


def is_coordinate(value: Any) -> bool:
    """Tell whether something is a function of time as SymPy writes it, x(t)."""
    return is_sympy(value) and isinstance(value, sp.core.function.AppliedUndef)


def dynamicsymbols() -> Any:
    """Return the function that makes coordinates; its attribute `_t` is the time."""
    from sympy.physics.vector import dynamicsymbols

    return dynamicsymbols
