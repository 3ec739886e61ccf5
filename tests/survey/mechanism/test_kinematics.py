"""Driven mechanisms without dynamics against closed forms, and the words where they cannot follow."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, SimulationError
from tests.model.mechanism.linkages import bricard, four_bar, loop, slider_crank, spatial_four_bar


def piston(angle: np.ndarray, a: float = 1.0, l: float = 3.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Place of the slider and its derivatives by the angle of the crank."""
    s, c = np.sin(angle), np.cos(angle)
    rod = np.sqrt(l**2 - a**2 * s**2)
    first = -a * s - a**2 * s * c / rod
    second = -a * c - a**2 * (c**2 - s**2) / rod - a**4 * s**2 * c**2 / rod**3
    return a * c + rod, first, second


TIMES = np.linspace(0, 1, 25)
SPEED = 2 * np.pi


@pytest.mark.parametrize("drive", [{"angle": "pi/3 + 2*pi*t"}, {"speed": "2*pi"}])
def test_slider_crank_without_masses(drive):
    """A drive by speed is integrated; both agree with the closed form."""
    motion = slider_crank(mass=0, drives={"motor": {"joint": "A", **drive}}).kinematics(TIMES)
    x, first, second = piston(np.pi / 3 + SPEED * TIMES)
    assert motion["x_slider"] == pytest.approx(x, abs=1e-11)
    assert motion["x_slider'"] == pytest.approx(SPEED * first, abs=1e-10)
    assert motion["x_slider''"] == pytest.approx(SPEED**2 * second, abs=1e-9)
    guide, pin = motion.joint("D"), motion.point("rod", "Q")
    assert guide.value == pytest.approx(x, abs=1e-11) and guide.acceleration == pytest.approx(motion["x_slider''"])
    assert pin.value[:, 0] == pytest.approx(x, abs=1e-11) and np.abs(pin.value[:, 1]).max() < 1e-11
    assert pin.acceleration[:, 0] == pytest.approx(SPEED**2 * second, abs=1e-9)


def test_drive_by_a_table_and_negative_times():
    table = {"t": [-1, 0, 1, 2], "value": [0.5, np.pi / 3, 2, 2.5]}
    motion = slider_crank(drives={"motor": {"joint": "A", "angle": table}}).kinematics([-0.5, 0.5, 1.0])
    crank = motion.joint("A")
    x, first, second = piston(crank.value)
    assert crank.value[2] == pytest.approx(2, abs=1e-12)
    assert motion["x_slider"] == pytest.approx(x, abs=1e-12)
    assert motion["x_slider''"] == pytest.approx(second * crank.velocity**2 + first * crank.acceleration, abs=1e-11)


def test_velocities_and_accelerations_are_derivatives():
    mechanism = four_bar(1, 3, 2.5, 3, 1.0, drives={"motor": {"joint": "A", "angle": "t + t^2/2"}})
    h = 1e-4
    motion = mechanism.kinematics([0.7 - h, 0.7, 0.7 + h])
    point = motion.point("b2", [0.3, 0.4])
    for value, rate, second in ((motion.q, motion.v, motion.a), point):
        assert (value[2] - value[0]) / (2 * h) == pytest.approx(rate[1], abs=1e-6)
        assert (value[2] - 2 * value[1] + value[0]) / h**2 == pytest.approx(second[1], abs=1e-5)


def test_spatial_four_bar_moves_as_the_planar_one():
    drives = {"motor": {"joint": "A", "angle": "-7*t"}}
    spatial = spatial_four_bar(drives=drives).kinematics(TIMES)
    planar = loop([[0, 0], [0, 1], [2, 2], [2, 0]], drives=drives).kinematics(TIMES)
    for joint in "ABCD":
        for one, other in zip(spatial.joint(joint), planar.joint(joint), strict=True):
            assert one == pytest.approx(other, abs=1e-9)  # more than a turn of A


def test_bricard_driven():
    """By symmetry θ1 = θ3 = θ5 and θ2 = θ4 (IFToMM A04)."""
    motion = bricard().replace(drives={"motor": {"joint": "A", "angle": "t"}}).kinematics(np.linspace(0, 3, 7))
    angles = [motion.joint(joint).value for joint in "ABCDE"]
    assert angles[2] == pytest.approx(angles[0], abs=1e-9) and angles[4] == pytest.approx(angles[0], abs=1e-9)
    assert angles[3] == pytest.approx(angles[1], abs=1e-9)


def test_parallelogram_goes_through_its_change_points():
    """Also at the times of them, where the drive does not determine the velocities."""
    times = np.linspace(0, 2 * np.pi, 9)
    mechanism = loop([[0, 0], [0, 1], [3, 1], [3, 0]], drives={"motor": {"joint": "A", "angle": "t"}})
    motion = mechanism.kinematics(times)
    assert motion["phi_b3"] == pytest.approx(times, abs=1e-9) and np.abs(motion["phi_b2"]).max() < 1e-9
    assert motion["phi_b3'"] == pytest.approx(np.ones(9), abs=1e-7) and np.abs(motion["phi_b3''"]).max() < 1e-5


