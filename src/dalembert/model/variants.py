"""Variants of a system that differ in values only: nothing is read again, and what still holds of it is taken over.

Numbers are put in place at once. What is not a number (an expression of parameters, None, text) is left to those who
read models, which takes longer; in the end it is compared whether the structure has stayed the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import symengine as se

from dalembert.language.building import Expr
from dalembert.model.changes import thawed
from dalembert.model.facts import PARAMETERS, STRUCTURE, Survey

if TYPE_CHECKING:
    from dalembert.model.stated import Stated

_NUMBERS = ("parameters", "initial", "guess")
_STRUCTURE = ("coordinates", "kinetic", "potential", "mass", "force", "forces", "constraints", "dimensions", "gravity")
Kind = TypeVar("Kind", bound="Stated")
_LARGE = 2**53  # whole numbers beyond are not all floats


def plain_number(value: Any) -> float | int | None:
    """Return a finite number as Python has it; None of anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return None
    found = int(value) if isinstance(value, (int, np.integer)) else float(value)
    return found if abs(found) < _LARGE or (isinstance(found, float) and math.isfinite(found)) else None


def plain_values(given: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Expr] | None:
    """Return values by name as expressions; None if they are not all numbers, or of something unknown."""
    numbers = {name: plain_number(value) for name, value in given.items()}
    if any(value is None or name not in known for name, value in numbers.items()):
        return None
    return {
        name: se.Integer(value) if isinstance(value, int) else se.RealDouble(value) for name, value in numbers.items()
    }


def plain_parameters(given: Mapping[str, Any], present: Mapping[str, Any]) -> dict[str, float] | None:
    """Return values of parameters; None if they are not all numbers in place of numbers."""
    numbers = {name: plain_number(value) for name, value in given.items()}
    if any(value is None or present.get(name) is None for name, value in numbers.items()):
        return None
    return {name: float(value) for name, value in numbers.items() if value is not None}


def in_numbers(system: Kind, changes: Mapping[str, Any]) -> Kind | None:
    """Return a variant in other numbers; None if something else changes, or must be read to be judged."""
    changed: dict[str, Any] = {}
    for part, change in changes.items():
        if part not in _NUMBERS or not isinstance(change, Mapping):
            return None
        if not all(isinstance(name, str) for name in change):
            return None
        values = system.numbers(part, change)
        if values is None or not changed.keys().isdisjoint(values):  # of what two of them change, one would be lost
            return None
        changed |= values
    return with_values(system, changed) if changed else None


def with_values(system: Kind, changed: Mapping[str, Any]) -> Kind:
    """Return a system of the same structure with some of its fields changed; those that are mappings are frozen."""
    variant = object.__new__(type(system))
    known, own = vars(system), vars(variant)
    for name in _field_names(type(system)):
        value = changed[name] if name in changed else known[name]
        own[name] = MappingProxyType(value) if type(value) is dict else value
    if system.written is not system:
        own["original"] = system.written
    _take_over(variant, system, "parameters" not in changed or changed["parameters"] == system.parameters)
    return variant


@cache
def _field_names(kind: type[Stated]) -> tuple[str, ...]:
    return tuple(part.name for part in fields(kind))


def take_over(variant: Stated, system: Stated) -> None:
    """Let a variant that was read anew share what is known, as far as it is the same."""
    if same_structure(variant, system):
        _take_over(variant, system, variant.parameters == system.parameters)


def same_structure(one: Stated, other: Stated) -> bool:
    """Tell whether two systems differ in values only."""
    if type(one) is not type(other) or tuple(one.parameters) != tuple(other.parameters):
        return False
    names = [name for name in (*_STRUCTURE, "tables", "sections") if hasattr(other, name)]
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _take_over(variant: Stated, system: Stated, same: bool) -> None:
    holds = (STRUCTURE, PARAMETERS) if same else (STRUCTURE,)
    object.__setattr__(variant, "survey", Survey(system.survey, holds))


@dataclass(frozen=True)
class History:
    """What a system was first made of, as it was written, and the changes since.

    Expressions hold what definitions stood for when they were read: if one changes, all is read anew.
    """

    given: Mapping[str, Any]
    changes: tuple[Mapping[str, Any], ...] = ()

    def after(self, change: Mapping[str, Any]) -> History:
        """Return it after one more change; numbers that follow numbers are put together."""
        last = self.changes[-1] if self.changes else {}
        if last and all(
            part in _NUMBERS and isinstance(new, Mapping) for part, new in (*last.items(), *change.items())
        ):
            both = {part: {**last.get(part, {}), **change.get(part, {})} for part in {**last, **change}}
            return History(self.given, (*self.changes[:-1], both))
        return History(self.given, (*self.changes, change))


def redefined(system: Kind, changes: Mapping[str, Any]) -> Kind | None:
    """Return a variant in which definitions that were there have changed; None if none of them does."""
    change, present = changes.get("define"), system.sections.get("define", {})
    if not isinstance(change, Mapping):
        return None
    new = {name: text for name, text in change.items() if name in present and text != present[name]}
    if not new or system.history is None:
        return None
    define = {name: text for name, text in {**present, **change}.items() if text is not None}
    made = type(system)(**{**system.history.given, "define": define}, source=system.source)
    for old in system.history.changes:
        made = made.replace(**{part: what for part, what in old.items() if part != "define"})
    rest = {part: what for part, what in changes.items() if part != "define"}
    return made.replace(**rest) if rest else made


def begin_history(system: Stated, given: Mapping[str, Any], symbols: Mapping[str, Any] | None) -> None:
    """Remember what a system is made of, if there are definitions that could change."""
    if given.get("define"):
        object.__setattr__(system, "history", History(thawed({**given, "symbols": symbols})))


def with_history(variant: Kind, system: Kind, changes: Mapping[str, Any]) -> Kind:
    """Let a variant know of what it was made."""
    if system.history is not None:
        known = system.history.after(thawed(changes))
        define = dict(variant.sections.get("define", {}))
        object.__setattr__(variant, "history", History({**known.given, "define": define}, known.changes))
    elif system.sections.get("define"):
        object.__setattr__(variant, "history", None)
    return variant
