"""The stepper of explicit Runge–Kutta methods: native, resumable, without Python inside.

It receives the addresses of kernels, so it is compiled once per machine and not once per model. Everything that it
changes lies in arrays of the caller; `advance` returns after some steps with a status and goes on when called again.
"""

from __future__ import annotations

import numpy as np

from dalembert.motion.places import (
    AGAIN,
    AIMED,
    ATOL,
    CHOICE,
    COMPLETE,
    DONE,
    END,
    EVENT,
    FIRST,
    FIXED,
    FULL,
    LARGEST,
    MET,
    NOT_FINITE,
    NOT_PROJECTED,
    ONE,
    RECORDED,
    REJECTED,
    REPEAT,
    RTOL,
    RUNNING,
    SAMPLED,
    SLOW,
    STEP_TOO_SMALL,
    STEPS,
    TAKEN,
    H,
    N,
    T,
)
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.dense import between, prepare
from dalembert.motion.steppers.primitives import is_slow, watch
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
from dalembert.motion.steppers.switches import MOST, aim, crosses, evaluate

_FIRST, _SECOND = np.int64(0), np.int64(1)  # stages; a plain 0 or 1 would be compiled for itself
_WORSE = 0.4  # part of its first conditioning at which a choice of independent coordinates is renewed


@compiled
def _first_step(tools, clock, order, y, k, trial):
    """Choose the first step (Hairer, Nørsett, Wanner, II.4)."""
    m = len(y)
    d0 = d1 = 0.0
    for i in range(m):
        scale = clock[ATOL] + clock[RTOL] * abs(y[i])
        d0 += (y[i] / scale) ** 2
        d1 += (k[0, i] / scale) ** 2
    d0, d1 = np.sqrt(d0 / m), np.sqrt(d1 / m)
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h = h if np.isfinite(h) else 0.0
    h = min(max(h, 1e-10 * (clock[END] - clock[T])), clock[END] - clock[T], clock[LARGEST])
    for i in range(m):
        trial[i] = y[i] + h * k[0, i]
    if not rate(tools, clock[T] + h, trial, k[1]):
        return 1e-6 * min(clock[END] - clock[T], clock[LARGEST])
    d2 = 0.0
    for i in range(m):
        d2 += ((k[1, i] - k[0, i]) / (clock[ATOL] + clock[RTOL] * abs(y[i]))) ** 2
    d2 = np.sqrt(d2 / m) / h
    steepest = max(d1, d2)
    second = max(1e-6, 1e-3 * h) if steepest <= 1e-15 else (0.01 / steepest) ** (1.0 / order)
    second = max(second, h) if np.isfinite(second) else h
    return min(100 * h, second, clock[END] - clock[T], clock[LARGEST])


@compiled
def _error(errors, h, clock, y, new, k):
    """Return the size of the error in units of the tolerance, of two estimates, the coarse one first, made one.

    What depends on other coordinates counts as they do: it may follow a drive, of which they know nothing.
    """
    m, s, last = len(y), errors.shape[1], errors.shape[0] - 1
    coarse = fine = 0.0
    for i in range(m):
        first = second = 0.0
        for j in range(s):
            first += errors[0, j] * k[j, i]
            second += errors[last, j] * k[j, i]
        scale = clock[ATOL] + clock[RTOL] * max(abs(y[i]), abs(new[i]))
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
        error, there = whole_step(tools, rows, clock[RTOL], clock[ATOL], t, h, y, raw)
        if there:
            if sampled:
                keep_stages(tools.out, rows, k)
            return error, True
        if not rate(tools, t, y, k[0]):
            return -1.0, False
    if not stages(method, tools, _SECOND, rows, t, h, y, k, room.trial):
        return 1e10, False
    weigh(method.b, h, y, k, raw)
    return (_error(method.errors, h, clock, y, raw, k) if tools.size[FIXED] == 0 else 0.0), True


@compiled
def _accept(tools, clock, order, t, h, last, error, there, room):
    """Choose the next step by the error, and bring the end of this one onto the constraints.

    Return RUNNING, REPEAT if the step is to be tried again, shorter, or why the motion cannot go on.
    """
    size, count = tools.size, tools.counts
    if size[FIXED] == 0:
        if not error <= 1.0:
            clock[H] = h * max(0.2, 0.9 * error ** (-1.0 / order)) if np.isfinite(error) else 0.2 * h
            count[REJECTED] += 1
            count[AGAIN] = 1
            if not there and size[COMPLETE] == 1 and h < 1e-3 * clock[TAKEN]:
                return CHOICE
            if not there and clock[H] < 1e-10 * max(abs(t), clock[END]):
                return NOT_FINITE
            return REPEAT
        factor = 10.0 if error == 0.0 else min(10.0, max(0.2, 0.9 * error ** (-1.0 / order)))
        if count[AGAIN] == 1:
            factor = min(1.0, factor)
        count[AGAIN] = 0
        if not last or factor < 1.0:
            clock[H] = h * factor
    elif not there:
        return NOT_FINITE
    for i in range(len(room.new)):
        room.new[i] = room.raw[i]
    if not keep(tools, t + h, room.new):
        if size[FIXED] == 1 or h < 1e-9 * clock[END]:
            return NOT_PROJECTED
        clock[H] = 0.25 * h
        count[REJECTED] += 1
        return REPEAT
    return RUNNING


