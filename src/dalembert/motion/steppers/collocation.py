"""The stepper of implicit collocation methods with three stages: native, resumable; see `newton.py`."""

from __future__ import annotations

import numpy as np

from dalembert.motion import codes
from dalembert.motion.steppers.common import first_step, hermite, proposed, written
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.newton import (
    ITERATIONS,
    PATIENCE,
    begin,
    iterate,
    onto_constraints,
    prepare,
    rounding,
    solved,
    watch_state,
)
from dalembert.motion.steppers.primitives import copy, extent_of, is_slow

_SAFETY = 0.9


@compiled
def _error(scheme, matrix, tools, clock, t, h, y, room, again):
    """Return the size of the error in units of the tolerance: an estimate of order 3, filtered by the real matrix.

    `again` filters it a second time, for stiff parts of a first or a repeated step.
    """
    size, layout, J = tools.size, matrix.layout, room.jacobian
    n, parts, z = size.n, layout.parts, scheme.real / h
    e = scheme.errors
    slope_v = room.rates[0]
    slope_q = room.rates[1]
    for i in range(n):
        slope_v[i] = slope_q[i] = 0.0
        for k in range(3):
            slope_v[i] += e[k] * (room.V[1 + k, i] - room.V[0, i]) / h
            moved = 0.0
            for j in range(3):
                moved += scheme.a[k, j] * room.V[1 + j, i]
            slope_q[i] += e[k] * moved
    new, a = room.new, room.start
    for i in range(2 * n):
        new[i] = y[i]
    # of velocities, in their units; no step makes rounding smaller
    least = rounding(size, a[n + size.s]) * extent_of(size.units, n, y, n, n)
    norm = 0.0
    for turn in range(2):
        right, x = room.right, room.step
        right[:] = 0.0
        for p in range(parts[2, 0], parts[2, 1]):  # M
            j = layout.columns[p]
            right[layout.rows[p]] += J[p] * (a[j] + slope_v[j])
        for p in range(parts[3, 0], parts[3, 1]):  # A, where constraints are on accelerations
            i, j = layout.rows[p], layout.columns[p]
            if layout.second[i] == 1:
                right[n + i] += J[p] * (a[j] + slope_v[j])
        for part in range(2):  # F_q and C_q
            for p in range(parts[part, 0], parts[part, 1]):
                j = layout.columns[p]
                right[layout.rows[p] + part * n] -= J[p] * (new[n + j] + slope_q[j]) / z
        solved(matrix, J, n, z, room.real, room.real_inverse, right, x)
        norm = 0.0
        for i in range(n):
            error_q = (new[n + i] + slope_q[i] + x[i]) / z
            scale_q = clock.atol + clock.rtol * max(abs(y[i]), abs(room.raw[i]))
            scale_v = max(clock.atol, least * size.units[n + i]) + clock.rtol * max(abs(y[n + i]), abs(room.raw[n + i]))
            norm += (error_q / scale_q) ** 2 + (x[i] / scale_v) ** 2
            new[i], new[n + i] = y[i] + error_q, y[n + i] + x[i]
        norm = np.sqrt(norm / (2 * n))
        if turn == 1 or not (again and norm >= 1.0):
            return norm
        a = room.shifted
        if not begin(tools, t, new, a):
            return norm
    return norm


@compiled
def _between(scheme, theta, h, y, raw, kept, V, into):
    """Interpolate at a part θ of a step: velocities through the start and the stages, positions by integrating them."""
    n = len(y) // 2
    blend = theta * theta * (3.0 - 2.0 * theta)
    for i in range(n):
        into[i] = y[i] + blend * (kept[i] - raw[i])
        into[n + i] = blend * (kept[n + i] - raw[n + i])
    for j in range(4):
        value = _power_series(scheme.dense, j, theta)
        area = h * theta * _power_series(scheme.areas, j, theta)
        for i in range(n):
            into[i] += area * V[j, i]
            into[n + i] += value * V[j, i]


