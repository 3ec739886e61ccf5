"""The stepper of RATTLE and its compositions: native, resumable, without Python inside.

One step of RATTLE (Andersen 1983; for a general Hamiltonian Hairer, Lubich, Wanner, *Geometric Numerical Integration*,
VII.1.3), with F = −∂H/∂q + Q, v = ∂H/∂p, and impulses I = (h/2) Aᵀλ of the reactions at both ends:

    p½ = p0 + (h/2) F(q0, p½, t0) + I0
    q1 = q0 + (h/2) (v(q0, p½, t0) + v(q1, p½, t1)),   g(q1, t1) = 0
    p1 = p½ + (h/2) F(q1, p½, t1) + I1,                ψ(q1, v(q1, p1, t1), t1) = 0

The first two lines are solved together, by Newton's iteration with the matrix [[M, Aᵀ], [A, 0]] of the start: it was
factorised for the last line of the step before. Where that is slow, the rows of A below are taken from the end of the
step; so singular positions are passed, where a row vanishes and comes back with the other sign. With a constant M
and forces without velocities (`separable`) only the multipliers are left to be iterated for.
"""

from __future__ import annotations

import numpy as np

from dalembert.motion.codes import (
    CONTRADICTED,
    DONE,
    EVENT,
    NOT_FINITE,
    NOT_PROJECTED,
    NOT_SOLVED,
    RUNNING,
    SINGULAR_MASS,
)
from dalembert.motion.steppers.common import proposed, written
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.primitives import LEFT, copy, extent_of, kernel, watch

Q, P, SHIFT, PUSH, IMPULSE, FORCES, REACTIONS, RATES, REST_Q, REST_P = range(10)  # rows of `rows`

_MOST = 100  # iterations
_SLOW = 0.1  # a correction in the size of the last, beyond which the matrix is made anew
_NEAR = 4  # matrices made anew, at most
_KINK = 0.5  # how far end velocities may be from the mean one, in their size
_PARTS = (1, 2, 3, 5, 7)  # into which a step is cut, one after the other, if its equations are not solved
_SLOWLY = -4  # in `count.bad`: an iteration did not converge
_ROUNDING = 1e-16  # relative size of a correction that changes nothing any more
_STUCK = 1e-10  # below it, corrections that do not become smaller are rounding
_SHORT = 1e-3  # part of a unit by which residuals are measured at least


@compiled
def _given(given, n, t, q, p):
    given[0] = t
    for i in range(n):
        given[1 + i] = q[i]
        given[1 + n + i] = p[i]


@compiled
def _begin(tools, t, y, rows):
    """Factorise the matrix at a state, and take its velocity; return whether it is there."""
    address, count, given, out, work, n = tools.address, tools.counts, tools.given, tools.out, tools.work, tools.size.n
    _given(given, n, t, y[:n], y[n:])
    kernel(address.turn, given, out, work)
    for i in range(n):
        rows[RATES, i] = out[i]
        rows[REST_Q, i] = rows[REST_P, i] = rows[REACTIONS, i] = 0.0
    if not out[2 * n + 2] > 0.0:
        count.bad = SINGULAR_MASS
        return False
    kernel(address.force, given, out, work)
    count.evaluations += 1
    for i in range(n):
        rows[FORCES, i] = out[n + i]
        if not (np.isfinite(rows[RATES, i]) and np.isfinite(out[n + i])):
            count.bad = i if not np.isfinite(rows[RATES, i]) else n + i
            return False
    return True


@compiled
def _defects(tools, t, h, q0, p0, first, rows):
    """Evaluate the first two lines at p½ and q1: what is missing in p½, times h, and by how much q1 moves away."""
    address, given, out, work = tools.address, tools.given, tools.out, tools.work
    n, separable = tools.size.n, tools.size.separable == 1
    q, p, shift, push, impulse = rows[Q], rows[P], rows[SHIFT], rows[PUSH], rows[IMPULSE]
    defect = given[len(given) - n :]
    for i in range(n):
        defect[i] = 0.0
    if separable and not first:
        return  # what is linear was solved with the first correction
    _given(given, n, t, q0, p)
    if separable:
        kernel(address.velocity, given, out, work)
    else:
        kernel(address.force, given, out, work)
        tools.counts.evaluations += 1
        for i in range(n):
            push[i] = 0.5 * h * out[n + i]
            defect[i] = h * ((p0[i] - p[i]) + push[i] + impulse[i])
    for i in range(n):
        shift[i] = 0.5 * h * out[i]
        if first:
            q[i] = q0[i] + h * out[i]
    if not separable:
        _given(given, n, t + h, q, p)
        kernel(address.velocity, given, out, work)
    for i in range(n):
        shift[i] += 0.5 * h * out[i]


