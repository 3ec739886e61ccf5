"""Where something passes zero, found with few calls, each for many places: a call costs as much for one as for some."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dalembert.arrays import Array

_NODES = (1 - np.cos(np.linspace(0.0, np.pi, 10)[1:-1])) / 2  # inside an interval, closer at its ends
_ROUNDS = 60
_NEAR = 1e-6  # of an interval, on either side of where a polynomial passes zero
_FOUND = 1e-15


def zero_between(values: Callable[[Array], Array], a: float, b: float, at_a: float, at_b: float) -> float:
    """Return where a function passes zero between two places at which it has values of different signs.

    What is smooth is nearly the polynomial through some values; else the interval becomes shorter by a few times.
    """
    aim = None
    for _ in range(_ROUNDS):
        if b - a <= _FOUND * max(abs(a), abs(b), _FOUND):
            break
        width = _NEAR * (b - a)
        inner = a + (b - a) * _NODES if aim is None else np.array([aim - width, aim, aim + width])
        inner = inner[(inner > a) & (inner < b)]
        if not len(inner):
            break
        x, y = np.concatenate([[a], inner, [b]]), np.concatenate([[at_a], values(inner), [at_b]])
        if not np.all(np.isfinite(y)):
            x, y = np.array([a, (a + b) / 2, b]), np.array([at_a, float(values(np.array([(a + b) / 2]))[0]), at_b])
        exact = np.flatnonzero(y == 0.0)
        if len(exact):
            return float(x[exact[0]])
        k = int(np.flatnonzero(np.sign(y[1:]) != np.sign(at_a))[0])
        closer = x[k + 1] - x[k] <= 3 * width
        a, b, at_a, at_b = float(x[k]), float(x[k + 1]), float(y[k]), float(y[k + 1])
        aim = _interpolated(x, y, a, b) if aim is None or closer else None
    return (a * at_b - b * at_a) / (at_b - at_a) if at_a != at_b else a


def _interpolated(x: Array, y: Array, a: float, b: float) -> float:
    """Return where x is, as a polynomial of the values next to zero; in the middle if that lies outside."""
    order = np.argsort(np.abs(y))[:5]
    xs, ys = x[order], y[order]
    with np.errstate(all="ignore"):
        found = 0.0
        for i in range(len(xs)):
            others = np.delete(ys, i)
            found += xs[i] * float(np.prod(-others / (ys[i] - others)))
    return found if np.isfinite(found) and a < found < b else (a + b) / 2
