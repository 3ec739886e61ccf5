"""A platform on six legs that have bodies of their own, against virtual work written by hand.

Each leg is a barrel in a universal joint on the ground and a rod that slides in it, in a ball joint under the platform;
both are slender bodies of revolution. The forces of the six slides lead the platform along a screw about a slanted axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert import Mechanism

LOW, HIGH = np.radians([10, 110, 130, 230, 250, 350]), np.radians([50, 70, 170, 190, 290, 310])
BASE = np.column_stack([1.3 * np.cos(LOW), 1.3 * np.sin(LOW), np.zeros(6)])
TOP = np.column_stack([0.7 * np.cos(HIGH), 0.7 * np.sin(HIGH), np.full(6, -0.1)])  # from its centre
HEIGHT, G = 1.2, 9.81
MASS, INERTIA = 12.0, np.array([0.9, 1.1, 1.7])
BARREL, ROD = (2.5, 0.12, 0.02), (1.1, 0.05, 0.004)  # mass, inertia across and about the axis
AT_BARREL, FROM_TOP = 0.35, 0.25  # centre of the barrel from its joint, of the rod from the platform
AXIS = np.array([2.0, -1.0, 2.0]) / 3


def platform(by: str) -> Mechanism:
    """Return the platform; its legs are led by forces in their slides."""
    bodies: dict[str, Any] = {"top": {"mass": MASS, "inertia": INERTIA.tolist(), "at": [0, 0, HEIGHT]}}
    joints: dict[str, Any] = {}
    for k, (foot, head) in enumerate(zip(BASE, np.add(TOP, [0, 0, HEIGHT]), strict=True)):
        along = (head - foot) / np.linalg.norm(head - foot)
        across, third, _ = axes_of(along)
        rotation = {"x": across.tolist(), "y": third.tolist(), "z": along.tolist()}
        for name, (mass, slow, fast), at in (
            (f"barrel{k}", BARREL, foot + AT_BARREL * along),
            (f"rod{k}", ROD, head - FROM_TOP * along),
        ):
            bodies[name] = {"mass": mass, "inertia": [slow, slow, fast], "at": at.tolist(), "rotation": rotation}
        joints[f"U{k}"] = {
            "kind": "universal", "bodies": ["ground", f"barrel{k}"], "at": foot.tolist(),
            "axis": [1, 0, 0], "cross": across.tolist(),
        }  # fmt: skip
        joints[f"L{k}"] = {
            "kind": "prismatic", "bodies": [f"barrel{k}", f"rod{k}"], "at": ((foot + head) / 2).tolist(),
            "axis": along.tolist(),
        }  # fmt: skip
        joints[f"S{k}"] = {"kind": "spherical", "bodies": [f"rod{k}", "top"], "at": head.tolist()}
    path = {"x_top": "0.1*sin(t)", "y_top": "0.05*(1 - cos(2*t))", "z_top": f"{HEIGHT} + 0.08*sin(1.5*t)"}
    path |= {f"e{i + 1}_top": f"({u:.17g})*sin(0.1*sin(t))" for i, u in enumerate(AXIS)}
    return Mechanism(
        bodies,
        joints,
        dimensions=3,
        gravity=[0, 0, -G],
        by=by,
        controls={f"f{k}": {"joint": f"L{k}"} for k in range(6)},
        programme={f"p_{name}": f"{name} = {value}" for name, value in path.items()},
        simulation={"until": 1.5, "samples": 15},
    )


@dataclass
class Pose:
    """Place, turn and motion of the platform, written by hand."""

    place: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    angle: float
    spin: np.ndarray
    jerk: np.ndarray

    @classmethod
    def at(cls, t: float) -> Pose:
        s, c = np.sin, np.cos
        return cls(
            np.array([0.1 * s(t), 0.05 * (1 - c(2 * t)), HEIGHT + 0.08 * s(1.5 * t)]),
            np.array([0.1 * c(t), 0.1 * s(2 * t), 0.12 * c(1.5 * t)]),
            np.array([-0.1 * s(t), 0.2 * c(2 * t), -0.18 * s(1.5 * t)]),
            0.2 * s(t),
            0.2 * c(t) * AXIS,
            -0.2 * s(t) * AXIS,
        )

    @property
    def R(self) -> np.ndarray:
        K = cross(AXIS)
        return np.eye(3) + np.sin(self.angle) * K + (1 - np.cos(self.angle)) * K @ K


class Leg:
    """The motion of leg k at a pose of the platform: its direction n, its turn, and how both answer to the platform."""

    def __init__(self, k: int, pose: Pose):
        arm = pose.R @ TOP[k]
        self.foot, self.r = BASE[k], pose.place + arm - BASE[k]
        dr = pose.velocity + np.cross(pose.spin, arm)
        self.ddr = pose.acceleration + np.cross(pose.jerk, arm) + np.cross(pose.spin, np.cross(pose.spin, arm))
        self.dr, l = dr, np.linalg.norm(self.r)
        self.moved = np.hstack([np.eye(3), -cross(arm)])  # δr by the motion of the platform
        self.n = n = self.r / l
        dl = n @ dr
        self.dn = dn = (dr - dl * n) / l
        self.ddn = ddn = (self.ddr - (dn @ dr + n @ self.ddr) * n - 2 * dl * dn) / l
        self.turned = turned = (np.eye(3) - np.outer(n, n)) @ self.moved / l  # δn
        # the joint on the ground turns about x by α; its other arm is at right angles to x and to the leg, so that about
        # the leg itself it turns by α' n·x
        u, du, ddu, w, dw, ddw = n[1], dn[1], ddn[1], n[2], dn[2], ddn[2]
        size = u * u + w * w
        rate = (u * dw - w * du) / size
        bend = (u * ddw - w * ddu) / size - 2 * (u * du + w * dw) * rate / size
        self.twist, self.twisted = rate * n[0], bend * n[0] + rate * dn[0]
        self.about = n[0] * np.outer(n, (u * turned[2] - w * turned[1]) / size) + cross(n) @ turned  # δθ

    def parts(self):
        """Return for barrel and rod the inertia, place, velocity, acceleration, and how they answer to the platform."""
        yield (
            BARREL, self.foot + AT_BARREL * self.n, AT_BARREL * self.dn, AT_BARREL * self.ddn, AT_BARREL * self.turned
        )  # fmt: skip
        yield (
            ROD, self.foot + self.r - FROM_TOP * self.n, self.dr - FROM_TOP * self.dn, self.ddr - FROM_TOP * self.ddn,
            self.moved - FROM_TOP * self.turned,
        )  # fmt: skip


def by_hand(t: float) -> np.ndarray:
    """Return the six forces: Σ over bodies of (m (a − g)·δx + dH/dt·δθ) = Σ f δl for every motion of the platform."""
    pose = Pose.at(t)
    weight, J = np.array([0, 0, -G]), pose.R @ np.diag(INERTIA) @ pose.R.T
    need = np.concatenate([MASS * (pose.acceleration - weight), J @ pose.jerk + np.cross(pose.spin, J @ pose.spin)])
    E = np.zeros((6, 6))
    for k in range(6):
        leg = Leg(k, pose)
        E[:, k] = leg.n @ leg.moved
        for (mass, slow, fast), _, _, a, moved in leg.parts():
            momentum_rate = slow * np.cross(leg.n, leg.ddn) + fast * (leg.twisted * leg.n + leg.twist * leg.dn)
            need += mass * moved.T @ (a - weight) + leg.about.T @ momentum_rate
    return np.linalg.solve(E, need)


def rows_by_hand(t: float) -> dict[str, tuple[float, float, float]]:
    """Return what every coordinate is, with its rates: of Euler parameters e' = ω e/2."""
    pose, found = Pose.at(t), {}

    def put(name: str, R: np.ndarray, place: list[np.ndarray], spin: np.ndarray, jerk: np.ndarray) -> None:
        x, y, z, w = Rotation.from_matrix(R).as_quat()
        e = np.array([w, x, y, z])
        de = times(spin, e) / 2
        dde = (times(jerk, e) + times(spin, de)) / 2
        for names, values in (
            ("xyz", zip(*place, strict=True)),
            (("e0", "e1", "e2", "e3"), zip(e, de, dde, strict=True)),
        ):
            found.update({f"{one}_{name}": value for one, value in zip(names, values, strict=True)})

    put("top", pose.R, [pose.place, pose.velocity, pose.acceleration], pose.spin, pose.jerk)
    for k in range(6):
        leg = Leg(k, pose)
        spin = np.cross(leg.n, leg.dn) + leg.twist * leg.n
        jerk = np.cross(leg.n, leg.ddn) + leg.twisted * leg.n + leg.twist * leg.dn
        for name, (_, x, v, a, _) in zip(("barrel", "rod"), leg.parts(), strict=True):
            put(f"{name}{k}", np.column_stack(axes_of(leg.n)), [x, v, a], spin, jerk)
    return found


