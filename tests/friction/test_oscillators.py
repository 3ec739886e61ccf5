"""Oscillators with dry friction whose motion is known in closed form, or to many digits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import System
from tests.friction.watched import kinds, times

SLIP_TIME, PERIOD = 4.29599952548015488, 12.0010312948305786  # of the belt, by quadrature with 25 digits
BACK, FARTHEST = -0.541006353870084753, 1.13394467644165684


def belt(**changes) -> System:
    """A block on a belt, m x'' + k x = F, with friction that falls with the speed (Leine and others, 1998).

    Sticking ends at k x = F_N, so at x = 1 with these numbers; the other numbers are of the limit cycle.
    """
    parts = {
        "coordinates": "x",
        "kinetic": "m*x'^2/2",
        "potential": "k*x^2/2",
        "parameters": {"m": 1, "k": 1, "mu": 0.1, "N0": 10, "vd": 0.2, "delta": 3},
        "friction": {"belt": {"normal": "N0", "slip": "x' - vd", "law": "mu*N/(1 + delta*v)"}},
        "initial": {"x": 0, "x'": 0.2},
    }
    return System(**{**parts, **changes})


def test_the_belt_oscillator_has_two_events_in_each_period():
    run = belt().simulate(60, rtol=1e-12, atol=1e-14)
    assert run.status == "done" and run.certificate.ok
    slips, sticks = times(run, "slip"), times(run, "stick")
    assert kinds(run) == ["slip", "stick"] * (len(run.events) // 2) + ["slip"] * (len(run.events) % 2)
    assert slips[0] == pytest.approx(5.0, abs=1e-11)  # x = 1, after 1/v_d
    assert np.diff(slips) == pytest.approx(PERIOD, abs=1e-10)
    assert sticks - slips[: len(sticks)] == pytest.approx(SLIP_TIME, abs=1e-10)
    found = [event.q[0] for event in run.events if event.kind == "stick"]
    assert found == pytest.approx(np.full(len(found), BACK), abs=1e-10)
    assert np.array([event.q[0] for event in run.events if event.kind == "slip"]) == pytest.approx(1.0, abs=1e-11)
    assert run["x"].max() == pytest.approx(FARTHEST, abs=1e-3)


def test_while_it_sticks_the_block_moves_with_the_belt():
    run = belt().simulate(4.9, rtol=1e-10, samples=50)
    assert run["x"] == pytest.approx(0.2 * run.t, abs=1e-14)
    assert run.evaluate("belt.slip") == pytest.approx(0, abs=1e-15)
    assert run.evaluate("belt.status") == pytest.approx(1)
    assert run.evaluate("belt.tangent") == pytest.approx(0.2 * run.t, abs=1e-13)  # it holds the spring
    assert run.evaluate("belt.normal") == pytest.approx(10)


def test_the_belt_presses_by_a_constraint():
    """As before, with the load m g of a constraint: mu m g = 1 again."""
    system = belt(
        coordinates="x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="k*x^2/2 + m*g*y",
        constraints={"ground": "y = 0"},
        parameters={"m": 1, "k": 1, "mu": 0.1, "g": 10, "vd": 0.2, "delta": 3},
        friction={"belt": {"constraint": "ground", "slip": "x' - vd", "law": "mu*N/(1 + delta*v)"}},
    )
    run = system.simulate(30, rtol=1e-12, atol=1e-14)
    assert times(run, "slip") == pytest.approx(5 + PERIOD * np.arange(3), abs=1e-10)
    assert times(run, "stick") == pytest.approx(5 + SLIP_TIME + PERIOD * np.arange(2), abs=1e-10)
    assert run.evaluate("belt.normal") == pytest.approx(10, abs=1e-12)


def coulomb(**changes) -> System:
    parts = {
        "coordinates": "x",
        "kinetic": "x'^2/2",
        "potential": "x^2/2",
        "parameters": {"F": 1},
        "friction": {"floor": {"normal": "F", "slip": "x'", "coefficient": 1}},
        "initial": {"x": 12, "x'": 6},
    }
    return System(**{**parts, **changes})


def test_the_coulomb_oscillator_stops_and_stays():
    """x'' + x = −sign(x'): half circles about ∓1, so after the first reversal at √(13² + 6²) − 1 it loses 2 each."""
    first = np.hypot(13, 6) - 1
    end = np.arctan2(6, 13) + 7 * np.pi
    run = coulomb().simulate(100, rtol=1e-12, atol=1e-13, samples=[*np.linspace(0, 23, 47), 50.0, 100.0])
    assert run.status == "done" and run.certificate.ok
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(end, abs=1e-9)
    assert run["x"][-1] == pytest.approx(0.6821789367236468, abs=1e-9)
    assert first - 2 * 7 == pytest.approx(-0.6821789367236468, abs=1e-13)  # beyond its seventh turn it would turn back
    still = run.t >= 23
    assert np.ptp(run["x"][still]) <= 4e-16 and not run["x'"][still].any()
    assert run.evaluate("floor.tangent")[still] == pytest.approx(run["x"][-1], abs=1e-12)


def test_the_energy_that_friction_takes_is_force_times_way():
    run = coulomb().simulate(30, rtol=1e-11, atol=1e-12)
    way = np.hypot(13, 6) - 1 - 12 + sum(2 * (np.hypot(13, 6) - 1 - 2 * k) - 2 for k in range(7))
    assert run.energy[-1] - run.energy[0] == pytest.approx(-way, rel=1e-9)


def test_stribeck():
    """Friction that falls with exp(−(v/v_s)²) from μ_s N = 2 to 1: one period of the limit cycle by SciPy.

    It slips at k x = 2, slides back with F(v) until it has the speed of the belt again, and is carried on by it.
    """
    system = belt(
        potential="k*x^2/2",
        parameters={"m": 1, "k": 5, "vd": 0.1},
        friction={"belt": {"normal": 10, "slip": "x' - vd", "coefficient": 0.1, "static": 0.2, "stribeck": 0.05}},
        initial={"x": 0, "x'": 0.1},
    )
    run = system.simulate(12, rtol=1e-11, atol=1e-13)

    def rate(t, y):
        v = abs(y[1] - 0.1)
        return [y[1], -5 * y[0] + 1 + np.exp(-((v / 0.05) ** 2))]

    def sticks(t, y):
        return y[1] - 0.1 if t > 0.1 else -1.0

    sticks.terminal = True  # pyright: ignore[reportFunctionMemberAccess]
    # it leaves x = 0.4 with no acceleration, by what is unstable there: x'' = −5 (x − 0.4), v falls at once
    back = solve_ivp(rate, (0, 5), [0.4, 0.1], rtol=1e-12, atol=1e-14, events=sticks)
    slide, x = back.t[-1], back.y[0, -1]
    assert times(run, "slip")[0] == pytest.approx(4, abs=1e-9)
    assert times(run, "stick")[0] == pytest.approx(4 + slide, abs=1e-7)
    assert times(run, "slip")[1] == pytest.approx(4 + slide + (0.4 - x) / 0.1, abs=1e-7)


def test_lugre():
    """Canudas de Wit and others, 1995, as in Exudyn's test: x(25) = 1.9088391993 to 3e-10 of two of its methods."""
    system = System(
        coordinates="x",
        kinetic="M*x'^2/2",
        parameters={"M": 1, "K": 2, "s0": 1e5, "s1": "sqrt(1e5)", "s2": 0.4, "Fc": 1, "Fs": 1.5, "Vs": 0.001},
        define={"G": "(Fc + (Fs - Fc)*exp(-(x'/Vs)^2))/s0"},
        states={"z": "x' - z*abs(x')/G"},
        forces={"x": "K*(0.1*t - x) - s0*z - s1*(x' - z*abs(x')/G) - s2*x'"},
    )
    run = system.simulate(25, method="radau", rtol=1e-10, atol=1e-13)
    assert run["x"][-1] == pytest.approx(1.9088391993, abs=2e-9)
    assert run["x'"][-1] == pytest.approx(9.424154e-06, rel=1e-3)
    assert run["z"][-1] == pytest.approx(1.18168e-05, rel=1e-4)
