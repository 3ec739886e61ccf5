"""The stepper of explicit Runge–Kutta methods: native, resumable, without Python inside.

It receives the addresses of kernels, so it is compiled once per machine and not once per model. Everything that it
changes lies in arrays of the caller; `advance` returns after some steps with a status and goes on when called again.
"""

from __future__ import annotations

import numpy as np

from dalembert.motion.codes import (
    CHOICE,
    DONE,
    EVENT,
    FULL,
    NOT_FINITE,
    NOT_PROJECTED,
    REPEAT,
    RUNNING,
    SLOW,
)
from dalembert.motion.steppers.common import proposed, written
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.dense import between, prepare
from dalembert.motion.steppers.primitives import extent_of, is_slow, watch
from dalembert.motion.steppers.rates import (
    freeze,
    is_plain,
    keep,
    keep_stages,
    plain_stages,
    rate,
    stages,
    weigh,
    whole_step,
)
from dalembert.motion.steppers.switch_search import MOST, aim, crosses, evaluate, is_shortest

_FIRST, _SECOND = np.int64(0), np.int64(1)  # stages; a plain 0 or 1 would be compiled for itself
_ROUNDING = 3e-15  # of the largest of all, by the conditioning: what dependent coordinates are known to
_WORSE = 0.4  # part of its first conditioning at which a choice of independent coordinates is renewed


@compiled
def _first_step(tools, clock, order, y, k, trial):
    """Choose the first step (Hairer, Nørsett, Wanner, II.4)."""
    m = len(y)
    d0 = d1 = 0.0
    for i in range(m):
        scale = clock.atol + clock.rtol * abs(y[i])
        d0 += (y[i] / scale) ** 2
        d1 += (k[0, i] / scale) ** 2
    d0, d1 = np.sqrt(d0 / m), np.sqrt(d1 / m)
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h = h if np.isfinite(h) else 0.0
    h = min(max(h, 1e-10 * (clock.end - clock.t)), clock.end - clock.t, clock.largest)
    for i in range(m):
        trial[i] = y[i] + h * k[0, i]
    if not rate(tools, clock.t + h, trial, k[1]):
        return 1e-6 * min(clock.end - clock.t, clock.largest)
    d2 = 0.0
    for i in range(m):
        d2 += ((k[1, i] - k[0, i]) / (clock.atol + clock.rtol * abs(y[i]))) ** 2
    d2 = np.sqrt(d2 / m) / h
    steepest = max(d1, d2)
    second = max(1e-6, 1e-3 * h) if steepest <= 1e-15 else (0.01 / steepest) ** (1.0 / order)
    second = max(second, h) if np.isfinite(second) else h
    return min(100 * h, second, clock.end - clock.t, clock.largest)


@compiled
def _blurred(tools, level, new):
    """Return what rounding leaves of dependent coordinates or velocities, in their units.

    It is much, where others hardly determine them.
    """
    n = tools.size.n
    if tools.size.complete == 0:
        return 0.0
    return (
        _ROUNDING * extent_of(tools.size.units, level * n, new, level * n, n) / max(tools.control[2, level], _ROUNDING)
    )


