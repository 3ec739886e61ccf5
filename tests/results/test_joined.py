"""Runs that go on where others end, and are joined into one."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dalembert import Event, ModelError, System, example, load_motion
from tests.conftest import pendulum

FALL = System("y", kinetic="m*y'^2/2", potential="m*g*y", parameters={"m": 2, "g": 10.0}, initial={"y": 5, "y'": 0})
DRIVEN = System(
    "x y",
    kinetic="m*(x'^2 + y'^2)/2",
    potential="m*g*y",
    constraints={"drive": "x = sin(w*t)"},
    parameters={"m": 1, "g": 9.81, "w": 2.0},
    initial={"y": 0, "y'": 0},
)


def test_a_motion_begins_at_any_time():
    run = DRIVEN.simulate(5, begin=2.0, samples=6)
    assert run.t == pytest.approx(np.linspace(2, 5, 7))
    assert run["x"] == pytest.approx(np.sin(2 * run.t), abs=1e-9)
    assert run["x'"] == pytest.approx(2 * np.cos(2 * run.t), abs=1e-8)
    assert run["y"] == pytest.approx(-9.81 * (run.t - 2) ** 2 / 2, abs=1e-8)
    assert run.certificate.ok
    assert DRIVEN.simulate(begin=20.0).t[-1] == 30.0
    assert DRIVEN.simulate(-1, begin=-2.0).t[[0, -1]] == pytest.approx([-2.0, -1.0])


def test_a_model_says_when_it_begins():
    model = DRIVEN.replace(simulation={"begin": 3.0, "until": 4.0})
    assert model.start()["x"] == pytest.approx(np.sin(6.0))
    assert model.check().ok
    assert model.simulate().t[[0, -1]] == pytest.approx([3.0, 4.0])
    assert model.simulate(begin=3.5).t[0] == 3.5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"begin": 11.0, "until": 10.0}, "`until` must not be earlier than the motion begins, at t = 11; got 10"),
        ({"until": -1.0}, "`until` must not be earlier than the motion begins, at t = 0; got -1"),
        ({"begin": float("nan")}, "`begin`"),
        ({"begin": 2.0, "until": 3.0, "samples": [1.0, 2.5]}, "`samples` must lie between 2 and 3, got 1 to 2.5"),
        ({"initial": {"t": "soon"}}, "`begin`"),
    ],
)
def test_times_that_cannot_be(settings, words):
    with pytest.raises(ModelError, match=words):
        FALL.simulate(**settings)


def test_the_end_of_a_run_is_a_start_as_it_is():
    for system in (DRIVEN, example("four-bar"), pendulum(initial={"phi": 1.0})):
        whole, first = system.simulate(4.0), system.simulate(1.5)
        second = system.simulate(4.0, initial=first.final())
        assert second.t[0] == 1.5
        assert second.final() == pytest.approx(whole.final(), rel=1e-6, abs=1e-6)
    with pytest.raises(ModelError, match="the model ends at t = 1; give `until`"):
        FALL.replace(simulation={"until": 1.0}).simulate(initial=FALL.simulate(1.0).final())


@pytest.mark.parametrize("forms", [("multipliers", "multipliers"), ("canonical", "minimal")])
def test_two_runs_are_one(forms):
    swing = pendulum(initial={"phi": 1.0})
    first = swing.simulate(1.0, form=forms[0])
    second = swing.simulate(2.0, form=forms[1], initial=first.final())
    run, whole = first + second, swing.simulate(2.0)
    times = np.linspace(0, 2, 41)
    assert run.at(times)[0] == pytest.approx(whole.at(times)[0], abs=1e-7)
    assert run.at(times)[1] == pytest.approx(whole.at(times)[1], abs=1e-7)
    assert run.steps == first.steps + second.steps
    assert run.certificate.ok
    assert 0.3 * whole.certificate.errors["phi"] < run.certificate.errors["phi"] < 3 * whole.certificate.errors["phi"]
    assert run.global_error().max() < 1e-6
    assert np.abs(run.drift.values).max() < 1e-6
    assert (first + second + swing.simulate(3.0, initial=run.final())).t[-1] == 3.0


def test_velocities_and_parameters_change_between_runs(tmp_path):
    """A ball that is caught and thrown up again, on the moon."""
    first = FALL.simulate(1.0, samples=10)
    second = FALL.replace(parameters={"g": 1.6}).simulate(3.0, initial={**first.final(), "y'": 4.0}, samples=10)
    run = first + second
    assert run.at(2.0)[0] == pytest.approx([4.0 - 0.8])
    assert run.at(1.0)[1] == pytest.approx([-10.0])
    assert run["y''"][[3, -1]] == pytest.approx([-10.0, -1.6])
    assert run.motion.changes == [(1.0, pytest.approx([2.0, 1.6]))]
    assert run.certificate.ok
    assert len(run.t) == 21 and np.all(np.diff(run.t) > 0)
    assert json.dumps(run.as_dict())
    run.save(tmp_path / "fall.npz")
    assert load_motion(tmp_path / "fall.npz")["y"][-1] == pytest.approx(4 * 2 - 0.8 * 4)
    run.report(tmp_path / "fall.html")
    page = (tmp_path / "fall.html").read_text()
    assert "run += model.replace(" in page
    run.plot("energy")


def test_the_worst_of_all_certificates_is_that_of_the_whole():
    rough = pendulum(initial={"phi": 1.0}).simulate(1.0, method="euler", step=0.05)
    with pytest.warns(UserWarning, match="certificate"):
        assert not rough.certificate.ok
    run = rough + rough.system.simulate(2.0, initial=rough.final())
    assert not run.certificate.ok
    assert run.certificate.until < 1.0
    assert not run.certificate["accuracy"].ok


def test_chaos_in_pieces_is_not_trusted_for_longer():
    """Every piece alone passes; the whole was 29 rad off, and passed as well."""
    system = example("double-pendulum")
    run = system.simulate(10)
    for until in (20, 30, 40, 50, 60):
        part = system.simulate(until, initial=run.final())
        assert part.certificate.ok
        run = run + part
    whole = system.simulate(60)
    with pytest.warns(UserWarning, match="can be trusted until"):
        assert not run.certificate.ok and not whole.certificate.ok
    assert run.certificate.until == pytest.approx(whole.certificate.until, rel=0.1)
    exact = system.simulate(60, rtol=1e-13, atol=1e-15)
    trusted = 0.9 * run.certificate.until
    assert np.abs(run.at(trusted)[0] - exact.at(trusted)[0]).max() < 0.1 < np.abs(run.q[-1] - exact.q[-1]).max()


def test_positions_that_meet_only_nearly_are_part_of_the_error():
    swing = System("x", kinetic="x'^2/2", potential="x^2/2", initial={"x": 1.0})
    first = swing.simulate(5)
    end = first.final()
    run = first + swing.simulate(10, initial={**end, "x": end["x"] + 5e-7})
    off = abs(run["x"][-1] - np.cos(10))
    assert 1e-7 < off < 3 * run.certificate.errors["x"]


def test_what_begins_anew_is_named():
    filtered = System(
        "x", kinetic="x'^2/2", potential="k*x^2/2", states={"z": "x"}, parameters={"k": 1}, initial={"x": 1}
    )
    first = filtered.simulate(5)
    run = first + filtered.replace(parameters={"k": 2}).simulate(7, initial={**first.final(), "z": 3.0})
    assert "at t = 5 it goes on with other values of `z` and `k`" in run.certificate.notes[-1]
    plain = first + filtered.simulate(7, initial=first.final())
    assert "other values" not in plain.certificate.notes[-1]
    assert plain.certificate.ok and run.certificate.ok


def test_a_joined_motion_that_was_changed_does_not_pass():
    swing = System("x", kinetic="x'^2/2", potential="x^2/2", initial={"x": 1.0})
    first = swing.simulate(5)
    run = first + swing.simulate(10, initial=first.final())
    run.motion.states[-3:, 0] *= 1.02
    with pytest.warns(UserWarning, match="those of its parts"):
        assert not run.certificate.ok


def test_what_does_not_meet_is_refused():
    first = FALL.simulate(1.0)
    with pytest.raises(ModelError, match="meet in time: the first ends at t = 1, the second begins at t = 0"):
        first + FALL.simulate(2.0)
    with pytest.raises(ModelError, match="meet in their positions; `y` differs by 7"):
        first + FALL.simulate(2.0, begin=1.0, initial={"y": 7})
    with pytest.raises(ModelError, match="runs can be joined of one system"):
        first + pendulum(initial={"phi": 1.0}).simulate(2.0, begin=1.0)
    with pytest.raises(TypeError):
        first + 1  # pyright: ignore


def test_events_of_all_parts_are_kept():
    first = FALL.simulate(2.0, events=[Event("y = 0", "stop", name="floor")])
    second = FALL.simulate(2.0, initial={**first.final(), "y'": 5.0}, events=[Event("y' = 0", name="top")])
    assert [event.name for event in (first + second).events] == ["floor", "top"]
