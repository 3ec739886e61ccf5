"""How steps of an explicit method come to a switch of the state, as where sign(x') or if(x < 0, …) change at once.

A step across one is rejected again and again, for the error estimate knows smooth equations only. So a step whose end
lies on the other side is not taken: it is shortened to end just before the switch, by Newton's method, which needs a
few steps, all of them on one side. A last one, as short as time allows, leads across.
"""

from __future__ import annotations

import numpy as np

from dalembert.motion.codes import CANONICAL
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.primitives import kernel
from dalembert.motion.steppers.rates import rate

MOST = 30  # attempts at one switch; then it is left to the control of errors
_SHORT = 1e-13  # of the time: the step that leads across
_SHORTEST = 5e-14  # the same, of a step whose fifth would be too short
_ASIDE = 1e-7  # of the step that met the switch: for the rate of change of what switches
_CAREFUL, _CARELESS = 1e-2, 1e-6  # parts of the way that are left over, far from the switch and next to it


@compiled
def evaluate(tools, t, y, into):
    """Evaluate what switches at a state."""
    given, out, n = tools.given, tools.out, tools.size.n
    given[0] = t
    for i in range(len(y)):
        given[1 + i] = y[i]
    if tools.size.kind == CANONICAL:  # momenta to velocities
        kernel(tools.address.rate, given, out, tools.work)
        for i in range(n):
            given[1 + n + i] = out[i]
    kernel(tools.address.switches, given, out, tools.work)
    for e in range(len(into)):
        into[e] = out[e]


@compiled
def _short(clock):
    """Return the length of the step that leads across."""
    return _SHORT * max(abs(clock.t), 1e-3 * clock.end)


@compiled
def _ahead(tools, clock, y, room, switches):
    """Return how long it takes to the nearest switch; infinite if nothing leads to one.

    Where what switches is itself bent there, as reactions are, rates of change are those of this side.
    """
    if not rate(tools, clock.t, y, room.k[0]):
        return np.inf
    aside, beyond = _ASIDE * clock.met, True
    while beyond:
        for i in range(len(y)):
            room.trial[i] = y[i] + aside * room.k[0, i]
        evaluate(tools, clock.t + aside, room.trial, switches[1])
        beyond = False
        if aside > 10.0 * _short(clock):
            for e in range(switches.shape[1]):
                beyond = beyond or switches[0, e] * switches[1, e] < 0.0
        if beyond:
            aside *= 0.1
    nearest = np.inf
    for e in range(switches.shape[1]):
        slope = (switches[1, e] - switches[0, e]) / aside
        if switches[0, e] * slope < 0.0:
            nearest = min(nearest, -switches[0, e] / slope)
    return nearest


@compiled
def aim(tools, clock, h, y, room, switches):
    """Shorten a step that would cross a switch; return its length, and whether it is the one that leads across."""
    if tools.counts.aimed == 0 or tools.counts.aimed >= MOST:
        return h, False
    left = _ahead(tools, clock, y, room, switches)
    short = _short(clock)
    if left <= short:
        return min(h, left + short), True
    margin = min(max(10.0 * left / clock.met, _CARELESS), _CAREFUL)
    return min(h, left * (1.0 - margin)), False


@compiled
def is_shortest(clock, h):
    """Tell whether a step is as short as time allows: the next one that is tried would be too short."""
    return h <= _SHORTEST * max(abs(clock.t), 1e-3 * clock.span)


@compiled
def crosses(tools, clock, t, h, room, switches):
    """Tell whether a step ends on the other side of a switch; then the next attempt is shorter."""
    counts = tools.counts
    evaluate(tools, t + h, room.raw, switches[1])
    part = 1.0
    for e in range(switches.shape[1]):
        before, after = switches[0, e], switches[1, e]
        if before * after < 0.0:
            part = min(part, before / (before - after))
    if part == 1.0 or counts.aimed >= MOST:
        return False
    if counts.aimed == 0:
        clock.met = h
    counts.aimed += 1
    clock.h = h * min(max(part, 0.1), 0.9)
    return True
