"""The same call gives the same bits, however the clock cuts the motion into pieces."""

import numpy as np
import pytest

from dalembert import example
from dalembert.motion import run

SETTINGS = {
    "dop853": {},
    "radau": {"rtol": 1e-6, "atol": 1e-8},
    "bdf": {"rtol": 1e-6, "atol": 1e-8},
    "rk4": {"step": 0.01},
    "rattle": {"step": 0.02},
}
CASES = [("double-pendulum", 60.0), ("slider-crank", 3.0), ("n-four-bar:2", 4.0)]


def in_pieces(monkeypatch, first, seconds, *arguments, **settings):
    monkeypatch.setattr(run, "_FIRST", first)
    monkeypatch.setattr(run, "_PIECE", seconds)
    return motion(*arguments, **settings)


def motion(model, until, **settings):
    return example(model).simulate(until, samples=37, **settings)


@pytest.mark.parametrize("method", SETTINGS)
@pytest.mark.parametrize(("model", "until"), CASES)
def test_pieces_do_not_matter(monkeypatch, model, until, method):
    whole = in_pieces(monkeypatch, 10**9, 1e3, model, until, method=method, **SETTINGS[method])
    reported = []
    single = in_pieces(
        monkeypatch, 1, 0.0, model, until, method=method, progress=lambda *at: reported.append(at), **SETTINGS[method]
    )
    assert reported
    for name in ("t", "q", "v"):
        assert np.array_equal(getattr(whole, name), getattr(single, name))
    assert np.array_equal(whole.motion.states, single.motion.states)
    assert (whole.steps, whole.rejected, whole.evaluations) == (single.steps, single.rejected, single.evaluations)


@pytest.mark.parametrize("form", ["minimal", "independent", "canonical"])
def test_forms(monkeypatch, form):
    whole = in_pieces(monkeypatch, 10**9, 1e3, "n-four-bar:2", 4.0, form=form)
    single = in_pieces(monkeypatch, 1, 0.0, "n-four-bar:2", 4.0, form=form)
    assert np.array_equal(whole.motion.states, single.motion.states)
