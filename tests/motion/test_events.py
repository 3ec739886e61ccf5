"""Events: found where they are, and what is done there."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, ModelError, MotionWarning, System
from tests.conftest import pendulum
from tests.shared import example

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
        (Event("y", stop="x"), "`stop` is true or false, got 'x'"),
        (Event("y", direction=2), "the direction is up (1), down (−1) or both (0), got 2"),
        ("y'' = 0", "`y''` cannot be used; events depend on t, positions, velocities and multipliers"),
        ("m = 1", "nothing in it moves"),
    ],
)
def test_mistakes_are_answered(event, message):
    with pytest.raises(ModelError) as error:
        FALL.simulate(1.0, events=[event])
    assert message in str(error.value)


SPRING = System(
    "x",
    kinetic="m*x'^2/2",
    potential="k*x^2/2 - F*x",
    parameters={"m": 1, "k": 1, "F": 0},
    initial={"x": 1, "x'": 0},
)


@pytest.mark.parametrize("t", [1, 2, 3.3, 5])
def test_events_at_the_same_time_all_act(t):
    events = [Event(f"t = {t}", {"k": 0}), Event(f"t = {t}", {"F": 1}), Event(f"t = {t}", name="seen")]
    run = SPRING.simulate(8.0, events=events)
    assert len(run.events) == 3
    assert run["x''"][-1] == pytest.approx(1.0)
    stopped = SPRING.simulate(8.0, events=[events[0], Event(f"t = {t}", "stop")])
    assert (stopped.status, stopped.t[-1]) == ("stopped", pytest.approx(t))


@pytest.mark.parametrize("form", ["multipliers", "minimal", "canonical", "independent"])
def test_forms_agree_when_inertia_changes(form):
    """The velocity goes on, whatever the momentum: x = cos 2 cos(τ/√2) − √2 sin 2 sin(τ/√2)."""
    run = SPRING.simulate(4.0, form=form, events=[Event("t = 2", {"m": 2})])
    tau = 2 / np.sqrt(2)
    assert run["x"][-1] == pytest.approx(np.cos(2) * np.cos(tau) - np.sqrt(2) * np.sin(2) * np.sin(tau), abs=1e-7)


@pytest.mark.parametrize("form", ["multipliers", "canonical", "independent"])
@pytest.mark.parametrize("settings", [{}, {"rtol": 1e-4, "atol": 1e-6}, {"method": "rk4", "step": 0.1}])
def test_velocities_jump_where_a_changed_constraint_asks_for_it(form, settings):
    motor = System(
        "phi psi",
        kinetic="phi'^2/2 + psi'^2/2",
        potential="psi^2/2",
        constraints={"motor": "phi' = w"},
        parameters={"w": 1},
        initial={"phi": 0, "psi": 1, "psi'": 0},
    )
    run = motor.simulate(4.0, form=form, events=[Event("t = 2", {"w": 3})], **settings)
    assert run["phi"][-1] == pytest.approx(8.0, abs=1e-9)
    assert run.residual["velocity"] < 1e-12
    assert run.at([1.9, 2.1])[1][:, 0] == pytest.approx([1, 3])


def test_changes_that_cannot_be():
    rod = pendulum().simulate(4.0, events=[Event("t = 2", {"l": 1.1})])
    assert rod.status == "failed"
    assert "after `t = 2` at t = 2: the positions no longer satisfy `rod_" in rod.message
    mass = SPRING.simulate(4.0, events=[Event("t = 2", {"m": -1})])
    assert mass.status == "failed"
    assert "the mass matrix is not positive definite" in mass.message
    assert "the motion ends early" in mass.certificate.reason


@pytest.mark.parametrize("length", [1e-9, 1.0, 1e9])
def test_changes_that_cannot_be_in_any_unit(length):
    parts = {"constraints": {"rod": "x^2 + y^2 = l^2"}, "parameters": {"l": length}, "guess": {"y": -length}}
    system = System("x y", kinetic="x'^2 + y'^2", **parts, initial={"x": 0.1 * length, "x'": length})
    run = system.simulate(4.0, events=[Event("t = 2", {"l": 1.001 * length})])
    assert run.status == "failed"
    assert "the positions no longer satisfy `rod`" in run.message


def test_an_event_without_a_value_does_not_disturb_others():
    run = SPRING.simulate(4.0, events=["log(x) = -1", "x' = -0.5"])
    assert [event.name for event in run.events] == ["x' = -0.5", "log(x) = -1", "x' = -0.5"]
    run = SPRING.simulate(1.5, events=[Event("if(x <= 0.5, 1, -1)")])
    assert run.events[0].t == pytest.approx(np.arccos(0.5), abs=1e-6)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Event("t = 1", {"k": "2*pi"}), "the new value of `k` must be a finite number, got '2*pi'"),
        (Event("t = 1", {"k": float("nan")}), "the new value of `k` must be a finite number, got nan"),
        (None, "expected an equation in quotes or a SymPy expression, got NoneType"),
    ],
)
def test_more_mistakes(event, message):
    with pytest.raises(ModelError) as error:
        SPRING.simulate(2.0, events=[event])
    assert message in str(error.value)


def test_one_event_needs_no_list():
    assert len(SPRING.simulate(2.0, events="x = 0").events) == 1
    assert len(SPRING.simulate(2.0, events=Event("x = 0")).events) == 1


def test_an_event_without_a_value_is_told_of():
    """√(x − 1) has no value once x is below 1, and what has none passes zero unseen."""
    words = r"event `sqrt\(x - 1\) = 0` has no finite value at \d+ of \d+ steps, first at t = "
    with pytest.warns(MotionWarning, match=words):
        run = SPRING.simulate(2.0, events=["sqrt(x - 1) = 0", "x = 0"])
    assert len(run.events) == 1
    assert [note for note in run.certificate.notes if "whether it happens there cannot be seen" in note]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ("x = 0, stop", r'an event is an equation such as `x = 0`, .* stands apart, as in Event\("x = 0", "stop"\)'),
        ("x > 0", "an event is an equation such as `x = 0`, .* with the direction `up`"),
    ],
)
def test_what_an_event_looks_like(event, words):
    free = System("x", kinetic="x'^2/2")
    with pytest.raises(ModelError, match=words):
        free.simulate(1, events=[event])
    with pytest.raises(ModelError, match=words.split(",")[0]):
        free.replace(events={"hit": {"when": event}})
