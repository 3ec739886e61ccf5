"""An ordinary start: Newton's method for positions and then for velocities, and whether all is as it should be.

Ordinary is a start in which as many equations as unknowns are solved by whole steps from the guess, all rows clearly
independent. It is `quick_solution` of `algebra/nearest.py` with the same bits, for which sums are taken one by one in
the same order; and what `blocks/numeric.py`, `survey/flat.py` and `forms/augment.py` look for must clearly not be
there. Whatever is in doubt is left to them, who have the words for it.
"""

from __future__ import annotations

import numpy as np

from dalembert.algebra.nearest import ACCEPT, CLEAR, EXACT, NOTHING, ORDINARY, ROUNDED, TINY
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.primitives import kernel

_NOISE = 20.0  # times what rounding may change: an entry that is there (`blocks/numeric.py` has 10)
_ASIDE = 1e-2  # where slopes are compared with those in a solution,
_STEEP = 0.03  # and the part of them that must be left (`survey/flat.py` has 0.02)
_LIGHT = -10.0  # logarithm of the part of inertia around that is not next to none (`forms/augment.py` has -13.8)
_RESIDUAL, _TERMS, _SIZE, _BEFORE, _KEPT, _LARGEST, _OTHER = range(7)  # rows of `room.lines`


@compiled
def _evaluate(numbers, A, level, room, x):
    """Evaluate the equations of a level at x: J, residuals, terms; return whether all has a value."""
    given, out, J, lines = room.given, room.out, room.J, room.lines
    n = len(x)
    for j in range(n):
        given[level.first + j] = x[j]
    kernel(numbers, given, out, room.work)
    for i in range(level.rows):
        lines[_RESIDUAL, i] = lines[_TERMS, i] = 0.0
        for j in range(n):
            J[i, j] = 0.0
    fine = True
    for k in range(level.terms):
        value, i = out[level.begin + k], level.owner[k]
        lines[_RESIDUAL, i] += value
        lines[_TERMS, i] += abs(value)
        fine = fine and np.isfinite(value)
    for k in range(A.shape[1]):
        i = level.place[A[0, k]]
        if i >= 0:
            value = out[level.A + k]
            J[i, A[1, k]] = value
            fine = fine and np.isfinite(value)
    return fine


@compiled
def _sizes(J, lines, rows, group, x):
    """Find the sizes of equations at x."""
    n = len(x)
    for j in range(n):
        lines[_LARGEST, j] = 0.0
    for j in range(n):
        lines[_LARGEST, group[j]] = max(lines[_LARGEST, group[j]], abs(x[j]))
    for i in range(rows):
        here = around = 0.0
        for j in range(n):
            steep = abs(J[i, j])
            here += steep * abs(x[j])
            around += steep * lines[_LARGEST, group[j]]
        size = max(lines[_TERMS, i], ROUNDED / ACCEPT * here)
        size = max(size, NOTHING / ACCEPT * around)
        lines[_SIZE, i] = size if size > TINY else 1.0


@compiled
def _merit(lines, rows):
    total = 0.0
    for i in range(rows):
        part = lines[_RESIDUAL, i] / lines[_SIZE, i]
        total += part * part
    return np.sqrt(total)


@compiled
def _step(J, T, lines, free, rows):
    """Solve for Newton's step by Gauss and Jordan, into the column behind the matrix; return whether it is clear."""
    wide = 2 * rows + 1
    for i in range(rows):
        length = 0.0
        for j in range(rows):
            T[i, j] = J[i, free[j]] / lines[_SIZE, i]
            length += T[i, j] * T[i, j]
        length = np.sqrt(length)
        if not length > 0.0:
            return False
        for j in range(rows):
            T[i, j] /= length
            T[i, rows + 1 + j] = 1.0 if i == j else 0.0
        T[i, rows] = lines[_RESIDUAL, i] / lines[_SIZE, i] / length
    for k in range(rows):
        p = k
        for i in range(k + 1, rows):
            if abs(T[i, k]) > abs(T[p, k]):
                p = i
        pivot = T[p, k]
        if not abs(pivot) > 0.0:
            return False
        for j in range(wide):
            other = T[k, j]
            T[k, j] = T[p, j] / pivot
            if p != k:
                T[p, j] = other
        for i in range(rows):
            factor = T[i, k]
            if i != k and factor != 0.0:
                for j in range(k, wide):
                    T[i, j] -= factor * T[k, j]
    largest = 0.0
    for j in range(rows + 1, wide):
        total = 0.0
        for i in range(rows):
            total += abs(T[i, j])
        largest = max(largest, total)
    return 1.0 / (np.sqrt(rows) * largest) > CLEAR


