"""[controls.*]: inputs with directions and laws, against SciPy, against the same forces by hand, and hostile input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sympy import symbols

from dalembert import Mechanism, ModelError, System, coordinates, dot, loads
from dalembert.cli import main

CART = """format = 1
coordinates = ["x", "phi"]
[parameters]
M = 1.3
m = 0.2
l = 0.5
g = 9.81
[energy]
kinetic = "(M + m)*x'^2/2 + m*l*x'*phi'*cos(phi) + m*l^2*phi'^2/2"
potential = "m*g*l*cos(phi)"
[controls.u]
acts = {x = 1}
law = "1.1*x + 2.2*x' + 40*phi + 9*phi'"
[controls.damping]
acts = {phi = "-l", x = "cos(phi)"}
law = "0.02*phi' + 0.001*u"
[outputs]
power = "u*x'"
[initial]
x = 0.2
phi = 0.1
"""
ARM = {
    "bodies": {"arm": {"mass": 1.2, "inertia": 0.11, "at": [0.5, 0.1]}},
    "joints": {"A": {"kind": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]}},
}
FORMS = ("multipliers", "minimal", "explicit", "canonical", "independent")


def cart(t, y):
    x, phi, v, w = y
    M, m, l, g = 1.3, 0.2, 0.5, 9.81
    u = 1.1 * x + 2.2 * v + 40 * phi + 9 * w
    d = 0.02 * w + 0.001 * u
    mass = [[M + m, m * l * np.cos(phi)], [m * l * np.cos(phi), m * l**2]]
    force = [u + d * np.cos(phi) + m * l * w**2 * np.sin(phi), -l * d + m * g * l * np.sin(phi)]
    return [v, w, *np.linalg.solve(mass, force)]


@pytest.mark.parametrize("form", FORMS)
def test_laws_act_as_forces_in_every_form(form):
    run = loads(CART).simulate(until=3, samples=30, form=form)
    exact = solve_ivp(cart, (0, 3), [0.2, 0.1, 0, 0], method="DOP853", rtol=1e-12, atol=1e-14, t_eval=run.t).y
    np.testing.assert_allclose(run.q, exact[:2].T, atol=2e-8)
    u = 1.1 * exact[0] + 2.2 * exact[2] + 40 * exact[1] + 9 * exact[3]
    np.testing.assert_allclose(run["u"], u, atol=1e-6)
    np.testing.assert_allclose(run["power"], u * exact[2], atol=1e-6)
    assert run.certificate.ok and list(run.controls) == ["u", "damping"]


def test_it_is_read_again_as_it_was_written():
    system = loads(CART)
    assert loads(str(system)) == system
    assert loads(str(Mechanism(**ARM, controls={"tau": {"joint": "A", "law": "-A.angle"}}))).laws.keys() == {"tau"}


def test_results_carry_controls(tmp_path, capsys):
    run = loads(CART).simulate(until=0.5, samples=5)
    assert run.as_dict()["controls"] == {name: values[-1] for name, values in run.controls.items()}
    run.save(tmp_path / "motion.csv")
    header, *rows = (tmp_path / "motion.csv").read_text().splitlines()
    assert float(rows[2].split(",")[header.split(",").index("u")]) == pytest.approx(run["u"][2])
    (tmp_path / "cart.toml").write_text(CART)
    with pytest.raises(SystemExit):
        main(["simulate", str(tmp_path / "cart.toml"), "--until", "0.5", "--json"])
    assert json.loads(capsys.readouterr().out)["controls"] == pytest.approx(run.as_dict()["controls"])


@pytest.mark.parametrize("form", ["multipliers", "minimal"])
def test_without_a_law_it_is_a_symbol(form):
    system = loads(CART).replace(controls={"u": {"law": None}, "damping": None}, outputs={"power": None})
    equations = system.derive(form).equations
    assert any(symbols("u") in e.free_symbols for e in equations)
    assert system.parameters["u"] is None
    with pytest.raises(ModelError, match=r"control `u` has no law; give one, as in law"):
        system.simulate(1)
    assert system.replace(parameters={"u": 2}).simulate(0.1)["u"].tolist()[0] == 2


def test_a_law_may_be_given_for_a_motion():
    system = loads(CART)
    by_file = system.simulate(1, samples=10)
    free = system.replace(controls={"u": {"law": None}})
    for law in ("1.1*x + 2.2*x' + 40*phi + 9*phi'", system.laws["u"]):
        np.testing.assert_array_equal(free.simulate(1, samples=10, controls={"u": law})["phi"], by_file["phi"])
    held = system.simulate(1, controls={"u": lambda t, s: 2.0}, every=0.1, samples=10)
    constant = free.simulate(1, controls={"u": 2}, samples=10)
    np.testing.assert_allclose(held["phi"], constant["phi"], atol=1e-8)
    assert len(held.calls["t"]) == 10 and held.certificate.ok
    table = free.simulate(1, controls={"u": {"x": [0, 1, 2], "value": [0, 1, 4], "kind": "linear"}}, samples=10)
    np.testing.assert_allclose(table["u"], table.t, atol=1e-12)
    assert table.certificate.ok


def test_a_parameter_may_get_a_law():
    system = System("x", kinetic="m*x'^2/2", forces={"x": "2*F"}, parameters={"m": 2, "F": 7}, initial={"x": 0})
    run = system.simulate(2, controls={"F": "sin(t)"})
    assert run["x'"][-1] == pytest.approx(1 - np.cos(2)) and run["F"][-1] == pytest.approx(np.sin(2))


def test_states_may_be_driven():
    text = """format = 1
