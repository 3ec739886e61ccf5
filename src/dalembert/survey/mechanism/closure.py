"""The conditions of a mechanism as equations for its position, velocity and acceleration, solved by numbers.

Joints may repeat each other: off the solution they then contradict each other a little, so that all solutions are those
of least squares, with as many singular values as the conditions have where they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp
import symengine as se

from dalembert.algebra.rank import rank, unit_rows
from dalembert.algebra.saddle import Saddle
from dalembert.arrays import Array, Sparse
from dalembert.blocks.numeric import Numeric
from dalembert.errors import SimulationError
from dalembert.language.building import TIME
from dalembert.language.program import Program
from dalembert.model.facts import STRUCTURE, fact

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

DENSE = 300  # up to this many coordinates singular values are cheap enough
ITERATIONS = 12
SETTLED = 1e-11  # of the size of the mechanism: after a Newton step as small as this the next one is rounding
LOOSE = 1e-6  # grip where conditions do not determine what they do elsewhere,
ASIDE = 1e-3  # and how far from there limits are taken, in units of the mechanism
HOLDS = 1e-9  # of the size of its terms: what may be left of a condition
_MANY = 200  # bodies, whose places tell the size of a mechanism without those of its joints


class Closed(NamedTuple):
    """The least solution of linear equations, the directions they leave free, and how firmly they hold the others."""

    x: Array
    free: Array  # as columns, in units of the coordinates
    grip: float  # the smallest singular value that counts, over the largest


class Closure:
    """Solves the conditions near a given state, moving least.

    Coordinates are measured in `units`: lengths by the size of the mechanism, turns in radians.
    """

    def __init__(self, mechanism: Mechanism, numeric: Numeric, q: Array):
        self.numeric = numeric
        self.size = extent(mechanism, numeric, q)
        units = units_of(mechanism, self.size)
        self.units = np.where(units > 0, units, 1.0)

    def distance(self, change: Array) -> float:
        """Measure a change of the coordinates."""
        return float(np.linalg.norm(change / self.units))

    def solve(self, A: Sparse, b: Array, rank: int) -> Closed:
        """Return the least x with A x = b, from the `rank` largest singular values; by sparse factors if A is large."""
        if rank == self.numeric.n > DENSE:
            weight = sp.diags_array(self.units**-2)
            return Closed(Saddle(weight, A).solve(np.zeros(rank), b)[0], np.zeros((rank, 0)), 1.0)
        scaled = A.toarray() * self.units
        lengths = np.linalg.norm(scaled, axis=1)
        lengths = np.where(lengths > 0, lengths, 1.0)
        U, sigma, Vt = np.linalg.svd(scaled / lengths[:, None])
        sigma = sigma[:rank]
        x = Vt[:rank].T @ (U.T[:rank] @ (b / lengths) / np.maximum(sigma, 1e-300))
        return Closed(self.units * x, (Vt[rank:] * self.units).T, float(sigma[-1] / sigma[0]) if rank else 1.0)

    def step(self, A: Sparse, b: Array, rank: int) -> Array:
        """Return x alone; quickly where there is as much to find as there are conditions."""
        if A.shape == (rank, rank) and rank <= DENSE:
            try:
                return self.units * np.linalg.solve(A.toarray() * self.units, b)
            except np.linalg.LinAlgError:
                pass
        return self.solve(A, b, rank).x

    def position(self, t: float, q: Array, rank: int) -> Array | None:
        """Move onto the conditions on positions; None where Newton's method does not settle."""
        before = np.inf
        for _ in range(ITERATIONS):
            residual, A, _ = self.numeric.position(t, q)
            if not (np.all(np.isfinite(residual)) and np.all(np.isfinite(A.data))):
                return None
            step = self.step(A, -residual, rank)
            q, now = q + step, self.distance(step)
            if now <= SETTLED:
                return q if self.holds(t, q) else None
            if not now < 0.9 * before:
                return None
            before = now
        return None

    def holds(self, t: float, q: Array) -> bool:
        """Tell whether the conditions on positions are met."""
        residual, A, size = self.numeric.position(t, q)
        return bool(np.all(np.abs(residual) <= HOLDS * np.maximum(size, abs(A) @ self.units)))

    def velocity(self, t: float, q: Array, v: Array, rank: int) -> tuple[Array, Closed]:
        """Return the velocities nearest to given ones that the conditions allow."""
        linear = all(constraint.level != "velocity" for constraint in self.numeric.system.constraints)
        for _ in range(ITERATIONS):
            residual, A, _ = self.numeric.velocity(t, q, v)
            solution = self.solve(A, -residual, rank)
            v = v + solution.x
            if linear or self.distance(solution.x) <= SETTLED * (1 + self.distance(v)):
                return v, solution
        raise SimulationError(f"no velocities are found that the conditions allow at t = {t:.6g}")

    def acceleration(self, t: float, q: Array, v: Array, a: Array, rank: int) -> Array:
        """Return the accelerations nearest to given ones that the conditions ask for."""
        values = self.numeric.all(t, q, v)
        return a + self.step(values.A, values.c - values.A @ a, rank)

    def independent(self, A: Sparse) -> int:
        """Count the independent rows."""
        return rank(unit_rows(A @ sp.diags_array(self.units)), 1e-7)


def units_of(mechanism: Mechanism, size: float) -> Array:
    """Return by what changes of the coordinates are measured; 0 for those of the user, of which nothing is known."""
    units = {"length": size, "angle": 1.0, "euler": 0.5}  # |ω| = 2 |ė|
    return np.array([units.get(mechanism.measured.get(name, ""), 0.0) for name in mechanism.coordinates])


@fact(STRUCTURE)
def _places(mechanism: Mechanism) -> tuple[Program, list[int]]:
    """Return the places of joints and bodies as a program of coordinates and parameters, and which of these count.

    Many bodies are enough. Inertias, springs and loads move nothing.
    """
    places = [body.view.q[: mechanism.dimensions] for body in mechanism.bodies.values()]
    if len(places) < _MANY:
        places += [marker.place for joint in mechanism.joints.values() for marker in joint.markers]
    symbols = [se.Symbol(name) for name in (TIME, *mechanism.coordinates, *mechanism.parameters)]
    defined = mechanism.defined
    used = set().union(*(x.free_symbols for x in (*defined.values(), *(x for place in places for x in place))))
    counting = [k for k, name in enumerate(mechanism.parameters) if se.Symbol(name) in used]
    return Program(symbols, [x for place in places for x in place], defined), counting


def extent(mechanism: Mechanism, numeric: Numeric, q: Sequence[float] | Array) -> float:
    """Return how far the joints and bodies of a mechanism are from each other; 1 if all are in one place."""
    program, counting = _places(mechanism)

    def find() -> float:
        values = program.floats([0.0, *q, *numeric.parameters])  # drives may have moved bodies: at the start
        size = float(np.linalg.norm(np.ptp(values.reshape(-1, mechanism.dimensions), axis=0)))
        return size if np.isfinite(size) and size > 0 else 1.0

    return mechanism.survey.find(STRUCTURE, ("extent", *q, *(numeric.parameters[k] for k in counting)), find)


def between(q: tuple[Array, Array], v: tuple[Array, Array], half: float) -> tuple[Array, Array, Array]:
    """Return position, velocity and acceleration midway between two states, on the cubic through them."""
    middle = (q[0] + q[1]) / 2 - half * (v[1] - v[0]) / 4
    return middle, 3 * (q[1] - q[0]) / (4 * half) - (v[0] + v[1]) / 4, (v[1] - v[0]) / (2 * half)