@compiled
def _error(tools, errors, h, clock, y, new, k):
    """Return the size of the error in units of the tolerance, of two estimates, the coarse one first, made one.

    What depends on other coordinates counts as they do: it may follow a drive, of which they know nothing. But what
    rounding leaves of it is no error of the step.
    """
    m, s, last = len(y), errors.shape[1], errors.shape[0] - 1
    n = m // 2
    blurs = (_blurred(tools, 0, new), _blurred(tools, 1, new))
    coarse = fine = 0.0
    for i in range(m):
        first = second = 0.0
        for j in range(s):
            first += errors[0, j] * k[j, i]
            second += errors[last, j] * k[j, i]
        scale = clock.atol + clock.rtol * max(abs(y[i]), abs(new[i]))
        if tools.size.complete == 1 and tools.control[i // n, i % n] > 0.0:
            scale = max(scale, blurs[i // n] * tools.size.units[i])
        coarse += (first / scale) ** 2
        fine += (second / scale) ** 2
    if fine == 0.0 and coarse == 0.0:
        return 0.0
    if last == 0:
        return h * np.sqrt(fine / m)
    return h * fine / np.sqrt((fine + 0.01 * coarse) * m)


@compiled
def _propose(method, tools, clock, t, h, y, room, whole, sampled):
    """Take a step to its raw end; return its error in units of the tolerance, and whether it is there.

    An error below zero says that the equations have no value at the start. `whole`: by the kernel of a whole step, if
    it is good enough; `sampled`: with its stages.
    """
    k, raw, rows = room.k, room.raw, len(method.b)
    if freeze(tools, t, h, y) and not rate(tools, t, y, k[0]):
        return -1.0, False
    if whole:
        error, there = whole_step(tools, rows, clock.rtol, clock.atol, t, h, y, raw)
        if there:
            if sampled:
                keep_stages(tools.out, rows, k)
            return error, True
        if not rate(tools, t, y, k[0]):
            return -1.0, False
    if not stages(method, tools, _SECOND, rows, t, h, y, k, room.trial):
        return 1e10, False
    weigh(method.b, h, y, k, raw)
    return (_error(tools, method.errors, h, clock, y, raw, k) if tools.size.fixed == 0 else 0.0), True


@compiled
def _accept(tools, clock, order, t, h, last, error, there, room):
    """Choose the next step by the error, and bring the end of this one onto the constraints.

    Return RUNNING, REPEAT if the step is to be tried again, shorter, or why the motion cannot go on.
    """
    size, count = tools.size, tools.counts
    if size.fixed == 0:
        if not error <= 1.0:
            clock.h = h * max(0.2, 0.9 * error ** (-1.0 / order)) if np.isfinite(error) else 0.2 * h
            count.rejected += 1
            count.again = 1
            if not there and size.complete == 1 and h < 1e-3 * clock.taken:
                return CHOICE
            if not there and clock.h < 1e-10 * max(abs(t), clock.span):
                return NOT_FINITE
            return REPEAT
        factor = 10.0 if error == 0.0 else min(10.0, max(0.2, 0.9 * error ** (-1.0 / order)))
        if count.again == 1:
            factor = min(1.0, factor)
        count.again = 0
        if not last or factor < 1.0:
            clock.h = h * factor
    elif not there:
        return NOT_FINITE
    for i in range(len(room.new)):
        room.new[i] = room.raw[i]
    if not keep(tools, t + h, room.new):
        if size.fixed == 1 or h < 1e-9 * clock.span:
            return NOT_PROJECTED
        clock.h = 0.25 * h
        count.rejected += 1
        return REPEAT
    return RUNNING


@compiled
def _sample(method, tools, t, h, end, y, room, record):
    """Evaluate a step at the wanted times in it; return RUNNING, or why that cannot be."""
    if not prepare(method, tools, t, h, y, room):
        return NOT_FINITE
    count, wanted = tools.counts, record.wanted
    while count.sampled < len(wanted) and wanted[count.sampled] <= end:
        at, sample = wanted[count.sampled], record.sampled[count.sampled]
        between((at - t) / h, h, y, room.raw, room.new, room.k, len(method.b), method.dense, sample)
        if not keep(tools, at, sample):
            return NOT_PROJECTED
        count.sampled += 1
    return RUNNING


@compiled
def advance(method, tools, clock, y, room, record, events, switches, max_steps):
    """Take up to `max_steps` steps towards `clock.end`; return a status.

    The arguments are described in `motion/tools.py`. The rows of `events` are the values before and after the last
    step, the directions to watch for, and which of them passed zero; those of `switches` what switches with the state,
    before a step and at its end.
    """
    address, size, count, given, out, work, control = tools
    k = room.k
    if clock.t >= clock.end:
        return DONE
    if count.first == 0:
        if not rate(tools, clock.t, y, k[0]):
            return NOT_FINITE
        if size.fixed == 0 and clock.h <= 0.0:
            clock.h = _first_step(tools, clock, method.order, y, k, room.trial)
        count.first = 1
        clock.taken = clock.h
        watch(address, size.n, clock.t, y, k[0], given, out, work, events)
    plain, watched = is_plain(size), events.shape[1] > 0
    whole = size.one == 1 and size.fixed == 0
    switched, across = switches.shape[1] > 0 and size.fixed == 0, False
    if switched:
        evaluate(tools, clock.t, y, switches[0])
    for _ in range(max_steps):
        if clock.t >= clock.end:
            return DONE
        if count.recorded >= len(record.times):
            return FULL
        t, h = clock.t, min(clock.h, clock.largest)
        if switched:
            h, across = aim(tools, clock, h, y, room, switches)
        status, h, end = proposed(clock, count, len(record.times), h)
        if status != RUNNING:
            return status
        last = end == clock.end
        sampled = count.sampled < len(record.wanted) and record.wanted[count.sampled] <= end
        error, there = _propose(method, tools, clock, t, h, y, room, whole, sampled)
        if error < 0.0:
            return NOT_FINITE
        if across and there and is_shortest(clock, h):
            error = min(error, 1.0)  # what jumps in it is met by no shorter one
        if switched and there and not across and crosses(tools, clock, t, h, room, switches):
            count.rejected += 1
            count.again = 1
            continue
        status = _accept(tools, clock, method.order, t, h, last, error, there, room)
        if status == REPEAT:
            continue
        if status == RUNNING and sampled:
            status = _sample(method, tools, t, h, end, y, room, record)
        if status != RUNNING:
            return status
        written(clock, count, end, h, y, room.new, record.times, record.states)
        if switched:
            evaluate(tools, clock.t, y, switches[0])
            if across or count.aimed >= MOST or h >= clock.met:
                count.aimed = 0
        if whole:
            for i in range(size.n):
                k[0, i] = y[size.n + i]  # the velocities, for what is watched
        elif plain:
            if not plain_stages(method, tools, _FIRST, _SECOND, clock.t, 0.0, y, k):
                return NOT_FINITE
        elif not rate(tools, clock.t, y, k[0]):
            return NOT_FINITE
        if switched and across:  # beyond it forces may be stiff, which a long step may not see
            if whole and not rate(tools, clock.t, y, k[0]):
                return NOT_FINITE
            clock.h = min(clock.met, _first_step(tools, clock, method.order, y, k, room.trial))
        slow = is_slow(clock, count)
        if watched and watch(address, size.n, clock.t, y, k[0], given, out, work, events):
            return EVENT
        if size.complete == 1 and (control[2, 0] < _WORSE * control[2, 2] or control[2, 1] < _WORSE * control[2, 3]):
            return CHOICE
        if slow:
            return SLOW
    return DONE if clock.t >= clock.end else RUNNING
