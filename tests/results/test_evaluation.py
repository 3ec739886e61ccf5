"""Expressions along a motion: against NumPy on the states, rigid bodies by hand, balances of power, other results."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import sympy as sp

from dalembert import Mechanism, ModelError, MotionWarning, System, example
from dalembert.native.kernels import Kernels
from tests.model.mechanism.test_pairs import CASES, joined


def test_times_have_a_name_too():
    run = example("pendulum").simulate(1.0)
    assert np.array_equal(run["t"], run.t)


def rig() -> Mechanism:
    """A driven crank, a coupler on a slide with a spring and a damper, and a load: one of each kind of part."""
    return Mechanism(
        bodies={
            "crank": {"mass": 1, "inertia": 0.05, "at": [0.1, 0], "points": {"pin": [0.1, 0]}},
            "coupler": {"mass": 2, "inertia": 0.2, "at": [0.5, 0], "points": {"P": [0.1, 0.2]}},
            "block": {"mass": 3, "inertia": 0.1, "at": [0.8, 0]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["crank", "coupler"], "at": [0.2, 0]},
            "C": {"kind": "revolute", "bodies": ["coupler", "block"], "at": [0.8, 0]},
            "D": {"kind": "prismatic", "bodies": ["ground", "block"], "at": [0, 0], "axis": [1, 0]},
        },
        drives={"motor": {"joint": "A", "angle": "3*t + sin(t)"}},
        springs={"s": {"bodies": ["ground", "coupler"], "points": [[0.3, 0.9], "P"], "stiffness": "k", "length": 0.4}},
        dampers={"d": {"joint": "D", "damping": 5}},
        loads={"w": {"body": "block", "force": ["-7*t", 0], "torque": 0.5}},
        parameters={"k": 30},
    )


@pytest.fixture(scope="module")
def run():
    return rig().simulate(3.0, samples=150)


def test_states_and_parameters(run):
    expected = 30 * run["x_block"] ** 2 - np.sin(run["phi_crank'"]) + run["y_coupler''"] * run.t
    assert np.allclose(run.evaluate("k*x_block^2 - sin(phi_crank') + y_coupler''*t"), expected, rtol=1e-13)


def test_parts_in_the_plane_by_hand(run):
    phi, P = run["phi_coupler"], np.array([0.1, 0.2])
    x = run["x_coupler"] + P[0] * np.cos(phi) - P[1] * np.sin(phi)
    y = run["y_coupler"] + P[0] * np.sin(phi) + P[1] * np.cos(phi)
    length = np.hypot(x - 0.3, y - 0.9)
    assert np.allclose(run.evaluate("coupler.P.x"), x) and np.allclose(run.evaluate("coupler.P.y"), y)
    assert np.allclose(run.evaluate("s.length"), length) and np.allclose(run.evaluate("s.force"), 30 * (length - 0.4))
    assert np.allclose(run.evaluate("d.force"), 5 * run["x_block'"])
    assert np.allclose(run.evaluate("D.distance"), run["x_block"] - 0.8)  # from where it was assembled
    assert np.allclose(run.evaluate("A.angle'"), 3 + np.cos(run.t))
    assert np.allclose(run.evaluate("A.angle''"), -np.sin(run.t), atol=1e-8)
    assert np.allclose(run.evaluate("w.force_x"), -7 * run.t) and np.allclose(run.evaluate("w.torque"), 0.5)
    # Newton for the block: m a = force of C and of the slide + load + damper, and the weight
    across = run.evaluate("C.force_y + D.normal - 3*9.81 - 3*y_block''")
    assert np.allclose(across, 0, atol=1e-9)
    along = run.evaluate("C.force_x + w.force_x - d.force - 3*x_block''")
    assert np.allclose(along, 0, atol=1e-9)
    assert np.allclose(run.evaluate("D.normal"), run.multipliers["D.normal"])


def test_speed_and_acceleration_of_a_point_are_those_of_a_rigid_body(run):
    phi, w, a = (run["phi_coupler" + "'" * k] for k in range(3))
    r = np.array([0.1 * np.cos(phi) - 0.2 * np.sin(phi), 0.1 * np.sin(phi) + 0.2 * np.cos(phi)])
    assert np.allclose(run.evaluate("coupler.P.x'"), run["x_coupler'"] - w * r[1])
    assert np.allclose(run.evaluate("coupler.P.y''"), run["y_coupler''"] + a * r[0] - w**2 * r[1])


def test_the_torque_of_a_motor_does_what_is_done(run):
    """Its power is the rate of the energy, less what the load does and the damper takes away."""
    times = np.linspace(0.2, 2.8, 40)
    power = run.evaluate("motor.torque*A.angle'", times)
    others = run.evaluate("(w.force_x - d.force)*x_block' + w.torque*block.spin", times)
    h = 1e-4
    energy = [run.resampled(times + shift).energy for shift in (-2 * h, -h, h, 2 * h)]
    rate = (energy[0] - 8 * energy[1] + 8 * energy[2] - energy[3]) / (12 * h)
    assert np.allclose(power + others, rate, rtol=1e-6, atol=1e-6 * np.abs(rate).max())


@pytest.mark.parametrize(("dimensions", "kind"), CASES)
def test_forces_of_all_pairs_are_those_of_joints(dimensions, kind):
    mechanism = joined(dimensions, kind, loads={"w": {"body": "b", "force": [1, 2, 3][:dimensions]}})
    run = mechanism.simulate(0.02, samples=2, unchecked=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        asked = run.evaluate({"force": "J.force", "moment": "J.moment"})
    force = run.joint("J")
    assert np.allclose(asked["force"], force.size, atol=1e-9, equal_nan=True)
    assert np.allclose(asked["moment"], force.torque, atol=1e-9, equal_nan=True)


def test_parts_in_space():
    run = example("heavy-top-joints").simulate(1.0, samples=20)
    (body,) = [name for name in run.system.bodies if name != "ground"]
    e = np.array([run[f"e{k}_{body}"] for k in range(4)])
    rates = np.array([run[f"e{k}_{body}'"] for k in range(4)])
    spin = 2 * (-e[3] * rates[0] + e[2] * rates[1] - e[1] * rates[2] + e[0] * rates[3])
    assert np.allclose(run.evaluate(f"{body}.spin_z"), spin)
    assert np.allclose(run.evaluate(f"{body}.centre.z'"), run[f"z_{body}'"])


def test_times_in_between_and_many_at_once(run):
    times = np.array([[0.1, 0.7], [1.3, 2.9]])
    found = run.evaluate({"a": "A.force", "b": "x_block"}, times)
    assert found["a"].shape == (2, 2)
    assert np.allclose(found["b"], run.at(times)[0][..., run.system.coordinates.index("x_block")])
    assert run.evaluate("A.force", 0.7) == found["a"][0, 1]


def test_expressions_pay_for_what_they_use(run, monkeypatch):
    asked = run.resampled(run.t)
    solved = []
    monkeypatch.setattr(Kernels, "solved", lambda self, inputs, of=Kernels.solved: solved.append(1) or of(self, inputs))
    plain = asked.evaluate({"lift": "coupler.P.y", "speed": "coupler.P.y'", "ever": "7"})
    assert not solved and np.all(plain["ever"] == 7)  # states say it
    force, torque = asked.evaluate("A.force"), asked.evaluate("motor.torque")
    assert len(solved) == 1  # for all that need it
    assert np.allclose(force, run.joint("A").size) and np.allclose(torque, run.evaluate("motor.torque"))


def test_multipliers_of_energies_and_sympy():
    l, phi = sp.symbols("l"), sp.Function("phi")(sp.Symbol("t"))
    run = example("pendulum").simulate(1.0)
    # along the rod: m l phi'^2 + m g cos(phi) pulls
    pull = run.evaluate("-lambda_rod_x*sin(phi) + lambda_rod_y*cos(phi)")
    assert np.allclose(pull, run.evaluate("m*l*phi'^2 + m*g*cos(phi)"), rtol=1e-8)
    assert np.allclose(run.evaluate(l * sp.sin(phi)), run["x"])


def test_what_is_shared_is_not_determined():
    rods = {f"R{k}": {"kind": "rod", "bodies": ["ground", "load"], "at": [[k, 1], [k, 0]]} for k in range(3)}
    run = Mechanism(bodies={"load": {"mass": 3, "inertia": 1, "at": [1, 0]}}, joints=rods).simulate(0.5, samples=5)
    with pytest.warns(MotionWarning, match=r"`R0.tension` is not determined.*only the sum"):
        assert np.all(np.isnan(run.evaluate("R0.tension")))
    assert np.allclose(run.evaluate("R0.tension + R1.tension + R2.tension"), 3 * 9.81)


def test_what_has_no_value_is_said(run):
    with pytest.warns(MotionWarning, match=r"`log\(-1 - x_block\^2\)` has no finite value at 151 of 151 times"):
        run.evaluate("log(-1 - x_block^2)")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("x_blok", "did you mean `x_block`"),
        ("A.forces", "`A` has no `forces`; did you mean `force`"),
        ("AA.force", "there is no part `AA` of which `force` could be asked"),
        ("coupler.Q.x", "`coupler` has no `Q.x`; did you mean `P.x`"),
        ("x_block'''", "accelerations (two) are the limit"),
        ("A.angle'''", "`A.angle''` depends on accelerations, whose time derivatives are not known"),
        ("A.force'", "`A.force` depends on multipliers, whose time derivatives are not known"),
        ("A.force(2)", "`A.force` is no function"),
        ("k = 2", "expected a value (no `=`)"),
        (3, "expected an expression"),
        (None, "expected an expression"),
        (sp.Symbol("z"), "unknown name `z`"),
        ({"a": "x_blok", "b": "nothing"}, "`b`: unknown name"),
    ],
)
def test_refused(run, given, text):
    with pytest.raises(ModelError) as error:
        run.evaluate(given)
    assert text in str(error.value)


def test_names_of_the_system_win_over_multipliers():
    system = System("x y", kinetic="x'^2/2 + y'^2/2", constraints={"c": "x + y = 0"}, parameters={"lambda_c": 5})
    run = system.simulate(1.0, samples=2)
    assert np.allclose(run.evaluate("lambda_c"), 5)
    with pytest.raises(ModelError, match="no part `x`"):
        run.evaluate("x.real")
    with pytest.raises(ModelError, match="known from t = 0 to 1"):
        run.evaluate("x", 2.0)
    assert math.isclose(run.evaluate("x", 1.0), 0.0)
