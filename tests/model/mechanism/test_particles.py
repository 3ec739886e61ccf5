"""Particles, bodies without orientation: against closed forms and against models by energies; and what they cannot do."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, Mechanism, ModelError, System
from dalembert import loads as read
from tests.extending.contract import journey

G = 9.81


def pendulum(**more):
    """Return a point at the end of a rod."""
    return Mechanism(
        {"bob": {"kind": "particle", "mass": "m", "at": ["l", 0]}},
        {"string": {"kind": "rod", "bodies": ["ground", "bob"], "points": [[0, 0], [0, 0]], "length": "l"}},
        parameters={"m": 0.7, "l": 1.3},
        **more,
    )


def test_a_pendulum_is_that_of_textbooks(tmp_path):
    system = pendulum()
    assert system.coordinates == ("x_bob", "y_bob") and len(system.constraints) == 1
    run = journey(system, tmp_path, 1.5)
    angle = System(
        "phi", kinetic="m*l^2*phi'^2/2", potential="-m*g*l*cos(phi)",
        parameters={"m": 0.7, "l": 1.3, "g": G}, initial={"phi": np.pi / 2},
    ).simulate(1.5)  # fmt: skip
    assert run["x_bob"][-1] == pytest.approx(1.3 * np.sin(angle["phi"][-1]), abs=1e-7)
    pull = run.evaluate("string.tension")[-1]
    assert pull == pytest.approx(3 * 0.7 * G * np.cos(angle["phi"][-1]), rel=1e-6)
    sizes = np.linalg.norm(run.joint("string").force, axis=1)
    assert sizes == pytest.approx(run.evaluate("string.force"), rel=1e-9)
    assert np.abs(run.joint("string").moment).max() < 1e-12


def test_a_spherical_pendulum(tmp_path):
    bob = {"kind": "particle", "mass": 2, "at": [0.8, 0, 0], "velocity": [0, 1.5, 0]}
    rod = {"kind": "rod", "bodies": ["ground", "bob"], "points": [[0, 0, 0], [0, 0, 0]]}
    system = Mechanism({"bob": bob}, {"string": rod}, dimensions=3)
    assert system.coordinates == ("x_bob", "y_bob", "z_bob") and system.mobility().freedom == 2
    run = journey(system, tmp_path)
    plain = System(
        "x y z", kinetic="x'^2 + y'^2 + z'^2", potential="2*9.81*z", constraints={"c": "x^2 + y^2 + z^2 = 0.64"},
        initial={"x": 0.8, "y": 0, "x'": 0, "y'": 1.5},
    ).simulate(1.0)  # fmt: skip
    assert run.q[-1] == pytest.approx(plain.q[-1], abs=1e-7)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_on_a_line_without_friction(dimensions):
    more = [0] * (dimensions - 2)
    slope = {"kind": "slot" if dimensions == 2 else "point_on_line", "bodies": ["ground", "bead"]}
    axis = [1, *more, -1]
    bead = {"kind": "particle", "mass": 3, "at": [0.2, *more, 0.5]}
    system = Mechanism({"bead": bead}, {"wire": {**slope, "at": bead["at"], "axis": axis}}, dimensions=dimensions)
    run = system.simulate(0.8)
    assert run["x_bead"][-1] == pytest.approx(0.2 + G / 2 * 0.8**2 / 2, rel=1e-9) and run.certificate.ok
    assert list(system.joints["wire"].coordinates) == ["distance"] and system.mobility().count == 1
    assert run.evaluate("wire.force")[-1] == pytest.approx(3 * G / np.sqrt(2), rel=1e-9)


def test_in_a_plane_and_on_springs(tmp_path):
    bodies = {"a": {"kind": "particle", "mass": 1.5, "at": [1, 0, 0]}}
    plane = {"kind": "point_in_plane", "bodies": ["ground", "a"], "at": [1, 0, 0], "axis": [0, 0, 1]}
    spring = {"bodies": ["ground", "a"], "points": [[0, 0, 0], [0, 0, 0]], "stiffness": 60, "length": 0}
    system = Mechanism(bodies, {"floor": plane}, springs={"s": spring}, dimensions=3, initial={"y_a'": 2})
    run = journey(system, tmp_path, 0.7)
    w = np.sqrt(60 / 1.5)
    assert run.q[-1] == pytest.approx([np.cos(w * 0.7), 2 / w * np.sin(w * 0.7), 0], abs=1e-7)
    free = Mechanism(bodies | {"b": {"kind": "particle", "mass": 2, "at": [2, 0, 0]}}, dimensions=3)
    assert free.mobility().freedom == 6 and "3·2 (particles)" in str(free.mobility())


def test_atwood():
    points = {"kind": "particle"}
    system = Mechanism(
        {
            "wheel": {"mass": 0.5, "inertia": 0.02, "at": [0, 0]},
            "left": {**points, "mass": 1, "at": [-0.2, -1]},
            "right": {**points, "mass": 2, "at": [0.2, -1]},
        },
        {
            "axle": {"kind": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0]},
            "rope": {
                "kind": "rope", "bodies": ["left", "right"], "points": [[0, 0], [0, 0]], "grip": True,
                "over": [{"body": "wheel", "point": [0, 0], "radius": 0.2, "side": "right"}],
            },
        },
    )  # fmt: skip
    run = system.simulate(0.3)
    a = G / (3 + 0.02 / 0.04)
    assert run["y_right"][-1] == pytest.approx(-1 - a * 0.3**2 / 2, rel=1e-8) and run.certificate.ok


def test_pinned_to_a_body():
    rod = {"mass": 1, "inertia": 0.1, "at": [0.5, 0]}
    pin = {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}
    end = {"kind": "revolute", "bodies": ["rod", "bob"], "at": [1, 0]}
    system = Mechanism({"rod": rod, "bob": {"kind": "particle", "mass": 2, "at": [1, 0]}}, {"A": pin, "B": end})
    heavy = Mechanism({"rod": {"mass": 3, "centre": [5 / 6, 0], "inertia": 0.1 + 0.25 + 2 - 25 / 12}}, {"A": pin})
    assert system.mobility().freedom == 1 and not system.joints["B"].coordinates
    run, one = system.simulate(1), heavy.simulate(1)
    assert run["phi_rod"][-1] == pytest.approx(one["phi_rod"][-1], abs=1e-7)


def test_saved_and_changed():
    system = pendulum(outputs={"height": "bob.centre.y"})
    assert read(str(system)) == system and 'kind = "particle"' in str(system)
    assert system.replace(bodies={"bob": {"mass": 2}}).bodies["bob"].view.turns is False
    rigid = system.replace(bodies={"bob": {"kind": "rigid", "mass": 0.7, "inertia": 1, "at": ["l", 0]}})
    assert rigid.coordinates == ("x_bob", "y_bob", "phi_bob")


BOB = {"kind": "particle", "mass": 1, "at": [1, 0]}


@pytest.mark.parametrize(
    ("bob", "joint", "more", "message"),
    [
        ({"inertia": 1}, {}, {}, "a particle is a point, without `inertia`"),
        ({"angle": 1}, {}, {}, "without `angle`"),
        ({"points": {"P": [1, 0]}}, {}, {}, "without `points`"),
        ({"kind": "ghost"}, {}, {}, "kinds: rigid, particle"),
        ({"mass": -1}, {}, {}, "a mass is not negative"),
        ({}, {"kind": "prismatic", "axis": [1, 0]}, {}, "holds the orientation of `bob`, which is a particle"),
        ({}, {"kind": "rigid"}, {}, "holds the orientation of `bob`"),
        ({}, {"kind": "slot", "bodies": ["bob", "ground"], "axis": [1, 0]}, {}, "holds the orientation of `bob`"),
        ({}, {"at": [2, 0]}, {}, "is a point, and this is 1 m beside it"),
        ({}, {}, {"loads": {"w": {"body": "bob", "torque": 1}}}, "no torque can turn"),
        ({}, {}, {"loads": {"w": {"body": "bob", "point": [0, 1], "force": [1, 0]}}}, "beside it"),
        (
            {},
            {},
            {"springs": {"s": {"kind": "torsion", "bodies": ["ground", "bob"], "stiffness": 1}}},
            "without an angle",
        ),
        (
            {},
            {"kind": "rope", "bodies": ["ground", "ground"], "over": [{"body": "bob", "point": [0, 0], "radius": 1}]},
            {},
            "no pulley with a radius|same body|two bodies",
        ),
        ({}, {}, {"drives": {"d": {"joint": "A", "angle": "t"}}}, "can be driven"),
    ],
)
def test_what_a_point_cannot_do_is_said(bob, joint, more, message):
    pin = {"kind": "revolute", "bodies": ["ground", "bob"], "at": [1, 0]}
    with pytest.raises(ModelError, match=message):
        Mechanism({"bob": BOB | bob}, {"A": pin | joint}, **more)


def test_a_rope_is_straight_without_pulleys():
    bob = {"kind": "particle", "mass": 0.4, "at": [0, -1], "velocity": [5.2, 0]}
    string = {"kind": "rope", "bodies": ["ground", "bob"], "points": [[0, 0], [0, 0]]}
    swing = Mechanism({"bob": bob}, {"R": string})
    run = swing.simulate(1.2, events=[Event("R.tension = 0", "stop")])
    assert run.final()["y_bob"] == pytest.approx((5.2**2 - 2 * 9.81) / (3 * 9.81)) and read(str(swing)) == swing
    with pytest.raises(ModelError, match=r"joints\.R: both ends of the rope are at the same place"):
        swing.replace(bodies={"bob": {"at": [0, 0]}})


def test_the_way_of_a_particle_is_that_of_its_place():
    run = pendulum().simulate(0.1, samples=2)
    assert run.point("bob", [0, 0]).x == pytest.approx(run["x_bob"])
    with pytest.raises(ModelError, match="has no other points"):
        run.point("bob", [0.1, 0])


def test_a_free_particle_needs_a_mass():
    with pytest.raises(ModelError, match="it has no `mass`: nothing determines"):
        Mechanism({"bob": {"kind": "particle"}})
    run = Mechanism({"bob": BOB}, gravity=[0, -10]).simulate(1)
    assert run["y_bob"][-1] == pytest.approx(-5)
