"""Mechanisms as a whole: written in Python and in files, saved, changed, and moving as the same systems by energies."""

from __future__ import annotations

import pytest
import sympy as sp

from dalembert import Mechanism, ModelError, System, coordinates, dot, load, loads

SLIDER_CRANK = """
format = 1
name = "Slider-crank"

[parameters]
m1 = 1.0
J1 = 0.1
a = 1.0
l = 3.0
m2 = 2.0

[mechanism]
gravity = [0, -9.81]

[bodies.crank]
mass = "m1"
inertia = "J1"
at = ["a/2*cos(pi/3)", "a/2*sin(pi/3)"]
angle = "pi/3"
points = {O = ["-a/2", 0], P = ["a/2", 0]}
spin = 1.0

[bodies.rod]
mass = "m2"
inertia = "m2*l^2/12"
at = [2, 0.4]
angle = -0.3
points = {P = ["-l/2", 0], Q = ["l/2", 0]}

[bodies.slider]
mass = 1
at = [3.5, 0]

[joints.A]
kind = "revolute"
bodies = ["ground", "crank"]
points = [[0, 0], "O"]

[joints.B]
kind = "revolute"
bodies = ["crank", "rod"]
points = ["P", "P"]

[joints.C]
kind = "revolute"
bodies = ["rod", "slider"]
points = ["Q", [0, 0]]

[joints.D]
kind = "prismatic"
bodies = ["ground", "slider"]
at = [0, 0]
axis = [1, 0]

[initial]
phi_crank = "pi/3"

[simulate]
until = 5
"""


def slider_crank() -> Mechanism:
    mechanism = loads(SLIDER_CRANK)
    assert isinstance(mechanism, Mechanism)
    return mechanism


def four_bar() -> Mechanism:
    """Placed exactly, with joints in world coordinates: crank (0, 0)–(0, 1), coupler to (2, 2), rocker to (2, 0)."""
    bar = {"mass": 1, "inertia": 0.1}
    return Mechanism(
        bodies={
            "crank": {**bar, "at": [0, 0.5], "angle": "pi/2", "spin": -2},
            "coupler": {**bar, "at": [1, 1.5], "angle": "atan2(1, 2)"},
            "rocker": {**bar, "at": [2, 1], "angle": "pi/2"},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["crank", "coupler"], "at": [0, 1]},
            "C": {"kind": "revolute", "bodies": ["coupler", "rocker"], "at": [2, 2]},
            "D": {"kind": "revolute", "bodies": ["rocker", "ground"], "at": [2, 0]},
        },
        simulation={"until": 3},
    )


def test_slider_crank_moves_as_by_energies():
    mechanism = slider_crank()
    check = mechanism.check()
    assert check.ok and check.degrees_of_freedom == 1
    run = mechanism.simulate(rtol=1e-10, atol=1e-12)
    assert run.certificate.ok
    by_energies = System(
        coordinates="q p",
        kinetic="(J1 + m1*a^2/4)*q'^2/2 + m2*((a*q'*sin(q) + l/2*p'*sin(p))^2 + (a*q'*cos(q) + l/2*p'*cos(p))^2)/2"
        " + m2*l^2/24*p'^2 + (a*q'*sin(q) + l*p'*sin(p))^2/2",
        potential="9.81*(m1*a/2*sin(q) + m2*(a*sin(q) + l/2*sin(p)))",
        constraints={"guide": "a*sin(q) + l*sin(p) = 0"},
        parameters={"m1": 1, "J1": 0.1, "a": 1, "l": 3, "m2": 2},
        initial={"q": "pi/3", "q'": 1},
        guess={"p": -0.3},
    )
    other = by_energies.simulate(until=5, rtol=1e-10, atol=1e-12)
    assert run["phi_crank"][-1] == pytest.approx(other["q"][-1], abs=1e-8)
    assert run["phi_rod"][-1] == pytest.approx(other["p"][-1], abs=1e-8)


def test_four_bar_moves_as_by_energies():
    mechanism = four_bar()
    run = mechanism.simulate(rtol=1e-10, atol=1e-12)
    assert run.certificate.ok
    half = "sqrt(5)/2"
    by_energies = System(
        coordinates="a b c",
        define={"X": f"-a'*sin(a) - {half}*b'*sin(b)", "Y": f"a'*cos(a) + {half}*b'*cos(b)"},
        kinetic="(0.25*a'^2 + c'^2 + X^2 + Y^2)/2 + 0.05*(a'^2 + b'^2 + c'^2)",
        potential=f"9.81*(sin(a)/2 + sin(c) + sin(a) + {half}*sin(b))",
        constraints={
            "x": "cos(a) + sqrt(5)*cos(b) = 2 + 2*cos(c)",
            "y": "sin(a) + sqrt(5)*sin(b) = 2*sin(c)",
        },
        initial={"a": "pi/2", "a'": -2},
        guess={"b": "atan2(1, 2)", "c": "pi/2"},
    )
    other = by_energies.simulate(until=3, rtol=1e-10, atol=1e-12)
    assert run["phi_crank"][-1] == pytest.approx(other["a"][-1], abs=1e-8)
    assert run["phi_rocker"][-1] == pytest.approx(other["c"][-1], abs=1e-8)


