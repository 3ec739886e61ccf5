"""The stepper of explicit Runge–Kutta methods: native, resumable, without Python inside.

It receives the addresses of kernels, so it is compiled once per machine and not once per model. Everything that it
changes lies in arrays of the caller; `advance` returns after some steps with a status and goes on when called again.
"""

from __future__ import annotations

import numpy as np

from dalembert.motion.places import (
    ACCELERATIONS,
    AGAIN,
    ATOL,
    BAD,
    BROUGHT,
    CANONICAL,
    CHOICE,
    COMPLETE,
    DEPENDENT,
    DONE,
    END,
    EVALUATIONS,
    EVENT,
    FIRST,
    FIXED,
    FROZEN,
    FULL,
    GUARD,
    GUARDED,
    GUARDS,
    ILL,
    KEEP,
    KIND,
    LARGEST,
    MOMENTA,
    NOT_COMPLETED,
    NOT_FINITE,
    NOT_PROJECTED,
    ONE,
    OWN,
    POSITION,
    PROJECT,
    PROJECTIONS,
    RATE,
    RECORDED,
    REJECTED,
    RESIDUALS,
    RTOL,
    RUNNING,
    SAMPLED,
    SINGULAR_MASS,
    SLOW,
    STABILISE,
    STEP_TOO_SMALL,
    STEPS,
    TAKEN,
    WELL,
    WHOLE,
    H,
    N,
    S,
    T,
)  # fmt: skip
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.primitives import LEFT, NEWTON, call, corrected, is_slow, kernel, project, settled, watch

_FIRST, _SECOND = np.int64(0), np.int64(1)  # stages; a plain 0 or 1 would be compiled for itself
_WORSE = 0.4  # part of its first conditioning at which a choice of independent coordinates is renewed
_DEFECT = 1e-13  # of a form beyond which its choices have gone bad; rounding is some hundred times smaller


@compiled
def _rate(address, size, count, t, y, dy, given, out, work, control):
    """Evaluate the right side of the equations at a state; return whether it is there."""
    n, s, kind = size[N], size[S], size[KIND]
    if size[COMPLETE] == 1 and not _complete(address, size, count, t, y, given, out, work, control):
        return False
    given[0] = t
    for i in range(2 * n):
        given[1 + i] = y[i]
    count[EVALUATIONS] += 1
    if size[BROUGHT] == 1:
        _bring(address, n, kind == CANONICAL, given, out, work)
    if size[KEEP] == STABILISE and size[FROZEN] == 0:
        _offsets(address, size, given, out, work, control, 1.0)
    kernel(RATE, address, given, out, work)
    if kind == CANONICAL:
        for i in range(2 * n):
            dy[i] = out[i]
    else:
        bad = kind == GUARDED and not (out[n + s] >= s and out[n + s + 1] > WELL)
        if bad or (kind == OWN and (count[ILL] == 1 or not out[2 * n] < _DEFECT)):
            count[GUARDS] += 1
            kernel(GUARD, address, given, out, work)
        if kind != OWN and not out[n + s + 2] > 0.0:
            count[BAD] = SINGULAR_MASS
            return False
        for i in range(n):
            dy[i] = given[1 + n + i]
            dy[n + i] = out[i]
    for i in range(2 * n):
        if not np.isfinite(dy[i]):
            count[BAD] = i
            return False
    return True


@compiled
def _bring(address, n, canonical, given, out, work):
    """Move a state, already given, towards the constraints by one of Newton's steps, positions and then velocities.

    Constraints that repeat each other contradict each other beside the states that they allow, by the square of the
    distance; and the stages of a step lie beside them.
    """
    for level in range(2):
        if canonical and level == 1:  # momenta to velocities, and back
            kernel(RATE, address, given, out, work)
            for i in range(n):
                given[1 + n + i] = out[i]
        kernel(POSITION + level, address, given, out, work)
        for i in range(n):
            given[1 + level * n + i] += out[i]
    if canonical:
        kernel(MOMENTA, address, given, out, work)
        for i in range(n):
            given[1 + n + i] = out[i]


@compiled
def _offsets(address, size, given, out, work, control, h):
    """Fill in what stabilisation adds to c: −a ψ − b g, with gains a and b in units of the step."""
    s = size[S]
    kernel(RESIDUALS, address, given, out, work)
    start = len(given) - s
    for i in range(s):
        given[start + i] = -control[0, i] / h * out[s + i] - control[1, i] / (h * h) * out[i]


@compiled
def _frozen(address, size, t, h, y, given, out, work, control):
    """Evaluate what stabilisation adds at the start of a step, to be kept through its stages."""
    given[0] = t
    for i in range(len(y)):
        given[1 + i] = y[i]
    _offsets(address, size, given, out, work, control, h)


