"""Gear's method: backward differentiation, in q and v, on the constraints."""

from __future__ import annotations

import functools
import os
import signal
import threading

import numpy as np
import pytest

from dalembert import DerivationError, Event, ModelError, SimulationError, System
from tests.conftest import GALLERY, TOUCHING, pendulum
from tests.contracts.test_motion import SPAN, turning
from tests.shared import example

FORMS = ("multipliers", "minimal")


@functools.cache
def reference(model: str):
    return example(model).simulate(SPAN.get(model, 1.0), rtol=1e-12, atol=1e-13)


def error(run, exact) -> float:
    """Return the largest relative error at the end, of positions and velocities."""
    pairs = ((run.q[-1], exact.q), (run.v[-1], exact.v))
    return max(np.abs(found - values[-1]).max() / (1 + np.abs(values).max()) for found, values in pairs)


# --- against other methods, closed forms and published numbers ---------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", [model for model in GALLERY if model not in TOUCHING])  # impacts magnify errors
def test_the_error_follows_the_tolerance(model, form):
    exact = reference(model)
    for tolerance in (1e-5, 1e-7):
        run = example(model).simulate(SPAN.get(model, 1.0), method="bdf", form=form, rtol=tolerance, atol=tolerance)
        assert run.status == "done"
        assert error(run, exact) < 100 * tolerance
        assert max(run.residual.values()) < 1e-9  # every state is moved onto the constraints
    # with such an `atol`, what hardly moves is not known to a thousandth of its range
    judged = [item for item in run.certificate.items if item.name in ("equations", "ideality", "agreement", "energy")]
    assert all(item.ok for item in judged), str(run.certificate)


@pytest.mark.parametrize("form", FORMS)
def test_andrews_as_published(form):
    """The squeezing mechanism of the test set for initial value problems: positions at t = 0.03."""
    published = [15.81077119515370710, -15.75637105841183947, 0.0408222401196458049, -0.534730116342079594]
    published += [0.524409965879954069, 0.534730116342079594, 1.048080741041937873]
    run = example("andrews-squeezer").simulate(0.03, method="bdf", form=form, rtol=1e-9, atol=1e-9)
    assert [*run.q[-1]] == pytest.approx(published, abs=1e-5)


def test_closed_forms_at_a_tight_tolerance():
    settings = {"method": "bdf", "rtol": 1e-10, "atol": 1e-11}
    run = example("upright-disk").simulate(6.0, **settings)
    assert run["x"] == pytest.approx(np.sqrt(3) - 2 * np.cos(np.pi / 6 + run.t), abs=2e-8)
    run = example("appell-hamel").simulate(2.0, **settings)
    assert run["z"] == pytest.approx(-0.5 * run.t - 9.81 / 5 * run.t**2 / 2, abs=1e-8)
    run = example("chaplygin-sleigh").simulate(5.0, **settings)
    assert [*run.q[-1]] == pytest.approx([-2.490145829383, -1.840728959151, 4.553791253211], abs=2e-7)


# k is so large that the length hardly changes; z = sin t
STIFF = System(
    "x y r z",
    kinetic="(x'^2 + y'^2 + z'^2)/2 + 1e-3*r'^2/2",
    potential="9.81*y + k*(r - 1)^2/2",
    forces={"r": "-d*r'", "z": "-b*(z' - cos(t)) - sin(t)"},
    constraints={"length": "x^2 + y^2 = r^2"},
    parameters={"k": 1e6, "d": 100.0, "b": 1e5},
    initial={"x": 0.6, "r": 1.0, "x'": 0, "r'": 0, "z": 0, "z'": 1},
    guess={"y": -0.8},
)


@pytest.mark.parametrize("form", FORMS)
def test_strong_damping_does_not_hold_the_steps(form):
    """An explicit method needs 156,000 steps, because of their stability."""
    damped = STIFF.replace(parameters={"k": 1e6, "d": 1e6, "b": 1e6})
    runs = [damped.simulate(1.0, method="bdf", form=form, rtol=10**-k, atol=10**-k) for k in (5, 6, 7, 9)]
    assert max(run.steps for run in runs[:3]) < 500
    for run in runs[:3]:
        assert error(run, runs[-1]) < 100 * run.rtol
        assert run["z"] == pytest.approx(np.sin(run.t), abs=100 * run.rtol)


