"""The watch over a motion: finds the places of events on the dense output of a step, and does what is to be done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import symengine as se

from dalembert.algebra.either import dense
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import SimulationError, quoted
from dalembert.language.building import TIME, Expr
from dalembert.language.program import Program
from dalembert.language.state_names import as_written
from dalembert.model.system import System
from dalembert.motion.accumulation import Accumulations, Limit
from dalembert.motion.aftermath import Aftermath
from dalembert.motion.engine import Engine
from dalembert.motion.events import EVENT, ZENO, Event, Occurrence, multiplier_names, read_events
from dalembert.motion.impact import IMPACT, Impact
from dalembert.motion.jump import velocities_after
from dalembert.motion.last_step import LastStep
from dalembert.motion.margins import Margins
from dalembert.motion.mode_events import mode_events_of
from dalembert.motion.relayed_engine import RelayedEngine
from dalembert.motion.touching import Decision
from dalembert.native.kernels import Kernels

_TOGETHER = 1e-9  # parts of a step within which events happen at once
_APART = 1e-6  # of its terms that other parameters may leave of a constraint on positions
_TURNED = 4.0  # the rate at which friction turns sliding into its direction, times a step: below, explicit ones do
_SHORT = 1e-4  # of the last step, or of the duration: how long the first one is that slides in a plane
_ROUNDED = 1e-8  # of its largest value: what rounding may take of a margin of friction
_NOTHING = 1e-11  # the same of the reaction of a contact
_GAPLESS, _STEPPED = 1e-15, 1e-9  # of the terms of a gap: what is none, and the same of one that just opened


class Watch:
    """Finds what passes zero, records it, ends the motion, lets parameters and velocities change.

    `soon` tells from when on jumps that follow each other ever faster are not followed any more.
    """

    def __init__(self, system: System, given: Sequence[Any], soon: float = 1.0):
        self.system, self.soon = system, soon
        self.aftermath = Aftermath(self, soon)
        watched = read_events(system, given)
        self.events, self.expressions, self.velocities = watched.events, watched.expressions, watched.velocities
        self.modes = mode_events_of(system)
        if self.modes is not None:
            ends = [Event("", direction="down", name=name, rubs=True) for name in self.modes.names]
            self.own = len(self.events)  # behind them are those of friction and contacts
            self.events, self.velocities = (*self.events, *ends), [*self.velocities, *({} for _ in ends)]
            self.expressions = [*self.expressions, *self.modes.margins]
        self.values = [self._program(new.values()) if new else None for new in self.velocities]
        self.pushes = [(list(new), self._program(new.values())) for new in watched.impulses]
        self.occurrences: list[Occurrence] = []
        self.changes: list[tuple[float, Array]] = []
        self.impacts: list[Impact] = []
        self.opened: set[int] = set()  # contacts that opened as nothing pressed any more, not by an impact
        self.dips: dict[int, float] = {}  # places inside the last step where a margin of a mode is gone
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
        if self.modes is not None:
            self.accumulation = Accumulations(start[0], self.soon)
            self.modes.measure(float(engine.clock.span), engine.units[engine.n :])
            self._begin_modes()
            self.margins = Margins(self)
            self._set_off(*self.split(*start))
            if self.modes.hits(start[0], *self.split(*start), parameters):
                if reason := self._change({}, [], *start):
                    raise SimulationError(f"the motion cannot begin: {reason}")
                self.engine.advance(0)
                self._begin_modes()

    def look_back(self, status: int) -> int:
        """Return the status of the stepper, or EVENT if a mode of friction ended inside one of its last steps."""
        if self.modes is None:
            return status
        status, engine = self.margins.look(status), self.engine
        rubs = self.modes.stick_slip
        if isinstance(engine, RelayedEngine) and engine.relayed and rubs is not None:
            t = float(engine.clock.t)
            turning = rubs.turning(self.kernels, t, *self.split(t, engine.y), self.parameters)
            if turning * float(engine.clock.taken) < _TURNED:
                engine.resume()
        return status

    def handle(self) -> tuple[str, str] | None:
        """Deal with what passed zero in the last step; return status and reason if the motion ends here."""
        step = LastStep(self)
        if self.modes is not None:
            self.modes.notice(self.split(step.t, step.y)[1])
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
        jumps = any(self.velocities[e] or self.events[e].impulses for e in acting)
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
        ended = None
        if changes or jumps or rubs:
            followed = changes or jumps or not self._only_touch(acting)  # impacts have a limit of their own
            ended = self.aftermath.accumulates(titles, t, state) if followed else None
            ended = ended or self.aftermath.look_ahead(acting, step, state)
        self._begin_modes()
        self.told = float(self.engine.clock.t), self.engine.events[1].copy()
        return ended

    def _only_touch(self, acting: list[int]) -> bool:
        """Tell whether all that is done is that contacts open or close, or what rubs there sticks or slides."""
        modes = self.modes
        return modes is not None and all(self.events[e].rubs and modes.is_at_contact(e - self.own) for e in acting)

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
        before, blows = v, len(self.impacts)
        values = dict(zip(self.system.parameters, self.parameters, strict=True)) | dict(changes)
        parameters = np.array([float(value) for value in values.values()])
        numeric = Numeric(self.system, values)
        if changes and (reason := self._apart(numeric, t, q)):
            return reason
        try:
            if self.modes is not None and self.engine.keep != "none":
                q = self._on_contacts(acting, t, q, v)
                v = kernels.project_velocities(t, q, v, self.parameters)  # what stuck until now rested
            wanted = self._wanted(acting, t, q, v)
            pushes = self._pushes(acting, t, q, v)
            if wanted or pushes:
                v = velocities_after(self._released(values), t, q, v, wanted, pushes)
                if self.modes is not None and self.modes.touching is not None:
                    v = self.modes.touching.held_back(t, q, v, self.parameters, list(wanted))
            if self.modes is not None:
                decision = self._settled(acting, t, q, v, parameters, bool(wanted or pushes))
                v, parameters = decision.v, decision.parameters
            if self.engine.keep != "none":
                v = kernels.project_velocities(t, q, v, parameters)
            kernels.accelerations(t, q, v, parameters)
        except SimulationError as error:
            return str(error)
        self._tell_loss([self.events[e].title for e in acting], t, numeric, q, (before, v), self.impacts[blows:])
        after = np.concatenate([q, v])
        after[n:] = kernels.to_state(t, q, v, parameters)
        self.parameters = parameters
        self.changes.append((t, parameters))
        self.engine.jump(after, parameters)
        self._set_off(q, v)
        return None

    def _tell_loss(
        self, titles: list[str], t: float, numeric: Numeric, q: Array, jump: tuple[Array, Array], blows: list[Impact]
    ) -> None:
        """Note with what was recorded how much kinetic energy a jump of velocities took, apart from impacts there."""
        before, after = (v[: self.system.mechanical] for v in jump)  # what states are has no energy
        M = dense(numeric.mass(t, q))[: len(before), : len(before)]
        lost = float((before - after) @ M @ (before + after)) / 2 - sum(x.lost for x in blows)
        for k, found in enumerate(self.occurrences):
            if found.kind == EVENT and found.name in titles and not found.t < t and np.any(before != after):
                self.occurrences[k] = replace(found, lost=lost)

    def _on_contacts(self, acting: list[int], t: float, q: Array, v: Array) -> Array:
        """Return positions with no gap where contacts are closed, or come together: steps keep it within tolerances."""
        touching = self.modes.touching if self.modes is not None and self.engine.keep == "project" else None
        if self.modes is None or touching is None:
            return q
        met = {*self.modes.touched([e - self.own for e in acting if self.events[e].rubs])}
        met |= set(np.flatnonzero(touching.closed(self.parameters)).tolist())
        return self.kernels.project_positions(t, q, v, touching.with_closed(self.parameters, met)) if met else q

    def _set_off(self, q: Array, v: Array) -> None:
        """Begin with a short step where sliding in a plane begins slowly, and leave it to implicit steps."""
        engine, clock = self.engine, self.engine.clock
        rubs = None if self.modes is None else self.modes.stick_slip
        if rubs is None or engine.fixed:
            return
        if rubs.sets_off(self.kernels, float(clock.t), q, v, self.parameters):
            if isinstance(engine, RelayedEngine):
                engine.relay()
            clock.h = _SHORT * min(float(clock.span), float(clock.taken) or float(clock.span))

    def _released(self, values: Mapping[str, Any]) -> Numeric:
        """Return the equations without conditions of friction, which a blow breaks, and of contacts, which it opens."""
        rubs = None if self.modes is None else self.modes.stick_slip
        touches = None if self.modes is None else self.modes.touching
        loose = {} if rubs is None else {one.stick.name: 0.0 for one in rubs.frictions}
        loose |= {} if touches is None else {one.closed.name: 0.0 for one in touches.contacts}
        return Numeric(self.system, {**values, **loose})

    def _settled(self, acting: list[int], t: float, q: Array, v: Array, parameters: Array, is_blow: bool) -> Decision:
        """Let modes go on as is consistent; record what happens there."""
        modes = self.modes
        if modes is None:
            return Decision(v, parameters)
        ended = [e - self.own for e in acting if self.events[e].rubs]
        # what comes back at the moment in which it left cannot be told from what stays
        stays = [i for i in modes.touched(ended) if self.aftermath.left.get(self.own + modes.rubbing + i) == t]
        found = modes.settle(self.kernels, t, q, v, parameters, ended, is_blow, stays)
        impacts = list(found.impacts)
        if limit := self._limit(t, impacts):
            found = modes.settle(self.kernels, t, q, found.v, found.parameters, (), True, limit.contacts)
            impacts += found.impacts
            names = " ".join(modes.names[modes.rubbing + i] for i in limit.contacts)
            self.occurrences.append(Occurrence(names, limit.t, q.copy(), v.copy(), ZENO, limit.error))
            self.accumulation.ended(limit)
        self.impacts += impacts
        if modes.touched(ended) or impacts:
            self.margins.largest[modes.rubbing :] = 0.0  # reactions after gaps, or gaps after reactions
            if modes.touching is not None:
                closed = modes.touching.closed(found.parameters)
                self.margins.largest[modes.rubbing :] = np.where(closed, modes.touching.forces, 0.0)
        hit = {name for impact in impacts if impact.kind == IMPACT for name, size in impact.normal.items() if size > 0}
        told = [(name, IMPACT) for name in dict.fromkeys(modes.names) if name in hit] if not limit else []
        at = limit.t if limit else t
        if impacts:
            self.opened.clear()
        self.opened |= {i for i in ended if i >= modes.rubbing and modes.holds_by_force(i, parameters)}
        for name, kind in (*told, *modes.changed(parameters, found.parameters)):
            self.occurrences.append(Occurrence(name, at, q.copy(), v.copy(), kind))
        return found

    def _limit(self, t: float, impacts: Sequence[Impact]) -> Limit | None:
        """Return the limit of impacts that follow each other ever faster, if nothing else happens before."""
        if self.modes is None or self.modes.touching is None or not impacts:
            return None
        names = self.modes.touching.names
        hit = [names.index(name) for impact in impacts for name, speed in impact.before.items() if speed < 0]
        limit = self.accumulation.add(t, hit)
        return limit if limit is not None and limit.t < float(self.engine.clock.end) else None

    def _touching(self, step: LastStep, found: Mapping[int, float]) -> set[int]:
        """Return what comes first in a step, if it holds and is beyond its limit by rounding alone: without a load."""
        first = step.first(found)
        now = {e for e, theta in found.items() if first is not None and theta <= first + _TOGETHER}
        now = {e for e in now if self.events[e].acts}
        if not now or not all(self.events[e].rubs and self._touches(e - self.own, step) for e in now):
            return set()
        self._begin_modes()
        return now

    def _touches(self, i: int, step: LastStep) -> bool:
        """Tell whether what holds, or a gap, is beyond its limit by no more than rounding."""
        modes = self.modes
        if modes is None or (i < modes.rubbing and not modes.holds_by_force(i, self.parameters)):
            return False
        theta = self.dips.get(i + self.own, 1.0)
        beyond, size = float(step.values(np.array([theta]))[0, i + self.own]), self.margins.largest[i]
        part = _ROUNDED if i < modes.rubbing else _NOTHING
        if modes.touching is not None and modes.is_open(i, self.parameters):
            q, numeric = self.split(step.at(theta), step.state(theta))[0], modes.touching.numeric(self.parameters)
            size, part = modes.touching.gaps(numeric, step.at(theta), q)[1][i - modes.rubbing], _GAPLESS
            if i in self.opened and self._just_opened(i, step.t, step.y, size):
                part = self._tolerance(size) / size
        return beyond >= -part * size

    def _just_opened(self, i: int, t: float, y: Array, size: float) -> bool:
        """Tell whether a gap that begins without a speed has been no more until now than steps may be off."""
        if float(self.values_at(t, *self.split(t, y))[self.own + i]) <= self._tolerance(size):
            return True
        self.opened.discard(i)
        return False

    def noise(self, e: int, t: float, y: Array) -> float:
        """Return what is no gap, of an event that is one; 0 of others."""
        i, modes = e - self.own if self.modes is not None else -1, self.modes
        if modes is None or modes.touching is None or i < 0 or not self.is_gap(i):
            return 0.0
        numeric = modes.touching.numeric(self.parameters)
        return _GAPLESS * float(modes.touching.gaps(numeric, t, self.split(t, y)[0])[1][i - modes.rubbing])

    def _tolerance(self, size: float) -> float:
        """Return by how much steps may be off in a gap, by the size of its terms."""
        clock = self.engine.clock
        return _STEPPED * size if self.engine.fixed else float(clock.rtol) * size + float(clock.atol)

    def is_gap(self, i: int) -> bool:
        """Tell whether what ends a mode is the gap of a contact."""
        return self.modes is not None and self.modes.is_open(i, self.parameters)

    def _begin_modes(self) -> None:
        """Let what ends a mode be seen from its beginning on, where it is zero."""
        if self.modes is None:
            return
        for i in range(len(self.modes.names)):
            e = self.own + i
            if not self.engine.events[1, e] > 0.0 and self.modes.begins_at_zero(i):
                self.engine.events[1, e] = np.finfo(float).tiny
                if self.modes.is_open(i, self.parameters):
                    self.aftermath.left[e] = float(self.engine.clock.t)

    def _apart(self, numeric: Numeric, t: float, q: Array) -> str | None:
        """Say which constraint the positions no longer satisfy after a change of parameters."""
        g, _, terms = numeric.position(t, q)
        off = np.abs(g) - _APART * terms
        if not np.any(off > 0):
            return None
        worst = int(np.argmax(off))
        name = self.system.constraints[numeric.holonomic[worst]].name
        return f"the positions no longer satisfy `{name}`, which is off by {g[worst]:.3g} with the new parameters"

    def _pushes(self, acting: list[int], t: float, q: Array, v: Array) -> dict[int, float]:
        """Return the impulses along coordinates; those of several events at once add."""
        found: dict[int, float] = {}
        for e in acting:
            places, program = self.pushes[e] if e < len(self.pushes) else ([], None)
            for place, value in zip(
                places, program.floats([t, *q, *v, *self.parameters]) if program else (), strict=True
            ):
                if not np.isfinite(value):
                    raise SimulationError(f"the impulse on `{self.system.coordinates[place]}` is not finite: {value:g}")
                found[place] = found.get(place, 0.0) + float(value)
        return found

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

    def values_at(self, t: float, q: Array, v: Array) -> Array:
        """Return what is watched for at a state."""
        rows = np.concatenate([[t], q, v, self.parameters])[None]
        return self.kernels.run(self.group, "expressions", rows)[0]

    def split(self, t: float, state: Array) -> tuple[Array, Array]:
        """Return positions and velocities of a state."""
        n = self.kernels.n
        return state[:n], self.kernels.from_state(t, state[:n], state[n:], self.parameters)
