"""The pilot: a few admissible configurations, on which everything that needs numbers to be decided is decided.

They are reached from the initial state along the constraint manifold, with the user's parameter values (random ones
where none are given), always the same ones for the same system.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.bend import straight_part
from dalembert.algebra.either import entries
from dalembert.algebra.nearest import reach_solution
from dalembert.algebra.saddle import Saddle, positive
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, Residual, Values, pilot_numeric_of
from dalembert.errors import ModelError
from dalembert.model.facts import START, fact
from dalembert.model.initial import begin_of
from dalembert.survey.start import consistent_state, loose_start, start_of

if TYPE_CHECKING:
    from dalembert.model.system import System

CONFIGURATIONS = 3
_REACH = (
    0.4  # how far a configuration lies from the start: radians, or this part of a coordinate larger than 1, or less
)
_PIECES = 4
_LATER = (1.0, 10.0, 1e-2, 1e-5)  # paces after the start, at one of which the constraints must hold
_SPAN = 10.0  # what is simulated where nothing is said,
_SHARE = 0.01  # and the part of it that one piece of a walk may take
_HALVED = tuple(0.5**k for k in range(11))  # parts of a piece that are tried,
_TINY = tuple(0.1**k for k in range(4, 10))  # and of the time it takes: motions may begin as slowly as t³


@dataclass(frozen=True)
class Configuration:
    """An admissible state."""

    t: float
    q: Array
    v: Array


@fact(START)
def beginning(system: System) -> Configuration:
    """Return where the pilot starts: with random parameters the values that are fixed may not fit."""
    for find in (start_of, loose_start):
        try:
            state = find(system)
            return Configuration(state.t, state.q, state.v)
        except ModelError as error:
            failure = error
    raise failure


@fact(START)
def places_of(system: System) -> list[Configuration]:
    """Return the pilot's configurations of a system."""
    if system.written is not system:
        return places_of(system.written)
    return configurations(pilot_numeric_of(system), beginning(system))


def configurations(
    numeric: Numeric, start: Configuration, count: int = CONFIGURATIONS, seed: int = 3
) -> list[Configuration]:
    """Walk from the start along the constraint manifold, each time in another random direction.

    Raise ModelError if the constraints hold at the start but not at any later time.
    """
    random = np.random.default_rng(seed)
    moving = any(constraint.time for constraint in numeric.system.constraints)
    if moving:
        _look_ahead(numeric, start)
    return [_walk(numeric, start, random, moving) for _ in range(count)]


def _look_ahead(numeric: Numeric, start: Configuration) -> None:
    """Find some later time at which the constraints hold; if there is none, raise ModelError with what contradicts.

    What is found from elsewhere is looked at once more from where it is: far from it everything seems to be small.
    """
    pace = _Pace(numeric, start)
    later = [Configuration(start.t + part * pace.duration, start.q, start.v) for part in _LATER]
    if any(assemble(numeric, place) for place in later):
        return
    names = (*numeric.system.coordinates, *numeric.system.velocities)
    guess = {name: se.RealDouble(value) for name, value in zip(names, (*start.q, *start.v), strict=True)}
    failures = []
    for place in later:
        try:
            state = consistent_state(numeric.system, numeric, initial={}, guess=guess, t=place.t)
        except ModelError as error:
            failures.append(error)
        else:
            if assemble(numeric, Configuration(state.t, state.q, state.v)):
                return
    if failures:
        raise failures[0]


class _Pace:
    """How what depends on time moves a system: the least velocity that the constraints ask for at a state.

    duration: after which it has gone a piece of a walk, by this velocity or by the acceleration that goes with it.
    """

    def __init__(self, numeric: Numeric, here: Configuration):
        simulation = numeric.system.simulation
        begin = begin_of(simulation)
        span = abs(float(simulation.get("until", begin + _SPAN)) - begin) or _SPAN
        self.velocity, self.duration = np.zeros(numeric.n), _SHARE * span
        sizes = _sizes(numeric, here.q)
        nothing = np.zeros(numeric.n)
        dense = numeric.small
        residual, A, _ = numeric.velocity(here.t, here.q, nothing, dense)
        values = numeric.all(here.t, here.q, nothing, dense)
        if not (values.finite() and np.all(np.isfinite(residual)) and np.all(np.isfinite(entries(A)))):
            return
        weight = np.diag(sizes**-2.0) if dense else sp.diags_array(sizes**-2.0)
        self.velocity = Saddle(weight, A).solve(nothing, -residual)[0]
        values = numeric.all(here.t, here.q, self.velocity, dense)
        acceleration = Saddle(weight, values.A).solve(nothing, values.c)[0] if values.finite() else nothing
        step = _REACH / _PIECES
        rate, change = (np.max(np.abs(x) / sizes, initial=0.0) for x in (self.velocity, acceleration))
        limits = [step / rate] if rate > 0 else []
        limits += [np.sqrt(2 * step / change)] if change > 0 else []
        self.duration = float(min([self.duration, *limits]))


