"""The universal pair: Cardan's shafts, its two angles as what drives, springs and questions take hold of."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert import Mechanism, ModelError

BETA = 0.5


def shafts() -> Mechanism:
    """Two shafts at the angle β; the arm on the first one is across the plane of the shafts."""
    c, s = np.cos(BETA), np.sin(BETA)
    inertia = {"mass": 1, "inertia": [0.1, 0.2, 0.2]}
    return Mechanism(
        dimensions=3,
        bodies={"first": {**inertia, "at": [-1, 0, 0]}, "second": {**inertia, "at": [c, s, 0]}},
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "first"], "at": [-1, 0, 0], "axis": [1, 0, 0]},
            "U": {"kind": "universal", "bodies": ["first", "second"], "at": [0, 0, 0], "axis": [0, 0, 1],
                  "cross": [-s, c, 0]},
            "B": {"kind": "revolute", "bodies": ["ground", "second"], "at": [c, s, 0], "axis": [c, s, 0]},
        },
        drives={"motor": {"joint": "A", "angle": "3*t"}},
    )  # fmt: skip


def test_ratio_of_cardan_shafts():
    """ω₂/ω₁ = cos β/(1 − sin²β sin²φ), φ from where the first arm is across the plane of the shafts."""
    found = shafts().transmission("A", "B")
    assert found.full_turn
    expected = np.cos(BETA) / (1 - np.sin(BETA) ** 2 * np.sin(found.input) ** 2)
    assert found.ratio == pytest.approx(expected, abs=1e-12)


def test_angles_of_the_cross():
    """From in line the arms are turned by tan γ₁ = tan β cos φ and sin γ₂ = sin β sin φ; counted as assembled."""
    t = np.linspace(0, 2, 41)
    motion = shafts().kinematics(t)
    first, second = motion.joint("U.angle1"), motion.joint("U.angle2")
    assert first.value.ravel() == pytest.approx(np.arctan(np.tan(BETA) * np.cos(3 * t)) - BETA, abs=1e-9)
    assert second.value.ravel() == pytest.approx(np.arcsin(np.sin(BETA) * np.sin(3 * t)), abs=1e-9)
    for curve in (first, second):
        slope = np.gradient(curve.value.ravel(), t, edge_order=2)
        assert slope[2:-2] == pytest.approx(curve.velocity.ravel()[2:-2], abs=0.02)


def gimbal(**drives: str) -> Mechanism:
    return Mechanism(
        dimensions=3,
        bodies={"camera": {"mass": 2, "inertia": [0.1, 0.2, 0.3], "at": [0.2, 0.1, 0]}},
        joints={
            "U": {"kind": "universal", "bodies": ["ground", "camera"], "at": [0, 0, 0], "axis": [0, 0, 1],
                  "cross": [0, 1, 0]},
        },
        drives={f"m_{name}": {"joint": "U", name: value} for name, value in drives.items()},
    )  # fmt: skip


def test_both_angles_driven():
    """The first turns about the arm on the ground, the second about the arm on the body, beyond half a turn too."""
    machine = gimbal(angle1="2*t", angle2="0.4*sin(3*t)")
    t = np.linspace(0, 4, 9)
    motion = machine.kinematics(t)
    turned = Rotation.from_euler("ZY", np.column_stack([2 * t, 0.4 * np.sin(3 * t)]))
    places = np.column_stack([motion[name] for name in ("x_camera", "y_camera", "z_camera")])
    assert places == pytest.approx(turned.apply([0.2, 0.1, 0]), abs=1e-9)
    assert motion.joint("U.angle1").value.ravel() == pytest.approx(2 * t, abs=1e-9)


def test_torques_of_the_drives_are_the_power():
    machine = gimbal(angle1="2*t", angle2="0.4*sin(3*t)")
    run = machine.simulate(1.0, rtol=1e-9, atol=1e-11)
    assert run.certificate.ok
    first, second = (run.multipliers[f"m_angle{k}.angle{k}"] for k in (1, 2))
    power = first * 2 + second * 1.2 * np.cos(3 * run.t)
    assert np.gradient(run.energy, run.t, edge_order=2)[3:-3] == pytest.approx(power[3:-3], abs=0.02 * power.max())


def test_one_angle_driven_by_speed_the_other_sprung():
    machine = gimbal().replace(
        drives={"m": {"joint": "U", "speed": "2", "coordinate": "angle1"}},
        springs={"s": {"joint": "U", "coordinate": "angle2", "stiffness": 5}},
    )
    run = machine.simulate(1.0)
    assert run.certificate.ok
    assert run.joint("s", on="camera", axes="joint", at=[-0.2, -0.1, 0]).determined


@pytest.mark.parametrize(
    ("drive", "words"),
    [
        ({"angle": "t"}, "has no angle; it has `angle1` and `angle2`"),
        ({}, "nothing is given for `angle1`, `angle2` or `speed`"),
        ({"speed": "t"}, "coordinate"),
    ],
)
def test_what_can_be_driven(drive, words):
    with pytest.raises(ModelError, match=words):
        gimbal().replace(drives={"m": {"joint": "U", **drive}})


def test_a_spherical_pair_has_no_axes():
    with pytest.raises(ModelError, match="no axes: drive a universal pair and a revolute"):
        Mechanism(
            dimensions=3,
            bodies={"b": {"mass": 1, "inertia": [1, 1, 1]}},
            joints={"S": {"kind": "spherical", "bodies": ["ground", "b"], "at": [0, 0, 0]}},
            drives={"m": {"joint": "S", "angle": "t"}},
        )
