"""Where friction has no solution, or several, or depends on what redundancy leaves open: named, never computed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from dalembert import ModelError, SimulationError, System
from tests.friction.watched import kinds


def rod(mu: float, degrees: float, speed: float = 30.0) -> System:
    """Painlevé's rod of half length 1 with m = 1, J = 1/3, g = 10, whose end slides on the ground and cannot lift off.

    To the right with A = 1 + 3 cos²φ (1 − μ tan φ): λ = (10 − sin φ φ'²)/A. Zero at tan φ = 1 and 4 for μ = 5/3; the
    least μ for which A can be zero is 4/3, at tan φ = 2.
    """
    return System(
        coordinates="x y phi",
        kinetic="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
        potential="m*g*y",
        constraints={"ground": "y = sin(phi)"},
        friction={"tip": {"constraint": "ground", "slip": "x' - sin(phi)*phi'", "coefficient": "mu"}},
        parameters={"m": 1, "J": "1/3", "g": 10, "mu": mu},
        initial={"x": 0, "phi": np.deg2rad(degrees), "phi'": 0, "x'": speed},
    )


def critical(degrees: float) -> float:
    phi = np.deg2rad(degrees)
    return (1 + 3 * np.cos(phi) ** 2) / (3 * np.sin(phi) * np.cos(phi))


STEEPEST = float(np.rad2deg(np.arctan(2)))


def words(system: System) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = system.simulate(0.001)
        except SimulationError as error:
            return str(error)
        except ModelError as error:
            return str(error)
    return run.message if run.status == "failed" else ""


@pytest.mark.parametrize(("mu", "degrees", "wrong"), [
    (4 / 3 * (1 + 1e-6), STEEPEST, True),
    (4 / 3 * (1 - 1e-6), STEEPEST, False),
    (5 / 3, 44.999, False),
    (5 / 3, 45.001, True),
    (5 / 3, float(np.rad2deg(np.arctan(4))) - 1e-3, True),
    (5 / 3, float(np.rad2deg(np.arctan(4))) + 1e-3, False),
])  # fmt: skip
def test_the_paradox_begins_where_theory_says(mu, degrees, wrong):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problems = [p for p in rod(mu, degrees).check().problems if "Painlevé" in str(p) and "elsewhere" not in str(p)]
    assert bool(problems) == wrong
    text = words(rod(mu, degrees))
    assert ("no solution" in text) == wrong
    other = words(rod(mu, degrees, -30.0))
    assert ("2 solutions" in other) == wrong


def test_friction_state_and_critical_coefficient_are_named():
    text = words(rod(5 / 3, 60))
    assert "phi = 1.0472" in text and "x' = 30" in text and "ground" in text
    assert f"critical value is {critical(60):.6g}" in text and "mu = 1.66667" in text
    assert "`tip`" in text


def test_the_rod_slides_until_it_jams():
    """μ = 5/3 from 31°: at t = 0.81455 s it comes to 45°, where A and the load are zero together."""
    with pytest.warns(UserWarning, match="Painlevé"):
        run = rod(5 / 3, 31).simulate(2, rtol=1e-10, atol=1e-12)
    assert run.status == "failed" and "Painlevé" in run.message
    assert run.t[-1] == pytest.approx(0.81454957, abs=1e-5)
    assert np.rad2deg(run["phi"][-1]) == pytest.approx(45, abs=1e-3)
    assert run["x'"][-1] == pytest.approx(11.9928, abs=2e-3) and run["phi'"][-1] == pytest.approx(3.7602, abs=2e-3)


def test_below_the_critical_coefficient_nothing_is_said():
    run = rod(1.2, 31).simulate(0.7, rtol=1e-9)
    assert run.status == "done" and run.certificate.ok


def test_at_rest_it_sticks_beyond_the_critical_coefficient_too():
    """From rest the pinned rod falls, with tangent over normal force 3 sin φ cos φ/(1 + 3 sin²φ), which is less."""
    phi = np.deg2rad(60)
    run = rod(5 / 3, 60, 0.0).simulate(0.01, rtol=1e-9)
    assert run.evaluate("tip.status")[0] == 1
    ratio = 3 * np.sin(phi) * np.cos(phi) / (1 + 3 * np.sin(phi) ** 2)
    assert abs(run.evaluate("tip.tangent")[0]) == pytest.approx(
        10 * ratio * run.evaluate("tip.normal")[0] / 10, rel=1e-9
    )
    assert run.evaluate("phi''")[0] == pytest.approx(-10 * np.cos(phi) / (4 / 3), rel=1e-9)


# --- what redundancy leaves open ---------------------------------------------------------------------------------------


def block(**rub) -> System:
    """A block on two supports under one point: what each carries is not determined, half of it is the least."""
    both = {name: {"constraint": name, "slip": "x'", "coefficient": "mu", **rub} for name in ("left", "right")}
    return System(
        coordinates="x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="m*g*y",
        constraints={"left": "y = 0", "right": "-y = 0"},
        friction={f"on_{name}": table for name, table in both.items()},
        parameters={"m": 3, "g": 10, "mu": 0.2},
        initial={"x'": 4},
    )


def test_shared_loads_are_refused_by_name_with_remedies():
    text = words(block())
    assert "left" in text and "right" in text and "not determinate" in text
    assert "least norm" in text or "share" in text


def test_the_least_share_is_taken_where_it_is_asked_for():
    """Each carries half of the weight, so that friction is μ m g together."""
    run = block(share="least norm").simulate(5, rtol=1e-10, atol=1e-12)
    assert run.status == "done" and set(kinds(run)) == {"stick"}
    assert [event.t for event in run.events] == pytest.approx([2.0, 2.0], abs=1e-8)
    assert run["x"][-1] == pytest.approx(4.0, abs=1e-8)


def test_the_least_share_is_known_where_it_is_asked_for():
    run = block(share="least norm").simulate(1, rtol=1e-10, atol=1e-12)
    assert run.evaluate("on_left.normal") == pytest.approx(15, rel=1e-9)
    assert run.evaluate("on_right.tangent") == pytest.approx(-3, rel=1e-9)


def test_what_one_of_two_shares_by_name_does_not_settle_the_other():
    one = System(
        coordinates="x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="m*g*y",
        constraints={"left": "y = 0", "right": "-y = 0"},
        friction={
            "on_left": {"constraint": "left", "slip": "x'", "coefficient": "mu", "share": "least norm"},
            "on_right": {"constraint": "right", "slip": "x'", "coefficient": "mu"},
        },
        parameters={"m": 3, "g": 10, "mu": 0.2},
        initial={"x'": 4},
    )
    assert "right" in words(one)