@compiled
def _solved_step(scheme, matrix, tools, clock, limit, near, t, h, y, room):
    """Solve for the stages of a step from what is guessed, `near` or not; return the number of iterations, or 0.

    λ₀ is the guess, and is renewed by what was found, so that the trace that E leaves is squared.
    """
    n = tools.size.n
    for i in range(n):
        room.V[0, i] = y[n + i]
    prepare(scheme, matrix, tools, t, h, y, room)
    iterations = 0
    for left in range(1 if near else 2, -1, -1):
        copy(room.multipliers, room.guess)
        iterations = iterate(scheme, matrix, tools, clock, 2 if left > 0 else limit, t, h, y, room)
        if iterations == 0:
            return 0
    for i in range(n):
        moved = 0.0
        for j in range(3):
            moved += scheme.a[2, j] * room.V[1 + j, i]
        room.raw[i] = y[i] + h * moved
        room.raw[n + i] = room.V[3, i]
    return iterations


@compiled
def _guess(scheme, size, ratio, y, room):
    """Guess the stages and their λ by the interpolation of the last step, `ratio` times as long; flat if it is zero."""
    n, s, V, multipliers = size.n, size.s, room.last_V, room.last_multipliers
    for k in range(3):
        theta = 1.0 + scheme.c[k] * ratio
        for i in range(n):
            room.V[1 + k, i] = y[n + i]
        for i in range(s):
            room.multipliers[k, i] = room.start[n + i]
        if ratio > 0.0:
            for j in range(4):
                weight = _power_series(scheme.dense, j, theta) - (1.0 if j == 3 else 0.0)
                for i in range(n):
                    room.V[1 + k, i] += weight * V[j, i]
            for j in range(3):
                weight = _power_series(scheme.inner, j, theta) - (1.0 if j == 2 else 0.0)
                for i in range(s):
                    room.multipliers[k, i] += weight * multipliers[j, i]


@compiled
def _guess_between(scheme, size, h, y, kept, room):
    """Guess the stages of a step whose end is known, by Hermite's cubic, and their λ on a line."""
    n, s, start, end = size.n, size.s, room.start, room.shifted
    for k in range(3):
        theta = scheme.c[k]
        rest, blend = 1.0 - theta, theta * theta * (3.0 - 2.0 * theta)
        for i in range(n):
            room.V[1 + k, i] = y[n + i] + blend * (kept[n + i] - y[n + i])
            room.V[1 + k, i] += h * theta * rest * (rest * start[i] - theta * end[i])
        for i in range(s):
            room.multipliers[k, i] = rest * start[n + i] + theta * end[n + i]


@compiled
def _power_series(coefficients, row, theta):
    value = 0.0
    for d in range(coefficients.shape[1] - 1, -1, -1):
        value = value * theta + coefficients[row, d]
    return value


@compiled
def _propose(scheme, matrix, tools, clock, t, h, y, room):
    """Solve for a step to its raw end; return the number of iterations, or 0 if there is none."""
    ratio = h / room.last_step[0] if room.last_step[0] > 0.0 else 0.0
    _guess(scheme, tools.size, ratio, y, room)
    limit = PATIENCE if tools.size.fixed == 1 else ITERATIONS
    return _solved_step(scheme, matrix, tools, clock, limit, ratio > 0.0, t, h, y, room)


@compiled
def _accept(scheme, matrix, tools, clock, t, h, last, iterations, y, room):
    """Choose the next step by the error, and bring the end of this one onto the constraints.

    Return RUNNING, REPEAT if the step is to be tried again, shorter, or why the motion cannot go on.
    """
    fixed, count = tools.size.fixed == 1, tools.counts
    if iterations == 0:
        if fixed:
            return codes.NOT_SOLVED
        clock.h = 0.5 * h
        count.rejected += 1
        count.again = 1
        return codes.REPEAT
    if not fixed:
        again = count.again == 1 or count.steps == 0
        error = _error(scheme, matrix, tools, clock, t, h, y, room, again)
        factor = _SAFETY * (2 * ITERATIONS + 1) / (2 * ITERATIONS + iterations)
        if not error < 1.0:
            clock.h = h * max(0.2, factor * error ** (-1.0 / scheme.order)) if np.isfinite(error) else 0.2 * h
            count.rejected += 1
            count.again = 1
            return codes.REPEAT
        factor = 8.0 if error == 0.0 else min(8.0, max(0.2, factor * error ** (-1.0 / scheme.order)))
        if count.again == 1:
            factor = min(1.0, factor)
        count.again = 0
        if not last or factor < 1.0:
            clock.h = h * factor
    copy(room.raw, room.new)
    if not onto_constraints(tools, t + h, room.new):
        if fixed or h < 1e-9 * clock.span:
            return codes.NOT_PROJECTED
        clock.h = 0.25 * h
        count.rejected += 1
        return codes.REPEAT
    return codes.RUNNING


