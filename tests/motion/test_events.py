"""Events: found where they are, and what is done there."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, ModelError, System, example
from tests.conftest import pendulum

FALL = System("y", kinetic="m*y'^2/2", potential="m*g*y", parameters={"m": 2, "g": 10.0}, initial={"y": 5, "y'": 0})


def test_recorded_where_it_is():
    run = FALL.simulate(2.0, events=["y = 0", Event("y' = -5", name="fast")])
    assert [event.name for event in run.events] == ["fast", "y = 0"]
    assert [event.t for event in run.events] == pytest.approx([0.5, 1.0], abs=1e-12)
    assert run.events[1].v == pytest.approx([-10.0])
    assert run.t[-1] == 2.0


def test_stops():
    run = FALL.simulate(2.0, events=[Event("y = 0", "stop")])
    assert run.status == "stopped"
    assert run.message == "event `y = 0` at t = 1"
    assert run.t[-1] == pytest.approx(1.0, abs=1e-12)
    assert run["y"][-1] == pytest.approx(0.0, abs=1e-11)
    assert run.certificate.ok


def test_parameters_change():
    run = FALL.simulate(2.0, events=[Event("t = 1", {"g": 0.0})], samples=20)
    assert run["y"][-1] == pytest.approx(-10.0, abs=1e-9)  # on with constant speed
    assert run["y''"][[5, 15]] == pytest.approx([-10.0, 0.0], abs=1e-9)
    assert run.at(1.5)[0] == pytest.approx([-5.0], abs=1e-9)
    assert run.certificate.ok


def test_directions_and_repetition():
    swing = pendulum(initial={"phi": 0.5})
    both = swing.simulate(10.0, events=["phi = 0"]).events
    up, down = (swing.simulate(10.0, events=[Event("phi = 0", direction=d)]).events for d in (1, -1))
    assert len(both) == len(up) + len(down) > 6
    assert all(event.v[2] > 0 for event in up)
    assert all(event.v[2] < 0 for event in down)
    periods = np.diff([event.t for event in up])
    assert np.ptp(periods) < 1e-8


@pytest.mark.parametrize("form", ["multipliers", "minimal", "canonical"])
def test_events_of_reactions(form):
    """A mass on a circle leaves it where the multiplier changes its sign: from rest on top, at cos φ = 2/3."""
    circle = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="9.81*y",
        constraints={"circle": "(x^2 + y^2)/2 = 1/2"},
        initial={"x": 1e-4},
        guess={"y": 1},
    )
    run = circle.simulate(5.0, form=form, events=[Event("lambda_circle = 0", "stop")])
    assert run["y"][-1] == pytest.approx(2 / 3, abs=1e-6)


def test_a_recorded_event_does_not_disturb_the_motion():
    plain = example("slider-crank").simulate(5.0)
    watched = example("slider-crank").simulate(5.0, events=["q = 1.4", "x' = 0", "lambda_guide = 0"])
    assert len(watched.events) > 2
    assert np.array_equal(plain.q, watched.q)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("z = 0", "event `z = 0`: unknown name `z`"),
        (Event("y", "halt"), "the action is record, stop or new values of parameters, got 'halt'"),
        (Event("y", {"k": 1}), "no parameter `k`; parameters: m, g"),
        (Event("y", direction=2), "the direction is 1, −1 or 0, got 2"),
        ("y'' = 0", "`y''` cannot be used; events depend on t, positions, velocities and multipliers"),
        ("m = 1", "nothing in it moves"),
    ],
)
def test_mistakes_are_answered(event, message):
    with pytest.raises(ModelError) as error:
        FALL.simulate(1.0, events=[event])
    assert message in str(error.value)