@compiled
def _complete(address, size, count, t, y, given, out, work, control):
    """Find the dependent positions and velocities from the independent ones, by Newton from what is there.

    The first two rows of `control` are the factors of columns and rows for positions and velocities; the third takes
    how well they are determined.
    """
    n, s = size[N], size[S]
    start = len(given) - n - s
    given[0] = t
    for level in range(2):
        for i in range(n + s):
            given[start + i] = control[level, i]
        found, before = False, np.inf
        for turn in range(NEWTON):
            for i in range(2 * n):
                given[1 + i] = y[i]
            kernel(DEPENDENT + level, address, given, out, work)
            count[PROJECTIONS] += 1
            control[2, level] = out[n + s + 1]
            largest, left, bad = corrected(out, n, s, y, level * n)
            if bad >= 0:
                count[BAD] = level * n + bad
                return False
            if settled(largest, before, control[2, level], turn):
                found = left < LEFT
                break
            before = largest
        if not found:
            count[BAD] = NOT_COMPLETED
            return False
    return True


@compiled
def _kept(address, size, count, t, y, given, out, work, control):
    """Bring a state onto the constraints in the way that was chosen; return whether that was possible."""
    if size[COMPLETE] == 1:
        return _complete(address, size, count, t, y, given, out, work, control)
    if size[KEEP] == PROJECT:
        return project(address, size, count, t, y, given, out, work)
    return True


@compiled
def _first_step(address, size, count, clock, order, y, k, trial, given, out, work, control):
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
    if not _rate(address, size, count, clock[T] + h, trial, k[1], given, out, work, control):
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
def _stage(A, row, h, y, k, trial):
    for i in range(len(y)):
        trial[i] = y[i]
    for j in range(row):
        factor = h * A[row, j]
        if factor != 0.0:
            for i in range(len(y)):
                trial[i] += factor * k[j, i]


@compiled
def _is_plain(size):
    if size[BROUGHT] == 1:
        return False
    return size[COMPLETE] == 0 and size[KEEP] != STABILISE and (size[KIND] == ACCELERATIONS or size[KIND] == GUARDED)


@compiled
def _plain_stages(address, size, count, A, c, first, last, t, h, y, k, given, out, work):
    """Evaluate some of the stages where nothing but q̈ is asked for: `_stage` and `_rate` in one piece.

    A call with that many arrays takes longer than the kernel of a small system.
    """
    n, s, guarded = size[N], size[S], size[KIND] == GUARDED
    rate, guard = address[RATE], address[GUARD]
    results, inputs, room = out.ctypes.data, given.ctypes.data, work.ctypes.data
    for row in range(first, last):
        for i in range(2 * n):
            total = 0.0
            for j in range(row):
                total += A[row, j] * k[j, i]
            given[1 + i] = y[i] + h * total
        given[0] = t + c[row] * h
        call(rate, results, inputs, room)
        if guarded and not (out[n + s] >= s and out[n + s + 1] > WELL):
            count[GUARDS] += 1
            call(guard, results, inputs, room)
        count[EVALUATIONS] += 1
        if not out[n + s + 2] > 0.0:
            count[BAD] = SINGULAR_MASS
            return False
        total = 0.0
        for i in range(n):
            k[row, i], k[row, n + i] = given[1 + n + i], out[i]
            total += 0.0 * (out[i] + given[1 + n + i])
        if total != 0.0:  # something is not finite
            for i in range(2 * n):
                if not np.isfinite(k[row, i]):
                    count[BAD] = i
            return False
    return True


@compiled
def _stages(address, size, count, A, c, first, last, t, h, y, k, trial, given, out, work, control):
    """Evaluate some of the stages; return whether all of them are there."""
    if _is_plain(size):
        return _plain_stages(address, size, count, A, c, first, last, t, h, y, k, given, out, work)
    for row in range(first, last):
        _stage(A, row, h, y, k, trial)
        if not _rate(address, size, count, t + c[row] * h, trial, k[row], given, out, work, control):
            return False
    return True


@compiled
def _error(errors, h, clock, y, new, k):
    """Return the size of the error in units of the tolerance, from the estimates of order 3 and 5.

    What depends on other coordinates counts as they do: it may follow a drive, of which they know nothing.
    """
    m, s = len(y), errors.shape[1] - 1
    three = five = 0.0
    for i in range(m):
        e3 = e5 = 0.0
        for j in range(s):
            e3 += errors[0, j] * k[j, i]
            e5 += errors[1, j] * k[j, i]
        scale = clock[ATOL] + clock[RTOL] * max(abs(y[i]), abs(new[i]))
        three += (e3 / scale) ** 2
        five += (e5 / scale) ** 2
    if five == 0.0 and three == 0.0:
        return 0.0
    return h * five / np.sqrt((five + 0.01 * three) * m)