def _sizes(numeric: Numeric, q: Array) -> Array:
    """Return by what a walk measures changes of the coordinates."""
    return np.where(numeric.units > 0, numeric.units, np.maximum(1.0, np.abs(q)))


def _walk(numeric: Numeric, start: Configuration, random: np.random.Generator, moving: bool) -> Configuration:
    """Go in pieces of random lengths (round ones would meet singular positions), shorter where nothing is found."""
    here = start
    direction = random.normal(size=numeric.n)
    pieces = [(random.uniform(0.6, 1.4), random.normal(size=numeric.n)) for _ in range(_PIECES)]
    for whole, speeds in pieces:
        sizes, tangent = _sizes(numeric, here.q), _tangent(numeric, here, direction)
        largest = np.max(np.abs(tangent) / sizes, initial=0.0)
        way = _REACH / _PIECES / largest * tangent if largest > 1e-12 else np.zeros(numeric.n)
        duration = 0.0
        if moving:
            pace = _Pace(numeric, here)
            duration, way = pace.duration, way + pace.duration * pace.velocity
        share = _share(numeric, here, way, moving)
        for shorter in (*_HALVED, *_TINY) if moving else _HALVED:
            part = whole * share * shorter
            guess = Configuration(here.t + part * duration, here.q + part * way, speeds)
            found = assemble(numeric, guess, otherwise=here.v)
            if found is not None and numeric.all(found.t, found.q, found.v, numeric.small).finite():
                moved = np.max(np.abs(found.q - here.q) / sizes, initial=0.0)
                if moved < 2 * _REACH * part:
                    here = found
                    break
        else:
            break  # the next piece would go the same way from the same place
    return here


def _share(numeric: Numeric, here: Configuration, way: Array, moving: bool) -> float:
    """Return the part of a way, or by how many times more, that is a piece of a walk where nobody tells the units."""
    if np.all(numeric.units > 0):
        return 1.0
    far = _REACH / _PIECES * np.abs(here.q).max(initial=0.0) / max(np.abs(way).max(initial=0.0), 1e-300)
    return straight_part(lambda q: numeric.position(here.t, q, numeric.small), here.q, way, 1.0 if moving else far)


def assemble(
    numeric: Numeric, near: Configuration, rows: Collection[int] | None = None, otherwise: Array | None = None
) -> Configuration | None:
    """Find an admissible state near a given one, or with velocities near other ones where these lead to none.

    Of the constraints only some rows may be asked to hold.
    """
    dense = numeric.small
    M = numeric.mass(near.t, near.q, dense)
    if not np.all(np.isfinite(entries(M))):
        return None
    units = numeric.kinds
    weight, everything = positive(M, units), np.arange(numeric.n)
    reach = partial(reach_solution, weight=weight, free=everything, units=units)
    positions, velocities = (
        [k for k, i in enumerate(level) if rows is None or i in rows]
        for level in (numeric.holonomic, numeric.kinematic)
    )

    def some(residual: Residual, which: list[int]) -> Residual:
        if len(which) == len(residual[0]):
            return residual
        return tuple(part[which] for part in residual)  # pyright: ignore[reportReturnType]

    q = reach(lambda x: some(numeric.position(near.t, x, dense), positions), near.q)
    if not q.solved:
        return None
    for speeds in (near.v, otherwise):
        if speeds is not None:
            v = reach(lambda x: some(numeric.velocity(near.t, q.x, x, dense), velocities), speeds)
            if v.solved:
                return Configuration(near.t, q.x, v.x)
    return None


def _tangent(numeric: Numeric, here: Configuration, direction: Array) -> Array:
    """Project a direction onto the tangent space of the position constraints."""
    A = numeric.position(here.t, here.q, numeric.small)[1]
    unit = np.eye(numeric.n) if numeric.small else sp.eye_array(numeric.n)
    return Saddle(unit, A).solve(direction, np.zeros(A.shape[0]))[0]


def column_sizes(numeric: Numeric, places: Iterable[Configuration]) -> Array:
    """Return the unit in which changes of each coordinate are measured: how large it is, if nothing else is known."""
    sizes = np.max([np.abs(place.q) for place in places], axis=0)
    return np.where(numeric.units > 0, numeric.units, np.where(sizes > 1e-12, sizes, 1.0))


def off_manifold(numeric: Numeric, places: Sequence[Configuration]) -> list[Configuration]:
    """Return states around admissible ones that satisfy nothing: what holds there too is an identity."""
    random = np.random.default_rng(4)
    columns = column_sizes(numeric, places)
    moved = [(p.t, p.q + random.normal(size=len(p.q)) * columns) for p in places]
    return [Configuration(t, q, random.normal(size=len(q))) for t, q in moved]


def finite_values(numeric: Numeric, places: Iterable[Configuration]) -> list[Values]:
    """Return the blocks at some states, without those where they have no finite value."""
    values = (numeric.all(place.t, place.q, place.v) for place in places)
    return [v for v in values if v.finite()]
