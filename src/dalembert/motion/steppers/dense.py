"""The dense output of explicit methods: states inside a step, and inside many recorded ones at once."""

from __future__ import annotations

import numpy as np

from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.rates import freeze, keep_stages, rate, stages, weigh, whole_step

_SECOND = np.int64(1)  # stage; a plain 1 would be compiled for itself


@compiled
def between(theta, h, y, raw, kept, k, final, dense, into):
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
def prepare(method, tools, t, h, y, room):
    """Evaluate the stages that only interpolation needs: the slope at the raw end, and those behind it."""
    k, final = room.k, len(method.b)
    if len(method.dense) == 0:
        return rate(tools, t + h, room.raw, k[final])
    return stages(method, tools, final, k.shape[0], t, h, y, k, room.trial)


@compiled
def _repeat(method, tools, t, h, y, room):
    """Take a recorded step again; return whether that was possible."""
    rows, there = len(method.b), False
    if tools.size.one == 1 and tools.size.fixed == 0:
        _, there = whole_step(tools, rows, 1.0, 1.0, t, h, y, room.raw)
    if there:
        keep_stages(tools.out, rows, room.k)
        return prepare(method, tools, t, h, y, room)
    freeze(tools, t, h, y)
    if not rate(tools, t, y, room.k[0]):
        return False
    if not stages(method, tools, _SECOND, rows, t, h, y, room.k, room.trial):
        return False
    weigh(method.b, h, y, room.k, room.raw)
    return prepare(method, tools, t, h, y, room)


@compiled
def inside(method, tools, room, times, lengths, starts, kept, parameters, ends, thetas, into):
    """Repeat recorded steps, and evaluate each at parts θ of it; return how many could be repeated, one by one.

    They begin at `times` and states `starts` and lead to what was `kept`; the parts of each end at its place in `ends`.
    Each has its `parameters`, if there are any.
    """
    place, behind = 0, 1 + 2 * tools.size.n
    for step in range(len(times)):
        h, y = lengths[step], starts[step]
        for i in range(parameters.shape[1]):
            tools.given[behind + i] = parameters[step, i]
        if not _repeat(method, tools, times[step], h, y, room):
            return step
        while place < ends[step]:
            between(thetas[place], h, y, room.raw, kept[step], room.k, len(method.b), method.dense, into[place])
            place += 1
    return len(times)


@compiled
def ends(method, tools, room, times, lengths, starts, into):
    """Take single steps from some states, as the method takes them before anything is kept; return how many were there.

    They begin at `times` and have these `lengths`.
    """
    for step in range(len(times)):
        if not _repeat(method, tools, times[step], lengths[step], starts[step], room):
            return step
        for i in range(starts.shape[1]):
            into[step, i] = room.raw[i]
    return len(times)
