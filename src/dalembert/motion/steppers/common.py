"""What the steps of all methods have in common: how long the next one is, how it is written down; and what those of
implicit methods have: the first step, and states between two of them."""

from __future__ import annotations

import numpy as np

from dalembert.motion.codes import DONE, FULL, RUNNING, STEP_TOO_SMALL
from dalembert.motion.steppers.compiled import compiled


@compiled
def proposed(clock, count, buffer, h):
    """Return a status, the length of the next step, at most h, and where it ends.

    A tiny step that rounding would leave before the end is added to the one before; the end is then met exactly.
    """
    if clock.t >= clock.end:
        return DONE, h, clock.t
    if count.recorded >= buffer:
        return FULL, h, clock.t
    end = clock.t + h
    if end >= clock.end - 1e-9 * h:
        h, end = clock.end - clock.t, clock.end
    if h <= 1e-14 * max(abs(clock.t), 1e-3 * clock.span):
        return STEP_TOO_SMALL, h, end
    return RUNNING, h, end


@compiled
def written(clock, count, end, h, y, new, times, states):
    """Go on to the end of a step, and write it down."""
    for i in range(len(y)):
        y[i] = new[i]
        states[count.recorded, i] = new[i]
    clock.t, clock.taken = end, h
    times[count.recorded] = end
    count.recorded += 1
    count.steps += 1


@compiled
def first_step(clock, y, start):
    """Choose a first step in which the state changes by a hundredth; the error estimate corrects it."""
    n = len(y) // 2
    d0 = d1 = 0.0
    for i in range(n):
        scale_q, scale_v = clock.atol + clock.rtol * abs(y[i]), clock.atol + clock.rtol * abs(y[n + i])
        d0 += (y[i] / scale_q) ** 2 + (y[n + i] / scale_v) ** 2
        d1 += (y[n + i] / scale_q) ** 2 + (start[i] / scale_v) ** 2
    span = min(clock.end - clock.t, clock.largest)
    h = 0.01 * np.sqrt(d0 / d1) if d0 > 1e-10 and d1 > 1e-10 else 1e-6
    return min(max(h, 1e-8 * span), span)


@compiled
def hermite(theta, h, y, kept, start, end, into):
    """Interpolate at a part θ of a step by the polynomial of degree 5 through positions, velocities, accelerations."""
    n, r = len(y) // 2, 1.0 - theta
    for i in range(n):
        d = kept[i] - y[i]
        b0, b1 = h * y[n + i], h * kept[n + i]
        c0, c1 = h * h * start[i], h * h * end[i]
        c3 = 10.0 * d - 6.0 * b0 - 4.0 * b1 - 1.5 * c0 + 0.5 * c1
        c4 = -15.0 * d + 8.0 * b0 + 7.0 * b1 + 1.5 * c0 - c1
        c5 = 6.0 * d - 3.0 * (b0 + b1) - 0.5 * (c0 - c1)
        into[i] = y[i] + theta * (b0 + theta * (0.5 * c0 + theta * (c3 + theta * (c4 + theta * c5))))
        slope = b0 + theta * (c0 + theta * (3.0 * c3 + theta * (4.0 * c4 + theta * 5.0 * c5)))
        into[n + i] = slope / h if r > 0.0 else kept[n + i]
