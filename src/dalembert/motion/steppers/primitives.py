"""What every native stepper is made of: calls of kernels by their addresses, projection, the watch for events."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dalembert.motion.codes import CANONICAL, WELL, WINDOW
from dalembert.motion.steppers.compiled import compiled

NEWTON = 12
SLOW_PART = 1e-4  # of the whole time that many steps should reach
NEAR, NEARER, STUCK = 1e-9, 1e-13, 1e-6  # relative sizes of the last correction
LEFT = 1e-6  # relative size of a residual that no correction removes
SHORT = 1e-6  # part of a unit by which residuals are measured at least: beside nothing there is rounding
LAST_DIGIT = 1e-15  # of the largest number that is corrected
FAR = 100.0  # a residual in the size of the correction above which the correction is not meant to remove it
NOTHING_LEFT = (
    1e-60  # what projection takes to nothing squares in every step, and processors are slow with such numbers
)


@compiled
def copy(new, into):
    """Copy an array; `into[:] = new` would bring numba's own memory management with it."""
    for i in range(into.size):
        into.flat[i] = new.flat[i]


@intrinsic
def _call(typingctx, address, out, given, work):
    """Call void f(double *out, const double *in, double *work) at an address."""

    def generate(context, builder, signature, args):
        pointer = ir.IntType(8).as_pointer()
        function = ir.FunctionType(ir.VoidType(), [pointer] * 3)
        target = builder.inttoptr(args[0], function.as_pointer())
        builder.call(target, [builder.inttoptr(arg, pointer) for arg in args[1:]])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.int64), generate


call: Any = _call  # of the addresses of a kernel, its outputs, its inputs, its workspace


@compiled
def kernel(address, given, out, work):
    """Call a kernel, given its inputs."""
    call(address, out.ctypes.data, given.ctypes.data, work.ctypes.data)


@compiled
def extent_of(units, first, x, start, n):
    """Return how large n numbers of x from `start` on are, in their units from `first` on; states have none."""
    extent = 0.0
    for i in range(n):
        if units[first + i] > 0.0:
            extent = max(extent, abs(x[start + i]) / units[first + i])
    return extent


@compiled
def corrected(out, size, level, x, start):
    """Add Newton's step to positions or velocities; return its relative size, what it leaves, what is bad.

    What is left is the residual before it, where that is large beside the step. They are n numbers of x from `start`
    on: a slice would cost more than all this.
    """
    n, units, first = size.n, size.units, level * size.n
    largest = left = moved = extent = 0.0
    whole = max(1.0, extent_of(units, first, x, start, n))
    for i in range(size.s):
        left = max(left, abs(out[n + i]))
    for i in range(n):
        if not np.isfinite(out[i]):
            return largest, left, i
        own, unit = abs(x[start + i]), units[first + i]
        extent, moved = max(extent, own, SHORT * unit), max(moved, abs(out[i]))
        if out[i] != 0.0:
            largest = max(largest, abs(out[i]) / (whole * unit + own))
        x[start + i] += out[i]
        if abs(x[start + i]) < NOTHING_LEFT:
            x[start + i] = 0.0
    return largest, (left / extent if left > FAR * moved else 0.0), -1


@compiled
def settled(largest, before, conditioning, turn):
    """Tell whether no further step is needed, after so many turns.

    Each squares the error; but near a singular position it leaves a part of it, until rounding ends that.
    """
    near = NEAR if conditioning > WELL or turn == NEWTON - 1 else NEARER
    return largest < near or (largest < STUCK and largest > 0.5 * before)


@compiled
def project(address, size, count, t, y, given, out, work):
    """Move a state onto the constraints, positions and then velocities, least in the mass norm."""
    n, s = size.n, size.s
    given[0] = t
    canonical = size.kind == CANONICAL
    results, inputs, room = out.ctypes.data, given.ctypes.data, work.ctypes.data
    for level in range(2):
        first = 1 + level * n
        found, before = False, np.inf
        for turn in range(NEWTON):
            for i in range(2 * n):
                given[1 + i] = y[i]
            if canonical:  # momenta to velocities
                call(address.rate, results, inputs, room)
                for i in range(n):
                    given[1 + n + i] = out[i]
            call(address.position if level == 0 else address.velocity, results, inputs, room)
            count.projections += 1
            conditioning = out[n + s + 1]
            count.ill = 0 if conditioning > WELL else 1
            largest, left, bad = corrected(out, size, level, given, first)
            if bad >= 0:
                count.bad = level * n + bad
                return False
            for i in range(2 * n):
                y[i] = given[1 + i]
            if canonical:
                call(address.momenta, results, inputs, room)
                for i in range(n):
                    y[n + i] = out[i]
            if settled(largest, before, conditioning, turn):
                found = left < LEFT  # contradictory constraints settle on a compromise
                break
            before = largest
            found = turn == NEWTON - 1 and rounds(out, given, first, n)
        if not found:
            return False
    return True


@compiled
def rounds(out, x, start, n):
    """Tell whether a correction of n numbers of x is no more than the rounding of the largest of them.

    Of states, each is measured by itself; one that is next to nothing takes on what rounding leaves of the others.
    """
    extent = moved = 0.0
    for i in range(n):
        extent, moved = max(extent, abs(x[start + i])), max(moved, abs(out[i]))
    return moved <= LAST_DIGIT * extent


@compiled
def is_slow(clock, count):
    """Tell, after every so many steps, whether they came next to nowhere."""
    if count.steps % WINDOW != 0:
        return False
    slow = clock.t - clock.since < SLOW_PART * clock.span
    clock.since = clock.t
    return slow


@compiled
def watch(address, n, t, q, v, given, out, work, events):
    """Evaluate what is watched for at the new state; return whether something passed zero."""
    if events.shape[1] == 0:
        return False
    given[0] = t
    for i in range(n):
        given[1 + i] = q[i]
        given[1 + n + i] = v[i]
    kernel(address.events, given, out, work)
    any_passed = False
    for e in range(events.shape[1]):
        events[0, e] = events[1, e]
        events[1, e] = out[e]
        rising = events[0, e] < 0.0 and events[1, e] >= 0.0 and events[2, e] >= 0.0
        falling = events[0, e] > 0.0 and events[1, e] <= 0.0 and events[2, e] <= 0.0
        events[3, e] = 1.0 if rising or falling else 0.0
        any_passed = any_passed or rising or falling
    return any_passed