@compiled
def _between(theta, h, y, raw, kept, k, final, dense, into):
    """Interpolate at a part θ of a step: to the raw end of the step, and with it to the end that was kept.

    `final` is the row of k with the slope at the raw end.
    """
    stages = k.shape[0]
    blend = theta * theta * (3.0 - 2.0 * theta)
    for i in range(len(y)):
        d = raw[i] - y[i]
        start, end = h * k[0, i], h * k[final, i]
        f1, f2 = start - d, 2.0 * d - end - start
        value = 0.0
        if len(dense) > 0:
            f3 = f4 = f5 = f6 = 0.0
            for j in range(stages):
                f3 += dense[0, j] * k[j, i]
                f4 += dense[1, j] * k[j, i]
                f5 += dense[2, j] * k[j, i]
                f6 += dense[3, j] * k[j, i]
            value = h * f6 * theta
            value = (value + h * f5) * (1.0 - theta)
            value = (value + h * f4) * theta
            value = (value + h * f3) * (1.0 - theta)
        value = (value + f2) * theta
        value = (value + f1) * (1.0 - theta)
        value = (value + d) * theta
        into[i] = y[i] + value + blend * (kept[i] - raw[i])


@compiled
def _for_between(address, size, count, A, c, final, dense, t, h, y, raw, k, trial, given, out, work, control):
    """Evaluate the stages that only interpolation needs: the slope at the raw end, and those behind it."""
    if len(dense) == 0:
        return _rate(address, size, count, t + h, raw, k[final], given, out, work, control)
    return _stages(address, size, count, A, c, final, k.shape[0], t, h, y, k, trial, given, out, work, control)


@compiled
def _whole(address, size, count, stages, clock, t, h, y, raw, given, out, work):
    """Take a step by the kernel of a whole one; return its error, and whether it is good enough for all stages."""
    m, last = len(y), len(given)
    given[0] = t
    for i in range(m):
        given[1 + i] = y[i]
    given[last - 3], given[last - 2], given[last - 1] = h, clock[RTOL], clock[ATOL]
    call(address[WHOLE], out.ctypes.data, given.ctypes.data, work.ctypes.data)
    for i in range(m):
        raw[i] = out[i]
    error = out[m]
    good = out[m + 1] > 0.0 and error < np.inf
    if good:
        count[EVALUATIONS] += stages
    return error, good


