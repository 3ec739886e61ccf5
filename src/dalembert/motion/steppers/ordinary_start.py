"""An ordinary start: Newton's method for positions and then for velocities, and whether all is as it should be.

Ordinary is a start in which the equations hold already, or clearly determine what is solved for and are solved by whole
steps from the guess; of more equations than unknowns all must agree. It is `quick_solution` of `algebra/nearest.py`, of
which it has the same bits, as sums are taken one by one in the same order; and what `blocks/numeric.py`,
`survey/flat.py`, `forms/augment.py` and `survey/check.py` look for must clearly not be there. Whatever is in doubt is
left to them, who have the words for it.
"""

from __future__ import annotations

import numpy as np

from dalembert.algebra.nearest import ACCEPT, CLEAR, EXACT, NOTHING, ORDINARY, ROUNDED, ROUNDINGS, TINY
from dalembert.motion.steppers.compiled import compiled
from dalembert.motion.steppers.primitives import kernel

_NOISE = 20.0  # times what rounding may change: an entry that is there (`blocks/numeric.py` has 10)
_ASIDE = 1e-2  # where slopes are compared with those in a solution,
_STEEP = 0.03  # and the part of them that must be left (`survey/flat.py` has 0.02)
_LIGHT = -10.0  # logarithm of the part of inertia around that is not next to none (`forms/augment.py` has -13.8)
_ROUNDED = -60.0  # logarithm of the square of an entry, in the largest of its row, that is rounding (it has −55.3)
_MET = 1e-7  # part of c that accelerations may leave (`survey/check.py` has 1e-6)
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
        i = level.owner[k]
        value = 0.0 if level.zero[i] else out[level.begin + k]
        lines[_RESIDUAL, i] += value
        lines[_TERMS, i] += abs(value)
        fine = fine and np.isfinite(value)
    for k in range(A.shape[1]):
        i = level.place[A[0, k]]
        if i >= 0:
            value = 0.0 if A[2, k] else out[level.A + k]
            J[i, A[1, k]] = value
            fine = fine and np.isfinite(value)
    for k in range(len(level.asked)):
        i, value = level.rows + k, level.asked[k, n]
        lines[_RESIDUAL, i], lines[_TERMS, i] = value, abs(value)
        for j in range(n):
            J[i, j] = level.asked[k, j]
            value = J[i, j] * x[j]
            lines[_RESIDUAL, i] += value
            lines[_TERMS, i] += abs(value)
        fine = fine and np.isfinite(lines[_TERMS, i])
    return fine


@compiled
def _sizes(J, lines, rows, group, x):
    """Find the sizes of equations at x; tell whether all hold but for rounding."""
    n = len(x)
    for j in range(n):
        lines[_LARGEST, j] = 0.0
    for j in range(n):
        lines[_LARGEST, group[j]] = max(lines[_LARGEST, group[j]], abs(x[j]))
    holds = True
    for i in range(rows):
        here = around = 0.0
        for j in range(n):
            steep = abs(J[i, j])
            here += steep * abs(x[j])
            around += steep * lines[_LARGEST, group[j]]
        size = max(lines[_TERMS, i], ROUNDED / ACCEPT * here)
        size = max(size, NOTHING / ACCEPT * around)
        lines[_SIZE, i] = size if size > TINY else 1.0
        holds = holds and abs(lines[_RESIDUAL, i]) <= ROUNDINGS * max(lines[_SIZE, i], here)
    return holds


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
    count = len(free)
    wide = count + 1 + rows
    if not 0 < count <= rows:
        return False
    for i in range(rows):
        length = 0.0
        for j in range(count):
            T[i, j] = J[i, free[j]] / lines[_SIZE, i]
            length += T[i, j] * T[i, j]
        length = np.sqrt(length)
        if not length > 0.0:
            return False
        for j in range(count):
            T[i, j] /= length
        for j in range(rows):
            T[i, count + 1 + j] = 1.0 if i == j else 0.0
        T[i, count] = lines[_RESIDUAL, i] / lines[_SIZE, i] / length
    for k in range(count):
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
    for j in range(count + 1, wide):
        total = 0.0
        for i in range(count):
            total += abs(T[i, j])
        largest = max(largest, total)
    return 1.0 / (np.sqrt(count) * largest) > CLEAR


