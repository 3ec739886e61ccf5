"""Sliding in two and three directions: pucks, shafts that turn and slide, balls in sockets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import Mechanism, System
from tests.friction.watched import kinds

G = 9.81


def puck(gravity=(0.0, 0.0, -G), velocity=(0.0, 0.0), push=(0, 0), **rub) -> Mechanism:
    """A particle on the plane z = 0."""
    return Mechanism(
        bodies={"puck": {"kind": "particle", "mass": 2, "at": [0, 0, 0], "velocity": [*velocity, 0]}},
        joints={"P": {"kind": "point_in_plane", "bodies": ["ground", "puck"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        loads={"push": {"body": "puck", "force": [*push, 0]}},
        friction={"ice": {"joint": "P", "coefficient": "mu", **rub}},
        gravity=list(gravity),
        parameters={"mu": 0.25},
        dimensions=3,
    )


def flat(potential="0", forces=None, **changes) -> System:
    """The same by energies, which is quicker: a point that slides in x and y."""
    parts = {
        "coordinates": "x y",
        "kinetic": "m*(x'^2 + y'^2)/2",
        "potential": potential,
        "forces": forces or {},
        "friction": {"ice": {"normal": "m*g", "slip": ["x'", "y'"], "coefficient": "mu"}},
        "parameters": {"m": 2, "mu": 0.25, "g": G},
    }
    return System(**{**parts, **changes})


def test_a_puck_slides_straight_and_stops():
    """After v₀/(μ g), at v₀²/(2 μ g) along a straight line."""
    v0 = np.array([3.0, -1.2])
    speed = np.hypot(*v0)
    run = puck(velocity=v0).simulate(3, rtol=1e-10, atol=1e-12, samples=30)
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(speed / (0.25 * G), abs=1e-7)
    assert run["x_puck"] * v0[1] - run["y_puck"] * v0[0] == pytest.approx(0, abs=1e-8)
    way = np.hypot(run["x_puck"], run["y_puck"])
    t = np.minimum(run.t, speed / (0.25 * G))
    assert way == pytest.approx(speed * t - 0.25 * G * t**2 / 2, abs=1e-7)
    assert np.ptp(way[run.t > run.events[0].t]) < 1e-14
    assert run.evaluate("ice.normal") == pytest.approx(2 * G, rel=1e-10)
    assert run.certificate.ok


def test_a_puck_is_pushed_until_it_slips_in_the_direction_of_the_push():
    """P = c t in a direction of 30°: slips at c t = μ_s m g, then v' = (c t − μ m g)/m along it."""
    c, s = float(np.cos(np.pi / 6)), 0.5
    rub = {"ice": {"normal": "m*g", "slip": ["x'", "y'"], "coefficient": "mu", "static": 0.4}}
    run = flat(forces={"x": f"3*t*{c!r}", "y": "1.5*t"}, friction=rub).simulate(4, rtol=1e-10, atol=1e-12, samples=20)
    start = 0.4 * 2 * G / 3
    assert kinds(run) == ["slip"] and run.events[0].t == pytest.approx(start, abs=1e-8)
    late = np.clip(run.t - start, 0, None)
    way = 3 * late**3 / 12 + (3 * start - 0.25 * 2 * G) / 2 * late**2 / 2
    assert run["x"] == pytest.approx(c * way, abs=1e-6) and run["y"] == pytest.approx(s * way, abs=1e-6)


def test_a_puck_that_was_pushed_comes_to_rest_again():
    """It rests, is pushed by 2 μ m g for a second, then slides on: at rest at t = 2, at the place μ g."""
    forces = {"x": "0.8*2*mu*m*g*step(1 - t)", "y": "-0.6*2*mu*m*g*step(1 - t)"}
    run = flat(forces=forces).simulate(4, rtol=1e-10, atol=1e-12, samples=16)
    assert run.status == "done" and kinds(run)[-1] == "stick" and run.events[-1].t == pytest.approx(2, abs=1e-6)
    assert run["x"][-1] == pytest.approx(0.8 * 0.25 * G, abs=1e-6)
    assert run["y"][-1] == pytest.approx(-0.6 * 0.25 * G, abs=1e-6)