@compiled
def _solve(numbers, A, level, room, x):
    """Solve for the free components of x; return whether that was ordinary."""
    rows, free, lines = level.rows, level.free, room.lines
    if rows == 0:
        return True
    if not _evaluate(numbers, A, level, room, x):
        return False
    _sizes(room.J, lines, rows, level.group, x)
    merit = _merit(lines, rows)
    for _ in range(ORDINARY):
        if merit <= EXACT * np.sqrt(rows):
            return True
        if not np.isfinite(merit) or not _step(room.J, room.T, lines, free, rows):
            return False
        for i in range(rows):
            lines[_BEFORE, i] = lines[_RESIDUAL, i]
            lines[_KEPT, i] = x[free[i]]
            x[free[i]] -= room.T[i, rows]
        there = _evaluate(numbers, A, level, room, x)
        better = _merit(lines, rows) if there else np.inf
        if not better < merit * (1.0 - 1e-12):
            fine = True
            for i in range(rows):
                x[free[i]] = lines[_KEPT, i]
                fine = fine and abs(lines[_BEFORE, i]) <= ACCEPT * lines[_SIZE, i]
            return fine
        merit = better
    return False


@compiled
def _slopes(J, lines, rows, n, into):
    """Keep the largest squares of slopes so far, in the extents of the coordinates."""
    for i in range(rows):
        total = 0.0
        for j in range(n):
            total += (J[i, j] * lines[_LARGEST, j]) ** 2
        lines[into, i] = max(lines[into, i], total)


@compiled
def _is_steep(numbers, A, level, room, directions, units, x):
    """Tell whether the constraints that must have slopes where they hold clearly do."""
    n, rows, lines, aside = len(x), level.rows, room.lines, room.x
    if rows == 0:
        return True
    for j in range(n):
        known = units[j] if level.first == 1 else 0.0
        least = 1.0 + abs(x[j]) if level.first > 1 else max(1.0, abs(x[j]))
        lines[_LARGEST, j] = known if known > 0.0 else least
    for i in range(rows):
        lines[_BEFORE, i] = lines[_OTHER, i] = 0.0
    if not _evaluate(numbers, A, level, room, x):
        return False
    _slopes(room.J, lines, rows, n, _BEFORE)
    for direction in range(2):
        for j in range(n):
            aside[j] = x[j] + _ASIDE * lines[_LARGEST, j] * directions[direction, j]
        if not _evaluate(numbers, A, level, room, aside):
            return False
        _slopes(room.J, lines, rows, n, _OTHER)
    fine = True
    for i in range(rows):
        fine = fine and (level.steep[i] == 0 or lines[_BEFORE, i] > _STEEP * _STEEP * lines[_OTHER, i])
    return fine


@compiled
def _sums(level, out, value, behind):
    """Sum up the terms of the equations of a level."""
    for i in range(level.rows):
        value[0, behind + i] = 0.0
    for k in range(level.terms):
        value[0, behind + level.owner[k]] += out[level.begin + k]


@compiled
def _is_there(numbers, A, positions, velocities, room, parameters, states):
    """Tell whether no entry of A, g and ψ is nothing but rounding, at some random states, slightly changed."""
    given, out, value = room.given, room.out, room.entries
    first, entries = len(given) - len(parameters), A.shape[1]
    count = entries + positions.rows + velocities.rows
    fine = True
    for turn in range(len(states)):
        for k in range(len(given)):
            given[k] = states[turn, k] * (1.0 if k < first else parameters[k - first])
        kernel(numbers, given, out, room.work)
        for k in range(entries):
            value[0, k] = out[positions.A + k]
        _sums(positions, out, value, entries)
        _sums(velocities, out, value, entries + positions.rows)
        for k in range(count):
            value[1, k] = value[0, k] if turn == 0 else min(value[0, k], value[1, k])
            value[2, k] = value[0, k] if turn == 0 else max(value[0, k], value[2, k])
            fine = fine and np.isfinite(value[0, k])
    for k in range(count):
        low, high = value[1, k], value[2, k]
        fine = fine and max(high, -low) > _NOISE * (high - low)
    return fine


