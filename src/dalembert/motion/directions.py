"""The directions in which several sliding velocities begin at rest: where γ̇ along them is all that there is.

Let t be the direction, friction −F t, and γ̇(t) what the equations say of the sliding velocities then. Sliding in t
begins if γ̇ has no part across it, and does not lead back. While γ is small friction turns it at once, by ṫ = P γ̇(t)/|γ|
with P across t: it goes on in a direction to which that leads, never in one at which it could only rest. So the same is
done here, with implicit steps that grow into Newton's. At the limit of sticking nothing is left of γ̇ in the right
direction, but elsewhere there is something across: so it is found there as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import block_diag, null_space

from dalembert.arrays import Array

if TYPE_CHECKING:
    from dalembert.motion.mode_trial import Trial

_INSIDE = 1e-9  # of what a rate of sliding is made of: what may be left across
_ROUNDS = 80
_NUDGE = 1e-6  # angle by which it is seen how what is left depends on directions
_FARTHEST = 0.5  # angle of one step, at most
_SETTLED = 1e-14  # angle of a step, and part that is left across, which are rounding
_GROWTH = 4.0  # of steps, at most

Ways = dict[int, Array]


def settled(trial: Trial, parameters: Array, directions: Ways) -> Ways | None:
    """Return the directions to which friction turns these at the state of a trial; None if there is no end to it.

    The parameters let them slide in these then. Those of one sliding velocity stay.
    """
    several = {i: direction for i, direction in directions.items() if len(direction) > 1}
    turning = _Turning(trial, parameters)
    left = turning.left(several)
    step = angle = off = np.inf
    for _ in range(_ROUNDS):
        if left is None or not left.any() or angle <= _SETTLED:
            break
        across = np.array(block_diag(*(null_space(direction[None]) for direction in several.values())), dtype=float)
        if (slopes := turning.slopes(several, left, across)) is None:
            return None
        last, off = off, float(np.linalg.norm(left))
        step = step * min(last / off, _GROWTH) if np.isfinite(last) else 1.0 / (np.linalg.norm(slopes, 2) + off)
        turn = np.linalg.solve(np.eye(len(slopes)) / step - slopes, across.T @ left)
        angle = float(np.linalg.norm(turn))
        several = turned_by(several, across @ turn * min(1.0, _FARTHEST / max(angle, _SETTLED)))
        left = turning.left(several)
    return {**directions, **several} if left is not None and np.abs(left).max() <= _INSIDE else None


def turned_by(directions: Ways, change: Array) -> Ways:
    """Return directions changed by vectors across them, one behind the other."""
    ends = np.cumsum([len(direction) for direction in directions.values()])[:-1]
    sums = [direction + part for direction, part in zip(directions.values(), np.split(change, ends), strict=True)]
    return {i: new / np.linalg.norm(new) for i, new in zip(directions, sums, strict=True)}


class _Turning:
    """What turns directions at the state of a trial."""

    def __init__(self, trial: Trial, parameters: Array):
        self.trial, self.parameters = trial, parameters

    def left(self, directions: Ways) -> Array | None:
        """Return P γ̇ of each, in parts of what γ̇ is made of; None where the equations have no solution."""
        for i, direction in directions.items():
            self.trial.owner.let_slide(self.parameters, i, direction, 0.0)
        if (found := self.trial.solved(self.parameters)) is None:
            return None
        across = [found.rates[i] - np.dot(found.rates[i], t) * t for i, t in directions.items()]
        sizes = [max(float(np.sum(found.sizes[i])), np.finfo(float).tiny) for i in directions]
        return np.concatenate([part / size for part, size in zip(across, sizes, strict=True)])

    def slopes(self, directions: Ways, left: Array, across: Array) -> Array | None:
        """Return how what is left changes as directions turn; None where the equations have no solution."""
        columns = [self.left(turned_by(directions, _NUDGE * way)) for way in across.T]
        if any(column is None for column in columns):
            return None
        return across.T @ np.array([column - left for column in columns if column is not None]).T / _NUDGE
