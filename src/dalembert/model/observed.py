"""What can be asked of a motion: expressions of t, q, v, q̈, parameters, multipliers and quantities of parts.

    m*g*y        x' and x''        lambda_rod        p_x        H        A.force        A.angle'        rod.P.x

An expression is read with the names of the system, and keeps those of quantities as they are written; `Observed` puts
in what they stand for. Names of the system win over `lambda_…`, `p_…` and `H`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import symengine as se

from dalembert.arguments import shown
from dalembert.errors import ModelError, nearest
from dalembert.language.building import TIME, Expr
from dalembert.language.foreign import Admission
from dalembert.language.functions import Calls
from dalembert.language.late_sympy import is_sympy
from dalembert.language.parser import parse
from dalembert.language.time_derivatives import order, rate
from dalembert.language.vocabulary import Value, Vocabulary
from dalembert.model.momenta import EnergySource, canonical_names, canonical_quantity
from dalembert.model.quantity import MULTIPLIER, Quantity, multiplier

_RATES = ("", "/s", "/s²", "/s³")


@dataclass(frozen=True)
class Scope:
    """The names of a system: those that expressions may use, and those of its constraints and parts.

    parts: of which quantities can be asked, by kind and name; of equal names the first counts. outputs: expressions by
    name; `written` are the names of all, also of those that cannot be used yet. calls: functions of the model's own.
    aliases: names that stand for expressions of coordinates; `meant` puts these in. energies: what momenta are made of.
    """

    coordinates: tuple[str, ...]
    parameters: tuple[str, ...]
    constraints: tuple[str, ...]
    parts: Sequence[Mapping[str, Any]] = ()
    inward: Callable[[Any], Expr] | None = None
    definitions: Mapping[str, Value] = field(default_factory=dict)
    outputs: Mapping[str, Expr] = field(default_factory=dict)
    written: Collection[str] = ()
    calls: Calls = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    meant: Callable[[Expr], Expr] = lambda expr: expr
    energies: EnergySource = field(default_factory=EnergySource)


def multiplier_names(scope: Scope) -> dict[str, str]:
    """Return how multipliers are written, and the constraint of each; what can mean two things means none."""
    taken = {*scope.coordinates, *scope.parameters}
    found: dict[str, list[str]] = {}
    for name in scope.constraints:
        found.setdefault(MULTIPLIER + name.replace(".", "_"), []).append(name)
    return {name: meant[0] for name, meant in found.items() if len(meant) == 1 and name not in taken}


def asks_for(expr: Expr, names: Collection[str]) -> bool:
    """Tell whether an expression asks for quantities of parts, multipliers, or one of some names."""
    used = {symbol.name.rstrip("'") for symbol in expr.free_symbols}
    return any("." in name or name.startswith(MULTIPLIER) or name in names for name in used)


class Observed:
    """Reads what is asked of the motions of a system."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.multipliers = multiplier_names(scope)
        self._meanings: dict[str, Expr] = {}
        self._open: set[str] = set()  # whose meaning is being looked for

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All names that may be used."""
        names = (*self.scope.parameters, *self.multipliers)
        known, controls = self.scope.definitions, tuple(self.scope.outputs)  # of them, definitions know controls only
        moving = (*self.scope.coordinates, *self.scope.aliases)
        return Vocabulary(moving, names, known, parts=self, controls=controls, calls=self.scope.calls)

    @cached_property
    def canonical(self) -> dict[str, str]:
        """How momenta and H are written, with the coordinate of each; what means something else means that."""
        scope = self.scope
        named = (scope.parameters, scope.definitions, scope.outputs, scope.written, scope.calls, scope.aliases)
        return canonical_names(scope.coordinates, {*scope.coordinates, *(name for some in named for name in some)})

    def read(self, value: Any) -> Expr:
        """Read a text, or an expression of SymPy in the symbols of the system."""
        if isinstance(value, str):
            return parse(value, self.vocabulary)
        if is_sympy(value) and self.scope.inward is not None:
            value = self.scope.inward(value)
        if not isinstance(value, se.Basic):
            raise ModelError(f'expected an expression, as in "x + l*sin(phi)"; got {shown(value)}')
        expr = Admission(self.scope.calls)(value)
        for symbol in sorted(expr.free_symbols, key=str):
            self.check(symbol.name)
        return expr

    def check(self, name: str) -> None:
        """Refuse a symbol that has no value along a motion."""
        plain = name.rstrip("'")
        primes, scope = len(name) - len(plain), self.scope
        if self.knows(plain):
            if wrong := self.wrong(plain, primes):
                raise ModelError(wrong)
        elif (plain in scope.coordinates or plain in scope.aliases) and primes <= 2:
            pass
        elif primes or not (plain == TIME or plain in scope.parameters or plain in self.multipliers):
            raise ModelError(f"unknown name `{name}`; {nearest(name, self.vocabulary.names())}")

    # --- quantities of parts -----------------------------------------------------------------------------------------

    @property
    def outputs(self) -> Collection[str]:
        """The names of outputs that can be used."""
        return self.scope.outputs

    def knows(self, name: str) -> bool:
        """Tell whether a name is one of an output or of a quantity."""
        return "." in name or name in self.scope.outputs or name in self.scope.written or name in self.canonical

    def wrong(self, name: str, primes: int) -> str:
        """Say what is wrong with the name of a quantity or an output; nothing if it can be used."""
        quantity = self._quantity(name)
        if isinstance(quantity, str):
            return quantity
        try:
            if primes:
                self._rate(name, quantity, primes)
        except ModelError as error:
            return str(error)
        return ""

    def _quantity(self, name: str) -> Quantity | str:
        """Find a quantity or an output, or say that there is none."""
        if name in self.scope.outputs:
            return Quantity(lambda: self._output(name))
        if name in self.canonical:
            return canonical_quantity(self.scope.energies, self.canonical[name])
        if "." not in name:
            return f"`{name[:60]}` is not known here: one may use those that stand above it"
        part, _, key = name.partition(".")
        found: dict[str, Quantity] = {}
        for parts in reversed(self.scope.parts):
            if part in parts:
                found |= parts[part].quantities
        if key in found:
            return found[key]
        if not found:
            known = [name for parts in self.scope.parts for name in parts]
            return (
                f"there is no part `{part[:60]}` of which `{key[:60]}` could be asked; {nearest(part, known, 'parts')}"
            )
        return f"`{part}` has no `{key[:60]}`; {nearest(key, list(found), 'it has')}"

    def _output(self, name: str) -> Expr:
        """Return an output after all above it, so that none waits for another, however many there are."""
        for other, expr in self.scope.outputs.items():
            if other not in self._meanings:
                self._meanings[other] = self.resolved(expr)
            if other == name:
                break
        return self._meanings[name]

    def _rate(self, name: str, quantity: Quantity, primes: int) -> Expr:
        """Return a quantity, or a time derivative of it, as an expression."""
        if primes == 0:
            return self.resolved(quantity.make())  # what a part does may follow a law of control
        if primes == 1 and quantity.rate is not None:
            return self.scope.meant(quantity.rate())
        what = name + "'" * (primes - 1)
        return self.derivative(self._rate(name, quantity, primes - 1), what)

    def derivative(self, expr: Expr, what: str) -> Expr:
        """Differentiate an expression of t, q and v by time; `what` is how it is written."""
        moving = {*self.scope.coordinates, *self.scope.aliases}  # of which those are left that are defined
        beyond = order(expr, moving) > 1
        if beyond or any(symbol.name.startswith("lambda ") for symbol in expr.free_symbols):
            why = "accelerations" if beyond else "multipliers"
            raise ModelError(f"`{what}` depends on {why}, whose time derivatives are not known; leave out a prime")
        return rate(expr, moving)

    # --- what they stand for -----------------------------------------------------------------------------------------

    def resolved(self, expr: Expr) -> Expr:
        """Put in what names stand for: what is left are t, q, v, q̈, parameters, and symbols of multipliers."""
        found = {symbol: value for symbol in expr.free_symbols if (value := self._meant(symbol.name)) is not None}
        return self.scope.meant(expr.xreplace(found) if found else expr)

    def _meant(self, name: str) -> Expr | None:
        if name not in self._meanings:
            if name in self.multipliers:
                self._meanings[name] = multiplier(self.multipliers[name])
            elif self.knows(plain := name.rstrip("'")) and not name.startswith("lambda "):
                quantity = self._quantity(plain)
                if isinstance(quantity, str):
                    raise ModelError(quantity)
                if name in self._open:
                    raise ModelError(f"`{name}` depends on itself; write what it is without its name")
                self._open.add(name)
                try:
                    self._meanings[name] = self._rate(plain, quantity, len(name) - len(plain))
                finally:
                    self._open.discard(name)
            else:
                return None
        return self._meanings[name]

    def unit(self, name: str) -> str:
        """Return the unit of a quantity of a part with its primes."""
        plain = name.rstrip("'")
        quantity = self._quantity(plain) if "." in plain else ""
        return "" if isinstance(quantity, str) else over_time(quantity.unit, len(name) - len(plain))


def over_time(unit: str, order: int) -> str:
    """Return the unit of a time derivative: rad/s of rad, rad/s² of rad/s."""
    if not unit or not order:
        return unit
    plain, seconds = (unit[:-2], 1) if unit.endswith("/s") else (unit, 0)
    return plain + _RATES[order + seconds]
