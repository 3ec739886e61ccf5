"""Feedback that is written as a programme on accelerations: computed torque, against the closed form of the error."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError, System, example, loads
from dalembert.errors import MotionWarning
from dalembert.survey.servo import steering_of


def arm(**more) -> System:
    """Return two links in their angles to the ground, with a motor for each."""
    given = {
        "kinetic": "(I1 + m2*l^2)*a'^2/2 + I2*b'^2/2 + m2*l*s*cos(a - b)*a'*b'",
        "potential": "m2*g*(l*sin(a) + s*sin(b))",
        "parameters": {"I1": 1, "I2": 0.3, "m2": 2, "l": 1, "s": 0.4, "g": 9.81},
        "controls": {"u": {"acts": {"a": 1, "b": 0}}, "w": {"acts": {"b": 1, "a": -1}}},
        "initial": {"a": 0.3, "b": 0.2, "a'": 0, "b'": 0},
    }
    return System("a b", **{**given, **more})


def torques(a, b, at, bt, att, btt):
    """Return u and w by hand."""
    c, s = np.cos(a - b), np.sin(a - b)
    first = (1 + 2) * att + 0.8 * (c * btt + s * bt**2) + 2 * 9.81 * np.cos(a)
    second = 0.3 * btt + 0.8 * (c * att - s * at**2) + 2 * 9.81 * 0.4 * np.cos(b)
    return first + second, second


def test_errors_die_away_as_they_are_told_to():
    system = arm(
        define={"path": "sin(t)"},
        programme={"p": "a'' = path'' - 6*(a' - path') - 9*(a - path)", "q": "b'' = -4*b' - 4*b"},
    )
    assert steering_of(system).states == 4
    assert "4 internal states, stable" in str(system.check())
    run = system.simulate(3, samples=20)
    t = run.t
    error = (0.3 - 0.1 * t) * np.exp(-3 * t)
    np.testing.assert_allclose(run["a"], np.sin(t) + error, atol=1e-9)
    np.testing.assert_allclose(run["b"], (0.2 + 0.4 * t) * np.exp(-2 * t), atol=1e-9)
    wanted = torques(*(run[name] for name in ("a", "b", "a'", "b'", "a''", "b''")))
    np.testing.assert_allclose([run["u"], run["w"]], wanted, atol=1e-9)
    assert run.certificate.ok
    assert str(loads(str(system))) == str(system)


def test_integral_action():
    """z' = e, e'' = −6 e' − 11 e − 6 z: the roots are −1, −2 and −3."""
    system = arm(
        states={"z": "a - sin(t)"},
        programme={"p": "a'' = -sin(t) - 6*(a' - cos(t)) - 11*(a - sin(t)) - 6*z", "q": "b'' = -4*b' - 4*b"},
    )
    assert steering_of(system).states == 5
    run = system.simulate(3, samples=20)
    parts = np.linalg.solve([[1, 1, 1], [-1, -2, -3], [1, 4, 9]], [0, 0.3, -1])
    wanted = sum(part * np.exp(-k * run.t) for part, k in zip(parts, (1, 2, 3), strict=True))
    np.testing.assert_allclose(run["z"], wanted, atol=1e-9)
    assert run.certificate.ok


def cars(law: str, on: str = "x1", **more) -> System:
    """Return two cars with a spring between them; the law of the force on one asks what the path of the first takes."""
    given = {
        "kinetic": "m1*x1'^2/2 + m2*x2'^2/2",
        "potential": "k*(x2 - x1)^2/2",
        "parameters": {"m1": 1, "m2": 2, "k": 1.5},
        "controls": {"u": {"acts": {on: 1}, "law": law}},
        "programme": {"p": "x1 = sin(t)"},
        "initial": {"x1": 0.3, "x2": 0, "x1'": 0, "x2'": 0},
    }
    return System("x1 x2", **{**given, **more})


def test_feed_forward_and_feedback_on_one_control():
    """u = u_programme − 9 e − 6 e': e″ = −9 e − 6 e' for a car of mass 1."""
    system = cars("u.programme - 9*(x1 - sin(t)) - 6*(x1' - cos(t))")
    assert system.constraints == ()
    assert "`u.programme` is what `p` takes at the state" in str(system.check())
    run = system.simulate(3, samples=20)
    t = run.t
    np.testing.assert_allclose(run["x1"], np.sin(t) + (0.3 - 0.1 * t) * np.exp(-3 * t), atol=1e-8)
    takes = -np.sin(t) + 1.5 * (run["x1"] - run["x2"])
    np.testing.assert_allclose(run.evaluate("u.programme"), takes, atol=1e-12)
    feedback = -9 * (run["x1"] - np.sin(t)) - 6 * (run["x1'"] - np.cos(t))
    np.testing.assert_allclose(run["u"], takes + feedback, atol=1e-12)
    again = loads(str(system))
    assert str(again) == str(system)
    assert again.simulate(1)["u"][-1] == system.simulate(1)["u"][-1]


def test_beside_a_path_that_is_reached_through_a_spring():
    """The fourth derivative of x1 is that of the path, wherever the motion is: it is off by what its start was off."""
    system = cars("u.programme", on="x2", initial={"x1": 0, "x2": 1 / 3, "x1'": 1, "x2'": 1 / 3})
    run = system.simulate(2, samples=10)
    np.testing.assert_allclose(run["x1"], np.sin(run.t) + run.t**2 / 4, atol=1e-8)
    path = system.replace(controls={"u": {"law": None}}, initial=dict.fromkeys(system.initial)).simulate(2, samples=10)
    begun = {name: path[name][0] for name in ("x1", "x2", "x1'", "x2'")}
    led = system.replace(initial=begun).simulate(2, samples=10)
    np.testing.assert_allclose(led["u"], path["u"], atol=1e-8)


def test_saturation_with_integral_action_is_said():
    law = "max(-1, min(1, u.programme - 9*(x1 - sin(t)) - 6*(x1' - cos(t)) - 2*z))"
    system = cars(law, states={"z": "x1 - sin(t)"})
    with pytest.warns(MotionWarning, match="control `u` is at its limit -1 and 1 at .*: it cannot hold `p` there"):
        run = system.simulate(3, samples=30)
    asked = run.evaluate("u.programme - 9*(x1 - sin(t)) - 6*(x1' - cos(t)) - 2*z")
    np.testing.assert_allclose(run["u"], np.clip(asked, -1, 1), atol=1e-12)
    spring = 1.5 * (run["x2"] - run["x1"])
    np.testing.assert_allclose(run["x1''"], run["u"] + spring, atol=1e-9)
    assert np.sum(np.abs(run["u"]) == 1) > 3
    assert run.certificate.ok
    wide = system.replace(controls={"u": {"law": law.replace("-1", "-100").replace("(1,", "(100,")}})
    assert not any("limit" in text for text in wide.simulate(3, samples=30).cautions)


@pytest.mark.parametrize("by", ["absolute", "joints"])
def test_feed_forward_of_an_arm(by):
    """On its path it is what holds the programmes; feedback brings a start beside the path there."""
    paths = {"one": "A.angle = first", "two": "B.angle = second"}
    arm = example("led-arm").replace(by=by, programme=paths, states={"sum": None})
    held = arm.simulate(1, samples=8)
    names = (*arm.coordinates, *arm.velocities)
    start = dict(zip(names, np.hstack([held.q[0], held.v[0]]).tolist(), strict=True))
    led = arm.replace(controls={name: {"law": f"{name}.programme"} for name in ("shoulder", "elbow")})
    run = led.replace(initial=start).simulate(1, samples=8)
    for name in ("shoulder", "elbow"):
        np.testing.assert_allclose(run[name], held[name], atol=1e-7)
    np.testing.assert_allclose(run.q, held.q, atol=1e-7)
    laws = {
        "shoulder": {"law": "shoulder.programme - 8*(A.angle - first) - 2*(A.angle' - first')"},
        "elbow": {"law": "elbow.programme - 3*(B.angle - second) - 0.5*(B.angle' - second')"},
    }
    back = led.replace(controls=laws).simulate(6, samples=8)
    assert abs(back["error1"][0]) > 0.3
    assert abs(back["error1"][-1]) < 2e-3
    assert abs(back["error2"][-1]) < 2e-3


def test_what_is_wrong_with_feed_forward_is_said():
    two = {"u": {"acts": {"x1": 1}, "law": "u.programme"}, "w": {"acts": {"x2": 1}}}
    for changes, words in (
        ({"controls": two}, "control `w` has no law, where others follow laws with what programmes take"),
        ({"controls": {**two, "w": {"acts": {"x2": 1}, "law": "w.programme"}}}, "as many controls as programmes"),
        ({"controls": {"u": {"acts": {"x1": 1}, "law": "w.programme"}}}, "there is no part `w`"),
        ({"programme": None}, "there is no part `u` of which `programme` could be asked"),
        ({"programme": {"p": "x1 = x2 + x1"}, "constraints": {"c": "x2 = 0"}}, "what `c` holds already"),
    ):
        with pytest.raises(ModelError) as error:
            cars("u.programme", **changes)
        assert words in str(error.value)


def test_two_states_that_begin_at_nothing():
    """A motor in between, and a state that acts as well: y'' = 3 (x − y), x'' = z + 0.3 w − 3 (x − y), w' = x − w."""
    system = System(
        "x y",
        kinetic="x'^2/2 + y'^2/2",
        potential="3*(x - y)^2/2",
        states={"z": "(u - z)/0.2", "w": "x - w"},
        forces={"x": "z + 0.3*w"},
        controls={"u": {}},
        programme={"p": "y = 0.2*sin(t)^7"},
    )
    assert steering_of(system).orders == {"p": 5}
    assert steering_of(system).states == 1
    run = system.simulate(2, samples=20)
    assert run.certificate.ok
    s, c = np.sin(run.t), np.cos(run.t)
    np.testing.assert_allclose(run["x"], 0.2 * s**7 + 0.2 * (42 * s**5 * c**2 - 7 * s**7) / 3, atol=1e-12)
    rates = np.gradient(run["w"], run.t, edge_order=2)
    np.testing.assert_allclose(rates[2:-2], (run["x"] - run["w"])[2:-2], atol=0.02)
    spring = 3 * (run["x"] - run["y"])
    np.testing.assert_allclose(run["x''"] + spring, run["z"] + 0.3 * run["w"], atol=1e-9)
