"""Where an expression switches, or is narrow, along a motion: between its samples nothing of a pulse may be seen.

What passes zero there (`motion/switches.py`) is smooth between the switches inside it, and is followed as polynomials,
however narrow the pulse is: |x − 1| < 1e-6 switches where x − 1 does, and then where |x − 1| − 1e-6 does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.polynomial import chebyshev

from dalembert.arrays import Array
from dalembert.language.building import Expr
from dalembert.language.calculus import SWITCHING
from dalembert.motion.switches import found
from dalembert.results.profile import Profile, profile

_MOST = 400  # expressions that are followed
_TOUCHING = 1e-6  # of its range: from where on an extreme may be a zero
_PIECES = 2000  # in which zeros are looked for


def switching_in(expr: Expr) -> list[Expr]:
    """Return what passes zero where an expression switches, or is sharp, those inside others first."""
    given = found([expr])
    if given is None:
        return []
    every = [e for kind in given for e in kind if e.free_symbols]
    return sorted(dict.fromkeys(every), key=lambda e: len(e.atoms(*SWITCHING)))


def cut(times: Array, switching: Sequence[Callable[[Array], Array]]) -> tuple[Array, float]:
    """Return times with those at which functions of time pass zero, or come near it, and what of them was missed."""
    missed = 0.0 if len(switching) <= _MOST else 1.0
    for function in switching[:_MOST]:
        along = profile(function, times)
        found, left_out = _zeros(along)
        missed = max(missed, along.missed, float(left_out))
        times = np.unique(np.concatenate([times, *found]))
    return times, missed


def _zeros(along: Profile) -> tuple[list[Array], bool]:
    """Return the times of zeros, and of extremes that are next to zero, of each piece; whether some are left out."""
    c = along.coefficients
    size, other = np.abs(c).max(axis=1, initial=0.0), np.abs(c[:, 1:]).sum(axis=1)
    near = np.flatnonzero((np.abs(c[:, 0]) <= other * (1 + _TOUCHING) + _TOUCHING * size) & (other > 0))
    found = []
    for k in near[np.argsort(-other[near], kind="stable")][:_PIECES]:
        x = np.concatenate([_roots(c[k]), _roots(chebyshev.chebder(c[k]))])
        found.append((along.begin[k] + along.end[k]) / 2 + x * (along.end[k] - along.begin[k]) / 2)
    return found, len(near) > _PIECES


def _roots(coefficients: Array) -> Array:
    """Return the real zeros of a polynomial between −1 and 1, double ones too."""
    size = np.abs(coefficients).max()
    kept = np.trim_zeros(np.where(np.abs(coefficients) > 1e-14 * size, coefficients, 0.0), "b")
    roots = chebyshev.chebroots(kept) if len(kept) > 1 else np.zeros(0)
    return np.real(roots[(np.abs(np.imag(roots)) < 1e-3) & (np.abs(np.real(roots)) <= 1)])
