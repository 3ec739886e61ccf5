"""The time loop: from a consistent start, in pieces of some hundredths of a second, to the end or to what stops it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, numeric_of
from dalembert.errors import ModelError, SimulationError
from dalembert.forms import FORMS
from dalembert.interruption import Held
from dalembert.model.initial import begin_of
from dalembert.model.modes import in_modes
from dalembert.model.settings import Settings
from dalembert.model.system import System
from dalembert.model.variants import with_values
from dalembert.motion import codes
from dalembert.motion.conflicts import sample_times
from dalembert.motion.crossing import Crossing
from dalembert.motion.diagnosis import stiff
from dalembert.motion.engine import Engine, Steps
from dalembert.motion.events import Event, Occurrence, read_events
from dalembert.motion.explicit_engine import ExplicitEngine
from dalembert.motion.failure_words import failure, place
from dalembert.motion.forecast import Forecast, foresee, unforeseen
from dalembert.motion.impact import Impact
from dalembert.motion.keep import Stabilisation, stabilisation
from dalembert.motion.margins import STEPS
from dalembert.motion.method import Setup
from dalembert.motion.methods import METHODS
from dalembert.motion.mode_events import mode_events_of
from dalembert.motion.named_velocities import NamedVelocities
from dalembert.motion.sampled import ControlRecord, Sampling, laws_of
from dalembert.motion.starts import hasten_starts
from dalembert.motion.table_ends import refuse_beyond
from dalembert.motion.tableau import Tableau
from dalembert.motion.units import units_of
from dalembert.motion.watch import Watch
from dalembert.native.kernels import Kernels
from dalembert.survey.check import refuse_contradictions
from dalembert.survey.contact_values import refuse_contacts
from dalembert.survey.offset_start import offset_start
from dalembert.survey.start import State, start_of

_FIRST = 20_000  # unknowns times steps of the first piece: some thousandths of a second
_MOST = 10**8  # steps of a piece, whatever the clock says
_ROUNDING = 1e-13  # of the time of a motion, which is no time
_LONGER = 0.01  # jumps that follow each other ever faster are followed longer in a second motion than in the first
_PIECE = 0.05  # seconds between two looks at the clock, the keyboard and the progress


@dataclass(frozen=True)
class Ready:
    """A system that can begin to move: its blocks as numbers, a consistent start, parameters, native code."""

    system: System
    numeric: Numeric
    state: State
    parameters: Array
    kernels: Kernels
    checked: bool


@dataclass(frozen=True)
class Motion:
    """A computed motion as the stepper left it: times and states at the steps, (q, v), or (q, p) in canonical form.

    `samples` are the states at the times that were asked for; `facts` what is known of the computation.
    """

    ready: Ready
    settings: Settings
    engine: Engine
    times: Array
    states: Array
    sample_times: Array | None
    samples: Array
    facts: dict[str, Any]
    stabilisation: Stabilisation | None
    occurrences: list[Occurrence]
    changes: list[tuple[float, Array]]  # new values of the parameters, from a time on
    crossing: Crossing  # of switches in time
    impacts: list[Impact]  # of contacts
    held: ControlRecord | None = None  # what laws of control gave
    forecasts: tuple[Forecast, ...] = ()  # what was stated of stabilisation before
    memory: dict[str, Any] = field(default_factory=dict)  # what was found out about it, shared by its samplings

    @property
    def system(self) -> System:
        """What moves."""
        return self.ready.system

    @property
    def kernels(self) -> Kernels:
        """Its native code."""
        return self.ready.kernels

    @property
    def parameters(self) -> Array:
        """The values of its parameters at the start."""
        return self.ready.parameters

    @property
    def parts(self) -> tuple[Motion, ...]:
        """The motions of which it is made: itself, or those that were joined."""
        return (self,)

    def __repr__(self) -> str:
        return f"<Motion of {self.system!r}: {len(self.times) - 1} steps until t = {self.times[-1]:g}>"

    def parameters_at(self, times: Array) -> Array:
        """Return the parameters at some times: one row for all, or one for each if they change."""
        if not self.changes:
            return self.parameters
        rows = np.array([self.parameters, *(values for _, values in self.changes)])
        return rows[np.searchsorted([t for t, _ in self.changes], times, side="left")]

    def between(self, steps: Array, thetas: Array) -> Array:
        """Return states inside steps at parts θ of them, one row for each pair of a step and a part."""
        if not len(steps):
            return np.empty((0, self.states.shape[1]))
        order = np.argsort(steps, kind="stable")
        which, ends = np.unique(steps[order], return_index=True)
        ends, thetas = np.append(ends[1:], len(steps)), np.asarray(thetas, dtype=float)[order]
        rows = self.parameters_at(self.times[which + 1]) if self.changes else np.zeros((len(which), 0))
        lengths = np.diff(self.times)[which]
        taken = Steps(self.times[which], lengths, self.states[which], self.states[which + 1], rows)
        inside = self.engine.inside(taken, ends, thetas)
        if np.all(steps[1:] >= steps[:-1]):  # as mostly: then they are in order
            return inside
        found = np.empty_like(inside)
        found[order] = inside
        return found


def compute(system: System, settings: Settings) -> Motion:
    """Compute the motion from the consistent initial state until a time; Ctrl-C ends it and keeps what was computed.

    A model that contradicts itself is refused, unless it is `unchecked`.
    """
    if settings.initial is not None:
        system = system.replace(initial=settings.initial)
    if settings.begin != begin_of(system.simulation):
        system = with_values(system, {"simulation": {**system.simulation, "begin": settings.begin}})
    read_events(system, settings.events)  # what is wrong with them is said before anything is computed
    laws = laws_of(system, settings)
    before = time.perf_counter()
    numeric = numeric_of(system)
    state = _begun(system, settings)
    if not settings.unchecked and not state.off:
        refuse_contradictions(system)
    sampling = Sampling(system, laws, settings)
    if laws:  # from the start on, which does not depend on them
        system = system.replace(parameters=sampling.take(state.t, state.q, state.v))
        numeric = numeric_of(system)
    refuse_contacts(system, state.t, state.q, numeric.parameters)
    system = in_modes(system)  # from here on it may stick
    if system.written is not system and FORMS[settings.form].beside == "u":
        text = f"the form `{settings.form}` has velocities of its own, which what sticks or closes would take away"
        raise ModelError(f"{text}; take another form, or round friction off by `smooth`")
    numeric = numeric_of(system)
    parameters = np.array(numeric.parameters)
    refuse_beyond(system, state.t, [*state.q, *state.v], numeric.parameters)
    crossing = Crossing(system, parameters, state.t, settings.until, not settings.unchecked)
    crossing.refuse(state.q, state.v)
    kernels = _kernels(system, settings)
    if system.written is system:
        kernels.hasten()  # for the starts of variants
        hasten_starts(kernels, numeric)
    else:
        parameters = _settled(system, kernels, state, parameters, settings)
        system = with_values(system, {"parameters": dict(zip(system.parameters, map(float, parameters), strict=True))})
        numeric, kernels = numeric_of(system), _kernels(system, settings)
    ready = Ready(system, numeric, state, parameters, kernels, not settings.unchecked)
    forecasts = _foreseen(ready, settings)
    motion = replace(_integrate(ready, settings, crossing, before, sampling), forecasts=forecasts)
    facts = motion.facts
    if remark := stiff(motion.engine, motion.times, motion.states, facts):
        facts["message"] = f"{facts['message']}; {remark}" if facts["message"] else ""
    facts["remark"] = remark
    return motion


def _kernels(system: System, settings: Settings) -> Kernels:
    """Return native code of the form in which motions are computed."""
    return Kernels(system, FORMS[settings.form]().moved(system))


def _settled(system: System, kernels: Kernels, state: State, parameters: Array, settings: Settings) -> Array:
    """Find the modes in which a motion begins."""
    modes = mode_events_of(system)
    if modes is None:
        return parameters
    modes.measure(settings.until - state.t, units_of(numeric_of(system), state)[kernels.n :])
    return modes.begin(kernels, state.t, state.q, state.v, parameters)


def _begun(system: System, settings: Settings) -> State:
    """Find the start; where constraints are stabilised, initial values may contradict them."""
    try:
        return start_of(system)
    except ModelError:
        if settings.keep != "stabilise":
            raise
    return offset_start(system)


def _foreseen(ready: Ready, settings: Settings) -> tuple[Forecast, ...]:
    """Refuse gains that are outside what the method admits, and state what stabilisation will hold, by a trial."""
    system, method = ready.system, METHODS[settings.method]
    if settings.keep != "stabilise" or not isinstance(method, Tableau) or not system.constraints:
        return ()
    chosen = stabilisation(system, method, settings.gains, ready.parameters)
    if not settings.unchecked:
        chosen.refuse(ready.state.t, settings.until, settings.step)
    if settings.step is None:
        return unforeseen(chosen, "the steps are not known before")
    if settings.controls or any(isinstance(e, Event) and e.acts and not e.ends for e in settings.events):
        return unforeseen(chosen, "events change the motion, or laws in Python: no trial is made of them")
    changed = {"keep": "project", "gains": None, "samples": None, "events": (), "progress": None}
    trial_settings, state = replace(settings, **changed), ready.state
    crossing = Crossing(system, ready.parameters, state.t, settings.until, ready.checked)
    sampling = Sampling(system, {}, trial_settings)
    try:
        trial = _integrate(ready, trial_settings, crossing, time.perf_counter(), sampling)
    except SimulationError as error:
        return unforeseen(chosen, f"a trial motion with projection fails: {error}")
    if trial.facts["status"] != "done":
        if trial.facts["message"].startswith("interrupted"):
            raise KeyboardInterrupt
        return unforeseen(chosen, f"a trial motion with projection ends early: {trial.facts['message']}")
    units = units_of(ready.numeric, state)
    setup = Setup(ready.parameters, (state.t, state.q, state.v), units, **chosen.setup(ready.kernels))
    return foresee(trial.times, trial.states, settings.step, ExplicitEngine(ready.kernels, method, setup), chosen)


def again(
    motion: Motion,
    longest: float = math.inf,
    call: bool = False,
    start: tuple[Array, Array] | None = None,
    **changes: Any,
) -> Motion:
    """Compute a motion again from the same start, or from other q and v, with other settings; no step above `longest`.

    Laws in Python are not called again, unless that is asked for: what they gave is taken from the record.
    """
    ready, settings = motion.ready, replace(motion.settings, progress=None, **changes)
    if settings.form != motion.settings.form:
        ready = replace(ready, kernels=_kernels(ready.system, settings))
    if start is not None:
        state = replace(ready.state, q=start[0], v=start[1])
        ready = replace(
            ready, state=state, parameters=_settled(ready.system, ready.kernels, state, ready.parameters, settings)
        )
    crossing = Crossing(ready.system, ready.parameters, ready.state.t, settings.until, ready.checked)
    laws = settings.controls or {} if call else {}
    sampling = Sampling(ready.system, laws, settings, None if call else motion.held)
    if motion.held is not None:
        sampling.take(ready.state.t, ready.state.q, ready.state.v)
    return _integrate(ready, settings, crossing, time.perf_counter(), sampling, longest, _LONGER)


def _integrate(
    ready: Ready,
    settings: Settings,
    crossing: Crossing,
    before: float,
    sampling: Sampling,
    longest: float = math.inf,
    soon: float = 1.0,
) -> Motion:
    """Follow the motion from its start; `before` is when the work on it began, `soon` see `Watch`."""
    system, kernels, state, parameters = ready.system, ready.kernels, ready.state, ready.parameters
    watch = Watch(system, settings.events, soon)
    method = METHODS[settings.method]
    chosen = None
    if settings.keep == "stabilise" and isinstance(method, Tableau):
        chosen = stabilisation(system, method, settings.gains, parameters)
        if settings.step is None:
            longest = min(longest, chosen.limit(state.t, settings.until))
    kept: dict[str, Any] = {"keep": settings.keep} if chosen is None else chosen.setup(kernels)
    setup = Setup(
        parameters,
        (state.t, state.q, state.v),
        units_of(ready.numeric, state),
        **kept,
        watched=watch.prepare(kernels),
        switches=crossing.prepare(kernels),
        coordinates=None if settings.coordinates is None else tuple(settings.coordinates),
    )
    engine = method.engine(kernels, setup)
    y = np.concatenate([state.q, state.v])
    y[kernels.n :] = kernels.to_state(state.t, state.q, state.v, parameters)
    named = NamedVelocities(kernels, state, y, parameters, setup.units[kernels.n :])
    sampled = sample_times(settings)
    wanted = np.zeros(0) if sampled is None else sampled
    tolerances = settings.rtol, settings.atol
    engine.begin((state.t, y), settings.until, tolerances, settings.step, wanted[wanted > state.t], longest)
    built = time.perf_counter() - before
    before = time.perf_counter()
    watch.begin(engine, (state.t, y), parameters)
    crossing.cut = sampling.next
    crossing.begin(engine, watch)
    status, message = _loop(engine, settings, system, watch, crossing, sampling, named)
    times, states = engine.recorded(state.t, y)
    if status == "failed" and len(times) == 1:
        raise SimulationError(f"the motion cannot begin: {message}")
    facts = _facts(engine, settings) | {"status": status, "message": message, "build_s": built}
    facts["wall_s"] = time.perf_counter() - before
    samples = engine.reached()
    if early := len(wanted) - len(engine.wanted):
        samples = np.concatenate([np.tile(y, (early, 1)), samples])
    return Motion(
        ready, settings, engine, times, states, sampled, samples, facts, chosen,
        sorted(watch.occurrences, key=lambda found: found.t), watch.changes, crossing, watch.impacts, sampling.held,
    )  # fmt: skip


def _loop(
    engine: Engine,
    settings: Settings,
    system: System,
    watch: Watch,
    crossing: Crossing,
    sampling: Sampling,
    named: NamedVelocities,
) -> tuple[str, str]:
    """Advance until something ends it; return "done", "stopped" or "failed", and why."""
    start = last = time.perf_counter()
    piece = _MOST if watch.modes is None else STEPS
    steps = min(piece, max(1, _FIRST // (engine.n + engine.kernels.s)))
    try:
        with Held() as interruption:
            while True:
                status = engine.advance(min(steps, max(1, settings.max_steps - int(engine.count.steps))))
                status = watch.look_back(status)
                now = time.perf_counter()
                # else the piece was shorter; where modes are looked for in pieces, none may depend on the clock
                if status == codes.RUNNING and watch.modes is None:
                    steps = max(1, min(10 * steps, piece, int(steps * _PIECE / max(now - last, 1e-6))))
                last = now
                if named.lost(engine):
                    return "failed", named.words(place(engine, system))
                if status == codes.EVENT:
                    if ended := watch.handle():
                        return ended
                    crossing.renew()
                if status == codes.CHOICE and not engine.choose_again():
                    return "failed", failure(codes.NOT_PROJECTED, engine, system)
                if status == codes.DONE and engine.clock.t >= sampling.next():
                    if ended := sampling.hold(engine, watch, crossing):
                        return ended
                elif status == codes.DONE and (ended := crossing.go_on()):
                    return ended
                if status not in (codes.RUNNING, codes.EVENT, codes.CHOICE, codes.DONE):
                    jumps = crossing.switching.states or any(_at_the_end(o.t, settings) for o in watch.occurrences[-1:])
                    if status == codes.STEP_TOO_SMALL and jumps and _at_the_end(engine.clock.t, settings):
                        engine.cross(settings.until)
                        return "done", ""
                    return "failed", failure(status, engine, system)
                if settings.progress is not None:
                    settings.progress(float(engine.clock.t), now - start)
                t = engine.clock.t
                if word := interruption.taken():
                    return "stopped", f"{word} at t = {t:.6g}"
                if engine.count.steps >= settings.max_steps:
                    return "stopped", f"{settings.max_steps} steps were taken at t = {t:.6g}; allow more by `max_steps`"
                if now - start > (most := settings.max_seconds):
                    return "stopped", f"{most:g} s were over at t = {t:.6g}; allow more by `max_seconds`"
    except KeyboardInterrupt:  # a second Ctrl-C, or one that `progress` or an event raises
        return "stopped", f"interrupted at t = {engine.clock.t:.6g}"


def _at_the_end(t: float, settings: Settings) -> bool:
    """Tell whether all that is left is rounding: a force, or a velocity, that jumps there has nothing behind it."""
    return settings.until - float(t) <= _ROUNDING * (settings.until - settings.begin)


def _facts(engine: Engine, settings: Settings) -> dict[str, Any]:
    names = ("begin", "until", "form", "method", "keep", "rtol", "atol", "step")
    counted = ("steps", "evaluations", "rejected", "guards", "projections")
    return (
        {name: getattr(settings, name) for name in names}
        | {"choices": engine.choices}
        | {"guarded" if name == "guards" else name: int(getattr(engine.count, name)) for name in counted}
    )
