"""What is given to public calls, read where it arrives and refused in words that name the argument."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import DalembertError, ModelError, nearest

P = ParamSpec("P")
R = TypeVar("R")


def shown(value: Any) -> str:
    """Show a value in a message, shortened.

    >>> shown([1, 2]), shown(None)
    ('the list [1, 2]', 'None')
    """
    if value is None or isinstance(value, (str, bool, int, float)):
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**60 else "a very large number"
        return text if len(text) <= 60 else text[:60] + "…"
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of somebody else's class
        text = ""
    return f"the {type(value).__name__} {text}" if 0 < len(text) <= 60 else f"a value of type {type(value).__name__}"


def choice(
    value: Any, known: Collection[str], what: str, several: str, error: type[DalembertError] = ModelError
) -> str:
    """Return a name that is among the known ones, or say which may have been meant."""
    if isinstance(value, str):
        if value in known:
            return value
        raise error(f"no {what} `{value[:200]}`; {nearest(value, known, several)}")
    raise error(f"a {what} is given by its name, got {shown(value)}; {nearest('', known, several)}")


def keywords(what: str, several: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function answer keywords that it does not have with the nearest that it has."""

    def answering(function: Callable[P, R]) -> Callable[P, R]:
        known = [name for name in signature(function).parameters if name != "self"]

        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> R:
            for name in given:
                if name not in known:
                    raise ModelError(f"{what} `{name}`; {nearest(name, known, several)}")
            return function(*args, **given)

        return call

    return answering


def names(argument: str, value: Any, what: str = "names") -> tuple[str, ...]:
    """Return one name or several."""
    found: tuple[Any, ...] = (value,) if isinstance(value, str) else tuple(value) if _is_list(value) else (None,)
    if not all(isinstance(name, str) for name in found):
        raise ModelError(f"`{argument}` takes {what}: a text, or a list of texts; got {shown(value)}")
    return found


def table(argument: str, value: Any) -> dict[Any, Any]:
    """Return values by name; none if nothing is given."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ModelError(f'`{argument}` takes values by name, as in {{"x": 1}}; got {shown(value)}')
    return dict(value)


def number(argument: str, value: Any) -> float:
    """Return a number, which may be infinite or no number at all."""
    try:
        return float("no number" if isinstance(value, (str, bytes, bool, np.bool_)) else value)
    except OverflowError:  # of a whole number
        return math.inf if int(value) > 0 else -math.inf
    except (TypeError, ValueError):
        raise ModelError(f"`{argument}` must be a number, got {shown(value)}") from None


def positive(argument: str, value: Any, most: float = math.inf) -> float:
    """Return a positive number; an infinite one only if that is what most says by leaving it open."""
    found = number(argument, value)
    if not 0 < found <= most:
        raise ModelError(f"`{argument}` must be positive, got {shown(value)}")
    return found


def whole(argument: str, value: Any, least: int, most: int) -> int:
    """Return a whole number between limits."""
    found = number(argument, value)
    if not (least <= found <= most and found == int(found)):
        raise ModelError(f"`{argument}` must be a whole number from {least:,} to {most:,}, got {shown(value)}")
    return int(found)


def array(argument: str, value: Any, copy: bool = True) -> Array:
    """Return numbers as an array of any shape; `copy`: one's own, even if they are an array already."""
    try:
        given = np.asarray(value)
        if given.dtype.kind in "biufO" and value is not None:
            return given.astype(float, copy=copy)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ModelError(f"`{argument}` takes numbers, got {shown(value)}")


def switch(argument: str, value: Any) -> bool:
    """Return True or False, and nothing that only counts as such."""
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(f"`{argument}` is True or False, got {shown(value)}")
    return bool(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping))
