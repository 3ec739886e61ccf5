"""Feedback that is written as a programme on accelerations: computed torque, against the closed form of the error."""

from __future__ import annotations

import numpy as np

from dalembert import System, loads
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
