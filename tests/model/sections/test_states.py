"""[states]: quantities of first order, against SciPy and closed forms, in every form, method and kind of system."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sympy import Derivative, Symbol

from dalembert import Event, Mechanism, ModelError, System, coordinates, dot, load, load_motion, loads

BRISTLE = """format = 1
coordinates = ["x"]
[parameters]
m = 1.0
k = 4.0
s0 = 30.0
s1 = 0.5
G = 0.1
[states]
z = "x' - z*abs(x')/G"
[energy]
kinetic = "m*x'^2/2"
potential = "k*x^2/2"
[forces]
x = "-s0*z - s1*z'"
[outputs]
friction = "s0*z + s1*z'"
[initial]
x = 1
"x'" = 0
z = 0.01
"""
FORMS = ("multipliers", "minimal", "explicit", "canonical", "independent")
METHODS = {
    "dop853": ({}, 1e-8),
    "radau": ({}, 1e-8),
    "bdf": ({}, 1e-7),
    "rk4": ({"step": 0.002}, 1e-6),
    "rattle": ({"step": 0.01}, 1e-4),
}


def bristle(t, y):
    x, v, z = y
    rate = v - z * abs(v) / 0.1
    return [v, -4 * x - 30 * z - 0.5 * rate, rate]


@pytest.fixture(scope="module")
def exact():
    return solve_ivp(bristle, (0, 3), [1, 0, 0.01], method="DOP853", rtol=1e-12, atol=1e-14, dense_output=True).sol


@pytest.mark.parametrize("method", METHODS)
def test_every_method_agrees_with_scipy_and_passes(method, exact):
    settings, off = METHODS[method]
    run = loads(BRISTLE).simulate(until=3, samples=30, method=method, **settings)
    x, v, z = exact(run.t)
    for name, values in (("x", x), ("x'", v), ("z", z), ("z'", v - z * abs(v) / 0.1)):
        np.testing.assert_allclose(run[name], values, atol=20 * off)
    np.testing.assert_allclose(run["friction"], 30 * z + 0.5 * (v - z * abs(v) / 0.1), atol=300 * off)
    assert run.certificate.ok
    assert list(run.certificate.errors) == ["x", "z"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_agrees_with_scipy_and_passes(form, exact):
    run = loads(BRISTLE).simulate(until=3, samples=[1, 2, 3], form=form, certify=True)
    np.testing.assert_allclose(run["z"], exact(run.t)[2], atol=1e-9)
    assert run.certificate.ok


def test_the_error_of_a_state_is_stated():
    run = loads(BRISTLE).simulate(until=2, rtol=1e-4, atol=1e-6)
    true = solve_ivp(bristle, (0, 2), [1, 0, 0.01], method="DOP853", rtol=1e-12, atol=1e-14, t_eval=run.t).y[2]
    assert np.abs(run["z"] - true).max() <= 3 * run.certificate.errors["z"]


def test_integral_action_on_a_jump_is_exact():
    """z = ∫(step(t − 1) − x) dt, and x at rest: the jump in the rate is none in a constraint."""
    held = System("x", kinetic="x'^2/2", states={"z": "step(t - 1) - 2*x"}, initial={"x": 0.25, "x'": 0, "z": 3})
    run = held.simulate(until=2, samples=[1, 2], certify=True)
    np.testing.assert_allclose(run["z"], [2.5, 3.0], rtol=1e-12)
    assert run.certificate.ok


@pytest.mark.parametrize("T", [1.0, 1e-6])
def test_a_filter_as_its_closed_form(T):
    """T ż = sin t − z from rest: z = (sin t − T cos t + T e^{−t/T})/(1 + T²)."""
    system = System("x", kinetic="x'^2/2", states={"z": "(sin(t) - z)/T"}, parameters={"T": T})
    run = system.simulate(until=3, samples=7, method="radau", certify=True)
    expected = (np.sin(run.t) - T * np.cos(run.t) + T * np.exp(-run.t / T)) / (1 + T * T)
    np.testing.assert_allclose(run["z"], expected, atol=1e-8)
    assert run.certificate.ok


def test_constraints_leave_states_alone():
    """A pendulum in x, y with a rope, and a motor whose torque is a state: the same as in its angle."""
    rod = System(
        "x y", kinetic="m*(x'^2 + y'^2)/2", potential="m*9.81*y", states={"u": "(-50*x - 2*(x*y' - y*x') - u)/0.1"},
        forces={"x": "-u*y", "y": "u*x"}, constraints={"rod": "x^2 + y^2 = 1"}, parameters={"m": 2},
        initial={"x": 0.6, "u": 1, "x'": 0}, guess={"y": -1},
    )  # fmt: skip

    def angle(t, s):
        a, w, u = s
        return [w, (u - 2 * 9.81 * np.sin(a)) / 2, (-50 * np.sin(a) - 2 * w - u) / 0.1]

    y = solve_ivp(angle, (0, 1), [np.arcsin(0.6), 0, 1], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    for form in FORMS:
        run = rod.simulate(until=1, form=form, samples=[1])
        np.testing.assert_allclose([run["x"][0], run["u"][0]], [np.sin(y[0]), y[2]], atol=2e-7)
        assert run.certificate.ok, form
    assert rod.check().degrees_of_freedom == 1 == rod.derive("minimal").degrees_of_freedom
    assert len(rod.derive().reactions["rod"]) == 2 == len(run.final_reactions()["rod"])
    gear = System(
        "x y", kinetic="x'^2 + y'^2", states={"u": "y' - u"}, constraints={"gear": "y = 2*x"}, forces={"y": "u"}
    )
    assert [str(f) for f in gear.reduced().blocks.f] == ["2*∫u'", "2*x' - ∫u'"]


def motor() -> Mechanism:
    rod = {"mass": 1, "inertia": 0.1, "at": [0.5, 0]}
    joint = {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}
    return Mechanism(
        {"rod": rod}, {"A": joint},
        actuators={"motor": {"joint": "A", "torque": "K*i"}},
        states={"i": "(U - R*i - K*phi_rod')/L"},
        parameters={"K": 0.5, "U": 12, "R": 1, "L": 0.01}, initial={"i": 0.2},
    )  # fmt: skip


def test_a_motor_turns_a_mechanism():
    def arm(t, s):
        a, w, i = s
        return [w, (0.5 * i - 9.81 * 0.5 * np.cos(a)) / 0.35, (12 - i - 0.5 * w) / 0.01]

    true = solve_ivp(arm, (0, 1), [0, 0, 0.2], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    mechanism = motor()
    run = mechanism.simulate(until=1, samples=[1], certify=True)
    np.testing.assert_allclose([run["phi_rod"][0], run["i"][0]], true[[0, 2]], atol=1e-7)
    assert run.certificate.ok
    assert loads(str(mechanism)) == mechanism
    assert mechanism.system().states == mechanism.states
    assert mechanism.check().degrees_of_freedom == 1


def test_matrices_may_have_them_too():
    run = System("x", mass=[[2]], force=["-8*x - u"], states={"u": "x' - u"}, initial={"x": 1}).simulate(until=1)
    true = solve_ivp(lambda t, y: [y[1], -4 * y[0] - y[2] / 2, y[1] - y[2]], (0, 1), [1, 0, 0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose([run["x"][-1], run["u"][-1]], true.y[[0, 2], -1], atol=1e-8)
    assert run.certificate.ok


def test_written_and_read_again():
    system = loads(BRISTLE)
    assert loads(str(system)) == system
    assert str(system).index("[states]") < str(system).index("[energy]")
    assert "∫" not in str(system)
    assert system.replace(parameters={"G": 2}).states == system.states
    assert system.replace(initial={"z": 0.5}).simulate(until=0.1)["z"][0] == 0.5
    assert system.replace(initial={"z": None}).simulate(until=0.1)["z"][0] == 0
    assert str(system.replace(states={"z": "x' - z"}).states["z"]) == "x' - ∫z'"
    assert system.replace(states={"w": "z - w"}).states.keys() == {"z", "w"}
    with pytest.raises(ModelError, match="`z` is no state of this system"):
        system.replace(states={"z": None})


def test_symbols_of_sympy():
    x, z = coordinates("x z")
    k = Symbol("k")
    system = System(
        [x], kinetic=dot(x) ** 2 / 2, forces={x: -k * z}, states={z: dot(x) - z}, parameters={k: 2}, initial={z: 1}
    )
    assert system.derive().equations[1] == -Derivative(x, x.args[0]) + Derivative(z, x.args[0]) + z
    assert system.simulate(until=1, initial={z: 2})["z"][0] == 2
    with pytest.raises(ModelError, match="the rate of a state is the highest derivative"):
        System([x], kinetic=dot(x) ** 2, states={z: -z}, forces={x: dot(z, 2)})


def test_derived_shown_and_exported(tmp_path):
    system = loads(BRISTLE)
    for form in FORMS:
        found = system.derive(form)
        text = found.text() + found.latex() + json.dumps(found.as_dict())
        assert "∫" not in text and "z'" in text
    assert system.derive().as_dict()["equations"][1] == "z' - x' + z*abs(x')/G = 0"
    assert "1 coordinate, 1 state" in str(system.check()) and system.check().as_dict()["states"] == 1
    assert "1 state" in repr(system) and "∫" not in system.text()
    names = [path.read_text() for path in system.export(tmp_path / "bristle.c", "c")]
    assert any("integral_z" in text for text in names)


def test_files_reports_and_plots_have_them(tmp_path):
    run = loads(BRISTLE).simulate(until=1, samples=10)
    run.save(tmp_path / "run.csv")
    table = load_motion(tmp_path / "run.csv")
    np.testing.assert_array_equal(table["z"], run["z"])
    np.testing.assert_array_equal(table["z'"], run["z'"])
    assert not any("∫" in name for name in table)
    run.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "∫" not in page and "States" in page
    run.plot("states")
    assert "∫" not in run.text() and run.peak("z") >= abs(run["z"]).max()
    with pytest.raises(ModelError, match="there are no states to draw"):
        System("x", kinetic="x'^2").simulate(until=1).plot("states")


def test_motions_go_on_from_their_ends():
    system = loads(BRISTLE)
    whole, first = system.simulate(until=2), system.simulate(until=1)
    assert set(first.final()) == {"t", "x", "x'", "z"}
    second = system.simulate(until=2, initial=first.final())
    assert second["z"][-1] == pytest.approx(whole["z"][-1], abs=1e-9)
    assert (first + second).certificate.ok


def test_events_watch_and_set_them():
    """A counter that is set back when it reaches one: a saw of period one."""
    saw = System(
        "x",
        kinetic="x'^2/2",
        states={"n": "1"},
        events={"full": {"when": "n = 1", "direction": "up", "velocities": {"n": "0"}}},
    )
    run = saw.simulate(until=3.5, certify=True)
    assert [event.t for event in run.events] == pytest.approx([1, 2, 3], abs=1e-9)
    assert run["n"][-1] == pytest.approx(0.5, abs=1e-9)
    assert run.certificate.ok
    assert loads(str(saw)) == saw


def test_energy_knows_nothing_of_them():
    """A state of a million beside an oscillator: the energy is its own, and so is the measure of its balance."""
    run = System("x", kinetic="x'^2/2", potential="x^2/2", states={"z": "1e6*x"}, initial={"x": 1}).simulate(until=5)
    np.testing.assert_allclose(run.energy, 0.5, rtol=1e-8)
    assert run.drift.scale < 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("z = \"x' - z*abs(x')/G\"", "x = \"x'\"", "10:.*state `x` is also a coordinate"),
        ("z = \"x' - z*abs(x')/G\"", 'z = "-z"\nk = "-k"', "11:.*state `k` is also a parameter"),
        ("x' - z*abs(x')/G", "x''", "10:.*depends on accelerations"),
        ("x' - z*abs(x')/G", "z' + 1", "10:.*on rates of states"),
        ("x' - z*abs(x')/G", "w", "10:.*unknown name `w`"),
        ('"x\' - z*abs(x\')/G"', "[1, 2]", "10:.*expected an expression or a number"),
        ('"x\' - z*abs(x\')/G"', "true", "10:.*expected an expression or a number"),
        ("z = \"x' - z*abs(x')/G\"", "sin = \"x'\"", "10:.*reserved"),
        ("k*x^2/2", "k*z^2/2", "13:.*a state has no energy"),
        ("m*x'^2/2", "z*x'^2/2", "12:.*a state has no energy"),
        ("[forces]", '[constraints]\nc = "x = z"\n[forces]', "15:.*a state in a constraint"),
        ("s1*z'", "s1*z''", "15:.*has 2 primes; the rate of a state"),
        ("[forces]", '[forces]\nz = "1"', "15:.*a force on `z`, which is no coordinate; known names: x$"),
        ("z = 0.01", "z = 0.01\n\"z'\" = 1", "neither a coordinate nor a velocity"),
        ("[initial]", "[guess]\nz = 1\n[initial]", "neither a coordinate nor a velocity"),
        ("[states]", "states = 3\n[nothing]", "."),
        ("[outputs]\nfriction", "[outputs]\nz", "17:.*output `z` is also a state"),
        ("[states]", '[define]\nz = "x"\n[states]', "is also a definition"),
        ("[states]", "[tables.z]\nx = [0, 1]\nvalue = [0, 1]\n[states]", "state `z` is also a table"),
    ],
)  # fmt: skip
def test_mistakes_have_their_line(old, new, said):
    assert old in BRISTLE
    with pytest.raises(ModelError, match=said):
        loads(BRISTLE.replace(old, new, 1))


@pytest.mark.parametrize("states", [3, ["z"], {1: "2"}, {"a b": "1"}, {"z" * 5000: "1"}, {"z": None}])
def test_nonsense_in_python(states):
    with pytest.raises(ModelError):
        System("x", kinetic="x'^2", states=states)


def test_many_states_are_refused_and_rates_do_not_explode():
    with pytest.raises(ModelError, match="at most 1,000"):
        System("x", kinetic="x'^2", states={f"z{k}": "x" for k in range(1001)})
    with pytest.raises(ModelError, match="once rates of states and laws are put in"):
        rate = " + ".join(f"sin({k}*x)" for k in range(3000))
        System("x", kinetic="x'^2", states={"z": rate}, forces={"x": " + ".join(f"cos({k}*z')" for k in range(3000))})


def test_a_rate_without_a_value_is_said():
    with pytest.warns(match="no finite value for z'|ends at"):
        run = System("x", kinetic="x'^2/2", states={"z": "1/(1 - t)^2"}).simulate(until=2)
    assert run.status == "failed" and "∫" not in run.message
    found = System("x", kinetic="x'^2/2", states={"z": "log(z)"}).check()
    assert not found.ok and "`z`" in str(found)


@pytest.mark.parametrize("form", FORMS)
def test_energies_that_are_shortened_leave_states_alone(form):
    kinetic = "(cos(x)^2*x'^2 + sin(x)^2*x'^2)/2"
    system = System("x", kinetic=kinetic, states={"z": "-z"}, initial={"x": 0, "x'": 1, "z": 1})
    derivation = system.derive(form)
    assert str(derivation.equations[-1]) == "z(t) + Derivative(z(t), t)"
    run = system.simulate(3, form=form)
    assert run["z"][-1] == pytest.approx(np.exp(-3), rel=1e-7) and run.certificate.ok


def test_states_have_no_energy():
    system = System("x", kinetic="m*x'^2/2", states={"z": "x - z"}, parameters={"m": 1})
    assert Symbol("z") not in system.derive("canonical").H.free_symbols and "z(t)" not in str(
        system.derive("canonical").H
    )


MOTOR = """format = 1
[parameters]
R = 2.0
L = 0.1
k = 0.5
V = 6.0
[bodies.rod]
mass = 2
inertia = 0.1
at = [0.5, 0]
[joints.A]
kind = "revolute"
bodies = ["ground", "rod"]
at = [0, 0]
[states]
i = "(V - R*i - k*A.angle')/L"
e = "A.angle - 0.3"
[actuators.m]
joint = "A"
torque = "k*i + 0.01*i'"
[controls.u]
joint = "A"
law = "-30*(A.angle - 0.3) - 2*A.angle' - 5*e - 0.1*e'"
[events.soft]
when = "e = 0.5"
velocities = {i = "i' / 10"}
"""


def driven(t, y):
    a, w, i, e = y
    di, de = (6 - 2 * i - 0.5 * w) / 0.1, a - 0.3
    torque = 0.5 * i + 0.01 * di - 30 * de - 2 * w - 5 * e - 0.1 * de
    return [w, (torque - 2 * 9.81 * 0.5 * np.cos(a)) / (0.1 + 0.5), di, de]


def test_rates_name_parts_of_a_mechanism(tmp_path):
    model = loads(MOTOR)
    run = model.simulate(3, samples=40)
    known = solve_ivp(driven, (0, 3), [0, 0, 0, 0], t_eval=run.t, method="DOP853", rtol=1e-11, atol=1e-12)
    for k, name in enumerate(("phi_rod", "phi_rod'", "i", "e")):
        np.testing.assert_allclose(run[name], known.y[k], rtol=0, atol=1e-7)
    assert run.certificate.ok
    model.save(tmp_path / "motor.toml")
    assert "A.angle" in (tmp_path / "motor.toml").read_text()
    assert load(tmp_path / "motor.toml") == model == pickle.loads(pickle.dumps(model))
    for other in (model.system(), model.reduced()):
        assert other.simulate(3)["i"][-1] == pytest.approx(run["i"][-1], rel=1e-8)
    turned = model.replace(joints={"A": {"axes": [[0, 1], [1, 0]], "points": [[0, 0], [-0.5, 0]], "at": None}})
    assert turned.forces["∫e"] != model.forces["∫e"]  # the name stands for what it is now


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        ("A.angel", "17:6: e: `A` has no `angel`; did you mean `angle`"),
        ("A.angle''", "17: e: the rate of a state depends on accelerations"),
        ("A.angle + i'", "17: e: .*on rates of states"),
        ("B.angle", "17:6: e: there is no part `B`"),
        ("u", "`u` depends on `u`"),
        ("u + A.angle", "17: e: .*on rates of states"),
    ],
)
def test_parts_in_rates_that_are_none(rate, said):
    with pytest.raises(ModelError, match=said) as error:
        loads(MOTOR.replace("A.angle - 0.3", rate, 1))
    assert len(error.value.problems) == 1


def test_a_control_on_a_state_stays_in_fewer_coordinates():
    system = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        constraints={"c": "y = x^2"},
        states={"z": "-z"},
        controls={"u": {"acts": {"z": 1}, "law": "sin(t)"}},
        forces={"x": "z"},
        initial={"x": 0, "x'": 0},
    )
    z = (np.exp(-3) + np.sin(3) - np.cos(3)) / 2  # of z' = sin(t) - z
    for one in (system, system.reduced()):
        assert one.simulate(3)["z"][-1] == pytest.approx(z, rel=1e-8)


def test_states_are_no_parameters_of_an_event():
    with pytest.raises(ModelError, match=r"19: set: `z` is a state; new values of states stand in `velocities`"):
        loads(BRISTLE.replace("[initial]", '[events.e]\nset = {z = 0}\nwhen = "x = 0"\n[initial]'))
    with pytest.raises(ModelError, match="`z` is a state; give its new value as velocities"):
        loads(BRISTLE).simulate(1, events=[Event("x = 0.5", {"z": 0})])
