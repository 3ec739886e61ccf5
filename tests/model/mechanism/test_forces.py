"""Springs, dampers, actuators, loads and drives: against closed forms and against the same by energies."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import symengine as se
import sympy as sp
from scipy.interpolate import CubicSpline

from dalembert import Mechanism, ModelError, coordinates, load, loads
from dalembert.language.program import Program
from tests.model.mechanism.test_energies import G, accelerations, body, joint, spatial

BLOCK = {"block": body(2, 1, at=[1, 0])}
GUIDE = {"A": joint("prismatic", "ground", "block", at=[1, 0], axis=[1, 0])}
ENDS = {"bodies": ["ground", "block"], "points": [[0, 0], [0, 0]]}


def sliding(**elements):
    """A block of 2 kg on a level guide, at x = 1."""
    return Mechanism(BLOCK, GUIDE, **elements)


@pytest.mark.parametrize(
    ("spring", "force"),
    [
        ({**ENDS, "stiffness": 50, "length": 0.8}, -50 * (1.1 - 0.8)),
        ({**ENDS, "stiffness": 50}, -50 * (1.1 - 1)),
        ({**ENDS, "stiffness": 50, "length": 0}, -50 * 1.1),
        ({**ENDS, "stiffness": 50, "length": 0.8, "damping": 3}, -50 * 0.3 - 3 * 0.7),
        ({**ENDS, "force": "50*(length - 0.8)^3 + 3*rate*abs(rate)"}, -50 * 0.3**3 - 3 * 0.7**2),
        ({"joint": "A", "stiffness": 50}, -50 * 0.1),
        ({"joint": "A", "stiffness": 50, "distance": -0.2, "damping": 1}, -50 * 0.3 - 0.7),
        ({"joint": "A", "force": "7*distance + rate"}, -0.7 - 0.7),
        ({"bodies": ["block", "ground"], "at": [[1, 0], [0, 0]], "stiffness": 20, "length": 0.5}, -20 * 0.6),
    ],
)
def test_springs_along_a_line(spring, force):
    mechanism = sliding(springs={"s": spring}, initial={"x_block": 1.1, "x_block'": 0.7})
    assert accelerations(mechanism)["x_block''"] == pytest.approx(force / 2)
    assert loads(str(mechanism)) == mechanism


def test_dampers_actuators_and_loads_along_a_line():
    start = {"x_block": 1.1, "x_block'": 0.7}

    def acceleration(**elements):
        return accelerations(sliding(initial=start, **elements))["x_block''"] * 2

    assert acceleration(dampers={"d": {**ENDS, "damping": 3}}) == pytest.approx(-2.1)
    assert acceleration(dampers={"d": {"joint": "A", "force": "5*rate^3"}}) == pytest.approx(-5 * 0.7**3)
    assert acceleration(actuators={"a": {"joint": "A", "force": "10*cos(t) + distance"}}) == pytest.approx(10.1)
    assert acceleration(actuators={"a": {**ENDS, "force": "4 + x_block'"}}) == pytest.approx(4.7)
    assert acceleration(loads={"f": {"body": "block", "force": ["3*x_block", 100]}}) == pytest.approx(3.3)


@pytest.mark.parametrize(
    ("section", "element", "torque"),
    [
        ("springs", {"joint": "A", "stiffness": 5}, -5 * 0.3),
        ("springs", {"joint": "A", "stiffness": 5, "angle": 0.1, "damping": 2}, -5 * 0.2 - 2 * 0.4),
        ("springs", {"kind": "torsion", "bodies": ["ground", "rod"], "stiffness": 5, "angle": 0.6}, -5 * (0.8 - 0.6)),
        ("dampers", {"kind": "torsion", "bodies": ["ground", "rod"], "damping": 3}, -1.2),
        ("actuators", {"joint": "A", "torque": "2 - angle"}, 2 - 0.3),
        ("loads", {"body": "rod", "torque": "t + 4"}, 4),
        ("loads", {"body": "rod", "point": [0.5, 0], "force": [0, 3], "frame": "body"}, 3),
        ("loads", {"body": "rod", "point": "tip", "force": [3, 0], "frame": "body"}, 0),
        ("loads", {"body": "rod", "point": "tip", "force": [0, 3]}, 3 * np.cos(0.8)),
        ("loads", {"body": "rod", "at": ["cos(0.5)", "sin(0.5)"], "force": [-3, 0]}, 3 * np.sin(0.8)),
        ("loads", {"body": "rod", "force": [0, 3]}, 1.5 * np.cos(0.8)),
    ],
)
def test_turning(section, element, torque):
    """A rod from the origin to (1, 0), assembled at the angle 0.5 and looked at at 0.8."""
    mechanism = Mechanism(
        {"rod": body(1, 0.1, at=["cos(0.5)/2", "sin(0.5)/2"], angle=0.5, points={"tip": [0.5, 0]})},
        {"A": joint("revolute", "ground", "rod", at=[0, 0])},
        gravity=[0, 0],
        initial={"phi_rod": 0.8, "phi_rod'": 0.4},
    ).replace(**{section: {"e": element}})
    assert accelerations(mechanism)["phi_rod''"] * 0.35 == pytest.approx(torque, abs=1e-9)
    assert loads(str(mechanism)) == mechanism


def test_spatial_springs_loads_and_torques():
    ball = {"ball": body(2, [0.2, 0.3, 0.4], at=[0, 0, 1], rotation={"axis": [0, 0, 1], "angle": "pi/2"})}

    def at(**elements):
        found = accelerations(spatial(ball, {}, gravity=[0, 0, 0], **elements))
        v = np.array([found[f"{x}_ball''"] for x in "xyz"])
        e, a = (np.array([found[f"e{i}_ball{p}"] for i in range(4)]) for p in ("", "''"))
        E = np.array([[-e[1], e[0], e[3], -e[2]], [-e[2], -e[3], e[0], e[1]], [-e[3], e[2], -e[1], e[0]]])
        return v, 2 * E @ a  # ω̇ in body axes, at rest

    v, turn = at(
        springs={"s": {"bodies": ["ground", "ball"], "points": [[0, 0, 0]] * 2, "stiffness": 8, "length": 0.5}}
    )
    assert v == pytest.approx([0, 0, -2]) and turn == pytest.approx([0, 0, 0], abs=1e-12)
    # the body frame is turned by a quarter: its x is y of the world
    v, turn = at(loads={"f": {"body": "ball", "point": [1, 0, 0], "force": [0, 0, 3]}})
    assert v == pytest.approx([0, 0, 1.5]) and turn == pytest.approx([0, -3 / 0.3, 0], abs=1e-9)
    v, turn = at(loads={"f": {"body": "ball", "force": [4, 0, 0], "frame": "body"}})
    assert v == pytest.approx([0, 2, 0], abs=1e-12)
    _, turn = at(loads={"f": {"body": "ball", "torque": [0.6, 0, 0], "frame": "body"}})
    assert turn == pytest.approx([3, 0, 0], abs=1e-9)
    _, turn = at(loads={"f": {"body": "ball", "torque": [0, 0.6, 0]}})
    assert turn == pytest.approx([3, 0, 0], abs=1e-9)


def test_spring_in_a_spatial_joint():
    mechanism = spatial(
        {"rod": body(2, [0.2, 0.3, 0.4], at=[0.5, 0, 0])},
        {"A": joint("revolute", "ground", "rod", at=[0, 0, 0], axis=[0, 1, 0])},
        springs={"s": {"joint": "A", "stiffness": 6, "angle": 0.2, "damping": 1}},
        actuators={"m": {"joint": "A", "torque": "0.5"}},
    )
    alpha = (6 * 0.2 + 0.5 + 2 * G * 0.5) / (0.3 + 0.5)
    assert accelerations(mechanism)["z_rod''"] == pytest.approx(-0.5 * alpha)


def test_python_takes_sympy_in_forces():
    x, _, _ = coordinates("x_block y_block phi_block")
    length, k = sp.symbols("length k")
    mechanism = sliding(
        springs={"s": {**ENDS, "force": k * (length - 1)}},
        loads={"f": {"body": "block", "force": [3 * x, 0]}},
        parameters={k: 40},
        initial={"x_block": 1.2},
    )
    assert accelerations(mechanism)["x_block''"] * 2 == pytest.approx(-8 + 3.6)
    assert tuple(mechanism.parameters) == ("k", "g")
    assert loads(str(mechanism)) == mechanism


# --- drives ----------------------------------------------------------------------------------------------------------

TABLE = {"t": [0, 0.5, 1, 2], "value": [0, 0.1, 0.4, 0.3]}


@pytest.mark.parametrize("drive", [{"distance": "0.1*sin(2*t)"}, {"speed": "0.2*cos(2*t)"}, {"distance": TABLE}])
def test_a_driven_block_and_the_force_of_the_drive(drive):
    mechanism = sliding(drives={"motor": {"joint": "A", **drive}})
    run = mechanism.simulate(until=1.5)
    assert run.certificate.ok
    way = run["x_block"] - 1
    if drive.get("distance") is TABLE:
        made = CubicSpline(TABLE["t"], TABLE["value"], bc_type="natural")
        expected, acceleration = made(run.t), made(run.t, 2)
    else:
        expected, acceleration = 0.1 * np.sin(2 * run.t), -0.4 * np.sin(2 * run.t)
    assert way == pytest.approx(expected, abs=1e-7)
    name = f"motor.{next(iter(drive))}"
    assert run.reaction(name)[:, 0] == pytest.approx(2 * acceleration, abs=1e-6)
    assert loads(str(mechanism)) == mechanism


def test_a_crank_is_driven_through_several_turns_in_plane_and_space():
    """The drive torque is that of gravity: −m g l/2 cos φ on a rod that turns steadily."""
    rod = body(2, 0.3, at=[0.5, 0])
    drive = {"motor": {"joint": "A", "angle": "3*t"}}
    plane = Mechanism({"rod": rod}, {"A": joint("revolute", "ground", "rod", at=[0, 0])}, drives=drive)
    space = spatial(
        {"rod": body(2, [0.2, 0.3, 0.4], at=[0.5, 0, 0])},
        {"A": joint("revolute", "ground", "rod", at=[0, 0, 0], axis=[0, 0, 1])},
        gravity=[0, -G, 0],
        drives=drive,
    )
    for mechanism in (plane, space):
        run = mechanism.simulate(until=6)
        assert run.certificate.ok
        assert run["x_rod"] == pytest.approx(0.5 * np.cos(3 * run.t), abs=1e-7)
        torque = 2 * G * 0.5 * np.cos(3 * run.t)
        reaction = run.reaction("motor.angle")
        if mechanism is plane:
            assert reaction[:, 2] == pytest.approx(torque, abs=1e-6)
        else:
            e = np.array([run[f"e{i}_rod"] for i in range(4)])
            along = np.array([-e[3], e[2], -e[1], e[0]])  # third row of E
            assert np.sum(along * reaction[:, 3:7].T, axis=0) / 2 == pytest.approx(torque, abs=1e-6)


@pytest.mark.parametrize("start", ["3", "-3", "pi", "7"])
def test_a_spatial_drive_begins_at_its_own_angle_and_not_half_a_turn_away(start):
    mechanism = spatial(
        {"rod": body(2, [0.2, 0.3, 0.4], at=[0.5, 0, 0])},
        {"A": joint("revolute", "ground", "rod", at=[0, 0, 0], axis=[0, 0, 1])},
        drives={"motor": {"joint": "A", "angle": f"{start} + t"}},
    )
    wanted = {"pi": np.pi}.get(start) or float(start)
    assert mechanism.start()["x_rod"] == pytest.approx(0.5 * np.cos(wanted))


SLIDE = """format = 1
[parameters]
a = 0.5
[bodies.block]
mass = 2
inertia = 1
[joints.G]
kind = "prismatic"
bodies = ["ground", "block"]
at = [0, 0]
axis = [1, 0]
[drives.motor]
joint = "G"
distance = {file = "way.csv"}
"""


def test_the_table_of_a_drive_is_a_natural_spline_that_goes_on_straight(random, tmp_path):
    """Of any length, also in a plain system; a saved model holds the points of a file."""
    times, values = np.cumsum(random.uniform(0.001, 0.002, 4000)), random.normal(size=4000)
    made = CubicSpline(times, values, bc_type="natural")
    rows = zip(times.tolist(), values.tolist(), strict=True)
    (tmp_path / "way.csv").write_text("x,value\n" + "".join(f"{t!r},{x!r}\n" for t, x in rows))
    (tmp_path / "slide.toml").write_text(SLIDE)
    slide = load(tmp_path / "slide.toml")
    condition = slide.constraint("motor.distance").expression
    program = Program([se.Symbol("t"), se.Symbol("x_block")], [condition])
    for t in random.uniform(times[0], times[-1], 100):
        assert -program.floats([t, 0.0])[0] == pytest.approx(float(made(t)), abs=1e-9)
    for end, beyond in ((times[0], times[0] - 2), (times[-1], times[-1] + 2)):
        straight = made(end) + made(end, 1) * (beyond - end)
        assert -program.floats([beyond, 0.0])[0] == pytest.approx(float(straight), rel=1e-9)
    slide.save(tmp_path / "saved.toml")
    assert load(tmp_path / "saved.toml") == slide == pickle.loads(pickle.dumps(slide))
    assert slide.system().constraint("motor.distance").expression == condition
    way = {"t": [0.0, 1, 2], "value": [0.0, "a", 0], "file": None}
    run = slide.replace(drives={"motor": {"distance": way}}).simulate(3)
    made = CubicSpline([0, 1, 2], [0, 0.5, 0], bc_type="natural")
    assert run.at(1.5)[0][0] == pytest.approx(float(made(1.5)), abs=1e-9)
    assert run["x_block"][-1] == pytest.approx(float(made(2, 1)), abs=1e-9)
    assert "motor_distance(t)" in str(slide.derive("multipliers"))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('{file = "other.csv"}', "14: file: there is no file `other.csv`"),
        ('{file = "../way.csv"}', "14: file: `../way.csv` leads out of the folder"),
        ("{file = 3}", "14: file: the name of a file is a text"),
        ('{file = "way.csv", t = [0, 1]}', "14: file: points are given by `t` and `value`, or by a `file`"),
        ("{t = [0, 1]}", "14: value: `value` is missing"),
        ("{t = [0, 1], value = [0, 1, 2]}", "14: t: 2 times and 3 values"),
        ("{t = [0, 1], value = [0, nan]}", "14: value"),
        ('{t = [0, 1], value = [0, "x_block"]}', "14: value: .*nothing that moves"),
        ("{t = [0], value = [1]}", "14: t: a table needs two points at least"),
        ("{x = [0, 1], value = [1, 2]}", "14: t: `t` is missing"),
    ],
)
def test_tables_of_drives_that_are_none(entry, said, tmp_path):
    (tmp_path / "way.csv").write_text("0 0\n1 1\n")
    (tmp_path / "slide.toml").write_text(SLIDE.replace('{file = "way.csv"}', entry))
    with pytest.raises(ModelError, match=said):
        load(tmp_path / "slide.toml")
