"""What rolls in space and breaks away: the direction in which it begins to skid, against Newton's and Euler's laws."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad_vec, solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from dalembert import Mechanism
from tests.friction.watched import kinds

G, M, R = 9.81, 2.0, 0.2
UP = np.array([0.0, 0.0, 1.0])


def disk(second=1.0, metre=1.0, **rub) -> Mechanism:
    """A disk that is put down on the floor with spin, begins to roll, falls over and skids once more."""
    body = {"mass": M, "inertia": [part * metre**2 for part in (0.02, 0.02, 0.04)], "at": [0, 0, R * metre]}
    turned = {"rotation": {"axis": [1, 0, 0], "angle": "pi/2"}, "spin": [0, 0.6 / second, 8 / second]}
    contact = {"kind": "rolling_disk", "bodies": ["ground", "disk"], "axis": [0, 0, 1], "radius": R * metre}
    return Mechanism(
        dimensions=3,
        gravity=[0, 0, -G * metre / second**2],
        bodies={"disk": {**body, **turned}},
        joints={"c": {**contact, "points": [[0, 0, 0], [0, 0, 0]]}},
        friction={"f": {"joint": "c", "coefficient": 0.4, **rub}},
    )


class Disk:
    """The same by hand: place of the centre, velocity, spin in world axes and quaternion; what holds it by 3 × 3."""

    inertia = np.array([0.02, 0.02, 0.04])

    def parts(self, y):
        """Return spin, ρ from the centre to the contact, and how a force there changes the contact's velocity."""
        w, turn = y[6:9], Rotation.from_quat(y[9:13]).as_matrix()
        n = turn[:, 2]
        high = UP - n[2] * n
        rho = -R * high / np.linalg.norm(high)
        back = turn @ np.diag(1 / self.inertia) @ turn.T
        cross = np.array([[0, -rho[2], rho[1]], [rho[2], 0, -rho[0]], [-rho[1], rho[0], 0]])
        gain = np.eye(3) / M - cross @ back @ cross
        rate_of_n = np.cross(w, n)
        rate_of_high = -rate_of_n[2] * n - n[2] * rate_of_n
        e = high / np.linalg.norm(high)
        rate_of_rho = -R * (rate_of_high - np.dot(e, rate_of_high) * e) / np.linalg.norm(high)
        free = -back @ np.cross(w, turn @ np.diag(self.inertia) @ turn.T @ w)
        bias = -G * UP + np.cross(free, rho) + np.cross(w, rate_of_rho)
        return w, rho, back, free, gain, bias

    def slip(self, y):
        """Return the velocity of the contact."""
        w, rho, *_ = self.parts(y)
        return y[3:6] + np.cross(w, rho)

    def held(self, y):
        """Return the force at the contact while it rolls."""
        *_, gain, bias = self.parts(y)
        return np.linalg.solve(gain, -bias)

    def rate(self, y, rolls):
        """Return the rate of a state."""
        w, rho, back, free, gain, bias = self.parts(y)
        if rolls:
            force = self.held(y)
        else:
            slip = self.slip(y)[:2]
            along = np.append(-0.4 * slip / np.linalg.norm(slip), 1.0)
            force = along * (-bias[2] / np.dot(gain[2], along))
        d = y[12]
        turns = 0.5 * np.append(d * w + np.cross(w, y[9:12]), -w @ y[9:12])
        return np.concatenate([y[3:6], force / M - G * UP, free + back @ np.cross(rho, force), turns])

    def follow(self, begin, y, end, event, rolls, method="DOP853"):
        """Integrate up to an event; return when and in which state."""
        event.terminal, event.direction = True, -1
        found = solve_ivp(
            lambda _, y: self.rate(y, rolls), (begin, end), y, method=method, rtol=1e-9, atol=1e-11, events=event
        )
        return found.t[-1], found.y[:, -1]


@cache
def wanted(static: float) -> tuple[list[float], np.ndarray]:
    """Return when the disk sticks, slips and sticks, and where it is at t = 1, by hand."""
    by_hand = Disk()
    y = np.concatenate([[0, 0, R, 0, 0, 0, 0, -8, 0.6], Rotation.from_rotvec([np.pi / 2, 0, 0]).as_quat()])

    def rests(_, y):
        return np.linalg.norm(by_hand.slip(y)) - 1e-8

    def left(_, y):
        force = by_hand.held(y)
        return static * force[2] - np.hypot(force[0], force[1])

    first, y = by_hand.follow(0, y, 1, rests, rolls=False)
    second, y = by_hand.follow(first, y, 1, left, rolls=True)
    force = by_hand.held(y)[:2]
    y[3:5] -= 1e-10 * force / np.linalg.norm(force)  # friction itself turns it into its direction
    begun, y = by_hand.follow(second, y, second + 2e-3, lambda *_: 1.0, rolls=False, method="Radau")
    third, y = by_hand.follow(begun, y, 1, rests, rolls=False)
    if third < 1:
        _, y = by_hand.follow(third, y, 1, lambda *_: 1.0, rolls=True)
    return [first, second, third][: 3 if third < 1 else 2], y[:3]