def test_a_sliding_puck_is_pushed_aside_by_any_small_force():
    """Where it slides friction has no strength left across: it drifts, m v' = P − μ m g v/|v|, by SciPy."""
    run = flat(forces={"y": "0.5"}, initial={"x'": 4}).simulate(1.5, rtol=1e-10, atol=1e-12, samples=15)

    def rate(t, y):
        return [y[2], y[3], *(np.array([0, 0.25]) - 0.25 * G * y[2:] / np.hypot(*y[2:]))]

    wanted = solve_ivp(rate, (0, 1.5), [0, 0, 4, 0], rtol=1e-12, atol=1e-13, dense_output=True).sol(run.t)
    assert np.array([run["x"], run["y"]]) == pytest.approx(wanted[:2], abs=1e-9) and run["y"][-1] > 0.05


def test_a_puck_across_an_incline_with_mu_of_its_slope_turns_downhill():
    """With μ = tan α: v (1 + cos θ) stays v₀, θ from the line of slope, so that v → v₀/2 downhill, for ever."""
    alpha = np.arctan(0.25)
    system = puck(gravity=(0.0, -G * np.sin(alpha), -G * np.cos(alpha)), velocity=(2.0, 0.0))
    run = system.simulate(10, rtol=1e-10, atol=1e-12, samples=40)
    vx, vy = run["x_puck'"], run["y_puck'"]
    assert not kinds(run) and run.certificate.ok
    assert np.hypot(vx, vy) - vy == pytest.approx(2.0, abs=1e-7)
    assert np.hypot(vx, vy)[-1] == pytest.approx(1.0, abs=1e-6) and -vy[-1] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("slope", [0.2, 0.3])
def test_a_puck_on_an_incline_stays_or_goes_on(slope):
    """Thrown across it comes to rest if μ > tan α, and slides down for ever if not: by SciPy until it rests."""
    alpha = np.arctan(slope)
    parts = {
        "parameters": {"m": 2, "mu": 0.25, "g": G, "alpha": alpha},
        "friction": {"ice": {"normal": "m*g*cos(alpha)", "slip": ["x'", "y'"], "coefficient": "mu"}},
        "initial": {"x'": 2, "y'": 1},
    }
    run = flat(potential="m*g*sin(alpha)*y", **parts).simulate(12, rtol=1e-10, atol=1e-12)

    def rate(t, y):
        v = y[2:]
        return [*v, *(np.array([0, -G * np.sin(alpha)]) - 0.25 * G * np.cos(alpha) * v / np.hypot(*v))]

    def slow(t, y):
        return np.hypot(*y[2:]) - 1e-7

    slow.terminal = True  # pyright: ignore[reportFunctionMemberAccess]
    wanted = solve_ivp(rate, (0, 12), [0, 0, 2, 1], rtol=1e-11, atol=1e-13, events=slow)
    assert np.array([run["x"][-1], run["y"][-1]]) == pytest.approx(wanted.y[:2, -1], abs=1e-6)
    assert kinds(run) == (["stick"] if slope < 0.25 else [])
    if slope < 0.25:
        assert run.events[0].t == pytest.approx(wanted.t[-1], abs=1e-6)
        assert run.evaluate("ice.tangent")[-1] == pytest.approx(2 * G * np.sin(alpha), rel=1e-9)