@compiled
def _scatter(A, lines, units, s, x):
    """Find how far coordinates go: in large units as far as those that share a constraint with them."""
    for i in range(s):
        lines[_OTHER, i] = 1.0
    for k in range(A.shape[1]):
        lines[_OTHER, A[0, k]] = max(lines[_OTHER, A[0, k]], abs(x[A[1, k]]))
    for j in range(len(x)):
        lines[_LARGEST, j] = 1.0
    for k in range(A.shape[1]):
        lines[_LARGEST, A[1, k]] = max(lines[_LARGEST, A[1, k]], lines[_OTHER, A[0, k]])
    for j in range(len(x)):
        if units[j] > 0.0:
            lines[_LARGEST, j] = min(lines[_LARGEST, j], max(units[j], 1.0))


@compiled
def _is_heavy(start, x):
    """Tell whether there is clearly inertia along every coordinate around a position, and M is positive there."""
    room, A, diagonal, scattered = start.room, start.A, start.diagonal, start.scattered
    given, out, lines, value = room.given, room.out, room.lines, room.entries
    n, s, places, first, fine = len(x), start.s, start.places, start.positions.A, True
    _scatter(A, lines, start.units, s, x)
    for j in range(n):
        lines[_BEFORE, j] = 0.0  # inertia
    for k in range(A.shape[1]):
        value[0, k] = 0.0  # logarithms of entries
    for k in range(len(start.parameters)):
        given[1 + 2 * n + k] = start.parameters[k]
    for turn in range(len(scattered)):
        given[0] = scattered[turn, 0]
        for j in range(n):
            given[1 + j] = x[j] + lines[_LARGEST, j] * scattered[turn, 1 + j]
            given[1 + n + j] = scattered[turn, 1 + n + j]
        kernel(start.accelerations, given, out, room.work)
        for k in range(n + s + 3):
            fine = fine and np.isfinite(out[k])
        fine = fine and out[n + s + 2] > 0.0
        if turn < places:
            kernel(start.numbers, given, out, room.work)
            for k in range(first + A.shape[1] + s):
                fine = fine and np.isfinite(out[k])
            for j in range(n):
                lines[_BEFORE, j] += (out[diagonal[j]] if diagonal[j] >= 0 else 0.0) / places
            for k in range(A.shape[1]):
                value[0, k] += 2.0 * np.log(abs(out[first + k])) / places
    for j in range(n):
        fine = fine and lines[_BEFORE, j] > 0.0
    for i in range(s):
        lines[_OTHER, i] = np.inf
    for k in range(A.shape[1]):  # how much each coordinate gives way to the force of a constraint, and the least
        value[0, k] -= np.log(lines[_BEFORE, A[1, k]])
        fine = fine and np.isfinite(value[0, k])
        lines[_OTHER, A[0, k]] = min(lines[_OTHER, A[0, k]], value[0, k])
    for k in range(A.shape[1]):
        fine = fine and value[0, k] + _LIGHT < lines[_OTHER, A[0, k]]
    return fine


@compiled
def _has_inertia(numbers, room, first, q):
    """Go to a position, and tell whether M has values there."""
    fine = True
    for j in range(len(q)):
        room.given[1 + j] = q[j]
    kernel(numbers, room.given, room.out, room.work)
    for k in range(first - len(q)):
        fine = fine and np.isfinite(room.out[k])
    return fine


@compiled
def ordinary(start, t, q, v):
    """Find the start from a guess q and v, in which fixed values stand; return whether all of it is ordinary."""
    numbers, A, room, parameters, n = start.numbers, start.A, start.room, start.parameters, len(q)
    positions, velocities, directions, units = start.positions, start.velocities, start.directions, start.units
    if not _is_heavy(start, q):
        return False
    if not _is_there(numbers, A, positions, velocities, room, parameters, start.states):
        return False
    room.given[0] = t
    for k in range(len(room.given) - 1):
        room.given[1 + k] = 0.0 if k < 2 * n else parameters[k - 2 * n]
    if not _has_inertia(numbers, room, positions.A, q):
        return False
    if not _solve(numbers, A, positions, room, q) or not _is_steep(numbers, A, positions, room, directions, units, q):
        return False
    if not _has_inertia(numbers, room, positions.A, q):
        return False
    return _solve(numbers, A, velocities, room, v) and _is_steep(numbers, A, velocities, room, directions, units, v)
