"""The stepper of Gear's method, backward differentiation of order 1 to 5: native, resumable.

The state y = (q, v) is known at equally spaced times by its backward differences D₀ … D₇; where the step changes they
are those of the same polynomial. A step of order k goes to y = y⁰ + d from y⁰ = D₀ + … + Dₖ, with the rate

    ẏ = z (d + ψ),   z = αₖ/h,   ψ = (γ₁D₁ + … + γₖDₖ)/αₖ,   γⱼ = 1 + 1/2 + … + 1/j,   αₖ = (1 − κₖ) γₖ

and the error (κₖγₖ + 1/(k + 1)) d (Shampine, Reichelt, *The MATLAB ODE Suite*, 1997, section 2). Here q̇ = v gives d of
the positions, and v and λ follow from F = 0 and the constraints on velocities, by the matrix of the other implicit
methods; see `newton.py`. The new state is moved onto the constraints before it enters the differences, by less than
its error (Eich, *SIAM J. Numer. Anal.* 30, 1993).
"""

from __future__ import annotations

import numpy as np

from dalembert.motion import codes
from dalembert.motion.steppers.common import first_step, hermite, proposed, written
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.differences import HIGHEST, afresh, predict, respace, take
from dalembert.motion.steppers.newton import (
    CLEAR,
    ITERATIONS,
    begin,
    linearise,
    onto_constraints,
    solved,
    watch_state,
)
from dalembert.motion.steppers.primitives import copy, extent_of, is_slow, kernel

_SAFETY = 0.9
_MOST, _LEAST = 8.0, 0.2  # by which a step changes
_WORTH = 1.1  # growth below which a step stays as it is: the matrix and the differences are the better for it
_AFRESH = 3  # rejections after which what is known of the past is forgotten
_CONVERGED = 1e-2  # part of the tolerance
_SHARE = 0.01  # of the tolerance is what a step may be off: the errors of many add up
_ROUNDED, _SINGULAR = 2e-16, 1e-10  # ε, and the least σ²
_SMOOTH = 1e-2  # part of the largest conditioning above which λ, which may have poles at singular positions, are smooth
_NOISE = 50 / _SHARE  # times the rounding of velocities: differences of high order multiply it


@compiled
def _norm(clock, units, least, y, d):
    """Return the size of a change of the state in units of what a step may be off; `least` is in those of the state."""
    n, total = len(y) // 2, 0.0
    for i in range(2 * n):
        scale = max(clock.atol, units[i] * (least[0] if i < n else least[1])) + clock.rtol * abs(y[i])
        total += (d[i] / scale) ** 2
    return np.sqrt(total / (2 * n)) / _SHARE


@compiled
def _residuals(tools, t, z, room):
    """Evaluate −F and −C at the velocities and multipliers in `room`; return whether they are finite."""
    n, s, given, out = tools.size.n, tools.size.s, tools.given, tools.out
    behind = len(given) - n - s
    given[0] = t
    for i in range(n):
        v = room.raw[n + i]
        given[1 + i] = room.raw[i] = room.predicted[i] - room.psi[i] + v / z + room.shift[i]
        given[1 + n + i] = v
        given[behind + i] = z * (v - room.predicted[n + i] + room.psi[n + i])
    for i in range(s):
        given[behind + n + i] = room.multipliers[i]
    kernel(tools.address.balance, given, out, tools.work)
    tools.counts.evaluations += 1
    for i in range(n + s):
        if not np.isfinite(out[i]):
            return False
        room.right[i] = -out[i]
    for i in range(s):
        room.right[n + i] -= max(room.E[n + i], 0.0) * (room.multipliers[i] - room.guess[i])
    return True


@compiled
def _noise(size, conditioning, y, room):
    """Return what no step makes smaller, of positions and of velocities, in their units.

    Next to a singular position, where the least singular value of A is σ, the square root of the conditioning, a
    rounding ε of g moves positions by ε/σ, which turns velocities by ε/σ². The conditioning counts as a part of what it
    was: rows of different lengths make it small everywhere, and no noise. What does not become smaller after several
    rejections there is taken for noise as well.
    """
    n, failed = size.n, room.history.failed
    far, fast = extent_of(size.units, 0, y, 0, n), extent_of(size.units, n, y, n, n)
    if size.s == 0:
        return 0.0, _NOISE * _ROUNDED * fast
    square = max(conditioning / max(room.clear[0], conditioning), _SINGULAR)
    more = _NOISE * (4.0 ** (failed - _AFRESH) if failed > _AFRESH and square < _SMOOTH else 1.0)
    sigma = np.sqrt(square)
    return more * _ROUNDED / sigma * far, more * max(10 * _ROUNDED / sigma, _ROUNDED / square) * fast