def test_rolling_disk_on_a_line():
    mechanism = Mechanism(
        {"disk": {"at": [0, 0.5]}},
        {
            "R": {
                "kind": "rolling",
                "bodies": ["ground", "disk"],
                "points": [[0, 0], [0, 0]],
                "axis": [1, 0],
                "radius": 0.5,
            }
        },
        drives={"pull": {"joint": "R", "distance": "sin(t)"}},
    )
    motion = mechanism.kinematics(TIMES)
    assert motion["phi_disk"] == pytest.approx(-2 * np.sin(TIMES), abs=1e-12)


def test_steered_rolling_sphere_in_space():
    """Rolling leaves positions to be integrated: a sphere led round a circle without spin comes back turned.

    ω turns once about the vertical with the speed 1. Seen from a frame that turns with it, the sphere turns about a fixed
    axis, ω less the vertical, with the speed √2; after one turn of the frame both see the same.
    """
    mechanism = Mechanism(
        {"ball": {"at": [1, 0, 1]}},
        {"R": {"kind": "rolling_sphere", "bodies": ["ground", "ball"], "radius": 1}},
        dimensions=3,
        constraints={
            "x": "x_ball = cos(t)",
            "y": "y_ball = sin(t)",
            "spin": "e0_ball*e3_ball' - e3_ball*e0_ball' + e1_ball*e2_ball' - e2_ball*e1_ball' = 0",
        },
    )
    motion = mechanism.kinematics([0.0, 2 * np.pi])
    axis, angle = np.array([-1.0, 0.0, -1.0]) / np.sqrt(2), 2 * np.pi * np.sqrt(2)
    expected = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
    turned = motion.q[1, 3:]
    assert abs(turned @ expected) == pytest.approx(1, abs=1e-9)


# --- words -----------------------------------------------------------------------------------------------------------


def test_underdriven_and_overdriven():
    with pytest.raises(
        ModelError, match=r"1 degree of freedom and 0 drives: it is underdriven.*`crank`, `rod` and `slider`"
    ):
        slider_crank().kinematics([0, 1])
    both = {"m1": {"joint": "A", "speed": 1}, "m2": {"joint": "B", "speed": 0}}
    with pytest.raises(
        ModelError, match=r"1 degree of freedom and 2 drives \(`m1.speed` and `m2.speed`\): it is overdriven"
    ):
        slider_crank(drives=both).kinematics([0, 1])


def test_a_start_without_grip():
    dead = slider_crank(angle=0.0, drives={"m": {"joint": "D", "distance": "4 - t^2"}})
    with pytest.raises(ModelError, match=r"assembled position: with the drives held, `crank` and `rod` can still move"):
        dead.kinematics([0, 1])
    flat = loop([[0, 0], [1, 0], [4, 0], [3, 0]], drives={"m": {"joint": "A", "angle": "t"}})
    with pytest.raises(ModelError, match="the assembled position is singular: there `b2` and `b3` can move"):
        flat.kinematics([0, 1])


def test_where_a_piston_cannot_go_on():
    """Driven by the piston, the slider-crank locks when it is stretched, at x = a + l."""
    start = piston(np.array([np.pi / 3]))[0][0]
    mechanism = slider_crank(drives={"m": {"joint": "D", "distance": f"{start:.15f} + t"}})
    with pytest.raises(SimulationError, match=r"`A`, `B` and `C` cannot follow `m`.*`crank` and `rod` could") as lock:
        mechanism.kinematics(TIMES)
    assert f"locks at t = {4 - start:.6g}" in str(lock.value) and "x_slider = 4" in str(lock.value)


def test_where_a_rocker_cannot_follow():
    """a = b = c = 2, d = 5: coupler and rocker are stretched at cos θ = (a² + d² − (b + c)²)/(2ad)."""
    limit = np.arccos((4 + 25 - 16) / 20)
    mechanism = four_bar(2, 2, 2, 5, 0.5, drives={"motor": {"joint": "A", "angle": "t"}})
    with pytest.raises(
        SimulationError, match=r"cannot follow `motor` any further.*`b2` and `b3` could still move"
    ) as lock:
        mechanism.kinematics([0, 2])
    assert f"locks at t = {limit - 0.5:.6g}" in str(lock.value)


def test_bad_questions():
    motion = slider_crank(drives={"m": {"joint": "A", "speed": 1}}).kinematics(0.1)
    with pytest.raises(KeyError, match="did you mean"):
        motion["x_slidr"]
    with pytest.raises(ModelError, match="no point `R`"):
        motion.point("rod", "R")
    with pytest.raises(ModelError, match="2 numbers in its frame"):
        motion.point("rod", [1, "x"])
    with pytest.raises(ModelError, match="no joint or coordinate `Z`"):
        motion.joint("Z")
    with pytest.raises(ModelError, match="increasing order"):
        slider_crank().kinematics([1, 0])
