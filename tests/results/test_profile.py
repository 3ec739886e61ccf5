"""Extremes, means and RMS from dense output: against closed forms, and against very many samples."""

from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pytest

from dalembert import Event, Mechanism, ModelError, MotionWarning, System, example
from dalembert.results.measured import _may_exceed, column_extremes
from dalembert.results.profile import profile
from tests.results.test_evaluation import rig

W, UNTIL = 3.0, 10.0
AMPLITUDE = np.hypot(1, 0.5 / W)


@pytest.fixture(scope="module")
def run():
    system = System("x", kinetic="x'^2/2", potential="w^2*x^2/2", parameters={"w": W}, initial={"x": 1, "x'": 0.5})
    return system.simulate(UNTIL, rtol=1e-12, atol=1e-13)


def test_extremes_of_an_oscillation(run):
    first = np.arctan2(0.5 / W, 1) / W  # where x is largest first
    top, low = run.maximum("x"), run.minimum("x")
    assert top == pytest.approx(AMPLITUDE, rel=1e-10) and low == pytest.approx(-AMPLITUDE, rel=1e-10)
    assert (top.t - first) * W / (2 * np.pi) == pytest.approx(round((top.t - first) * W / (2 * np.pi)), abs=1e-6)
    assert run.peak("x''") == pytest.approx(W**2 * AMPLITUDE, rel=1e-10)
    assert run.peak("x - 5") == pytest.approx(5 + AMPLITUDE, rel=1e-10) and run.peak("x - 5").signed < 0
    steps = np.abs(run["x''"]).max()
    assert steps < W**2 * AMPLITUDE * (1 - 1e-6)  # among the steps it is not
    assert repr(pickle.loads(pickle.dumps(low))) == repr(low)


def test_means_of_an_oscillation(run):
    s, c = np.sin(W * UNTIL), np.cos(W * UNTIL)
    assert run.mean("x") == pytest.approx((s + 0.5 / W * (1 - c)) / W / UNTIL, abs=1e-10)
    phase = np.arctan2(0.5 / W, 1)
    square = AMPLITUDE**2 * (0.5 + (np.sin(2 * (W * UNTIL - phase)) + np.sin(2 * phase)) / (4 * W * UNTIL))
    assert run.rms("x") == pytest.approx(np.sqrt(square), rel=1e-10)


def test_a_step_of_any_length_is_followed():
    """Closed forms on steps that are far too long for them: kinks and jumps are closed in."""
    times = np.array([0.0, 0.3, np.nextafter(0.3, 1), 2.0, 7.0])
    wave = profile(lambda t: np.sin(20 * t), times)
    assert wave.extreme(1.0)[0] == pytest.approx(1, abs=1e-12) and wave.extreme(-1.0)[0] == pytest.approx(-1, abs=1e-12)
    assert wave.mean() == pytest.approx((1 - np.cos(140)) / 140, abs=1e-9)
    kink = profile(lambda t: np.abs(t - 2.345678901), times)
    assert kink.extreme(-1.0) == (pytest.approx(0, abs=1e-9 * 4.65), pytest.approx(2.345678901))
    jump = profile(lambda t: np.where(t < np.pi, 2.0, -3.0), times)
    assert jump.mean() == pytest.approx((2 * np.pi - 3 * (7 - np.pi)) / 7, abs=1e-9)
    assert jump.rms() == pytest.approx(np.sqrt((4 * np.pi + 9 * (7 - np.pi)) / 7), abs=1e-9)
    alone = profile(np.cos, np.array([1.0]))
    assert alone.extreme(1.0) == (np.cos(1), 1.0) and alone.mean() == np.cos(1) and alone.rms() == np.cos(1)


def test_a_machine_against_very_many_samples():
    run = rig().simulate(3.0)
    times = np.linspace(0, 3, 300_001)
    for what in ("motor.torque", "A.force", "D.normal", "coupler.P.y'", "s.force"):
        values = run.evaluate(what, times)
        assert run.maximum(what) >= values.max() and run.minimum(what) <= values.min()
        span = np.ptp(values)
        assert run.maximum(what) - values.max() < 1e-7 * span and values.min() - run.minimum(what) < 1e-7 * span
        assert run.mean(what) == pytest.approx(np.trapezoid(values, times) / 3, abs=1e-8 * span)
        assert run.rms(what) == pytest.approx(np.sqrt(np.trapezoid(values**2, times) / 3), abs=1e-8 * span)


