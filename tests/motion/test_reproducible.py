"""The same call gives the same bits, however the clock cuts the motion into pieces."""

import os
import subprocess
import sys

import numpy as np
import pytest

from dalembert import Event, System, example
from dalembert.errors import MotionWarning
from dalembert.motion import loop

SETTINGS = {
    "dop853": {},
    "radau": {"rtol": 1e-6, "atol": 1e-8},
    "bdf": {"rtol": 1e-6, "atol": 1e-8},
    "rk4": {"step": 0.01},
    "euler": {"step": 0.001},
    "rattle": {"step": 0.02},
}
CASES = [("double-pendulum", 60.0), ("slider-crank", 3.0), ("n-four-bar:2", 4.0)]


def in_pieces(monkeypatch, first, seconds, *arguments, **settings):
    monkeypatch.setattr(loop, "_FIRST", first)
    monkeypatch.setattr(loop, "_PIECE", seconds)
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


def states(found):
    """Return all that a motion computed, as bytes."""
    return [part.tobytes() for part in (found.motion.times, found.motion.states, found.t, found.q, found.v)]


@pytest.mark.filterwarnings("ignore::dalembert.errors.MotionWarning")
@pytest.mark.parametrize("method", SETTINGS)
def test_the_same_call_gives_the_same_motion(method):
    """Also after a certificate, which repeats the steps, and after another motion."""
    arguments = ("n-four-bar:2", 1.0)
    first = motion(*arguments, method=method, **SETTINGS[method])
    known = states(first)
    _ = first.certificate
    motion("slider-crank", 0.5, method=method, **SETTINGS[method])
    again = motion(*arguments, method=method, **SETTINGS[method])
    assert states(first) == known == states(again)
    assert str(first.certificate) == str(again.certificate)


@pytest.mark.parametrize("method", SETTINGS)
def test_an_interrupted_motion_is_the_beginning_of_the_whole(monkeypatch, method):
    """And what is computed afterwards is the whole."""
    arguments = ("double-pendulum", 10.0)
    whole = motion(*arguments, method=method, **SETTINGS[method])
    for moment in (1, 7, 40):
        calls = iter(range(moment))

        def interrupt(*_, calls=calls):
            if next(calls, None) is None:
                raise KeyboardInterrupt

        with pytest.warns(MotionWarning, match="interrupted"):
            cut = in_pieces(monkeypatch, 1, 0.0, *arguments, method=method, progress=interrupt, **SETTINGS[method])
        steps, samples = len(cut.motion.times), len(cut.t)
        assert 1 < steps < len(whole.motion.times)
        assert np.array_equal(cut.motion.times, whole.motion.times[:steps])
        assert np.array_equal(cut.motion.states, whole.motion.states[:steps])
        assert np.array_equal(cut.q, whole.q[:samples]) and np.array_equal(cut.v, whole.v[:samples])
    assert states(motion(*arguments, method=method, **SETTINGS[method])) == states(whole)


@pytest.mark.parametrize("method", ["dop853", "radau", "bdf", "rk4", "rattle"])
def test_events_and_switches(monkeypatch, method):
    """Where the motion is cut short, restarted, and its parameters change."""
    system = System(
        "x",
        kinetic="m*x'^2/2",
        potential="k*x^2/2",
        forces={"x": "0.1*step(sin(3*t))"},
        parameters={"m": 1.0, "k": 1.0},
        initial={"x": 1.0, "x'": 0.0},
    )
    events = [Event("x = 0", {"k": 4.0}, direction=-1), Event("x = 0", {"k": 1.0}, direction=1), "x' = 0.3"]

    def found(first, seconds):
        monkeypatch.setattr(loop, "_FIRST", first)
        monkeypatch.setattr(loop, "_PIECE", seconds)
        return system.simulate(10.0, events=events, method=method, samples=23, **SETTINGS[method])

    whole, single = found(10**9, 1e3), found(1, 0.0)
    assert states(whole) == states(single)
    assert [event.t for event in whole.events] == [event.t for event in single.events]


@pytest.mark.full
@pytest.mark.parametrize("method", SETTINGS)
@pytest.mark.parametrize(("model", "until"), CASES)
def test_under_load(model, until, method):
    """With busy processes beside it, whose number changes, the clock cuts every motion into other pieces."""
    known = states(motion(model, until, method=method, **SETTINGS[method]))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        while busy:
            assert states(motion(model, until, method=method, **SETTINGS[method])) == known
            process = busy.pop()
            process.kill()
            process.wait()
    finally:
        for process in busy:
            process.kill()
            process.wait()
