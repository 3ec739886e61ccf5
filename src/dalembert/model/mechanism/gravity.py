"""Gravity where a mechanism does not say: 9.81 m/s² downwards, as a parameter, so that formulas say g as people do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any

import symengine as se

from dalembert.language.late_sympy import is_sympy
from dalembert.language.tokens import NAME
from dalembert.model.given import Given
from dalembert.model.mechanism.vectors import ZERO, Vector

STANDARD = 9.81  # m/s²
OWN = "g"  # how everybody calls it


def gravity_name(given: Given, tables: Mapping[str, Any], others: Iterable[Any]) -> str:
    """Return the name of the parameter that gravity gets: g, or g_0 where the user calls something else g.

    others: names of coordinates. Empty if gravity is given, or is the user's own g.
    """
    if tables.get("gravity") is not None or is_own(given, tables):
        return ""
    taken = {str(name) for name in others}
    for part in (given.parameters, *given.sections.values(), *tables.values()):
        taken |= {str(name) for name in part} if isinstance(part, Mapping) else set()
    written = [getattr(given, name) for name in ("kinetic", "potential", "forces", "constraints", "initial", "guess")]
    taken |= symbols_in([*written, given.sections, tables])
    return next(name for name in chain(["g"], (f"g_{k}" for k in count())) if name not in taken)


def is_own(given: Given, tables: Mapping[str, Any]) -> bool:
    """Tell whether the user has a parameter g that nothing else is made of: what is meant by it is gravity."""
    if tables.get("gravity") is not None or not isinstance(given.parameters, Mapping) or OWN not in given.parameters:
        return False
    written = [getattr(given, name) for name in ("coordinates", "kinetic", "potential", "forces", "constraints")]
    written += [given.initial, given.guess, given.sections, tables, list(given.parameters.values())]
    return OWN not in words_in(written)


def words_in(given: Any) -> set[str]:
    """Return all names in what is given, in texts and as keys too."""
    if isinstance(given, str):
        return set(NAME.findall(given))
    if isinstance(given, Mapping):
        return words_in([*given.keys(), *given.values()])
    if isinstance(given, Sequence):
        return set().union(*map(words_in, given))
    return symbols_in(given)


def symbols_in(given: Any) -> set[str]:
    """Return the names of symbols in expressions of SymPy and SymEngine, which are parameters also if not declared."""
    if isinstance(given, Mapping):
        return symbols_in([*given.keys(), *given.values()])
    if is_sympy(given) or isinstance(given, se.Basic):
        return {str(symbol) for symbol in getattr(given, "free_symbols", ())}
    found: set[str] = set()
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        found.update(*map(symbols_in, given))
    return found


def downwards(name: str, dimensions: int) -> Vector:
    """Return gravity along −y, in space along −z."""
    return (*[ZERO] * (dimensions - 1), -se.Symbol(name))


def with_gravity(given: Given, name: str) -> Given:
    """Return what is given with the parameter of gravity, if it has one."""
    if not name or not isinstance(given.parameters, Mapping):
        return given
    return replace(given, parameters={**given.parameters, name: STANDARD})
