"""The watch over a motion: finds the places of events on the dense output of a step, and does what is to be done."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import SimulationError, quoted
from dalembert.language.building import TIME, Expr
from dalembert.language.program import Program
from dalembert.language.state_names import as_written
from dalembert.model.system import System
from dalembert.motion.engine import Engine
from dalembert.motion.events import ZENO, Event, Occurrence, multiplier_names, read_events
from dalembert.motion.jump import velocities_after
from dalembert.motion.last_step import LastStep
from dalembert.motion.margins import Margins
from dalembert.motion.relayed_engine import RelayedEngine
from dalembert.motion.stick_slip import stick_slip_of
from dalembert.native.kernels import Kernels

_TOGETHER = 1e-9  # parts of a step within which events happen at once
_APART = 1e-6  # of its terms that other parameters may leave of a constraint on positions
_ROW = 12  # times between jumps, each shorter than the one before, from which they may run into one another
_FEW, _SURELY = 2, 1e-4  # fewer will do, where they would end within this part of what is otherwise soon
_SHORTER = 0.98  # part of the one before
_SOON = 1e-7  # part of the motion so far within which such a row would end
_MOST = 100_000  # jumps of one motion
_JUMPED = 10.0  # times what rounding, and a short way on, make of an expression that is zero: what is not
_AHEAD = 1e-4  # of the last step: where it is looked to which side an expression goes after a jump
_CLEAR = 1e3  # times rounding: what an expression must have gained to tell that
_RESTS = 1e-6  # part of what bends the way of an expression by then that its rate amounts to where it is at rest
_AT_ONCE, _RAPID = 1e-12, 60  # of the duration, and how often modes may change within it
_TURNED = 4.0  # the rate at which friction turns sliding into its direction, times a step: below, explicit ones do
_SHORT = 1e-4  # of the last step, or of the duration: how long the first one is that slides in a plane
_ROUNDED = 1e-8  # of its largest value: what rounding may take of a margin of friction
_EPSILON = float(np.finfo(float).eps)


class Watch:
    """Finds what passes zero, records it, ends the motion, lets parameters and velocities change.

    `soon` tells from when on jumps that follow each other ever faster are not followed any more.
    """

    def __init__(self, system: System, given: Sequence[Any], soon: float = 1.0):
        self.system, self.soon = system, soon * _SOON
        watched = read_events(system, given)
        self.events, self.expressions, self.velocities = watched.events, watched.expressions, watched.velocities
        self.stick_slip = stick_slip_of(system)
        if self.stick_slip is not None:
            rubbing = self.stick_slip.frictions
            self.own = len(self.events)  # behind them are those of friction
            self.events = (*self.events, *(Event("", direction="down", name=one.name, rubs=True) for one in rubbing))
            self.expressions = [*self.expressions, *self.stick_slip.margins]
            self.velocities = [*self.velocities, *({} for _ in rubbing)]
        self.values = [self._program(new.values()) if new else None for new in self.velocities]
        self.occurrences: list[Occurrence] = []
        self.changes: list[tuple[float, Array]] = []
        self.count = 0  # of events that changed something
        self.jumps: deque[float] = deque(maxlen=_ROW + 1)
        self.settled, self.rapid = -np.inf, 0  # when modes of friction were decided, and how often at once
        self.dips: dict[int, float] = {}  # places inside the last step where a margin of friction is gone
        self.left: dict[int, float] = {}  # events at which velocities have just jumped, and when
        self.told = (-np.inf, np.zeros(0))  # when something changed last, and what steps are told of all events there

    def _program(self, outputs: Iterable[Expr]) -> Program:
        system = self.system
        inputs = [se.Symbol(name) for name in (TIME, *system.coordinates, *system.velocities, *system.parameters)]
        return Program(inputs, list(outputs), system.defined)

    def prepare(self, kernels: Kernels) -> tuple[str, Array] | None:
        """Compile what is watched for."""
        self.kernels = kernels
        if not self.events:
            return None
        self.group = kernels.expressions(self.expressions, multiplier_names(self.system))
        return self.group, np.array([event.sign for event in self.events], dtype=float)

    def begin(self, engine: Engine, start: tuple[float, Array], parameters: Array) -> None:
        """Watch an engine that starts at a state."""
        self.engine, self.start, self.parameters = engine, start, parameters
        if self.stick_slip is not None:
            self.stick_slip.measure(float(engine.clock.span), engine.units[engine.n :])
            self._begin_modes()
            self.margins = Margins(self)
            self._set_off(*self.split(*start))

    def look_back(self, status: int) -> int:
        """Return the status of the stepper, or EVENT if a mode of friction ended inside one of its last steps."""
        if self.stick_slip is None:
            return status
        status, engine = self.margins.look(status), self.engine
        if isinstance(engine, RelayedEngine) and engine.relayed:
            t = float(engine.clock.t)
            turning = self.stick_slip.turning(self.kernels, t, *self.split(t, engine.y), self.parameters)
            if turning * float(engine.clock.taken) < _TURNED:
                engine.resume()
        return status

    def handle(self) -> tuple[str, str] | None:
        """Deal with what passed zero in the last step; return status and reason if the motion ends here."""
        step = LastStep(self)
        if self.stick_slip is not None:
            self.stick_slip.notice(self.split(step.t, step.y)[1])
        passed = [int(e) for e in np.flatnonzero(self.engine.events[3])]
        found = step.places(passed)
        while touching := self._touching(step, found):
            passed = [e for e in passed if e not in touching]
            found = step.places(passed)
        self.dips.clear()
        first = step.first(found)
        if first is None:
            self._record(step, found, 1.0)
            return None
        now = {e: theta for e, theta in found.items() if theta <= first + _TOGETHER}
        self._record(step, now, first)
        at, state = step.at(first), step.state(first)
        self.engine.return_to(at, state)
        acting = [e for e in now if self.events[e].acts]
        return self._act(acting, list(now), at, state, first * (step.end - step.t))

    def _act(self, acting: list[int], now: list[int], t: float, state: Array, step: float) -> tuple[str, str] | None:
        """Let parameters and velocities change, and go on; or end the motion."""
        titles = quoted(self.events[e].title for e in acting)
        changes: dict[str, float] = {}
        for e in acting:
            action = self.events[e].action
            changes |= action if isinstance(action, Mapping) else {}
        jumps = any(self.velocities[e] for e in acting)
        rubs = any(self.events[e].rubs for e in acting)
        if (changes or jumps or rubs) and (reason := self._change(changes, acting, t, state)):
            return "failed", f"after {titles} at t = {t:.6g}: {reason}"
        if limits := [self.events[e].limit for e in acting if self.events[e].limit]:
            return "failed", limits[0].format(t=t)
        stops = [self.events[e].title for e in acting if self.events[e].ends]
        if stops:
            return "stopped", f"event {quoted(stops)} at t = {t:.6g}"
        self.engine.advance(0)
        for e in now:
            self.engine.events[1, e] = 0.0  # it has just passed
        if self.stick_slip is not None:
            self._begin_modes()
        ended = None
        if changes or jumps or rubs:
            ended = self._accumulates(titles, t, state) or self._look_ahead(acting, step, state)
        self.told = float(self.engine.clock.t), self.engine.events[1].copy()
        return ended

    def _record(self, step: LastStep, found: Mapping[int, float], last: float) -> None:
        """Record events of a step in the order in which they happen, up to a last part of it."""
        for e, theta in sorted(found.items(), key=lambda pair: (pair[1], pair[0])):
            if not self.events[e].rubs:
                at, state = step.at(min(theta, last)), step.state(min(theta, last))
                self.occurrences.append(Occurrence(self.events[e].title, at, *self.split(at, state)))

    def _change(self, changes: Mapping[str, float], acting: list[int], t: float, state: Array) -> str | None:
        """Go on with other parameters and velocities; return why this cannot be."""
        kernels, n = self.kernels, self.kernels.n
        q, v = self.split(t, state)
        values = dict(zip(self.system.parameters, self.parameters, strict=True)) | dict(changes)
        parameters = np.array([float(value) for value in values.values()])
        numeric = Numeric(self.system, values)
        if changes and (reason := self._apart(numeric, t, q)):
            return reason
        try:
            if self.stick_slip is not None and self.engine.keep != "none":
                v = kernels.project_velocities(t, q, v, self.parameters)  # what stuck until now rested
            wanted = self._wanted(acting, t, q, v)
            if wanted:
                v = velocities_after(self._released(values), t, q, v, wanted)
            if self.stick_slip is not None:
                parameters = self._settled(acting, t, q, v, parameters, bool(wanted))
            if self.engine.keep != "none":
                v = kernels.project_velocities(t, q, v, parameters)
            kernels.accelerations(t, q, v, parameters)
        except SimulationError as error:
            return str(error)
        after = np.concatenate([q, v])
        after[n:] = kernels.to_state(t, q, v, parameters)
        self.parameters = parameters
        self.changes.append((t, parameters))
        self.engine.jump(after, parameters)
        self._set_off(q, v)
        return None

    def _set_off(self, q: Array, v: Array) -> None:
        """Begin with a short step where sliding in a plane begins slowly, and leave it to implicit steps."""
        engine, clock, decides = self.engine, self.engine.clock, self.stick_slip
        if decides is None or engine.fixed:
            return
        if decides.sets_off(self.kernels, float(clock.t), q, v, self.parameters):
            if isinstance(engine, RelayedEngine):
                engine.relay()
            clock.h = _SHORT * min(float(clock.span), float(clock.taken) or float(clock.span))

    def _released(self, values: Mapping[str, Any]) -> Numeric:
        """Return the equations without conditions of friction, which a blow breaks."""
        loose = {} if self.stick_slip is None else {one.stick.name: 0.0 for one in self.stick_slip.frictions}
        return Numeric(self.system, {**values, **loose})

    def _settled(self, acting: list[int], t: float, q: Array, v: Array, parameters: Array, is_blow: bool) -> Array:
        """Let frictions go on as is consistent; record those that stick or slip from now on."""
        decides = self.stick_slip
        if decides is None:
            return parameters
        ended = [e - self.own for e in acting if self.events[e].rubs]
        self.rapid = self.rapid + 1 if t - self.settled <= _AT_ONCE * float(self.engine.clock.span) else 0
        self.settled = t
        if self.rapid > _RAPID:
            names = quoted([decides.frictions[i].name for i in ended])
            raise SimulationError(f"friction {names} changes between sliding and sticking without end")
        found = decides.settle(self.kernels, t, q, v, parameters, ended, is_blow)
        for i, kind in decides.changed(parameters, found):
            self.occurrences.append(Occurrence(decides.frictions[i].name, t, q.copy(), v.copy(), kind))
        return found

    def _touching(self, step: LastStep, found: Mapping[int, float]) -> set[int]:
        """Return what comes first in a step, if it sticks and is beyond its limit by rounding alone: without a load."""
        decides, first = self.stick_slip, step.first(dict(found))
        now = {e for e, theta in found.items() if first is not None and theta <= first + _TOGETHER}
        now = {e for e in now if self.events[e].acts}
        if decides is None or not all(self.events[e].rubs and self._touches(e, step) for e in now):
            return set()
        return now

    def _touches(self, e: int, step: LastStep) -> bool:
        """Tell whether a friction sticks, and is beyond its limit by no more than rounding."""
        i = e - self.own
        if self.stick_slip is None or not self.stick_slip.sticks(i, self.parameters):
            return False
        beyond = float(step.values(np.array([self.dips.get(e, 1.0)]))[0, e])
        return beyond >= -_ROUNDED * self.margins.largest[i]

    def _begin_modes(self) -> None:
        """Let what ends a mode be seen from its beginning on, where it is zero."""
        frictions = () if self.stick_slip is None else self.stick_slip.frictions
        for e, friction in enumerate(frictions, self.own):
            if not self.engine.events[1, e] > 0.0 and len(friction.slips) == 1:
                self.engine.events[1, e] = np.finfo(float).tiny

    def _apart(self, numeric: Numeric, t: float, q: Array) -> str | None:
        """Say which constraint the positions no longer satisfy after a change of parameters."""
        g, _, terms = numeric.position(t, q)
        off = np.abs(g) - _APART * terms
        if not np.any(off > 0):
            return None
        worst = int(np.argmax(off))
        name = self.system.constraints[numeric.holonomic[worst]].name
        return f"the positions no longer satisfy `{name}`, which is off by {g[worst]:.3g} with the new parameters"

    def _wanted(self, acting: list[int], t: float, q: Array, v: Array) -> dict[int, float]:
        """Return the velocities that are given new values, from the state before."""
        wanted: dict[int, float] = {}
        for e in acting:
            program = self.values[e]
            if program is None:
                continue
            found = program.floats([t, *q, *v, *self.parameters])
            for place, value in zip(self.velocities[e], map(float, found), strict=True):
                name = as_written(self.system.velocities[place])
                if not np.isfinite(value):
                    raise SimulationError(f"the new value of `{name}` is not finite: {value:g}")
                if place in wanted and wanted[place] != value:
                    raise SimulationError(
                        f"two events at once give `{name}` the values {wanted[place]:g} and {value:g}"
                    )
                wanted[place] = value
        return wanted

    # --- after a jump ------------------------------------------------------------------------------------------------

    def _accumulates(self, titles: str, t: float, state: Array) -> tuple[str, str] | None:
        """Recognise jumps in ever shorter times, which would be without number in a finite one."""
        self.jumps.append(t)
        self.count += 1
        if self.count >= _MOST:
            return "stopped", f"{_MOST:,} events changed parameters or velocities until t = {t:.6g}, the last {titles}"
        gaps = np.diff(self.jumps)
        if len(gaps) < _FEW or not np.all(gaps[1:] < _SHORTER * gaps[:-1]):
            return None
        ratio = float(gaps[-1] / gaps[-2])
        rest = float(gaps[-1]) * ratio / (1.0 - ratio)  # of a geometric series
        if rest > self.soon * (t - self.start[0]) * (1.0 if len(gaps) >= _ROW else _SURELY):
            return None
        self.occurrences.append(Occurrence(titles.strip("`"), t, *self.split(t, state), kind=ZENO))
        return "stopped", (
            f"events {titles} follow each other in ever shorter times, without number before t = {t + rest:.9g}: "
            f"{self.count} until t = {t:.9g}. What comes then is another model, such as the body at rest there"
        )

    def _look_ahead(self, acting: list[int], step: float, before: Array) -> tuple[str, str] | None:
        """Tell the stepper on which side of zero an expression is after a jump, where it may come back in one step.

        One of velocities that jump is no longer zero, and has its own sign. What a jump has brought to rest, and forces
        take on at once, would be passed without end: the motion ends there.
        """
        t, before_q, before_v = float(self.engine.clock.t), *self.split(float(self.engine.clock.t), before)
        q, v = self.split(t, self.engine.y)
        a = self.kernels.accelerations(t, q, v, self.parameters).acceleration
        here, was = self._values(t, q, v), self._values(t, before_q, before_v)
        digits = 2 * _EPSILON * np.maximum(np.abs(q), self.engine.units[: len(q)])
        rounding = np.abs(self._values(t, q + digits, v) - here)
        shortest = _AHEAD * (step or 1e-3 * float(self.engine.clock.span))

        def gained(ahead: float, v: Array) -> Array:
            return self._values(t + ahead, q + ahead * v + ahead**2 / 2 * a, v + ahead * a) - here

        self.left = {}
        for e in acting:
            ahead, near, half = shortest, gained(shortest, v)[e], 0.0
            if abs(here[e]) > _JUMPED * abs(was[e]) and abs(here[e]) > _JUMPED * abs(near):
                self.engine.events[1, e] = here[e]
                continue
            if not self.velocities[e]:
                continue
            while abs(near) <= _CLEAR * rounding[e] and ahead < _AHEAD * float(self.engine.clock.span):
                ahead *= _CLEAR
                near = gained(ahead, v)[e]
            half = gained(ahead / 2, v)[e]
            slope, came = 4 * half - near, gained(ahead, before_v)[e]  # over the time ahead, without the bend
            if abs(slope) <= max(_RESTS * abs(near), _JUMPED * rounding[e]):
                through = np.sign(near) if abs(near) > _CLEAR * rounding[e] else 0.0
                if through and through == np.sign(came) and self.events[e].sign * through >= 0:
                    return self._comes_to_rest(e, t)
                slope = near
            if side := np.sign(slope):
                self.engine.events[1, e] = side * np.finfo(float).tiny
                self.left[e] = t
        return None

    def _comes_to_rest(self, e: int, t: float) -> tuple[str, str]:
        """End the motion where what is watched for rests on zero, and would pass it again at once."""
        title = self.events[e].title
        self.occurrences.append(Occurrence(title, t, *self.split(t, self.engine.y), kind=ZENO))
        return "stopped", (
            f"after the event `{title}` at t = {t:.9g} nothing leads away from it, and forces would take the motion "
            "through it at once. What comes then is another model, such as the body at rest there"
        )

    def _values(self, t: float, q: Array, v: Array) -> Array:
        rows = np.concatenate([[t], q, v, self.parameters])[None]
        return self.kernels.run(self.group, "expressions", rows)[0]

    def split(self, t: float, state: Array) -> tuple[Array, Array]:
        """Return positions and velocities of a state."""
        n = self.kernels.n
        return state[:n], self.kernels.from_state(t, state[:n], state[n:], self.parameters)
