"""What programmes take of controls that have laws of their own: `u.programme` in the law of `u`.

    [controls.u]
    acts = {x = 1}
    law = "max(-5, min(5, u.programme - 40*(x - path) - 9*(x' - path')))"

`u.programme` is what u would have to be for the programmes to hold, at the state at which the motion is. The programmes
are no conditions on the motion then: what it does follows from the laws. While a model is read a symbol stands for each
of them, for which `survey/servo_led.py` puts the formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.quantity import Quantity

ASKED = "programme"  # what is asked of a control
FED_FORWARD = ("what programmes take of controls that have laws",)  # under which the formulas are known
_NAMED = re.compile(rf"(?<![\w.])([^\W\d]\w*)\.{ASKED}\b")
_SYMBOL = f"{ASKED} of "  # which no name of a user begins with, as it has spaces


@dataclass(frozen=True)
class FedForward:
    """A control, of which its programme can be asked."""

    quantities: Mapping[str, Quantity]


def led_in(sections: Mapping[str, Any]) -> list[str]:
    """Return the controls of which laws ask what programmes take, in the order of the model."""
    given, programmes = sections.get("controls"), sections.get("programme")
    if not isinstance(given, Mapping) or not isinstance(programmes, Mapping) or not programmes:
        return []
    laws = [entries.get("law") for entries in given.values() if isinstance(entries, Mapping)]
    asked = {name for law in laws for name in _asked_by(law)}
    return [name for name in given if name in asked]


def _asked_by(law: Any) -> Iterable[str]:
    if isinstance(law, str):
        return _NAMED.findall(law)
    ends = f".{ASKED}"
    symbols = law.free_symbols if isinstance(law, se.Basic) else ()
    return [symbol.name.removesuffix(ends) for symbol in symbols if symbol.name.endswith(ends)]


def placeholder(control: str) -> Expr:
    """Return the symbol that stands for what is not known yet."""
    return se.Symbol(_SYMBOL + control)


def fed_forward(controls: Iterable[str], find: Callable[[str], Expr] = placeholder) -> Mapping[str, FedForward]:
    """Return the controls as parts of which quantities can be asked."""
    return MappingProxyType(
        {name: FedForward(MappingProxyType({ASKED: Quantity(lambda name=name: find(name))})) for name in controls}
    )
