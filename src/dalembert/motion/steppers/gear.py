"""The residuals of the equations that IDA solves; see `motion/implicit.py`."""

from __future__ import annotations

import numpy as np

from dalembert.motion.places import BALANCE, NOTHING, SINGULAR_MASS, SPLIT, TERMS
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.primitives import kernel


@compiled
def _enter(n, s, t, y, yp, given):
    """Give t, q, v and accelerations to the kernels; tell whether they are finite."""
    first = len(given) - 2 * n - 2 * s
    finite = True
    given[0] = t
    for i in range(2 * n):
        given[1 + i] = y[i]
        finite = finite and np.isfinite(y[i])
    for i in range(n):
        given[first + i] = yp[n + i]
    return finite


@compiled
def _missing(values):
    """Return the number of the first value that is not finite, or −1."""
    for i in range(len(values)):
        if not np.isfinite(values[i]):
            return i
    return NOTHING


@compiled
def minimal(address, n, s, rows, kinematic, rate, t, y, yp, res, given, terms, out, work, before):
    """Evaluate the minimal equations, with the multipliers behind the last n of `out`; return what has no value."""
    first = len(given) - 2 * n - 2 * s
    d, b, right = first + s, first + s + n, first + s + 2 * n
    res[:] = np.nan
    if not _enter(n, s, t, y, yp, given):
        return before  # the reason was found before
    kernel(TERMS, address, given, out, work)
    for i in range(n + 2 * s):
        terms[i] = out[i]
    missing = _missing(terms[:n])
    if missing >= 0:
        return n + missing
    for level in range(2):
        for i in range(s):
            w = terms[n + level * s + i]
            given[first + i] = rows[level, i]
            given[right + i] = rows[level, i] * (rate * w if level == 0 or kinematic[i] else w)
        for i in range(n):
            given[d + i] = yp[i] - y[n + i] if level == 0 else yp[n + i]
            given[b + i] = 0.0 if level == 0 else -terms[i]
        kernel(SPLIT, address, given, out, work)
        if not out[n + s + 2] > 0.0:
            return SINGULAR_MASS
        for i in range(n):
            res[level * n + i] = out[i]
    return _missing(res)


@compiled
def multipliers(address, n, s, positions, t, y, yp, res, given, out, work, before):
    """Evaluate the equations with multipliers; return what has no value."""
    h, first = len(positions), len(given) - 2 * n - 2 * s
    res[:] = np.nan
    if not _enter(n, s, t, y, yp, given):
        return before
    for i in range(s):
        given[first + n + i] = y[2 * n + h + i]
        given[first + n + s + i] = 0.0
    for k in range(h):
        given[first + n + s + positions[k]] = y[2 * n + k]
    kernel(BALANCE, address, given, out, work)
    for i in range(n):
        res[i] = yp[i] - y[n + i] - out[i]
        res[n + i] = out[n + i]
    for k in range(h):
        res[2 * n + k] = out[2 * n + positions[k]]
    for i in range(s):
        res[2 * n + h + i] = out[2 * n + s + i]
    return min(_missing(res), 2 * n - 1)