def test_a_mechanism_is_saved_as_it_was_written(tmp_path):
    mechanism = slider_crank()
    mechanism.save(tmp_path / "m.toml")
    again = load(tmp_path / "m.toml")
    assert isinstance(again, Mechanism)
    assert again == mechanism
    assert str(again) == str(mechanism)
    assert four_bar() == loads(str(four_bar()))
    assert 'points = ["P", "P"]' in str(mechanism)


def test_python_takes_sympy():
    (s,) = coordinates("s")
    m, k, l = sp.symbols("m k l", positive=True)
    mechanism = Mechanism(
        bodies={"rod": {"mass": m, "inertia": m * l**2 / 12, "at": sp.Matrix([l / 2, 0])}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": (0, 0)}},
        coordinates=[s],
        kinetic=m * dot(s) ** 2 / 2,
        potential=k * s**2 / 2,
        parameters={m: 1, k: 2, l: 1},
    )
    assert mechanism.coordinates == ("x_rod", "y_rod", "phi_rod", "s")
    assert mechanism == loads(str(mechanism))
    assert mechanism.simulate(until=1).certificate.ok


def test_a_variant_is_made_of_the_same_parts():
    mechanism = slider_crank()
    longer = mechanism.replace(parameters={"l": 4}, initial={"phi_crank": 1}, bodies={"slider": {"mass": 2}})
    assert longer.parameters["l"] == 4 and longer.bodies["slider"].mass == 2
    assert [*longer.bodies] == [*mechanism.bodies]
    open_chain = mechanism.replace(joints={"D": None})
    assert [*open_chain.joints] == ["A", "B", "C"]
    assert mechanism.replace() == mechanism
    with pytest.raises(ModelError, match="did you mean `joints`"):
        mechanism.replace(joint={})
    with pytest.raises(ModelError, match="no parameter `L`"):
        mechanism.replace(parameters={"L": 1})


def test_a_joint_or_a_condition_is_taken_away():
    mechanism = slider_crank()
    assert len(mechanism.without("D").constraints) == 6
    assert len(mechanism.without("D.normal").constraints) == 7
    assert mechanism.system().constraints == mechanism.constraints
    with pytest.raises(ModelError, match="no joint, drive or condition `Q`"):
        mechanism.without("Q")


def test_named_frames_place_a_joint():
    """A slide whose axis is that of a frame, on a body that is turned; the same written with points and axes."""
    bodies = {
        "arm": {"mass": 1, "inertia": 1, "frames": {"F": {"at": [1, 0], "angle": "pi/4"}}},
        "block": {"mass": 1, "inertia": 1, "at": [1, 0], "angle": "pi/4", "frames": {"F": {}}},
    }
    pin = {"kind": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]}
    slide = {"kind": "prismatic", "bodies": ["arm", "block"]}
    by_frames = Mechanism(bodies, {"A": pin, "B": {**slide, "points": ["F", "F"]}})
    by_axes = Mechanism(bodies, {"A": pin, "B": {**slide, "points": [[1, 0], [0, 0]], "axes": [[1, 1], [1, 0]]}})
    assert by_frames.check().ok
    assert by_frames == loads(str(by_frames))
    one, other = (mechanism.simulate(until=1) for mechanism in (by_frames, by_axes))
    assert one["x_block"][-1] == pytest.approx(other["x_block"][-1], abs=1e-9)


@pytest.mark.parametrize("form", ["minimal", "explicit", "canonical", "independent"])
def test_every_form_runs_in_space(form):
    """The mass matrix of Euler parameters can be inverted."""
    pendulum = Mechanism(
        {"rod": {"mass": 2, "inertia": [0.1, 0.3, 0.25], "at": [0.5, 0, 0]}},
        {"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
        dimensions=3,
    )
    run, other = pendulum.simulate(until=0.5, form=form), pendulum.simulate(until=0.5)
    assert run["z_rod"][-1] == pytest.approx(other["z_rod"][-1], abs=1e-7)


def test_users_add_to_a_mechanism():
    """A tuned absorber on a body: an own coordinate with its energies, a force and a constraint of velocities."""
    mechanism = Mechanism(
        {"cart": {"mass": 3, "inertia": 1}},
        {"A": {"kind": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0], "axis": [1, 0]}},
        coordinates="s",
        kinetic="(x_cart' + s')^2/4",
        potential="20*s^2",
        forces={"x_cart": "-0.1*x_cart'"},
        initial={"x_cart'": 1, "s": 0.1, "s'": 0, "x_cart": 0},
    )
    plain = System(
        "x s",
        kinetic="1.5*x'^2 + (x' + s')^2/4",
        potential="20*s^2",
        forces={"x": "-0.1*x'"},
        initial={"x'": 1, "s": 0.1, "s'": 0, "x": 0},
    )
    assert mechanism == loads(str(mechanism))
    run, other = mechanism.simulate(until=2), plain.simulate(until=2)
    assert run["s"][-1] == pytest.approx(other["s"][-1], abs=1e-7)
    assert run["x_cart"][-1] == pytest.approx(other["x"][-1], abs=1e-7)