@compiled
def _iterate(matrix, tools, clock, t, z, y, room):
    """Solve for velocities and multipliers from those in `room`; return the number of iterations, or 0 if they diverge.

    What E ties λ to is the last λ in the first two iterations. Their corrections and those of V alternate, so that two
    make one.
    """
    size = tools.size
    n, s = size.n, size.s
    least = _noise(size, room.start[n + s], room.predicted, room)  # it may start from rest
    target = max(100 * 2.2e-16 / clock.rtol, _CONVERGED)
    earlier = before = 0.0
    for iteration in range(1, ITERATIONS + 1):
        if iteration <= 3:
            for i in range(s):
                room.guess[i] = room.multipliers[i]
        if not _residuals(tools, t, z, room):
            return 0
        solved(matrix, room.jacobian, n, z, room.real, room.real_inverse, room.right, room.step)
        largest = 0.0
        for i in range(n):
            room.raw[n + i] += room.step[i]
            room.change[i], room.change[n + i] = room.step[i] / z, room.step[i]
            if size.units[n + i] > 0.0:
                largest = max(largest, abs(room.step[i]) / size.units[n + i])
        for i in range(s):
            room.multipliers[i] += room.step[n + i]
        now = _norm(clock, size.units, least, y, room.change)
        if not np.isfinite(now):
            return 0
        done = now == 0.0 or largest < 0.01 * least[1] / _NOISE
        if iteration == 2:
            done = done or before + now < target
        elif iteration > 2:
            theta = np.sqrt(now / earlier) if earlier > 0.0 else 0.0
            done = done or now < 0.1 * target or (theta < 1.0 and theta / (1.0 - theta) * now < target)
            if not done and theta >= 2.0:
                return 0
        if done and iteration > 1:
            for i in range(n):
                room.raw[i] = room.predicted[i] - room.psi[i] + room.raw[n + i] / z + room.shift[i]
            return iteration
        earlier, before = before, now
    return 0


@compiled
def _solve(matrix, tools, clock, t, z, y, room):
    """Solve for a new state; return the number of iterations, or 0 if there is none.

    It is off the constraints on positions by the error of the step. Next to a singular position those on velocities
    contradict each other there; so they are solved again with positions that are moved onto the constraints.
    """
    n, s = tools.size.n, tools.size.s
    smooth = room.start[n + s] > _SMOOTH * room.clear[0]
    for i in range(n):
        room.raw[n + i] = room.predicted[n + i]
        room.shift[i] = 0.0
    for i in range(s):
        room.multipliers[i] = room.predicted[2 * n + i] if smooth else room.start[n + i]
    iterations = _iterate(matrix, tools, clock, t, z, y, room)
    if iterations == 0 or room.start[n + s] > CLEAR:
        return iterations
    copy(room.raw, room.new)
    if not onto_constraints(tools, t, room.new):
        return iterations
    for i in range(n):
        room.shift[i] = room.new[i] - room.raw[i]
        room.raw[n + i] = room.new[n + i]
    return _iterate(matrix, tools, clock, t, z, y, room)


@compiled
def _choose(coefficients, clock, units, least, error, factor, room):
    """Choose the next order and step, where enough is known of the differences; return the change of the step."""
    history, y = room.history, room.new
    order = history.order
    if history.equal < order + 1:
        return 1.0
    best, chosen = 0.0, order
    for k in range(max(1, order - 1), min(HIGHEST, order + 1) + 1):
        if k != order:
            for i in range(len(y)):
                room.change[i] = coefficients.error[k] * room.D[k + 1, i]
            size = _norm(clock, units, least, y, room.change)
        else:
            size = error
        grown = _MOST / factor if size == 0.0 else size ** (-1.0 / (k + 1))
        if grown > best:
            best, chosen = grown, k
    history.order = chosen
    best = min(_MOST, factor * best)
    if chosen == order and 1.0 <= best < _WORTH:
        return 1.0
    return best


@compiled
def _first(clock, y, start):
    """Choose the first step: order 1 is off by its square, in parts of the time in which the state changes."""
    return first_step(clock, y, start) * 100 * np.sqrt(_SHARE * clock.rtol)


@compiled
def _begin(tools, clock, y, room, events):
    """Evaluate the start of a motion, and choose its first step; return RUNNING, or why it cannot begin."""
    n, s = tools.size.n, tools.size.s
    if not begin(tools, clock.t, y, room.start):
        return codes.NOT_FINITE
    if _SHARE * clock.rtol < 2.2e-16:
        return codes.STEP_TOO_SMALL  # no step is that accurate
    clock.h = _first(clock, y, room.start)
    room.clear[0] = max(room.clear[0], room.start[n + s])
    for i in range(n):
        room.before[i] = room.start[i]
    afresh(clock.h, y, room)
    room.history.failed = 0
    tools.counts.first = 1
    watch_state(tools, clock.t, y, events)
    return codes.RUNNING


@compiled
def _propose(coefficients, matrix, tools, clock, t, h, y, room):
    """Solve for a step to its raw end; return the number of iterations, or 0 if there is none."""
    history = room.history
    if history.failed >= _AFRESH:
        afresh(h, y, room)
    elif h != room.spacing[0]:
        respace(history.order, h / room.spacing[0], room)
        room.spacing[0] = h
        history.equal = 0
    z = coefficients.alpha[history.order] / h
    predict(history.order, coefficients, room)
    linearise(matrix, tools, z, t, y, room)
    return _solve(matrix, tools, clock, t + h, z, y, room)