@compiled
def _corrected(tools, h, q0, p0, rows):
    """Add a correction to p½ and q1; return its relative size, that of the positions alone, and what is bad."""
    q, p, shift, push, impulse = rows[Q], rows[P], rows[SHIFT], rows[PUSH], rows[IMPULSE]
    n, units, given, out = tools.size.n, tools.size.units, tools.given, tools.out
    defect = given[len(given) - n :]
    largest = farthest = 0.0
    whole = max(1.0, extent_of(units, 0, q, 0, n))
    for i in range(n):
        if not np.isfinite(out[i]):
            return largest, farthest, i
        if defect[i] != 0.0:
            largest = max(largest, abs(defect[i] / h) / (abs(p0[i]) + abs(push[i]) + abs(impulse[i])))
        shift[i] += out[i]
        impulse[i] += out[n + i] / h
        p[i] += (defect[i] + out[n + i]) / h
        moved = q0[i] + (shift[i] + rows[REST_Q, i])
        farthest = max(farthest, abs(moved - q[i]) / (whole * units[i] + abs(moved)))
        q[i] = given[1 + i] = moved
    return max(largest, farthest), farthest, -1


@compiled
def _first_half(tools, t, h, q0, p0, rows):
    """Find p½ and q1; return whether they are there."""
    address, count, given, out, work = tools.address, tools.counts, tools.given, tools.out, tools.work
    n, s = tools.size.n, tools.size.s
    for i in range(n):
        rows[IMPULSE, i] = 0.5 * h * rows[REACTIONS, i]
        rows[PUSH, i] = 0.5 * h * rows[FORCES, i]
        rows[P, i] = p0[i] + rows[PUSH, i] + rows[IMPULSE, i]
    which, near, waited = address.move, 0, 0
    smallest = before = farthest = np.inf
    rate = 1.0
    for iteration in range(_MOST):
        _defects(tools, t, h, q0, p0, iteration == 0, rows)
        given[0] = t + h
        for i in range(n):
            given[1 + i] = q0[i] + (rows[SHIFT, i] + rows[REST_Q, i])
        if s > 0 and iteration > 1 and rate > _SLOW and near < _NEAR and farthest > 10 * _ROUNDING:
            kernel(address.near, given, out, work)
            which, near = address.move_near, near + 1
        kernel(which, given, out, work)
        count.projections += 1
        largest, farthest, bad = _corrected(tools, h, q0, p0, rows)
        if bad >= 0:
            count.bad = bad
            return False
        slowest = rate
        if iteration > 0:
            rate = largest / before
        waited = 0 if largest < 0.5 * smallest else waited + 1
        smallest, before = min(smallest, largest), largest
        if largest <= _ROUNDING or largest * max(rate, slowest) < 0.1 * _ROUNDING or (waited > 2 and farthest < _STUCK):
            return True
    return False


@compiled
def _satisfied(count, left, values, units):
    """Tell whether constraints hold at positions or velocities: contradictory ones settle on a compromise.

    What is left are distances in the coordinates, whatever the units of the constraints.
    """
    extent = 0.0
    for i in range(len(values)):
        extent = max(extent, abs(values[i]), _SHORT * units[i])
    for residual in left:
        if not abs(residual) < LEFT * extent:
            count.bad = CONTRADICTED
            return False
    return True


@compiled
def _rattle(tools, t, h, y, rows):
    """Take one step of RATTLE from y to y, compensating what rounding loses; return whether it is there."""
    address, size, count, given, out, work = (
        tools.address, tools.size, tools.counts, tools.given, tools.out, tools.work,
    )  # fmt: skip
    n = size.n
    q0, p0 = y[:n], y[n:]
    if not _first_half(tools, t, h, q0, p0, rows):
        return False
    _given(given, n, t + h, rows[Q], rows[P])
    kernel(address.force, given, out, work)
    count.evaluations += 1
    for i in range(n):
        rows[FORCES, i] = out[n + i]
        rows[PUSH, i] += 0.5 * h * out[n + i] + rows[IMPULSE, i]
        given[1 + n + i] = p0[i] + (rows[PUSH, i] + rows[REST_P, i])
    kernel(address.turn, given, out, work)
    count.projections += 1
    if not out[2 * n + 2] > 0.0:
        count.bad = SINGULAR_MASS
        return False
    left = out[2 * n + 3 : 2 * n + 3 + 2 * size.s]
    if not _satisfied(count, left[size.s :], rows[Q], size.units):
        for i in range(n):
            given[1 + n + i] = rows[SHIFT, i] / h  # for those who ask what is wrong
        return False
    for i in range(n):
        given[1 + n + i] = out[i]
    if not _satisfied(count, left[: size.s], out[:n], size.units[n:]):
        return False
    kink = speed = 0.0  # a jump to another branch of the motion is not a solution that was asked for
    for i in range(n):
        speed = max(speed, _STUCK * abs(rows[Q, i]), _STUCK * _SHORT * size.units[i])
        kink = max(kink, abs(rows[SHIFT, i] - 0.5 * h * (rows[RATES, i] + out[i])))
        speed = max(speed, 0.5 * abs(h) * (abs(rows[RATES, i]) + abs(out[i])))
    for i in range(n):
        rows[RATES, i] = out[i]
        rows[REACTIONS, i] = out[n + i] / (0.5 * h)
        shift, push = rows[SHIFT, i] + rows[REST_Q, i], rows[PUSH, i] + out[n + i] + rows[REST_P, i]
        rows[REST_Q, i], rows[REST_P, i] = shift - ((q0[i] + shift) - q0[i]), push - ((p0[i] + push) - p0[i])
        q0[i] += shift
        p0[i] += push
        if not (np.isfinite(rows[RATES, i]) and np.isfinite(p0[i])):
            count.bad = i if not np.isfinite(rows[RATES, i]) else n + i
            return False
    return kink <= _KINK * speed


