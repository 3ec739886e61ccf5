"""What is measured on a motion: expressions along it, their extremes, means, the ways of points."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from dalembert.arrays import Array
from dalembert.document.shown import Shown
from dalembert.errors import ModelError, MotionWarning
from dalembert.language.late_sympy import is_sympy
from dalembert.results.beshaw_bound import Bound, StabilisedResiduals, bounds, stabilised

if TYPE_CHECKING:
    from dalembert.native.values import SolvedStates
    from dalembert.results.points import PointMotion
    from dalembert.results.profile import Profile
    from dalembert.results.run import Run

_MISSED = 1e-6  # part of the range that is worth a word
_STEEPER = 4.0  # times the slopes at its ends, that one inside a step may be
_DECAY = "stabilisation lets the residuals decay, and what is computed is no motion of the model until they have"
_LOOKED = 50  # times at which it is looked whether a value is determined


class Extreme(float):
    """A largest or smallest value: a number that knows its time `t`; `signed` is the value itself, with its sign."""

    t: float
    signed: float

    def __new__(cls, value: float, t: float, signed: float) -> Self:
        """Make it."""
        made = super().__new__(cls, value)
        made.t, made.signed = t, signed
        return made

    def __reduce__(self) -> tuple[type[Extreme], tuple[float, float, float]]:
        return Extreme, (float(self), self.t, self.signed)

    def __repr__(self) -> str:
        return f"{float(self):.12g} at t = {self.t:.9g}"


class Measured(Shown):
    """What can be asked of a motion by expressions."""

    @property
    def _self(self) -> Run:
        """The run of which this is a part."""
        return cast("Run", self)

    @cached_property
    def bounds(self) -> list[Bound]:
        """δ, σ and whether the bound held, by level, where constraints are stabilised."""
        return bounds(self._self)

    @cached_property
    def stabilisation(self) -> StabilisedResiduals | None:
        """How constraints were stabilised, σ as it was stated before, and what came out; None if they were not."""
        return stabilised(self._self)

    @property
    def controls(self) -> dict[str, Array]:
        """The controls along the motion, by name: what their laws give."""
        return self._self.evaluate({name: name for name in self.control_names})

    @property
    def control_names(self) -> tuple[str, ...]:
        """The names of the controls: those of the model, and parameters that laws in Python set."""
        run = self._self
        held = () if run.motion.held is None else run.motion.held.names
        return tuple(dict.fromkeys((*run.system.sections.get("controls", {}), *held)))

    @property
    def calls(self) -> dict[str, Array]:
        """What laws in Python gave: the times `t` of their calls, and by name the values, held until the next."""
        held = self._self.motion.held
        return {} if held is None else held.as_dict()

    @property
    def slack(self) -> tuple[str, ...]:
        """Which ropes would have to push, from when on, in words: real ones are slack there."""
        from dalembert.results.slack import slack

        return slack(self._self)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is to be looked at, in words: a start off the constraints, ropes that would push, controls at limits."""
        from dalembert.results.saturation import at_limits
        from dalembert.results.unseen import unseen

        motion = self._self.motion
        off = dict.fromkeys(part.ready.state.off for part in motion.parts if part.ready.state.off)
        begun = [f"the initial values contradict constraints ({words}) and are kept: {_DECAY}" for words in off]
        return (*begun, *self.slack, *at_limits(self._self), *unseen(motion))

    def evaluate(self, expression: Any, times: Any = None) -> Any:
        """Return an expression along the motion: `run.evaluate("m*g*y")`, at its samples or at any times of it.

        expression: a text in the grammar of model files, of t, coordinates, velocities x', accelerations x'',
        parameters, multipliers lambda_rod, and quantities of parts such as A.force, A.angle', motor.torque, rod.P.x;
        or SymPy. Of several, given as a table by name, the values are returned by name.
        """
        from dalembert.results.evaluation import evaluate

        if isinstance(expression, Mapping):
            return evaluate(self._self, {str(name): value for name, value in expression.items()}, times)
        return evaluate(self._self, {str(expression): expression}, times)[str(expression)]

    @property
    def _reacting(self) -> SolvedStates:
        """The solution with λ of every condition in `system.reacting`: of a mechanism, of all its joints."""
        run = self._self
        own = run.system.reacting == tuple(constraint.name for constraint in run.system.constraints)
        return run._solution if own else run.joints.solution

    @property
    def outputs(self) -> dict[str, Array]:
        """The outputs of the system along the motion, by name."""
        return self._self.evaluate(self._self.system.outputs)

    def point(self, of: str, point: Any = None) -> PointMotion:
        """Return the way of a point: `run.point("rod", "P").place`, with `velocity` and `acceleration`.

        of: a body of a mechanism; of other systems a point of the drawing. point: one of the body by its name, or
        coordinates in the frame of the body; without one the centre of mass.
        """
        from dalembert.results.points import point_motion

        return point_motion(self._self, of, point)

    def peak(self, what: Any) -> Extreme:
        """Return the largest absolute value along the motion, between steps too: `run.peak("A.force").t` is its time.

        what: an expression as in `evaluate`, or a function of a run that gives one value for each of its times, as
        `lambda run: run.joint("A", axes="body").force[:, 0]`. The value with its sign is `.signed`.
        """
        found = profile_of(self._self, what)
        value, t = max((found.extreme(sign) for sign in (1.0, -1.0)), key=lambda extreme: abs(extreme[0]))
        return Extreme(abs(value), t, value)

    def maximum(self, what: Any) -> Extreme:
        """Return the largest value along the motion, between steps too, of what `peak` takes."""
        value, t = profile_of(self._self, what).extreme(1.0)
        return Extreme(value, t, value)

    def minimum(self, what: Any) -> Extreme:
        """Return the smallest value along the motion, between steps too, of what `peak` takes."""
        value, t = profile_of(self._self, what).extreme(-1.0)
        return Extreme(value, t, value)

    def mean(self, what: Any) -> float:
        """Return the mean over time of what `peak` takes, by quadrature inside the steps."""
        return profile_of(self._self, what).mean()

    def rms(self, what: Any) -> float:
        """Return the root of the mean square over time of what `peak` takes, by quadrature inside the steps."""
        return profile_of(self._self, what).rms()


