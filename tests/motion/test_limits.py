"""Where motions cannot go on, or only slowly: all methods say so, and soon."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import System
from dalembert.errors import MotionWarning
from tests.shared import example


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


def rod_of_rubber(k: float) -> System:
    """A pendulum on a stiff spring."""
    return System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="k*(sqrt(x^2 + y^2) - 1)^2/2 + 9.81*y",
        parameters={"k": k},
        initial={"x": 0.6, "y": -0.8, "x'": 0, "y'": 0},
    )


@pytest.mark.parametrize(("tolerance", "words"), [(1e-4, "limited by stability"), (1e-9, "the motion shows next")])
def test_stiffness_is_said(tolerance, words):
    settings: dict = {"rtol": tolerance, "atol": 1e-2 * tolerance}
    facts = rod_of_rubber(1e9).simulate(0.5, **settings).motion.facts
    assert words in facts["remark"]
    assert "radau" in facts["remark"]
    cut = rod_of_rubber(1e9).simulate
    with pytest.warns(MotionWarning, match="radau"):
        assert words in cut(0.5, max_steps=3000, **settings).message


@pytest.mark.filterwarnings("ignore")
def test_stiffness_is_said_of_a_motion_that_is_complete(tmp_path):
    """Where the motion is shown: as text, in a notebook, in its report, as JSON."""
    run = rod_of_rubber(1e9).simulate(0.5, rtol=1e-4, atol=1e-6)
    assert run.status == "done" and not run.message
    run.report(tmp_path / "report.html")
    shown = str(run), run._repr_html_(), (tmp_path / "report.html").read_text("utf-8"), run.as_dict()["note"]
    for text in shown:
        assert "the system is stiff" in text and "radau" in text
    assert "note" not in str(example("pendulum").simulate(0.1))


def test_the_remedy_for_stiffness_is_one():
    plain = rod_of_rubber(1e9).simulate(0.5, rtol=1e-4, atol=1e-6)
    assert 5 * rod_of_rubber(1e9).simulate(0.5, method="radau", rtol=1e-4, atol=1e-6).steps < plain.steps


@pytest.mark.parametrize("model", ["four-bar", "gyroscope", "double-pendulum"])
def test_long_motions_are_not_called_stiff(model):
    run = example(model).simulate(60.0)
    assert run.steps > 1000
    assert not run.motion.facts["remark"]


def test_chatter_is_said():
    """Friction that changes its sign with the velocity cannot hold the body; each step would cross rest."""
    system = System("x", kinetic="x'^2/2", forces={"x": "-sign(x')"}, initial={"x'": 1})
    with pytest.warns(MotionWarning, match=r"tanh\(v/e\)"):
        run = system.simulate(3.0)
    assert run.status == "failed"
    assert run.t[-1] == pytest.approx(1.0, abs=1e-5)
    assert run.steps < 5000
    smooth = system.replace(forces={"x": "-tanh(x'/1e-4)"}).simulate(3.0, method="radau")
    assert smooth.status == "done"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", ["dop853", "radau", "bdf"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_a_body_that_sticks(method, tolerance):
    """After three swings friction holds it; sign(v) has no value for that."""
    body = System("x", kinetic="x'^2/2", potential="x^2/2", forces={"x": "-0.5*sign(x')"}, initial={"x": 3.2, "x'": 0})
    run = body.simulate(20.0, method=method, rtol=tolerance, atol=tolerance / 100)
    assert run.status == "failed"
    assert "the forces jump back and forth" in run.message
    assert abs(run.t[-1] - 3 * np.pi) < 1e-3
    assert abs(run["x"][-1] + 0.2) < 1e-4
    assert run.steps < 10_000


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_form_whose_pivots_are_lost_goes_on():
    """Lengths of 1e9 beside an inertia of 0.1: what `explicit` eliminates is lost in rounding."""
    long = example("pendulum").replace(parameters={"l": 1e9, "m": 1e3})
    runs = [long.simulate(1e5, form=form) for form in ("multipliers", "explicit")]
    assert [run.status for run in runs] == ["done", "done"]
    assert runs[1]["phi"][-1] == pytest.approx(runs[0]["phi"][-1], abs=1e-6)