def test_jumps_of_parameters_and_forces_are_met():
    """A force of 1 until t = 1, then 5: the acceleration jumps, and its mean is that of both."""
    system = System("x", kinetic="x'^2/2", forces={"x": "F"}, parameters={"F": 1})
    run = system.simulate(4.0, events=[Event("t = 1", {"F": 5.0})])
    assert run.maximum("x''") == 5 and run.minimum("x''") == 1
    assert run.mean("x''") == pytest.approx(4, abs=1e-9) and run.peak("x'") == pytest.approx(16)
    switched = System("x", kinetic="x'^2/2", forces={"x": "if(t < 1, 1, 5)"}).simulate(4.0)
    assert switched.mean("x''") == pytest.approx(4, abs=1e-9)


def test_functions_of_a_run(run):
    assert run.peak(lambda run: run["x"] ** 2) == pytest.approx(AMPLITUDE**2)
    mechanism = rig().simulate(1.0)
    found = mechanism.maximum(lambda run: run.joint("B").force[:, 0])
    assert found == pytest.approx(mechanism.maximum("B.force_x"), rel=1e-9)
    with pytest.raises(ModelError, match=r"one value for each of its .* times; this one gives values of shape \(2,\)"):
        run.peak(lambda run: [1.0, 2.0])


def test_views_of_joints_show_the_extremes():
    run = rig().simulate(3.0, samples=3)
    force = run.joint("B")
    assert force.extremes is not None
    low, high = force.extremes("force x")
    assert high == pytest.approx(run.maximum("B.force_x")) and high >= force.force[:, 0].max()
    assert low == pytest.approx(run.minimum("B.force_x")) and low < force.force[:, 0].min()
    assert f"{low:.4g}" in force.text(100).replace("−", "-") or f"{high:.4g}" in force.text(100)
    turned = run.joint("B", axes="body")
    assert turned.extremes is not None
    most = run.maximum(lambda run: run.joint("B", axes="body").force[:, 1])
    assert turned.extremes("force y")[1] == pytest.approx(most, rel=1e-9)


def test_a_moment_that_is_only_rounding_is_none():
    """The moment of a pin is what the tolerance leaves between the steps: it is not followed, and not shown."""
    run = rig().simulate(3.0, samples=3)
    pin = run.joint("B")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pin.extremes is not None and pin.extremes("moment") == (0.0, 0.0)
        assert "moment" in pin.text(100)


def test_largest_forces_in_reports_are_those_between_steps(tmp_path):
    run = rig().simulate(3.0, samples=3)
    run.report(tmp_path / "rig.html")
    text = (tmp_path / "rig.html").read_text(encoding="utf-8")
    shown = re.sub(r"<[^>]*>", " ", text[text.index("Largest forces and moments") :])
    for joint in ("A", "B"):
        peak = run.peak(f"{joint}.force")
        assert re.search(rf" {joint} +\w+ +{peak:.6g} +{peak.t:.6g} ", shown)


def test_what_cannot_be_followed_is_said(run):
    with pytest.warns(MotionWarning, match="seems to grow without bound"):
        run.peak("1/x")
    with pytest.warns(MotionWarning, match="has no finite value at t = .*; extremes are those of the others"):
        assert run.maximum("log(x)") == pytest.approx(np.log(AMPLITUDE))
    with pytest.warns(MotionWarning, match="varies too fast"):
        run.peak("sin(1e6*x)")
    rods = {f"R{k}": {"kind": "rod", "bodies": ["ground", "load"], "at": [[k, 1], [k, 0]]} for k in range(3)}
    shared = Mechanism(bodies={"load": {"mass": 3, "inertia": 1, "at": [1, 0]}}, joints=rods).simulate(0.5)
    with pytest.warns(MotionWarning, match="is not determined"):
        assert np.isnan(shared.peak("R0.tension"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run.peak("5*w") == 15 and run.mean("5*w") == pytest.approx(15)


def test_refused(run):
    for asked in (run.peak, run.minimum, run.maximum, run.mean, run.rms):
        with pytest.raises(ModelError, match="unknown name `y`"):
            asked("y")
    with pytest.raises(ModelError, match="expected an expression"):
        run.peak(3)


def test_motions_of_other_forms_and_methods():
    for settings in ({"form": "canonical"}, {"method": "rk4", "step": 0.01}, {"method": "radau"}):
        run = example("pendulum").simulate(2.0, **settings)
        values = run.evaluate("phi'", np.linspace(0, 2, 20_001))
        assert run.peak("phi'") == pytest.approx(np.abs(values).max(), rel=1e-7)


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("double-pendulum", {}),
        ("slider-crank", {"method": "radau"}),
        pytest.param("gyroscope", {"form": "canonical"}, marks=pytest.mark.full),
        ("four-bar", {}),
    ],
)
def test_extremes_of_coordinates_need_few_steps(model, settings):
    """All of them together against one after the other, everywhere."""
    run = example(model).simulate(**settings)
    n = len(run.system.coordinates)
    names = (*run.system.coordinates, *run.system.velocities)
    assert not np.all(_may_exceed(run, range(1))) or model == "gyroscope"
    for name, (least, most) in zip(names, column_extremes(run, range(2 * n)), strict=True):
        size = max(abs(least), abs(most))
        assert least == pytest.approx(float(run.minimum(name)), rel=1e-9, abs=1e-9 * size)
        assert most == pytest.approx(float(run.maximum(name)), rel=1e-9, abs=1e-9 * size)


