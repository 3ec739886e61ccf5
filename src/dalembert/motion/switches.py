"""Switches: places where the equations change at once, through if, step, abs, sign, min and max, or very quickly.

A *switching expression* passes zero there: the argument of abs, sign and step, the difference of what min, max and
conditions compare. Smooth functions with a narrow place in them have one too (`sharp`): the flanks of exp(-(t/ε)²), the
middle of tanh(t/ε). Those that depend on t alone are isolated by interval arithmetic: no step crosses one, and the
motion starts afresh behind it, so that nothing in time is too narrow to be met. Those that depend on the state are met
by explicit methods (`steppers/switch_search.py`), and looked at by the certificate, inside the steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.blocks.assembled import is_large
from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import Calculus
from dalembert.language.functions import INTERVALS, function_of
from dalembert.language.intervals import Interval, zones
from dalembert.language.program import Program
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.quantity import multipliers_in
from dalembert.model.reading_equations import expressions

if TYPE_CHECKING:
    from dalembert.model.system import System

Ordered = dict[Expr, None]  # a set that keeps its order
_TIME = se.Symbol(TIME)
_SHARP = (se.tanh, se.atan, se.Pow)
_PAIRS = 400  # comparisons inside one min or max, at most
_BOXES = 20_000  # looked at together
_WORK = 10_000_000  # boxes in all, some seconds
_SHORTEST_WINDOW = 1e-4  # of the duration; in a shorter one, not many switches but one that cannot be located
_MARGIN = 8  # neighbouring floats between a switch and the steps on either side
_NEAR_ZERO = 1e-6  # of the duration: below it, times are as good as this one's floats
_WIDE = 1e-9  # of the duration: what cannot be decided for longer is said
_SHORTEST = 1e-13  # of the time: between two stops; steppers need some ten times less


@dataclass(frozen=True)
class Switching:
    """The switching expressions of a system: of time alone, and of the state.

    Those of functions that really switch come first; `hard` says how many, of each. `dips` are what is divided by, or
    what a root is taken of: quotient and root are narrow where that dips. `reactions` are those in which multipliers
    stand and forces have a kink: steps end at them too.
    """

    times: tuple[Expr, ...] = ()
    states: tuple[Expr, ...] = ()
    hard: tuple[int, int] = (0, 0)
    dips: tuple[Expr, ...] = ()
    reactions: tuple[Expr, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.times or self.states or self.reactions)


@fact(STRUCTURE)
def switching(system: System) -> Switching:
    """Collect the switching expressions of energies, matrices, forces and constraints, nested ones too."""
    by_kinds = is_large(system) and not system.defined
    if by_kinds and not any(found(expressions(kind.local)) for kind in system.repeated.kinds):
        return Switching()
    state, parameters = {*system.coordinates, *system.velocities}, set(system.parameters)
    state |= {symbol.name for symbol in system.defined}
    known = _sorted(*(found(expressions(system)) or ((), (), ())), state, parameters)
    return replace(known, reactions=_bent_by_reactions(system)) if system.followed else known


def _bent_by_reactions(system: System) -> tuple[Expr, ...]:
    """Return what passes zero where forces have a kink in their reactions; jumps are left to the control of errors."""
    kinks = set().union(*(expr.atoms(se.Abs, se.Max, se.Min) for expr in expressions(system)))
    calls = [(function_of(node), node.args) for node in sorted(kinks, key=str)]
    passing = [u for function, args in calls if function and function.switches for u in function.switches(*args)]
    return tuple(dict.fromkeys(u for u in passing if multipliers_in(u)))


def found(given: Iterable[Expr]) -> tuple[Ordered, Ordered, Ordered] | None:
    """Collect what passes zero where functions switch, or are sharp, and what is divided by; None if there is none."""
    seen: set[Expr] = set()
    hard, soft, dips = Ordered(), Ordered(), Ordered()
    stack = list(given)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        args = node.args
        if not args:
            continue
        stack.extend(args)
        function = function_of(node)
        if function is not None and function.switches is not None:
            hard.update(dict.fromkeys(function.switches(*args)))
        elif isinstance(node, _SHARP):
            soft.update(dict.fromkeys(_sharp(node)))
            if node.is_Pow and (_is_negative(args[1]) or _is_root(args[1])) and not args[0].is_Symbol:
                dips[args[0]] = None
    return (hard, soft, dips) if hard or soft or dips else None


def _is_negative(exponent: Expr) -> bool:
    return exponent.is_Number and float(exponent) < 0


def _is_root(exponent: Expr) -> bool:
    """Tell whether it is that of a root: the root of a square has a kink where the square dips to zero."""
    return exponent.is_Number and 0 < float(exponent) < 1


def _sorted(
    hard: Iterable[Expr], soft: Iterable[Expr], dips: Iterable[Expr], state: set[str], parameters: set[str]
) -> Switching:
    """Tell those of time from those of the state; what depends on parameters alone does not switch."""
    times: list[Expr] = []
    states: list[Expr] = []
    counts = (0, 0)
    for k, source in enumerate((hard, soft)):
        for expression in source:
            names = {symbol.name for symbol in expression.free_symbols} - parameters
            if names == {TIME}:
                times.append(expression)
            elif names and names <= state | {TIME}:
                states.append(expression)
        if k == 0:
            counts = (len(times), len(states))
    quotients = tuple(e for e in dips if not {symbol.name for symbol in e.free_symbols}.isdisjoint(state))
    return Switching(tuple(times), tuple(states), counts, quotients)


def _sharp(node: Expr) -> list[Expr]:
    """Return what passes zero in the middle, or on the flanks, of a smooth function that may be narrow."""
    if isinstance(node, (se.tanh, se.atan)):
        return [node.args[0]]
    if not node.is_Pow:
        return []
    base, exponent = node.args
    if exponent.free_symbols:  # an exponential, of any base
        exponent = exponent if base == se.E else exponent * se.log(base)
        return [exponent + 1, exponent]
    if _is_negative(exponent) and {s.name for s in base.free_symbols} >= {TIME}:
        calculus = Calculus([_TIME])  # 1/(1 + (t/ε)²) has its peak where the base does not change
        return [calculus.lower(calculus.diff(calculus.lift(base), _TIME))]
    return []


@dataclass(frozen=True)
class SwitchTime:
    """A switch in time: where the motion stops before it, and where it goes on."""

    before: float
    after: float


class Stops:
    """The switches in time from a start to the end, isolated window by window as they are asked for.

    `notes` says in words what could not be decided; `known` is up to when all of them are found.
    """

    def __init__(self, system: System, found: Switching, parameters: Sequence[float], start: float, until: float):
        self._system, self._times = system, found.times
        self._values = [float(value) for value in parameters]
        self.until, self.known = until, start if found.times else until
        self.notes: list[str] = []
        self._stops: deque[SwitchTime] = deque()
        self._window, self._left = until - start, _WORK
        self._shortest = _SHORTEST_WINDOW * (until - start)

    @cached_property
    def _program(self) -> Program:
        return Program([_TIME, *(se.Symbol(name) for name in self._system.parameters)], self._times)

    def next(self, t: float) -> SwitchTime | None:
        """Return the first switch that is not behind a time."""
        while True:
            while self._stops and self._stops[0].after <= t:
                self._stops.popleft()
            if self._stops and (len(self._stops) > 1 or self.known >= self.until):
                return self._stops[0]
            if self.known >= self.until:
                return None
            self._look()

    def ahead(self) -> list[SwitchTime]:
        """Return the switches that are known, from the first that is not passed."""
        self.next(-np.inf)
        return list(self._stops)

    def _look(self) -> None:
        """Isolate those of the next window: a shorter one where they are too many, else a longer one the next time."""
        start = self.known
        while True:
            end = start + self._window
            if not end + 0.1 * self._window < self.until:
                end = self.until
            found, looked, enough = zones(self._at, start, end, _BOXES)
            self._left -= looked
            if self._left <= 0:
                self.notes.append(f"not judged after t = {start:.6g}: there are too many switches in time")
                self.known = self.until
                return
            if enough or self._window <= self._shortest:
                break
            self._window /= 4
        self._window *= 2
        for low, high in found:
            self._add(float(low), float(high))
        self.known = end

    def _at(self, t: Interval) -> list[Interval]:
        return self._program([t, *self._values], INTERVALS)

    def _add(self, low: float, high: float) -> None:
        """Stop on both sides of a zone; of a wide one, at either end of it."""
        float_ = float(np.spacing(max(abs(high), _NEAR_ZERO * self.until)))
        margin = _MARGIN * float_
        ends = [(low, high)] if high - low <= 8 * margin else [(low, low), (high, high)]
        if high - low > _WIDE * self.until:
            self.notes.append(f"not judged: between t = {low:.6g} and {high:.6g} a switch cannot be located")
        for first, last in ends:
            stop = SwitchTime(first - margin, last + margin)
            if self._stops:
                previous = self._stops[-1]
                if stop.before - previous.after < _SHORTEST * max(abs(high), 1e-3 * self.until):
                    stop = SwitchTime(previous.before, max(stop.after, previous.after))
                    if stop.after - stop.before > 16 * margin:
                        self.notes.append(f"not judged: switches at t = {high:.6g} are too close together for a step")
                    self._stops.pop()
            self._stops.append(stop)