@compiled
def _solve(numbers, A, level, room, x):
    """Solve for the free components of x; return whether that was ordinary."""
    rows, free, lines = level.rows + len(level.asked), level.free, room.lines
    count = len(free)
    if level.rows == 0:
        return len(level.asked) == 0
    if not _evaluate(numbers, A, level, room, x):
        return False
    if _sizes(room.J, lines, rows, level.group, x):
        return True
    merit = _merit(lines, rows)
    for _ in range(ORDINARY):
        if merit <= EXACT * np.sqrt(rows):
            return True
        if not np.isfinite(merit) or not _step(room.J, room.T, lines, free, rows):
            return False
        for i in range(rows):
            lines[_BEFORE, i] = lines[_RESIDUAL, i]
        for j in range(count):
            lines[_KEPT, j] = x[free[j]]
            x[free[j]] -= room.T[j, count]
        there = _evaluate(numbers, A, level, room, x)
        better = _merit(lines, rows) if there else np.inf
        if not better < merit * (1.0 - 1e-12):
            fine = True
            for j in range(count):
                x[free[j]] = lines[_KEPT, j]
            for i in range(rows):
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
    """Sum up the terms of the equations of a level; of those that are nothing but rounding there is nothing to tell."""
    for i in range(level.rows):
        value[0, behind + i] = 1.0 if level.zero[i] else 0.0
    for k in range(level.terms):
        i = level.owner[k]
        value[0, behind + i] += 0.0 if level.zero[i] else out[level.begin + k]


@compiled
def _is_there(numbers, A, positions, velocities, room, parameters, states):
    """Tell whether no other entry of A, g and ψ is nothing but rounding, at some random states, slightly changed."""
    given, out, value = room.given, room.out, room.entries
    first, entries = len(given) - len(parameters), A.shape[1]
    count = entries + positions.rows + velocities.rows
    fine = True
    for turn in range(len(states)):
        for k in range(len(given)):
            given[k] = states[turn, k] * (1.0 if k < first else parameters[k - first])
        kernel(numbers, given, out, room.work)
        for k in range(entries):
            value[0, k] = 1.0 if A[2, k] else out[positions.A + k]
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
            for k in range(first):
                fine = fine and np.isfinite(out[k])
            for k in range(A.shape[1]):
                fine = fine and (A[2, k] or np.isfinite(out[first + k]))
            for i in range(s):
                fine = fine and (start.zero[i] or np.isfinite(out[first + A.shape[1] + i]))
            for j in range(n):
                lines[_BEFORE, j] += (out[diagonal[j]] if diagonal[j] >= 0 else 0.0) / places
            for k in range(A.shape[1]):
                value[0, k] += (-np.inf if A[2, k] else 2.0 * np.log(abs(out[first + k]))) / places
    for j in range(n):
        fine = fine and lines[_BEFORE, j] > 0.0
    for i in range(s):
        lines[_KEPT, i], lines[_OTHER, i] = -np.inf, np.inf
    for k in range(A.shape[1]):
        lines[_KEPT, A[0, k]] = max(lines[_KEPT, A[0, k]], value[0, k])
    for k in range(A.shape[1]):  # how much each coordinate gives way to the force of a constraint, and the least
        i = A[0, k]
        if value[0, k] > lines[_KEPT, i] + _ROUNDED:
            value[0, k] -= np.log(lines[_BEFORE, A[1, k]])
            lines[_OTHER, i] = min(lines[_OTHER, i], value[0, k])
        else:
            fine = fine and not np.isnan(value[0, k])
            value[0, k] = -np.inf
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
def _agrees(start, q, v):
    """Tell whether accelerations meet all constraints: of those that depend on each other, none contradicts."""
    room, A, n, s = start.room, start.A, len(q), start.s
    given, out, lines = room.given, room.out, room.lines
    for j in range(n):
        given[1 + j], given[1 + n + j] = q[j], v[j]
    kernel(start.accelerations, given, out, room.work)
    for j in range(n):
        room.x[j] = out[j]
    kernel(start.numbers, given, out, room.work)
    first = start.positions.A
    for i in range(s):
        lines[_KEPT, i] = 0.0 if start.zero[i] else out[first + A.shape[1] + i]
        lines[_RESIDUAL, i], lines[_TERMS, i] = -lines[_KEPT, i], 0.0
    for k in range(A.shape[1]):
        i, value = A[0, k], 0.0 if A[2, k] else out[first + k]
        lines[_RESIDUAL, i] += value * room.x[A[1, k]]
        lines[_TERMS, i] += value * value
    left = most = 0.0
    for i in range(s):
        length = np.sqrt(lines[_TERMS, i])
        if not length > 0.0 or not np.isfinite(lines[_RESIDUAL, i]):
            return False
        left = max(left, abs(lines[_RESIDUAL, i]) / length)
        most = max(most, abs(lines[_KEPT, i]) / length)
    return left <= _MET * (most if most > 0.0 else 1.0)


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
    if not _solve(numbers, A, velocities, room, v) or not _is_steep(numbers, A, velocities, room, directions, units, v):
        return False
    return _agrees(start, q, v)
