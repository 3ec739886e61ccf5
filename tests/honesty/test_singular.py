"""Next to singular positions: motions get past them in bounded work, or say why not, and state what rounding does there."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import example
from tests.honesty.machines import parallel_cranks
from tests.honesty.right import Case, is_stated, truth


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "canonical", "independent"])
def test_change_points_are_passed_or_it_is_said(form):
    """Moving a stage onto repeated constraints moves it by rounding over their conditioning: creeping is recognised."""
    machine = parallel_cranks(3)
    runs = [
        machine.simulate(1.0, form=form, rtol=tolerance, atol=tolerance / 100) for tolerance in (1e-9, 1e-10, 1e-12)
    ]
    assert all(run.status == "done" and run.steps < 1000 for run in runs[:2])
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() < 1e-6
    assert runs[2].status == "done" or "rounding is larger there than this tolerance" in runs[2].message
    assert runs[2].steps < 50_000


@pytest.mark.filterwarnings("ignore")
def test_what_a_form_loses_at_change_points_is_stated():
    """A second motion in the form `independent` loses as much, and showed a fifth of the error."""
    machine = parallel_cranks(2)
    run, exact = (machine.simulate(6.0, form=form, rtol=tolerance, atol=tolerance / 100) for form, tolerance in CHOSEN)
    times = np.linspace(0.0, run.certificate.until, 300)
    error = np.abs(run.at(times)[0] - exact.at(times)[0]).max(axis=0)
    assert np.all(error <= 3 * np.array([*run.certificate.errors.values()]) + 1e-8)


CHOSEN = (("independent", 1e-10), ("multipliers", 1e-13))


@pytest.mark.parametrize("tolerance", [1e-9, 1e-10])
def test_a_rank_that_is_once_counted_too_large_hides_nothing(tolerance):
    """Then all other places seemed to be singular, and nothing was judged."""
    assert parallel_cranks(4).simulate(3.0, rtol=tolerance, atol=tolerance / 100).certificate.ok


@pytest.mark.full
def test_a_form_that_creeps_says_so():
    with pytest.warns(UserWarning, match="Take the form `multipliers`"):
        run = example("n-four-bar:3").simulate(5.0, form="independent", rtol=1e-13, atol=1e-15)
    assert run.status == "failed" and run.steps < 100_000


def test_steps_too_long_for_the_order_of_a_method_state_their_error():
    """Halving them takes a fifth of the error away, and not all but a part in 256, which the energy shows."""
    case = Case("gyroscope", "canonical", "rattle", 0)
    run = case.run()
    assert run is not None and is_stated(run, truth(case.model), run.certificate)


@pytest.mark.filterwarnings("ignore")
def test_a_motion_is_trusted_up_to_a_step_and_not_inside_of_it():
    """Inside their first step two motions of Euler's method are the same line."""
    run = example("gyroscope").simulate(0.01, form="canonical", method="euler", step=5e-5)
    assert not run.certificate.ok and run.certificate.until in run.motion.times
