"""Frictions that share a load until all is used up, and sliding in a plane in any units, by computations of their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, linprog

from dalembert import System
from tests.friction.watched import kinds, times


def test_three_brakes_slip_together_where_all_that_they_can_hold_is_used_up():
    """One moves twice as fast, and holds twice as much; two loads change with time, also while they are shared."""
    system = System(
        "x",
        kinetic="m*x'^2/2",
        forces={"x": "1.5*t"},
        parameters={"m": 2},
        friction={
            "a": {"normal": "3 + sin(t)", "slip": "x'", "coefficient": 0.3, "static": 0.4},
            "b": {"normal": "4 + 0.5*cos(3*t)", "slip": "2*x'", "coefficient": 0.2},
            "c": {"normal": "1 + 0.1*t", "slip": "-x'", "coefficient": 0.5},
        },
    )
    run = system.simulate(4, rtol=1e-10, atol=1e-12)

    def held(t, mu):
        return mu * (3 + np.sin(t)) + 2 * 0.2 * (4 + 0.5 * np.cos(3 * t)) + 0.5 * (1 + 0.1 * t)

    begin = brentq(lambda t: 1.5 * t - held(t, 0.4), 2, 3)
    assert kinds(run) == ["slip"] * 3 and times(run, "slip") == pytest.approx([begin] * 3, abs=1e-8)
    end = solve_ivp(lambda t, y: [y[1], (1.5 * t - held(t, 0.3)) / 2], (begin, 4), [0, 0], rtol=1e-12, atol=1e-13)
    assert [run["x"][-1], run["x'"][-1]] == pytest.approx(end.y[:, -1], abs=1e-9)
    assert run.certificate.ok


def test_three_in_two_directions_slip_where_no_share_is_left():
    """Along x, y and x + y: whether forces are held is a linear program."""
    system = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        forces={"x": "2*t", "y": "t - 0.3*t^2"},
        friction={
            "a": {"normal": 5, "slip": "x'", "coefficient": 0.3},
            "b": {"normal": 4, "slip": "y'", "coefficient": 0.25},
            "c": {"normal": 3, "slip": "x' + y'", "coefficient": 0.4},
        },
    )
    run = system.simulate(3, rtol=1e-10, atol=1e-12)

    def is_held(t):
        bounds = [(-limit, limit) for limit in (1.5, 1.0, 1.2)]
        equal = [[1, 0, 1], [0, 1, 1]]
        return linprog([0, 0, 0], A_eq=equal, b_eq=[-2 * t, 0.3 * t**2 - t], bounds=bounds).status == 0

    low, high = 0.0, 3.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if is_held(middle) else (low, middle)
    assert times(run, "slip")[0] == pytest.approx(low, abs=1e-6)
    assert sorted(event.name for event in run.events) == ["a", "c"] and run.certificate.ok


@pytest.mark.parametrize(("second", "metre"), [(1, 1), (1e-6, 1e3), (1e7, 1e-4), (1e3, 1e6)])
@pytest.mark.parametrize(("static", "end"), [(0.25, (4.73080138654, 4.61659171533)), (0.35, None)])
def test_sliding_in_a_plane_in_any_units(second, metre, static, end):
    """The force turns as it grows; the end is that of SciPy, see `test_planes.py`, or by a speed of 1e-13 at the start."""
    newton = metre / second**2
    system = System(
        "x y",
        kinetic="m*(x'^2 + y'^2)/2",
        forces={"x": "c*t", "y": "d*t^2"},
        parameters={"m": 2, "N": 19.62 * newton, "c": 3 * newton / second, "d": newton / second**2},
        friction={"ice": {"normal": "N", "slip": ["x'", "y'"], "coefficient": 0.25, "static": static}},
    )
    run = system.simulate(4 * second, rtol=1e-10, atol=1e-12 * min(1, metre, metre / second))
    if end is None:
        begin = brentq(lambda t: np.hypot(3 * t, t**2) - static * 19.62, 1, 3, xtol=1e-14)

        def rate(t, y):
            return [*y[2:], *((np.array([3 * t, t * t]) - 0.25 * 19.62 * y[2:] / np.hypot(*y[2:])) / 2)]

        slow = [0, 0, *(1e-13 * np.array([3 * begin, begin**2]))]
        end = solve_ivp(rate, (begin, 4), slow, method="Radau", rtol=1e-11, atol=1e-14).y[:2, -1]
    assert np.array([run["x"][-1], run["y"][-1]]) / metre == pytest.approx(end, abs=5e-10)
    assert run.motion.facts["steps"] < 1000 and run.certificate.ok


def test_a_puck_that_a_moving_spring_pulls_over_a_plane_sticks_and_slips():
    """Pulled along a sine; SciPy follows it from one rest to the next."""
    mu, static = 0.981, 1.4715

    def force(t, q):
        return np.array([-4 * (q[0] - 0.7 * t), -4 * (q[1] - 0.5 * np.sin(0.9 * t))])

    system = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        forces={"x": "-4*(x - 0.7*t)", "y": "-4*(y - 0.5*sin(0.9*t))"},
        friction={"ice": {"normal": 9.81, "slip": ["x'", "y'"], "coefficient": 0.1, "static": 0.15}},
    )
    run = system.simulate(12, rtol=1e-10, atol=1e-12)
    begin = brentq(lambda t: np.hypot(*force(t, [0, 0])) - static, 0.1, 1)
    start = [0, 0, *(1e-12 * force(begin, [0, 0]))]

    def rate(t, y):
        return [*y[2:], *(force(t, y[:2]) - mu * y[2:] / np.hypot(*y[2:]))]

    wanted = solve_ivp(rate, (begin, 12), start, rtol=1e-11, atol=1e-13)
    assert np.hypot(*wanted.y[2:, 1:]).min() > 0 and kinds(run) == ["slip"]
    assert [run["x"][-1], run["y"][-1]] == pytest.approx(wanted.y[:2, -1], abs=1e-7)


def test_a_drive_carries_what_friction_holds_through_its_turning_points():
    """The drive gives 2 x'' + 6 sign(x'): friction has its sign at once, though nothing can slip."""
    rub = {"f": {"normal": 20, "slip": "x'", "coefficient": 0.3}}
    system = System("x", kinetic="x'^2", constraints={"drive": "x = 0.1*sin(2*t)"}, friction=rub)
    run = system.simulate(4, samples=9)
    wanted = -0.8 * np.sin(2 * run.t) + 6 * np.sign(np.cos(2 * run.t))
    assert run.evaluate("lambda_drive") == pytest.approx(wanted, abs=1e-9) and run.certificate.ok


@pytest.mark.parametrize(("law", "begin"), [("0.1*max(0, t - 1)^2", 1.0), ("0.1*t^4", 0.0)])
def test_what_a_drive_holds_moves_with_it(law, begin):
    """It rests until the drive sets off, also so gently that it begins without acceleration; then friction is 6."""
    rub = {"f": {"normal": 20, "slip": "x'", "coefficient": 0.3}}
    system = System("x", kinetic="x'^2", constraints={"drive": f"x = {law}"}, friction=rub)
    run = system.simulate(4, samples=9)
    assert kinds(run) == ["slip"] and begin <= run.events[0].t < begin + 0.01
    later = run.t > begin + 0.01
    assert run.evaluate("f.tangent")[later] == pytest.approx(-6) and run.certificate.ok
    assert run.evaluate("f.status").tolist() == (~later).tolist()
    acceleration = run.evaluate("x''")[later]
    assert run.evaluate("lambda_drive")[later] == pytest.approx(2 * acceleration + 6, abs=1e-9)
