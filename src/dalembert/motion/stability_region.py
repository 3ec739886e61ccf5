"""For which gains a method lets residuals shrink: the region |R(z)| < 1 of its stability function, z = τκ.

On positions z is both of −ατ ± √((ατ)² − (βτ)²), the eigenvalues of τK with K = [[0, 1], [−β², −2α]].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dalembert.arrays import Array
from dalembert.motion.tableau import Tableau

_REAL = 1e-7  # imaginary part of a root, in its size, that is rounding


@dataclass(frozen=True)
class StabilityRegion:
    """The region of a method, for gains that are used in every stage."""

    method: Tableau

    def radius(self, z: Array) -> Array:
        """Return |R(z)|, by which an error is multiplied in a step."""
        return np.abs(np.polynomial.polynomial.polyval(np.asarray(z, dtype=complex), self.method.polynomial))

    def position_radius(self, a: Array, b: Array) -> Array:
        """Return the larger |R(z)| on positions, with a = ατ and b = βτ."""
        root = np.sqrt(np.asarray(a, dtype=complex) ** 2 - np.asarray(b, dtype=complex) ** 2)
        return np.maximum(self.radius(-a + root), self.radius(-a - root))

    def reach(self, directions: Iterable[complex]) -> float:
        """Return how far one can go along all directions at once: |R(rz)| < 1 for 0 < r < this; zero if not at all."""
        return min((self._reach(complex(z)) for z in directions), default=np.inf)

    def _reach(self, z: complex) -> float:
        if z == 0:
            return 0.0
        scale = abs(z)
        c = self.method.polynomial * (z / scale) ** np.arange(len(self.method.polynomial))
        squared = np.real(np.convolve(c, np.conj(c)))  # |R(rz)|² as a polynomial of r
        squared[0] -= 1.0
        while len(squared) > 1 and abs(squared[-1]) <= 1e-300:
            squared = squared[:-1]
        roots = np.polynomial.polynomial.polyroots(squared[1:])  # without the one at zero
        real = np.sort(np.real(roots[(np.abs(np.imag(roots)) <= _REAL * np.abs(roots)) & (np.real(roots) > 0)]))
        places = np.concatenate([[0.0], real, [2 * real[-1] + 1.0 if real.size else 1.0]])
        middles = (places[:-1] + places[1:]) / 2
        unstable = self.radius(middles * z / scale) >= 1.0
        first = int(np.argmax(unstable)) if np.any(unstable) else len(places) - 1
        return float(places[first]) / scale

    @property
    def interval(self) -> float:
        """The length of the interval of real gains: −interval < τκ < 0."""
        return self.reach([-1.0])

    @property
    def best(self) -> tuple[float, float]:
        """τκ at which |R| is smallest on this interval, and |R| there."""
        R = np.polynomial.Polynomial(self.method.polynomial)
        roots = np.concatenate([np.asarray(R.deriv().roots()), np.asarray(R.roots())])
        inside = np.real(roots[(np.abs(np.imag(roots)) <= _REAL * np.maximum(np.abs(roots), 1e-9))])
        inside = inside[(inside < 0) & (inside > -self.interval)]
        if not inside.size:
            return 0.0, 1.0
        k = int(np.argmin(self.radius(inside)))
        radius = float(self.radius(inside)[k])
        return float(inside[k]), radius if radius > 1e-10 else 0.0  # at a root
