"""Random planar mechanisms with springs in their joints, and what is known of them without any formula of the package.

Bodies carry each other by hinges and slides, some as rotors on the hinge of another that a spring turns; some rows are
closed by a rod. At rest all springs are free and nothing weighs, so that the mechanism is linearised about its assembled
position by the geometry of its joints alone: M of its bodies, K and D of the springs, A of the joints, E and B of what is
driven and led.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from dalembert import Mechanism


@dataclass
class RandomJoint:
    """A joint: first and second body (−1: the ground), its place and, of a slide, its direction at rest."""

    first: int
    second: int
    at: np.ndarray
    axis: np.ndarray | None = None
    stiffness: float = 0.0
    damping: float = 0.0


@dataclass
class RandomMechanism:
    """What was drawn by lot."""

    mass: np.ndarray
    inertia: np.ndarray
    at: np.ndarray
    joints: list[RandomJoint]
    rod: tuple[int, np.ndarray, np.ndarray] | None  # from a point of the ground to a point of a body
    acting: list[int]
    led: list[int]

    @classmethod
    def drawn(cls, random: np.random.Generator) -> RandomMechanism:
        """Draw one by lot."""
        count = int(random.integers(2, 5))
        at = random.uniform(-1, 1, (count, 2))
        joints: list[RandomJoint] = []
        for body in range(count):
            springs: dict[str, Any] = {
                "stiffness": random.uniform(1, 5) if random.random() < 0.6 else 0.0,
                "damping": random.uniform(0.1, 1) if random.random() < 0.3 else 0.0,
            }
            if joints and joints[-1].axis is None and random.random() < 0.5:  # on the hinge of the last one, as a rotor
                last = joints[-1]
                at[body] = last.at
                joints.append(
                    RandomJoint(last.second if random.random() < 0.3 else last.first, body, last.at, **springs)
                )
                if joints[-1].first == last.first:  # joined with it by a spring
                    k, d = random.uniform(1, 5), random.uniform(0.1, 1) if random.random() < 0.3 else 0.0
                    joints.append(RandomJoint(last.second, body, last.at, stiffness=k, damping=d))
                continue
            parent = int(random.integers(-1, body))
            turn = random.uniform(0, np.pi)
            axis = np.array([np.cos(turn), np.sin(turn)]) if random.random() < 0.3 else None
            joints.append(RandomJoint(parent, body, random.uniform(-1, 1, 2), axis, **springs))
        rod = None
        if count > 2 and random.random() < 0.5:
            rod = int(random.integers(0, count)), random.uniform(-1, 1, 2), random.uniform(-2, 2, 2)
        carrying = [k for k, joint in enumerate(joints) if joint.second not in {one.second for one in joints[:k]}]
        p = int(random.integers(1, 3)) if count > 2 else 1
        acting, led = (sorted(random.permutation(carrying)[:p].tolist()) for _ in range(2))
        return cls(random.uniform(0.5, 2, count), random.uniform(0.05, 0.3, count), at, joints, rod, acting, led)

    # --- as a model --------------------------------------------------------------------------------------------------

    @property
    def carrying(self) -> list[int]:
        """The joints that are more than a spring: of a body by the first that names it."""
        seen: set[int] = set()
        return [k for k, one in enumerate(self.joints) if not (one.second in seen or seen.add(one.second))]

    def model(self, by: str) -> Mechanism:
        """Return it as a mechanism, with paths that leave the assembled position smoothly."""

        def body(k: int) -> str:
            return "ground" if k < 0 else f"b{k}"

        joints: dict[str, Any] = {}
        springs: dict[str, Any] = {}
        for k, one in enumerate(self.joints):
            bodies = [body(one.first), body(one.second)]
            given = {"stiffness": one.stiffness, "damping": one.damping}
            if k in self.carrying:
                kind = {"kind": "revolute"} if one.axis is None else {"kind": "prismatic", "axis": one.axis.tolist()}
                joints[f"J{k}"] = {**kind, "bodies": bodies, "at": one.at.tolist()}
                if one.stiffness or one.damping:
                    springs[f"s{k}"] = {"joint": f"J{k}", **given, "angle" if one.axis is None else "distance": 0}
            else:
                springs[f"s{k}"] = {"kind": "torsion", "bodies": bodies, **given, "angle": 0}
        if self.rod:
            which, there, foot = self.rod
            joints["rod"] = {"kind": "rod", "bodies": ["ground", body(which)], "at": [foot.tolist(), there.tolist()]}
        return Mechanism(
            {
                body(k): {"mass": self.mass[k], "inertia": self.inertia[k], "at": self.at[k].tolist()}
                for k in range(len(self.mass))
            },
            joints,
            gravity=[0, 0],
            springs=springs,
            by=by,
            controls={f"u{k}": {"joint": f"J{k}"} for k in self.acting},
            programme={f"p{k}": f"J{k}.{self.what(k)} = {0.1 + 0.02 * k}*sin(t)^6" for k in self.led},
        )

    def what(self, k: int) -> str:
        """Return what a joint measures."""
        return "angle" if self.joints[k].axis is None else "distance"

    # --- what is known of it -----------------------------------------------------------------------------------------

    def at_rest(self) -> Geometry:
        """Return what is known of it at rest."""
        return Geometry(self, np.column_stack([self.at, np.zeros(len(self.at))]))

    def reduced(self) -> tuple[np.ndarray, ...]:
        """Return M, D, K, E, B of the motions that the joints allow, at rest."""
        found = self.at_rest()
        Z, size = scipy.linalg.null_space(found.A), len(found.mass)
        D, K = np.zeros((size, size)), np.zeros((size, size))
        for joint, row in zip(self.joints, found.slopes, strict=True):
            D, K = D + joint.damping * np.outer(row, row), K + joint.stiffness * np.outer(row, row)
        parts = Z.T @ np.diag(found.mass) @ Z, Z.T @ D @ Z, Z.T @ K @ Z, Z.T @ found.E, found.slopes[self.led] @ Z
        return tuple(np.atleast_2d(part) for part in parts)


class Geometry:
    """The joints of a random mechanism at some places x, y, φ of its bodies."""

    def __init__(self, given: RandomMechanism, places: np.ndarray):
        self.given, self.places = given, places
        self.mass = np.column_stack([given.mass, given.mass, given.inertia]).ravel()
        self.values, slopes, A = [], [], []
        for k, joint in enumerate(given.joints):
            apart, moved = self.apart(joint)
            turn = self.turn(joint.second) - self.turn(joint.first)
            if joint.axis is None:
                self.values.append(self.angle(joint.second) - self.angle(joint.first))
                slopes.append(turn)
                A += [*moved] if k in given.carrying else []
            else:
                along, across = self.axes(joint)
                back = self.turn(joint.first)
                self.values.append(along @ apart)
                slopes.append(along @ moved + (across @ apart) * back)
                A += [across @ moved - (along @ apart) * back, turn]
        if given.rod:
            which, there, foot = given.rod
            point, moved = self.point(which, there)
            A.append((point - foot) @ moved)
        self.slopes, self.A = np.array(slopes), np.array(A)
        self.E = self.slopes[given.acting].T

    def angle(self, body: int) -> float:
        """Return the angle of a body."""
        return 0.0 if body < 0 else self.places[body, 2]

    def turn(self, body: int) -> np.ndarray:
        """Return how a body turns, by coordinate."""
        found = np.zeros(self.places.size)
        if body >= 0:
            found[3 * body + 2] = 1
        return found

    def arm(self, body: int, point: np.ndarray) -> np.ndarray:
        """Return the way from a body's centre to a point of it, which was given at rest."""
        c, s = np.cos(self.angle(body)), np.sin(self.angle(body))
        return np.array([[c, -s], [s, c]]) @ (point - self.given.at[body])

    def point(self, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return where a point of a body is, and how it moves, (2, coordinates)."""
        found = np.zeros((2, self.places.size))
        if body < 0:
            return point, found
        arm = self.arm(body, point)
        found[:, 3 * body : 3 * body + 3] = [[1, 0, -arm[1]], [0, 1, arm[0]]]
        return self.places[body, :2] + arm, found

    def apart(self, joint: RandomJoint) -> tuple[np.ndarray, np.ndarray]:
        """Return the way between the two markers of a joint, and how it changes."""
        (here, moved_here), (there, moved_there) = self.point(joint.first, joint.at), self.point(joint.second, joint.at)
        return there - here, moved_there - moved_here

    def axes(self, joint: RandomJoint) -> tuple[np.ndarray, np.ndarray]:
        """Return the direction of a slide, and the one across."""
        c, s = np.cos(self.angle(joint.first)), np.sin(self.angle(joint.first))
        along = np.array([[c, -s], [s, c]]) @ joint.axis
        return along, np.array([-along[1], along[0]])

    def missed(self, v: np.ndarray, a: np.ndarray, u: np.ndarray) -> tuple[float, float]:
        """Return what virtual work misses in the motions that joints allow, and the largest force."""
        forces = [self.mass * a, -self.E @ u]
        for joint, row, value in zip(self.given.joints, self.slopes, self.values, strict=True):
            forces.append((joint.stiffness * value + joint.damping * (row @ v)) * row)
        Z = scipy.linalg.null_space(self.A)
        return float(np.abs(Z.T @ sum(forces)).max(initial=0.0)), float(np.abs(forces).max())

    def acceleration_of(self, k: int, v: np.ndarray, a: np.ndarray) -> float:
        """Return the second derivative of what joint k measures."""
        joint = self.given.joints[k]
        if joint.axis is None:
            return float(self.slopes[k] @ a)
        along, across = self.axes(joint)
        apart, moved = self.apart(joint)
        spin, jerk = (self.turn(joint.first) @ x for x in (v, a))
        bent = moved @ a  # without the part towards the centres
        for body, sign in ((joint.second, 1), (joint.first, -1)):
            if body >= 0:
                bent = bent - sign * v[3 * body + 2] ** 2 * self.arm(body, joint.at)
        return float(along @ bent + 2 * spin * across @ moved @ v + (jerk * across - spin**2 * along) @ apart)
