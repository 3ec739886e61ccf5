"""More controls than programmes: the least of them, by weight, against the same by matrices."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import System, loads
from tests.servo.models import rise


def cart(weight=None, **more) -> System:
    """Return a cart with a pendulum; two controls, of which one acts on both, hold the path of the cart."""
    first = {"acts": {"x": 1}} if weight is None else {"acts": {"x": 1}, "weight": weight}
    given = {
        "kinetic": "(M + m)*x'^2/2 + m*l*x'*phi'*cos(phi) + m*l^2*phi'^2/2",
        "potential": "-m*g*l*cos(phi)",
        "controls": {"u": first, "w": {"acts": {"x": 2, "phi": 0.5}}},
        "programme": {"path": "x = sin(t)"},
        "parameters": {"M": 1, "m": 0.2, "l": 0.5, "g": 9.81},
        "initial": {"phi": 0.1, "phi'": 0},
    }
    return System("x phi", **{**given, **more})


@pytest.mark.parametrize(("weight", "R"), [(None, 1), (4, 4), ("2*M", 2)])
def test_the_least_controls_hold_the_path(weight, R):
    system = cart(weight)
    run = system.simulate(3, samples=12)
    assert run.certificate.ok
    E, B, inverse = np.array([[1, 2], [0, 0.5]]), np.array([[1, 0]]), np.diag([1 / R, 1])
    for i, t in enumerate(run.t):
        phi, rate = run["phi"][i], run["phi'"][i]
        M = np.array([[1.2, 0.1 * np.cos(phi)], [0.1 * np.cos(phi), 0.05]])
        f = np.array([0.1 * rate**2 * np.sin(phi), -0.2 * 9.81 * 0.5 * np.sin(phi)])
        P, b = B @ np.linalg.solve(M, E), -np.sin(t) - B @ np.linalg.solve(M, f)
        wanted = inverse @ P.T @ np.linalg.solve(P @ inverse @ P.T, b)
        np.testing.assert_allclose([run["u"][i], run["w"][i]], wanted, rtol=1e-9, atol=1e-9)
    assert str(loads(str(system))) == str(system)


def test_with_a_passive_constraint_and_a_change_of_weight():
    """A bar on two drives: its centre is led, and what they share follows the weights."""
    bar = System(
        "x y z",
        kinetic="x'^2/2 + y'^2/2 + z'^2/2",
        constraints={"rod": "x + y = 2*z"},
        controls={"u": {"acts": {"x": 1}, "weight": "R"}, "w": {"acts": {"y": 1}}},
        programme={"centre": f"z = {rise('t')}"},
        parameters={"R": 1},
        initial={"x": 0, "x'": 0},
    )
    run = bar.simulate(1, samples=10)
    np.testing.assert_allclose(run["u"], run["w"], atol=1e-9)
    np.testing.assert_allclose(run["x"], run["y"], atol=1e-9)
    other = bar.replace(parameters={"R": 3}).simulate(1, samples=10)
    # (u, w) is along (1/3, 1) times how the centre answers to each, which is alike
    np.testing.assert_allclose(3 * other["u"], other["w"], atol=1e-8)


def test_least_controls_through_a_spring():
    """Two forces on the second car, of one and of three times the size: what one takes is shared as 1 to 3."""
    cars = System(
        "x1 x2",
        kinetic="m1*x1'^2/2 + m2*x2'^2/2",
        potential="k*(x2 - x1)^2/2",
        controls={"u": {"acts": {"x2": 1}}, "w": {"acts": {"x2": 3}}},
        programme={"path": "x1 = sin(t)"},
        parameters={"m1": 1, "m2": 2, "k": 1.5},
    )
    run = cars.simulate(2, samples=10)
    whole = 2 * np.sin(run.t) / 1.5 - 3 * np.sin(run.t)
    np.testing.assert_allclose(run["u"], whole / 10, atol=1e-9)
    np.testing.assert_allclose(run["w"], 3 * whole / 10, atol=1e-9)