PULSES = (
    "exp(-((x - 5.30123)/{w})^2)",
    "if(abs(x - 5.30123) < {w}, 1, 0)",
    "{w}^2/({w}^2 + (x - 5.30123)^2)",
    "max(0, 1 - abs(x - 5.30123)/{w})",
    "step(x - 5.30123)*step(5.30123 + {w} - x)",
)


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-5])
@pytest.mark.parametrize("pulse", PULSES)
def test_a_pulse_between_two_steps_is_met(pulse, width):
    """A glide of 10 s has some ten steps, of which none sees it."""
    glide = System("x", kinetic="x'^2/2", initial={"x": 0, "x'": 1}).simulate(10.0)
    peak = glide.peak(pulse.format(w=width))
    assert peak == pytest.approx(1.0, abs=1e-9)
    assert peak.t == pytest.approx(5.30123, abs=1.01 * width)


def test_a_pulse_by_a_joint_force_is_met():
    """Where a force is above a billionth less than its largest value."""
    run = example("four-bar").simulate(2.0)
    most = run.peak("A.force")
    assert run.peak(f"if(A.force > {float(most) * (1 - 1e-9)!r}, 1, 0)") == 1.0
    share = run.mean(f"step(A.force - {float(most) * 0.9!r})")
    times = np.linspace(0, 2, 200_001)
    assert share == pytest.approx((run.evaluate("A.force", times) > 0.9 * most).mean(), abs=1e-4)


def test_what_switches_too_often_is_said():
    glide = System("x", kinetic="x'^2/2", initial={"x": 0, "x'": 1}).simulate(10.0)
    with pytest.warns(MotionWarning, match="too fast|too often"):
        glide.peak("if(sin(1e7*x) > 0.5, 1, 0)")


def test_a_table_that_is_only_asked_for():
    tent = {"x": [-2, 0.29, 0.3, 0.31, 2], "value": [0, 0, 1, 0, 0], "kind": "linear"}
    swing = System("x", kinetic="x'^2/2", potential="x^2/2", tables={"a": tent}, initial={"x": 1, "x'": 0})
    assert swing.simulate(10.0).peak("a(x)") == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("pulse", ["exp(-((x - 1.2345)/1e-4)^2)", "2^(-((x - 1.2345)/1e-4)^2)"])
def test_a_force_that_moves_nothing_is_met_by_its_multiplier(pulse):
    held = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        forces={"y": f"1000*{pulse}"},
        constraints={"c": "y = 0"},
        initial={"x": 0, "x'": 1},
    )
    assert held.simulate(3.0).peak("lambda_c") == pytest.approx(1000.0, rel=1e-9)


def test_it_is_said_each_time():
    glide = System("x", kinetic="x'^2/2", initial={"x": 0, "x'": 1}).simulate(10.0)
    for measure in (glide.peak, glide.rms):
        with pytest.warns(MotionWarning, match="extremes and means"):
            measure("sin(1e7*x)")


def test_of_many_pulses_none_is_left_out():
    glide = System("x", kinetic="x'^2/2", initial={"x": 0, "x'": 1}).simulate(10.0)
    pulses = " + ".join(f"{k}*if(abs(x - {0.3 + 0.37 * k:.4f}) < 1e-4, 1, 0)" for k in range(1, 25))
    assert glide.peak(pulses) == pytest.approx(24.0, abs=1e-9)
