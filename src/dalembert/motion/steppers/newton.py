"""Newton's method for the stages of implicit collocation methods with three stages, and the matrix of all such methods.

The stages Vᵢ, Qᵢ = q₀ + h Σ aᵢⱼ Vⱼ and their λᵢ satisfy F = M V̇ − f − Aᵀλ = 0 and the constraints on velocities (index
2); positions are projected behind the step, which keeps the order (Hairer, Wanner, *Solving Ordinary Differential
Equations II*, section VII.4). Newton's steps are taken in the eigenbasis of the method, where they fall into one real
and one complex system, z = μ/h,

    [[z M + F_v + F_q/z, −Aᵀ], [C_v + C_q/z, E]]  (δV, δλ) = −(F, C + E (λ − λ₀)),

solved by sparse elimination. E is a small part of the diagonal that elimination gives a multiplier: where rows depend
on each other, or are about to, it ties λ to its extrapolation λ₀; elsewhere it does nothing that could be seen. Rows of
constraints on accelerations are C = A a − c, with z A added. Where M is singular, multiples of constraints are added to
its rows.

Constraints that repeat each other at all states that they allow contradict each other beside them, where the stages
lie: the rows of A W⁻¹Aᵀ depend on each other, those of C W⁻¹Aᵀ do not, by some h v. So rows that depend on others at
the start of a step are left out of it, with their λ as guessed; the projection behind the step knows them all.
"""

from __future__ import annotations

import numpy as np

from dalembert.motion import codes
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.primitives import kernel, project, watch
from dalembert.motion.steppers.sparse import CHOSEN, GIVEN, LEAVING, factorise, solve

ITERATIONS, PATIENCE = 10, 60  # with a step that can be changed and with a fixed one
_ROUNDED = 1e-14  # part of the largest velocity, in units, below which corrections do not matter
_SINGULAR = 1e-12  # conditioning, the square of singular values, below which nothing more is allowed for it
_CONVERGED = 1e-3  # part of the tolerance
CLEAR = 1e-3  # conditioning above which no row depends on others


@compiled
def power(z, exponent):
    """Return a small whole power by products; that of a complex number would be called in numba's own library."""
    result = 0.0 * z + 1.0
    for _ in range(abs(exponent)):
        result *= z
    return result if exponent >= 0 else 1.0 / result


@compiled
def assemble(matrix, jacobian, z, values, inverse, row, E, how):
    """Fill in a matrix for one z and factorise it."""
    layout, pattern = matrix
    values[:] = 0.0
    for e in range(len(layout.source)):
        values[layout.place[e]] += layout.factor[e] * power(z, layout.power[e]) * jacobian[layout.source[e]]
    for e in range(len(layout.added)):
        entry = layout.added[e]
        product = jacobian[entry[2]] * jacobian[entry[3]]
        values[entry[4]] += layout.rho[e] * product * power(z, entry[5] + 1)
    factorise(pattern, values, inverse, row, E, how)


@compiled
def solved(matrix, jacobian, n, z, values, inverse, right, x):
    """Solve with one of the matrices; what was added to its rows is added to the right side."""
    layout, pattern = matrix
    last = -1
    for e in range(len(layout.added)):
        i, j, of_A = layout.added[e, 0], layout.added[e, 1], layout.added[e, 2]
        if of_A != last:  # once for each entry of A
            right[j] += layout.rho[e] * z * jacobian[of_A] * right[n + i]
            last = of_A
    solve(pattern, values, inverse, right, x)


@compiled
def begin(tools, t, y, start):
    """Evaluate accelerations, multipliers and the conditioning at a state; return whether they are there."""
    n, s, count, given, out = tools.size.n, tools.size.s, tools.counts, tools.given, tools.out
    given[0] = t
    for i in range(2 * n):
        given[1 + i] = y[i]
    count.evaluations += 1
    kernel(tools.address.rate, given, out, tools.work)
    if not out[n + s + 2] > 0.0:
        count.bad = codes.SINGULAR_MASS
        return False
    for i in range(n + s):
        start[i] = out[i]
        if not np.isfinite(out[i]):
            count.bad = n + i if i < n else -1
            return False
    start[n + s] = out[n + s + 1]
    return True


@compiled
def onto_constraints(tools, t, y):
    """Move a state onto the constraints, if there are any; return whether that was possible."""
    if tools.size.s == 0:
        return True
    return project(tools.address, tools.size, tools.counts, t, y, tools.given, tools.out, tools.work)


@compiled
def watch_state(tools, t, y, events):
    """Evaluate what is watched for at a new state; return whether something passed zero."""
    n = tools.size.n
    return watch(tools.address, n, t, y, y[n:], tools.given, tools.out, tools.work, events)