@pytest.mark.parametrize("form", FORMS)
def test_a_stiff_system(form):
    """Also where the spring rings; values in between and samples are as good as the steps."""
    exact = STIFF.simulate(1.0, rtol=1e-10, atol=1e-12)
    times = np.linspace(0, 1, 101)
    for tolerance in (1e-6, 1e-8):
        run = STIFF.simulate(1.0, method="bdf", form=form, rtol=tolerance, atol=tolerance)
        assert run.steps < exact.steps / 4
        assert run["z"] == pytest.approx(np.sin(run.t), abs=10 * tolerance)
        q, v = run.at(times)
        assert np.abs(q - exact.at(times)[0]).max() < 30 * tolerance
        assert np.abs(v - exact.at(times)[1]).max() < 300 * tolerance
        samples = STIFF.simulate(1.0, method="bdf", form=form, rtol=tolerance, atol=tolerance, samples=times)
        assert np.abs(samples.q - exact.at(times)[0]).max() < 30 * tolerance
        assert max(samples.residual.values()) < 1e-13


def test_a_stiff_constraint_on_accelerations():
    """The derivatives of c are in the Jacobian: x'' + 1e4 (x' + x) = 0 decays as e^(−t)."""
    system = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="9.81*y",
        constraints={"servo": "x'' + 10000*(x' + x) = 0"},
        initial={"x": 1, "x'": -1},
    )
    for form in FORMS:
        run = system.simulate(2.0, method="bdf", form=form, rtol=1e-7, atol=1e-9)
        assert run.steps < 400
        assert run["x"] == pytest.approx(np.exp(-run.t * (1 + 1e-4)), abs=1e-5)
        assert run["y"] == pytest.approx(-9.81 / 2 * run.t**2, abs=1e-5)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("N", [2, 4])
def test_singular_positions_are_passed_again_and_again(N, tolerance):
    run = example(f"n-four-bar:{N}").simulate(10.0, method="bdf", rtol=tolerance, atol=tolerance / 100)
    assert run.status == "done"
    assert np.abs(run.q[-1] - example(f"n-four-bar:{N}").simulate(10.0).q[-1]).max() < 200 * tolerance


def test_starts_afresh_in_large_systems(capfd):
    """At switches in time, in a system with many coordinates; and nothing is written."""
    excavator = example("excavator").replace(loads={"dig": {"body": "bucket", "force": ["if(t < 0.5, 0, 100)", 0]}})
    run = excavator.simulate(1.0, method="bdf", rtol=1e-5, atol=1e-7)
    assert run.status == "done"
    assert run.motion.crossing.passed > 0
    assert np.abs(run.q[-1] - excavator.simulate(1.0).q[-1]).max() < 1e-4
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("N", [1, 2])
def test_four_bar_with_redundant_constraints_and_singular_positions(N):
    run = example(f"n-four-bar:{N}").simulate(5.0, method="bdf", rtol=1e-8, atol=1e-8)
    angle, _ = turning(N, 5.0)
    assert run.status == "done"
    assert [2 * run["x_u0"][-1], 2 * run["y_u0"][-1]] == pytest.approx([np.sin(angle), np.cos(angle)], abs=1e-4)
    assert np.ptp(run.q[-1, 2::3][: N + 1]) < 1e-6  # on the branch of the parallelogram


def test_large_systems_with_multipliers_are_sparse():
    settings = {"rtol": 1e-6, "atol": 1e-6}
    run = example("chain:10").simulate(0.3, method="bdf", form="multipliers", **settings)
    assert error(run, example("chain:10").simulate(0.3)) < 1e-4


# --- during the run ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_events(form):
    fall = System("y", kinetic="m*y'^2/2", potential="m*g*y", parameters={"m": 2, "g": 10.0}, initial={"y": 5, "y'": 0})
    run = fall.simulate(2.0, method="bdf", form=form, events=["y = 0", Event("y' = -5", name="fast")])
    assert [event.name for event in run.events] == ["fast", "y = 0"]
    assert [event.t for event in run.events] == pytest.approx([0.5, 1.0], abs=1e-8)
    run = fall.simulate(2.0, method="bdf", form=form, events=[Event("y = 0", "stop")])
    assert (run.status, run.message) == ("stopped", "event `y = 0` at t = 1")
    assert run["y"][-1] == pytest.approx(0.0, abs=1e-12)
    run = fall.simulate(2.0, method="bdf", form=form, events=[Event("t = 1", {"g": 0.0})], samples=20)
    assert run["y"][-1] == pytest.approx(-10.0, abs=1e-7)
    assert run["y''"][[5, 15]] == pytest.approx([-10.0, 0.0], abs=1e-9)
    assert run.at([0.5, 1.5])[0].ravel() == pytest.approx([3.75, -5.0], abs=1e-7)


