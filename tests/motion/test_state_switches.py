"""Where the equations change at once with the state, the motion comes to that place in few steps, and goes on behind."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import System
from dalembert.errors import MotionWarning
from dalembert.motion import loop

FORMS = ("multipliers", "minimal", "explicit", "canonical", "independent")


def particle(force: str, potential: str = "0", x: float = 1.0, v: float = 0.0) -> System:
    return System("x", kinetic="x'^2/2", potential=potential, forces={"x": force}, initial={"x": x, "x'": v})


def relay(t: float) -> float:
    """Return x of a particle that is always pulled to zero with the force one, from rest at one."""
    quarter = np.sqrt(2.0)
    turn, since = divmod(t, 2 * quarter)
    return float((-1) ** turn * (1 - (since**2 / 2 if since < quarter else 2 - (2 * quarter - since) ** 2 / 2)))


def test_the_closed_form():
    assert relay(0.0) == 1.0 and relay(np.sqrt(2)) == pytest.approx(0.0) and relay(2 * np.sqrt(2)) == pytest.approx(-1)


@pytest.mark.parametrize("form", FORMS)
def test_a_force_that_changes_its_sign(form):
    """It took 390 steps and as many attempts, and was off by 1e-6."""
    found = particle("-sign(x)").simulate(40.0, form=form)
    assert found["x"][-1] == pytest.approx(relay(40.0), abs=1e-10)
    assert found.steps < 200 and found.rejected < 100
    assert found.certificate.ok


@pytest.mark.parametrize("keep", ["project", "stabilise", "none"])
def test_with_constraints(keep):
    """A pendulum against a spring that only pushes; the law in two ways."""
    parts = {"potential": "9.81*y", "constraints": {"l": "x^2 + y^2 = 1"}, "guess": {"y": -1}}
    system = System("x y", kinetic="(x'^2 + y'^2)/2", initial={"x": -0.6}, **parts)
    laws = ("if(x > 0.3, -1e3*(x - 0.3), 0)", "-1e3*max(0, x - 0.3)")
    ends = [system.replace(forces={"x": law}).simulate(10.0, keep=keep) for law in laws]
    assert ends[0]["x"][-1] == pytest.approx(ends[1]["x"][-1], abs=1e-6)
    exact = system.replace(forces={"x": laws[0]}).simulate(10.0, rtol=1e-12, atol=1e-14)
    assert ends[0]["x"][-1] == pytest.approx(exact["x"][-1], abs=1e-6)
    assert ends[0].certificate.ok


def test_friction_of_an_oscillator():
    """Every half swing the largest displacement falls by 2 μ/k."""
    found = particle("-0.5*sign(x')", "50*x^2", x=1.03).simulate(6.0, events=["x' = 0"])
    largest = [abs(float(event.q[0])) for event in found.events]
    assert np.allclose(np.diff([1.03, *largest]), -0.01, atol=1e-9)
    assert found.steps < 400
    assert found.certificate.ok


def test_a_spring_that_only_pushes():
    """A ball that falls on it rises again to the same height."""
    found = particle("if(x < 0, -1e4*x, 0)", "9.81*x").simulate(10.0, events=["x' = 0"])
    tops = [float(event.q[0]) for event in found.events if event.q[0] > 0.5]
    assert len(tops) > 8 and np.allclose(tops, 1.0, atol=1e-7)
    assert found.certificate.ok


@pytest.mark.parametrize("form", FORMS)
def test_what_sticks_is_said(form):
    with pytest.warns(MotionWarning, match="jump back and forth"):
        found = particle("-sign(x')", v=1.0).simulate(3.0, form=form, max_steps=100_000)
    assert found.status == "failed" and found.motion.times[-1] == pytest.approx(1.0, abs=1e-6)


def test_pieces_do_not_matter(monkeypatch):
    """However the clock cuts the motion."""
    system = particle("-0.5*sign(x') - sign(sin(20*x))", "50*x^2", x=1.03)
    whole = system.simulate(6.0, samples=31)
    monkeypatch.setattr(loop, "_FIRST", 1)
    monkeypatch.setattr(loop, "_PIECE", 0.0)
    single = system.simulate(6.0, samples=31)
    assert np.array_equal(whole.motion.states, single.motion.states) and np.array_equal(whole.q, single.q)
    assert (whole.steps, whole.rejected) == (single.steps, single.rejected)


def test_a_law_that_ends_at_its_switch():
    """Beyond the switch the root has no value; no step looks there."""
    found = particle("if(x < 0, 0, -sqrt(x))", "x^2/2").simulate(10.0)
    exact = particle("if(x < 0, 0, -sqrt(x))", "x^2/2").simulate(10.0, rtol=1e-12, atol=1e-14)
    assert found.status == "done" and found["x"][-1] == pytest.approx(exact["x"][-1], abs=1e-7)


def test_a_switch_that_is_only_touched():
    for v in (1.0 - 1e-9, 1.0, 1.0 + 1e-9):
        found = particle("if(x > 1, -1, 0)", "x^2/2", x=0.0, v=v).simulate(20.0)
        assert found["x"][-1] == pytest.approx(np.sin(20.0), abs=1e-4)
        assert found.steps < 300


def test_a_singularity_at_the_end_is_no_end():
    fall = System("x", kinetic="x'^2/2", potential="-1/x", initial={"x": 1, "x'": 0})
    with pytest.warns(MotionWarning):
        last = fall.simulate(2.0).t[-1]  # the fall as it is computed reaches the centre a little earlier or later
        run = fall.simulate(last * (1 + 5e-14))
    assert last == pytest.approx(np.pi / np.sqrt(8), abs=1e-9)
    assert run.status == "failed" and not run.certificate.ok


@pytest.mark.parametrize("until", [1.0, 2.0])
def test_a_motion_may_end_where_a_force_jumps(until):
    system = System("x", kinetic="x'^2/2", forces={"x": "if(x > 0.5, -1, 2)"}, initial={"x": 1, "x'": 0})
    run = system.simulate(until)
    assert run.status == "done" and run.t[-1] == until and run.certificate.ok
    assert run["x"][-1] == pytest.approx(0.5, abs=1e-9)
