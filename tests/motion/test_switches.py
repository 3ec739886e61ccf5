"""No step crosses a switch in time; constraints that jump are refused."""

import math

import numpy as np
import pytest

from dalembert import Event, ModelError, System, example
from dalembert.errors import MotionWarning
from dalembert.motion import loop
from dalembert.motion.switches import Stops, switching

SETTINGS = {
    "dop853": {},
    "radau": {"rtol": 1e-8, "atol": 1e-10},
    "bdf": {"rtol": 1e-8, "atol": 1e-10},
    "rk4": {"step": 0.01},
    "rattle": {"step": 0.1},
}
ACCURATE = {"dop853": 1e-8, "radau": 1e-6, "bdf": 1e-5, "rk4": 1e-8, "rattle": 1e-8}


def oscillator(force, **given):
    initial = {"x": 0.0, "x'": 0.0}
    return System("x", kinetic="x'^2/2", potential="x^2/2", forces={"x": force}, initial=initial, **given)


def held(constraint, **given):
    return System("x", kinetic="x'^2/2", constraints={"c": constraint}, **given)


def pulsed(t, start=5.299, end=5.301, height=1000.0):
    """Return x of an oscillator at rest that is pushed from one time to another."""
    since = np.maximum(np.subtract.outer(np.asarray(t), [start, end]), 0.0)
    return height * ((1 - np.cos(since)) @ [1, -1])


PULSE = "if(abs(t - 5.3) < 0.001, 1000, 0)"


@pytest.mark.parametrize("method", SETTINGS)
def test_a_short_pulse_is_met(method):
    wanted = np.linspace(0, 10, 101)
    found = oscillator(PULSE).simulate(10.0, method=method, **SETTINGS[method])
    inside = np.concatenate([wanted, np.linspace(5.298, 5.302, 21)])
    assert np.allclose(found.at(inside)[0][:, 0], pulsed(inside), atol=ACCURATE[method])
    assert np.all(np.diff(found.t) > 0)
    sampled = oscillator(PULSE).simulate(10.0, samples=wanted, method=method, **SETTINGS[method])
    assert np.allclose(sampled["x"], pulsed(wanted), atol=ACCURATE[method])


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "canonical", "independent"])
def test_in_every_form(form):
    found = oscillator(PULSE).simulate(10.0, form=form)
    assert found["x"][-1] == pytest.approx(pulsed(10.0), abs=1e-8)


@pytest.mark.parametrize(
    ("force", "start", "end"),
    [
        ("1000*(step(t - 2) - step(t - 2.002))", 2, 2.002),
        ("500*(sign(t - 2) - sign(t - 2.002))", 2, 2.002),
        ("if(t < 2, 0, if(t <= 2.002, 1000, 0))", 2, 2.002),
        ("1000*step(min(t - 2, 2.002 - t))", 2, 2.002),
        ("1000*if(max(abs(t - 2.001), 0.0005) < 0.001, 1, 0)", 2, 2.002),
        ("1000*step(t)*step(0.002 - t)", 0, 0.002),
    ],
)
def test_every_switching_function(force, start, end):
    assert oscillator(force).simulate(10.0)["x"][-1] == pytest.approx(pulsed(10.0, start, end), abs=1e-8)


def test_narrow_and_smooth_in_time():
    ε = 1e-4
    for force, area in (
        ("1000*exp(-((t - 5.3)/1e-4)^2)", 1000 * ε * math.sqrt(math.pi)),
        ("1000/cosh((t - 5.3)/1e-4)^2", 2000 * ε),
        ("1000/(1 + ((t - 5.3)/1e-4)^2)^2", 1000 * ε * math.pi / 2),
    ):
        found = oscillator(force).simulate(10.0)
        assert found["x"][-1] == pytest.approx(area * math.sin(4.7), rel=1e-4), force