def column_extremes(run: Run, columns: Sequence[int]) -> list[tuple[float, float]]:
    """Return the least and the largest value of some columns of (q, v), between steps too.

    All are looked at in the same places first, in which the motion is computed once for all of them: in the steps that
    may hold an extreme of one of them, as the slopes at their ends say.
    """

    def states(times: Array) -> Array:
        at = run.resampled(times)
        return np.concatenate([at.q, at.v], axis=1)[:, columns]

    from dalembert.results.profile import profile

    values, found, among = _remembered(states), [], _may_exceed(run, columns)
    for k in range(len(columns)):
        one = profile(lambda times, k=k: values(times)[:, k], run.motion.times, among=among)
        found.append((one.extreme(-1.0)[0], one.extreme(1.0)[0]))
    return found


def _may_exceed(run: Run, columns: Sequence[int]) -> Array:
    """Tell which steps may hold the least or the largest value of some columns of (q, v)."""
    from dalembert.results.certificate.scales import points

    kernels, (t, q, v, values) = run.motion.kernels, points(run)
    a = kernels.run("core", "accelerations", kernels.inputs(t, q, v, values))[:, : kernels.n]
    x, slopes = np.concatenate([q, v], axis=1)[:, columns], np.abs(np.concatenate([v, a], axis=1)[:, columns])
    first, last, h = x[:-1], x[1:], np.diff(t)[:, None]
    beyond = _STEEPER * h * np.maximum(slopes[:-1], slopes[1:])
    inside = (np.maximum(first, last) + beyond < x.max(axis=0)) & (np.minimum(first, last) - beyond > x.min(axis=0))
    return ~np.all(inside, axis=1)  # also where something has no value


def profile_of(run: Run, what: Any) -> Profile:
    """Return what is asked as polynomials between the steps, with a warning if these do not say all of it."""
    memory, key = run.motion.memory, f"profile {what}" if isinstance(what, str) else ""
    if key in memory:
        return _said(*memory[key])
    from dalembert.results.cuts import cut
    from dalembert.results.profile import profile

    name, evaluate, *switching = _functions(run, what)
    times, lost = cut(run.motion.times, switching)
    found = profile(evaluate, times)
    t, values = found.samples
    wrong = t[~np.isfinite(values)]
    text = ""
    if 0 < len(wrong) < len(t):
        text = f"`{name}` has no finite value at t = {wrong.min():g}; extremes are those of the others"
    elif found.poles:
        text = f"`{name}` seems to grow without bound at t = {found.poles[0]:g}: its extremes and means say little"
    elif found.missed > _MISSED:
        text = f"`{name}` varies too fast to be followed between the steps: extremes and means may be off by a part of "
        text += f"{found.missed:.1g} of its range"
    elif lost > _MISSED:
        text = f"`{name}` switches too often to be followed between the steps: extremes and means may be off"
    if key:
        memory[key] = found, text
    return _said(found, text)


def _said(found: Profile, text: str) -> Profile:
    """Return a profile, with a warning each time that it is asked for."""
    if text:
        warnings.warn(text, MotionWarning, stacklevel=5)
    return found


def _functions(run: Run, what: Any) -> tuple[str, *tuple[Callable[[Array], Array], ...]]:
    """Return how what is asked is called, what gives its values at times, and what passes zero where it switches."""
    from dalembert.results.cuts import switching_in
    from dalembert.results.evaluation import Asked, short

    if not callable(what) or is_sympy(what):
        name = short(what)
        asked = Asked(run, {name: what})
        few = run.resampled(np.linspace(run.motion.times[0], run.motion.times[-1], _LOOKED))
        if np.any(asked.undetermined(few)):
            run.evaluate(what, few.t)  # which warns
            return name, lambda times: np.full(len(times), np.nan)
        own = run.motion.crossing.switching if asked.solved else None
        along = () if own is None else (*own.times, *own.states, *own.dips)  # of forces that may move nothing
        if not (switching := [*dict.fromkeys((*along, *switching_in(asked.expressions[0])))]):
            return name, lambda times: asked.at(run.resampled(times))[:, 0]
        every = Asked(run, {name: what}, *switching)
        values = _remembered(lambda times: every.at(run.resampled(times)))
        return name, *(lambda times, k=k: values(times)[:, k] for k in range(len(switching) + 1))

    def evaluate(times: Array) -> Array:
        found = np.asarray(what(run.resampled(times)), dtype=float)
        if found.shape != times.shape:
            raise ModelError(
                f"a function of a run gives one value for each of its {len(times)} times; this one gives values of "
                f"shape {found.shape}"
            )
        return found

    return short(getattr(what, "__name__", what)), evaluate


def _remembered(evaluate: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Return a function of times that computes its values, of several columns, once."""
    known: dict[bytes, Array] = {}

    def values(times: Array) -> Array:
        if (key := times.tobytes()) not in known:
            known[key] = evaluate(times)
        return known[key]

    return values