def shaft(**rub) -> Mechanism:
    """A shaft that turns in a bush and slides through it, under its weight."""
    return Mechanism(
        bodies={
            "shaft": {
                "mass": 2,
                "inertia": ["J", 1, 1],
                "at": [0, 0, 0],
                "velocity": ["v0", 0, 0],
                "spin": ["w0", 0, 0],
            }
        },
        joints={"C": {"kind": "cylindrical", "bodies": ["ground", "shaft"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        friction={"bush": {"joint": "C", "coefficient": 0.2, "radius": 0.05, **rub}},
        parameters={"J": 0.005, "v0": 1.0, "w0": 40.0},
        dimensions=3,
    )


def test_a_shaft_that_turns_and_slides_stops_in_both_at_once():
    """With J = m R² both velocities fall alike: at rest after √(v₀² + R² ω₀²)/(μ g)."""
    run = shaft().simulate(2, rtol=1e-10, atol=1e-12, samples=20)
    speed = np.hypot(1.0, 2.0)
    stop = speed / (0.2 * G)
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(stop, abs=1e-7)
    assert run["x_shaft"][-1] == pytest.approx(stop / 2, abs=1e-7)
    assert run.evaluate("C.angle")[-1] % (2 * np.pi) == pytest.approx(40 * stop / 2 % (2 * np.pi), abs=1e-5)


def test_a_turning_shaft_slides_through_its_bush_however_small_the_push():
    """Light in turning, heavy in sliding: both against the equations in two velocities, by SciPy."""
    run = shaft().replace(parameters={"J": 0.02, "v0": 0.2}).simulate(5, rtol=1e-10, atol=1e-12)

    def rate(t, y):
        size = np.hypot(y[0], 0.05 * y[1])
        return -0.2 * 2 * G / size * np.array([y[0] / 2, 0.05**2 * y[1] / 0.02])

    end = run.events[0].t
    wanted = solve_ivp(rate, (0, end - 1e-5), [0.2, 40.0], rtol=1e-11, atol=1e-13, dense_output=True).sol
    early = run.t < end - 1e-4
    assert early.sum() > 5 and kinds(run) == ["stick"] and run.status == "done"
    assert run["x_shaft'"][early] == pytest.approx(wanted(run.t[early])[0], abs=1e-7)


def test_a_ball_in_its_socket_stops_spinning():
    """Under m g, with equal moments of inertia: ω falls by μ R m g/J, along its own direction."""
    ball = Mechanism(
        bodies={"ball": {"mass": 3, "inertia": [0.02, 0.02, 0.02], "at": [0, 0, 0], "spin": [6, -3, 2]}},
        joints={"S": {"kind": "spherical", "bodies": ["ground", "ball"], "at": [0, 0, 0]}},
        friction={"socket": {"joint": "S", "coefficient": 0.1, "radius": 0.03}},
        dimensions=3,
    )
    run = ball.simulate(2.5, rtol=1e-10, atol=1e-12, samples=25)
    assert run.status == "done"
    stop = 7 * 0.02 / (0.1 * 0.03 * 3 * G)
    assert kinds(run) == ["stick"] and run.events[0].t == pytest.approx(stop, abs=1e-7)
    spin = [run.evaluate(f"ball.spin_{axis}") for axis in "xyz"]
    left = np.clip(1 - run.t / stop, 0, None)
    assert np.array(spin) == pytest.approx(np.outer([6, -3, 2], left), abs=1e-7)
    assert run.evaluate("socket.normal") == pytest.approx(3 * G, rel=1e-9)


def test_sliding_that_begins_slowly_under_a_force_that_turns_takes_few_steps():
    """Static and sliding coefficient are equal, so that speed grows as t²: friction turns it into its direction at once.

    By SciPy's implicit method from a speed of 1e-13 along the force on.
    """
    system = flat(forces={"x": "3*t", "y": "t^2"})
    run = system.simulate(4, rtol=1e-11, atol=1e-13)
    begin = run.events[0].t
    assert kinds(run) == ["slip"] and np.hypot(3 * begin, begin**2) == pytest.approx(0.25 * 2 * G, rel=1e-12)
    assert run.motion.facts["steps"] < 500 and run.certificate.ok
    assert [run["x"][-1], run["y"][-1]] == pytest.approx([4.7308013865, 4.6165917153], abs=2e-10)
    inside = run.at(run.motion.times[:-1] + 0.3 * np.diff(run.motion.times))[0]
    assert np.all(np.diff(inside[:, 0]) >= 0)
    slow = system.simulate(4, rtol=1e-9, atol=1e-11, method="radau")
    assert slow["x"][-1] == pytest.approx(4.7308013865, abs=1e-8)
