"""The past of a motion by Gear's method: backward differences of its states, of order 0 to 7; see `gear.py`."""

from __future__ import annotations

from dalembert.motion.steppers.compiled import compiled

HIGHEST = 5  # order


@compiled
def _spread(factor, room):
    """Fill in the matrix that turns differences into values at distances of `factor` steps, or back if it is one."""
    R = room.values
    for j in range(HIGHEST + 1):
        R[0, j] = 1.0
        for i in range(1, HIGHEST + 1):
            R[i, j] = R[i - 1, j] * (i - 1 - factor * j) / i


@compiled
def respace(order, factor, room):
    """Change the distance of the differences."""
    D, mixed, R = room.D, room.mixed, room.values
    for ratio in (factor, 1.0):
        _spread(ratio, room)
        for j in range(order + 1):
            for i in range(D.shape[1]):
                mixed[j, i] = 0.0
                for k in range(order + 1):
                    mixed[j, i] += R[k, j] * D[k, i]
        for j in range(order + 1):
            for i in range(D.shape[1]):
                D[j, i] = mixed[j, i]
    room.spacing[0] *= factor


@compiled
def afresh(h, y, room):
    """Begin with order 1, from a state and its rates alone."""
    D, n = room.D, len(y) // 2
    for j in range(len(D)):
        for i in range(D.shape[1]):
            D[j, i] = 0.0
    for i in range(D.shape[1] - 2 * n):
        D[0, 2 * n + i] = room.start[n + i]
    for i in range(n):
        D[0, i], D[0, n + i] = y[i], y[n + i]
        D[1, i], D[1, n + i] = h * y[n + i], h * room.start[i]
    room.history.order, room.history.equal = 1, 0
    room.spacing[0] = h


@compiled
def predict(order, coefficients, room):
    """Find y⁰ and ψ."""
    D = room.D
    for i in range(D.shape[1]):
        room.predicted[i] = D[0, i]
        room.psi[i] = 0.0
        for j in range(1, order + 1):
            room.predicted[i] += D[j, i]
            room.psi[i] += coefficients.gamma[j] * D[j, i] / coefficients.alpha[order]


@compiled
def take(order, room):
    """Let a new state and its λ enter the differences."""
    D, n = room.D, len(room.new) // 2
    for i in range(D.shape[1]):
        new = room.new[i] if i < 2 * n else room.start[i - n]
        d = new - room.predicted[i]
        D[order + 2, i] = d - D[order + 1, i]
        D[order + 1, i] = d
        for j in range(order, -1, -1):
            D[j, i] += D[j + 1, i]
        D[0, i] = new