@pytest.mark.parametrize("form", FORMS)
def test_velocities_jump_where_a_changed_constraint_asks_for_it(form):
    motor = System(
        "phi psi",
        kinetic="phi'^2/2 + psi'^2/2",
        potential="psi^2/2",
        constraints={"motor": "phi' = w"},
        parameters={"w": 1},
        initial={"phi": 0, "psi": 1, "psi'": 0},
    )
    run = motor.simulate(4.0, method="bdf", form=form, events=[Event("t = 2", {"w": 3})])
    assert run["phi"][-1] == pytest.approx(8.0, abs=1e-9)
    assert run["psi"][-1] == pytest.approx(np.cos(4.0), abs=1e-6)
    assert run.at([1.9, 1.999999, 2.000001, 2.1])[1][:, 0] == pytest.approx([1, 1, 3, 3], abs=1e-9)


def test_a_recorded_event_and_samples_do_not_disturb_the_motion():
    plain = example("slider-crank").simulate(5.0, method="bdf")
    watched = example("slider-crank").simulate(5.0, method="bdf", events=["q = 1.4", "lambda_guide = 0"], samples=30)
    assert len(watched.events) > 2
    assert np.array_equal(plain.q, watched.motion.states[:, :3])
    assert np.abs(plain.at(watched.t)[0] - watched.q).max() < 1e-8


def test_interrupted_inside_a_step():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    pendulum().simulate(0.1, method="bdf")  # everything is compiled
    timer.start()
    run = pendulum().simulate(1e6, method="bdf")
    assert (run.status, run.message.split(" = ")[0]) == ("stopped", "interrupted at t")
    assert np.all(np.isfinite(run.q))


def test_limits_and_no_length():
    run = pendulum().simulate(1e9, method="bdf", max_steps=50)
    assert (run.status, run.steps) == ("stopped", 50)
    assert "s were over at t = " in pendulum().simulate(1e9, method="bdf", max_seconds=0.1).message
    assert pendulum().simulate(0.0, method="bdf").status == "done"


# --- what cannot be ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"form": "canonical"}, "the method `bdf` goes with the form `multipliers` or `minimal`, not with `canonical`"),
        ({"step": 0.01}, "the method `bdf` chooses its steps; give `rtol` and `atol` instead of `step`"),
        ({"keep": "stabilise"}, "the method `bdf` keeps the constraints itself; leave `keep` out, got `stabilise`"),
    ],
)
def test_refused_before_anything_runs(settings, message):
    with pytest.raises(ModelError) as caught:
        pendulum().simulate(1.0, method="bdf", **settings)
    assert message in str(caught.value)


@pytest.mark.parametrize("form", FORMS)
def test_what_goes_wrong_is_said(form):
    barrier = System("x", kinetic="x'^2/2", potential="log(1 - x)", initial={"x": 0, "x'": 1})
    run = barrier.simulate(10.0, method="bdf", form=form)
    assert run.status == "failed"
    assert "t = 0.65" in run.message
    assert np.all(np.isfinite(run.q))
    torn = {"a": "x = 0", "b": "x = max(0, t - 0.5)^2"}
    run = System("x y", kinetic="(x'^2 + y'^2)/2", constraints=torn).simulate(1.0, method="bdf", form=form)
    assert (run.status, round(run.t[-1], 3)) == ("failed", 0.5)
    assert run.message.startswith("no state nearby satisfies `a` and `b` (`a` is off by ")
    with pytest.raises(SimulationError, match=r"the motion cannot begin: .* the tolerance is below rounding"):
        pendulum().simulate(1.0, method="bdf", form=form, rtol=1e-18, atol=1e-19)
    with pytest.raises(DerivationError, match="the accelerations are not determined along `x` and `y`"):
        System("x y", kinetic="(x' + y')^2/2", potential="x^2").simulate(1.0, method="bdf", form=form)


def test_spatial_loops_do_not_hold_the_steps():
    """Their constraints repeat each other, but only at the states that they allow."""
    run = example("bricard").simulate(1.0, method="bdf", form="multipliers", rtol=1e-6, atol=1e-8)
    plain = example("bricard").simulate(1.0, rtol=1e-11, atol=1e-12)
    assert run.status == "done"
    assert run.steps < 1000
    assert np.abs(run.q[-1] - plain.q[-1]).max() < 1e-5


@pytest.mark.parametrize("model", ["heavy-top", "rolling-coin"])
def test_errors_over_a_whole_motion_are_within_a_hundred_tolerances(model):
    run = example(model).simulate(method="bdf", rtol=1e-6, atol=1e-8)
    plain = example(model).simulate(rtol=1e-12, atol=1e-13)
    assert np.abs(run.q[-1] - plain.q[-1]).max() < 1e-4 * max(1, np.abs(plain.q[-1]).max())