def test_parameters_in_switches_and_events_that_change_them():
    system = oscillator("if(abs(t - t1) < 0.001, 1000, 0)", parameters={"t1": 5.3})
    assert system.simulate(10.0)["x"][-1] == pytest.approx(pulsed(10.0), abs=1e-8)
    moved = system.simulate(10.0, events=[Event("t = 3", {"t1": 4.0})])
    assert moved["x"][-1] == pytest.approx(pulsed(10.0, 3.999, 4.001), abs=1e-8)


def test_at_the_ends_of_a_motion():
    found = oscillator("step(t) + 100*step(t - 10)").simulate(10.0)
    assert found.t[-1] == 10.0
    assert found["x"][-1] == pytest.approx(1 - math.cos(10.0), abs=1e-9)
    assert oscillator("step(t - 1)").simulate(0.0).status == "done"
    assert oscillator("step(t - 1)").simulate(1.0).t[-1] == 1.0


def test_a_square_wave():
    """x'' = sign(sin(50 t)) from rest: at full periods the velocity is zero, and each adds (π/50)² to x."""
    system = System("x", kinetic="x'^2/2", forces={"x": "sign(sin(50*t))"}, initial={"x": 0, "x'": 0})
    found = system.simulate(8 * math.pi, rtol=1e-9)
    assert found["x"][-1] == pytest.approx(200 * (math.pi / 50) ** 2, rel=1e-10)
    assert found.motion.crossing.passed == 401


def test_the_grid_goes_on():
    found = oscillator("step(t - 0.517)").simulate(1.0, method="rk4", step=0.1)
    times = np.delete(found.t, 7)  # just behind the switch
    assert np.allclose(times, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.517, 0.6, 0.7, 0.8, 0.9, 1.0], atol=1e-13)
    assert found.t[7] - found.t[6] < 1e-14
    assert oscillator("step(t - 0.5)").simulate(1.0, method="rk4", step=0.1).steps == 10


def test_events_across_a_switch():
    system = held("x = 0", forces={"x": "if(t < 2, 1, -1)"})
    found = system.simulate(4.0, events=["lambda_c = 0"])  # λ passes zero in no time
    assert [event.t for event in found.events] == [pytest.approx(2.0, abs=1e-13)]
    stopped = system.simulate(4.0, events=[Event("lambda_c = 0", "stop")])
    assert stopped.t[-1] == pytest.approx(2.0, abs=1e-13)
    timed = oscillator("step(t - 2)").simulate(4.0, events=["t = 2", "t = 3"])
    assert [event.t for event in timed.events] == pytest.approx([2.0, 3.0], abs=1e-13)


@pytest.mark.parametrize("method", SETTINGS)
def test_pieces_do_not_matter(monkeypatch, method):
    system, found = oscillator("sign(sin(3*t)) + 20*step(t - 2)*step(2.01 - t)"), []
    for first, seconds in ((10**9, 1e3), (1, 0.0)):
        monkeypatch.setattr(loop, "_FIRST", first)
        monkeypatch.setattr(loop, "_PIECE", seconds)
        found.append(system.simulate(5.0, samples=37, method=method, **SETTINGS[method]))
    for name in ("q", "v", "evaluations", "steps"):
        assert np.array_equal(getattr(found[0], name), getattr(found[1], name))
    assert np.array_equal(found[0].motion.states, found[1].motion.states)


# --- what jumps ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        ("x = step(t - 1)", r"constraint `c` jumps at t = 1 by 1: .* Let it change gradually"),
        ("x = 2*if(t < 1, 0, 3)", r"constraint `c` jumps at t = 1 by 6"),
        ("x = abs(t - 1)", r"asks for velocities that jump at t = 1 by 2"),
        ("x' = if(t < 1, 0, 0.5)", r"asks for velocities that jump at t = 1 by 0.5"),
        ("x + 1e6 = 1e6 + 1e-3*step(t - 1)", r"jumps at t = 1 by 0.001"),
    ],
)
def test_constraints_that_jump_are_refused(constraint, words):
    with pytest.raises(ModelError, match=words):
        held(constraint).simulate(3.0)
    assert held(constraint).simulate(0.9).status == "done"


