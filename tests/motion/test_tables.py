"""Motions over tables: every method against SciPy's own spline and solver, kinks, and the ends of tables."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from dalembert import ModelError, MotionWarning, System

X, Y = np.linspace(0, 6, 25), 0.1 * np.sin(2.3 * np.linspace(0, 6, 25)) ** 3


def wheel(**entries):
    """Return a mass that is drawn along at 1 m/s on a spring over a road."""
    return System(
        "y",
        kinetic="m*y'^2/2",
        forces={"y": "-k*(y - road(t)) - d*(y' - road'(t))"},
        parameters={"m": 1.3, "k": 90, "d": 2},
        tables={"road": {"x": X, "value": Y, **entries}},
        initial={"y": 0, "y'": 0},
    )


def oracle(value, slope, until):
    def rates(t, s):
        return [s[1], (-90 * (s[0] - value(t)) - 2 * (s[1] - slope(t))) / 1.3]

    y, start = [0.0, 0.0], 0.0
    for end in [*X[(X > 0) & (until > X)], until]:  # from knot to knot
        y = solve_ivp(rates, (start, end), y, rtol=1e-12, atol=1e-14, method="DOP853").y[:, -1]
        start = end
    return y[0]


@pytest.mark.parametrize("method", ["dop853", "radau", "bdf", "rattle", "rk4"])
def test_methods_agree_with_another_solver(method):
    spline = CubicSpline(X, Y)
    step = {"step": 2e-3} if method in ("rattle", "rk4") else {}
    run = wheel().simulate(5, method=method, **step)
    assert run["y"][-1] == pytest.approx(oracle(spline, spline.derivative(), 5.0), abs=2e-5 if step else 2e-7)
    assert run.certificate.ok, str(run.certificate)


def test_kinks_in_time_are_stops():
    jumps = np.append(np.diff(Y) / np.diff(X), 0.0)
    system = wheel(kind="linear")
    run = system.simulate(5.1, rtol=1e-10)
    expected = oracle(lambda t: np.interp(t, X, Y), lambda t: jumps[np.searchsorted(X, t + 1e-13, "right") - 1], 5.1)
    assert run["y"][-1] == pytest.approx(expected, abs=1e-8)
    assert run.motion.crossing.passed == np.sum((X > 0) & (X < 5.1)) and run.certificate.ok


def test_kinks_in_the_state_are_met():
    x, y = np.linspace(-1, 1, 21), np.abs(np.linspace(-1, 1, 21))
    table = {"x": x, "value": y, "kind": "linear"}
    rolling = System("x", kinetic="x'^2/2", potential="V(x)", tables={"V": table}, initial={"x": 0.5, "x'": 0})
    run = rolling.simulate(3.9, rtol=1e-11, atol=1e-13)  # free fall to the middle and up again: a period of 4
    assert run["x"][-1] == pytest.approx(0.5 - 0.1**2 / 2, abs=1e-9) and run.certificate.ok


@pytest.mark.parametrize("teeth", [1, 2, 3, 7])
def test_a_table_narrower_than_the_steps_is_met(teeth):
    """Steps that lead over two, four or eight kinks at once are shortened, as those that lead over one."""
    edges = 1 + 1e-3 * np.arange(2 * teeth + 1)
    x = np.concatenate([[-100], edges, [100]])
    values = np.concatenate([[0], 400.0 * (np.arange(2 * teeth + 1) % 2), [0]])
    parts = {"tables": {"F": {"x": x, "value": values, "kind": "linear"}}, "initial": {"x": 0, "x'": 1}}
    run = System("x", kinetic="x'^2/2", forces={"x": "F(x)"}, **parts).simulate(3)
    assert run["x'"][-1] == pytest.approx(np.sqrt(1 + 2 * 0.4 * teeth), abs=1e-8)  # by the work of the table
    assert run.certificate.ok, str(run.certificate)


def test_constraints_cannot_follow_kinks_at_once():
    table = {"x": [0, 1, 2], "value": [0, 1, 1], "kind": "linear"}
    driven = System("y", kinetic="y'^2/2", constraints={"drive": "y = lift(t)"}, tables={"lift": table})
    with pytest.raises(ModelError, match="asks for velocities that jump at t = 1"):
        driven.simulate(2)
    assert driven.replace(tables={"lift": {"kind": "cubic"}}).simulate(2).certificate.ok


def test_motions_end_where_tables_do():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("dop853", "radau", "bdf"):
            run = wheel().simulate(8, method=method)
            assert run.status == "failed" and run.t[-1] == pytest.approx(6) and not run.certificate.ok
            assert "table `road` ends: it is given from 0 to 6, and t leaves that at t = 6. " in run.message
    with pytest.raises(ModelError, match=r"at the start `road` is asked for t = -1, before its first point: .* 0 to 6"):
        wheel().simulate(5, begin=-1)
    with pytest.raises(ModelError, match="behind its last point"):
        wheel().simulate(8, begin=7)
    assert wheel().simulate(6).status == "done"


def test_tables_that_go_on():
    spline = CubicSpline(X, Y)
    constant = wheel(beyond="constant").simulate(8, begin=-1)
    straight = wheel(beyond="linear").simulate(40)
    assert constant.certificate.ok and straight.certificate.ok
    assert constant.evaluate("road(t)", times=[-1, 7.5]) == pytest.approx([Y[0], Y[-1]])
    slope = spline(6, 1)
    assert straight["y"][-1] == pytest.approx(Y[-1] + slope * 34, abs=1e-6)
    assert straight.evaluate("road(t)", times=[7.5])[0] == pytest.approx(Y[-1] + slope * 1.5)


def test_what_is_asked_beyond_the_ends_is_no_number():
    run = wheel().simulate(5)
    with pytest.warns(UserWarning, match="has no finite value"):
        values = run.evaluate("road(2*t)", times=[1, 2.9, 3.1])
    assert np.isfinite(values).tolist() == [True, True, False]
    assert np.isfinite(run.evaluate("road''(t)")).all()


def test_a_narrow_table_of_the_state_is_not_stepped_over():
    """A peak of the force at x = 5, two thousandths wide: v² = 4 + 2·200·0.001."""
    peak = {"x": [0, 4.999, 5, 5.001, 10], "value": [0, 0, 200, 0, 0], "kind": "linear", "beyond": "constant"}
    system = System("x", kinetic="x'^2/2", forces={"x": "peak(x)"}, tables={"peak": peak}, initial={"x": 0, "x'": 2})
    run = system.simulate(4)
    assert run["x'"][-1] == pytest.approx(np.sqrt(4.4), abs=1e-8) and run.certificate.ok
    other = system.simulate(4, method="radau")
    with pytest.warns(MotionWarning, match="certificate"):
        assert not other.certificate.ok
    assert "met by method `dop853`" in other.certificate.notes[0]
