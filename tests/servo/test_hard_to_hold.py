"""Programmes that are held with difficulty: conditions that nearly coincide, controls that lose their grip, and how the
certificate judges them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalembert import System
from dalembert.errors import MotionWarning, SimulationError
from tests.servo.models import crane, rise
from tests.servo.test_random_chains import random_chain


@pytest.mark.parametrize("seed", [0, 39, 41, 50, 55, 56])
def test_a_strongly_damped_chain_is_solved_to_the_last_digits(seed):
    """The force on the first car holds the path of the last; the rows of its conditions are parallel but for 1e-6."""
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 7))
    chain, M, D, K = random_chain(random, n)
    system = System(
        " ".join(f"x{i}" for i in range(n)),
        **chain,
        controls={"F": {"acts": {"x0": 1}}},
        programme={"p": f"x{n - 1} = 0.5*sin(t)"},
    )
    run = system.simulate(0.5, samples=4)
    assert run.certificate.ok, run.certificate.reason
    left = M @ run.accelerations.T + D @ run.v.T + K @ run.q.T
    left[0] -= run["F"]
    assert np.abs(left).max() <= 1e-10 * max(1.0, np.abs(run["F"]).max())
    np.testing.assert_allclose(run[f"x{n - 1}"], 0.5 * np.sin(run.t), atol=1e-12)


def test_the_tolerance_plays_no_part_where_the_path_determines_all():
    """Without internal states every value is found from the conditions at its time."""
    fine, coarse = (crane().simulate(samples=60, rtol=rtol, atol=rtol) for rtol in (1e-10, 1e-2))
    assert coarse.motion.facts["steps"] < 12
    for name in ("F", "M", "s", "beta"):
        np.testing.assert_allclose(coarse[name], fine[name], atol=1e-8)


def test_the_certificate_says_that_programmes_are_held_by_the_controls():
    run = crane().simulate()
    items = {item.name: item for item in run.certificate.items}
    assert items["programmes"].text.startswith("programmes held")
    assert items["programmes"].ok
    assert items["controls"].ok
    assert run.certificate["controls"].value == pytest.approx(0, abs=1e-9)
    assert items["grip"].value == 0


def test_a_motion_beside_its_path_does_not_pass():
    run = crane().simulate(samples=20)
    states = run.motion.states.copy()
    states[:, 2] += 1e-4 * np.linspace(0, 1, len(states))  # the load
    beside = type(run)(replace(run.motion, states=states))
    assert not beside.certificate["programmes"].ok


def test_a_motion_that_controls_alone_cannot_make_does_not_pass():
    """The conditions hold at positions; with other velocities what is hidden would have to push."""
    run = crane().simulate(samples=20)
    states = run.motion.states.copy()
    states[:, 4] += 1e-2  # the trolley
    assert not type(run)(replace(run.motion, states=states)).certificate["programmes"].ok


@pytest.mark.parametrize(("path", "lost"), [("sin(t)", 1), ("t", 0), ("1 + cos(t)", 0)])
def test_where_a_control_loses_its_grip(path, lost):
    """2 x'' = u cos t: at π/2 u is infinite, unless x'' vanishes with the cosine."""
    system = System("x", kinetic="x'^2", controls={"u": {"acts": {"x": "cos(t)"}}}, programme={"p": f"x = {path}"})
    run = system.simulate(3, samples=20)
    if not lost:
        assert run.certificate.ok
        return
    with pytest.warns(MotionWarning, match="controls would have to be infinite"):
        assert not run.certificate.ok
    assert run.certificate["grip"].value == lost
    assert any("does not change what `p` asks for at t = 1.5708" in note for note in run.certificate.notes)


def test_a_start_at_which_nothing_can_be_held_is_said():
    """A force on a cart does not move the tip of the upright pole above it."""
    system = System(
        "x phi",
        kinetic="(M + m)*x'^2/2 + m*l*x'*phi'*cos(phi) + m*l^2*phi'^2/2",
        potential="m*g*l*cos(phi)",
        controls={"u": {"acts": {"x": 1}}},
        programme={"tip": "x + l*sin(phi) = 0.3*sin(t)"},
        parameters={"M": 1.3, "m": 0.27, "l": 0.61, "g": 9.81},
    )
    check = system.check()
    assert not check.ok
    assert "programme `tip` cannot be held by `u` at t = 0" in str(check)
    with pytest.raises(SimulationError, match="programme `tip` cannot be held by `u` at t = 0"):
        system.simulate(1)


def test_a_path_without_its_last_derivative_is_said():
    system = System(
        "x1 x2",
        kinetic="x1'^2/2 + x2'^2/2",
        potential="(x2 - x1)^2/2",
        controls={"F": {"acts": {"x2": 1}}},
        programme={"path": "x1 = t^3.5"},
    )
    with pytest.raises(SimulationError, match=r"would take of `F` has no finite value at t = 0.*no such derivative"):
        system.simulate(1)


def test_a_tight_tolerance_of_implicit_methods_is_no_fault_of_the_controls():
    run = crane().simulate(2, method="radau", rtol=1e-8, atol=1e-8, samples=4)
    assert run.certificate.ok
    assert run.status == "done"


def test_shared_controls_are_written_in_every_form():
    bar = System(
        "x y z",
        kinetic="x'^2/2 + y'^2/2 + z'^2/2",
        constraints={"rod": "x + y = 2*z"},
        controls={"u": {"acts": {"x": 1}, "weight": 3}, "w": {"acts": {"y": 1}}},
        programme={"centre": f"z = {rise('t')}"},
    )
    for form in ("multipliers", "minimal", "explicit", "independent", "canonical"):
        written = bar.derive(form).abbreviations
        ratio = written["w"] / written["u"]
        assert float(ratio.subs(written).simplify()) == pytest.approx(3), form
    assert "hold programme `centre`" in str(bar.check())