def axes_of(n: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the axes of a leg: across, at right angles to the first arm of its joint; and along it."""
    across = np.cross(n, [1, 0, 0]) / np.linalg.norm(np.cross(n, [1, 0, 0]))
    return across, np.cross(n, across), n


def times(spin: np.ndarray, e: np.ndarray) -> np.ndarray:
    """Return the product of the quaternions (0, spin) and e."""
    return np.array([-spin @ e[1:], *(e[0] * spin + np.cross(spin, e[1:]))])


def cross(a: np.ndarray) -> np.ndarray:
    """Return the matrix of a × …"""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def test_forces_of_the_legs():
    """The motion of all thirteen bodies is given by hand too."""
    system, t = platform("absolute"), np.linspace(0, 1.5, 9)
    rows = [rows_by_hand(one) for one in t]
    values = np.array([[row[name] for name in system.coordinates] for row in rows])
    found = system.inverse({"t": t, **{key: values[:, :, k] for k, key in enumerate("qva")}})
    assert all(found.determined.values())
    wanted = np.array([by_hand(one) for one in t]).T
    np.testing.assert_allclose([found[f"f{k}"] for k in range(6)], wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.full
@pytest.mark.parametrize("by", ["absolute", "joints"])
def test_a_programme_for_the_platform(by):
    system = platform(by)
    run = system.simulate()
    assert run.certificate.ok
    found, wanted = system.inverse(run), np.array([by_hand(t) for t in run.t]).T
    np.testing.assert_allclose([found[f"f{k}"] for k in range(6)], wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose([run[f"f{k}"] for k in range(6)], wanted, rtol=1e-8, atol=1e-8)
