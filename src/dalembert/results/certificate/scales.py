"""The sizes of a motion, coordinate by coordinate: what residuals and errors are measured by.

They come from the motion and the masses that move in it, so that neither units nor the sizes of other coordinates
matter. A coordinate that does not move, but for rounding and what the tolerance leaves, is measured by what the whole
system does: by how far it would move with a thousandth of the largest √Mⱼⱼ Δqⱼ, or by a thousandth of the largest Δqⱼ
if that is less, as for a feather beside a hammer. Where nothing moves but by rounding, the coordinates themselves are
the measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.arrays import Array

if TYPE_CHECKING:
    from dalembert.results.run import Run

_STILL = 1e-3  # part of the largest motion that a coordinate at rest is measured by
_AT_REST = 1e-9  # part of it below which a coordinate counts as at rest,
_TOLERANCES = 10.0  # or so many tolerances, if that is more;
_STEPPED = 1e-6  # the same where steps are fixed
_STUCK = 10.0  # times this part of what it would do if nothing held it is measured by, where friction alone holds it
_HELD = 1e-12  # part of that elsewhere
_STANDING = 1e-15  # part of it that velocities may amount to where nothing moves
_DIGITS = 1e-9  # part of the values of all that a coordinate is measured by where nothing moves it
_ROUNDING = 1e-14  # part of the largest coordinate by which constraints may move any other in a few steps, by rounding


def points(run: Run) -> tuple[Array, Array, Array, Array]:
    """Return t, q, v and the parameters at the steps."""
    motion = run.motion
    v = run._velocities(motion.times, motion.states)
    return motion.times, motion.states[:, : motion.kernels.n], v, motion.parameters_at(motion.times)


@dataclass(frozen=True)
class Scales:
    """Sizes of positions, velocities and accelerations along a motion, one for each coordinate."""

    run: Run
    mass: Array  # diagonal of M
    force: Array  # f
    acceleration: Array  # q̈, the largest at some places

    @property
    def n(self) -> int:
        """How many coordinates there are."""
        return len(self.mass)

    @cached_property
    def is_state(self) -> Array:
        """Which of the coordinates are there for states, whose inertia says nothing and which are none of a motion."""
        return np.arange(self.n) >= self.run.system.mechanical

    @property
    def compared(self) -> Array:
        """How far positions and, in place of those that they belong to, states move."""
        return np.where(self.is_state, self.velocities, self.positions)

    @cached_property
    def duration(self) -> float:
        """How long the motion lasts."""
        times = self.run.motion.times
        return float(times[-1] - times[0]) or 1.0

    @cached_property
    def positions(self) -> Array:
        """How far the coordinates move."""
        q = points(self.run)[1]
        moved, own = np.ptp(q, axis=0), np.abs(q).max(axis=0, initial=0.0)
        free = self._held * self.free * self.duration**2
        shared = self._shared(np.maximum(np.maximum(moved, _ROUNDING * own), free))
        way = np.abs(points(self.run)[2]).max(axis=0) * self.duration
        still = (moved < _ROUNDING * self.sizes) & (way < _STANDING * self.sizes)
        return np.where(still, np.maximum(shared, _DIGITS * self.sizes), shared)

    @cached_property
    def sizes(self) -> Array:
        """The largest values, of all coordinates as each would have its part: rounding goes from one to the other."""
        return self._whole(np.abs(points(self.run)[1]).max(axis=0, initial=0.0))

    @cached_property
    def velocities(self) -> Array:
        """How fast they are."""
        own = np.maximum(np.abs(points(self.run)[2]).max(axis=0), self.positions / self.duration)
        return self._shared(np.maximum(own, self._held * self.free * self.duration))

    @cached_property
    def accelerations(self) -> Array:
        """How fast that changes, or would without constraints."""
        return self._shared(np.maximum(np.maximum(self.acceleration, self.free), self.velocities / self.duration))

    @cached_property
    def free(self) -> Array:
        """Accelerations that forces would give to what constraints hold."""
        with np.errstate(divide="ignore", invalid="ignore"):
            free = np.where(self.mass > 0, self.force / self.mass, 0.0)
        return np.where(np.isfinite(free), free, 0.0)

    @cached_property
    def energy(self) -> float:
        """What forces do over the size of the motion, and the energy of its speed."""
        both = np.abs(self.force) * self.positions + np.maximum(self.mass, 0.0) * self.velocities**2
        return float(both[~self.is_state].sum())

    @cached_property
    def _held(self) -> float:
        """The part of what coordinates would do if nothing held them that counts as motion.

        Where all friction sticks all the time, it holds as well as the tolerance that was asked for.
        """
        run = self.run
        slides = [friction.slide.name for friction in run.system.frictions.values() if friction.modes]
        if not slides or len(slides) < len(run.system.frictions):
            return _HELD
        column = [list(run.system.parameters).index(name) for name in slides]
        return _HELD if np.any(points(run)[3][..., column]) else min(_STUCK * self._at_rest, _STILL)

    @property
    def _at_rest(self) -> float:
        """The part of the largest motion below which a coordinate counts as at rest."""
        return _STEPPED if self.run.step else min(max(_AT_REST, _TOLERANCES * self.run.rtol), _STILL)

    @cached_property
    def without_forces(self) -> Array:
        """Forces in a mechanism that has neither masses nor loads: as if its masses were one; else nothing."""
        return self.accelerations if not (self.mass.any() or self.force.any()) else np.zeros_like(self.mass)

    def _shared(self, own: Array) -> Array:
        """Measure what is at rest by what the whole system does."""
        whole = self._whole(own)
        return np.where(own < self._at_rest * whole, _STILL * whole, own)

    def _whole(self, own: Array) -> Array:
        """Return what each coordinate would have of the largest, by its mass or at most as much."""
        roots, moved = np.sqrt(np.maximum(self.mass, 0.0)), own[~self.is_state]
        largest = (roots[~self.is_state] * moved).max(initial=0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            whole = np.minimum(np.where(roots > 0, largest / roots, np.inf), moved.max(initial=0.0))
        return np.where(self.is_state, own, whole)  # a state is measured by itself
