"""The stepper of implicit collocation methods with three stages: native, resumable.

The stages Vᵢ, Qᵢ = q₀ + h Σ aᵢⱼ Vⱼ and their λᵢ satisfy F = M V̇ − f − Aᵀλ = 0 and the constraints on velocities (index
2); positions are projected behind the step, which keeps the order (Hairer, Wanner, *Solving Ordinary Differential
Equations II*, section VII.4). Newton's steps are taken in the eigenbasis of the method, where they fall into one real
and one complex system, z = μ/h,

    [[z M + F_v + F_q/z, −Aᵀ], [C_v + C_q/z, E]]  (δV, δλ) = −(F, C + E (λ − λ₀)),

solved by sparse elimination. E is a small part of the diagonal that elimination gives a multiplier: where rows depend
on each other, or are about to, it ties λ to its extrapolation λ₀; elsewhere it does nothing that could be seen. Rows of
constraints on accelerations are C = A a − c, with z A added. Where M is singular, multiples of constraints are added to
its rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.algebra.types import Array
from dalembert.motion.compiled import compiled
from dalembert.motion.primitives import (
    ATOL,
    BAD,
    DONE,
    END,
    EVALUATIONS,
    EVENT,
    FIRST,
    FULL,
    LARGEST,
    NOT_FINITE,
    NOT_PROJECTED,
    NOT_SOLVED,
    RATE,
    RECORDED,
    REJECTED,
    RTOL,
    RUNNING,
    SAMPLED,
    SINGULAR_MASS,
    STEP_TOO_SMALL,
    STEPS,
    H,
    N,
    S,
    T,
    kernel,
    project,
    watch,
)  # fmt: skip
from dalembert.motion.sparse import factorise, solve

BALANCE, JACOBIAN = 7, 8  # places in `address`, behind the common ones
_ITERATIONS, _PATIENCE = 10, 60  # of Newton, with a step that can be changed and with a fixed one
_ROUNDED = 1e-14  # part of the largest velocity below which corrections do not matter
_CONVERGED = 1e-3  # part of the tolerance
_SAFETY = 0.9


class Scheme(NamedTuple):
    """A method as data: stages a, a⁻¹, times c, eigenbasis of a⁻¹ with its inverse and eigenvalues μ.

    `errors` are the weights of the error estimate, `dense` the coefficients of an interpolation through the start and
    the stages, `areas` of its integral, `inner` through the stages alone; `order` is that of the error estimate.
    """

    a: Array
    inverse: Array
    c: Array
    basis: Array
    back: Array
    real: float
    complex: complex
    errors: Array
    dense: Array
    areas: Array
    inner: Array
    order: int


class Layout(NamedTuple):
    """Where the entries of Jacobians go: value[place] += factor z^power jacobian[source].

    `added`: rows of (i, j, source of Aᵢⱼ, source of an entry of row i of C, its place, its power), with factors ρ: what
    is added to a singular M. `parts`: where F_q, C_q, M and A start and end; `rows` and `columns`: of all sources.
    `second`: which constraints are on accelerations.
    """

    source: Array
    place: Array
    power: Array
    factor: Array
    parts: Array
    rows: Array
    columns: Array
    added: Array
    rho: Array
    second: Array


class Room(NamedTuple):
    """What a step works on: stages V with the start in front, their λ, rates of change, residuals; both matrices."""

    V: Array
    multipliers: Array
    guess: Array  # of the multipliers
    rates: Array
    residuals: Array
    jacobian: Array
    E: Array
    real: Array
    real_inverse: Array
    real_row: Array
    complex: Array
    complex_inverse: Array
    complex_row: Array
    right: Array
    step: Array
    right_complex: Array
    step_complex: Array
    start: Array  # accelerations and multipliers at the start of the step
    shifted: Array  # and at a state nearby
    last_V: Array  # stages of the last step, and their λ
    last_multipliers: Array
    raw: Array
    new: Array


@compiled
def _assemble(layout, pattern, jacobian, z, values, inverse, row, E, choose):
    """Fill in a matrix for one z and factorise it."""
    values[:] = 0.0
    for e in range(len(layout.source)):
        values[layout.place[e]] += layout.factor[e] * z ** layout.power[e] * jacobian[layout.source[e]]
    for e in range(len(layout.added)):
        entry = layout.added[e]
        product = jacobian[entry[2]] * jacobian[entry[3]]
        values[entry[4]] += layout.rho[e] * product * z ** (entry[5] + 1)
    factorise(
        pattern.starts, pattern.columns, pattern.diagonal, pattern.multiplier, pattern.order, values, inverse, row, E,
        choose,
    )  # fmt: skip


@compiled
def _solved(layout, pattern, jacobian, n, z, values, inverse, right, x):
    """Solve with one of the matrices; what was added to its rows is added to the right side."""
    last = -1
    for e in range(len(layout.added)):
        i, j, of_A = layout.added[e, 0], layout.added[e, 1], layout.added[e, 2]
        if of_A != last:  # once for each entry of A
            right[j] += layout.rho[e] * z * jacobian[of_A] * right[n + i]
            last = of_A
    solve(pattern.starts, pattern.columns, pattern.diagonal, pattern.order, values, inverse, right, x)


@compiled
def _begin(address, size, count, t, y, given, out, work, start):
    """Evaluate accelerations and multipliers at a state; return whether they are there."""
    n, s = size[N], size[S]
    given[0] = t
    for i in range(2 * n):
        given[1 + i] = y[i]
    count[EVALUATIONS] += 1
    kernel(RATE, address, given, out, work)
    if not out[n + s + 2] > 0.0:
        count[BAD] = SINGULAR_MASS
        return False
    for i in range(n + s):
        start[i] = out[i]
        if not np.isfinite(out[i]):
            count[BAD] = n + i if i < n else -1
            return False
    return True


@compiled
def _prepare(scheme, layout, pattern, address, size, t, h, y, given, out, work, room):
    """Evaluate the Jacobians at the start of a step and factorise both matrices."""
    n, s = size[N], size[S]
    behind = len(given) - n - s
    given[0] = t
    for i in range(2 * n):
        given[1 + i] = y[i]
    for i in range(n + s):
        given[behind + i] = room.start[i]
    kernel(JACOBIAN, address, given, out, work)
    for e in range(len(room.jacobian)):
        room.jacobian[e] = out[e]
    _assemble(
        layout, pattern, room.jacobian, scheme.real / h, room.real, room.real_inverse, room.real_row, room.E, True
    )  # fmt: skip
    _assemble(
        layout, pattern, room.jacobian, scheme.complex / h, room.complex, room.complex_inverse, room.complex_row,
        room.E, False,
    )  # fmt: skip


@compiled
def _residuals(scheme, address, size, count, t, h, y, given, out, work, room):
    """Evaluate −F and −C at all stages; return whether they are finite."""
    n, s = size[N], size[S]
    behind = len(given) - n - s
    for k in range(3):
        given[0] = t + scheme.c[k] * h
        for i in range(n):
            q, rate = y[i], 0.0
            for j in range(3):
                q += h * scheme.a[k, j] * room.V[1 + j, i]
                rate += scheme.inverse[k, j] * (room.V[1 + j, i] - room.V[0, i])
            given[1 + i] = q
            given[1 + n + i] = room.V[1 + k, i]
            given[behind + i] = rate / h
        for i in range(s):
            given[behind + n + i] = room.multipliers[k, i]
        kernel(BALANCE, address, given, out, work)
        count[EVALUATIONS] += 1
        for i in range(n + s):
            if not np.isfinite(out[i]):
                return False
            room.residuals[k, i] = -out[i]
        for i in range(s):
            room.residuals[k, n + i] -= room.E[n + i] * (room.multipliers[k, i] - room.guess[k, i])
    return True


@compiled
def _newton(scheme, layout, pattern, address, size, count, clock, limit, t, h, y, given, out, work, room):
    """Solve for the stages from what is in V; return the number of iterations, or 0 if they do not converge.

    No more than two iterations are not judged.
    """
    n, s = size[N], size[S]
    target = max(10 * 2.2e-16 / clock[RTOL], _CONVERGED)
    earlier = before = 0.0
    for iteration in range(1, limit + 1):
        if not _residuals(scheme, address, size, count, t, h, y, given, out, work, room):
            return 0
        back, R = scheme.back, room.residuals
        for i in range(n + s):
            room.right[i] = back[0, 0] * R[0, i] + back[0, 1] * R[1, i] + back[0, 2] * R[2, i]
            re = back[1, 0] * R[0, i] + back[1, 1] * R[1, i] + back[1, 2] * R[2, i]
            im = back[2, 0] * R[0, i] + back[2, 1] * R[1, i] + back[2, 2] * R[2, i]
            room.right_complex[i] = complex(re, im)
        _solved(
            layout, pattern, room.jacobian, n, scheme.real / h, room.real, room.real_inverse, room.right, room.step
        )  # fmt: skip
        _solved(
            layout, pattern, room.jacobian, n, scheme.complex / h, room.complex, room.complex_inverse,
            room.right_complex, room.step_complex,
        )  # fmt: skip
        total = largest = extent = 0.0
        for k in range(3):
            b0, b1, b2 = scheme.basis[k, 0], scheme.basis[k, 1], scheme.basis[k, 2]
            for i in range(n + s):
                change = b0 * room.step[i] + b1 * room.step_complex[i].real + b2 * room.step_complex[i].imag
                if i < n:
                    room.V[1 + k, i] += change
                    room.rates[k, i] = change
                    largest, extent = max(largest, abs(change)), max(extent, abs(room.V[1 + k, i]))
                else:
                    room.multipliers[k, i - n] += change
        for k in range(3):
            for i in range(n):
                moved = 0.0
                for j in range(3):
                    moved += h * scheme.a[k, j] * room.rates[j, i]
                total += (room.rates[k, i] / (clock[ATOL] + clock[RTOL] * abs(y[n + i]))) ** 2
                total += (moved / (clock[ATOL] + clock[RTOL] * abs(y[i]))) ** 2
        now = np.sqrt(total / (6 * n))
        if not np.isfinite(now):
            return 0
        if now == 0.0 or largest < _ROUNDED * extent:
            return iteration
        if iteration > 2:  # corrections of V and of λ alternate: two make one
            theta = np.sqrt(now / earlier)
            if theta < 1.0 and theta / (1.0 - theta) * now < target:
                return iteration
            if (theta >= 1.0 and now > target) or (
                theta < 1.0 and limit == _ITERATIONS and theta ** (limit - iteration) / (1.0 - theta) * now > target
            ):
                return 0
        elif (iteration == 1 and now < 0.1 * target) or (iteration == 2 and before + now < target):
            return iteration
        earlier, before = before, now
    return limit if limit <= 2 else 0


@compiled
def _error(scheme, layout, pattern, address, size, count, clock, t, h, y, given, out, work, room, again):
    """Return the size of the error in units of the tolerance: an estimate of order 3, filtered by the real matrix.

    `again` filters it a second time, for stiff parts of a first or a repeated step.
    """
    n, J, parts = size[N], room.jacobian, layout.parts
    z = scheme.real / h
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
        _solved(layout, pattern, J, n, z, room.real, room.real_inverse, right, x)
        norm = 0.0
        for i in range(n):
            error_q = (new[n + i] + slope_q[i] + x[i]) / z
            scale_q = clock[ATOL] + clock[RTOL] * max(abs(y[i]), abs(room.raw[i]))
            scale_v = clock[ATOL] + clock[RTOL] * max(abs(y[n + i]), abs(room.raw[n + i]))
            norm += (error_q / scale_q) ** 2 + (x[i] / scale_v) ** 2
            new[i], new[n + i] = y[i] + error_q, y[n + i] + x[i]
        norm = np.sqrt(norm / (2 * n))
        if turn == 1 or not (again and norm >= 1.0):
            return norm
        a = room.shifted
        if not _begin(address, size, count, t, new, given, out, work, a):
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
def _solved_step(scheme, layout, pattern, address, size, count, clock, fixed, t, h, ratio, y, given, out, work, room):
    """Solve for the stages of a step; return the number of iterations, or 0.

    `ratio`: how much longer the step is than the last one, from which the stages are guessed; zero without one. λ₀ is
    the guess, and is renewed by what was found, so that the trace that E leaves is squared.
    """
    n = size[N]
    for i in range(n):
        room.V[0, i] = y[n + i]
    _guess(scheme, size, ratio, y, room)
    _prepare(scheme, layout, pattern, address, size, t, h, y, given, out, work, room)
    limit = _PATIENCE if fixed else _ITERATIONS
    iterations = 0
    for left in range(1 if ratio > 0.0 else 2, -1, -1):
        room.guess[:] = room.multipliers
        iterations = _newton(
            scheme, layout, pattern, address, size, count, clock, 2 if left > 0 else limit, t, h, y, given, out, work,
            room,
        )  # fmt: skip
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
    n, s, V, multipliers = size[N], size[S], room.last_V, room.last_multipliers
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
def _power_series(coefficients, row, theta):
    value = 0.0
    for d in range(coefficients.shape[1] - 1, -1, -1):
        value = value * theta + coefficients[row, d]
    return value


@compiled
def _first_step(clock, y, start):
    """Choose a first step in which the state changes by a hundredth; the error estimate corrects it."""
    n = len(y) // 2
    d0 = d1 = 0.0
    for i in range(n):
        scale_q, scale_v = clock[ATOL] + clock[RTOL] * abs(y[i]), clock[ATOL] + clock[RTOL] * abs(y[n + i])
        d0 += (y[i] / scale_q) ** 2 + (y[n + i] / scale_v) ** 2
        d1 += (y[n + i] / scale_q) ** 2 + (start[i] / scale_v) ** 2
    span = min(clock[END] - clock[T], clock[LARGEST])
    h = 0.01 * np.sqrt(d0 / d1) if d0 > 1e-10 and d1 > 1e-10 else 1e-6
    return min(max(h, 1e-8 * span), span)


@compiled
def advance(
    scheme, layout, pattern, room, address, size, clock, count, y, given, out, work, wanted, sampled, times, states,
    events, fixed, last_step, max_steps,
):  # fmt: skip
    """Take up to `max_steps` steps towards `clock[END]`; return a status.

    Arrays are as those of the explicit stepper. `last_step` holds the length of the last step, or zero.
    """
    n, s = size[N], size[S]
    if clock[T] >= clock[END]:
        return DONE
    if count[FIRST] == 0:
        if not _begin(address, size, count, clock[T], y, given, out, work, room.start):
            return NOT_FINITE
        if not fixed and clock[H] <= 0.0:
            clock[H] = _first_step(clock, y, room.start)
        count[FIRST] = 1
        last_step[0] = 0.0
        watch(address, n, clock[T], y, y[n:], given, out, work, events)
    rejected = False
    for _ in range(max_steps):
        if clock[T] >= clock[END]:
            return DONE
        if count[RECORDED] >= len(times):
            return FULL
        t, h = clock[T], min(clock[H], clock[LARGEST])
        last = t + h >= clock[END] - 1e-9 * h
        if last:
            h = clock[END] - t
        if h <= 1e-14 * max(abs(t), 1e-3 * clock[END]):
            return STEP_TOO_SMALL
        ratio = h / last_step[0] if last_step[0] > 0.0 else 0.0
        iterations = _solved_step(
            scheme, layout, pattern, address, size, count, clock, fixed, t, h, ratio, y, given, out, work, room
        )  # fmt: skip
        if iterations == 0:
            if fixed:
                return NOT_SOLVED
            clock[H] = 0.5 * h
            count[REJECTED] += 1
            rejected = True
            continue
        if not fixed:
            again = rejected or count[STEPS] == 0
            error = _error(
                scheme, layout, pattern, address, size, count, clock, t, h, y, given, out, work, room, again
            )  # fmt: skip
            factor = _SAFETY * (2 * _ITERATIONS + 1) / (2 * _ITERATIONS + iterations)
            if not error < 1.0:
                clock[H] = h * max(0.2, factor * error ** (-1.0 / scheme.order)) if np.isfinite(error) else 0.2 * h
                count[REJECTED] += 1
                rejected = True
                continue
            factor = 8.0 if error == 0.0 else min(8.0, max(0.2, factor * error ** (-1.0 / scheme.order)))
            if rejected:
                factor = min(1.0, factor)
            rejected = False
            if not last or factor < 1.0:
                clock[H] = h * factor
        new = room.new
        for i in range(2 * n):
            new[i] = room.raw[i]
        if s > 0 and not project(address, size, count, t + h, new, given, out, work):
            if fixed or h < 1e-9 * clock[END]:
                return NOT_PROJECTED
            clock[H] = 0.25 * h
            count[REJECTED] += 1
            continue
        while count[SAMPLED] < len(wanted) and wanted[count[SAMPLED]] <= t + h:
            at, sample = wanted[count[SAMPLED]], sampled[count[SAMPLED]]
            _between(scheme, (at - t) / h, h, y, room.raw, new, room.V, sample)
            if s > 0 and not project(address, size, count, at, sample, given, out, work):
                return NOT_PROJECTED
            count[SAMPLED] += 1
        for i in range(2 * n):
            y[i] = new[i]
            states[count[RECORDED], i] = new[i]
        clock[T] = clock[END] if last else t + h
        times[count[RECORDED]] = clock[T]
        count[RECORDED] += 1
        count[STEPS] += 1
        last_step[0] = h
        room.last_V[:], room.last_multipliers[:] = room.V, room.multipliers
        if not _begin(address, size, count, clock[T], y, given, out, work, room.start):
            return NOT_FINITE
        if watch(address, n, clock[T], y, y[n:], given, out, work, events):
            return EVENT
    return DONE if clock[T] >= clock[END] else RUNNING


@compiled
def interpolate(
    scheme, layout, pattern, room, address, size, clock, fixed, count, t, h, y, kept, given, out, work, thetas, into
):  # fmt: skip
    """Repeat one recorded step and evaluate it at parts θ of it; return whether that was possible."""
    if not _begin(address, size, count, t, y, given, out, work, room.start):
        return False
    if not _solved_step(
        scheme, layout, pattern, address, size, count, clock, fixed, t, h, 0.0, y, given, out, work, room
    ):  # fmt: skip
        return False
    for p in range(len(thetas)):
        _between(scheme, thetas[p], h, y, room.raw, kept, room.V, into[p])
    return True
