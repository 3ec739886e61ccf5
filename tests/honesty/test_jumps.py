"""Certificates where velocities jump at events: a jump that is missed, or wrong, does not pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalembert import Event, Mechanism, System
from dalembert.results.run import Run
from tests.honesty.machines import gliding

FREE = System("x", kinetic="x'^2/2", initial={"x": 0, "x'": 1})


def test_a_jump_that_was_missed_is_not_made_up_for_by_one_that_was_seen():
    """The expression passes zero at t = 1, which is met, and dips below it for a moment at t = 3, inside a step."""
    event = Event("(t - 1)*((t - 3)^2 - 1e-4)", velocities={"x'": "-x'"})
    run = FREE.simulate(10.0, events=[event])
    assert len(run.events) == 1  # else this tries nothing
    with pytest.warns(UserWarning, match="passages of what was watched for that were not found"):
        assert not run.certificate.ok


@pytest.mark.parametrize("wrong", [1.001, 0.5])
def test_a_jump_to_other_velocities_than_given(wrong):
    run = FREE.simulate(2.0, events=[Event("t = 1", velocities={"x'": "-x'"})])
    states = run.motion.states.copy()
    states[run.motion.times > 1.0, 1] *= wrong
    states[run.motion.times > 1.0, 0] = 1.0 - wrong * (run.motion.times[run.motion.times > 1.0] - 1.0)
    with pytest.warns(UserWarning, match="jumps of velocities"):
        assert not Run(replace(run.motion, states=states, memory={})).certificate.ok


def test_small_bounces_are_met_although_a_step_would_pass_over_them():
    """Of a falling body steps are as long as they like; bounces become as short as these."""
    ball = System("y", kinetic="y'^2/2", potential="10*y", initial={"y": 5, "y'": 0})
    with pytest.warns(UserWarning, match="follow each other in ever shorter times"):
        run = ball.simulate(1.01, events=[Event("y = 0", direction="down", velocities={"y'": "-0.001*y'"})])
    assert run.events[1].t == pytest.approx(1.002, abs=1e-9)
    assert np.min(run["y"]) > -1e-9


@pytest.mark.parametrize("method", ["dop853", "radau", "bdf"])
@pytest.mark.parametrize("floor", [0.0, 5.0])
@pytest.mark.parametrize("e", [0.0, 1e-9, 1e-6])
def test_no_body_falls_through_the_floor(e, floor, method):
    """A bounce of a picometre was over before it was looked where the body goes, and then it went on below."""
    ball = System("y", kinetic="y'^2/2", potential="10*y", initial={"y": floor + 5, "y'": 0})
    hit = Event(f"y = {floor}", direction="down", velocities={"y'": f"-{e}*y'"})
    with pytest.warns(UserWarning, match="another model, such as the body at rest there"):
        run = ball.simulate(3, method=method, events=[hit])
    assert run.motion.times[-1] == pytest.approx(1.0, abs=1e-5)
    assert np.min(run["y"]) > floor - 1e-9
    assert run.events[-1].kind == "zeno"
    assert run.certificate.until > 1 - 1e-4


def test_a_body_that_is_slowed_down_goes_on():
    """What still leads through an event is no rest on it."""
    ball = System("y", kinetic="y'^2/2", potential="10*y", initial={"y": 5, "y'": 0})
    run = ball.simulate(2, events=[Event("y = 0", velocities={"y'": "0.001*y'"})])
    assert run["y"][-1] == pytest.approx(-0.01 - 5.0, abs=1e-8)
    assert run.certificate.ok


def test_a_jump_where_all_terms_of_a_constraint_are_small():
    """At x = y = 0 a constraint holds but for rounding, which is large beside its terms, and means nothing."""
    system = System(
        "x y",
        mass=[[1, 0], [0, 0]],
        force=["-x", "-y"],
        constraints={"c": "y = 2*x"},
        initial={"x": 1, "x'": 0},
    )
    run = system.simulate(3, events=[Event("x = 0", velocities={"x'": "-x'"})])
    assert run.status == "done"
    assert run.certificate.ok


def test_a_rod_that_hits_a_stop():
    """Named is the angle alone: its centre follows by the joint, whose terms are zero where the rod hangs down."""
    rod = Mechanism(
        bodies={"rod": {"mass": 1, "inertia": 0.1, "at": [0.5, 0]}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
        gravity=[0, -9.81],
    )
    stop = Event("x_rod = 0", direction="down", velocities={"phi_rod'": "-0.5*phi_rod'"})
    run = rod.simulate(0.7, events=[stop])
    assert run.status == "done"
    _, v = run.at(np.nextafter(run.events[0].t, 1))
    assert v == pytest.approx(-0.5 * run.events[0].v, abs=1e-9)
    assert run.certificate.ok


def test_a_body_brought_to_rest_stays_there():
    spring = System("x", kinetic="x'^2/2", potential="2*x^2", initial={"x": 1, "x'": 0})
    run = spring.simulate(1, events=[Event("x = 0", direction="down", velocities={"x'": 0})])
    assert run.status == "done"
    assert abs(run["x"][-1]) < 1e-9


def test_a_sample_right_behind_a_jump_is_there_for_every_method():
    """It is where the next step begins; `rattle` could take no step of no length, and its second motion ended there."""
    ball = gliding(potential="9.81*x", initial={"x": 2.3, "x'": 0.4})
    hit = Event("x = 0.1", direction="down", velocities={"x'": "-0.8*x'"})
    run = ball.simulate(1.5, events=[hit], method="rattle", step=0.01, form="canonical")
    assert run.certificate.ok, str(run.certificate)
    behind = float(np.nextafter(2.0, 3.0))
    change = Event("t = 2", velocities={"x'": "-x'"})
    for method in ("dop853", "rattle", "rk4"):
        settings = {} if method == "dop853" else {"step": 0.01}
        run = gliding().simulate(3.0, events=[change], samples=[1.0, behind, 3.0], method=method, **settings)
        assert run["x"] == pytest.approx([1.0, 2.0, 1.0]) and run["x'"][1] == pytest.approx(-1.0)
