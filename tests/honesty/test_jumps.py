"""Certificates where velocities jump at events: a jump that is missed, or wrong, does not pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalembert import Event, System
from dalembert.results.run import Run

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
    run = ball.simulate(1.01, events=[Event("y = 0", direction="down", velocities={"y'": "-0.001*y'"})])
    assert run.events[1].t == pytest.approx(1.002, abs=1e-9)
    assert np.min(run["y"]) > -1e-9