def test_kinks_of_accelerations_are_none():
    found = held("x = max(t - 1, 0)^2").simulate(3.0)
    assert found["x"][-1] == pytest.approx(4.0)
    assert found["x''"][-1] == pytest.approx(2.0)
    assert held("x'' = step(t - 1)", initial={"x": 0, "x'": 0}).simulate(3.0)["x"][-1] == pytest.approx(2.0)
    fast = held("x = sin(1e6*(t - 1))/1e12 + max(t - 1, 0)^2")
    assert fast.simulate(1.0001).status == "done"


def test_jumps_that_depend_on_the_state():
    system = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        constraints={"c": "x*step(t - 1) + y = 0"},
        initial={"x": 0, "x'": 1},
    )
    with pytest.warns(MotionWarning, match=r"constraint `c` asks for velocities that jump at t = 1 by 1"):
        assert system.simulate(2.0).status == "failed"


def test_inertia_that_jumps_is_refused():
    system = System("x", kinetic="if(t < 1, 1, 2)*x'^2/2", initial={"x": 0, "x'": 1})
    with pytest.raises(ModelError, match=r"kinetic energy jumps at t = 1 by .* takes a blow"):
        system.simulate(2.0)
    assert System("x", kinetic="x'^2/2 + step(t - 1)").simulate(2.0).status == "done"


# --- what is found ---------------------------------------------------------------------------------------------------


def stops(force, until=10.0):
    system = oscillator(force)
    found = Stops(system, switching(system), [], 0.0, until)
    every, t = [], -1.0
    while (stop := found.next(t)) is not None:
        every.append((stop.before + stop.after) / 2)
        t = stop.after
    return every, found


def test_expressions_are_collected():
    found = switching(oscillator("abs(x')*min(x, t, 2) + if(abs(t) < x, 1, 0) + exp(t) + tanh(x/0.1)"))
    assert {str(expression) for expression in found.times} == {"t", "2 - t", "1 + t"}
    assert found.hard == (2, 4)
    assert len(found.states) == 5
    assert not switching(example("slider-crank"))
    assert not switching(example("n-four-bar:60"))


def test_more_than_can_be_looked_at_together():
    every, found = stops("sign(sin(20000*t))", until=1.0)
    assert len(every) == 6367
    assert np.allclose(every, np.arange(6367) * math.pi / 20000, atol=1e-14)
    assert not found.notes


def test_what_cannot_be_located_is_said():
    every, found = stops("sign(t^2 - 2*t + 1)")
    assert any("cannot be located" in note for note in found.notes)
    assert min(abs(t - 1) for t in every) < 1e-3
    every, found = stops("sign(sin(t)^2 + cos(t)^2 - 1)")
    assert any("too many" in note for note in found.notes)
    every, found = stops("sign(t - 1) + sign(t - 1.00000000000005)")
    assert any("too close" in note for note in found.notes)


def test_constraints_are_kept_across_switches():
    """In every form and with every method the pendulum under pushes ends where the most accurate one does."""
    force = "if(abs(t - 0.7) < 0.001, 100, 0) + sign(sin(7*t))"
    pendulum = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="9.81*y",
        forces={"x": force},
        constraints={"rod": "x^2 + y^2 = 1"},
        initial={"x": 0.6, "x'": 0},
        guess={"y": -0.8},
    )
    expected = pendulum.simulate(2.0, rtol=1e-13, atol=1e-14)["x"][-1]
    for settings in (
        {},
        {"keep": "stabilise"},
        {"keep": "stabilise", "method": "rk4", "step": 0.01},
        {"keep": "none"},
        {"form": "independent"},
        {"form": "canonical"},
        {"method": "radau"},
        {"method": "radau", "step": 0.01},
        {"method": "rattle", "step": 0.02},
    ):
        found = pendulum.simulate(2.0, **settings)
        assert found["x"][-1] == pytest.approx(expected, abs=1e-7), settings
        assert all(bound.held for bound in found.bounds), settings
