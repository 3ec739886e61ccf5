"""The names that an expression may use, and the values they stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

from dalembert.errors import nearest
from dalembert.language.building import CONSTANTS, TIME, Expr
from dalembert.language.functions import FUNCTIONS, Calls
from dalembert.language.state_names import INTEGRAL, is_integral

MAX_WORK = 8_000_000  # parts of all operations on the way, over all expressions read with one vocabulary
MAX_HINTS = 20  # names for which nearest ones are searched


class Value(NamedTuple):
    """An expression with what is known of its cost.

    bits: of the exact numbers among its factors. denominator: a common multiple of the denominators in it.
    constant: whether it has no symbols.
    """

    expr: Expr
    nodes: int = 1
    bits: int = 0
    denominator: int = 1
    constant: bool = False


class PartNames(Protocol):
    """Knows outputs, and the quantities of parts, which are written with a point: `A.force`."""

    @property
    def outputs(self) -> Collection[str]:
        """The names of outputs."""
        ...

    def knows(self, name: str) -> bool:
        """Tell whether it is one of these names, be it right or wrong."""
        ...

    def wrong(self, name: str, primes: int) -> str:
        """Say what is wrong with such a name and its primes; nothing if it can be used."""
        ...


@dataclass(frozen=True)
class Vocabulary:
    """The names that may appear in an expression, and what each means; of states, the coordinates they belong to."""

    coordinates: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    definitions: Mapping[str, Value] = field(default_factory=dict)
    time: bool = True
    parts: PartNames | None = None
    controls: tuple[str, ...] = ()  # with a law, the rates of which are not known
    calls: Calls = field(default_factory=dict)  # own functions, by derivative
    rates: dict[tuple[str, int], Value] = field(default_factory=dict, compare=False, repr=False)  # of definitions
    _work: Counter[str] = field(default_factory=Counter, compare=False, repr=False)
    _hints: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def _kinds(self) -> dict[str, str]:
        states = [name.removeprefix(INTEGRAL) for name in self.coordinates if is_integral(name)]
        kinds = dict.fromkeys(self.parameters, "a parameter") | dict.fromkeys(self.coordinates, "a coordinate")
        return kinds | dict.fromkeys(self.controls, "a control") | dict.fromkeys(states, "a state")

    def kind(self, name: str) -> str | None:
        """Say what a name stands for; what is declared wins over what is built in."""
        if name in self._kinds:
            return self._kinds[name]
        if name in self.definitions:
            return "a definition"
        return "the time" if name == TIME else "a constant" if name in CONSTANTS else None

    def names(self) -> list[str]:
        """List every name that may be written."""
        moving = [name.removeprefix(INTEGRAL) for name in self.coordinates]
        outputs = self.parts.outputs if self.parts else ()
        own = list(dict.fromkeys((*moving, *self.parameters, *self.controls, *self.definitions, *outputs)))
        extra = [name for name in CONSTANTS if name not in own]
        return [*own, *([TIME] if self.time else []), *extra, *self.calls, *FUNCTIONS, "if"]

    def hint(self, name: str) -> str:
        """Say which name may have been meant; for the first few only, as the search takes time."""
        for ending, primes in (("ddot", "''"), ("dot", "'"), ("dd", "''"), ("d", "'")):
            stem = name.removesuffix(ending).rstrip("_")
            if stem != name and self._kinds.get(stem) == "a coordinate":
                return f"; time derivatives are written with primes: {stem}{primes}"
        if name not in self._hints:
            if len(self._hints) >= MAX_HINTS:
                return ""
            self._hints[name] = f"; {nearest(name, self.names())}"
        return self._hints[name]

    def spend(self, nodes: int) -> bool:
        """Count work on an expression; tell whether all of it keeps the bound."""
        self._work["nodes"] += nodes
        return self._work["nodes"] <= MAX_WORK
