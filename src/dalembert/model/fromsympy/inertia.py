"""Bodies and loads as energies, or as the matrices of virtual power where velocities are no rates of positions.

With v = Σ J_k q̇_k + J_t the velocity of a mass centre and ω that of a body, Lagrange's equations hold for the kinetic
energy if each v is the rate of some position and each ω that of some rotation: ∂J_k/∂q_l = ∂J_l/∂q_k, and
∂ω_k/∂q_l − ∂ω_l/∂q_k = ω_l × ω_k. A disc whose centre moves as rolling lets it does not satisfy this; then
M = Σ m J_k·J_l + ω_k·Θω_l, and f follows from v̇ and from the rate of Θω at q̈ = 0 (Jourdain, Kane).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import symengine as se

from dalembert.errors import ModelError
from dalembert.language.building import Expr
from dalembert.model.fromsympy.identities import all_vanish
from dalembert.model.fromsympy.ingredients import Ingredients
from dalembert.model.fromsympy.plain_symbols import Reading, T

ZERO, ONE = se.Integer(0), se.Integer(1)
Vector = Sequence[Expr]


@dataclass(frozen=True)
class AppliedForce:
    """A force or torque in axes of the inertial frame, the velocity with which it works, and where it acts."""

    vector: Vector
    velocity: Vector
    where: Any


class Mechanics:
    """Velocities, inertia and loads of a problem over the plain symbols of a system."""

    def __init__(self, given: Ingredients, read: Reading):
        self.given, self.read, self.N = given, read, given.frame
        self.q = [se.Symbol(name) for name in read.moving]
        self.v = [se.Symbol(name + "'") for name in read.moving]
        self.loads = [self.load(*load) for load in given.loads]

    # --- velocities --------------------------------------------------------------------------------------------------

    def components(self, vector: Any, frame: Any) -> Vector:
        """Return a SymPy vector in the axes of a frame."""
        if vector == 0:
            return ZERO, ZERO, ZERO
        x, y, z = (self.read(entry) for entry in vector.to_matrix(frame))
        return x, y, z

    def point_velocity(self, point: Any) -> Any:
        """Return the velocity of a point in the inertial frame."""
        try:
            return point.vel(self.N)
        except ValueError as error:
            text = f"the velocity of point {point.name} in {self.N.name} is not known"
            raise ModelError(f"{text}: {str(error)[:80]}; set it by set_vel or v2pt_theory") from None

    def frame_velocity(self, frame: Any) -> Any:
        """Return the angular velocity of a frame in the inertial one."""
        try:
            return frame.ang_vel_in(self.N)
        except ValueError:
            text = f"the angular velocity of frame {frame.name} in {self.N.name} is not known"
            raise ModelError(f"{text}; orient the frame, or set it by set_ang_vel") from None

    def load(self, where: Any, vector: Any) -> AppliedForce:
        """Read a force on a point or a torque on a frame."""
        if self.N is None:
            raise ModelError("loads need the inertial frame; give it as LagrangesMethod(…, frame=…)")
        is_point = hasattr(where, "vel")
        velocity = self.point_velocity(where) if is_point else self.frame_velocity(getattr(where, "frame", where))
        N = self.N
        return AppliedForce(self.components(vector, N), self.components(velocity, N), where if is_point else None)

    def slopes(self, velocity: Vector) -> dict[int, Vector]:
        """Return the partial velocities J_k, those that are not zero."""
        found = {}
        for k, v in enumerate(self.v):
            x, y, z = (part.diff(v) for part in velocity)
            if (x, y, z) != (0, 0, 0):
                found[k] = (x, y, z)
        return found

    # --- whether energies do -----------------------------------------------------------------------------------------

    def is_holonomic(self) -> bool:
        """Tell whether all velocities are rates of positions and rotations."""
        for body in self.given.bodies:
            v = self.components(self.point_velocity(body.masscenter), self.N)
            if not all_vanish(self.twists(v, turns=False)):
                return False
            if _is_rigid(body):
                omega = self.components(self.frame_velocity(body.frame), self.N)
                if not all_vanish(self.twists(omega, turns=True)):
                    return False
        return True

    def twists(self, velocity: Vector, turns: bool) -> list[Expr]:
        """Return what vanishes if a velocity is the rate of a position, or of a rotation; time is a coordinate too."""
        slopes = self.slopes(velocity)
        moving = {**{self.q[k]: J for k, J in slopes.items()}, T: _at_rest(velocity, self.v)}
        used = set().union(*(part.free_symbols for J in moving.values() for part in J))
        for symbol in {*self.q, T} & used:  # positions on which the slopes depend, though not on their rates
            moving.setdefault(symbol, (ZERO, ZERO, ZERO))
        found = []
        for (x, J), (y, L) in combinations(moving.items(), 2):
            turned = _cross(L, J) if turns else (ZERO, ZERO, ZERO)
            found += [a.diff(y) - b.diff(x) - c for a, b, c in zip(J, L, turned, strict=True)]
        return found

    # --- energies ----------------------------------------------------------------------------------------------------

    def kinetic(self) -> Expr:
        """Return the kinetic energy of all bodies."""
        parts = []
        for body in self.given.bodies:
            self.point_velocity(body.masscenter)  # or say what is missing
            parts.append(self.read(body.kinetic_energy(self.N)))
        return se.Add(*parts)

    def potential_and_forces(self) -> tuple[Expr, dict[str, Expr]]:
        """Return the potential of constant forces, where they act on points of known position, and all other forces."""
        potential, others = [], []
        for load in self.loads:
            steady, rest = self.split(load)
            own = self.potential(steady) if load.where is not None else None
            potential += [] if own is None else [own]
            others += [load] if own is None else [rest]
        forces = self.generalized(others)
        return se.Add(*potential), {q.name: Q for q, Q in zip(self.q, forces, strict=True) if Q != 0}

    def split(self, load: AppliedForce) -> tuple[AppliedForce, AppliedForce]:
        """Split a load into what is constant in inertial axes, such as a weight, and the rest."""
        varying = {*self.q, *self.v, T, *(se.Symbol(name) for name in self.read.constants)}
        steady = []
        for part in load.vector:
            terms = part.args if part.is_Add else (part,)
            steady.append(se.Add(*[term for term in terms if not term.free_symbols & varying]))
        rest = [part - own for part, own in zip(load.vector, steady, strict=True)]
        return replace(load, vector=(steady[0], steady[1], steady[2])), replace(
            load, vector=(rest[0], rest[1], rest[2])
        )

    def potential(self, load: AppliedForce) -> Expr | None:
        """Return −F·r of a constant force, with r from any point that turns out to be at rest."""
        power = [_dot(load.vector, J) for J in _every(self.slopes(load.velocity), len(self.q))]
        if all(Q == 0 for Q in power):
            return None
        for origin in _neighbours(load.where, self.given.origin):
            r = self.components(load.where.pos_from(origin), self.N)
            V = -_dot(load.vector, r)
            if not V.free_symbols & set(self.v) and all_vanish(
                [V.diff(q) + Q for q, Q in zip(self.q, power, strict=True)]
            ):
                return V
        return None

    def generalized(self, loads: Sequence[AppliedForce]) -> list[Expr]:
        """Return the generalized forces of loads."""
        parts: list[list[Expr]] = [[] for _ in self.q]
        for load in loads:
            for k, J in self.slopes(load.velocity).items():
                parts[k].append(_dot(load.vector, J))
        return [se.Add(*terms) for terms in parts]

    # --- matrices ----------------------------------------------------------------------------------------------------

    def matrices(self) -> tuple[list[list[Expr]], list[Expr]]:
        """Return M and f by the principle of virtual power."""
        n = len(self.q)
        M: list[list[list[Expr]]] = [[[] for _ in range(n)] for _ in range(n)]
        f: list[list[Expr]] = [[Q] for Q in self.generalized(self.loads)]
        for body in self.given.bodies:
            velocities = [(self.point_velocity(body.masscenter), None)]
            if _is_rigid(body):
                velocities.append((self.frame_velocity(body.frame), body.central_inertia))
            for velocity, inertia in velocities:
                if velocity != 0:
                    self.add(M, f, velocity, inertia, self.read(body.mass))
        return [[se.Add(*entry) for entry in row] for row in M], [se.Add(*terms) for terms in f]

    def add(self, M: list, f: list, velocity: Any, inertia: Any, mass: Expr) -> None:
        """Add what one body gives by its translation, or by its rotation, in axes in which that is short."""
        frame = self.shortest(velocity, inertia)
        v = self.components(velocity, frame)
        turning = self.components(self.frame_velocity(frame), frame) if frame != self.N else (ZERO, ZERO, ZERO)
        if inertia is None:
            theta = [[mass if i == j else ZERO for j in range(3)] for i in range(3)]
        else:
            matrix = inertia.to_matrix(frame)
            theta = [[self.read(matrix[i, j]) for j in range(3)] for i in range(3)]
        momentum = _times(theta, v)
        steady = [self.read.rate(part) for part in momentum]
        still = {se.Symbol(name + "''"): ZERO for name in self.read.moving}
        rate = [a.subs(still) + b for a, b in zip(steady, _cross(turning, momentum), strict=True)]
        slopes = self.slopes(v)
        for k, J in slopes.items():
            f[k].append(-_dot(J, (rate[0], rate[1], rate[2])))
            carried = _times(theta, J)
            for l, other in slopes.items():
                M[k][l].append(_dot(carried, other))

    def shortest(self, velocity: Any, inertia: Any) -> Any:
        """Choose the frame in which a velocity and its inertia have the shortest components."""
        parts = [(vector, frame) for vector, frame in velocity.args]
        frames = [self.N, *(frame for _, frame in parts)]
        if inertia is not None:
            frames += [axis.args[0][1] for _, axis, _ in inertia.args]
        frames = list(dict.fromkeys(frames))

        def length(frame: Any) -> int:
            own = velocity.to_matrix(frame).applyfunc(lambda x: x.count_ops())
            return sum(own) + (sum(inertia.to_matrix(frame).applyfunc(lambda x: x.count_ops())) if inertia else 0)

        return min(frames, key=length)


def _is_rigid(body: Any) -> bool:
    return hasattr(body, "central_inertia")


def _at_rest(velocity: Vector, v: Sequence[Expr]) -> Vector:
    still = dict.fromkeys(v, ZERO)
    x, y, z = (part.subs(still) for part in velocity)
    return x, y, z


def _every(slopes: dict[int, Vector], n: int) -> list[Vector]:
    return [slopes.get(k, (ZERO, ZERO, ZERO)) for k in range(n)]


def _dot(a: Vector, b: Vector) -> Expr:
    return se.Add(*[x * y for x, y in zip(a, b, strict=True)])


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _times(matrix: list[list[Expr]], a: Vector) -> Vector:
    x, y, z = (_dot((row[0], row[1], row[2]), a) for row in matrix)
    return x, y, z


def _neighbours(point: Any, origin: Any) -> list[Any]:
    """Return all points whose position relative to this one is known, a given origin first."""
    found, waiting = {point: None}, [point]
    while waiting:
        for other in waiting.pop()._pos_dict:
            if other not in found:
                found[other] = None
                waiting.append(other)
    points = [other for other in reversed(found) if other is not point]
    return sorted(points, key=lambda other: other is not origin)
