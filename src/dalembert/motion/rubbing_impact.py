"""Impacts with friction: what normal and tangential impulses are possible, found by trying all patterns.

Each contact is left or pressed, and sticks or slides to one side or the other, with ξ = γ⁺ + e γ⁻ in both directions:

    0 ≤ ξ_N ⊥ Λ_N − Λ₀ ≥ 0,    Λ_T = −μ Λ_N sign ξ_T, or |Λ_T| ≤ μ Λ_N where ξ_T = 0

Λ₀ is 0, or in the expansion by Poisson's law e times the impulse of the compression. There may be several solutions,
or none.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from dalembert.arrays import Array
from dalembert.model.contact import POISSON

MOST = 6  # contacts at once of which all patterns are tried
_INSIDE = 1e-9  # of the terms: beside zero
_SAME = 1e-8  # of what an impulse of that energy would do: what other impulses may differ by and be the same
_ROUNDING = 1e-12  # of the largest impulse
_STICK, _LOOSE = 0, 2  # instead of a side: what is held, and what nothing presses


class RubbingBlow:
    """Impulses of k contacts. G: 2k × 2k, how rates of gaps and sliding velocities answer; mu: by contact."""

    def __init__(self, G: Array, mu: Array, law: str):
        self.G, self.mu, self.law, self.k = G, mu, law, len(mu)

    def impulses(self, speeds: Array, slips: Array, restitution: Array, tangential: Array) -> list[Array]:
        """Return all impulses that are possible, (Λ_N, Λ_T); speeds and slips are those before."""
        none = np.zeros(self.k)
        if self.law != POISSON:
            return self._solutions((1 + restitution) * speeds, (1 + tangential) * slips, none)
        found: list[Array] = []
        for pressed in self._solutions(speeds, slips, none):
            change = self.G @ pressed
            after = speeds + change[: self.k], slips + change[self.k :]
            found += [pressed + more for more in self._solutions(*after, restitution * pressed[: self.k])]
        return self._apart(found)

    def _solutions(self, b_n: Array, b_t: Array, least: Array) -> list[Array]:
        sides = [(_STICK, 1, -1) if mu > 0 else (1,) for mu in self.mu]
        options = [
            [*((True, side) for side in own), *((False, side) for side in (own if least[i] > 0 else (_LOOSE,)))]
            for i, own in enumerate(sides)
        ]
        found = [self._solved(pattern, np.concatenate([b_n, b_t]), least) for pattern in product(*options)]
        return self._apart([one for one in found if one is not None])

    def _apart(self, found: list[Array]) -> list[Array]:
        """Return those that move things in different ways, beside what energy they move at all."""
        kept: list[Array] = []
        lengths = np.sqrt(np.maximum(np.diag(self.G), 0.0))
        for one in found:
            moves = self.G @ one
            size = _SAME * lengths * np.sqrt(max(float(one @ moves), 0.0))
            if all(np.any(np.abs(moves - self.G @ other) > size) for other in kept):
                kept.append(one)
        return kept

    def _solved(self, pattern: tuple[tuple[bool, int], ...], b: Array, least: Array) -> Array | None:
        """Return the impulses of a pattern; None if it is not consistent."""
        k, G = self.k, self.G
        rows, right = np.zeros((2 * k, 2 * k)), np.zeros(2 * k)
        for i, (pressed, side) in enumerate(pattern):
            if pressed:
                rows[i], right[i] = G[i], -b[i]
            else:
                rows[i, i], right[i] = 1.0, least[i]
            if side == _STICK:
                rows[k + i], right[k + i] = G[k + i], -b[k + i]
            else:
                rows[k + i, k + i], rows[k + i, i] = 1.0, side * self.mu[i] if side != _LOOSE else 0.0
        impulses = np.linalg.lstsq(rows, right, rcond=1e-13)[0]
        largest = np.abs(impulses).max(initial=0.0)
        terms = np.abs(rows) @ (_INSIDE * np.abs(impulses) + _ROUNDING * largest) + _INSIDE * np.abs(right)
        if np.any(np.abs(rows @ impulses - right) > terms):
            return None
        for i, (pressed, side) in enumerate(pattern):  # what is known is not left to rounding
            impulses[i] = impulses[i] if pressed else least[i]
            if side != _STICK:
                impulses[k + i] = 0.0 if side == _LOOSE else -side * self.mu[i] * impulses[i]
        after, sizes = G @ impulses + b, np.abs(G) @ np.abs(impulses) + np.abs(b)
        normal, tangent = impulses[:k], impulses[k:]
        slack = _INSIDE * np.abs(normal) + _ROUNDING * largest
        if np.any(normal < least - slack) or np.any(after[:k] < -_INSIDE * sizes[:k]):
            return None
        for i, (_, side) in enumerate(pattern):
            if side == _STICK and abs(tangent[i]) > self.mu[i] * normal[i] + slack[i]:
                return None
            if side in (1, -1) and self.mu[i] > 0 and side * after[k + i] < -_INSIDE * sizes[k + i]:
                return None
        return impulses