@compiled
def _repeat(tools, clock, h, room):
    """Let the step be tried again, with another length."""
    clock.h = h
    tools.counts.rejected += 1
    room.history.failed += 1
    return codes.REPEAT


@compiled
def _accept(coefficients, tools, clock, t, h, iterations, room):
    """Bring the end of a step onto the constraints, and judge it.

    Return RUNNING, REPEAT if it is to be tried again, or why the motion cannot go on; its error, the factor with which
    the next step follows from it, and the noise of which it knows.
    """
    size, order, nothing = tools.size, room.history.order, (0.0, 0.0)
    n, s = size.n, size.s
    factor = _SAFETY * (2 * ITERATIONS + 1) / (2 * ITERATIONS + iterations)
    if iterations == 0:
        return _repeat(tools, clock, 0.3 * h, room), 0.0, factor, nothing
    copy(room.raw, room.new)
    if not onto_constraints(tools, t + h, room.new):
        if h < 1e-9 * clock.span:
            return codes.NOT_PROJECTED, 0.0, factor, nothing
        return _repeat(tools, clock, 0.25 * h, room), 0.0, factor, nothing
    for i in range(2 * n):
        room.change[i] = coefficients.error[order] * (room.new[i] - room.predicted[i])
    conditioning = min(room.start[n + s], tools.out[n + s + 1]) if s > 0 else 1.0  # here and there
    least = _noise(size, conditioning, room.new, room)
    error = _norm(clock, size.units, least, room.new, room.change)
    if not error < 1.0:
        smaller = factor * error ** (-1.0 / (order + 1)) if np.isfinite(error) else _LEAST
        return _repeat(tools, clock, h * max(_LEAST, smaller), room), error, factor, least
    return codes.RUNNING, error, factor, least


@compiled
def _sample(tools, t, h, end, y, room, record):
    """Evaluate a step at the wanted times in it; return RUNNING, or why that cannot be."""
    count, wanted = tools.counts, record.wanted
    while count.sampled < len(wanted) and wanted[count.sampled] <= end:
        time, sample = wanted[count.sampled], record.sampled[count.sampled]
        hermite((time - t) / h, h, y, room.new, room.before, room.rate, sample)
        if not onto_constraints(tools, time, sample):
            return codes.NOT_PROJECTED
        count.sampled += 1
    return codes.RUNNING


@compiled
def _rate(coefficients, tools, h, room, rates):
    """Write down v̇ at the end of a step."""
    n, z = tools.size.n, coefficients.alpha[room.history.order] / h
    for i in range(n):
        rate = z * (room.new[n + i] - room.predicted[n + i] + room.psi[n + i])
        room.rate[i] = rates[tools.counts.recorded, i] = rate


@compiled
def advance(coefficients, matrix, tools, clock, y, room, record, events, max_steps):
    """Take up to `max_steps` steps towards `clock.end`; return a status.

    The arguments are described in `motion/tools.py` and `motion/scheme.py`, `events` in `runge_kutta.py`.
    """
    count, history, place = tools.counts, room.history, tools.size.n + tools.size.s
    if clock.t >= clock.end:
        return codes.DONE
    if count.first == 0:
        status = _begin(tools, clock, y, room, events)
        if status != codes.RUNNING:
            return status
    for _ in range(max_steps):
        status, h, end = proposed(clock, count, len(record.times), min(clock.h, clock.largest))
        if status != codes.RUNNING:
            return status
        t, last = clock.t, end == clock.end
        iterations = _propose(coefficients, matrix, tools, clock, t, h, y, room)
        status, error, factor, least = _accept(coefficients, tools, clock, t, h, iterations, room)
        if status == codes.REPEAT:
            continue
        if status == codes.RUNNING:
            _rate(coefficients, tools, h, room, record.rates)
            status = _sample(tools, t, h, end, y, room, record)
        if status != codes.RUNNING:
            return status
        copy(room.rate, room.before)
        written(clock, count, end, h, y, room.new, record.times, record.states)
        if not begin(tools, clock.t, y, room.start):
            return codes.NOT_FINITE
        take(history.order, room)
        room.clear[0] = max(room.clear[0], room.start[place])
        history.failed = 0
        history.equal += 1
        grown = _choose(coefficients, clock, tools.size.units, least, error, factor, room)
        if not last or grown < 1.0:
            clock.h = h * grown
        slow = is_slow(clock, count)
        if watch_state(tools, clock.t, y, events):
            return codes.EVENT
        if slow:
            return codes.SLOW
    return codes.DONE if clock.t >= clock.end else codes.RUNNING


@compiled
def between(h, y, kept, start, end, thetas, into):
    """Evaluate a recorded step at parts θ of it."""
    for p in range(len(thetas)):
        hermite(thetas[p], h, y, kept, start, end, into[p])
    return True