@compiled
def _composed(weights, tools, t, h, y, rows):
    """Take one step of a composition: one of RATTLE for each weight; return whether it is there."""
    part = 0.0
    for weight in weights:
        if not _rattle(tools, t + part * h, weight * h, y, rows):
            return False
        part += weight
    return True


@compiled
def _propose(weights, tools, t, h, y, new, rows):
    """Take one step from y to `new`, in parts if it must be; return whether it is there.

    One of the positions between two steps of RATTLE may happen to be singular; those of shorter steps are others.
    """
    for parts in _PARTS:
        for i in range(len(y)):
            new[i] = y[i]
        if parts > 1:
            tools.counts.rejected += 1
            _begin(tools, t, new, rows)
        tools.counts.bad = _SLOWLY
        taken = 0
        while taken < parts and _composed(weights, tools, t + taken * (h / parts), h / parts, new, rows):
            taken += 1
        if taken == parts:
            return True
    return False


@compiled
def inside(weights, tools, t, h, y, into, rows):
    """Take one step of any length from a state; return whether it is there."""
    return _begin(tools, t, y, rows) and _propose(weights, tools, t, h, y, into, rows)


@compiled
def _sample(weights, aside, t, end, y, room, record):
    """Evaluate a step at the wanted times in it, by shorter ones; return whether they are there."""
    count, wanted = aside.counts, record.wanted
    while count.sampled < len(wanted) and wanted[count.sampled] <= end:
        at, into = wanted[count.sampled], record.sampled[count.sampled]
        if at == end:
            copy(room.new, into)
        elif at <= t:  # where the motion has just jumped: no step leads there
            copy(y, into)
        elif not inside(weights, aside, t, at - t, y, into, room.others):
            return False
        count.sampled += 1
    return True


@compiled
def _watch(aside, t, y, rates, events):
    """Evaluate what is watched for at a new state; return whether something passed zero."""
    return watch(aside.address, aside.size.n, t, y, rates, aside.given, aside.out, aside.work, events)


@compiled
def _status(count):
    """Say why there is no step."""
    if count.bad == CONTRADICTED:
        return NOT_PROJECTED
    return NOT_SOLVED if count.bad == _SLOWLY else NOT_FINITE


@compiled
def advance(weights, tools, aside, clock, y, room, record, events, max_steps):
    """Take up to max_steps steps, or evaluate the start if there is none; return a status.

    The arguments are described in `motion/tools.py`, `events` in `runge_kutta.py`. The workspace of `tools` keeps the
    factors from one step to the next; everything else is done with `aside`, which has another one.
    """
    count = tools.counts
    if clock.t >= clock.end:
        return DONE
    if count.first == 0:
        if not _begin(tools, clock.t, y, room.rows):
            return NOT_FINITE
        count.first = 1
        _watch(aside, clock.t, y, room.rows[RATES], events)
    for _ in range(max_steps):
        status, h, end = proposed(clock, count, len(record.times), clock.h)
        if status != RUNNING:
            return status
        t = clock.t
        if not _propose(weights, tools, t, h, y, room.new, room.rows):
            return _status(count)
        if not _sample(weights, aside, t, end, y, room, record):
            return _status(count)
        written(clock, count, end, h, y, room.new, record.times, record.states)
        if _watch(aside, end, y, room.rows[RATES], events):
            return EVENT
    return DONE if clock.t >= clock.end else RUNNING
