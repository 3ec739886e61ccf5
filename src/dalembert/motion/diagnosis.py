"""Why a motion takes so many steps: forces that jump back and forth, or parts of the equations that are too fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.errors import quoted
from dalembert.forms.prepared import scene_of
from dalembert.forms.quasi_velocities import quasi_velocities
from dalembert.motion import codes
from dalembert.survey.paradox import paradox

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.motion.engine import Engine

_LOOKED_AT = 200  # last steps
_JUMPS = 10  # among them that chatter has at least
_AHEAD = 1e-6  # part of the whole time in which a state goes over a jump at which it rests
_HALVINGS = 30
_LARGE = 1e-3  # part of the largest acceleration that a change must be to be looked at
_MANY = 1000  # steps from which it is worth asking
_PLACES = 5  # of a motion at which the fastest rate is found
_TURNS = 12  # of its iteration; the first ones are forgotten
_DEPENDENT = 1e-9  # part of the largest singular value of rows that repeat each other
_SINGULAR = 0.1  # part of what the least of the others was at the start that is left next to a singular position
_NEARLY = 1e-3  # part of forces that more of them would end the motion
_FASTER = 50.0  # than anything that the motion shows
_HELD, _UNSTABLE = 0.5, 3.0  # step times fastest rate, from which accuracy of the latter or stability hold the steps


def slowed(engine: Engine, times: int, often: int) -> int:
    """Return the status of a motion of which many steps came to little, the first time, the second, …

    often: after so many times the position is looked at, each time.
    """
    if times & (times - 1) == 0 and back_and_forth(engine):  # the first time, the second, the fourth, …
        return codes.CHATTER
    return codes.CREEPS if times % often == 0 and creeps(engine, engine.kernels.system) else codes.RUNNING


def back_and_forth(engine: Engine) -> bool:
    """Tell whether the forces jump where the motion is slow, so that they lead back to where it came from."""
    return sticks(engine) or chatters(engine)


def chatters(engine: Engine) -> bool:
    """Tell whether the last steps went back and forth over a jump in the accelerations."""
    times, states = _last(engine)
    a = _rates(engine, times, states)[:, engine.n :]
    large = _LARGE * np.abs(a).max(initial=0.0)
    found = 0
    for k in np.flatnonzero(np.abs(np.diff(a, axis=0)).max(axis=1) > large):
        found += _jumps(engine, (times[k], times[k + 1]), (states[k], states[k + 1]))
    return found >= _JUMPS


def sticks(engine: Engine) -> bool:
    """Tell whether the accelerations jump ahead of the present state, so that they lead back."""
    n, t, h = engine.n, float(engine.clock.t), _AHEAD * float(engine.clock.end)
    q = engine.y[:n]
    here = np.concatenate([q, engine.kernels.from_state(t, q, engine.y[n:], _parameters(engine))])
    rates = _rates(engine, np.array([t]), here[None])[0]
    ahead = here + h * rates
    a, b = rates[n:], _rates(engine, np.array([t + h]), ahead[None])[0, n:]
    largest = int(np.argmax(np.abs(b - a)))
    return bool(a[largest] * b[largest] < 0 and _jumps(engine, (t, t + h), (here, ahead)))


def creeps(engine: Engine, system: System) -> bool:
    """Tell whether the motion is next to a position where constraints repeat each other that at its start do not."""
    n, numeric = engine.n, _numeric(engine, system)
    places = ((float(engine.times[0][0]), engine.states[0][0]), (float(engine.clock.t), engine.y))
    speeds = [engine.kernels.from_state(t, y[:n], y[n:], _parameters(engine)) for t, y in places]
    matrices = [numeric.all(t, y[:n], v).A.toarray() * numeric.kinds for (t, y), v in zip(places, speeds, strict=True)]
    if 0 in matrices[0].shape or not all(np.all(np.isfinite(A)) for A in matrices):
        return False
    lengths = np.linalg.norm(matrices[0], axis=1, keepdims=True)
    then, now = (np.linalg.svd(A / np.where(lengths > 0, lengths, 1.0), compute_uv=False) for A in matrices)
    independent = int(np.sum(then > _DEPENDENT * then[0]))
    return bool(now[independent - 1] < _SINGULAR * then[independent - 1])


def beyond(engine: Engine, system: System) -> str:
    """Name the constraints without a value a little further on the way, such as a rope whose end is at its pulley."""
    n, t = engine.n, float(engine.clock.t)
    if engine.kernels.conversion:
        return ""
    numeric, q, v = _numeric(engine, system), engine.y[:n], engine.y[n:]
    way = max(t, 1e-3)
    for further in way * 10.0 ** np.arange(-9, 0):
        with np.errstate(all="ignore"):
            residual = numeric.position(t + further, q + further * v)[0]
        if names := [system.constraints[i].name for i, r in zip(numeric.holonomic, residual, strict=True) if r != r]:
            return f"; {quoted(names)} cannot go on beyond that position: a root or an angle has no value there"
    return ""


def names_beside(engine: Engine, system: System) -> Sequence[str]:
    """Return the names of what stands beside the coordinates in the state."""
    if engine.kernels.beside == "p":
        return [f"p_{q}" for q in system.coordinates]
    if engine.kernels.beside == "u":
        return [u.name for u in quasi_velocities(scene_of(system)).symbols]
    return system.velocities


def without_solution(engine: Engine, system: System) -> str:
    """Say that forces which depend on reactions have no solution, or several, where a motion ends; else nothing."""
    n, t = engine.n, float(engine.clock.t)
    if not system.followed or engine.kernels.conversion:
        return ""
    numeric, q, v = _numeric(engine, system), engine.y[:n], engine.y[n:]
    if reason := paradox(numeric, t, q, v, near=_NEARLY):
        return reason
    a = _rates(engine, np.array([t]), engine.y[None])[0, n:]
    a = a if np.all(np.isfinite(a)) else np.zeros(n)
    ahead = max(t, 1e-3) * 10.0 ** np.arange(-9, -2)
    return next(filter(None, (paradox(numeric, t + h, q + h * v, v + h * a) for h in ahead)), "")


def _jumps(engine: Engine, times: tuple[float, float], states: tuple[Array, Array]) -> bool:
    """Tell whether what accelerations change between two states stays where the states come together."""
    low, high = 0.0, 1.0

    def a(theta: float) -> Array:
        t, y = times[0] + theta * (times[1] - times[0]), states[0] + theta * (states[1] - states[0])
        return _rates(engine, np.array([t]), y[None])[0, engine.n :]

    left, right = a(low), a(high)
    first = np.abs(right - left).max()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        here = a(middle)
        if np.abs(here - left).max() > np.abs(right - here).max():
            high, right = middle, here
        else:
            low, left = middle, here
    return bool(np.abs(right - left).max() > 0.5 * first > 0)


def stiff(engine: Engine, times: Array, states: Array, facts: dict[str, Any]) -> str:
    """Say so, if the steps of an explicit method follow something that the motion does not show; else nothing."""
    if len(times) <= _MANY or engine.fixed or facts["method"] in ("radau", "bdf") or engine.kernels.conversion:
        return ""
    n, steps = engine.n, np.diff(times)
    every = np.unique(np.linspace(0, len(times) - 1, 500).astype(int))
    range_ = np.ptp(states[every], axis=0)
    slopes = np.abs(_rates(engine, times[every], states[every])).max(axis=0)
    shown = np.divide(slopes, range_, out=np.zeros(2 * n), where=range_ > 0)
    where = np.linspace(len(steps) // 4, len(steps) - 2, _PLACES).astype(int)
    fastest = [_fastest(engine, float(times[k]), states[k]) for k in where]
    rate, held = float(np.median(fastest)), float(np.median(fastest * steps[where]))
    if held > _UNSTABLE and rate > _FASTER * shown[:n].max(initial=0.0):
        return (
            f"the system is stiff: the {len(steps)} steps are limited by stability, at a rate of {rate:.3g} per unit "
            "of time, and not by accuracy; method `radau` takes steps that follow the motion"
        )
    if held > _HELD and rate > _FASTER * shown.max(initial=0.0):
        return (
            f"the {len(steps)} steps follow something with a rate of {rate:.3g} per unit of time, of which the motion "
            "shows next to nothing; replace what is so stiff by a constraint, or, if it may be less accurate, take "
            "method `radau` with a tolerance of 1e-4"
        )
    return ""


def _fastest(engine: Engine, t: float, y: Array) -> float:
    """Return about the largest eigenvalue of the equations, by the growth of a small change."""
    base = _rates(engine, np.array([t]), y[None])[0]
    change = np.cos(1.0 + np.arange(len(y)))  # any direction, and always the same
    size = 1e-7 * (1 + np.linalg.norm(y))
    growth = []
    for _ in range(_TURNS):
        change = change / np.linalg.norm(change)
        change = (_rates(engine, np.array([t]), (y + size * change)[None])[0] - base) / size
        growth.append(np.linalg.norm(change))
        if not 0 < growth[-1] < np.inf:
            return 0.0
    return float(np.exp(np.mean(np.log(growth[-8:]))))  # of positions and velocities in turn, so an even number


def _rates(engine: Engine, times: Array, states: Array) -> Array:
    """Return q̇ and q̈ at states."""
    n = engine.n
    inputs = np.column_stack([times, states, np.tile(_parameters(engine), (len(times), 1))])
    a = engine.kernels.run("core", "accelerations", inputs)[:, :n]
    return np.hstack([states[:, n:], a])


def _numeric(engine: Engine, system: System) -> Numeric:
    values = dict(zip(system.parameters, engine.given[1 + 2 * engine.n :], strict=False))
    return Numeric(system, values)  # an event may have changed them


def _parameters(engine: Engine) -> Array:
    first = 1 + 2 * engine.n
    return engine.given[first : first + len(engine.kernels.system.parameters)]


def _last(engine: Engine) -> tuple[Array, Array]:
    """Return the last recorded times, positions and velocities."""
    last, n = int(engine.count.recorded), engine.n
    first = max(0, last - _LOOKED_AT)
    times, states = engine.times[-1][first:last], engine.states[-1][first:last].copy()
    if len(times):
        states[:, n:] = engine.kernels.from_state(times, states[:, :n], states[:, n:], _parameters(engine))
    return times, states
