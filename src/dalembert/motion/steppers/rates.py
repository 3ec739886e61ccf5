"""The right side of the equations for explicit methods: q̇ and q̈ at a state, at the stages of a step."""

from __future__ import annotations

import numpy as np

from dalembert.motion.codes import (
    ACCELERATIONS,
    CANONICAL,
    GUARDED,
    NOT_COMPLETED,
    OWN,
    PROJECT,
    SINGULAR_MASS,
    STABILISE,
    WELL,
)
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.primitives import LEFT, NEWTON, call, corrected, kernel, project, settled

_DEFECT = 1e-13  # of a form beyond which its choices have gone bad; rounding is some hundred times smaller


@compiled
def rate(tools, t, y, dy):
    """Evaluate the right side of the equations at a state; return whether it is there."""
    address, size, count, given, out, work, _ = tools
    n, s, kind = size.n, size.s, size.kind
    if size.complete == 1 and not _complete(tools, t, y):
        return False
    given[0] = t
    for i in range(2 * n):
        given[1 + i] = y[i]
    count.evaluations += 1
    if size.brought == 1:
        _bring(address, n, kind == CANONICAL, given, out, work)
    if size.keep == STABILISE and size.frozen == 0:
        _offsets(tools, 1.0)
    kernel(address.rate, given, out, work)
    if kind == CANONICAL:
        for i in range(2 * n):
            dy[i] = out[i]
    else:
        bad = kind == GUARDED and not (out[n + s] >= s and out[n + s + 1] > WELL)
        if bad or (kind == OWN and (count.ill == 1 or not out[2 * n] < _DEFECT)):
            count.guards += 1
            kernel(address.guard, given, out, work)
        if kind != OWN and not out[n + s + 2] > 0.0:
            count.bad = SINGULAR_MASS
            return False
        for i in range(n):
            dy[i] = given[1 + n + i]
            dy[n + i] = out[i]
    for i in range(2 * n):
        if not np.isfinite(dy[i]):
            count.bad = i
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
            kernel(address.rate, given, out, work)
            for i in range(n):
                given[1 + n + i] = out[i]
        kernel(address.position if level == 0 else address.velocity, given, out, work)
        for i in range(n):
            given[1 + level * n + i] += out[i]
    if canonical:
        kernel(address.momenta, given, out, work)
        for i in range(n):
            given[1 + n + i] = out[i]


@compiled
def _offsets(tools, h):
    """Fill in what stabilisation adds to c: what a kernel says, or −a ψ − b g with a and b in units of the step."""
    s, control, given, out = tools.size.s, tools.control, tools.given, tools.out
    kernel(tools.address.residuals, given, out, tools.work)
    start = tools.size.offsets
    for i in range(s):
        if tools.size.frozen == 0:
            given[start + i] = out[i]
        else:
            given[start + i] = -control[0, i] / h * out[s + i] - control[1, i] / (h * h) * out[i]


@compiled
def freeze(tools, t, h, y):
    """Evaluate what stabilisation adds, at the start of a step and for all of its stages; return whether it does."""
    if tools.size.keep != STABILISE or tools.size.frozen == 0:
        return False
    tools.given[0] = t
    for i in range(len(y)):
        tools.given[1 + i] = y[i]
    _offsets(tools, h)
    return True


@compiled
def _complete(tools, t, y):
    """Find the dependent positions and velocities from the independent ones, by Newton from what is there.

    The first two rows of `control` are the units of positions and of velocities, below zero for those that are given,
    and the factors of rows; the third takes how well they are determined.
    """
    address, size, count, given, out, work, control = tools
    n, s = size.n, size.s
    start = len(given) - n - s
    given[0] = t
    for level in range(2):
        for i in range(n + s):
            given[start + i] = control[level, i]
        found, before = False, np.inf
        for turn in range(NEWTON):
            for i in range(2 * n):
                given[1 + i] = y[i]
            kernel(address.positions if level == 0 else address.velocities, given, out, work)
            count.projections += 1
            control[2, level] = out[n + s + 1]
            largest_unit = 0.0
            for i in range(n):
                unit = max(0.0, control[level, i])
                largest_unit = max(largest_unit, unit)
                out[i] *= unit
            for i in range(s):
                out[n + i] *= largest_unit  # what is left, in these units
            largest, left, bad = corrected(out, size, level, y, level * n)
            if bad >= 0:
                count.bad = level * n + bad
                return False
            if settled(largest, before, control[2, level], turn):
                found = left < LEFT
                break
            before = largest
        if not found:
            count.bad = NOT_COMPLETED
            return False
    return True


