"""Parts that fit only nearly: a joint that repeats conditions of others up to how places were rounded.

A loop with more conditions than it needs closes exactly or not at all; written with a few decimals it stays open, or
closes in one position and is stuck there. Other pairs are tried in place of a joint, by numbers: one helps if the parts
can then be closed and moved, and the joint as it was written stays closed to a small part of the mechanism's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric
from dalembert.survey.mechanism.closure import DENSE, Closure
from dalembert.survey.mechanism.remedy import KNOWN, Replacement, candidates, world_axis
from dalembert.survey.mechanism.rows import JointRows
from dalembert.survey.mechanism.words import shown_names

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

NEARLY = 1e-2  # of the size of a mechanism, or radians: what a joint may be off where its parts fit nearly
CLOSED = 1e-10  # the same where they fit
PIECES, PIECE = 4, 0.1  # of a walk along what is free
ITERATIONS = 25
LEAST = 1e-7  # singular values below are zero
JOINTS, DIRECTIONS = 6, 6  # that are tried


class _Conditions(NamedTuple):
    """Some conditions at a position, their rows of length one in units of the mechanism."""

    residual: Array
    rows: Array


def nearly_fitting(mechanism: Mechanism, numeric: Numeric, t: float, q: Array, joints: Sequence[str]) -> str:
    """Say which of some joints repeats what others hold already, up to rounding, and what to do; empty: none does."""
    known = [name for name in joints if name in mechanism.joints]
    if numeric.n > DENSE or len(known) < 2 or not np.all(np.isfinite(q)):
        return ""
    for name in known[: -JOINTS - 1 : -1]:
        if found := _Loop(mechanism, numeric, t, q, name).eased():
            replacement, gap = found
            others = [other for other in known if other != name]
            hold = "hold" if len(others) > 1 else "holds"
            return (
                f"The parts fit only nearly, as with rounded places: `{name}` asks once more for what "
                f"{shown_names(others)} {hold}, and is off by up to {gap:.2g} of the size of the mechanism. "
                f"Replace {replacement}, which leaves the motion as it is meant, or "
                'write the places exactly, as in `at = ["l*cos(pi/6)", …]`'
            )
    return ""


class _Loop:
    """A mechanism without one of its joints, and without drives."""

    def __init__(self, mechanism: Mechanism, numeric: Numeric, t: float, q: Array, joint: str):
        self.numeric, self.t, self.q = numeric, t, q
        self.joint = mechanism.joints[joint]
        self.units = Closure(mechanism, numeric, q).units
        names = [mechanism.constraints[i].name for i in numeric.holonomic]
        owners = [mechanism.owners[name] for name in names]
        self.own = [k for k, owner in enumerate(owners) if owner == ("joints", joint)]
        self.kept = [k for k, owner in enumerate(owners) if owner != ("joints", joint) and owner[0] != "drives"]

    def conditions(self, q: Array, rows: Sequence[int], more: JointRows | None = None) -> _Conditions:
        """Evaluate some rows of the mechanism, and those of another pair after them."""
        residual, A, _ = self.numeric.position(self.t, q)
        residual, A = residual[rows], A[rows].toarray()
        if more is not None:
            other, B = more.at(q)
            residual, A = np.concatenate([residual, other]), np.vstack([A, B])
        A = A * self.units
        lengths = np.linalg.norm(A, axis=1)
        lengths = np.where(lengths > 0, lengths, 1.0)
        return _Conditions(residual / lengths, A / lengths[:, None])

    def closed(self, q: Array, pair: JointRows) -> Array | None:
        """Close all with another pair, by Gauss–Newton steps."""
        for _ in range(ITERATIONS):
            here = self.conditions(q, self.kept, pair)
            if not (np.all(np.isfinite(here.residual)) and np.all(np.isfinite(here.rows))):
                return None
            if np.abs(here.residual).max(initial=0.0) <= CLOSED:
                return q
            q = q - self.units * np.linalg.lstsq(here.rows, here.residual, rcond=LEAST)[0]
        return None

    def free(self, q: Array, pair: JointRows) -> Array:
        """Return what can move, as rows in units of the mechanism."""
        _, sigma, Vt = np.linalg.svd(self.conditions(q, self.kept, pair).rows)
        return Vt[int(np.sum(sigma > LEAST)) :]

    def eased(self) -> tuple[Replacement, float] | None:
        """Return a pair with fewer conditions that helps, and how far the joint is off along the motion."""
        found = []
        for pair, markers, values in candidates(self.joint):
            equations = list(pair.equations(*markers, **values).values())
            if len(equations) >= len(self.own):
                continue
            gap = self.gap(JointRows(self.numeric, equations))
            if gap is not None:
                axis = world_axis(self.numeric, pair, markers, self.q)
                rank = KNOWN.index(pair.kind) if pair.kind in KNOWN else len(KNOWN)
                found.append((rank, len(found), Replacement(self.joint.name, pair.kind, axis, ()), gap))
        return min(found)[2:] if found else None

    def gap(self, pair: JointRows) -> float | None:
        """Walk along everything that is free with another pair; None if nothing is, or the joint opens."""
        start = self.closed(self.q, pair)
        if start is None or not self.near(start):
            return None
        directions = self.free(start, pair)
        if not 0 < len(directions) <= DIRECTIONS:
            return None
        gaps = [self.off(start)]
        for direction in directions:
            q = start
            for _ in range(PIECES):
                there = self.closed(q + PIECE * self.units * direction, pair)
                if there is None:
                    break
                gaps.append(self.off(there))
                if gaps[-1] > NEARLY:
                    return None
                if np.linalg.norm((there - q) / self.units) < PIECE / 2:
                    return None  # it comes back: the way out was only infinitely small, and the parts fit as they are
                ahead = self.free(there, pair)
                direction = ahead.T @ (ahead @ ((there - q) / self.units))
                direction = direction / (np.linalg.norm(direction) or 1.0)
                q = there
            else:
                continue
            return None
        return max(gaps)

    def near(self, q: Array) -> bool:
        """Tell whether a position is about the one from which it was sought."""
        return bool(np.abs((q - self.q) / self.units).max() < PIECE)

    def off(self, q: Array) -> float:
        """Return how far the joint as it was written is open."""
        return float(np.abs(self.conditions(q, self.own).residual).max())