@compiled
def _sample(scheme, tools, t, h, end, y, room, record):
    """Evaluate a step at the wanted times in it; return RUNNING, or why that cannot be."""
    count, wanted = tools.counts, record.wanted
    while count.sampled < len(wanted) and wanted[count.sampled] <= end:
        time, sample = wanted[count.sampled], record.sampled[count.sampled]
        _between(scheme, (time - t) / h, h, y, room.raw, room.new, room.V, sample)
        if not onto_constraints(tools, time, sample):
            return codes.NOT_PROJECTED
        count.sampled += 1
    return codes.RUNNING


@compiled
def _begin(tools, clock, y, room, events):
    """Evaluate the start of a motion, and choose its first step; return whether the equations have a value there."""
    if not begin(tools, clock.t, y, room.start):
        return False
    if tools.size.fixed == 0 and clock.h <= 0.0:
        clock.h = first_step(clock, y, room.start)
    tools.counts.first = 1
    room.last_step[0] = 0.0
    watch_state(tools, clock.t, y, events)
    return True


@compiled
def advance(scheme, matrix, tools, clock, y, room, record, events, max_steps):
    """Take up to `max_steps` steps towards `clock.end`; return a status.

    The arguments are described in `motion/tools.py` and `motion/scheme.py`, `events` in `runge_kutta.py`.
    """
    count = tools.counts
    if clock.t >= clock.end:
        return codes.DONE
    if count.first == 0 and not _begin(tools, clock, y, room, events):
        return codes.NOT_FINITE
    for _ in range(max_steps):
        status, h, end = proposed(clock, count, len(record.times), min(clock.h, clock.largest))
        if status != codes.RUNNING:
            return status
        t = clock.t
        iterations = _propose(scheme, matrix, tools, clock, t, h, y, room)
        status = _accept(scheme, matrix, tools, clock, t, h, end == clock.end, iterations, y, room)
        if status == codes.REPEAT:
            continue
        if status == codes.RUNNING:
            status = _sample(scheme, tools, t, h, end, y, room, record)
        if status != codes.RUNNING:
            return status
        written(clock, count, end, h, y, room.new, record.times, record.states)
        room.last_step[0] = h
        copy(room.V, room.last_V)
        copy(room.multipliers, room.last_multipliers)
        if not begin(tools, clock.t, y, room.start):
            return codes.NOT_FINITE
        slow = is_slow(clock, count)
        if watch_state(tools, clock.t, y, events):
            return codes.EVENT
        if slow:
            return codes.SLOW
    return codes.DONE if clock.t >= clock.end else codes.RUNNING


@compiled
def interpolate(scheme, matrix, tools, clock, t, h, y, kept, room, thetas, into):
    """Evaluate a recorded step at parts θ of it; return whether that was possible.

    The step is repeated, from a guess between both ends, better than the one that it had; should that not do, the
    accelerations at both ends say what is between.
    """
    if not begin(tools, t + h, kept, room.shifted):
        return False
    if not begin(tools, t, y, room.start):
        return False
    _guess_between(scheme, tools.size, h, y, kept, room)
    found = _solved_step(scheme, matrix, tools, clock, PATIENCE, True, t, h, y, room)
    for p in range(len(thetas)):
        if found:
            _between(scheme, thetas[p], h, y, room.raw, kept, room.V, into[p])
        else:
            hermite(thetas[p], h, y, kept, room.start, room.shifted, into[p])
    return True