coordinates = ["x"]
[parameters]
L = 0.5
[energy]
kinetic = "x'^2/2"
[states]
i = "(V - i)/L"
[controls.V]
law = "2 - i"
[controls.W]
acts = {i = "1/L"}
law = "0.1"
"""
    run = loads(text).simulate(2)
    assert run["i"][-1] == pytest.approx((2.1 / 2) * (1 - np.exp(-2 * 2 / 0.5)))
    assert run["i'"][-1] == pytest.approx(2.1 / 0.5 * np.exp(-8), rel=1e-5)


def test_a_control_in_a_joint_is_an_actuator_there():
    law = "-50*(A.angle - 0.3) - 10*A.angle'"
    ours = Mechanism(**ARM, controls={"tau": {"joint": "A", "law": law}})
    same = Mechanism(**ARM, actuators={"tau": {"joint": "A", "torque": "-50*(angle - 0.3) - 10*rate"}})
    a, b = ours.simulate(2, samples=20), same.simulate(2, samples=20)
    np.testing.assert_allclose(a.q, b.q, atol=1e-10)
    np.testing.assert_allclose(a.joint("A").force, b.joint("A").force, atol=1e-8)
    np.testing.assert_allclose(a["tau"], b.evaluate("tau.torque"), atol=1e-8)
    assert a.certificate.ok and a.peak("tau") > 1


def test_controls_in_actuators_and_matrices():
    ours = Mechanism(
        **ARM, actuators={"motor": {"joint": "A", "torque": "2*tau"}}, controls={"tau": {"law": "-A.angle"}}
    )
    same = Mechanism(**ARM, actuators={"motor": {"joint": "A", "torque": "-2*angle"}})
    np.testing.assert_allclose(ours.simulate(1).final()["phi_arm"], same.simulate(1).final()["phi_arm"], rtol=1e-9)
    assert ours.simulate(1).evaluate("motor.torque")[0] == 0
    plain = System("x", mass=[[2]], force=["u"], controls={"u": {"law": "-8*x"}}, initial={"x": 1})
    assert plain.simulate(1)["x"][-1] == pytest.approx(np.cos(2), abs=1e-8)


def test_sympy():
    (x,), k, u = coordinates("x"), *symbols("k u")
    system = System([x], kinetic=dot(x) ** 2 / 2, forces={x: u}, controls={"u": {"law": -k * x}}, parameters={k: 4})
    assert "u" not in system.parameters
    assert system.simulate(1, initial={"x": 1})["x"][-1] == pytest.approx(np.cos(2), abs=1e-8)


def test_other_coordinates():
    system = System(
        "x y",
        kinetic="x'^2/2 + y'^2/2",
        constraints={"c": "y = 2*x"},
        controls={"u": {"acts": {"y": 1}, "law": "-y"}},
        outputs={"twice": "2*u"},
        initial={"x": 1},
    )
    a, b = system.simulate(1), system.reduced().simulate(1)
    assert a["twice"][-1] == pytest.approx(b["twice"][-1])
    built = Mechanism(**ARM, controls={"tau": {"joint": "A", "law": "-A.angle"}}, outputs={"o": "tau", "t2": "2*t"})
    plain = built.reduced()
    assert list(plain.outputs) == ["t2"]
    np.testing.assert_allclose(plain.simulate(1).final()["phi_arm"], built.simulate(1).final()["phi_arm"], rtol=1e-8)


@pytest.mark.parametrize(
    ("controls", "text"),
    [
        ("u = 3", "expected a table"),
        ("[controls.u]\nact = {x = 1}", "did you mean `acts`"),
        ("[controls.u]\nacts = {z = 1}", "which is no coordinate"),
        ("[controls.u]\nacts = 'x'", "expected directions by coordinate"),
        ("[controls.u]\nacts = {}", "expected directions by coordinate"),
        ("[controls.u]\nacts = {x = \"x''\"}", "depends on accelerations"),
        ("[controls.u]\njoint = 'A'", "a joint is one of a mechanism"),
        ("[controls.u]\ncoordinate = 'angle'", "no `joint` is given"),
        ("[controls.u]\nacts = {x = 1}\nlaw = \"x''\"", "depends on accelerations"),
        ('[controls.u]\nacts = {x = 1}\nlaw = "lambda_d"', "did you mean `lambda_c`"),
        ('[controls.u]\nacts = {x = 1}\nlaw = "u"', "`u` is not known here"),
        ('[controls.u]\nacts = {x = 1}\nlaw = "w"\n[controls.w]\nlaw = "x"', "`w` is not known here"),
        ('[controls.u]\nacts = {x = 1}\nlaw = "z\'"\n[states]\nz = "u"', "which depends on `u`"),
        ('[controls.u]\nacts = {x = 1}\nlaw = "k*x +"', ":12:.*law: "),
        ("[controls.u]\nacts = {x = 1}\nlaw = [1]", ":12:.*law: "),
        ("[controls.u]\nacts = {x = 1}\nlaw = true", ":12:.*law: "),
        ("[controls.u]\nacts = {x = 1}\nlaw = nan", ":12:.*law: "),
        ("[controls.x]\nacts = {x = 1}", "control `x` is also a coordinate"),
        ("[controls.m]\nacts = {x = 1}\nlaw = 'x'", "a law, and a value in \\[parameters\\]"),
        ("[controls.sin]\nacts = {x = 1}", "reserved"),
        ("[controls.'a b']\nacts = {x = 1}", "a name is letters"),
        ("[controls.u]\nlaw = 'x'\n[outputs]\nu = 'x'", "also a control"),
        ("[controls.u]\nlaw = 'x'\n[define]\nu = 'x'", "also a definition"),
        ("[controls.u]\nlaw = 'x'\n[initial]\nx = 'u'", "can stand in forces"),
        ("[controls.u]\nlaw = 'x'\n[constraints]\nd = 'x = u'", "can stand in forces"),
        ("[controls.u]\nlaw = 'x'\n[define]\nd = '2*u'\n[forces]\nx = \"d'\"", "depends on control `u`"),
        ("[controls.u]\nlaw = 'x'\n[forces]\nx = \"u'\"", "a prime on `u`, which is a control"),
        ("[controls.u]\nlaw = 'x'\n[loads.a]\nat = ['u', 0]\nforce = [1, 0]", "a load acts at a place"),
        ("[controls.u]\nlaw = 'x'\n[draw.points]\nP = ['u', 0]", "can stand in forces"),
        ("[controls.u]\nlaw = 'x'\n[events.e]\nwhen = 'x = 0'\nvelocities = {\"x'\" = 'u'}", "new velocities follow"),
    ],
)
def test_wrong_input(controls, text):
    energy = (
        "format = 1\ncoordinates = ['x', 'y']\n[parameters]\nm = 1\nk = 2\n[energy]\nkinetic = \"m*x'^2/2 + y'^2\"\n"
    )
    constraints = "" if "[constraints]" in controls else "[constraints]\nc = 'x = y'\n"
    head = "[controls]\n" if not controls.startswith("[") else ""
    with pytest.raises(ModelError, match=text):
        loads(energy + constraints + head + controls)


def test_energies_refuse_laws():
    for part in ("kinetic", "potential", "dissipation"):
        with pytest.raises(ModelError, match="control"):
            parts = {"kinetic": "x'^2/2", part: "u*x'^2/2 + x'^2/2" if part != "potential" else "u*x"}
            System("x", **parts, controls={"u": {"law": "-x"}})


@pytest.mark.parametrize(
    ("control", "text"),
    [
        ({"joint": "B"}, "there is no joint `B`"),
        ({"joint": 3}, "there is no joint `3`"),
        ({"joint": "A", "acts": {"phi_arm": 1}}, "both say where"),
        ({"joint": "A", "law": "A.forces"}, "did you mean `force`"),
        ({"joint": "A", "law": "A.angl"}, "has no `angl`"),
        ({"joint": "A", "coordinate": "distance"}, "distance"),
    ],
)
def test_wrong_joints(control, text):
    with pytest.raises(ModelError, match=text):
        Mechanism(**ARM, controls={"tau": control})


@pytest.mark.parametrize("where", ["bodies", "drives"])
def test_parts_that_cannot_follow_a_law(where):
    parts = {"bodies": {"arm": {**ARM["bodies"]["arm"], "mass": "tau"}}, "joints": ARM["joints"]}
    if where == "drives":
        parts = {**ARM, "drives": {"m": {"joint": "A", "angle": "tau"}}}
    with pytest.raises(ModelError, match=r"nothing that moves can stand here|a drive is a function of time"):
        Mechanism(**parts, controls={"tau": {"law": "A.angle"}})


def test_pictures_and_reports(tmp_path):
    run = Mechanism(**ARM, controls={"tau": {"joint": "A", "law": "-A.angle"}}).simulate(0.5)
    assert "N m" in run.plot("controls").axes[0].get_ylabel() and "Controls" in str(run.document())
    run.report(tmp_path / "report.html")
    assert "Controls" in (tmp_path / "report.html").read_text(encoding="utf-8")
    with pytest.raises(ModelError, match="no controls to draw"):
        Mechanism(**ARM).simulate(0.1).plot("controls")


def test_runs_with_laws_in_python_are_joined(tmp_path):
    system = System("x", kinetic="x'^2/2", controls={"u": {"acts": {"x": 1}}}, initial={"x": 1, "x'": 0})
    first = system.simulate(1, controls={"u": lambda t, s: -s["x"]}, every=0.1)
    second = system.simulate(2, controls={"u": lambda t, s: -2 * s["x"]}, every=0.2, initial=first.final())
    both = first + second
    assert len(both.calls["t"]) == 15 and both.certificate.ok
    assert both.evaluate("u", [0.05, 1.05])[1] == pytest.approx(-2 * first["x"][-1])
    both.save(tmp_path / "both.npz")
    with np.load(tmp_path / "both.npz") as data:
        assert json.loads(str(data["facts"]))["calls"]["u"] == both.calls["u"].tolist()