@compiled
def linearise(matrix, tools, z, t, y, room):
    """Evaluate the Jacobians at the start of a step, leave out rows that depend on others, factorise for a real z."""
    n, s, given, out, parts = tools.size.n, tools.size.s, tools.given, tools.out, matrix.layout.parts
    behind = len(given) - n - s
    given[0] = t
    for i in range(2 * n):
        given[1 + i] = y[i]
    for i in range(n + s):
        given[behind + i] = room.start[i]
    kernel(tools.address.jacobian, given, out, tools.work)
    for i in range(n + s):
        room.E[i] = 0.0
    if not room.start[n + s] > CLEAR:
        for e in range(len(room.jacobian)):
            room.jacobian[e] = out[e]
        for part in range(2):  # without F_q and C_q
            for e in range(parts[part, 0], parts[part, 1]):
                room.jacobian[e] = 0.0
        assemble(matrix, room.jacobian, z, room.real, room.real_inverse, room.real_row, room.E, LEAVING)
    for e in range(len(room.jacobian)):
        room.jacobian[e] = out[e]
    assemble(matrix, room.jacobian, z, room.real, room.real_inverse, room.real_row, room.E, CHOSEN)


@compiled
def prepare(scheme, matrix, tools, t, h, y, room):
    """Factorise both matrices of a step."""
    linearise(matrix, tools, scheme.real / h, t, y, room)
    z = scheme.complex / h
    assemble(matrix, room.jacobian, z, room.complex, room.complex_inverse, room.complex_row, room.E, GIVEN)


@compiled
def residuals(scheme, tools, t, h, y, room):
    """Evaluate −F and −C at all stages; return whether they are finite."""
    n, s, given, out = tools.size.n, tools.size.s, tools.given, tools.out
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
        kernel(tools.address.balance, given, out, tools.work)
        tools.counts.evaluations += 1
        for i in range(n + s):
            if not np.isfinite(out[i]):
                return False
            room.residuals[k, i] = -out[i]
        for i in range(s):
            room.residuals[k, n + i] -= max(room.E[n + i], 0.0) * (room.multipliers[k, i] - room.guess[k, i])
    return True


@compiled
def rounding(size, conditioning):
    """Return the part of the largest velocity that corrections of velocities can be by rounding alone."""
    return _ROUNDED / np.sqrt(min(1.0, max(conditioning, _SINGULAR))) if size.s > 0 else _ROUNDED


@compiled
def iterate(scheme, matrix, tools, clock, limit, t, h, y, room):
    """Solve for the stages from what is in V; return the number of iterations, or 0 if they do not converge.

    No more than two iterations are not judged. Near a singular position a rounding of ψ moves velocities by a multiple
    of it, the inverse of the least singular value of A: that is where corrections end.
    """
    n, s, units = tools.size.n, tools.size.s, tools.size.units
    rounded = rounding(tools.size, room.start[n + s])
    real, complex_ = scheme.real / h, scheme.complex / h
    target = max(10 * 2.2e-16 / clock.rtol, _CONVERGED)
    earlier = before = 0.0
    for iteration in range(1, limit + 1):
        if not residuals(scheme, tools, t, h, y, room):
            return 0
        back, R = scheme.back, room.residuals
        for i in range(n + s):
            room.right[i] = back[0, 0] * R[0, i] + back[0, 1] * R[1, i] + back[0, 2] * R[2, i]
            re = back[1, 0] * R[0, i] + back[1, 1] * R[1, i] + back[1, 2] * R[2, i]
            im = back[2, 0] * R[0, i] + back[2, 1] * R[1, i] + back[2, 2] * R[2, i]
            room.right_complex[i] = complex(re, im)
        solved(matrix, room.jacobian, n, real, room.real, room.real_inverse, room.right, room.step)
        solved(
            matrix, room.jacobian, n, complex_, room.complex, room.complex_inverse, room.right_complex,
            room.step_complex,
        )  # fmt: skip
        total = largest = extent = 0.0
        for k in range(3):
            b0, b1, b2 = scheme.basis[k, 0], scheme.basis[k, 1], scheme.basis[k, 2]
            for i in range(n + s):
                change = b0 * room.step[i] + b1 * room.step_complex[i].real + b2 * room.step_complex[i].imag
                if i < n:
                    room.V[1 + k, i] += change
                    room.rates[k, i] = change
                    unit = units[n + i] if units[n + i] > 0.0 else abs(room.V[1 + k, i])
                    if unit > 0.0:
                        largest, extent = max(largest, abs(change) / unit), max(extent, abs(room.V[1 + k, i]) / unit)
                else:
                    room.multipliers[k, i - n] += change
        for k in range(3):
            for i in range(n):
                moved = 0.0
                for j in range(3):
                    moved += h * scheme.a[k, j] * room.rates[j, i]
                total += (room.rates[k, i] / (clock.atol + clock.rtol * abs(y[n + i]))) ** 2
                total += (moved / (clock.atol + clock.rtol * abs(y[i]))) ** 2
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
                theta < 1.0 and limit == ITERATIONS and theta ** (limit - iteration) / (1.0 - theta) * now > target
            ):
                return iteration if largest < rounded * extent else 0
        elif (iteration == 1 and now < 0.1 * target) or (iteration == 2 and before + now < target):
            return iteration
        earlier, before = before, now
    return limit if limit <= 2 else 0