@compiled
def keep(tools, t, y):
    """Bring a state onto the constraints in the way that was chosen; return whether that was possible."""
    address, size, count, given, out, work, _ = tools
    if size.complete == 1:
        return _complete(tools, t, y)
    if size.keep == PROJECT:
        return project(address, size, count, t, y, given, out, work)
    return True


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
def is_plain(size):
    """Tell whether nothing but q̈ is asked for."""
    if size.brought == 1:
        return False
    return size.complete == 0 and size.keep != STABILISE and (size.kind == ACCELERATIONS or size.kind == GUARDED)


@compiled
def plain_stages(method, tools, first, last, t, h, y, k):
    """Evaluate some of the stages where nothing but q̈ is asked for: `_stage` and `rate` in one piece.

    A call with that many arrays takes longer than the kernel of a small system.
    """
    address, size, count, given, out, work, _ = tools
    A, c = method.A, method.c
    n, s, guarded = size.n, size.s, size.kind == GUARDED
    direct, guard = address.rate, address.guard
    results, inputs, room = out.ctypes.data, given.ctypes.data, work.ctypes.data
    for row in range(first, last):
        for i in range(2 * n):
            total = 0.0
            for j in range(row):
                total += A[row, j] * k[j, i]
            given[1 + i] = y[i] + h * total
        given[0] = t + c[row] * h
        call(direct, results, inputs, room)
        if guarded and not (out[n + s] >= s and out[n + s + 1] > WELL):
            count.guards += 1
            call(guard, results, inputs, room)
        count.evaluations += 1
        if not out[n + s + 2] > 0.0:
            count.bad = SINGULAR_MASS
            return False
        total = 0.0
        for i in range(n):
            k[row, i], k[row, n + i] = given[1 + n + i], out[i]
            total += 0.0 * (out[i] + given[1 + n + i])
        if total != 0.0:  # something is not finite
            for i in range(2 * n):
                if not np.isfinite(k[row, i]):
                    count.bad = i
            return False
    return True


@compiled
def stages(method, tools, first, last, t, h, y, k, trial):
    """Evaluate some of the stages; return whether all of them are there."""
    if is_plain(tools.size):
        return plain_stages(method, tools, first, last, t, h, y, k)
    for row in range(first, last):
        _stage(method.A, row, h, y, k, trial)
        if not rate(tools, t + method.c[row] * h, trial, k[row]):
            return False
    return True


@compiled
def weigh(b, h, y, k, raw):
    """Sum up the stages to the end of a step."""
    for i in range(len(y)):
        total = 0.0
        for j in range(len(b)):
            total += b[j] * k[j, i]
        raw[i] = y[i] + h * total


@compiled
def whole_step(tools, rows, rtol, atol, t, h, y, raw):
    """Take a step by the kernel of a whole one; return its error, and whether it is good enough for all stages."""
    given, out = tools.given, tools.out
    m, last = len(y), len(given)
    given[0] = t
    for i in range(m):
        given[1 + i] = y[i]
    given[last - 3], given[last - 2], given[last - 1] = h, rtol, atol
    call(tools.address.whole, out.ctypes.data, given.ctypes.data, tools.work.ctypes.data)
    for i in range(m):
        raw[i] = out[i]
    error = out[m]
    good = out[m + 1] > 0.0 and error < np.inf
    if good:
        tools.counts.evaluations += rows
    return error, good


@compiled
def keep_stages(out, rows, k):
    """Take the stages from the outputs of the kernel of a whole step."""
    m = k.shape[1]
    for j in range(rows):
        for i in range(m):
            k[j, i] = out[m + 2 + j * m + i]
