"""Machines of textbooks against what is known of them: paths, ratios, accelerations, counts."""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, example


def bar(p, q, mass: float = 1.0) -> dict:
    """Return a uniform bar between two points."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    middle = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2]
    return {"mass": mass, "inertia": mass * (dx**2 + dy**2) / 12, "at": middle, "angle": atan2(dy, dx)}


def joint(kind: str, first: str, second: str, **rest) -> dict:
    return {"kind": kind, "bodies": [first, second], **rest}


def pin(first: str, second: str, at) -> dict:
    return joint("revolute", first, second, at=[float(x) for x in at])


def test_peaucellier_draws_a_straight_line():
    """The inversor: arms of 3, rhombus of 1.5, and a crank whose pin passes through the centre of inversion."""
    arm, side = 3.0, 1.5
    c = np.array([1.9, sqrt(0.19)])
    along = c / hypot(*c)
    x = (arm**2 - side**2 + c @ c) / (2 * hypot(*c))
    across = sqrt(arm**2 - x**2) * np.array([-along[1], along[0]])
    b, d, p = x * along + across, x * along - across, 2 * x * along - c
    machine = Mechanism(
        bodies={
            "crank": bar([1, 0], c), "ob": bar([0, 0], b), "od": bar([0, 0], d),
            "bc": bar(b, c), "dc": bar(d, c), "bp": bar(b, p), "dp": bar(d, p),
        },
        joints={
            "A": pin("ground", "crank", [1, 0]), "O1": pin("ground", "ob", [0, 0]), "O2": pin("ground", "od", [0, 0]),
            "B1": pin("ob", "bc", b), "B2": pin("ob", "bp", b), "D1": pin("od", "dc", d), "D2": pin("od", "dp", d),
            "C1": pin("crank", "bc", c), "C2": pin("crank", "dc", c), "P": pin("bp", "dp", p),
        },
    )  # fmt: skip
    assert machine.mobility().freedom == 1
    run = machine.simulate(0.5)
    assert run.certificate.ok
    assert np.ptp(run["y_bp"]) > 0.5
    assert run["x_bp"] + side / 2 * np.cos(run["phi_bp"]) == pytest.approx(np.full(len(run.t), p[0]), abs=1e-7)


def test_planetary_gears():
    """Willis: with the ring held, the carrier turns by r_sun/(r_sun + r_ring) of the sun."""
    sun, planet = 0.2, 0.1
    ring, centres = sun + 2 * planet, {"points": [[0, 0], [0, 0]], "carrier": "carrier"}
    gears = Mechanism(
        bodies={
            "sun": {"mass": 1, "inertia": 0.02}, "carrier": {"mass": 1, "inertia": 0.05},
            "planet": {"mass": 0.5, "inertia": 0.0025, "at": [sun + planet, 0]}, "ring": {"mass": 2, "inertia": 0.3},
        },
        joints={
            "S": pin("ground", "sun", [0, 0]), "K": pin("ground", "carrier", [0, 0]),
            "P": pin("carrier", "planet", [sun + planet, 0]), "R": pin("ground", "ring", [0, 0]),
            "inner": joint("gear", "sun", "planet", radii=[sun, planet], **centres),
            "outer": joint("gear", "ring", "planet", radii=[ring, planet], internal=True, **centres),
        },
        drives={"input": {"joint": "S", "angle": "3*t"}, "held": {"joint": "R", "angle": "0"}},
    )  # fmt: skip
    t = np.linspace(0, 2, 5)
    assert gears.kinematics(t).joint("K").value.ravel() == pytest.approx(3 * t * sun / (sun + ring), abs=1e-9)


def test_geneva_wheel_while_the_pin_is_in_the_slot():
    radius, start = 1 / sqrt(2), pi - 0.5
    place = [1 + radius * cos(start), radius * sin(start)]
    wheel = Mechanism(
        bodies={"crank": {"at": [1, 0]}, "wheel": {}},
        joints={
            "C": pin("ground", "crank", [1, 0]),
            "W": pin("ground", "wheel", [0, 0]),
            "slot": joint("slot", "wheel", "crank", at=place, axis=place),
        },
        drives={"motor": {"joint": "C", "speed": "1"}},
    )
    t = np.linspace(0, 1, 11)
    angle = np.arctan2(radius * np.sin(start + t), 1 + radius * np.cos(start + t))
    assert wheel.kinematics(t).joint("W").value.ravel() == pytest.approx(angle - angle[0], abs=1e-8)


def test_oldham_coupling_has_the_ratio_one():
    e = 0.1
    coupling = Mechanism(
        bodies={"first": {}, "middle": {"at": [e / 2, 0]}, "second": {"at": [e, 0]}},
        joints={
            "A": pin("ground", "first", [0, 0]),
            "B": pin("ground", "second", [e, 0]),
            "S1": joint("prismatic", "first", "middle", at=[0, 0], axis=[1, 0]),
            "S2": joint("prismatic", "middle", "second", at=[e, 0], axis=[0, 1]),
        },
    )
    found = coupling.transmission("A", "B", samples=24)
    assert found.full_turn
    assert found.ratio == pytest.approx(np.ones(25), abs=1e-12)


def test_block_and_tackle():
    """A load of 10 kg on two parts of a rope, 4 kg at its end: the load sinks with 2 g/26."""
    pulleys = [
        {"body": "load", "point": [0, 0], "radius": 0.1, "side": "left"},
        {"body": "ground", "point": [0.3, 0], "radius": 0.1, "side": "right"},
    ]
    tackle = Mechanism(
        bodies={
            "load": {"mass": 10, "inertia": 0.1, "at": [0.1, -2]},
            "weight": {"mass": 4, "inertia": 0.1, "at": [0.4, -1]},
        },
        joints={
            "rope": joint("rope", "ground", "weight", at=[[0, 0], [0.4, -1]], over=pulleys),
            "G1": joint("prismatic", "ground", "load", at=[0.1, -2], axis=[0, 1]),
            "G2": joint("prismatic", "ground", "weight", at=[0.4, -1], axis=[0, 1]),
        },
    )
    run = tackle.simulate(0.5)
    assert run["y_load"][-1] + 2 == pytest.approx(-2 * 9.81 / 26 * 0.5**2 / 2, rel=1e-9)
    assert run.joint("rope", on="weight").size == pytest.approx(np.full(len(run.t), 4 * 9.81 * (1 + 4 / 26)), rel=1e-9)


def test_ball_screw():
    """τ = J α + m a p/2π with a = α p/2π; and which of its bearings to loosen."""
    pitch = 0.005
    k, spatial = pitch / (2 * pi), {"axis": [0, 0, 1]}
    screw = Mechanism(
        dimensions=3,
        gravity=[0, 0, 0],
        bodies={
            "screw": {"mass": 1, "inertia": [0.01, 0.01, 0.002]},
            "nut": {"mass": 10, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, 0.2]},
        },
        joints={
            "bearing": joint("revolute", "ground", "screw", at=[0, 0, 0], **spatial),
            "guide": joint("prismatic", "ground", "nut", at=[0.1, 0, 0.2], **spatial),
            "thread": joint("screw", "screw", "nut", at=[0, 0, 0.2], pitch=pitch, **spatial),
        },
        actuators={"motor": {"joint": "bearing", "torque": "0.5"}},
    )
    run = screw.simulate(0.5)
    assert abs(run["z_nut"][-1] - 0.2) == pytest.approx(0.5 / (0.002 / k + 10 * k) * 0.5**2 / 2, rel=1e-7)
    advice = [problem.text for problem in screw.check().problems]
    assert any("replace `guide` by a point_in_plane pair (axis [0, 1, 0])" in text for text in advice)
    loosened = {**screw.joints["guide"].table, "kind": "point_in_plane", "axis": [0, 1, 0]}
    assert not screw.replace(joints={"guide": loosened}).check().redundancies


def test_delta_robot_keeps_its_plate_level():
    bodies, joints = {"plate": {"mass": 1, "inertia": [0.01, 0.01, 0.02], "at": [0, 0, -1]}}, {}
    drives = {}
    for i in range(3):
        out = np.array([cos(2 * pi * i / 3), sin(2 * pi * i / 3), 0])
        side = np.array([-out[1], out[0], 0])
        bodies[f"arm{i}"] = {"mass": 0.5, "inertia": [0.01, 0.01, 0.01], "at": (0.5 * out).tolist()}
        joints[f"A{i}"] = joint("revolute", "ground", f"arm{i}", at=(0.3 * out).tolist(), axis=side.tolist())
        for k in (1, 2):
            ends = [0.7 * out + (2 * k - 3) * 0.05 * side, 0.1 * out - [0, 0, 1] + (2 * k - 3) * 0.05 * side]
            joints[f"rod{i}{k}"] = joint("rod", f"arm{i}", "plate", at=[end.tolist() for end in ends])
        drives[f"m{i}"] = {"joint": f"A{i}", "angle": f"0.3*sin(2*t + {i}) - 0.3*sin({i})"}
    robot = Mechanism(dimensions=3, bodies=bodies, joints=joints, drives=drives)
    assert robot.mobility().freedom == 3
    motion = robot.kinematics(np.linspace(0, 2, 9))
    assert np.ptp(motion["z_plate"]) > 0.1
    assert np.abs([motion[f"e{k}_plate"] for k in (1, 2, 3)]).max() < 1e-12


def test_a_rod_between_two_balls_turns_idly():
    """The wiper drive RSSR moves as asked, and says why nothing can be called its transmission."""
    turning = {"mass": 0.5, "inertia": [1e-3, 1e-3, 1e-3]}
    wiper = Mechanism(
        dimensions=3,
        bodies={
            "crank": {**turning, "at": [0.02, 0, 0]},
            "rod": {**turning, "at": [0.225, 0.05, 0.05]},
            "lever": {**turning, "at": [0.4, 0.05, 0.1]},
        },
        joints={
            "M": joint("revolute", "ground", "crank", at=[0, 0, 0], axis=[0, 0, 1]),
            "W": joint("revolute", "ground", "lever", at=[0.4, 0, 0.1], axis=[0.2, 0, 1]),
            "S1": joint("spherical", "crank", "rod", at=[0.05, 0, 0]),
            "S2": joint("spherical", "rod", "lever", at=[0.4, 0.1, 0.1]),
        },
    )
    found = wiper.mobility()
    assert (found.freedom, found.idle) == (2, ("rod",))
    with pytest.raises(ModelError, match="`rod` can move by itself: replace a joint there"):
        wiper.transmission("M", "W")
    fixed = wiper.replace(
        joints={"S1": joint("universal", "crank", "rod", at=[0.05, 0, 0], axis=[0, 0, 1], cross=[0, 1, 0])}
    )
    swing = fixed.transmission("M", "W", samples=36)
    assert swing.full_turn
    assert len(swing.reversals) == 2


def test_what_is_driven_has_no_virtual_motion():
    """Of a large driven mechanism the certificate does not take rounding for a motion."""
    parallel = example("n-four-bar-joints:8")
    name = next(name for name, one in parallel.joints.items() if "ground" in one.bodies)
    run = parallel.replace(drives={"motor": {"joint": name, "angle": "-sin(t)"}}).simulate(0.5)
    assert run.certificate.ok, str(run.certificate)


def test_bricard_from_a_guess_that_is_far_off():
    machine = example("bricard")
    guess = machine.start().q + 2.0 * np.random.default_rng(0).normal(size=35)
    state = machine.assemble(dict(zip(machine.coordinates, guess, strict=True)))
    assert np.abs(machine.compile().residuals(0.0, state.q, 0 * state.q)[0]).max() < 1e-9