@compiled
def _sample(method, tools, t, h, end, y, room, record):
    """Evaluate a step at the wanted times in it; return RUNNING, or why that cannot be."""
    if not prepare(method, tools, t, h, y, room):
        return NOT_FINITE
    count, wanted = tools.counts, record.wanted
    while count[SAMPLED] < len(wanted) and wanted[count[SAMPLED]] <= end:
        at, sample = wanted[count[SAMPLED]], record.sampled[count[SAMPLED]]
        between((at - t) / h, h, y, room.raw, room.new, room.k, len(method.b), method.dense, sample)
        if not keep(tools, at, sample):
            return NOT_PROJECTED
        count[SAMPLED] += 1
    return RUNNING


@compiled
def _record(tools, clock, end, h, y, new, record):
    """Go on to the end of a step, and write it down."""
    count = tools.counts
    for i in range(len(y)):
        y[i] = new[i]
        record.states[count[RECORDED], i] = new[i]
    clock[T], clock[TAKEN] = end, h
    record.times[count[RECORDED]] = clock[T]
    count[RECORDED] += 1
    count[STEPS] += 1


@compiled
def advance(method, tools, clock, y, room, record, events, switches, max_steps):
    """Take up to `max_steps` steps towards `clock[END]`; return a status.

    The arguments are described in `motion/tools.py`. The rows of `events` are the values before and after the last
    step, the directions to watch for, and which of them passed zero; those of `switches` what switches with the state,
    before a step and at its end.
    """
    address, size, count, given, out, work, control = tools
    k = room.k
    if clock[T] >= clock[END]:
        return DONE
    if count[FIRST] == 0:
        if not rate(tools, clock[T], y, k[0]):
            return NOT_FINITE
        if size[FIXED] == 0 and clock[H] <= 0.0:
            clock[H] = _first_step(tools, clock, method.order, y, k, room.trial)
        count[FIRST] = 1
        clock[TAKEN] = clock[H]
        watch(address, size[N], clock[T], y, k[0], given, out, work, events)
    plain, watched = is_plain(size), events.shape[1] > 0
    whole = size[ONE] == 1 and size[FIXED] == 0
    switched, across = switches.shape[1] > 0 and size[FIXED] == 0, False
    if switched:
        evaluate(tools, clock[T], y, switches[0])
    for _ in range(max_steps):
        if clock[T] >= clock[END]:
            return DONE
        if count[RECORDED] >= len(record.times):
            return FULL
        t, h = clock[T], min(clock[H], clock[LARGEST])
        if switched:
            h, across = aim(tools, clock, h, y, room, switches)
        last = t + h >= clock[END] - 1e-9 * h  # no tiny step at the end because of rounding
        if last:
            h = clock[END] - t
        if h <= 1e-14 * max(abs(t), 1e-3 * clock[END]):
            return STEP_TOO_SMALL
        end = clock[END] if last else t + h  # which rounding may leave before it
        sampled = count[SAMPLED] < len(record.wanted) and record.wanted[count[SAMPLED]] <= end
        error, there = _propose(method, tools, clock, t, h, y, room, whole, sampled)
        if error < 0.0:
            return NOT_FINITE
        if switched and there and not across and crosses(tools, clock, t, h, room, switches):
            count[REJECTED] += 1
            count[AGAIN] = 1
            continue
        status = _accept(tools, clock, method.order, t, h, last, error, there, room)
        if status == REPEAT:
            continue
        if status == RUNNING and sampled:
            status = _sample(method, tools, t, h, end, y, room, record)
        if status != RUNNING:
            return status
        _record(tools, clock, end, h, y, room.new, record)
        if switched:
            evaluate(tools, clock[T], y, switches[0])
            if across or count[AIMED] >= MOST or h >= clock[MET]:
                if across:
                    clock[H] = clock[MET]
                count[AIMED] = 0
        if whole:
            for i in range(size[N]):
                k[0, i] = y[size[N] + i]  # the velocities, for what is watched
        elif plain:
            if not plain_stages(method, tools, _FIRST, _SECOND, clock[T], 0.0, y, k):
                return NOT_FINITE
        elif not rate(tools, clock[T], y, k[0]):
            return NOT_FINITE
        slow = is_slow(clock, count)
        if watched and watch(address, size[N], clock[T], y, k[0], given, out, work, events):
            return EVENT
        if size[COMPLETE] == 1 and (control[2, 0] < _WORSE * control[2, 2] or control[2, 1] < _WORSE * control[2, 3]):
            return CHOICE
        if slow:
            return SLOW
    return DONE if clock[T] >= clock[END] else RUNNING
