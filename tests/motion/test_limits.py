"""Where motions cannot go on, or only slowly: all methods say so, and soon."""

from __future__ import annotations

import pytest

from dalembert import System, example


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("method", "form"),
    [
        ("dop853", "multipliers"),
        ("dop853", "canonical"),
        ("dop853", "independent"),
        ("radau", "multipliers"),
        ("bdf", "minimal"),
        ("bdf", "multipliers"),
    ],
)
def test_constraints_that_are_pulled_apart(method, form):
    """A point on a circle that is carried past its side: until t = 1/2 there is a motion."""
    system = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="9.81*y",
        constraints={"circle": "x^2 + y^2 = 1", "carried": "x = 0.5 + t"},
        initial={"x": 0.5, "y": -(3**0.5) / 2},
    )
    run = system.simulate(2.0, method=method, form=form)
    assert run.status == "failed"
    assert "no state nearby satisfies" in run.message
    assert abs(run.t[-1] - 0.5) < 1e-5
    assert run.steps < 10_000


def test_choices_are_renewed_before_they_are_bad():
    """Near the end of the reach of a choice the equations are steep: that would cost steps."""
    system = example("four-bar-spatial")
    plain = system.simulate(5.0, rtol=1e-9, atol=1e-11)
    run = system.simulate(5.0, form="independent", rtol=1e-9, atol=1e-11)
    assert run.steps < 1.1 * plain.steps
    top = example("heavy-top")
    assert top.simulate(form="independent").steps < 3 * top.simulate().steps
