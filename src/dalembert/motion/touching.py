"""Which contacts are open and which closed: decided where a gap or a reaction comes to zero, by what is consistent.

First come impacts, at contacts that touch with a speed; then, of those that touch and rest, those are closed that
accelerations and reactions allow: 0 ≤ g̈ ⊥ λ ≥ 0. All patterns of few contacts are tried on the equations themselves;
of more, the linear problem is solved, and its pattern tried. Of patterns that are one motion the one with most contacts
closed is taken. None, or several, are said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dalembert.algebra.complementarity import complementary
from dalembert.algebra.either import dense
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import SimulationError, quoted
from dalembert.language.building import Expr
from dalembert.model.contact import contacts_of
from dalembert.model.modes import loose_rows
from dalembert.motion.contact_impacts import ContactImpacts
from dalembert.motion.impact import Blow, Impact, free_accelerations, holding_forces
from dalembert.motion.jump import pressed_back
from dalembert.survey.paradox import at_state

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.native.kernels import Kernels

OPEN, CLOSE = "open", "close"  # kinds of events
Settle = Callable[[Array, Array], Array]  # lets friction go on as is consistent: v, parameters → parameters

_MEETS = 1e-11  # of its terms: below, a gap is none
_RESTS = 1e-10  # of what a rate of a gap is made of: below, it is none
_INSIDE = 1e-9  # of what accelerations and reactions are made of: beside zero, both modes hold
_SAME = 1e-9  # of the accelerations: patterns that differ by less are one motion
_AT_LEAST = 1e-3  # of what forces make over the duration: a speed beside which others are slow
_MOST, _MOST_RUBBING = 8, 4  # contacts that touch and rest, of which all patterns are tried: without friction, and with
_AT_ONCE = 100  # impacts one after the other at one moment


@dataclass(frozen=True)
class Decision:
    """Velocities and modes from a moment on, and the impacts that led there."""

    v: Array
    parameters: Array
    impacts: tuple[Impact, ...] = ()


@dataclass(frozen=True)
class _Pattern:
    parameters: Array
    closed: tuple[int, ...]
    accelerations: Array


class Touching:
    """Decides the modes of the contacts of a motion."""

    def __init__(self, system: System):
        self.system = system
        self.contacts = list(contacts_of(system).values())
        names, places = [constraint.name for constraint in system.constraints], list(system.parameters)
        self.rows = [names.index(one.row) for one in self.contacts]
        self.ideal = [k for k, name in enumerate(names) if name not in loose_rows(system)]
        self.places = [places.index(one.closed.name) for one in self.contacts]
        self.rubs = [one.rubbing for one in self.contacts]
        self.slides = [names.index(one.rows[0]) if one is not None else None for one in self.rubs]
        self.sticks = [places.index(one.stick.name) for one in self.rubs if one is not None]
        self.impacts = ContactImpacts(self)
        self.speeds = np.zeros(len(system.coordinates))  # the largest so far, or what counts at least
        self.span = 1.0  # the duration of the motion
        self.forces = np.zeros(len(self.contacts))  # beside which reactions are none, where they were decided last

    @property
    def margins(self) -> list[Expr]:
        """What passes zero downwards where the mode of each ends."""
        return [one.margin for one in self.contacts]

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [one.name for one in self.contacts]

    def notice(self, v: Array) -> None:
        """Take note of how fast things move, beside which what is at rest is slow."""
        self.speeds = np.maximum(self.speeds, np.abs(v))

    def measure(self, span: float) -> None:
        """Take note of how long the motion is."""
        self.span = span

    def _begin(self, numeric: Numeric, t: float, q: Array, v: Array) -> None:
        """Take note of how fast things move, and of how fast forces would let them: what never moved has no speed."""
        self.notice(np.maximum(np.abs(v), _AT_LEAST * self.span * free_accelerations(numeric.all(t, q, v))))

    def closed(self, parameters: Array) -> Array:
        """Tell which are closed."""
        return parameters[self.places] != 0.0

    def with_closed(self, parameters: Array, closed: Collection[int]) -> Array:
        """Return parameters with which some are closed, and no others."""
        found = parameters.copy()
        found[self.places] = 0.0
        found[[self.places[i] for i in closed]] = 1.0
        return found

    def numeric(self, parameters: Array) -> Numeric:
        """Return the equations with all of them closed, whose residuals are the gaps."""
        values = self.with_closed(parameters, range(len(self.contacts)))
        values[self.sticks] = 1.0
        return Numeric(self.system, dict(zip(self.system.parameters, map(float, values), strict=True)))

    def gaps(self, numeric: Numeric, t: float, q: Array) -> tuple[Array, Array]:
        """Return the gaps, and the sizes of their terms."""
        g, _, terms = numeric.position(t, q)
        some = [numeric.holonomic.index(row) for row in self.rows]
        return g[some], terms[some]

    def rates(self, numeric: Numeric, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Return the rates of the gaps, and what they would be at the speeds so far."""
        psi, J, _ = numeric.velocity(t, q, v)
        some = [numeric.kinematic.index(row) for row in self.rows]
        W = dense(J)[some]
        return psi[some], np.abs(W) @ self.speeds + np.abs(psi[some] - W @ v)

    def held_back(self, t: float, q: Array, v: Array, parameters: Array, named: list[int]) -> Array:
        """Return velocities that a blow has given, where closed contacts press against it.

        named: those that have values of their own. What these bring into a contact at any rate meets in an impact.
        """
        numeric, closed = self.numeric(parameters), np.flatnonzero(self.closed(parameters))
        speeds, sizes = self.rates(numeric, t, q, v)
        if not np.any(speeds[closed] < -_RESTS * sizes[closed]):
            return v
        return pressed_back(numeric, t, q, v, [self.rows[i] for i in closed], self.ideal, named, speeds[closed])

    # --- what is decided ---------------------------------------------------------------------------------------------

    def touching(self, numeric: Numeric, t: float, q: Array, parameters: Array, met: Collection[int]) -> set[int]:
        """Return those that touch: that are closed, come to it now, or have no gap but for rounding."""
        g, terms = self.gaps(numeric, t, q)
        return {int(i) for i in np.flatnonzero(self.closed(parameters) | (g <= _MEETS * terms))} | {*met}

    def hits(self, t: float, q: Array, v: Array, parameters: Array) -> bool:
        """Tell whether some of those that touch meet with a speed."""
        numeric = self.numeric(parameters)
        self._begin(numeric, t, q, v)
        speeds, sizes = self.rates(numeric, t, q, v)
        return any(speeds[i] < -_RESTS * sizes[i] for i in self.touching(numeric, t, q, parameters, ()))

    def decide(
        self,
        kernels: Kernels,
        t: float,
        q: Array,
        v: Array,
        parameters: Array,
        ended: Collection[int] = (),
        settle: Settle | None = None,
        at_rest: Collection[int] = (),
    ) -> Decision:
        """Return velocities and modes with which a motion goes on.

        ended: those whose mode ends there. at_rest: those that come to rest there, whatever their law says, as after
        impacts without number. settle: lets friction go on where some are closed.
        """
        numeric, impacts = self.numeric(parameters), list[Impact]()
        self._begin(numeric, t, q, v)
        touching = self.touching(numeric, t, q, parameters, [*ended, *at_rest])
        if at_rest:
            lying = {int(i) for i in np.flatnonzero(self.closed(parameters))}  # which stay so
            v, last = self.impacts.brought_to_rest(numeric, t, q, v, sorted({*at_rest, *lying}))
            impacts.append(last)
        for _ in range(_AT_ONCE):
            speeds, sizes = self.rates(numeric, t, q, v)
            hit = [i for i in touching if speeds[i] < -_RESTS * sizes[i]]
            if not hit:
                break
            some = sorted(i for i in touching if speeds[i] <= _RESTS * sizes[i])
            speeds = np.where(np.abs(speeds) <= _RESTS * sizes, 0.0, speeds)
            v, impact = self.impacts.impact(numeric, t, q, v, some, speeds)
            impacts.append(impact)
            self.notice(v)
        else:
            text = f"impacts of {quoted(self.names[i] for i in touching)} follow each other at t = {t:.9g} without end"
            raise SimulationError(f"{text}: with this law they never come apart")
        speeds, sizes = self.rates(numeric, t, q, v)
        resting = sorted(i for i in touching if speeds[i] <= _RESTS * sizes[i])
        loose = [i for i in ended if i in resting and self.closed(parameters)[i] and not impacts]
        found = self._modes(kernels, numeric, t, q, v, parameters, resting, loose, settle)
        return Decision(v, found, tuple(impacts))

    # --- modes -------------------------------------------------------------------------------------------------------

    def _modes(
        self,
        kernels: Kernels,
        numeric: Numeric,
        t: float,
        q: Array,
        v: Array,
        parameters: Array,
        resting: Sequence[int],
        loose: Sequence[int],
        settle: Settle | None,
    ) -> Array:
        """Return modes with which accelerations and reactions are consistent."""
        values = numeric.all(t, q, v)
        A, c = dense(values.A)[self.rows], values.c[self.rows]

        def solved(closed: tuple[int, ...]) -> tuple[Array, Array, Array] | None:
            """Return parameters, accelerations and multipliers; None where they have no value."""
            given = self.with_closed(parameters, closed)
            if settle is not None:
                try:
                    given = settle(v, given)
                except SimulationError:
                    return None
            out = kernels.run("core", "accelerations", np.array([[t, *q, *v, *given]]))[0]
            n, s = kernels.n, kernels.s
            good = np.all(np.isfinite(out[: n + s])) and out[-1] > 0
            return (given, out[:n], out[n : n + s]) if good else None

        usual = self._usual(solved)
        # where bodies that touch move alike nothing presses, and what is computed as reaction is rounding beside these
        self.forces = holding_forces(A, values.M.diagonal(), np.abs(A) @ usual + np.abs(c))

        def tried(closed: tuple[int, ...]) -> _Pattern | None:
            if (found := solved(closed)) is None:
                return None
            given, a, lam = found
            rates, sizes = A @ a - c, np.abs(A) @ np.maximum(np.abs(a), usual) + np.abs(c)
            pressed = lam[[self.rows[i] for i in closed]]
            least = _INSIDE * np.maximum(np.abs(lam).max(initial=0.0), self.forces[list(closed)])
            opens = [i for i in resting if i not in closed]
            if np.any(pressed < -least) or np.any(rates[opens] < -_INSIDE * sizes[opens]):
                return None
            return _Pattern(given, closed, a)

        if loose and (found := tried(tuple(i for i in resting if i not in loose))) is not None:
            return found.parameters
        patterns = list[_Pattern]()
        for closed in self._candidates(numeric, t, q, v, solved, resting):
            if (found := tried(closed)) is not None:
                patterns.append(found)
                if not self._is_few(resting):  # whether there are others is not looked into
                    break
        if not patterns:
            raise SimulationError(self._nothing(t, q, v, resting))
        first, *others = patterns
        size = max(np.abs(first.accelerations).max(initial=0.0), usual.max(initial=0.0))
        if any(np.abs(one.accelerations - first.accelerations).max(initial=0.0) > _SAME * size for one in others):
            text = f"what contact {quoted(self.names[i] for i in resting)} does next is not determined"
            where = at_state(self.system, t, q, v)
            raise SimulationError(f"{text} at {where}: it may stay closed, or open, and both are consistent")
        return first.parameters

    def _usual(self, solved: Callable[..., tuple | None]) -> Array:
        """Return accelerations with which things move where all that touches is open: beside them others are none."""
        found = solved(())
        return np.abs(found[1]) if found is not None else np.zeros(len(self.speeds))

    def _candidates(
        self,
        numeric: Numeric,
        t: float,
        q: Array,
        v: Array,
        solved: Callable[..., tuple | None],
        resting: Sequence[int],
    ) -> Iterator[tuple[int, ...]]:
        """Return patterns to be tried, those with most contacts closed first."""
        if self._is_few(resting):
            for count in range(len(resting), -1, -1):
                yield from combinations(resting, count)
            return
        if self._rub(resting):
            yield tuple(resting)
        values = numeric.all(t, q, v)
        A, c = dense(values.A)[self.rows], values.c[self.rows]
        if (found := solved(())) is not None:
            blow = Blow(numeric, t, q, v, [self.rows[i] for i in resting], self.ideal)
            lam = complementary(blow.G, (A @ found[1] - c)[list(resting)])
            if lam is not None:
                yield tuple(i for i, value in zip(resting, lam, strict=True) if value > 0.0)
        if self._rub(resting):  # without friction it may be another one
            for count in range(1, (len(resting) if len(resting) <= _MOST else 2) + 1):
                yield from (tuple(i for i in resting if i not in some) for some in combinations(resting, count))

    def _rub(self, some: Collection[int]) -> bool:
        return any(self.rubs[i] is not None for i in some)

    def _is_few(self, some: Collection[int]) -> bool:
        """Tell whether all patterns of some contacts are tried."""
        return len(some) <= (_MOST_RUBBING if self._rub(some) else _MOST)

    def _nothing(self, t: float, q: Array, v: Array, resting: Sequence[int]) -> str:
        """Say that no pattern is consistent."""
        names = quoted(self.names[i] for i in resting)
        where = at_state(self.system, t, q, v)
        if len(resting) > _MOST:
            text = f"which of {len(resting)} contacts, {names}, stay closed was not found at {where}"
            return f"{text}: of more than {_MOST} not all patterns are tried"
        text = f"contact {names} can neither stay closed nor open at {where}"
        return f"{text}: no reactions that press agree with the accelerations"

    def changed(self, before: Array, after: Array) -> Iterator[tuple[int, str]]:
        """Return the contacts that open or close, with the kind of what happened."""
        was, now = self.closed(before), self.closed(after)
        for i in np.flatnonzero(was != now):
            yield int(i), CLOSE if now[i] else OPEN


def touching_of(system: System) -> Touching | None:
    """Return what decides the contacts of a system in modes; None of one that has none."""
    return Touching(system) if system.written is not system and contacts_of(system) else None
