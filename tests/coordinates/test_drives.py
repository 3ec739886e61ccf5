"""Drives that take the place of a coordinate: the same motion and the same forces, with fewer unknowns."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, loads
from tests.coordinates.same import differences
from tests.coordinates.test_tree import SLIDER

BODIES = {
    "arm": {"mass": 2, "inertia": 0.2, "at": [0.4, 0]},
    "rod": {"mass": 1.5, "inertia": 0.1, "at": [1.1, 0]},
    "bob": {"mass": 0.7, "inertia": 0.05, "at": [1.7, 0]},
}
JOINTS = {
    "A": {"kind": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]},
    "B": {"kind": "revolute", "bodies": ["rod", "arm"], "at": [0.8, 0]},
    "C": {"kind": "revolute", "bodies": ["rod", "bob"], "at": [1.4, 0]},
}
TURNED = {"joint": "B", "angle": "0.3*sin(2*t) + 0.1*t", "eliminate": True}
INNER = Mechanism(BODIES, JOINTS, drives={"motor": TURNED}, potential="2*angle_B*x_bob", by="joints")
CRANK = Mechanism(
    {**SLIDER["bodies"], "crank": {"mass": 2, "inertia": 0.015, "at": [0.15, 0]}},
    SLIDER["joints"],
    drives={"motor": {"joint": "A", "angle": "20*t + 0.3", "eliminate": True}},
)
SPATIAL = Mechanism(
    bodies={
        "post": {"mass": 3, "inertia": [0.2, 0.2, 0.1], "at": [0, 0, 0.5]},
        "arm": {"mass": 2, "inertia": [0.02, 0.2, 0.2], "at": [0.5, 0, 1]},
        "hand": {"mass": 1, "inertia": [0.02, 0.03, 0.04], "at": [1.2, 0.1, 1]},
    },
    joints={
        "P": {"kind": "cylindrical", "bodies": ["ground", "post"], "at": [0, 0, 0], "axis": [0, 0, 1]},
        "Q": {"kind": "revolute", "bodies": ["post", "arm"], "at": [0, 0, 1], "axis": [0, 1, 0]},
        "R": {"kind": "spherical", "bodies": ["arm", "hand"], "at": [1, 0, 1]},
    },
    drives={
        "lift": {"joint": "P", "distance": "0.1*sin(3*t)", "eliminate": True},
        "tilt": {"joint": "Q", "angle": "0.2*t^2", "eliminate": True},
    },
    dimensions=3,
)


@pytest.mark.parametrize("mechanism", [INNER, CRANK, SPATIAL], ids=["inner joint", "loop", "in space"])
def test_same_motion_and_forces(mechanism):
    absolute = mechanism.replace(by="absolute")
    assert not differences(absolute, "joints", 0.2)
    assert absolute.replace(by="joints").simulate(0.2).certificate.ok


def test_the_coordinate_is_gone_and_its_name_stays():
    assert INNER.coordinates == ("angle_A", "angle_C") and not INNER.constraints
    assert "`rod` by `B` (its angle is that of `motor`)" in str(INNER.tree)
    run = INNER.simulate(0.4, samples=5)
    t = run.t
    assert run.evaluate("B.angle") == pytest.approx(0.3 * np.sin(2 * t) + 0.1 * t, abs=1e-12)
    assert run.evaluate("angle_B'") == pytest.approx(0.6 * np.cos(2 * t) + 0.1, abs=1e-12)
    assert run.evaluate("angle_B''") == pytest.approx(-1.2 * np.sin(2 * t), abs=1e-12)
    assert CRANK.replace(by="joints").coordinates == ("angle_B", "distance_D")
    assert SPATIAL.replace(by="joints").coordinates[:1] == ("angle_P",)


def test_a_pendulum_on_a_turning_arm():
    """(J + m a²) β̈ = −m a R Ω² sin β, without weight, if the arm of length R turns at a steady Ω."""
    arm = Mechanism(
        {"arm": {"mass": 1, "inertia": 1, "at": [0, 0]}, "rod": {"mass": "m", "inertia": "J", "at": ["R + a", 0]}},
        {
            "A": {"kind": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["arm", "rod"], "at": ["R", 0], "coordinate": "beta"},
        },
        drives={"motor": {"joint": "A", "angle": "W*t", "eliminate": True}},
        parameters={"m": 1.3, "J": 0.2, "R": 0.7, "a": 0.4, "W": 3.0},
        gravity=[0, 0],
        by="joints",
    )
    beta = 0.6
    found = arm.compile().accelerations(0.8, [beta], [0.5]).acceleration[0]
    assert found == pytest.approx(-1.3 * 0.4 * 0.7 * 9 * np.sin(beta) / (0.2 + 1.3 * 0.16), rel=1e-12)


def test_written_and_read_again():
    assert loads(str(INNER)) == INNER
    assert INNER.replace(by="absolute").replace(by="joints").coordinates == INNER.coordinates


@pytest.mark.parametrize(
    ("drive", "message"),
    [
        ({"joint": "B", "speed": "2", "eliminate": True}, "only a drive by an angle or a distance"),
        ({"joint": "B", "angle": "abs(t)", "eliminate": True}, "functions that switch cannot take the place"),
        ({"joint": "B", "angle": {"t": [0, 1], "value": [0, 1]}, "eliminate": True}, "tables and functions"),
        ({"joint": "B", "angle": "t", "eliminate": 1}, "expected true or false"),
    ],
)
def test_mistakes(drive, message):
    with pytest.raises(ModelError, match=message):
        Mechanism(BODIES, JOINTS, drives={"motor": drive}, by="joints")


def test_what_closes_a_loop_has_no_coordinate():
    drive = {"joint": "C", "angle": "t", "eliminate": True}
    with pytest.raises(ModelError, match="joint `C` carries no body"):
        Mechanism(SLIDER["bodies"], SLIDER["joints"], drives={"motor": drive}, by="joints")


def test_something_must_be_left():
    drives = {name: {"joint": name, "angle": "t", "eliminate": True} for name in "ABC"}
    drives = {f"motor{name}": drive for name, drive in drives.items()}
    with pytest.raises(ModelError, match="drives take the place of all coordinates"):
        Mechanism(BODIES, JOINTS, drives=drives, by="joints")
