"""What is watched for in the step that ends where something sticks or slips is found, in order of time."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, System

G, M, MU, STATIC = 9.81, 2.0, 0.3, 0.35


def block(**changes) -> System:
    """A block on the floor, thrown with 3."""
    parts = {
        "coordinates": "x y",
        "kinetic": "m*(x'^2 + y'^2)/2",
        "potential": "m*g*y",
        "constraints": {"floor": "y = 0"},
        "parameters": {"m": M, "g": G, "mu": MU},
        "friction": {"f": {"constraint": "floor", "slip": "x'", "coefficient": "mu", "static": STATIC}},
        "initial": {"x": 0, "x'": 3},
    }
    return System(**{**parts, **changes})


def pushed() -> System:
    """The same at rest, pushed by 8 sin 3t: it slips at 0.34."""
    return block(forces={"x": "8*sin(3*t)"}, initial={"x": 0, "x'": 0})


@pytest.mark.parametrize("method", ["dop853", "radau", "bdf"])
@pytest.mark.parametrize("level", [1.2, 1.45, 1.47, 1.5, 1.529])
def test_a_place_just_before_that_of_rest_is_reached(level, method):
    """The step that brakes it to rest would lead back over the place; it rests at 9/(2 μ g) = 1.529052."""
    run = block().simulate(4, method=method, events=[f"x = {level}", Event(f"x = {level} + 0", "stop")])
    expected = (3 - np.sqrt(9 - 2 * MU * G * level)) / (MU * G)
    assert run.status == "stopped" and [event.t for event in run.events] == pytest.approx([expected] * 2, abs=1e-8)


def test_what_is_recorded_comes_before_the_stick():
    run = block().simulate(4, events=["x = 1.5", "x = 1.52"])
    assert [event.kind for event in run.events] == ["event", "event", "stick"]
    assert np.all(np.diff([event.t for event in run.events]) > 0)


@pytest.mark.parametrize("until", [0.34, 4])
@pytest.mark.parametrize(
    ("when", "expected"), [("t - 0.3 = 0", 0.3), ("f.tangent = -4", np.pi / 18), ("f.tangent = -6.5", None)]
)
def test_what_happens_before_a_slip(when, expected, until):
    expected = np.arcsin(6.5 / 8) / 3 if expected is None else expected
    run = pushed().simulate(until, events=[Event(when, "stop")])
    assert run.status == "stopped" and run["t"][-1] == pytest.approx(expected, abs=1e-9)


def test_an_event_that_changes_parameters_before_a_slip():
    """The coefficients double at 0.3, before it would slip: then nothing moves."""
    run = pushed().replace(friction={"f": {**pushed().sections["friction"]["f"], "static": "mu"}})
    run = run.simulate(4, events=[Event("t = 0.2", {"mu": 0.6})])
    assert [event.kind for event in run.events] == ["event"] and run["x"][-1] == 0.0


def test_what_comes_and_goes_before_a_blow():
    """A ball is thrown back by the floor at t = 1; the step there leads on below it, and back over the line at 5.5."""
    ball = System("x y", kinetic="(x'^2 + y'^2)/2", forces={"y": "-10"}, initial={"y": 5, "y'": 0, "x": 0, "x'": 0})
    ball = ball.replace(forces={"y": "-10", "x": "1"})
    bounce = Event("y = 0", name="floor", direction="down", velocities={"y'": "-y'"})
    run = ball.simulate(1.5, events=[bounce, "y = 0.1"])
    assert [event.name for event in run.events][:3] == ["y = 0.1", "floor", "y = 0.1"]