@pytest.mark.parametrize("static", [0.4, 0.41, 0.45, 0.5])
@pytest.mark.parametrize("method", [{}, {"method": "radau", "rtol": 1e-7}, {"rtol": 1e-10, "atol": 1e-12}])
def test_a_disk_that_falls_over_breaks_away_in_the_direction_in_which_it_then_skids(static, method):
    """At a disk a force moves the contact elsewhere than where it points; with 0.4 nothing is left in the beginning."""
    run = disk(static=static).simulate(1, **method)
    instants, place = wanted(static)
    assert kinds(run) == ["stick", "slip", "stick"][: len(instants)] and run.certificate.ok
    assert [event.t for event in run.events] == pytest.approx(instants, abs=2e-8)
    assert [run[f"{x}_disk"][-1] for x in "xyz"] == pytest.approx(place, abs=2e-8)


@pytest.mark.parametrize(("second", "metre"), [(1e3, 1e-3), (1e-4, 1e2)])
@pytest.mark.parametrize("static", [0.4, 0.45])
def test_it_does_in_other_units(second, metre, static):
    """A scale of lengths, and of times."""
    run = disk(second, metre, static=static).simulate(second)
    instants, place = wanted(static)
    assert np.array([event.t for event in run.events]) / second == pytest.approx(instants, abs=2e-6)
    assert np.array([run[f"{x}_disk"][-1] for x in "xyz"]) / metre == pytest.approx(place, abs=2e-6)
    assert run.status == "done"


@pytest.mark.parametrize("method", [{}, {"method": "dop853"}, {"method": "radau"}, {"rtol": 1e-10, "atol": 1e-12}])
@pytest.mark.parametrize("static", [0.3, 0.31, 0.4])
def test_a_ball_that_is_turned_ever_harder_skids(static, method):
    """Torques T turn the slip s = v + ω × ρ by s' = f (1/m + R²/J) + R (−T_y, T_x)/J: by SciPy from a slip of 1e-13."""
    J = 0.03
    system = Mechanism(
        dimensions=3,
        bodies={"b": {"mass": M, "inertia": [J] * 3, "at": [0, 0, R]}},
        joints={"c": {"kind": "rolling_sphere", "bodies": ["ground", "b"], "radius": R, "axis": [0, 0, 1]}},
        loads={"t": {"body": "b", "torque": ["3*sin(2*t)", "4*t", 0]}},
        friction={"f": {"joint": "c", "coefficient": 0.3, "static": static}},
    )
    run = system.simulate(1.2, **method)

    def drive(t):
        return R / J * np.array([-4 * t, 3 * np.sin(2 * t)])

    gain = 1 / M + R**2 / J
    begin = brentq(lambda t: np.linalg.norm(drive(t)) / gain - static * M * G, 0.1, 0.5, xtol=1e-14)
    v = quad_vec(lambda t: -drive(t) / gain / M, 0, begin)[0]
    x = quad_vec(lambda t: -(begin - t) * drive(t) / gain / M, 0, begin)[0]

    def rate(t, y):
        force = -0.3 * M * G * y[4:] / np.linalg.norm(y[4:])
        return np.concatenate([y[2:4], force / M, gain * force + drive(t)])

    start = np.concatenate([x, v, 1e-13 * drive(begin)])
    end = solve_ivp(rate, (begin, 1.2), start, method="Radau", rtol=1e-9, atol=1e-14).y[:2, -1]
    assert kinds(run) == ["slip"] and run.events[0].t == pytest.approx(begin, abs=1e-9)
    assert [run["x_b"][-1], run["y_b"][-1]] == pytest.approx(end, abs=2e-8)
    assert run.certificate.ok and run.motion.facts["steps"] < 1500


@pytest.mark.parametrize("pace", [1e-9, 10.0])
def test_the_clock_changes_nothing(pace, monkeypatch):
    """Modes are looked for in pieces of a motion, which are the same on fast and on slow machines."""
    system = disk(static=0.41)
    usual = system.simulate(1)
    ticks = iter(range(10**9))
    monkeypatch.setattr("dalembert.motion.loop.time.perf_counter", lambda: pace * next(ticks))
    again = system.simulate(1)
    assert np.array_equal(usual.motion.times, again.motion.times)
    assert np.array_equal(usual.motion.states, again.motion.states)