@compiled
def advance(
    address, size, A, b, c, errors, dense, order, clock, count, y, k, vectors, given, out, work, control,
    wanted, sampled, times, states, events, max_steps,
):  # fmt: skip
    """Take up to `max_steps` steps towards `clock[END]`; return a status.

    `k` has one row for each stage, and one more for methods without dense output; `vectors` are three of the size of y.
    Steps are written to `times` and `states`, values at the `wanted` times to `sampled`. The rows of `events` are the
    values before and after the last step, the directions to watch for, and which of them passed zero. `control` holds
    the gains of stabilisation, or the choice of independent coordinates.
    """
    m, stages = len(y), len(b)
    new, raw, trial = vectors[0], vectors[1], vectors[2]
    if clock[T] >= clock[END]:
        return DONE
    if count[FIRST] == 0:
        if not _rate(address, size, count, clock[T], y, k[0], given, out, work, control):
            return NOT_FINITE
        if size[FIXED] == 0 and clock[H] <= 0.0:
            clock[H] = _first_step(address, size, count, clock, order, y, k, trial, given, out, work, control)
        count[FIRST] = 1
        clock[TAKEN] = clock[H]
        watch(address, size[N], clock[T], y, k[0], given, out, work, events)
    plain, watched = _is_plain(size), events.shape[1] > 0
    one = size[ONE] == 1 and size[FIXED] == 0
    for _ in range(max_steps):
        if clock[T] >= clock[END]:
            return DONE
        if count[RECORDED] >= len(times):
            return FULL
        t, h = clock[T], min(clock[H], clock[LARGEST])
        last = t + h >= clock[END] - 1e-9 * h  # no tiny step at the end because of rounding
        if last:
            h = clock[END] - t
        if h <= 1e-14 * max(abs(t), 1e-3 * clock[END]):
            return STEP_TOO_SMALL
        if size[KEEP] == STABILISE and size[FROZEN] == 1:
            _frozen(address, size, t, h, y, given, out, work, control)
            if not _rate(address, size, count, t, y, k[0], given, out, work, control):
                return NOT_FINITE
        wanted_here = count[SAMPLED] < len(wanted) and wanted[count[SAMPLED]] <= t + h
        error, there = 1e10, False
        if one:
            error, there = _whole(address, size, count, stages, clock, t, h, y, raw, given, out, work)
            if there and wanted_here:
                for j in range(stages):
                    for i in range(m):
                        k[j, i] = out[m + 2 + j * m + i]
            if not there and not _rate(address, size, count, t, y, k[0], given, out, work, control):
                return NOT_FINITE
        if not there:
            there = _stages(address, size, count, A, c, _SECOND, stages, t, h, y, k, trial, given, out, work, control)
            if there:
                for i in range(m):
                    total = 0.0
                    for j in range(stages):
                        total += b[j] * k[j, i]
                    raw[i] = y[i] + h * total
                if size[FIXED] == 0:
                    error = _error(errors, h, clock, y, raw, k)
        if size[FIXED] == 0:
            if not error <= 1.0:
                clock[H] = h * max(0.2, 0.9 * error ** (-1.0 / order)) if np.isfinite(error) else 0.2 * h
                count[REJECTED] += 1
                count[AGAIN] = 1
                if not there and size[COMPLETE] == 1 and h < 1e-3 * clock[TAKEN]:
                    return CHOICE
                if not there and clock[H] < 1e-10 * max(abs(t), clock[END]):
                    return NOT_FINITE
                continue
            factor = 10.0 if error == 0.0 else min(10.0, max(0.2, 0.9 * error ** (-1.0 / order)))
            if count[AGAIN] == 1:
                factor = min(1.0, factor)
            count[AGAIN] = 0
            if not last or factor < 1.0:
                clock[H] = h * factor
        elif not there:
            return NOT_FINITE
        for i in range(m):
            new[i] = raw[i]
        if not _kept(address, size, count, t + h, new, given, out, work, control):
            if size[FIXED] == 1 or h < 1e-9 * clock[END]:
                return NOT_PROJECTED
            clock[H] = 0.25 * h
            count[REJECTED] += 1
            continue
        if wanted_here:
            if not _for_between(
                address, size, count, A, c, stages, dense, t, h, y, raw, k, trial, given, out, work, control
            ):
                return NOT_FINITE
            while count[SAMPLED] < len(wanted) and wanted[count[SAMPLED]] <= t + h:
                theta = (wanted[count[SAMPLED]] - t) / h
                _between(theta, h, y, raw, new, k, stages, dense, sampled[count[SAMPLED]])
                at, sample = wanted[count[SAMPLED]], sampled[count[SAMPLED]]
                if not _kept(address, size, count, at, sample, given, out, work, control):
                    return NOT_PROJECTED
                count[SAMPLED] += 1
        for i in range(m):
            y[i] = new[i]
            states[count[RECORDED], i] = new[i]
        clock[T], clock[TAKEN] = clock[END] if last else t + h, h
        times[count[RECORDED]] = clock[T]
        count[RECORDED] += 1
        count[STEPS] += 1
        if one:
            for i in range(size[N]):
                k[0, i] = y[size[N] + i]  # the velocities, for what is watched
        elif plain:
            if not _plain_stages(address, size, count, A, c, _FIRST, _SECOND, clock[T], 0.0, y, k, given, out, work):
                return NOT_FINITE
        elif not _rate(address, size, count, clock[T], y, k[0], given, out, work, control):
            return NOT_FINITE
        slow = is_slow(clock, count)
        if watched and watch(address, size[N], clock[T], y, k[0], given, out, work, events):
            return EVENT
        if size[COMPLETE] == 1 and (control[2, 0] < _WORSE * control[2, 2] or control[2, 1] < _WORSE * control[2, 3]):
            return CHOICE
        if slow:
            return SLOW
    return DONE if clock[T] >= clock[END] else RUNNING


@compiled
def interpolate(
    address, size, A, b, c, dense, count, t, h, y, kept, k, vectors, given, out, work, control, thetas, into
):  # fmt: skip
    """Repeat one recorded step and evaluate it at parts θ of it; return whether that was possible."""
    m, stages = len(y), len(b)
    raw, trial = vectors[1], vectors[2]
    if size[KEEP] == STABILISE and size[FROZEN] == 1:
        _frozen(address, size, t, h, y, given, out, work, control)
    if not _rate(address, size, count, t, y, k[0], given, out, work, control):
        return False
    if not _stages(address, size, count, A, c, _SECOND, stages, t, h, y, k, trial, given, out, work, control):
        return False
    for i in range(m):
        total = 0.0
        for j in range(stages):
            total += b[j] * k[j, i]
        raw[i] = y[i] + h * total
    if not _for_between(address, size, count, A, c, stages, dense, t, h, y, raw, k, trial, given, out, work, control):
        return False
    for p in range(len(thetas)):
        _between(thetas[p], h, y, raw, kept, k, stages, dense, into[p])
    return True
